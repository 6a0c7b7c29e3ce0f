/*
 * Giving the kernel the pages of files that it is about to ask for.
 *
 * Who walks over entries and reads them, as grep -r does, lists each entry's
 * folder and then reads what is in it. What was listed has been rendered, for
 * its size; when the kernel asks for the end of the listing it knows the files,
 * and so can take their pages. Then it need not ask for those, and (as it would
 * after a READ) for the attributes again.
 *
 * Pages of what nobody reads would be a waste, so one folder in STORE_PROBE
 * gets none: only if its files are read are those of the next ones given.
 *
 * The kernel takes a page when no READ of it is on its way. So nothing may be
 * entered meanwhile, and some thread must be there for that READ: of those that
 * have been seen to serve one at least does not store.
 */
#ifndef SESSFS_STORE_H
#define SESSFS_STORE_H

#include "fs/tree/node.h"

#define STORE_PROBE 64
#define STORE_FILES 2
#define STORE_THREADS 4
/* More than this is rather read as it is wanted. */
#define STORE_BYTES ((size_t)256 << 10)

struct fs;

struct store {
	/* All are accessed atomically. */
	uint64_t threads[STORE_THREADS]; /* that were seen; 0: none yet */
	unsigned storing;		 /* how many of them are */
	unsigned left;			 /* folders, until the next probe */
	uint64_t probe;			 /* the content of the last one, or 0 */
};

/* The files of an entry's folder, with what they hold. */
struct stored_files {
	size_t n;
	uint64_t inos[STORE_FILES];
	struct rendering *renderings[STORE_FILES];
};

/*
 * The listing of a folder is at its end; the session is entered. What is to be
 * given goes to *files; after leaving, store_files() gives and frees it.
 */
void store_prepare(struct fs *fs, const struct node *folder,
		   struct stored_files *files);
void store_files(struct fs *fs, struct stored_files *files);

/* A file is being read. */
void store_note_read(struct store *s, uint64_t ino);

#endif
