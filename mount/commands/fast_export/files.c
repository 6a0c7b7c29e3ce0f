#include "mount/commands/fast_export/files.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/session/block.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "core/show/call_files.h"
#include "core/show/rows.h"
#include "core/show/touch_path.h"
#include "core/show/touches.h"
#include "mount/commands/fast_export/stream.h"

/* The calls of an entry. */
struct calls_of {
	const struct session *s;
	uint32_t entry;
	uint32_t nth; /* touch of the entry */
	struct buf *out;
};

/*
 * Is a part of a path special to git, or would be one day? "git~1" is ".git" on
 * some systems.
 */
static bool is_gits(struct span part)
{
	struct span start = { part.p, part.n < 4 ? part.n : 4 };
	return span_eq_any_case(start, SPAN(".git")) ||
	       span_eq_any_case(part, SPAN("git~1"));
}

static void add_part(struct buf *out, struct span part)
{
	char name[FILE_NAME_LIMIT];
	bool dotted = part.n > 1 && part.p[0] == '.' && !is_gits(part);
	bool gits = part.n > 0 && part.p[0] != '.' && is_gits(part);
	if (dotted)
		buf_addc(out, '.');
	if (gits)
		buf_addf(out, "%%%02X", (unsigned char)part.p[0]);
	part.p += dotted || gits;
	part.n -= dotted || gits;
	size_t n = file_name_make(name, part, FILE_NAME_ALONE);
	for (size_t i = 0; i < n; i++) {
		if (name[i] == '\\')
			buf_adds(out, "%5C");
		else
			buf_addc(out, name[i]);
	}
}

void files_add_path(struct buf *out, struct span path)
{
	enum touch_root root = touch_path_split(&path);
	buf_adds(out, "files");
	if (root != TOUCH_BELOW)
		buf_adds(out, "/@");
	if (root == TOUCH_HOME)
		buf_adds(out, "/~");
	while (path.n > 0) {
		struct span part = span_next(&path, '/');
		buf_addc(out, '/');
		if (root == TOUCH_BELOW && (span_eq(part, SPAN("@"))))
			buf_adds(out, "%40");
		else
			add_part(out, part);
		root = TOUCH_OUTSIDE;
	}
}

/* The lines that a patch adds; false if it does anything else. */
static bool add_new_lines(struct buf *out, struct span body)
{
	bool whole = body.n > 0;
	while (body.n > 0 && whole) {
		struct span line = span_next_line(&body);
		whole = line.n > 0 && line.p[0] == '+';
		buf_add(out, (struct span){ line.p + 1, line.n - whole });
		buf_addc(out, '\n');
	}
	return whole;
}

/* Append the file as a whole; false, with anything appended, if it is unknown.
 */
static bool add_whole(const struct calls_of *c, const struct call_file *f)
{
	struct json content = json_get(f->arguments, "content");
	size_t from = c->out->len;
	if (f->act != FILE_WRITE)
		return false;
	if (f->body.n > 0)
		return add_new_lines(c->out, f->body);
	json_decode(c->out, content);
	text_finish(c->out, from);
	return json_type(content) == JSON_STRING;
}

static void add_change(const struct calls_of *c, const struct call_file *f,
		       struct span path)
{
	size_t from = c->out->len;
	buf_adds(c->out, "M 100644 inline ");
	files_add_path(c->out, path);
	buf_addc(c->out, '\n');
	size_t data = stream_begin_data(c->out);
	bool whole = add_whole(c, f);
	stream_end_data(c->out, data);
	if (whole || c->out->failed)
		return;
	c->out->len = from;
	buf_adds(c->out, "D ");
	files_add_path(c->out, path);
	buf_addc(c->out, '\n');
}

/* As core/show/touching.h has added them: what names no file is no touch. */
static int add_file(void *data, const struct call_file *f)
{
	struct calls_of *c = data;
	struct touch t;
	struct buf path = { 0 };
	int got = touches_spell(c->s, (struct span){ 0 }, f->path, &path);
	int err = got < 0 ? got : 0;
	if (got > 0)
		err = touches_of_entry(c->s, c->entry, c->nth++, &t);
	if (got > 0 && !err && t.act >= FILE_WRITE && !t.failed) {
		buf_clear(&path);
		err = touches_add_path(c->s, t.folder, &path);
		if (!err)
			add_change(c, f, buf_span(&path));
	}
	buf_free_into(&path, c->out);
	return err;
}

int files_add(const struct session *s, uint32_t entry, struct json json,
	      struct buf *out)
{
	struct calls_of c = { .s = s, .entry = entry, .out = out };
	int err = call_files_of_line(s->dialect, json, add_file, &c);
	return err == -ENOENT ? 0 : err;
}
