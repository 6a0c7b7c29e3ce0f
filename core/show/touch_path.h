/*
 * The path of a file that a call names, in one spelling for each file:
 *
 *     src/wc.c       below the session's working directory
 *     (empty)        that directory
 *     /etc/passwd    elsewhere
 *     ~/notes        below the agent's home, wherever that is
 *     ../x           relative to a working directory that is not known
 *
 * A file below the working directory whose path would look like one of the
 * others begins with "./". No file is looked at: a symlink is another file.
 */
#ifndef SESSFS_TOUCH_PATH_H
#define SESSFS_TOUCH_PATH_H

#include "core/session/dialect/filing.h"

/* A longer path, or one of more parts, names no file (PATH_MAX). */
#define TOUCH_PATH_LIMIT 4095
#define TOUCH_PARTS_LIMIT 1000

/* What a path is seen from. */
struct touch_view {
	struct span cwd; /* the session's working directory; or empty */
	struct span dir; /* the call's; empty: that */
	unsigned spelling;
};

/*
 * Append the path. False, with nothing appended, if the text names no file: if
 * it is empty, too long, or the address of something else.
 */
bool touch_path_add(struct buf *out, const struct touch_view *v,
		    enum file_act act, struct span text);

/* What the parts of a path are seen from. */
enum touch_root {
	TOUCH_BELOW,   /* the working directory */
	TOUCH_OUTSIDE, /* the root, unless the first part is ".." */
	TOUCH_HOME,
};

/* Take off a path what is before its parts; and append it, given the parts. */
enum touch_root touch_path_split(struct span *path);
void touch_path_begin(struct buf *out, enum touch_root root, struct span parts);

/* A working directory as a path without "file://": normal, or empty. */
void touch_path_add_dir(struct buf *out, struct span text);

#endif
