/*
 * Letting the user choose one of several rows: with fzf if it is installed and
 * stdin and stderr are terminals; else by number, from stderr and stdin.
 */
#ifndef SESSFS_CHOOSE_H
#define SESSFS_CHOOSE_H

#include "core/base/buf.h"

struct choose_how {
	/* A line each: a key, which is no other row's, a tab, and a text. */
	const struct buf *rows;
	size_t n;
	size_t start; /* the row that is chosen at first */
	/*
	 * A shell command for fzf's preview, or NULL. The shell has KEY, a tab
	 * and TEXT in place of {}, quoted, and this program as $SESSFS.
	 */
	const char *preview;
	const char *preview_window; /* as for fzf; NULL: the lower half */
	const char *header;	    /* fzf's: what Enter does; or NULL */
	const char *prompt;	    /* of the number; NULL: "number: " */
	bool pages; /* without fzf; an empty line shows the next one */
};

/* Is there fzf, and a terminal to use it on? */
bool choose_has_fzf(void);

/*
 * 0 with the row in *which, or with *answer, which the caller frees, if the
 * user typed another text than a number of a row. `answer` may be NULL: then
 * such a text is reported, and the exit status 1. 130 if the user gave up.
 */
int choose(const struct choose_how *how, size_t *which, char **answer);

#endif
