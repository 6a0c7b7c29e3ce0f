/*
 * The archive of a compaction that renders old messages as pictures
 * (snapcompact.ts, getPreservedArchive and historyBlocks, with the guards of
 * session-context.ts and the repair of session-loader.ts; oh-my-pi 18.3.4).
 *
 * It is sent as content blocks: the oldest text, the pictures of the middle, as
 * many as fit into a request, and the newest text. A notice stands in place of
 * pictures that are left out, or whose blobs (blobs.h) are missing. Data URLs
 * in the texts are replaced (data_url.h).
 */
#ifndef SESSFS_OMP_ARCHIVE_H
#define SESSFS_OMP_ARCHIVE_H

#include "core/json/writer.h"

struct omp_frame;

/* It borrows the preserveData that it was read from. */
struct omp_archive {
	/* private */
	struct omp_frame *frames;
	size_t n;
	struct json text;
	struct json head;
	struct json tail;
	double truncated;
};

/*
 * Read the archive in a compaction's preserveData. Returns 0, with an empty one
 * if there is none, or -ENOMEM, with nothing to free.
 */
int omp_archive_load(struct omp_archive *a, struct json preserve_data);
void omp_archive_free(struct omp_archive *a);

/* Does it have no blocks? */
bool omp_archive_is_empty(const struct omp_archive *a);

/* Write its blocks as elements of an array. */
void omp_archive_add_blocks(struct json_writer *w, const struct omp_archive *a);

#endif
