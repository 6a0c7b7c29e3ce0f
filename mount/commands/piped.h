/*
 * A FILE that is read from a pipe, as of `sessfs --check <(zstd -dc x.zst)` or
 * /dev/stdin. Sessions are read anywhere and again, so its bytes are copied to
 * a file in $TMPDIR (/tmp), which only the user can read. It is left there if
 * the program is killed.
 */
#ifndef SESSFS_PIPED_H
#define SESSFS_PIPED_H

#include <stdbool.h>

struct piped {
	char *path; /* absolute, without symlinks; of the copy, if it is one */
	char *folder; /* that was made for the copy; NULL: there is none */
};

/*
 * Find the path of a FILE, and copy it if it is a pipe without a name. 0 or
 * -errno. The caller calls piped_end() after an error, too.
 */
int piped_begin(struct piped *p, const char *name);

/* Remove the copy. */
void piped_end(struct piped *p);

#endif
