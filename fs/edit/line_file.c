#include "fs/edit/line_file.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/writer.h"

bool line_file_is_valid(struct span text)
{
	if (text.n > LINE_FILE_MAX || !text_is_utf8(text))
		return false;
	while (text.n > 0) {
		size_t len;
		uint32_t cp = text_code_point(text, &len);
		if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0))
			return false;
		text = span_from(text, len);
	}
	return true;
}

/*
 * Find a file and begin a write of its session, whose place is pinned until
 * end(). On failure there is nothing to end; -EBUSY if another process has the
 * lock, and the caller does not wait for it.
 */
static int begin(struct edit *e, uint64_t ino, bool waits, struct writer *w,
		 struct node *n)
{
	/* A write needs a session that was entered once. */
	int err = tree_enter(e->tree, ino, n);
	if (err)
		return err;
	struct place *at = n->place;
	if (n->kind != KIND_LABEL && n->kind != KIND_NAME) {
		tree_leave(n);
		return -EPERM;
	}
	place_leave(at);
	err = waits ? writer_begin(w, at->session)
		    : writer_try_begin(w, at->session);
	if (!err) {
		err = tree_node(at, ino, n);
		if (err)
			writer_end(w);
	}
	if (err)
		place_put(at);
	return err;
}

static void end(struct writer *w, const struct node *n)
{
	writer_end(w);
	place_put(n->place);
}

static int set_line(struct writer *w, const struct node *n, struct span line)
{
	return n->kind == KIND_NAME ? writer_set_name(w, line)
				    : writer_set_label(w, n->entry, line);
}

/* Set the line that the file's bytes make. */
static int set_file(struct writer *w, const struct node *n, struct buf *file)
{
	if (buf_error(file))
		return -ENOMEM;
	struct span text = buf_span(file);
	if (text.n > 0 && text.p[text.n - 1] == '\n')
		text.n--;
	return line_file_is_valid(text) ? set_line(w, n, text) : -EINVAL;
}

/*
 * Apply a pending truncation, unless a write has replaced it, or somebody else
 * has set another line. The lock on the session file orders threads that do
 * this at once: the second one finds it applied.
 */
static void apply(struct edit *e, uint64_t ino, bool waits)
{
	struct writer w;
	struct node n;
	const struct span none = { "", 0 };
	int err = begin(e, ino, waits, &w, &n);
	if (err == -EBUSY && !waits) {
		struct line_edit *edit = line_edits_lock(&e->lines, ino);
		if (edit)
			edit->due = timestamp_monotonic() + LINE_FILE_DEFER_MS;
		line_edits_unlock(&e->lines, edit);
		return;
	}
	if (!err) {
		struct line_edit *edit = line_edits_lock(&e->lines, ino);
		bool is_wanted = edit && edit->pending &&
				 line_edit_has(edit, node_line(w.session, &n));
		line_edits_unlock(&e->lines, edit);
		if (is_wanted)
			err = set_line(&w, &n, none);
		if (is_wanted && !err && tree_node(n.place, ino, &n) == 0)
			line_edits_set(&e->lines, ino, node_line(w.session, &n),
				       none);
		line_edits_undefer(&e->lines, ino);
		end(&w, &n);
	}
	if (err) {
		line_edits_undefer(&e->lines, ino);
		line_edits_forget(&e->lines, ino);
		e->listener.restored(e->listener.data, ino);
	}
}

void line_file_apply(struct edit *e, uint32_t home, int64_t by, bool waits)
{
	uint64_t inos[LINE_EDITS];
	size_t n = line_edits_list_due(&e->lines, home, by, inos);
	for (size_t i = 0; i < n; i++)
		apply(e, inos[i], waits);
}

/* Cut the file at an offset and append data there. */
static int change(struct edit *e, uint64_t ino, uint64_t offset,
		  struct span data, bool truncate)
{
	struct writer w;
	struct node n;
	struct buf file BUF_SCOPED = { 0 };
	int err = begin(e, ino, true, &w, &n);
	if (err) {
		/* The line from before a refused write stays. */
		line_edits_undefer(&e->lines, ino);
		line_edits_forget(&e->lines, ino);
		return err;
	}
	const struct session *s = w.session;
	/* The write replaces a pending truncation. */
	bool truncated = line_edits_undefer(&e->lines, ino);
	struct span line = node_line(s, &n);
	/* The file's bytes now: the line and a newline, or none. */
	if (!truncated &&
	    (truncate || !line_edits_get_bytes(&e->lines, ino, line, &file))) {
		buf_add(&file, line);
		buf_adds(&file, line.n > 0 ? "\n" : "");
	}
	line_edits_begin(&e->lines, ino, truncate, line, buf_span(&file));
	if (offset > file.len || data.n > LINE_FILE_MAX + 1) {
		err = -EINVAL;
	} else {
		file.len = offset;
		buf_add(&file, data);
		err = set_file(&w, &n, &file);
	}
	struct buf before BUF_SCOPED = { 0 };
	if (err && err != -EINVAL)
		line_edits_forget(&e->lines, ino);
	/* It was refused: undo the writes of the same edit before it. */
	else if (err &&
		 line_edits_undo(&e->lines, ino, node_line(s, &n), &before))
		set_line(&w, &n, buf_span(&before));
	/* The session may have been replaced while it was written. */
	else if (!err && tree_node(n.place, ino, &n) == 0)
		line_edits_set(&e->lines, ino, node_line(s, &n),
			       buf_span(&file));
	end(&w, &n);
	return err;
}

/*
 * Defer the truncation of a file by open(2). Fails where applying it now would
 * fail.
 */
static int defer(struct edit *e, uint64_t ino)
{
	struct writer w;
	struct node n;
	int err = begin(e, ino, true, &w, &n);
	if (err)
		return err;
	struct span line = node_line(w.session, &n);
	/* What can't be written now might fail later, when nobody is told. */
	if (line.n > 0 && w.busy.reason) {
		end(&w, &n);
		return change(e, ino, 0, (struct span){ "", 0 }, true);
	}
	if (line.n > 0 && n.kind == KIND_NAME)
		err = writer_reenter_refused(w.session,
					     writer_can_set_name(w.session));
	if (!err)
		line_edits_begin(&e->lines, ino, true, line,
				 (struct span){ "", 0 });
	if (!err && line.n > 0 &&
	    !line_edits_defer(&e->lines, ino, n.place->home,
			      LINE_FILE_DEFER_MS))
		err = set_line(&w, &n, (struct span){ "", 0 });
	end(&w, &n);
	e->listener.deferred(e->listener.data);
	return err;
}

int line_file_truncate(struct edit *e, uint64_t ino, uint64_t size, bool opens)
{
	if (opens && size == 0 && e->may_defer)
		return defer(e, ino);
	return change(e, ino, size, (struct span){ "", 0 }, true);
}

int line_file_write(struct edit *e, uint64_t ino, uint64_t offset,
		    struct span data)
{
	return change(e, ino, offset, data, false);
}
