#include "core/as/api.h"

#include <ctype.h>

#include "core/base/base64.h"
#include "core/base/picture.h"
#include "core/base/text.h"
#include "core/json/writer.h"

void api_write_name(struct json_writer *w, const char *key, struct json name,
		    size_t limit)
{
	struct buf text BUF_SCOPED = { 0 };
	struct buf plain BUF_SCOPED = { 0 };
	json_decode(&text, name);
	struct span rest = buf_span(&text);
	while (rest.n > 0 && plain.len < limit) {
		size_t len;
		uint32_t cp = text_code_point(rest, &len);
		bool good = cp < 0x80 &&
			    (isalnum((int)cp) || cp == '_' || cp == '-');
		buf_addc(&plain, good ? (char)cp : '_');
		rest = span_from(rest, len);
	}
	buf_inherit(&plain, &text);
	json_write_string_buf(w, key, &plain);
}

struct span api_mime(const struct part *p)
{
	struct span mime = picture_base64_mime(p->data);
	return mime.n > 0 ? mime : p->mime;
}

bool api_takes_picture(const struct part *p)
{
	static const struct span https = SPAN("\"https://");
	if (p->type != PART_PICTURE)
		return false;
	if (p->data.n == 0)
		return span_starts(p->url.raw, https);
	return picture_named_mime(api_mime(p)).n > 0 &&
	       base64_is_strict(p->data);
}

bool api_takes_data(const struct part *p)
{
	return p->data.n > 0 && api_takes_picture(p);
}

void api_write_url(struct json_writer *w, const char *key, const struct part *p)
{
	struct buf url BUF_SCOPED = { 0 };
	if (p->data.n == 0) {
		json_write_value(w, key, p->url);
		return;
	}
	buf_adds(&url, "data:");
	buf_add(&url, api_mime(p));
	buf_adds(&url, ";base64,");
	buf_add(&url, p->data);
	json_write_string_buf(w, key, &url);
}

static void add_words(struct buf *out, const struct part *p)
{
	struct buf bytes BUF_SCOPED = BUF_INTO(out);
	size_t from = out->len;
	buf_adds(out, "[picture");
	if (p->data.n == 0) {
		buf_addc(out, ' ');
		json_decode(out, p->url);
	} else {
		base64_decode(&bytes, p->data);
		buf_adds(out, p->mime.n > 0 ? " " : "");
		buf_add(out, p->mime);
		buf_addf(out, " %zu bytes", bytes.len);
	}
	buf_addc(out, ']');
	text_finish(out, from);
}

void api_add_text(struct buf *out, const struct part *p)
{
	if (p->type == PART_TEXT)
		json_decode(out, p->text);
	else
		add_words(out, p);
}
