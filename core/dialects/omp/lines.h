/*
 * What sessfs writes for oh-my-pi (FORMATS.md, sections 3.9, 4, 10 and 12): its
 * lines are Pi's (pi/lines.h). The functions are those of struct dialect.
 */
#ifndef SESSFS_OMP_LINES_H
#define SESSFS_OMP_LINES_H

#include "core/session/dialect.h"

/*
 * As Pi's. Behind a broken line they come with another head mark before them:
 * the agent's parser goes on in the next line where one breaks off before a
 * value, and finds only at the line after that where it went wrong (Bun 1.3.14
 * and 1.4.5). A single line would be taken for a part of the broken one.
 */
int omp_move_head(const struct session *s, uint32_t target, struct change *c);
int omp_set_label(const struct session *s, uint32_t entry, struct span text,
		  struct change *c);

int omp_add_entry(const struct session *s, struct json line, struct change *c,
		  const char **reason);

/*
 * As setSessionName does it for a user: a `title_change` entry, and the title
 * slot, which is written over where it is; a file without one gets one, and so
 * is written anew. The slot alone is what counts (FORMATS.md, section 4): an
 * empty name, which the agent does not take, empties it, and is no entry.
 */
int omp_set_name(const struct session *s, struct span name, struct change *c);

/*
 * What createBranchedSession writes: a title slot, and a header that has the
 * title and the folders of the session. Besides, unlike there, what hung on a
 * label that goes is hung on the entry before it, as Pi does it.
 */
int omp_branch(const struct session *s, uint32_t entry, struct buf *out);

/* The agent's own locks; see omp/lock.h. */
int omp_lock_session(const char *path, void **held);
void omp_unlock_session(void *held);

#endif
