#include "core/show/content.h"

#include <ctype.h>
#include <errno.h>

#include "core/base/base64.h"
#include "core/base/text.h"
#include "core/json/flat.h"
#include "core/json/js.h"
#include "core/json/writer.h"
#include "core/session/dialect.h"
#include "core/show/pictures.h"

/* The pictures that rendering finds, and who is told of blocks. */
struct found {
	const char *line;	   /* the entry's; places are offsets in it */
	unsigned n;		   /* all of them, with those after the limit */
	struct buf list;	   /* of struct picture, up to the limit */
	struct content_blocks *to; /* may be NULL */
	int err;		   /* of a file beside the session */
};

/* The extension of a media type: image/svg+xml is svg, image/jpeg is jpg. */
static void set_extension(struct picture *p, struct span mime)
{
	const char *slash = memchr(mime.p, '/', mime.n);
	size_t from = slash ? (size_t)(slash - mime.p) + 1 : mime.n;
	struct span ext = { mime.p + from, 0 };
	while (from + ext.n < mime.n && ext.n < sizeof(p->extension) &&
	       isalnum((unsigned char)ext.p[ext.n]))
		ext.n++;
	if (ext.n == 0)
		ext = SPAN("bin");
	else if (span_eq(ext, SPAN("jpeg")))
		ext = SPAN("jpg");
	memcpy(p->extension, ext.p, ext.n);
}

static void add_picture_name(struct buf *out, unsigned n,
			     const struct picture *p)
{
	buf_addf(out, "%u.%.*s", n, (int)sizeof(p->extension), p->extension);
}

/* The bytes of a picture's block. */
static void add_picture_bytes(const struct session *s, struct buf *out,
			      struct json data)
{
	const struct dialect_showing *d = s->dialect->showing;
	struct buf text = { 0 };
	if (d->picture && d->picture(out, data))
		return;
	json_decode(&text, data);
	if (text.failed)
		out->failed = true;
	else
		base64_decode(out, buf_span(&text));
	buf_free(&text);
}

/* Find its place, and the size of its bytes. */
static struct picture measure(const struct session *s, struct buf *out,
			      const struct block *b, const char *line)
{
	struct buf bytes = { 0 };
	struct picture p = {
		.at = (uint32_t)(b->data.raw.p - line),
		.length = (uint32_t)b->data.raw.n,
	};
	add_picture_bytes(s, &bytes, b->data);
	buf_inherit(out, &bytes);
	p.size = bytes.len;
	buf_free(&bytes);
	return p;
}

static void add_picture_note(const struct session *s, struct buf *out,
			     const struct block *b, struct found *f)
{
	struct picture p = measure(s, out, b, f->line);
	struct buf mime = { 0 };
	json_decode(&mime, b->mime);
	buf_inherit(out, &mime);
	set_extension(&p, buf_span(&mime));
	buf_addc(out, '[');
	if (json_type(b->mime) == JSON_STRING)
		buf_add(out, buf_span(&mime));
	else
		buf_adds(out, "image");
	buf_addf(out, " %llu bytes", (unsigned long long)p.size);
	if (++f->n <= PICTURE_LIMIT) {
		buf_adds(out, ": ");
		add_picture_name(out, f->n, &p);
		buf_add(&f->list, (struct span){ (char *)&p, sizeof(p) });
	}
	buf_adds(out, "]\n");
	buf_free(&mime);
}

static void add_tool_call(struct buf *out, const struct block *b)
{
	struct buf scratch = { 0 };
	struct json arguments = block_arguments(b, &scratch);
	buf_adds(out, "[tool call] ");
	js_to_string(out, b->name);
	buf_addc(out, '\n');
	if (json_type(arguments) == JSON_STRING)
		json_decode(out, arguments);
	else
		flat_add(out, arguments);
	buf_free_into(&scratch, out);
}

/* Begin a block: with an empty line, unless text follows text. */
static void separate(struct buf *out, size_t from, bool text, bool was_text)
{
	if (out->len == from)
		return;
	buf_end_line(out);
	if (!text || !was_text)
		buf_addc(out, '\n');
}

