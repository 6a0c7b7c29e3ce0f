/*
 * The lines of a log, read in large chunks.
 *
 * A line ends with an LF. The bytes after the last LF are left in `rest`. Each
 * line is held in memory as a whole, however long.
 */
#ifndef SESSFS_FEED_H
#define SESSFS_FEED_H

#include "core/file/log.h"

struct feed {
	struct buf chunk;
	struct span rest; /* of the chunk, or log.kept: not consumed yet */
	uint64_t offset;  /* of `rest` in the file */
	size_t step;	  /* bytes that are read at once; 0: 256 KiB */
};

/*
 * Called for a line, without its LF, at an offset in the file. feed_file()
 * stops and returns the result if it is not 0.
 */
typedef int feed_line_fn(void *data, struct span line, uint64_t offset);

/*
 * Call `use` for each line from f->offset up to `size`. The other members of
 * *f but `step` are zero at the start. The caller calls buf_free() on f->chunk.
 */
int feed_file(const struct log *log, struct feed *f, uint64_t size,
	      feed_line_fn *use, void *data);

/* The same from an offset on, with a last line that has no LF. */
int feed_lines(const struct log *log, uint64_t offset, uint64_t size,
	       feed_line_fn *use, void *data);

/*
 * The two steps of feed_file(). feed_read() appends to `rest` until it has an
 * LF or ends at `size`. feed_next_line() consumes the first line of `rest`; it
 * returns false if there is none.
 */
int feed_read(const struct log *log, struct feed *f, uint64_t size);
bool feed_next_line(struct feed *f, struct span *line, uint64_t *offset);

#endif
