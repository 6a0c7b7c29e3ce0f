/*
 * The bytes of files, rendered through the cache.
 *
 * READs of a file and the GETATTR that needs its size share one rendering
 * (fs/tree/cache.h). An immutable file is cached for the whole epoch, any other
 * for the version of its session.
 */
#ifndef SESSFS_RENDER_H
#define SESSFS_RENDER_H

#include "fs/tree/tree.h"

/*
 * The bytes of a regular file or the target of a symlink; the caller calls
 * cache_put(). The session is entered. -EAGAIN if the session file was
 * rewritten meanwhile: leave, enter again, and retry.
 */
int render_file(struct tree *t, const struct node *n, struct rendering **r);

/*
 * The target of a symlink, overlaid ones included, appended. The session is
 * entered. -EINVAL if it is no symlink.
 */
int render_link(struct tree *t, const struct node *n, struct buf *out);

/*
 * How often a file was looked up that is rendered anew for each lookup: `info`
 * while counters are on (fs/tree/stats.h). 0 for any other file.
 */
uint64_t render_lookups(const struct tree *t, const struct node *n);

#endif
