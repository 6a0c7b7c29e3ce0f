/*
 * The lines of a log, scanned: digested, and checked to be JSON. This is all
 * that can be done with a line without those before it, and it is most of the
 * work. Where there is much to read a thread helps: it and who takes the lines
 * read and scan batches of them, whoever is free the next one.
 */
#ifndef SESSFS_AHEAD_H
#define SESSFS_AHEAD_H

#include "core/file/feed.h"
#include "core/json/json.h"

struct scanned {
	struct span text; /* without its LF */
	uint64_t offset;
	uint64_t digest; /* hash_line() */
	int err;	 /* json_check()'s, and what it gives: */
	struct json json;
	struct scan_ends ends;
};

/* As feed_line_fn. The line is good until it returns. */
typedef int ahead_visitor(void *data, const struct scanned *line);

/* As feed_file(), but if a taker ends it the feed is of no use any more. */
int ahead_file(const struct log *log, struct feed *f, uint64_t size,
	       ahead_visitor *take, void *data);

/* One line. */
void ahead_scan(struct span text, uint64_t offset, struct scanned *line);

#endif
