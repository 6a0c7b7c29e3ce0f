/*
 * The title slot: a first line of 256 bytes with the session's title, which
 * oh-my-pi overwrites in place (session-title-slot.ts; 18.3.4).
 */
#ifndef SESSFS_OMP_TITLE_H
#define SESSFS_OMP_TITLE_H

#include "core/json/json.h"

#define OMP_TITLE_BYTES 256

/*
 * Is a line a title slot? The agent tests its members, not its length, and only
 * those of the first line.
 */
bool omp_title_is_slot(struct json line);

/*
 * Append a slot with its LF. A title, in WTF-8, that does not fit is cut at a
 * whole character. `source` and `time` are JSON strings; `source` may be
 * absent.
 */
void omp_title_add_slot(struct buf *out, struct span title, struct json source,
			struct json time);

#endif
