/*
 * The bytes of files, rendered through the cache.
 *
 * READs of a file and the GETATTR that needs its size share one rendering
 * (fs/tree/cache.h). An immutable file is cached for the whole epoch, any other
 * for the version of its session. sessions.txt is made anew for each
 * GETATTR.
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
 * The same for a READ that the kernel sends after a GETATTR, as it does unless
 * the file was opened with O_DIRECT: sessions.txt is that of the GETATTR.
 */
int render_looked_up(struct tree *t, const struct node *n,
		     struct rendering **r);

/*
 * Append the target of a symlink, which may be an overlaid one. The session is
 * entered. 0 or -errno: -EINVAL if it is no symlink, -ENOENT if an overlaid one
 * was removed.
 */
int render_link(struct tree *t, const struct node *n, struct buf *out);

/*
 * How often `info` was looked up, while counters are on (fs/tree/stats.h): it
 * is rendered anew for each lookup. 0 for any other file.
 */
uint64_t render_lookups(const struct tree *t, const struct node *n);

#endif
