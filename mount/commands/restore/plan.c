#include "mount/commands/restore/restore.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/file/regular.h"
#include "core/files/edits.h"
#include "core/show/touch_path.h"
#include "core/show/touches.h"
#include "mount/cli/status.h"
#include "mount/operands/entries.h"

int plan_read(const char *path, struct stat *st, struct buf *bytes)
{
	int err = regular_read(NULL, path, INT64_MAX, st, bytes);
	return err == -ENOENT ? 0 : err ? err : 1;
}

/* -- which files */

/* All below the root are wanted, if none is named. */
static int is_wanted(const struct plan *p, uint32_t folder, struct span file)
{
	int wanted = p->n_paths == 0 && touch_path_split(&file) == TOUCH_BELOW;
	for (size_t i = 0; wanted >= 0 && i < p->n_paths; i++) {
		const struct touched_path named = { p->paths[i], p->here };
		int got = touched_has(&named, p->s, folder);
		p->named[i] = p->named[i] || got > 0;
		wanted = got < 0 ? got : wanted || got > 0;
	}
	return wanted;
}

/* Can files on a disk be called so? */
static bool can_be(struct span parts)
{
	bool can = parts.n > 0 && !memchr(parts.p, '\0', parts.n) &&
		   !span_starts(parts, SPAN(".."));
	while (can && parts.n > 0)
		can = span_next(&parts, '/').n <= NAME_MAX;
	return can;
}

/* Append where a file is on the disk; nothing if it is nowhere there. */
static void add_place(const struct plan *p, struct span file, struct buf *out)
{
	struct span parts = file;
	enum touch_root root = touch_path_split(&parts);
	const char *home = getenv("HOME");
	if (!can_be(parts) || (root == TOUCH_HOME && (!home || *home != '/')))
		return;
	if (root != TOUCH_OUTSIDE)
		buf_adds(out, root == TOUCH_BELOW ? p->root : home);
	buf_addc(out, '/');
	buf_add(out, parts);
	text_finish(out, 0);
}

/* -- what to do with one */

/*
 * Has the session a text of the file on the disk as agents show it
 * (edits_add_shown())? That is the file if nothing was lost, or if it is to be
 * removed. The new text gets the ends of lines that are there.
 */
static int fit_to_disk(const struct plan *p, struct change *c, uint32_t folder)
{
	struct buf made = { 0 };
	struct buf shown BUF_SCOPED = BUF_INTO(&made);
	struct buf again BUF_SCOPED = BUF_INTO(&made);
	struct span old = buf_span(&c->old);
	edits_add_shown(&shown, old);
	edits_add_like(&again, old, buf_span(&shown));
	bool whole = c->removes || span_eq(buf_span(&again), old);
	int has = whole ? files_at_has_text(p->s, folder, buf_span(&shown)) : 0;
	if (span_eq(buf_span(&shown), buf_span(&c->new)))
		buf_add(&made, old);
	else if (has > 0)
		edits_add_like(&made, old, buf_span(&c->new));
	else
		buf_add(&made, buf_span(&c->new));
	buf_free(&c->new);
	c->new = made;
	return made.failed ? -ENOMEM : has;
}

/* Say something of a file, as it is listed. */
static void tell(const struct change *c, const char *what, const char *remedy)
{
	struct buf name BUF_SCOPED = { 0 };
	buf_add(&name, buf_span(&c->name));
	const char *text = buf_cstr(&name);
	(void)status_failf(text ? text : c->path, "%s (%s)", what, remedy);
}

static int take(struct plan *p, const struct change *c)
{
	return array_add(&p->list, &p->cap, &p->n, *c);
}

/* What the user has for new files. */
static mode_t new_mode(bool executable)
{
	mode_t mask = umask(0);
	umask(mask);
	return (executable ? 0777 : 0666) & ~mask;
}

/* Something else is where the file was: that is not touched. */
static int stop_at(struct plan *p, struct change *c, int err)
{
	const char *what =
		err == -ELOOP || err == -ENOTDIR
			? "is a symlink, or behind one, or below a file"
		: err == -EISDIR ? "is a folder"
		: err == -EINVAL ? "is no regular file"
				 : strerror(-err);
	/* Of a file that was made later nothing is there any more. */
	if (p->force || (c->removes && err == -EISDIR)) {
		tell(c, what, "it is left so");
		change_free(c);
		return 0;
	}
	p->refused = c->refused = true;
	tell(c, what, "--force leaves it so; or name the other files");
	buf_free(&c->new);
	return take(p, c);
}

