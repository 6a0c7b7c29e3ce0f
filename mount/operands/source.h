/*
 * Opening what the user names: SOURCE, a session file or a folder of them, or a
 * FILE.
 */
#ifndef SESSFS_SOURCE_H
#define SESSFS_SOURCE_H

#include "core/places/places.h"
#include "mount/cli/command.h"

/*
 * Open the SOURCE with a name. A single session is read, with a progress bar.
 * Returns an exit status after reporting errors. The caller calls places_free()
 * in either case. Commands that take several open them in turn.
 */
int source_open(const struct options *o, const char *name,
		const struct places_attachment *attachment, struct places *p);

/* The same for a set of them, which is taken over (core/places/set.h). */
int source_open_set(const struct options *o, struct source_set *set,
		    const struct places_attachment *attachment,
		    struct places *p);

/*
 * Find the path of a SOURCE, without symlinks, for the caller to free. A folder
 * in a mount stands for what is mounted: the session that it is in, or the
 * folder of sessions. 0 or -errno. The root of a mount of several sources stays
 * as it is (source_set_mounted()).
 */
int source_path(const char *name, char **path);

/*
 * The path of a directory without symlinks, for the caller to free. NULL after
 * reporting that there is none of this name.
 */
char *source_directory(const char *name);

/*
 * A FILE that is read from a pipe, as of `sessfs --check <(zstd -dc x.zst)` or
 * /dev/stdin. Sessions are read anywhere and again, so its bytes are copied to
 * a file in $TMPDIR (/tmp), which only the user can read. It is left there if
 * the program is killed.
 */
struct piped {
	char *path; /* absolute, without symlinks; of the copy, if it is one */
	char *folder;	/* that was made for the copy; NULL: there is none */
	const char *at; /* what an error is about: FILE, or $TMPDIR */
};

/*
 * Find the path of a FILE, and copy it if it is a pipe without a name. 0 or
 * -errno. The caller calls piped_end() after an error, too.
 */
int piped_begin(struct piped *p, const char *name);

/* Remove the copy. */
void piped_end(struct piped *p);

#endif
