#include "fs/edit/head.h"

#include <errno.h>
#include <stdio.h>

#include "core/session/writer.h"
#include "fs/kernel/fs.h"
#include "fs/kernel/notify.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"
#include "fs/tree/target.h"

/* How long what is unlinked in HEAD's folder stays away: for busybox ln. */
#define HIDDEN_SECONDS 1

int head_links_init(struct head_links *l)
{
	*l = (struct head_links){ 0 };
	return -pthread_mutex_init(&l->lock, NULL);
}

void head_links_free(struct head_links *l)
{
	for (size_t i = 0; i < STAGED_LINKS; i++)
		buf_free(&l->staged[i].target);
	pthread_mutex_destroy(&l->lock);
}

/* Before the lock is taken, by who is about to use it. */
static void use(struct head_links *l)
{
	__atomic_store_n(&l->used, true, __ATOMIC_SEQ_CST);
}

static bool is_used(const struct head_links *l)
{
	return __atomic_load_n(&l->used, __ATOMIC_SEQ_CST);
}

/* Under the lock. */
static struct staged_link *find(struct fs *fs, uint64_t dir, struct span name)
{
	for (size_t i = 0; i < STAGED_LINKS; i++) {
		struct staged_link *l = &fs->links.staged[i];
		if (l->dir == dir && span_eq(name, span_of(l->name)))
			return l;
	}
	return NULL;
}

static struct node staged_node(const struct fs *fs, const struct staged_link *l,
			       struct place *at)
{
	uint32_t slot = (uint32_t)(l - fs->links.staged);
	return (struct node){ KIND_STAGED, 0, slot + 1, at };
}

bool head_find_staged(struct fs *fs, const struct node *dir, struct span name,
		      struct node *n)
{
	if (!is_used(&fs->links))
		return false;
	pthread_mutex_lock(&fs->links.lock);
	struct staged_link *l = find(fs, ino_of(dir), name);
	if (l)
		*n = staged_node(fs, l, dir->place);
	pthread_mutex_unlock(&fs->links.lock);
	return l != NULL;
}

bool head_next_staged(struct fs *fs, const struct node *dir, uint32_t from,
		      struct node *n, struct buf *name)
{
	bool found = false;
	if (!is_used(&fs->links))
		return false;
	pthread_mutex_lock(&fs->links.lock);
	for (uint32_t i = from; i < STAGED_LINKS && !found; i++) {
		struct staged_link *l = &fs->links.staged[i];
		if (l->dir != ino_of(dir))
			continue;
		*n = staged_node(fs, l, dir->place);
		buf_adds(name, l->name);
		found = true;
	}
	pthread_mutex_unlock(&fs->links.lock);
	return found;
}

int head_staged_target(struct fs *fs, const struct node *n, struct buf *out)
{
	if (n->nth < 1 || n->nth > STAGED_LINKS)
		return -ESTALE;
	pthread_mutex_lock(&fs->links.lock);
	const struct staged_link *l = &fs->links.staged[n->nth - 1];
	bool there = l->dir != 0 && l->home == n->place->home;
	if (there)
		buf_add(out, buf_span(&l->target));
	pthread_mutex_unlock(&fs->links.lock);
	return there ? buf_error(out) : -ENOENT;
}

/* What plain ln -sf may find in the way in HEAD's folder. */
static bool can_hide(const struct node *n)
{
	return n->kind == KIND_CHILD_LINK || n->kind == KIND_PARENT_LINK ||
	       n->kind == KIND_CONTENT;
}

bool head_is_hidden(struct fs *fs, const struct node *n)
{
	const struct place *at = n->place;
	bool hidden = false;
	if (!is_used(&fs->links) || (n->kind != KIND_HEAD && !can_hide(n)))
		return false;
	pthread_mutex_lock(&fs->links.lock);
	if (n->kind == KIND_HEAD) {
		hidden = at->head_hidden;
	} else if (at->hidden == ino_of(n)) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		hidden = now.tv_sec - at->hidden_since.tv_sec <= HIDDEN_SECONDS;
	}
	pthread_mutex_unlock(&fs->links.lock);
	return hidden;
}

