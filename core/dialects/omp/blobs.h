/*
 * Pictures that oh-my-pi keeps outside of a session: in place of their base64
 * stands blob:sha256:HASH, and the bytes are in a file HASH in the agent's
 * blobs folder (blob-store.ts, session-loader.ts resolvePersistedBlobRefs;
 * pi-utils, dirs.ts; 18.2.0). Where that file is not, the reference stays.
 *
 * The folder is ~/.omp/agent/blobs, or what the agent's environment makes of
 * it: OMP_PROFILE, PI_PROFILE, PI_CONFIG_DIR, PI_CODING_AGENT_DIR,
 * XDG_DATA_HOME, HOME, in ours. What the agent reads from .env files is not
 * known here.
 */
#ifndef SESSFS_OMP_BLOBS_H
#define SESSFS_OMP_BLOBS_H

#include <stdint.h>

#include "core/json/json.h"

/* Append the path of the folder. */
void omp_blobs_folder(struct buf *out);

/* Append the path of the folder that all profiles share: ~/.omp. */
void omp_add_config_root(struct buf *out);

/* Does a value refer to a blob, as far as its spelling goes? */
bool omp_blob_is_named(struct json v);

/* A larger file is no blob; and a context may hold so much of them in all. */
#define OMP_BLOB_LIMIT (1 << 30)

/* The bytes of the blob that a value refers to: -ENOENT, or another error. */
int omp_blob_read(struct buf *out, struct json v);

/* Is it there? */
bool omp_blob_exists(struct json v);

/*
 * A copy of an entry with the blobs where their references were, which is what
 * the agent works with: the pictures in `content`, `images` and `frames`, the
 * results of image generation, and data URLs under image_url.
 *
 * 1, or 0 if there are none, and nothing is appended; -ENOMEM; or -EFBIG where
 * the blobs have more than *room bytes together, which goes down by what they
 * have: a short line may name a large blob many times.
 */
int omp_blobs_resolve(struct buf *out, struct json entry, uint64_t *room);

#endif
