/*
 * A cache of what is derived from a session: sums, offsets, paths. The session
 * keeps it for the module that fills it, and knows nothing else of it.
 *
 * A cache holds until the file is read from its start, or new lines change
 * older entries or the header. A caller that locks it after that finds it
 * empty: this is the only rule for when it is dropped. It is made when it is
 * first locked, and freed with the session.
 *
 * Thread-safe. Callers have the session's read lock, and share the cache under
 * a lock of its own.
 */
#ifndef SESSFS_DERIVED_H
#define SESSFS_DERIVED_H

#include <pthread.h>
#include <stdint.h>

#include "core/session/session.h"

struct derived_kind {
	size_t size; /* of the struct, which begins with a struct derived */
	/* Free what the cache has, which may be zeroed, and is afterwards. */
	void (*clear)(void *cache);
};

struct derived {
	const struct derived_kind *kind;
	struct derived *next; /* of the session */
	pthread_mutex_t lock;
	uint32_t generation; /* of the session that it holds for */
};

/* Lock the session's cache of a kind. NULL without memory. */
void *derived_lock(const struct session *s, const struct derived_kind *kind);
void derived_unlock(struct derived *d);

/* Empty a cache that is locked: it is zeroed but for its first member. */
void derived_drop(struct derived *d);

void derived_free(struct derived *list);

#endif
