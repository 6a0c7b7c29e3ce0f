#include "core/session/head_path.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/bookkeeping.h"

struct head_path {
	pthread_mutex_t lock;
	uint32_t epoch;
	uint32_t head;
	uint32_t *list; /* root first */
	size_t n;
	size_t cap;
	/* By entry: where it is in the list, if it is there. */
	uint32_t *places;
	size_t n_places;
	size_t places_cap;
};

struct head_path *head_path_new(void)
{
	struct head_path *p = calloc(1, sizeof(*p));
	if (p && pthread_mutex_init(&p->lock, NULL) != 0) {
		free(p);
		return NULL;
	}
	if (p)
		head_path_forget(p);
	return p;
}

void head_path_forget(struct head_path *p)
{
	free(p->list);
	free(p->places);
	p->list = NULL;
	p->places = NULL;
	p->n = p->cap = p->n_places = p->places_cap = 0;
	p->head = INDEX_NONE;
}

void head_path_free(struct head_path *p)
{
	if (!p)
		return;
	head_path_forget(p);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* The functions from here on need the lock. */

/* An entry that is not in the list has any place, so look there. */
static bool is_listed(const struct head_path *p, uint32_t entry)
{
	if (entry >= p->n_places)
		return false;
	uint32_t at = p->places[entry];
	return at < p->n && p->list[at] == entry;
}

/*
 * Keep the start of the list that is on the way to `head` too, and append the
 * entries after it. Changes nothing without memory.
 */
static int follow(struct head_path *p, const struct index *x, uint32_t head)
{
	int err = array_extend(&p->places, &p->places_cap, &p->n_places, x->n);
	if (err)
		return err;
	size_t more = 0;
	uint32_t at = head;
	for (; at != INDEX_NONE && !is_listed(p, at);
	     at = bookkeeping_shown_parent(x, at))
		more++;
	size_t kept = at == INDEX_NONE ? 0 : p->places[at] + (size_t)1;
	if (array_reserve(&p->list, &p->cap, kept, more) < 0)
		return -ENOMEM;
	p->n = kept + more;
	for (uint32_t i = head; more > 0; i = bookkeeping_shown_parent(x, i)) {
		more--;
		p->list[kept + more] = i;
		p->places[i] = (uint32_t)(kept + more);
	}
	p->head = head;
	return 0;
}

static int update(struct head_path *p, const struct session *s)
{
	uint32_t head = session_head(s);
	if (p->epoch != s->epoch)
		head_path_forget(p);
	p->epoch = s->epoch;
	return p->head == head ? 0 : follow(p, &s->now.index, head);
}

int head_path_entry(const struct session *s, uint32_t number, uint32_t *entry)
{
	struct head_path *p = s->head_path;
	pthread_mutex_lock(&p->lock);
	int err = update(p, s);
	if (!err && (number == 0 || number > p->n))
		err = -ENOENT;
	if (!err)
		*entry = p->list[number - 1];
	pthread_mutex_unlock(&p->lock);
	return err;
}
