/*
 * The archive of a compaction that renders old messages as pictures
 * (snapcompact.ts, getPreservedArchive and historyBlocks; oh-my-pi 18.3.4).
 *
 * It is sent as content blocks: the oldest text, the pictures of the middle, as
 * many as fit into a request, and the newest text. A notice stands in place of
 * pictures that are left out, or whose blobs (blobs.h) are missing. Data URLs
 * in the texts are replaced (data_url.h).
 */
#ifndef SESSFS_OMP_ARCHIVE_H
#define SESSFS_OMP_ARCHIVE_H

#include "core/json/writer.h"

/* Write an archive's blocks as an array; nothing if it has none. */
void omp_archive_write(struct json_writer *w, const char *key,
		       struct json archive);

#endif
