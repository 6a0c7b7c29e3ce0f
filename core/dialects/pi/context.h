/*
 * Contexts of Pi's sessions, as buildSessionProjection() and convertToLlm() in
 * Pi 1.6.0 make them.
 */
#ifndef SESSFS_PI_CONTEXT_H
#define SESSFS_PI_CONTEXT_H

#include "core/session/dialect.h"

/* The first entry that a compaction keeps; INDEX_NONE if it keeps none. */
uint32_t pi_first_kept(const struct session *s, uint32_t entry,
		       struct json compaction);

int pi_context(const struct session *s, const struct path *p,
	       struct messages *to);

/*
 * A part of pi_context(), for the drafts: convertToLlm() of one message of any
 * role. `time`: that of its entry. `fill`: content that is null or missing
 * becomes empty. `edit`: the context edit of its entry, or absent.
 */
void pi_add_message(const struct session *s, struct messages *to,
		    struct json message, struct json time, bool fill,
		    struct json edit);

/* The last model and the last thinking level that are set on the path. */
extern const struct dialect_telling pi_telling;

#endif