/* Takes the change if there is anything to do. */
static int consider(struct plan *p, const struct file_at *f, struct change *c)
{
	c->removes = f->state == FILE_IS_DELETED;
	c->mode = new_mode(f->executable);
	int err = c->removes ? 0 : files_at_add_text(p->s, f, &c->new);
	int got = err ? err : plan_read(c->path, &c->st, &c->old);
	/* Nothing is below a file. */
	if (got == -ENOTDIR && c->removes && lstat(c->path, &c->st) < 0 &&
	    errno == ENOTDIR)
		got = 0;
	if (got < 0)
		return err ? err : stop_at(p, c, got);
	c->exists = got > 0;
	int has = c->exists ? files_at_has_text(p->s, f->folder,
						buf_span(&c->old))
			    : 1;
	if (has == 0)
		has = fit_to_disk(p, c, f->folder);
	if (has < 0)
		return has;
	/* In the project, where files are missing that shells have removed. */
	if (p->here && p->n_paths == 0 && f->shell && !c->removes &&
	    !c->exists) {
		(void)status_fail(c->path,
				  "is left away: a shell that ran later may "
				  "have removed it (name it to have it back)");
		change_free(c);
		return 0;
	}
	bool same = c->removes ? !c->exists
			       : c->exists && span_eq(buf_span(&c->old),
						      buf_span(&c->new));
	if (same) {
		change_free(c);
		return 0;
	}
	/* A file that nobody has changed since is in the session. */
	if (has == 0 && c->exists && !p->force) {
		p->refused = c->refused = true;
		tell(c, "is not as the session knew it",
		     "--force replaces it, and keeps a copy; or name the other "
		     "files");
	}
	return take(p, c);
}

/* A file that was named, or that later calls changed, and of which nobody knows
   what it was. */
static void tell_left(const struct plan *p, const struct file_at *f,
		      const char *path)
{
	struct file_at later;
	int err = files_at_last(p->s, session_at_leaf(p->s), f->folder, &later);
	bool changed =
		!err && (later.entry != f->entry || later.nth != f->nth) &&
		later.state != FILE_IS_NAMED &&
		later.state != FILE_IS_PENDING &&
		later.state != FILE_IS_FAILED && later.state != FILE_IS_PART;
	if (!changed && p->n_paths == 0)
		return;
	(void)status_failf(path, "is left as it is: %s",
			   f->state == FILE_IS_UNTOUCHED
				   ? "what it was is not known"
				   : file_state_name(f->state));
}

/* What a file was, as all branches tell: HEAD's first. */
static int find_before(const struct plan *p, uint32_t folder, struct file_at *f)
{
	const struct session *s = p->s;
	struct file_at other;
	int err = files_at_before(s, p->entry, session_at_leaf(s), folder, f);
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		if (!err &&
		    (f->state == FILE_IS_KNOWN || f->state == FILE_IS_DELETED))
			break;
		if ((err && err != -ENOENT) ||
		    !bookkeeping_is_tip(&s->now.index, i))
			continue;
		int got = files_at_before(s, p->entry, i, folder, &other);
		if (got == 0) {
			*f = other;
			err = 0;
		} else if (got != -ENOENT) {
			return got;
		}
	}
	return err;
}

static int add_file(struct plan *p, uint32_t folder)
{
	struct buf file BUF_SCOPED = { 0 };
	struct change c = { 0 };
	struct buf place BUF_SCOPED = { 0 };
	struct file_at f;
	int err = touches_add_path(p->s, folder, &file);
	int wanted = err ? err : is_wanted(p, folder, buf_span(&file));
	err = wanted > 0 ? find_before(p, folder, &f) : -ENOENT;
	if (!err)
		add_place(p, buf_span(&file), &place);
	const char *path = buf_cstr(&place);
	if (!err && (!path || file.failed))
		err = -ENOMEM;
	if (!err && place.len > 0 &&
	    (f.state == FILE_IS_KNOWN || f.state == FILE_IS_DELETED)) {
		c.path = strdup(path);
		err = c.path ? touches_add_line(p->s, folder, &c.name)
			     : -ENOMEM;
		if (!err)
			err = consider(p, &f, &c);
		if (err)
			change_free(&c);
	} else if (!err && place.len > 0) {
		tell_left(p, &f, path);
	}
	return wanted < 0 ? wanted : err;
}

/* All branches are asked, so that each text that the session has is known. */
static int ask_tips(const struct session *s)
{
	struct file_at f;
	int err = 0;
	for (uint32_t i = 0; !err && i < s->now.index.n; i++) {
		if (bookkeeping_is_tip(&s->now.index, i))
			err = files_at_last(s, i, TOUCH_ROOT, &f);
		err = err == -ENOENT ? 0 : err;
	}
	return err;
}

int plan_make(struct plan *p)
{
	struct touch_folder f;
	p->named = calloc(p->n_paths + 1, sizeof(*p->named));
	int err = p->named ? ask_tips(p->s) : -ENOMEM;
	for (uint32_t folder = 0; !err; folder++) {
		err = touches_folder(p->s, folder, &f);
		if (err)
			break;
		err = add_file(p, folder);
		if (err == -ENOENT)
			err = 0;
	}
	if (err != -ENOENT)
		return status_unread(p->root, err);
	int status = STATUS_OK;
	for (size_t i = 0; i < p->n_paths; i++) {
		if (!p->named[i])
			status =
				status_fail(p->paths[i], "no entry touched it");
	}
	return status;
}

void change_free(struct change *c)
{
	free(c->path);
	buf_free(&c->name);
	buf_free(&c->old);
	buf_free(&c->new);
}

void plan_free(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		change_free(&p->list[i]);
	free(p->list);
	free(p->here);
	free(p->named);
}
