#include "core/content.h"

#include <ctype.h>
#include <errno.h>

#include "core/base64.h"
#include "core/dialect.h"
#include "core/js.h"
#include "core/text.h"

enum block_field {
	B_TYPE,
	B_TEXT,
	B_THINKING,
	B_NAME,
	B_ARGUMENTS,
	B_DATA,
	B_MIME,
	B_COUNT
};

static const char *const block_fields[] = {
	[B_TYPE] = "type",	     [B_TEXT] = "text",
	[B_THINKING] = "thinking",   [B_NAME] = "name",
	[B_ARGUMENTS] = "arguments", [B_DATA] = "data",
	[B_MIME] = "mimeType",
};
_Static_assert(sizeof(block_fields) / sizeof(block_fields[0]) == B_COUNT,
	       "a name for every field");

static bool is_picture(const struct json f[B_COUNT])
{
	return json_is(f[B_TYPE], SPAN("image")) &&
	       json_type(f[B_DATA]) == JSON_STRING;
}

/* The extension of a media type: image/svg+xml is svg, image/jpeg is jpg. */
static void add_extension(struct buf *out, struct json mime)
{
	struct buf text = { 0 };
	json_decode(&text, mime);
	struct span s = buf_span(&text);
	const char *slash = memchr(s.p, '/', s.n);
	size_t from = slash ? (size_t)(slash - s.p) + 1 : s.n;
	size_t n = 0;
	while (from + n < s.n && n < 16 &&
	       isalnum((unsigned char)s.p[from + n]))
		n++;
	struct span ext = { s.p + from, n };
	if (text.failed)
		out->failed = true;
	else if (n == 0)
		buf_adds(out, "bin");
	else if (span_eq(ext, SPAN("jpeg")))
		buf_adds(out, "jpg");
	else
		buf_add(out, ext);
	buf_free(&text);
}

static void add_picture_name(struct buf *out, unsigned n, struct json mime)
{
	buf_addf(out, "%u.", n);
	add_extension(out, mime);
}

/* The bytes of a picture's block. */
static void add_picture_bytes(struct buf *out, struct json data)
{
	struct buf text = { 0 };
	json_decode(&text, data);
	if (text.failed)
		out->failed = true;
	else
		base64_decode(out, buf_span(&text));
	buf_free(&text);
}

static void add_picture_note(struct buf *out, const struct json f[B_COUNT],
			     unsigned n)
{
	struct buf bytes = { 0 };
	add_picture_bytes(&bytes, f[B_DATA]);
	out->failed = out->failed || bytes.failed;
	buf_addc(out, '[');
	if (json_type(f[B_MIME]) == JSON_STRING)
		json_decode(out, f[B_MIME]);
	else
		buf_adds(out, "image");
	buf_addf(out, " %zu bytes", bytes.len);
	if (n <= PICTURE_LIMIT) {
		buf_adds(out, ": ");
		add_picture_name(out, n, f[B_MIME]);
	}
	buf_adds(out, "]\n");
	buf_free(&bytes);
}

/* A text of several lines, indented by two spaces. */
static void add_indented(struct buf *out, struct span text)
{
	while (text.n > 0) {
		const char *lf = memchr(text.p, '\n', text.n);
		size_t n = lf ? (size_t)(lf - text.p) + 1 : text.n;
		if (n > 1 || !lf)
			buf_adds(out, "  ");
		buf_add(out, (struct span){ text.p, n });
		text.p += n;
		text.n -= n;
	}
	buf_end_line(out);
}

static void add_argument(struct buf *out, const struct js_member *m)
{
	text_add_one_line(out, m->key);
	buf_addc(out, ':');
	if (json_type(m->value) != JSON_STRING) {
		buf_addc(out, ' ');
		js_stringify(out, m->value, 0);
		buf_addc(out, '\n');
		return;
	}
	struct buf text = { 0 };
	json_decode(&text, m->value);
	struct span s = buf_span(&text);
	out->failed = out->failed || text.failed;
	if (memchr(s.p, '\n', s.n)) {
		buf_addc(out, '\n');
		add_indented(out, s);
	} else {
		buf_adds(out, s.n > 0 ? " " : "");
		buf_add(out, s);
		buf_addc(out, '\n');
	}
	buf_free(&text);
}

static void add_tool_call(struct buf *out, const struct json f[B_COUNT])
{
	struct js_members m;
	buf_adds(out, "[tool call] ");
	js_to_string(out, f[B_NAME]);
	buf_addc(out, '\n');
	if (js_members_load(&m, f[B_ARGUMENTS]) < 0) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < m.n; i++)
		add_argument(out, &m.list[i]);
	js_members_free(&m);
}

/* An empty line before a block, unless text follows text. */
static void separate(struct buf *out, size_t from, bool text, bool was_text)
{
	if (out->len == from)
		return;
	buf_end_line(out);
	if (!text || !was_text)
		buf_addc(out, '\n');
}

static void add_block(struct buf *out, const struct json f[B_COUNT],
		      struct json block, unsigned *pictures)
{
	if (json_is(f[B_TYPE], SPAN("text"))) {
		json_decode(out, f[B_TEXT]);
	} else if (json_is(f[B_TYPE], SPAN("thinking"))) {
		buf_adds(out, "[thinking]\n");
		json_decode(out, f[B_THINKING]);
	} else if (json_is(f[B_TYPE], SPAN("toolCall"))) {
		add_tool_call(out, f);
	} else if (is_picture(f)) {
		add_picture_note(out, f, ++*pictures);
	} else {
		js_stringify(out, block, 2);
	}
}

