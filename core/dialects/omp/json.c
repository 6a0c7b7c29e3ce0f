#include "core/dialects/omp/json.h"

#include "core/json/writer.h"

bool omp_is_nullish(struct json v)
{
	enum json_type type = json_type(v);
	return type == JSON_ABSENT || type == JSON_NULL;
}

void omp_add_comma(struct buf *out)
{
	/* No value ends with an opening bracket. */
	if (out->len > 0 && !memchr("[{", out->data[out->len - 1], 2))
		buf_addc(out, ',');
}

void omp_add_key(struct buf *out, const char *key)
{
	omp_add_comma(out);
	buf_addf(out, "\"%s\":", key);
}

void omp_add_member(struct buf *out, const char *key, struct json value)
{
	if (json_type(value) == JSON_ABSENT)
		return;
	omp_add_key(out, key);
	buf_add(out, value.raw);
}

void omp_add_element(struct buf *out, struct json value)
{
	if (json_type(value) == JSON_ABSENT)
		return;
	omp_add_comma(out);
	buf_add(out, value.raw);
}

void omp_add_elements(struct buf *out, struct json array)
{
	struct json_walk w = json_walk(array);
	struct json v;
	while (json_type(array) == JSON_ARRAY && json_next_element(&w, &v))
		omp_add_element(out, v);
}

void omp_add_blocks_of(struct buf *out, struct json array, struct span type)
{
	struct json_walk w = json_walk(array);
	struct json v;
	while (json_type(array) == JSON_ARRAY && json_next_element(&w, &v)) {
		if (json_is(json_get(v, "type"), type))
			omp_add_element(out, v);
	}
}

void omp_add_text_block(struct buf *out, struct span text)
{
	omp_add_comma(out);
	buf_adds(out, "{\"type\":\"text\",\"text\":");
	json_quote(out, text);
	buf_addc(out, '}');
}
