/*
 * Telling the kernel what it must not keep any longer.
 *
 * Of all that is cached for as long as an epoch lasts, only the listings of
 * entries' folders can change in it: an entry gets a child. Which ones the
 * kernel has listed is remembered. Whoever enters a session and finds it grown
 * takes back those that have, before it replies, so that a walk from the root
 * sees what is new at once. For programs that stand in such a folder and ask
 * for nothing else, fs/watch.h enters when the file changes. When an epoch is
 * over, or a session is not in memory any more, all its listings are taken
 * back.
 *
 * A listing that was under way then may be kept after it was taken back. So the
 * folders that grew last, and those where the next entry is to be expected,
 * are lively: their attributes are not kept, and whoever asks for them, as the
 * kernel does before it uses a listing, has what is kept of them taken back.
 *
 * An invalidation of an inode waits for no request and takes no lock that one
 * holds, so it may be sent while the session is entered. (That of a name would
 * wait for the folder, which a LOOKUP in it holds.)
 */
#ifndef SESSFS_NOTIFY_H
#define SESSFS_NOTIFY_H

#include "fs/fs.h"

/*
 * Tell what has changed since the last time; the session is entered. True if
 * its file is watched from now on: what came meanwhile may have been missed, so
 * enter again.
 */
bool notify_news(struct fs *fs, struct place *at);

/* The folder of an entry is being listed: 0 or -ENOMEM. */
int notify_listed(const struct node *folder);

/* For places.closed; `data` is the struct fs. */
void notify_closed(void *data, struct place *at);

/* Is the folder of an entry lively? The session is entered. */
bool notify_is_lively(const struct node *folder);

/* Take back what is kept of a folder. */
void notify_folder(struct fs *fs, const struct node *folder);

/* The names in a session's root have changed, but not by the session. */
void notify_root(struct fs *fs, struct place *at);

#endif
