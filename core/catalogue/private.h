/*
 * The private half of catalogue.h, for the files of this folder.
 */
#ifndef SESSFS_CATALOGUE_PRIVATE_H
#define SESSFS_CATALOGUE_PRIVATE_H

#include "core/catalogue/catalogue.h"
#include "core/catalogue/find.h"
#include "core/catalogue/store.h"

/* rows.c: let the rows be those of the files that were found. 0 or -ENOMEM. */
int rows_take_files(struct catalogue *c, const struct found_list *f);

/* known.c */

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

/* finding_files.is_known, with a struct stored as `data`. */
bool known_dialect(void *data, const char *path, struct version v,
		   const struct dialect **d);

/* Use what is stored, make the rest, and store that. */
int known_fill(struct catalogue *c, struct stored *s);

/* Store what was made since that was done last. */
void known_store_rest(struct catalogue *c);

#endif
