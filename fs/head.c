#include "fs/head.h"

#include <errno.h>
#include <stdio.h>

#include "core/target.h"
#include "core/write.h"
#include "fs/dir.h"
#include "fs/fs.h"

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

bool head_is_folder(const struct session *s, const struct node *dir)
{
	uint32_t head = session_head(s);
	if (head == INDEX_NONE)
		return dir->kind == KIND_TREE;
	return dir->kind == KIND_ID_ENTRY && dir->entry == head;
}

static bool same_dir(const struct fs *fs, const struct staged_link *l,
		     const struct node *dir)
{
	return l->dir.kind == dir->kind && l->dir.entry == dir->entry &&
	       (dir->kind == KIND_ROOT || l->epoch == fs->session->epoch);
}

/* Under the lock. */
static struct staged_link *find(struct fs *fs, const struct node *dir,
				struct span name)
{
	for (size_t i = 0; i < STAGED_LINKS; i++) {
		struct staged_link *l = &fs->links.staged[i];
		if (l->dir.kind != KIND_NONE && same_dir(fs, l, dir) &&
		    span_eq(name, span_of(l->name)))
			return l;
	}
	return NULL;
}

static struct node staged_node(const struct fs *fs, const struct staged_link *l)
{
	uint32_t slot = (uint32_t)(l - fs->links.staged);
	return (struct node){ KIND_STAGED, 0, slot + 1 };
}

bool head_find_staged(struct fs *fs, const struct node *dir, struct span name,
		      struct node *n)
{
	pthread_mutex_lock(&fs->links.lock);
	struct staged_link *l = find(fs, dir, name);
	if (l)
		*n = staged_node(fs, l);
	pthread_mutex_unlock(&fs->links.lock);
	return l != NULL;
}

bool head_next_staged(struct fs *fs, const struct node *dir, uint32_t from,
		      struct node *n, struct buf *name)
{
	bool found = false;
	pthread_mutex_lock(&fs->links.lock);
	for (uint32_t i = from; i < STAGED_LINKS && !found; i++) {
		struct staged_link *l = &fs->links.staged[i];
		if (l->dir.kind == KIND_NONE || !same_dir(fs, l, dir))
			continue;
		*n = staged_node(fs, l);
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
	bool there = l->dir.kind != KIND_NONE;
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
	struct head_links *l = &fs->links;
	bool hidden = false;
	if (n->kind != KIND_HEAD && !can_hide(n))
		return false;
	pthread_mutex_lock(&l->lock);
	if (n->kind == KIND_HEAD) {
		hidden = l->head_hidden;
	} else if (n->kind == l->hidden.kind && n->entry == l->hidden.entry) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		hidden = now.tv_sec - l->hidden_since.tv_sec <= HIDDEN_SECONDS;
	}
	pthread_mutex_unlock(&l->lock);
	return hidden;
}

static void hide(struct fs *fs, const struct node *n)
{
	struct head_links *l = &fs->links;
	pthread_mutex_lock(&l->lock);
	if (n->kind == KIND_HEAD) {
		l->head_hidden = true;
	} else {
		l->hidden = *n;
		clock_gettime(CLOCK_MONOTONIC, &l->hidden_since);
	}
	pthread_mutex_unlock(&l->lock);
}

static void unhide(struct fs *fs)
{
	pthread_mutex_lock(&fs->links.lock);
	fs->links.head_hidden = false;
	fs->links.hidden = (struct node){ 0 };
	pthread_mutex_unlock(&fs->links.lock);
}

/* Under the lock. */
static void forget(struct staged_link *l)
{
	buf_free(&l->target);
	*l = (struct staged_link){ 0 };
}

static void forget_staged(struct fs *fs, const struct node *n)
{
	pthread_mutex_lock(&fs->links.lock);
	forget(&fs->links.staged[n->nth - 1]);
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
	pthread_mutex_lock(&fs->links.lock);
	struct staged_link *slot = &fs->links.staged[0];
	for (size_t i = 0; i < STAGED_LINKS; i++) {
		struct staged_link *l = &fs->links.staged[i];
		if (l->dir.kind == KIND_NONE || l->age < slot->age)
			slot = l;
		if (slot->dir.kind == KIND_NONE)
			break;
	}
	forget(slot);
	*slot = (struct staged_link){ .dir = *dir,
				      .epoch = fs->session->epoch,
				      .age = ++fs->links.clock,
				      .target = text };
	memcpy(slot->name, name.p, name.n);
	*made = staged_node(fs, slot);
	pthread_mutex_unlock(&fs->links.lock);
	return 0;
}

/* What a target names, behind either spelling of the mount point. */
static int resolve(const struct fs *fs, const char *target, uint32_t *entry)
{
	struct span text = span_of(target);
	int err = target_resolve(fs->session, text, span_of(fs->mountpoint),
				 entry);
	if (err == -ENOENT)
		err = target_resolve(fs->session, text, span_of(fs->spelled),
				     entry);
	return err;
}

