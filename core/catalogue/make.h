/*
 * Making the summaries of rows whose files have changed, on all processors.
 */
#ifndef SESSFS_MAKE_H
#define SESSFS_MAKE_H

#include "core/catalogue/catalogue.h"

/*
 * Make what is not known of these rows. Several threads together may need more
 * descriptors than there are: those rows are tried again by one alone. 0, or an
 * error of a row that is for lack of memory or descriptors.
 */
int make_rows(const struct catalogue *c, struct session_row **rows, size_t n);

#endif
