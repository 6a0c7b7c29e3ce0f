/*
 * Opening what the user names as SOURCE: a session file, or a folder of them.
 */
#ifndef SESSFS_SOURCE_H
#define SESSFS_SOURCE_H

#include "core/catalogue/catalogue.h"
#include "core/places/places.h"
#include "core/places/set.h"
#include "mount/cli/options.h"

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
 * An absolute path without symlinks, as far as it exists, for the caller to
 * free. NULL without memory.
 */
char *source_resolve(const char *path);

/*
 * Several SOURCEs in one mount: which they are, and what they are called there.
 *
 * The folders of an agent have its name; a second one, such as Codex' archive,
 * has its own name after that. What the user names has the last part of its
 * path (core/base/path_names.h).
 *
 * Functions return an exit status after reporting errors. The caller calls
 * set_free() on the zeroed set in either case.
 */

/* The folders of all agents, those that do not exist yet included. */
int source_set_agents(struct source_set *set);

/* The first n operands. Sessions among them are read once, to report errors. */
int source_set_named(struct source_set *set, const struct options *o, size_t n);

/* The rows of a selection. */
int source_set_selected(struct source_set *set,
			const struct session_rows *rows);

/* Those of a mount of several (MOUNTED_SET) that are there. */
int source_set_mounted(struct source_set *set, const char *root);

#endif
