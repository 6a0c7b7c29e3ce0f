/*
 * The bytes of files, rendered through the cache (fs/tree/cache.h) for as long
 * as a file's version stays (fs/tree/fresh.h). sessions.txt is made anew for
 * each GETATTR.
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
 * The size of a file in parts (node_kinds[].parts), which has no rendering as a
 * whole. Errors as above.
 */
int render_size(const struct node *n, uint64_t *size);

/* What a READ asks for. */
struct render_request {
	uint64_t offset;
	size_t size;
	bool direct; /* the file was opened with O_DIRECT */
};

/*
 * A rendering that has the requested bytes, as far as the file has them; its
 * first byte is that at *at of the file. Contract as render_file(). The kernel
 * sends a GETATTR before a READ, unless that is direct: sessions.txt is that of
 * the GETATTR.
 */
int render_read(struct tree *t, const struct node *n,
		const struct render_request *want, struct rendering **r,
		uint64_t *at);

/*
 * Append the target of a symlink, which may be an overlaid one. The session is
 * entered. 0 or -errno: -EINVAL if it is no symlink, -ENOENT if an overlaid one
 * was removed.
 */
int render_link(struct tree *t, const struct node *n, struct buf *out);

#endif
