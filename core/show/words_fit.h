/*
 * The words of an entry (core/show/words.h) in the columns that there are.
 */
#ifndef SESSFS_WORDS_FIT_H
#define SESSFS_WORDS_FIT_H

#include "core/base/columns.h"
#include "core/show/calls.h"

/*
 * Append calls and a text in at most `most` columns. Both are shown in part if
 * both together do not fit. Of a call the name is kept longest; short arguments
 * leave their room to long ones. Calls without room for their names are
 * counted: " +2". Those that are answered come before the text, with "error"
 * where they failed, others after it.
 */
void words_fit(struct buf *out, const struct call_list *l, bool answered,
	       struct span text, size_t most);

#endif
