/*
 * The blobs of oh-my-pi: pictures that it keeps outside of a session. In place
 * of their base64 a session has blob:sha256:HASH. The bytes are in a file HASH
 * in the folder `blobs` of the agent's data (blob-store.ts; 18.3.4).
 */
#ifndef SESSFS_OMP_BLOBS_H
#define SESSFS_OMP_BLOBS_H

#include <stdint.h>

#include "core/json/json.h"

#define OMP_BLOB_PREFIX SPAN("blob:sha256:")

/* The largest file that is a blob, in bytes. */
#define OMP_BLOB_LIMIT (1 << 30)

/* Append the path of the folder. */
void omp_blobs_folder(struct buf *out);

/* Does v begin like a reference to a blob? */
bool omp_blob_is_named(struct json v);

/*
 * Append the bytes of the blob that v refers to. 0 or -errno: -ENOENT if there
 * is no such blob, or v is not a reference.
 */
int omp_blob_read(struct buf *out, struct json v);

/* The size of the blob that v refers to, in bytes. 0, or -errno as above. */
int omp_blob_size(struct json v, uint64_t *size);

/* Does v refer to a blob that can be opened? */
bool omp_blob_exists(struct json v);

/* How many bytes of blobs a context may hold. */
#define OMP_RESOLVE_LIMIT ((uint64_t)1 << 30)

/*
 * Append a copy of an entry with the blobs in place of their references, as the
 * agent loads it (session-loader.ts, resolvePersistedBlobRefs): of the
 * pictures in `content` and `images`, of the results of image generation, and
 * of data URLs in image_url. A reference to a blob that can't be read stays,
 * and so do those of an archive's frames, of which few are sent (archive.c).
 *
 * Returns 1; 0, and appends nothing, if the entry has no references; -ENOMEM;
 * or -EFBIG if the blobs have more than *room bytes together, because a short
 * line may name a large blob many times. *room is reduced by their bytes.
 */
int omp_resolve_blobs(struct buf *out, struct json entry, uint64_t *room);

#endif
