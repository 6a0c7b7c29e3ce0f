/*
 * Listing sessions: the files of some sources, and a summary of each
 * (core/catalogue/summaries.h), from the cache if it has it.
 *
 *     struct listing l = { 0 };
 *     listing_add(&l, source);
 *     int err = listing_make(&l);
 *     ... l.table.rows ...
 *     listing_free(&l);
 */
#ifndef SESSFS_LIST_H
#define SESSFS_LIST_H

#include "core/file/version.h"
#include "core/places/folder.h"
#include "core/catalogue/summaries.h"
#include "core/catalogue/store.h"

/* A file that may be a session, or a folder. */
struct list_file {
	char *shown; /* its path below the source as given */
	char *path;  /* absolute, without symlinks */
	struct version was;
	size_t source;	/* in the order of listing_add() */
	bool is_source; /* named by the user */
	bool is_of_set; /* of a mount of several sources */
};

struct list_files {
	struct list_file *list;
	size_t n;
	size_t cap;
};

struct listing {
	const struct dialect *dialect; /* forced, or NULL */
	bool is_quiet;		       /* does not report what fails */
	/* Optional: is a file of interest? */
	bool (*wants)(void *data, const struct list_file *f);
	/* Optional: is a file that is not in the cache worth reading? */
	bool (*reads)(void *data, const struct list_file *f);
	void *data;

	/* A row for each file, sorted as lines are; `owned` is the list_file.
	 */
	struct summaries table;
	int status; /* STATUS_FAILED if something could not be read */

	/* private */
	struct list_files files; /* by path, once all are found */
	struct list_files folders;
	size_t n_sources;
	struct list_cache cache;
	struct folder_index *names;
	struct gate *gate;
	struct compressed compressed; /* of the source that is searched */
};

/* Find the files of a source: a file, or a folder, at any depth. */
void listing_add(struct listing *l, const char *name);

/* Make the rows. 0 or -ENOMEM. */
int listing_make(struct listing *l);
void listing_free(struct listing *l);

#endif