/* Append the file that a result's text stands for. False if there is none. */
static bool add_outside(const struct session *s, struct buf *out,
			const struct block *b, struct found *f)
{
	int got = 0;
	if (b->inner && !f->to && s->dialect->outside)
		got = s->dialect->outside->add_text(s, out, b->text);
	if (got < 0 && !f->err)
		f->err = got;
	return got > 0;
}

static void add_block(const struct session *s, struct buf *out,
		      const struct block *b, struct json raw, struct found *f)
{
	if (b->type == BLOCK_PICTURE && !block_has_picture(b)) {
		js_stringify(out, raw, 2);
		return;
	}
	switch (b->type) {
	case BLOCK_TEXT:
		if (!add_outside(s, out, b, f))
			json_decode(out, b->text);
		break;
	case BLOCK_THINKING:
		buf_adds(out, "[thinking]\n");
		json_decode(out, b->text);
		break;
	case BLOCK_CALL:
		add_tool_call(out, b);
		break;
	case BLOCK_PICTURE:
		add_picture_note(s, out, b, f);
		break;
	case BLOCK_RESULT: /* its blocks come next */
		break;
	case BLOCK_OTHER:
		js_stringify(out, raw, 2);
		break;
	}
}

/* A block ends: all that is appended from an offset on. */
static void end_block(struct buf *out, size_t at, const struct block *b,
		      const struct found *f)
{
	if (!f->to)
		return;
	text_finish(out, at);
	f->to->add(f->to, b, at);
}

/* The same of what is no block. */
static void end_whole(struct buf *out, size_t at, enum block_type type,
		      const struct found *f)
{
	end_block(out, at, &(struct block){ .type = type }, f);
}

static void add_blocks(const struct session *s, struct buf *out,
		       struct json blocks, struct found *f)
{
	struct block_walk w =
		block_walk(s->dialect->showing->read_block, blocks);
	struct block b;
	struct json raw;
	size_t from = out->len;
	bool was_text = false;

	while (block_next(&w, &b, &raw)) {
		bool text = b.type == BLOCK_TEXT;
		if (b.type == BLOCK_RESULT)
			end_block(out, out->len, &b, f);
		if (b.type == BLOCK_RESULT || (text && !json_truthy(b.text)))
			continue;
		separate(out, from, text, was_text);
		size_t at = out->len;
		add_block(s, out, &b, raw, f);
		end_block(out, at, &b, f);
		was_text = text;
	}
}

static bool in_envelope(const struct session *s, struct json key)
{
	for (const char *const *e = s->dialect->showing->envelope; *e; e++) {
		if (json_is(key, span_of(*e)))
			return true;
	}
	return false;
}

/* The fields outside of the envelope, as indented JSON. */
static void add_fields(const struct session *s, struct buf *out,
		       struct json entry)
{
	struct buf own = { 0 };
	struct json_writer w = { .out = &own };
	struct json_walk members = json_walk(entry);
	struct json key;
	struct json value;
	if (json_type(entry) != JSON_OBJECT) {
		js_stringify(out, entry, 2);
		return;
	}
	json_begin_object(&w, NULL);
	while (json_next_member(&members, &key, &value)) {
		if (!in_envelope(s, key))
			json_write_member(&w, key, value);
	}
	json_end_object(&w);
	if (own.failed)
		out->failed = true;
	else
		js_stringify(out, (struct json){ .raw = buf_span(&own) }, 2);
	buf_free(&own);
}

/* A content that has no blocks. */
static void add_whole(const struct session *s, struct buf *out,
		      struct json entry, const struct found *f)
{
	size_t at = out->len;
	if (s->dialect->showing->text &&
	    s->dialect->showing->text(s, out, entry)) {
		end_whole(out, at, BLOCK_TEXT, f);
		return;
	}
	add_fields(s, out, entry);
	end_whole(out, at, BLOCK_OTHER, f);
}

