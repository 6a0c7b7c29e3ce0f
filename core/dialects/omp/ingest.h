/*
 * The lines of oh-my-pi's sessions (18.3.4): Pi's lines after a title slot,
 * which is a first line of 256 bytes with the session's title that the agent
 * overwrites in place (session-title-slot.ts). A header that is not the first
 * is an entry. The session's name is the title in the slot, or in the header if
 * there is no slot.
 */
#ifndef SESSFS_OMP_INGEST_H
#define SESSFS_OMP_INGEST_H

#include "core/session/dialect.h"

#define OMP_SLOT_BYTES 256

/*
 * Is a line a title slot? The agent tests its members, not its length, and only
 * those of the first line.
 */
bool omp_is_slot(struct json line);

/*
 * See dialect.h. The agent reads a title slot of any length, but writes only
 * slots of 256 bytes: a header or an entry must come after any other one.
 */
const char *omp_claims(struct json line);
int omp_confirms(struct json claimed, struct json next);
const char *omp_marks(struct json line);

/* The agent reads over a byte order mark, but fails at a line that is null. */
struct unopened omp_unopened(const struct session *s);

/* The title slot, or absent. Valid while the session is entered. */
struct json omp_slot(const struct session *s);

/* The offset of the byte after the slot and its LF; 0 without a slot. */
size_t omp_slot_end(const struct session *s);

/* Is the last line, with a newline or without, not JSON? */
bool omp_is_broken_off(const struct session *s);

#endif