static void hide(struct fs *fs, const struct node *n)
{
	struct place *at = n->place;
	use(&fs->links);
	pthread_mutex_lock(&fs->links.lock);
	if (n->kind == KIND_HEAD) {
		at->head_hidden = true;
	} else {
		at->hidden = ino_of(n);
		clock_gettime(CLOCK_MONOTONIC, &at->hidden_since);
	}
	pthread_mutex_unlock(&fs->links.lock);
}

/* A move was made, or not: HEAD is there, wherever it points. */
static void unhide(struct fs *fs, struct place *at)
{
	pthread_mutex_lock(&fs->links.lock);
	bool hidden = at->head_hidden;
	at->head_hidden = false;
	at->hidden = 0;
	pthread_mutex_unlock(&fs->links.lock);
	if (hidden)
		notify_root(fs, at);
}

/* Under the lock. */
static void forget(struct staged_link *l)
{
	buf_free(&l->target);
	*l = (struct staged_link){ 0 };
}

static void forget_staged(struct fs *fs, const struct node *n)
{
	struct staged_link *l = &fs->links.staged[n->nth - 1];
	pthread_mutex_lock(&fs->links.lock);
	if (l->home == n->place->home)
		forget(l);
	pthread_mutex_unlock(&fs->links.lock);
}

/* Remember a link in a free slot, or in place of the oldest. */
static int stage(struct fs *fs, const struct node *dir, struct span name,
		 const char *target, struct node *made)
{
	struct buf text = { 0 };
	buf_adds(&text, target);
	if (buf_error(&text)) {
		buf_free(&text);
		return -ENOMEM;
	}
	if (name.n >= sizeof(fs->links.staged[0].name)) {
		buf_free(&text);
		return -ENAMETOOLONG;
	}
	use(&fs->links);
	pthread_mutex_lock(&fs->links.lock);
	struct staged_link *slot = &fs->links.staged[0];
	for (size_t i = 0; i < STAGED_LINKS; i++) {
		struct staged_link *l = &fs->links.staged[i];
		if (l->dir == 0 || l->age < slot->age)
			slot = l;
		if (slot->dir == 0)
			break;
	}
	forget(slot);
	*slot = (struct staged_link){ .dir = ino_of(dir),
				      .home = dir->place->home,
				      .age = ++fs->links.clock,
				      .target = text };
	memcpy(slot->name, name.p, name.n);
	*made = staged_node(fs, slot, dir->place);
	pthread_mutex_unlock(&fs->links.lock);
	return 0;
}

/*
 * Make what the target names the leaf. `via` is the number of the folder that
 * HEAD must still point to, or of the root.
 */
static int move(struct fs *fs, struct place *at, uint64_t via,
		const char *target)
{
	struct writer w;
	struct node dir;
	uint32_t entry;
	int err = place_begin_write(at, &w);
	if (err)
		return err;
	err = tree_node(at, via, &dir);
	if (!err && dir.kind != KIND_ROOT && !node_is_head_folder(&dir))
		err = -EPERM;
	if (!err)
		err = target_resolve(&fs->tree, at, span_of(target), &entry);
	if (!err)
		err = writer_set_head(&w, entry);
	writer_end(&w);
	unhide(fs, at);
	return err;
}

/* Enter, find the folder and see that links may be made there. */
static int enter_dir(struct fs *fs, uint64_t ino, struct node *dir)
{
	int err = fs_enter(fs, ino, dir);
	if (err)
		return err;
	if (dir->kind == KIND_FOLDER)
		err = fs->tree.places->how.read_only ? -EROFS : -EPERM;
	else
		err = session_writable(dir->place->session);
	if (!err && dir->kind != KIND_ROOT && !node_is_head_folder(dir))
		err = -EPERM;
	if (err)
		tree_leave(dir);
	return err;
}

int head_symlink(struct fs *fs, struct place *at, uint64_t ino,
		 const char *name, const char *target, struct node *made)
{
	struct node dir;
	struct node there;
	uint32_t entry;
	struct span wanted = span_of(name);
	int err = enter_dir(fs, ino, &dir);
	if (err)
		return err;
	if (dir_lookup(&fs->tree, &dir, wanted, &there) == 0)
		err = -EEXIST;
	bool is_move =
		dir.kind == KIND_ROOT
			? span_eq(wanted, SPAN("HEAD"))
			: span_eq(wanted, span_last_part(span_of(target)));
	/* A link can only be meant for HEAD: no other is made. */
	if (!err && !is_move)
		err = target_resolve(&fs->tree, at, span_of(target), &entry);
	if (!err && !is_move)
		err = stage(fs, &dir, wanted, target, made);
	tree_leave(&dir);
	if (err || !is_move)
		return err;
	*made = (struct node){ .kind = KIND_HEAD, .place = at };
	return move(fs, at, ino, target);
}

