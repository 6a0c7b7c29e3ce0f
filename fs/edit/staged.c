#include "fs/edit/staged.h"

#include <errno.h>

#include "core/json/timestamp.h"
#include "fs/tree/ino.h"

void staged_free(struct staged *s)
{
	for (size_t i = 0; i < STAGED_LINKS; i++)
		buf_free(&s->links[i].target);
	pthread_mutex_destroy(&s->lock);
}

static bool is_used(const struct staged *s)
{
	return __atomic_load_n(&s->used, __ATOMIC_SEQ_CST);
}

/* The functions from here to forget() are called under the lock. */

static struct staged_link *find(struct staged *s, uint64_t dir,
				struct span name)
{
	for (size_t i = 0; i < STAGED_LINKS; i++) {
		struct staged_link *l = &s->links[i];
		if (l->dir == dir && span_eq(name, span_of(l->name)))
			return l;
	}
	return NULL;
}

static uint32_t number_of(const struct staged_link *l)
{
	return (uint32_t)l->age & ((1u << INO_ENTRY_BITS) - 1);
}

static struct node node_of(const struct staged *s, const struct staged_link *l,
			   struct place *at)
{
	uint32_t slot = (uint32_t)(l - s->links);
	return (struct node){ KIND_STAGED, number_of(l), slot + 1, at };
}

/* Is it the link of a node, and not a later one in the same slot? */
static bool is_link(const struct staged_link *l, const struct node *n)
{
	return l->dir != 0 && l->home == n->place->home &&
	       number_of(l) == n->entry;
}

/* A free slot, or the oldest one. */
static struct staged_link *find_slot(struct staged *s)
{
	struct staged_link *slot = &s->links[0];
	for (size_t i = 0; i < STAGED_LINKS && slot->dir != 0; i++) {
		struct staged_link *l = &s->links[i];
		if (l->dir == 0 || l->age < slot->age)
			slot = l;
	}
	return slot;
}

static void forget(struct staged_link *l)
{
	buf_free(&l->target);
	*l = (struct staged_link){ 0 };
}

bool staged_find(void *staged, const struct node *dir, struct span name,
		 struct node *n)
{
	struct staged *s = staged;
	if (!is_used(s))
		return false;
	pthread_mutex_lock(&s->lock);
	const struct staged_link *l = find(s, ino_of(dir), name);
	if (l)
		*n = node_of(s, l, dir->place);
	pthread_mutex_unlock(&s->lock);
	return l != NULL;
}

bool staged_next(void *staged, const struct node *dir, uint32_t after,
		 struct node *n, struct buf *name)
{
	struct staged *s = staged;
	bool found = false;
	if (!is_used(s))
		return false;
	pthread_mutex_lock(&s->lock);
	for (uint32_t i = after; i < STAGED_LINKS && !found; i++) {
		const struct staged_link *l = &s->links[i];
		if (l->dir != ino_of(dir))
			continue;
		*n = node_of(s, l, dir->place);
		buf_adds(name, l->name);
		found = true;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

int staged_target(void *staged, const struct node *n, struct buf *out)
{
	struct staged *s = staged;
	if (n->nth < 1 || n->nth > STAGED_LINKS)
		return -ESTALE;
	pthread_mutex_lock(&s->lock);
	const struct staged_link *l = &s->links[n->nth - 1];
	bool exists = is_link(l, n);
	if (exists)
		buf_add(out, buf_span(&l->target));
	pthread_mutex_unlock(&s->lock);
	return exists ? buf_error(out) : -ENOENT;
}

int staged_add(struct staged *s, const struct node *dir, struct span name,
	       const char *target, struct node *made)
{
	struct buf text = { 0 };
	if (name.n >= sizeof(s->links[0].name))
		return -ENAMETOOLONG;
	buf_adds(&text, target);
	if (buf_error(&text)) {
		buf_free(&text);
		return -ENOMEM;
	}
	__atomic_store_n(&s->used, true, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&s->lock);
	struct staged_link *slot = find_slot(s);
	forget(slot);
	*slot = (struct staged_link){ .dir = ino_of(dir),
				      .home = dir->place->home,
				      .age = ++s->clock,
				      .target = text };
	memcpy(slot->name, name.p, name.n);
	*made = node_of(s, slot, dir->place);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

int staged_rename(struct staged *s, const struct node *dir, struct span name,
		  struct span newname)
{
	int err = 0;
	pthread_mutex_lock(&s->lock);
	struct staged_link *l = find(s, ino_of(dir), name);
	struct staged_link *old = find(s, ino_of(dir), newname);
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
	pthread_mutex_unlock(&s->lock);
	return err;
}

void staged_remove(struct staged *s, const struct node *n)
{
	struct staged_link *l = &s->links[n->nth - 1];
	pthread_mutex_lock(&s->lock);
	if (is_link(l, n))
		forget(l);
	pthread_mutex_unlock(&s->lock);
}

/* HEAD, and the files in its folder that ln -sf may replace. */
bool staged_can_hide(enum node_kind kind)
{
	return kind == KIND_HEAD || kind == KIND_CHILD_LINK ||
	       kind == KIND_PARENT_LINK || kind == KIND_CONTENT;
}

bool staged_is_hidden(void *staged, const struct node *n)
{
	struct staged *s = staged;
	int64_t until = 0;
	if (!is_used(s) || !staged_can_hide(n->kind))
		return false;
	const struct edit_place *state = n->place->attached;
	pthread_mutex_lock(&s->lock);
	if (n->kind == KIND_HEAD)
		until = state->head_hidden_until;
	else if (state->hidden == ino_of(n))
		until = state->hidden_until;
	pthread_mutex_unlock(&s->lock);
	return until != 0 && timestamp_monotonic() < until;
}

void staged_hide(struct staged *s, const struct node *n)
{
	struct edit_place *state = n->place->attached;
	int64_t until = timestamp_monotonic() + STAGED_HIDDEN_MS;
	__atomic_store_n(&s->used, true, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&s->lock);
	if (n->kind == KIND_HEAD) {
		state->head_hidden_until = until;
	} else {
		state->hidden = ino_of(n);
		state->hidden_until = until;
	}
	pthread_mutex_unlock(&s->lock);
}

bool staged_unhide(struct staged *s, struct place *at)
{
	struct edit_place *state = at->attached;
	pthread_mutex_lock(&s->lock);
	bool hidden = state->head_hidden_until != 0;
	state->head_hidden_until = 0;
	state->hidden = 0;
	pthread_mutex_unlock(&s->lock);
	return hidden;
}
