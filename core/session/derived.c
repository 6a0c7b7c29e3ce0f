#include "core/session/derived.h"

#include <stdlib.h>
#include <string.h>

#include "core/session/private.h"

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
	/* A new one is of no generation: those count from 1. */
	if (!d)
		d = calloc(1, kind->size);
	if (d && !d->kind) {
		*d = (struct derived){ .kind = kind,
				       .next = p->derived,
				       .lock = PTHREAD_MUTEX_INITIALIZER };
		p->derived = d;
	}
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
