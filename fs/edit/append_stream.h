/*
 * Writing `append`: lines that become entries (core/session/writer.h,
 * writer_add_entry()).
 *
 * Lines come in pieces, and pieces of several writers at once. There is no OPEN
 * to tell writers apart (fs/kernel/fs.h). But who opens the file by its name
 * looks it up, and each lookup of it gives another inode number: that of an
 * opening. So what is written to one number is one stream, whichever processes
 * share the open file; and no two openings share one. stat(2) shows the same
 * number for all of them (ino_shown()). Offsets mean nothing.
 *
 * Whole lines are written at once. What comes behind the last newline is kept
 * until the rest comes, or until the kernel forgets the number, which nobody
 * has open any more then. It is a line too as soon as its object is closed:
 * nothing but white space can follow, and no newline need come.
 *
 * A write takes all lines up to the first that is refused, and nothing of that:
 * it is short, or, where that line is its first, fails. The beginning of a line
 * that was refused is dropped, so that others can follow. But of a large write
 * the kernel makes several, and after the short one its writer comes with the
 * end of that line again: that is no line of its own, and refused as before.
 */
#ifndef SESSFS_APPEND_H
#define SESSFS_APPEND_H

#include <pthread.h>
#include <stdint.h>

#include "core/base/buf.h"

/* The longest line: of pictures, mostly. */
#define APPEND_LINE ((size_t)256 << 20)

/* How many beginnings of lines are kept, and how many bytes of them. */
#define APPENDS_MOST 1000
#define APPENDS_BYTES ((size_t)1 << 30)

/* How far the object is that a line begins with. */
struct append_scan {
	size_t depth;
	bool string;
	bool escaped;
	bool closed;
};

/* The beginning of a line, that came by one opening. */
struct append {
	uint64_t ino;
	struct buf line;
	struct append_scan scan;
	/* The end of the last one that was refused, and how; else empty. */
	struct buf refused;
	int why;
	bool too_long; /* it was: nothing is taken until a newline comes */
	bool room;     /* for more that is to be kept */
	struct append *next;
};

struct appends {
	pthread_mutex_t lock;
	struct append *list;
	size_t n;
	size_t bytes;
	uint64_t openings; /* so far; atomic access */
};

struct fs;
struct node;

int appends_init(struct appends *a);
void appends_free(struct appends *a);

/* Make a node that of a new opening: no other has its number. */
void append_number(struct appends *a, struct node *n);

/* The kernel has forgotten an inode number, of whatever file. */
void append_forget(struct appends *a, uint64_t ino);

/*
 * Bytes that are written to an opening; *taken is how many of them were. All
 * entries made of them are on the disk. The session must not be entered. 0 or
 * -errno: -EINVAL for a line that is refused, -EFBIG for one that is too long,
 * -ENOBUFS for the beginning of one where too much has been begun.
 */
int append_write(struct fs *fs, uint64_t ino, struct span data, size_t *taken);

#endif
