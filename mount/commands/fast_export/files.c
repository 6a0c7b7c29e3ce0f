#include "mount/commands/fast_export/fast_export.h"

#include <errno.h>

#include "core/files/files_at.h"
#include "core/session/file_name.h"
#include "core/show/touch_path.h"
#include "core/show/touches.h"

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
	part = span_from(part, dotted || gits);
	size_t n = file_name_make(name, part, FILE_NAME_ALONE);
	for (size_t i = 0; i < n; i++) {
		if (name[i] == '\\')
			buf_adds(out, "%5C");
		else
			buf_addc(out, name[i]);
	}
}

/* Append the path in a commit of a path as touch_path.h has it. */
static void add_path(struct buf *out, struct span path)
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

static int add_change(const struct session *s, const struct file_at *f,
		      struct span path, struct buf *out)
{
	bool known = f->state == FILE_IS_KNOWN;
	int err = 0;
	buf_adds(out, !known	      ? "D "
		      : f->executable ? "M 100755 inline "
				      : "M 100644 inline ");
	add_path(out, path);
	buf_addc(out, '\n');
	if (!known)
		return buf_error(out);
	size_t data = stream_begin_data(out);
	err = files_at_add_text(s, f, out);
	stream_end_data(out, data);
	return err ? err : buf_error(out);
}

int files_add(const struct session *s, uint32_t entry, struct buf *out)
{
	struct buf path BUF_SCOPED = BUF_INTO(out);
	struct file_at f;
	int err = 0;
	for (uint32_t nth = 0; !err; nth++) {
		err = files_at_file(s, entry, nth, &f);
		buf_clear(&path);
		if (!err)
			err = touches_add_path(s, f.folder, &path);
		/* Most that is not known was not known before, either. */
		if (!err && f.state != FILE_IS_PENDING &&
		    f.state != FILE_IS_NAMED)
			err = add_change(s, &f, buf_span(&path), out);
	}
	return err == -ENOENT ? 0 : err;
}

/* The digits of a size that is not known yet: git skips zeros. */
#define SIZE_DIGITS 12

size_t stream_begin_data(struct buf *out)
{
	buf_adds(out, "data ");
	buf_fill(out, '0', SIZE_DIGITS);
	buf_addc(out, '\n');
	return out->len;
}

void stream_end_data(struct buf *out, size_t from)
{
	size_t size = out->len - from;
	if (out->failed)
		return;
	for (char *digit = out->data + from - 1; size > 0; size /= 10)
		*--digit = (char)('0' + size % 10);
	buf_addc(out, '\n');
}
