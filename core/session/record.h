/*
 * The records of a log whose agent parses it value by value, as native builds
 * of Claude Code and oh-my-pi do. It reads the object or array that a line
 * begins with, and goes on at the next newline, whatever stands between: NULs
 * that a crash has left, the start of another record, a comma. A value may go
 * over several lines. What is no value costs its line alone.
 *
 * Only the lines that are not JSON need this: a line that is JSON is a record.
 */
#ifndef SESSFS_RECORD_H
#define SESSFS_RECORD_H

#include "core/file/log.h"
#include "core/json/json.h"

/* Zeroed: at the start of a log. The owner calls record_free(). */
struct record_reader {
	/* Behind the last value over several lines: lines that begin before it
	   are parts of that value. */
	uint64_t past;
	/* The first value that goes on at the end of the log, if `opens`. */
	uint64_t open;
	bool opens;
	/* private */
	uint64_t spent; /* bytes that were read and were no value */
	struct buf bytes;
};

void record_free(struct record_reader *r);

/* Is the line at an offset a part of a value? */
static inline bool record_has(const struct record_reader *r, uint64_t offset)
{
	return offset < r->past;
}

/*
 * The object or array that a line at an offset begins with, which may end in a
 * later line. `size` is that of the log. Sets *value and its offset; the value
 * is empty if there is none, and valid until the line or the reader changes.
 * Returns 0 or -errno.
 *
 * A value that the log ends in is none yet (see `opens`), so that a torn line
 * does not hold back the records behind it. All calls together cost time
 * proportional to the log.
 */
int record_find(struct record_reader *r, const struct log *log, uint64_t size,
		struct span line, uint64_t offset, struct span *value,
		uint64_t *at);

/* The same, checked: 0, -EBADMSG if there is none, or another -errno. */
int record_check(struct record_reader *r, const struct log *log, uint64_t size,
		 struct span line, uint64_t offset, struct json *value);

/*
 * Is the open value still open, now that the log has `size` bytes? If not, the
 * log is to be read again from its start. 1, 0 or -errno.
 */
int record_stays_open(struct record_reader *r, const struct log *log,
		      uint64_t size);

#endif
