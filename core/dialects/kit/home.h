/*
 * Paths in a home directory, as agents make them of environment variables and
 * settings. Functions that append to a buffer let it fail when memory runs out.
 */
#ifndef SESSFS_KIT_HOME_H
#define SESSFS_KIT_HOME_H

#include "core/session/dialect/home.h"

/* A variable; NULL if it is not set, or empty. */
const char *home_variable(const char *name);

/* Append $HOME, else the user's home directory, without slashes at its end. */
void home_add(struct buf *out);

/* Append a path. Agents expand a "~" at its start. */
void home_add_path(struct buf *out, struct span path);

/* Append the path that a variable has; else ~/DEFAULT. */
void home_add_variable(struct buf *out, const char *name,
		       const char *otherwise);

/* The same, of an agent that does not expand the variable's value. */
void home_add_plain_variable(struct buf *out, const char *name,
			     const char *otherwise);

/* Append the text with a dash for each slash, backslash and colon. */
void home_add_dashed(struct buf *out, struct span text);

/* The same for each UTF-16 unit that is no ASCII letter or digit. */
void home_add_letters(struct buf *out, struct span text);

/*
 * Append Pi's name for the folder of a directory's sessions, which oh-my-pi has
 * for some, too.
 */
void home_add_absolute_name(struct buf *out, const char *dir);

/* Add FOLDER/NAME to what is found. */
int home_found(const struct home_search *h, const struct buf *folder,
	       struct span name, bool shared);

/*
 * Find projects/NAME of the agent's folder, with a name of letters for each
 * working directory, and `below` behind it; or `projects` itself. Agents cut a
 * name that is longer than the limit, and add a hash.
 */
int home_find_projects(const struct home_search *h,
		       void (*add_folder)(struct buf *out), const char *below,
		       size_t limit);

/*
 * Call for each folder in a folder whose name begins with this text, sorted by
 * name: `visit` gets its path. One that can't be read has none. 0 or -errno.
 */
typedef int home_visit_fn(void *data, struct span path);
int home_each(const struct buf *folder, struct span start, home_visit_fn *visit,
	      void *data);

#endif
