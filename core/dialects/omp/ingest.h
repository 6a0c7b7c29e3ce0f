/*
 * The lines of oh-my-pi's sessions (FORMATS.md, section 4; 18.2.0): Pi's, with
 * a title slot before them. Another header is an entry; the title comes from
 * the slot, or from the header where there is none.
 */
#ifndef SESSFS_OMP_TAKE_H
#define SESSFS_OMP_TAKE_H

#include "core/session/dialect.h"

/* See dialect.h. */
const char *omp_claims(struct json line);
const char *omp_marks(struct json line);

int omp_ingest(struct session *s, struct json line,
	       const struct line_place *at);

/*
 * A line that is no JSON as a whole. The agent's parser takes the value that it
 * begins with, and passes over the rest (Bun 1.3.14 and 1.4.5).
 */
void *omp_state_new(void);
void omp_state_free(void *state);

int omp_ingest_invalid(struct session *s, const struct line_place *at);

/*
 * The title slot; absent if there is none. It lives as long as the session is
 * entered.
 */
struct json omp_slot(const struct session *s);

/* How many bytes it takes, with its LF and what stands before it; or 0. */
size_t omp_slot_end(const struct session *s);

/* Is what the file ends with no JSON, be it with a newline or without? */
bool omp_is_broken_off(const struct session *s);

#endif
