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

#endif
