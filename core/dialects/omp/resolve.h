/*
 * Replacing references by their blobs, as oh-my-pi does when it loads a session
 * (session-loader.ts, resolvePersistedBlobRefs; 18.3.4).
 */
#ifndef SESSFS_OMP_RESOLVE_H
#define SESSFS_OMP_RESOLVE_H

#include <stdint.h>

#include "core/json/json.h"

/* How many bytes of blobs a context may hold. */
#define OMP_RESOLVE_LIMIT ((uint64_t)1 << 30)

/*
 * Append a copy of an entry with the blobs in place of their references: of the
 * pictures in `content` and `images`, of the results of image generation, and
 * of data URLs in image_url. A reference to a blob that can't be read stays,
 * and so do those of an archive's frames, of which few are sent (archive.h).
 *
 * Returns 1; 0, and appends nothing, if the entry has no references; -ENOMEM;
 * or -EFBIG if the blobs have more than *room bytes together, because a short
 * line may name a large blob many times. *room is reduced by their bytes.
 */
int omp_resolve_blobs(struct buf *out, struct json entry, uint64_t *room);

#endif
