/*
 * Groups: folders of links to sessions, made of the rows of the catalogue
 * (fs/tree/sessions.h). In the root of a set of sources (core/places/set.h),
 * sessions by their working directories, and by the days on which they were
 * last used; in the root of a session, those that go on from it
 * (core/catalogue/families.c).
 *
 *     by-project/NAME/DAY-AGENT-TITLE-ID   a link to the session
 *     by-day/DAY/HHMM-AGENT-TITLE-ID
 *     SESSION/forks/DAY-AGENT-TITLE-ID
 *
 * NAME is the directory's last part (core/base/path_names.h), or no-directory.
 * The rest is in core/catalogue/session_name.h. There are as many links in each
 * of the first two as lines in sessions.txt. Nothing is read before somebody
 * looks.
 *
 * Each listing makes the catalogue current first. A name is taken as it was if
 * the session that it leads to is as it was then; otherwise all are looked at.
 *
 * Inode numbers. The entry of a link's node is the number of the session's row,
 * and its place is SOURCE; that of a group's is a number that its directory or
 * day keeps. nth is the view. So a link whose name changes keeps its number.
 *
 * No session is entered in any function: a refresh of the catalogue enters
 * those in memory. Errors are negative errno values.
 */
#ifndef SESSFS_GROUPS_H
#define SESSFS_GROUPS_H

#include "fs/tree/tree.h"

struct groups;

/* NULL without memory, and groups_free(NULL) is allowed. */
struct groups *groups_new(void);
void groups_free(struct groups *g);

/* Is it by-project/, by-day/, a group in one, or forks/? */
bool groups_is_folder(const struct node *n);

/*
 * In all of these `dir` is such a folder. groups_scan() looks at all sessions;
 * groups_find() and groups_next() are as those in fs/tree/dir.h.
 */
int groups_scan(struct tree *t);
int groups_find(struct tree *t, const struct node *dir, struct span name,
		struct node *n);
int groups_next(struct tree *t, const struct node *dir, uint64_t *position,
		struct buf *name, struct node *n);

/* The folder that a folder is in. */
struct node groups_above(const struct node *dir);

/*
 * The attributes of a group or a link: those of SOURCE when it was scanned
 * last, with the time of the group's newest session, or of the link's. False:
 * nothing is known, or it is another node.
 */
bool groups_stat(const struct tree *t, const struct node *n, struct stat *st);

/* Changes with the names in a folder, once all sessions were looked at. */
uint64_t groups_version(const struct tree *t, const struct node *dir);

/* Append the target of a link. */
int groups_render(struct tree *t, const struct node *n, struct buf *out);

#endif
