/*
 * The archive of a compaction that was made as pictures of text (snapcompact;
 * snapcompact.ts, getPreservedArchive and historyBlocks, with the guards of
 * session-context.ts and the repair of session-loader.ts; 18.2.0).
 *
 * What the model is sent of it are content blocks: the oldest text, the
 * pictures of the middle as far as a request may carry them, and the newest
 * text. Data URLs in the texts are replaced by what they were.
 */
#ifndef SESSFS_OMP_ARCHIVE_H
#define SESSFS_OMP_ARCHIVE_H

#include "core/json/json.h"

/*
 * Append the blocks of a compaction's preserveData as elements of a JSON array
 * that has been begun. False if there are none. Blob references in it have been
 * resolved.
 */
bool omp_archive_add(struct buf *out, struct json preserve_data);

#endif