/* Append the content and find its pictures. */
static int render(const struct session *s, uint32_t entry, struct buf *out,
		  struct found *f)
{
	struct buf line = { 0 };
	struct span text;
	struct json json;
	size_t from = out->len;
	int err = session_peek(s, entry, &line, &text, &json);
	if (!err) {
		f->line = text.p;
		struct json blocks = s->dialect->showing->blocks(json);
		if (json_type(blocks) != JSON_ABSENT)
			add_blocks(s, out, blocks, f);
		else
			add_whole(s, out, json, f);
		text_finish(out, from);
		if (out->len > from)
			buf_end_line(out);
		buf_inherit(out, &f->list);
		err = f->err ? f->err : buf_error(out);
	}
	buf_free(&line);
	return err;
}

/* The text is empty, or ends with a newline. */
static size_t count_lines(struct span text)
{
	const char *end = text.p + text.n;
	size_t n = 0;
	for (const char *p = text.p; p < end; n++)
		p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
	return n;
}

/* Does the content have files? Then get their version. */
static bool find_outside(const struct session *s, uint32_t entry,
			 struct outside *o)
{
	const struct dialect_outside *d = s->dialect->outside;
	return d && d->of_entry(s, entry, o);
}

bool content_is_outside(const struct session *s, uint32_t entry)
{
	return find_outside(s, entry, NULL);
}

uint64_t content_outside(const struct session *s, uint32_t entry)
{
	struct outside o;
	return find_outside(s, entry, &o) ? o.version : 0;
}

/* Are the stored size and count those of the files as they are now? */
static bool is_seen(const struct session *s, uint32_t entry)
{
	struct outside o;
	return !find_outside(s, entry, &o) ||
	       __atomic_load_n(o.seen, __ATOMIC_ACQUIRE) == o.version;
}

static void set_seen(struct outside *o, uint64_t version)
{
	if (o->seen)
		__atomic_store_n(o->seen, version, __ATOMIC_RELEASE);
}

/* Store the number of pictures, which is the same at each rendering. */
static void remember_pictures(const struct session *s, uint32_t entry,
			      unsigned pictures)
{
	struct entry *e = &s->now.index.entries[entry];
	if (pictures > PICTURE_LIMIT)
		pictures = PICTURE_LIMIT;
	__atomic_store_n(&e->pictures, (uint16_t)pictures, __ATOMIC_RELAXED);
}

/*
 * Store the size and the number of lines, which are the same at each rendering
 * for one version of the files.
 */
static void remember(const struct session *s, uint32_t entry, struct span text,
		     size_t lines, struct outside *o)
{
	struct entry *e = &s->now.index.entries[entry];
	set_seen(o, 0);
	if (text.n < SIZE_UNKNOWN)
		__atomic_store_n(&e->content_size, (uint32_t)text.n,
				 __ATOMIC_RELAXED);
	if (lines < LINES_UNKNOWN)
		__atomic_store_n(&e->content_lines, (uint32_t)lines,
				 __ATOMIC_RELAXED);
	/* Those that don't fit are as before, so of another version. */
	if (text.n < SIZE_UNKNOWN && lines < LINES_UNKNOWN)
		set_seen(o, o->version);
}

/*
 * Append the content and cache its pictures. Sets *nth to the n-th picture,
 * unless n is 0; -ENOENT if there is none. `to` may be NULL.
 */
static int add(const struct session *s, uint32_t entry, struct buf *out,
	       unsigned n, struct picture *nth, struct content_blocks *to,
	       size_t *lines)
{
	struct found f = { .to = to };
	struct outside o = { 0 };
	size_t from = out->len;
	bool outside = find_outside(s, entry, &o);
	int err = render(s, entry, out, &f);
	if (!err) {
		struct span text = { buf_span(out).p + from, out->len - from };
		*lines = count_lines(text);
		if (!outside || !to)
			remember(s, entry, text, *lines, &o);
		remember_pictures(s, entry, f.n);
		if (n > f.list.len / sizeof(*nth))
			err = -ENOENT;
		else if (n > 0)
			memcpy(nth, f.list.data + (n - 1) * sizeof(*nth),
			       sizeof(*nth));
		pictures_keep(s, session_entry(s, entry)->offset, &f.list);
	}
	buf_free(&f.list);
	return err;
}

