/*
 * Telling the kernel what it must not keep any longer.
 *
 * While an epoch lasts, all that the kernel may keep of an entry stays as it
 * is, but for two things: its folder gets children, and its label is set. And
 * by-id/ and tree/ get entries. Which entries the kernel may know is remembered
 * (`shown`); whoever enters a session and finds it changed takes back the
 * attributes of those folders and labels before it replies, so that a walk from
 * the root, whose names are always asked for, sees what is new at once. For
 * programs that stand in a folder and ask for nothing else, fs/kernel/watch.h
 * enters when the file changes. (Of by-id/ and tree/ only the attributes are
 * kept, which each step through them needs; their listings are always asked
 * for.) The leaf's and HEAD's folder, where the next change is to be expected,
 * are volatile: there nothing that can change is kept. When an epoch is over,
 * or a session is not in memory any more, all is taken back.
 *
 * With the attributes goes all else. Listings and pages are used only as long
 * as an mtime holds, and that of a folder is another with each child that
 * comes, that of a label with each line that sets it: what was on its way to
 * the kernel when it was taken back is of no use to it. Nor are attributes of a
 * file that it knows; of one that it does not know yet: fs/kernel/resend.h.
 *
 * To take back a file may mean to wait for a READ of it, which may wait for the
 * session: nothing is entered meanwhile, and no lock is held.
 */
#ifndef SESSFS_NOTIFY_H
#define SESSFS_NOTIFY_H

#include "fs/kernel/fs.h"

/*
 * Enter a session whose place is pinned, once the kernel has been told what has
 * changed in it: as place_enter().
 */
int notify_enter(void *fs, struct place *at);

/*
 * The kernel is about to get, to keep, attributes of an entry's file or folder,
 * or a listing of that. 0 or -ENOMEM.
 */
int notify_shown(const struct node *n);

/*
 * Enter a session that is in memory, and leave it, if its file has changed or
 * the kernel has not been told all of it. Of others no file is opened. The
 * place is pinned.
 */
void notify_refresh(struct fs *fs, struct place *at);

/* For places.unloaded; `data` is the struct fs. */
void notify_unloaded(void *data, struct place *at);

/* Is an entry's folder volatile? The session is entered. */
bool notify_is_volatile(const struct node *n);

/* Will the kernel be told of a change soon, even if nobody asks? */
bool notify_is_prompt(const struct place *at);

/* Take back a file's attributes: -ENOENT if the kernel knows no such file. */
int notify_attributes(struct fs *fs, uint64_t ino);

/* A listing is not to be kept; it is at its end. */
void notify_listing(struct fs *fs, uint64_t ino);

/* The names in a session's root have changed, but not by the session. */
void notify_root(struct fs *fs, struct place *at);

#endif
