/*
 * Writing `append`: lines that become entries of the session
 * (core/session/writer.h, writer_add_entry()).
 *
 * Several programs may write at once, each line in pieces. There is no OPEN to
 * tell them apart (fs/kernel/fs.h). But a program that opens the file by name
 * looks it up, and each lookup returns another inode number. So the writes to
 * one number are one stream, from the processes that share one open file, and
 * no two openings share a number. stat(2) reports the same number for all of
 * them (ino_shown()). Offsets are ignored.
 *
 * A stream is split into lines (fs/edit/line_splitter.h). A write accepts all
 * lines up to the first that is refused: it is short, or fails if that line is
 * its first. The beginning of an unfinished line is kept until its end arrives,
 * or until the kernel forgets the inode number because nobody has it open.
 */
#ifndef SESSFS_APPEND_STREAM_H
#define SESSFS_APPEND_STREAM_H

#include <pthread.h>
#include <stdint.h>

#include "fs/edit/line_splitter.h"
#include "fs/tree/node.h"

/* How many streams may have an unfinished line, with how many bytes in all. */
#define APPEND_STREAMS_MAX 1000
#define APPEND_STREAMS_BYTES ((size_t)1 << 30)

/* A stream with an unfinished line, or one that is being written to. */
struct append_stream {
	uint64_t ino;
	size_t counted; /* its share of append_streams.bytes */
	struct line_splitter splitter;
	struct append_stream *next;
};

/* Thread-safe: `lock` protects the list, but not a stream outside of it. */
struct append_streams {
	pthread_mutex_t lock;
	struct append_stream *list; /* without those being written to */
	size_t n;		    /* with these */
	size_t bytes;		    /* that they keep, or may keep now */
	uint64_t openings;	    /* so far; atomic access */
};

struct edit;

void append_streams_free(struct append_streams *a);

/* Make a node of `append` that of a new opening, with a number of its own. */
void append_stream_number(struct append_streams *a, struct node *n);

/* The kernel has forgotten an inode number, of whatever file. */
void append_stream_forget(struct append_streams *a, uint64_t ino);

/*
 * Append bytes to the stream of an opening; *consumed is how many were
 * accepted. The entries made of them are durable on return. The session must
 * not be entered. 0 or -errno: -EROFS if the session takes no entries, or as
 * for line_splitter_feed().
 */
int append_stream_write(struct edit *e, uint64_t ino, struct span data,
			size_t *consumed);

#endif
