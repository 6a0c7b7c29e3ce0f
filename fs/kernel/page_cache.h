/*
 * Pushing pages of files into the kernel's cache before it asks for them.
 *
 * A program that walks over entries and reads them, such as grep -r, lists each
 * entry's folder and then reads the files in it. Listing has rendered the
 * files, for their sizes. When the kernel asks for the end of a listing it has
 * the inodes, so their pages can be stored (notify_store). That saves the
 * READs, and the GETATTRs that the kernel sends after a READ.
 *
 * Storing pages that nobody reads would be a waste. So one folder in
 * PAGES_PROBE gets none: only if its files are read are the pages of the next
 * folders stored.
 *
 * Other programs first list everything and then read it, such as
 * find -exec cat {} +. If contents are read in file order, the files of the
 * next PAGES_AHEAD entries are stored before the READ is answered.
 *
 * notify_store blocks while a READ of the page is in flight. So no session may
 * be entered meanwhile, and at least one of the worker threads seen so far must
 * not be storing, to serve that READ. A worker that has a READ to answer stores
 * only pages of later entries than that READ's, so no two workers wait for each
 * other.
 */
#ifndef SESSFS_PAGE_CACHE_H
#define SESSFS_PAGE_CACHE_H

#include "fs/tree/cache.h"
#include "fs/tree/node.h"

#define PAGES_PROBE 64
#define PAGES_FILES 2
#define PAGES_THREADS 4
/* Entries whose files are read ahead at a time. */
#define PAGES_AHEAD 16
/* Pages of larger files are read on demand. */
#define PAGES_BYTES ((size_t)256 << 10)

struct fs;

/* All members are accessed atomically. */
struct pages {
	uint64_t threads[PAGES_THREADS]; /* seen so far; 0: a free slot */
	unsigned storing;		 /* how many of them are storing */
	unsigned left;			 /* folders until the next probe */
	uint64_t probe; /* the content file of the last probe, or 0 */
	uint64_t next;	/* the content file that continues a sequence */
	unsigned pause; /* READs until files are read ahead again */
};

/* The files of an entry's folder whose pages are to be stored. */
struct pages_batch {
	size_t n;
	uint64_t inos[PAGES_FILES];
	struct rendering *renderings[PAGES_FILES];
};

/*
 * A listing of an entry's folder has reached its end. pages_prepare() fills the
 * batch while the session is entered; pages_store() stores and frees it after
 * the session was left, and returns false if it could not store all of them.
 */
void pages_prepare(struct fs *fs, const struct node *folder,
		   struct pages_batch *batch);
bool pages_store(struct fs *fs, struct pages_batch *batch);

/* A READ of a file has arrived. */
void pages_record_read(struct pages *p, uint64_t ino);

/*
 * A READ of a file, from its start, is about to be answered. If it is the
 * content of the entry after the one that was read before, store the pages of
 * the entries that follow. No session is entered.
 */
void pages_read_ahead(struct fs *fs, uint64_t ino);

#endif
