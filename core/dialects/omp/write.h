/*
 * The lines that sessfs writes into sessions of oh-my-pi, which are Pi's
 * (pi/write.h).
 */
#ifndef SESSFS_OMP_WRITE_H
#define SESSFS_OMP_WRITE_H

#include "core/session/dialect.h"

/*
 * Append a title slot with its LF. A title, in WTF-8, that does not fit is cut
 * at a whole character. `source` and `time` are JSON strings; `source` may be
 * absent.
 */
void omp_add_slot(struct buf *out, struct span title, struct json source,
		  struct json time);

#endif
