/*
 * The title slot: a first line of 256 bytes, in which oh-my-pi keeps a
 * session's title and writes a new one in place (session-title-slot.ts; 18.2.0,
 * FORMATS.md, section 4).
 */
#ifndef SESSFS_OMP_TITLE_H
#define SESSFS_OMP_TITLE_H

#include "core/json/json.h"

#define OMP_TITLE_BYTES 256

/*
 * Is a line a title slot? The agent goes by what it says, not by its length,
 * and asks this of the first line only.
 */
bool omp_title_is_slot(struct json line);

/*
 * Append a slot with its LF: a title (WTF-8) that does not fit is cut, at a
 * whole character. `source` and `time` are JSON strings; an absent source is
 * left out.
 */
void omp_title_add_slot(struct buf *out, struct span title, struct json source,
			struct json time);

#endif
