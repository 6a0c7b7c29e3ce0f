/*
 * The hits of a text, cut at the contents that it is made of.
 *
 * A grep sees one text. Context (-A, -B, -C) and the number of hits (-m) end
 * with a content all the same, as if each were searched by itself: hits that
 * are too many and context that reaches over an end are left out.
 */
#ifndef SESSFS_GREP_CUT_H
#define SESSFS_GREP_CUT_H

#include "mount/commands/grep/print.h"

/*
 * Print what grep found in the text of the printer: with -q nothing, with -l
 * the sessions. Returns whether there is a hit.
 */
bool grep_cut_print(struct grep_printer *to, struct span found);

#endif
