#include "core/session/derived.h"

#include <stdlib.h>

#include "core/session/private.h"

void *derived_lock(const struct session *s, const struct derived_kind *kind)
{
	struct session_private *p = s->private;
	pthread_mutex_lock(&p->derived_lock);
	struct derived *d = p->derived;
	while (d && d->kind != kind)
		d = d->next;
	if (!d)
		d = calloc(1, kind->size);
	/* A new one is of no generation: those count from 1. */
	if (d && !d->kind && pthread_mutex_init(&d->lock, NULL) == 0) {
		d->kind = kind;
		d->next = p->derived;
		p->derived = d;
	} else if (d && !d->kind) {
		free(d);
		d = NULL;
	}
	pthread_mutex_unlock(&p->derived_lock);
	if (!d)
		return NULL;
	pthread_mutex_lock(&d->lock);
	if (d->generation != p->generation)
		kind->clear(d);
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
