/*
 * The private half of catalogue.h, for the files of this folder.
 */
#ifndef SESSFS_CATALOGUE_PRIVATE_H
#define SESSFS_CATALOGUE_PRIVATE_H

#include "core/catalogue/catalogue.h"
#include "core/catalogue/store.h"

/* Free the rows, too. */
void rows_free(struct session_rows *rows);

/*
 * families.c: arrange sorted rows, which are listed: below each session those
 * that go on from it, in the order that they had, with base and summary.depth
 * set, which the caller has cleared. A family is where its first row was. Rows
 * that would be their own ancestors stay on top. 0 or -ENOMEM.
 */
int families_arrange(struct session_rows *t,
		     const struct dialect_registry *dialects);

/* -- known.c */

/* The store, during a refresh. */
struct stored {
	const struct catalogue *c;
	struct store store;
	size_t at;	 /* rows before the path that was asked for last */
	size_t found;	 /* the record that was used last */
	size_t used;	 /* how many were */
	bool is_aged;	 /* one of them, long ago */
	bool is_partial; /* some files were not found that may be there */
};

/*
 * Is the file of this version known? Then *d is the dialect of its session, or
 * NULL if it is none. In any thread.
 */
bool known_dialect(const struct stored *s, const char *path, struct version v,
		   const struct dialect **d);

/* Use what is stored, make the rest, and store that. */
int known_fill(struct catalogue *c, struct stored *s);

/* Store what was made since that was done last. */
void known_store_rest(struct catalogue *c);

/*
 * find.c: append a row for each file below the sources, in no order, with what
 * is known of it without reading it. Sets the sources' `compressed`, and
 * s->is_partial. 0 or -ENOMEM; the caller calls rows_free() in either case.
 */
int find_files(struct stored *s, struct gate *gate, struct session_rows *files);

#endif
