#include "core/session/derived.h"

#include <stdlib.h>
#include <string.h>

#include "core/session/private.h"

/* A new one is of no generation: those count from 1. */
static struct derived *make(struct session_private *p,
			    const struct derived_kind *kind)
{
	struct derived *d = calloc(1, kind->size);
	if (!d)
		return NULL;
	d->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	d->kind = kind;
	d->next = p->derived;
	p->derived = d;
	return d;
}

void derived_drop(struct derived *d)
{
	d->kind->clear(d);
	memset(d + 1, 0, d->kind->size - sizeof(*d));
}

void *derived_lock(const struct session *s, const struct derived_kind *kind)
{
	struct session_private *p = s->private;
	pthread_mutex_lock(&p->derived_lock);
	struct derived *d = p->derived;
	while (d && d->kind != kind)
		d = d->next;
	if (!d)
		d = make(p, kind);
	pthread_mutex_unlock(&p->derived_lock);
	if (!d)
		return NULL;
	pthread_mutex_lock(&d->lock);
	if (d->generation != p->generation)
		derived_drop(d);
	d->generation = p->generation;
	return d;
}

void derived_unlock(struct derived *d)
{
	pthread_mutex_unlock(&d->lock);
}

void derived_free(struct derived *list)
{
	while (list) {
		struct derived *d = list;
		list = d->next;
		d->kind->clear(d);
		pthread_mutex_destroy(&d->lock);
		free(d);
	}
}
