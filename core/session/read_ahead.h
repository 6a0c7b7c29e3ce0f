/*
 * Scanning the lines of a log ahead of their ingestion: each is digested and
 * checked to be JSON. This is most of the work, and does not depend on earlier
 * lines. For a large part of a file a helper thread is started. It and the
 * calling thread read and scan batches of lines (core/base/parallel.h). Lines
 * are visited in their order, by one of them at a time. Smaller parts, such as
 * an appended line, are read by the calling thread, batch by batch.
 */
#ifndef SESSFS_READ_AHEAD_H
#define SESSFS_READ_AHEAD_H

#include "core/file/feed.h"
#include "core/json/json.h"

struct scanned {
	struct span text; /* without its LF */
	uint64_t offset;
	uint64_t digest; /* hash_line(); or 0: see ahead_file() */
	int err;	 /* of json_check(), and its results: */
	struct json json;
	struct scan_ends ends;
};

/* As feed_line_fn. The line is valid until it returns. */
typedef int ahead_line_fn(void *data, const struct scanned *line);

/* The lines that were read at once. */
struct ahead_batch;

/* The n-th line, from 0; NULL if there are fewer. */
const struct scanned *ahead_batch_line(const struct ahead_batch *b, size_t n);
/* The bytes from the first line on; b may be NULL. */
struct span ahead_batch_bytes(const struct ahead_batch *b);
void ahead_batch_free(struct ahead_batch *b);

/*
 * As feed_file(), but the feed is unusable if `visit` returned anything but 0,
 * and it may have bytes in `rest` that were read before.
 * `keep` may be NULL. If all lines are read at once (see feed.step), *keep is
 * set to them before they are visited, and holds the bytes of f->rest. The
 * caller frees it; it is NULL after an error. Without `digests`, lines that are
 * kept have none, as none needs to be read again.
 */
int ahead_file(const struct log *log, struct feed *f, uint64_t size,
	       ahead_line_fn *visit, void *data, struct ahead_batch **keep,
	       bool digests);

/* Scan one line. */
void ahead_scan(struct span text, uint64_t offset, struct scanned *line);

#endif
