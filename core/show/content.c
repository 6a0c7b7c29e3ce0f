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
#include "core/show/rows.h"

/* With what js.h makes of numbers, objects and values that are missing. */
const struct added_words content_adding[] = {
	{ .words = "thinking tool call image bytes jpg bin "
		   "undefined null Infinity object Object" },
	{ 0 },
};

/* A rendering, and what it finds. */
struct found {
	struct content_blocks *to; /* is told of blocks; may be NULL */
	unsigned wanted;	   /* a picture; 0: none */
	struct picture picture;	   /* that one */
	unsigned n;		   /* pictures, with those after the limit */
	bool counts;		   /* lines are wanted */
	size_t lines;
	/* private */
	const char *line; /* the entry's; places are offsets in it */
	struct buf list;  /* of struct picture, up to the limit */
	int err;	  /* of a file beside the session */
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
	struct buf text BUF_SCOPED = BUF_INTO(out);
	if (d->picture && d->picture(out, data))
		return;
	json_decode(&text, data);
	base64_decode(out, buf_span(&text));
}

static void add_picture_note(const struct session *s, struct buf *out,
			     const struct block *b, struct found *f)
{
	struct buf bytes BUF_SCOPED = BUF_INTO(out);
	struct buf mime BUF_SCOPED = BUF_INTO(out);
	add_picture_bytes(s, &bytes, b->data);
	json_decode(&mime, b->mime);
	struct picture p = {
		.size = bytes.len,
		.at = (uint32_t)(b->data.raw.p - f->line),
		.length = (uint32_t)b->data.raw.n,
	};
	set_extension(&p, buf_span(&mime));
	buf_addc(out, '[');
	if (json_is_string(b->mime))
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
	if (f->n == f->wanted)
		f->picture = p;
}