static void add_blocks(struct buf *out, struct json blocks, unsigned *pictures)
{
	struct json_walk w = json_walk(blocks);
	struct json block;
	size_t from = out->len;
	bool was_text = false;

	if (json_type(blocks) == JSON_STRING) {
		json_decode(out, blocks);
		return;
	}
	while (json_next_element(&w, &block)) {
		struct json f[B_COUNT];
		json_get_all(block, B_COUNT, block_fields, f);
		bool text = json_is(f[B_TYPE], SPAN("text"));
		if (text && !json_truthy(f[B_TEXT]))
			continue;
		separate(out, from, text, was_text);
		add_block(out, f, block, pictures);
		was_text = text;
	}
}

static bool in_envelope(const struct session *s, struct json key)
{
	for (const char *const *e = s->dialect->envelope; *e; e++) {
		if (json_is(key, span_of(*e)))
			return true;
	}
	return false;
}

/* The fields that are the entry's own, as indented JSON. */
static void add_fields(const struct session *s, struct buf *out,
		       struct json entry)
{
	struct buf own = { 0 };
	struct json_walk w = json_walk(entry);
	struct json key;
	struct json value;
	buf_addc(&own, '{');
	while (json_next_member(&w, &key, &value)) {
		if (in_envelope(s, key))
			continue;
		if (own.len > 1)
			buf_addc(&own, ',');
		buf_add(&own, key.raw);
		buf_addc(&own, ':');
		buf_add(&own, value.raw);
	}
	buf_addc(&own, '}');
	if (own.failed)
		out->failed = true;
	else
		js_stringify(out, (struct json){ buf_span(&own) }, 2);
	buf_free(&own);
}

/* Append the content and count its pictures. */
static int render(const struct session *s, uint32_t entry, struct buf *out,
		  unsigned *pictures)
{
	struct buf line = { 0 };
	struct json json;
	size_t from = out->len;
	*pictures = 0;
	int err = session_read(s, entry, &line, &json);
	if (!err) {
		struct json blocks = s->dialect->blocks(json);
		if (json_type(blocks) != JSON_ABSENT)
			add_blocks(out, blocks, pictures);
		else if (!s->dialect->text(s, out, json))
			add_fields(s, out, json);
		text_finish(out, from);
		if (out->len > from)
			buf_end_line(out);
		err = buf_error(out);
	}
	buf_free(&line);
	return err;
}

/* Remember what everyone who renders this entry finds. */
static void remember(const struct session *s, uint32_t entry, size_t size,
		     unsigned pictures)
{
	struct entry *e = &s->now.index.entries[entry];
	if (size < SIZE_UNKNOWN)
		__atomic_store_n(&e->content_size, (uint32_t)size,
				 __ATOMIC_RELAXED);
	if (pictures > PICTURE_LIMIT)
		pictures = PICTURE_LIMIT;
	__atomic_store_n(&e->pictures, (uint16_t)pictures, __ATOMIC_RELAXED);
}

int content_add(const struct session *s, uint32_t entry, struct buf *out)
{
	unsigned pictures;
	size_t from = out->len;
	int err = render(s, entry, out, &pictures);
	if (!err)
		remember(s, entry, out->len - from, pictures);
	return err;
}

int content_size(const struct session *s, uint32_t entry, uint64_t *size)
{
	const struct entry *e = session_entry(s, entry);
	uint32_t known = __atomic_load_n(&e->content_size, __ATOMIC_RELAXED);
	*size = known;
	if (known != SIZE_UNKNOWN)
		return 0;
	struct buf text = { 0 };
	int err = content_add(s, entry, &text);
	*size = text.len;
	buf_free(&text);
	return err;
}

int content_pictures(const struct session *s, uint32_t entry, unsigned *n)
{
	const struct entry *e = session_entry(s, entry);
	uint16_t known = __atomic_load_n(&e->pictures, __ATOMIC_RELAXED);
	*n = known;
	if (known != PICTURES_UNKNOWN)
		return 0;
	uint64_t size;
	int err = content_size(s, entry, &size);
	if (!err)
		*n = __atomic_load_n(&e->pictures, __ATOMIC_RELAXED);
	return err;
}

/* The fields of the n-th picture's block; *line owns the bytes. */
static int find_picture(const struct session *s, uint32_t entry, unsigned n,
			struct buf *line, struct json f[B_COUNT])
{
	struct json json;
	int err = session_read(s, entry, line, &json);
	if (err)
		return err;
	struct json blocks = s->dialect->blocks(json);
	struct json_walk w = json_walk(blocks);
	struct json block;
	while (json_type(blocks) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		json_get_all(block, B_COUNT, block_fields, f);
		if (is_picture(f) && --n == 0)
			return 0;
	}
	return -ENOENT;
}

int content_picture_name(const struct session *s, uint32_t entry, unsigned n,
			 struct buf *out)
{
	struct buf line = { 0 };
	struct json f[B_COUNT];
	int err = find_picture(s, entry, n, &line, f);
	if (!err) {
		add_picture_name(out, n, f[B_MIME]);
		err = buf_error(out);
	}
	buf_free(&line);
	return err;
}

int content_add_picture(const struct session *s, uint32_t entry, unsigned n,
			struct buf *out)
{
	struct buf line = { 0 };
	struct json f[B_COUNT];
	int err = find_picture(s, entry, n, &line, f);
	if (!err) {
		add_picture_bytes(out, f[B_DATA]);
		err = buf_error(out);
	}
	buf_free(&line);
	return err;
}