/*
 * Make what the target names the leaf. `via` is the number of the folder that
 * HEAD must still point to, or of the root.
 */
static int move(struct fs *fs, uint64_t via, const char *target)
{
	struct write w;
	struct node dir;
	uint32_t entry;
	int err = write_begin(&w, fs->session);
	if (err)
		return err;
	err = fs_node(fs, via, &dir);
	if (!err && dir.kind != KIND_ROOT && !head_is_folder(fs->session, &dir))
		err = -EPERM;
	if (!err)
		err = resolve(fs, target, &entry);
	if (!err)
		err = write_head(&w, entry);
	write_end(&w);
	/* Made again, or not: HEAD is there, wherever it points. */
	unhide(fs);
	return err;
}

static struct span last_part(const char *path)
{
	size_t n = strlen(path);
	while (n > 0 && path[n - 1] == '/')
		n--;
	size_t from = n;
	while (from > 0 && path[from - 1] != '/')
		from--;
	return (struct span){ path + from, n - from };
}

/* Enter, find the folder and see that links may be made there. */
static int enter_dir(struct fs *fs, uint64_t ino, struct node *dir)
{
	int err = session_enter(fs->session);
	if (err)
		return err;
	err = fs_node(fs, ino, dir);
	if (!err)
		err = session_writable(fs->session);
	if (!err && dir->kind != KIND_ROOT && !head_is_folder(fs->session, dir))
		err = -EPERM;
	if (err)
		session_leave(fs->session);
	return err;
}

int head_symlink(struct fs *fs, uint64_t ino, const char *name,
		 const char *target, struct node *made)
{
	struct node dir;
	struct node there;
	struct span wanted = span_of(name);
	int err = enter_dir(fs, ino, &dir);
	if (err)
		return err;
	if (dir_lookup(fs, &dir, wanted, &there) == 0)
		err = -EEXIST;
	bool is_move = dir.kind == KIND_ROOT
			       ? span_eq(wanted, SPAN("HEAD"))
			       : span_eq(wanted, last_part(target));
	/* In an entry's folder a link can only be meant for HEAD. */
	uint32_t entry;
	if (!err && !is_move && dir.kind != KIND_ROOT)
		err = resolve(fs, target, &entry);
	if (!err && !is_move)
		err = stage(fs, &dir, wanted, target, made);
	session_leave(fs->session);
	if (err || !is_move)
		return err;
	*made = (struct node){ .kind = KIND_HEAD };
	return move(fs, ino, target);
}

int head_unlink(struct fs *fs, uint64_t ino, const char *name)
{
	struct node dir;
	struct node n;
	int err = enter_dir(fs, ino, &dir);
	if (err)
		return err;
	err = dir_lookup(fs, &dir, span_of(name), &n);
	if (!err && n.kind == KIND_STAGED) {
		forget_staged(fs, &n);
	} else if (!err && (n.kind == KIND_HEAD || can_hide(&n))) {
		hide(fs, &n);
	} else if (!err) {
		err = -EPERM;
	}
	session_leave(fs->session);
	return err;
}

/* Give a staged link its new name; what had that name is replaced. */
static int rename_staged(struct fs *fs, const struct node *dir,
			 struct span name, struct span newname)
{
	int err = 0;
	pthread_mutex_lock(&fs->links.lock);
	struct staged_link *l = find(fs, dir, name);
	struct staged_link *old = find(fs, dir, newname);
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
	return span_eq(newname, last_part(target)) ||
	       (dir_lookup(fs, dir, newname, &there) == 0 &&
		there.kind != KIND_STAGED);
}

int head_rename(struct fs *fs, uint64_t ino, const char *name, uint64_t newdir,
		const char *newname, unsigned flags)
{
	struct node dir;
	struct node n;
	struct node there;
	struct buf target = { 0 };
	bool is_move = false;
	struct span to = span_of(newname);
	int err = enter_dir(fs, ino, &dir);
	if (err)
		return err;
	err = dir_lookup(fs, &dir, span_of(name), &n);
	if (!err && (n.kind != KIND_STAGED || newdir != ino))
		err = -EPERM;
	if (!err && flags & ~(unsigned)RENAME_NOREPLACE)
		err = -EINVAL;
	bool taken = !err && dir_lookup(fs, &dir, to, &there) == 0;
	if (taken && flags & RENAME_NOREPLACE)
		err = -EEXIST;
	if (!err)
		err = read_staged(fs, &n, &target);
	if (!err) {
		is_move = is_move_to(fs, &dir, to, target.data);
		if (!is_move && taken && there.kind != KIND_STAGED)
			err = -EPERM;
		else if (!is_move)
			err = rename_staged(fs, &dir, span_of(name), to);
	}
	session_leave(fs->session);
	if (!err && is_move) {
		err = move(fs, ino, target.data);
		if (!err)
			forget_staged(fs, &n);
	}
	buf_free(&target);
	return err;
}