static void add_tool_call(struct buf *out, const struct block *b)
{
	struct buf scratch BUF_SCOPED = BUF_INTO(out);
	struct json arguments = block_arguments(b, &scratch);
	buf_adds(out, "[tool call] ");
	js_to_string(out, b->name);
	buf_addc(out, '\n');
	if (json_is_string(arguments))
		json_decode(out, arguments);
	else
		flat_add(out, arguments);
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
		      const struct block *b, struct found *f)
{
	if (b->type == BLOCK_PICTURE && !json_is_string(b->data)) {
		js_stringify(out, b->json, 2);
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
		js_stringify(out, b->json, 2);
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

static void add_blocks(const struct session *s, struct buf *out,
		       struct json blocks, struct found *f)
{
	size_t from = out->len;
	bool was_text = false;

	BLOCK_EACH(b, s->dialect->showing->read_block, blocks) {
		bool text = b.type == BLOCK_TEXT;
		if (b.type == BLOCK_RESULT)
			end_block(out, out->len, &b, f);
		if (b.type == BLOCK_RESULT || (text && !json_truthy(b.text)))
			continue;
		if (out->len > from) {
			buf_end_line(out);
			/* An empty line, unless text follows text. */
			buf_adds(out, text && was_text ? "" : "\n");
		}
		size_t at = out->len;
		add_block(s, out, &b, f);
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
	struct buf own BUF_SCOPED = BUF_INTO(out);
	struct json_writer w = { .out = &own };
	if (json_type(entry) != JSON_OBJECT) {
		js_stringify(out, entry, 2);
		return;
	}
	json_begin_object(&w, NULL);
	JSON_EACH_MEMBER(key, value, entry) {
		if (!in_envelope(s, key))
			json_write_member(&w, key, value);
	}
	json_end_object(&w);
	if (!own.failed)
		js_stringify(out, (struct json){ .raw = buf_span(&own) }, 2);
}

/* A content that has no blocks. */
static void add_whole(const struct session *s, struct buf *out,
		      struct json entry, const struct found *f)
{
	const struct dialect_showing *d = s->dialect->showing;
	size_t at = out->len;
	bool text = d->text && d->text(out, entry);
	if (!text)
		add_fields(s, out, entry);
	struct block b = { .type = text ? BLOCK_TEXT : BLOCK_OTHER };
	end_block(out, at, &b, f);
}

/* Append the content and find its pictures. */
static int render(const struct session *s, uint32_t entry, struct buf *out,
		  struct found *f)
{
	struct buf line BUF_SCOPED = { 0 };
	struct span text;
	struct json json;
	size_t from = out->len;
	int err = session_peek(s, entry, &line, &text, &json);
	if (!err) {
		f->line = text.p;
		struct json blocks = rows_content(s->dialect->showing, json);
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
	return err;
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

/*
 * Store the size and the number of lines, which are the same at each rendering
 * for one version of the files.
 */
static void remember(struct entry *e, size_t size, size_t lines,
		     const struct outside *o)
{
	bool size_fits = size < SIZE_UNKNOWN;
	bool lines_fit = lines < LINES_UNKNOWN;
	if (o->seen)
		__atomic_store_n(o->seen, 0, __ATOMIC_RELEASE);
	if (size_fits)
		__atomic_store_n(&e->content_size, (uint32_t)size,
				 __ATOMIC_RELAXED);
	if (lines_fit)
		__atomic_store_n(&e->content_lines, (uint32_t)lines,
				 __ATOMIC_RELAXED);
	/* Those that don't fit are as before, so of another version. */
	if (o->seen && size_fits && lines_fit)
		__atomic_store_n(o->seen, o->version, __ATOMIC_RELEASE);
}

/* Append the content, and keep what was found. */
static int add(const struct session *s, uint32_t entry, struct buf *out,
	       struct found *f)
{
	struct entry *e = &s->now.index.entries[entry];
	struct outside o = { 0 };
	size_t from = out->len;
	bool outside = find_outside(s, entry, &o);
	int err = render(s, entry, out, f);
	/* Nobody asks again for what a session has that is opened once. */
	if (!err && (f->counts || !session_opened(s)->once)) {
		struct span text = { buf_span(out).p + from, out->len - from };
		/* It is empty, or ends with a newline. */
		for (struct span rest = text; rest.n > 0; f->lines++)
			span_next_line(&rest);
		if (!outside || !f->to)
			remember(e, text.n, f->lines, &o);
	}
	if (!err) {
		/* The same at each rendering. */
		unsigned n = f->n < PICTURE_LIMIT ? f->n : PICTURE_LIMIT;
		__atomic_store_n(&e->pictures, (uint16_t)n, __ATOMIC_RELAXED);
		pictures_keep(s, e->offset, &f->list);
	}
	buf_free(&f->list);
	return err;
}

int content_add(const struct session *s, uint32_t entry, struct buf *out)
{
	struct found f = { 0 };
	return add(s, entry, out, &f);
}

int content_add_counted(const struct session *s, uint32_t entry,
			struct buf *out, uint32_t *lines)
{
	struct found f = { .counts = true };
	int err = add(s, entry, out, &f);
	*lines = (uint32_t)f.lines;
	return !err && f.lines >= LINES_UNKNOWN ? -EFBIG : err;
}

int content_add_blocks(const struct session *s, uint32_t entry, struct buf *out,
		       struct content_blocks *to)
{
	struct found f = { .to = to };
	return add(s, entry, out, &f);
}

bool content_knows_size(const struct session *s, uint32_t entry, uint64_t *size,
			uint32_t *lines)
{
	const struct entry *e = session_entry(s, entry);
	struct outside o;
	*size = __atomic_load_n(&e->content_size, __ATOMIC_RELAXED);
	*lines = __atomic_load_n(&e->content_lines, __ATOMIC_RELAXED);
	if (*size == SIZE_UNKNOWN || *lines == LINES_UNKNOWN)
		return false;
	/* Are they those of the files as they are now? */
	return !find_outside(s, entry, &o) ||
	       __atomic_load_n(o.seen, __ATOMIC_ACQUIRE) == o.version;
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
	struct buf text BUF_SCOPED = { 0 };
	int err = content_add(s, entry, &text);
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
	struct buf text BUF_SCOPED = { 0 };
	struct found f = { .wanted = n };
	err = add(s, entry, &text, &f);
	*p = f.picture;
	return !err && f.n < n ? -ENOENT : err;
}

int content_picture_name(const struct session *s, uint32_t entry, unsigned n,
			 struct buf *out)
{
	struct picture p;
	int err = find_picture(s, entry, n, &p);
	if (!err)
		add_picture_name(out, n, &p);
	return err ? err : buf_error(out);
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
	struct buf text BUF_SCOPED = { 0 };
	struct json data = { 0 };
	size_t from = out->len;
	int err = find_picture(s, entry, n, &p);
	if (!err)
		err = session_read_line(s, e->offset + p.at, p.length, &text,
					&data);
	if (!err && !json_is_string(data))
		err = -ESTALE;
	if (!err) {
		add_picture_bytes(s, out, data);
		err = buf_error(out);
	}
	/* The file has changed since the picture was measured. */
	if (!err && out->len - from != p.size) {
		pictures_forget(s);
		out->len = from;
		err = -ESTALE;
	}
	return err;
}