int content_add(const struct session *s, uint32_t entry, struct buf *out)
{
	size_t lines;
	return add(s, entry, out, 0, NULL, NULL, &lines);
}

int content_add_counted(const struct session *s, uint32_t entry,
			struct buf *out, uint32_t *lines)
{
	size_t n = 0;
	int err = add(s, entry, out, 0, NULL, NULL, &n);
	*lines = (uint32_t)n;
	return !err && n >= LINES_UNKNOWN ? -EFBIG : err;
}

int content_add_blocks(const struct session *s, uint32_t entry, struct buf *out,
		       struct content_blocks *to)
{
	size_t lines;
	return add(s, entry, out, 0, NULL, to, &lines);
}

bool content_knows_size(const struct session *s, uint32_t entry, uint64_t *size,
			uint32_t *lines)
{
	const struct entry *e = session_entry(s, entry);
	*size = __atomic_load_n(&e->content_size, __ATOMIC_RELAXED);
	*lines = __atomic_load_n(&e->content_lines, __ATOMIC_RELAXED);
	return *size != SIZE_UNKNOWN && *lines != LINES_UNKNOWN &&
	       is_seen(s, entry);
}

bool content_knows_pictures(const struct session *s, uint32_t entry,
			    unsigned *n)
{
	*n = __atomic_load_n(&session_entry(s, entry)->pictures,
			     __ATOMIC_RELAXED);
	return *n != PICTURES_UNKNOWN;
}

int content_pictures(const struct session *s, uint32_t entry, unsigned *n)
{
	if (content_knows_pictures(s, entry, n))
		return 0;
	struct buf text = { 0 };
	int err = content_add(s, entry, &text);
	buf_free(&text);
	if (!err)
		content_knows_pictures(s, entry, n);
	return err;
}

static int find_picture(const struct session *s, uint32_t entry, unsigned n,
			struct picture *p)
{
	unsigned have;
	int err = content_pictures(s, entry, &have);
	if (err)
		return err;
	if (n == 0 || n > have)
		return -ENOENT;
	err = pictures_find(s, session_entry(s, entry)->offset, n, p);
	if (err != -EAGAIN)
		return err;
	struct buf text = { 0 };
	size_t lines;
	err = add(s, entry, &text, n, p, NULL, &lines);
	buf_free(&text);
	return err;
}

int content_picture_name(const struct session *s, uint32_t entry, unsigned n,
			 struct buf *out)
{
	struct picture p;
	int err = find_picture(s, entry, n, &p);
	if (err)
		return err;
	add_picture_name(out, n, &p);
	return buf_error(out);
}

int content_picture_size(const struct session *s, uint32_t entry, unsigned n,
			 uint64_t *size)
{
	struct picture p;
	int err = find_picture(s, entry, n, &p);
	if (!err)
		*size = p.size;
	return err;
}

int content_add_picture(const struct session *s, uint32_t entry, unsigned n,
			struct buf *out)
{
	const struct entry *e = session_entry(s, entry);
	struct picture p;
	struct buf text = { 0 };
	struct json data = { 0 };
	size_t from = out->len;
	int err = find_picture(s, entry, n, &p);
	if (!err)
		err = session_read_line(s, e->offset + p.at, p.length, &text,
					&data);
	if (!err && json_type(data) != JSON_STRING)
		err = -ESTALE;
	if (!err) {
		add_picture_bytes(s, out, data);
		err = buf_error(out);
	}
	buf_free(&text);
	/* The file has changed since the picture was measured. */
	if (!err && out->len - from != p.size) {
		pictures_forget(s);
		out->len = from;
		err = -ESTALE;
	}
	return err;
}