int head_unlink(struct fs *fs, uint64_t ino, const char *name)
{
	struct node dir;
	struct node n;
	int err = enter_dir(fs, ino, &dir);
	if (err)
		return err;
	err = dir_lookup(&fs->tree, &dir, span_of(name), &n);
	if (!err && n.kind == KIND_STAGED) {
		forget_staged(fs, &n);
	} else if (!err && (n.kind == KIND_HEAD || can_hide(&n))) {
		hide(fs, &n);
	} else if (!err) {
		err = -EPERM;
	}
	tree_leave(&dir);
	return err;
}

/* Give a staged link its new name; what had that name is replaced. */
static int rename_staged(struct fs *fs, const struct node *dir,
			 struct span name, struct span newname)
{
	int err = 0;
	pthread_mutex_lock(&fs->links.lock);
	struct staged_link *l = find(fs, ino_of(dir), name);
	struct staged_link *old = find(fs, ino_of(dir), newname);
	if (!l)
		err = -ENOENT;
	else if (newname.n >= sizeof(l->name))
		err = -ENAMETOOLONG;
	if (!err && old && old != l)
		forget(old);
	if (!err) {
		memcpy(l->name, newname.p, newname.n);
		l->name[newname.n] = '\0';
	}
	pthread_mutex_unlock(&fs->links.lock);
	return err;
}

/* A staged link's target, as a C string. */
static int read_staged(struct fs *fs, const struct node *n, struct buf *target)
{
	int err = head_staged_target(fs, n, target);
	if (!err && !buf_cstr(target))
		err = -ENOMEM;
	return err;
}

/* Does the new name make the link the move that it was staged for? */
static bool is_move_to(struct fs *fs, const struct node *dir,
		       struct span newname, const char *target)
{
	struct node there;
	if (dir->kind == KIND_ROOT)
		return span_eq(newname, SPAN("HEAD"));
	return span_eq(newname, span_last_part(span_of(target))) ||
	       (dir_lookup(&fs->tree, dir, newname, &there) == 0 &&
		there.kind != KIND_STAGED);
}

/* What a rename in a folder is: *is_move, or done, or refused. */
static int rename_in(struct fs *fs, const struct node *dir, const char *name,
		     const char *newname, unsigned flags, struct buf *target,
		     struct node *staged, bool *is_move)
{
	struct node there;
	struct span to = span_of(newname);
	int err = dir_lookup(&fs->tree, dir, span_of(name), staged);
	if (err)
		return err;
	if (staged->kind != KIND_STAGED)
		return -EPERM;
	if (flags & ~(unsigned)RENAME_NOREPLACE)
		return -EINVAL;
	bool taken = dir_lookup(&fs->tree, dir, to, &there) == 0;
	if (taken && flags & RENAME_NOREPLACE)
		return -EEXIST;
	err = read_staged(fs, staged, target);
	if (err)
		return err;
	*is_move = is_move_to(fs, dir, to, target->data);
	if (*is_move)
		return 0;
	if (taken && there.kind != KIND_STAGED)
		return -EPERM;
	return rename_staged(fs, dir, span_of(name), to);
}

int head_rename(struct fs *fs, uint64_t ino, const char *name, uint64_t newdir,
		const char *newname, unsigned flags)
{
	struct node dir;
	struct node n;
	struct buf target = { 0 };
	bool is_move = false;
	int err = enter_dir(fs, ino, &dir);
	if (err)
		return err;
	/* Left before the move, but in its place still. */
	struct place *at = place_get(fs->tree.places, ino_place(ino));
	if (!at)
		err = -ESTALE;
	else if (newdir != ino)
		err = -EPERM;
	else
		err = rename_in(fs, &dir, name, newname, flags, &target, &n,
				&is_move);
	tree_leave(&dir);
	if (!err && is_move) {
		err = move(fs, at, ino, target.data);
		if (!err)
			forget_staged(fs, &n);
	}
	if (at)
		place_put(at);
	buf_free(&target);
	return err;
}
