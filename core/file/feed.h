/*
 * The lines of a log, read a large chunk at a time.
 *
 * A line is what stands before an LF; what is behind the last one is left in
 * `rest`. A line may be as long as the file: it is then held in memory as a
 * whole.
 */
#ifndef SESSFS_FEED_H
#define SESSFS_FEED_H

#include "core/file/log.h"

/* Bytes on their way: *chunk holds those of `rest`, which is at `offset`. */
struct feed {
	struct buf chunk;
	struct span rest;
	uint64_t offset;
};

/*
 * What to do with a line (without its LF) at an offset. Anything but 0 ends the
 * feeding, and is what feed_file() returns.
 */
typedef int feed_line_fn(void *data, struct span line, uint64_t offset);

/* Give the lines from f->offset up to `size` to `take`. Start with a feed that
 * is zero but for its offset; buf_free() its chunk. */
int feed_file(const struct log *log, struct feed *f, uint64_t size,
	      feed_line_fn *take, void *data);

/*
 * The two steps of that: read behind `rest` until a line ends there or `size`
 * is reached; and take off the first line of `rest`, if it has one.
 */
int feed_read(const struct log *log, struct feed *f, uint64_t size);
bool feed_next_line(struct feed *f, struct span *line, uint64_t *offset);

#endif
