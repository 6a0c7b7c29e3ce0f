/*
 * The lines that sessfs writes into sessions of oh-my-pi, which are Pi's
 * (pi/write.h). The functions are those of struct dialect.
 */
#ifndef SESSFS_OMP_WRITE_H
#define SESSFS_OMP_WRITE_H

#include "core/session/dialect.h"

/*
 * The same as Pi's. After a broken line another head mark is written first: if
 * a line breaks off before a value, the agent's parser takes the next line for
 * a part of it and drops both (Bun 1.3.14 and 1.4.5).
 */
int omp_move_head(const struct session *s, uint32_t target, struct change *c);
int omp_set_label(const struct session *s, uint32_t entry, struct span text,
		  struct change *c);

int omp_add_entry(const struct session *s, struct json line, struct change *c,
		  const char **reason);

/*
 * The same as setSessionName with a title of the user: a `title_change` entry,
 * and the title slot, which is overwritten in place. A file without a slot is
 * rewritten to have one. The agent reads the slot only. An empty name, which
 * the agent refuses, empties the slot and adds no entry.
 */
int omp_set_name(const struct session *s, struct span name, struct change *c);

/*
 * Append a title slot with its LF. A title, in WTF-8, that does not fit is cut
 * at a whole character. `source` and `time` are JSON strings; `source` may be
 * absent.
 */
void omp_add_slot(struct buf *out, struct span title, struct json source,
		  struct json time);

#endif
