#include "fs/edit/head.h"

#include <errno.h>
#include <stdio.h>

#include "core/session/writer.h"
#include "fs/tree/dir.h"
#include "fs/tree/head_target.h"

/*
 * Move HEAD to the entry that the target names. `via` is the inode number of
 * the root, or of the folder that HEAD must still point to.
 */
static int move_head(struct edit *e, struct place *at, uint64_t via,
		     const char *target)
{
	struct writer w;
	struct node dir;
	struct buf was BUF_SCOPED = { 0 };
	struct buf is BUF_SCOPED = { 0 };
	uint32_t entry;
	int err = writer_begin(&w, at->session);
	if (err)
		return err;
	target_add_head(at->session, &was);
	err = tree_node(at, via, &dir);
	if (!err && dir.kind != KIND_ROOT && !node_is_head_folder(&dir))
		err = -EPERM;
	if (!err)
		err = target_resolve(e->tree, at, span_of(target), &entry);
	if (!err)
		err = writer_set_head(&w, entry);
	if (!err)
		target_add_head(at->session, &is);
	writer_end(&w);
	if (!err && !span_eq(buf_span(&was), buf_span(&is)) && e->head_moved &&
	    buf_cstr(&was))
		e->head_moved(at->path, was.data);
	/* Even if it failed: HEAD exists, wherever it points. */
	if (staged_unhide(&e->staged, at))
		e->listener.root_changed(e->listener.data, at);
	return err;
}

/* Enter a folder in which links may be made. Not entered on failure. */
static int enter_dir(struct edit *e, uint64_t ino, struct node *dir)
{
	int err = edit_enter(e, ino, dir);
	if (err)
		return err;
	err = node_writable(dir);
	if (!err && dir->kind != KIND_ROOT && !node_is_head_folder(dir))
		err = -EPERM;
	if (err)
		tree_leave(dir);
	return err;
}

/*
 * Find a file by name. Its place is put back at once: unless that is the
 * folder's, only the kind of the node is of use.
 */
static int look_up(struct edit *e, const struct node *dir, struct span name,
		   struct node *n)
{
	int err = dir_lookup(e->tree, dir, name, n);
	if (!err)
		dir_put(dir, n);
	return err;
}

int head_symlink(struct edit *e, uint64_t ino, const char *name,
		 const char *target, struct node *made)
{
	struct node dir;
	struct node there;
	uint32_t entry;
	struct span wanted = span_of(name);
	int err = enter_dir(e, ino, &dir);
	if (err)
		return err;
	struct place *at = dir.place;
	if (look_up(e, &dir, wanted, &there) == 0)
		err = -EEXIST;
	bool is_move =
		dir.kind == KIND_ROOT
			? span_eq(wanted, SPAN("HEAD"))
			: span_eq(wanted, span_last_part(span_of(target)));
	/* Its target must be one for HEAD: no other links can be made. */
	if (!err && !is_move)
		err = target_resolve(e->tree, at, span_of(target), &entry);
	if (!err && !is_move)
		err = staged_add(&e->staged, &dir, wanted, target, made);
	place_leave(at);
	if (!err && is_move) {
		*made = (struct node){ .kind = KIND_HEAD, .place = at };
		err = move_head(e, at, ino, target);
	}
	if (err)
		place_put(at);
	return err;
}

int head_unlink(struct edit *e, uint64_t ino, const char *name)
{
	struct node dir;
	struct node n;
	int err = enter_dir(e, ino, &dir);
	if (err)
		return err;
	err = look_up(e, &dir, span_of(name), &n);
	if (!err && n.kind == KIND_STAGED) {
		staged_remove(&e->staged, &n);
	} else if (!err && staged_can_hide(n.kind)) {
		staged_hide(&e->staged, &n);
	} else if (!err) {
		err = -EPERM;
	}
	tree_leave(&dir);
	return err;
}

/* Rename a staged link, unless the new name moves HEAD: then set *is_move. */
static int rename_in(struct edit *e, const struct node *dir, const char *name,
		     const char *newname, unsigned flags, struct buf *target,
		     struct node *staged, bool *is_move)
{
	struct node there;
	struct span to = span_of(newname);
	int err = look_up(e, dir, span_of(name), staged);
	if (err)
		return err;
	if (staged->kind != KIND_STAGED)
		return -EPERM;
	if (flags & ~(unsigned)RENAME_NOREPLACE)
		return -EINVAL;
	bool taken = look_up(e, dir, to, &there) == 0;
	if (taken && flags & RENAME_NOREPLACE)
		return -EEXIST;
	err = staged_target(&e->staged, staged, target);
	if (!err && !buf_cstr(target))
		err = -ENOMEM;
	if (err)
		return err;
	bool replaces = taken && there.kind != KIND_STAGED;
	if (dir->kind == KIND_ROOT)
		*is_move = span_eq(to, SPAN("HEAD"));
	else
		*is_move = replaces ||
			   span_eq(to, span_last_part(buf_span(target)));
	if (*is_move)
		return 0;
	if (replaces)
		return -EPERM;
	return staged_rename(&e->staged, dir, span_of(name), to);
}

int head_rename(struct edit *e, uint64_t ino, const char *name, uint64_t newdir,
		const char *newname, unsigned flags)
{
	struct node dir;
	struct node n;
	struct buf target BUF_SCOPED = { 0 };
	bool is_move = false;
	int err = enter_dir(e, ino, &dir);
	if (err)
		return err;
	err = newdir != ino ? -EPERM
			    : rename_in(e, &dir, name, newname, flags, &target,
					&n, &is_move);
	/* It stays pinned when the session is left for the move. */
	struct place *at = dir.place;
	place_leave(at);
	if (!err && is_move) {
		err = move_head(e, at, ino, target.data);
		if (!err)
			staged_remove(&e->staged, &n);
	}
	place_put(at);
	return err;
}
