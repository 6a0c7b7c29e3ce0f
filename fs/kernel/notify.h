/*
 * Invalidating the kernel's caches.
 *
 * While an epoch lasts, the kernel may cache everything about an entry. Only
 * three things change then: the entry's folder gets children, its label is set,
 * and by-id/ and tree/ get entries. The entries that the kernel may have cached
 * are remembered (struct notified). A thread that enters a changed session
 * first invalidates the attributes of the folders and labels concerned. A
 * program that walks from the root asks for a name there, so it sees the change
 * at once. For programs that stay in a folder, the watching thread enters when
 * the session file changes (fs/kernel/watch.h).
 *
 * The folders of the leaf and of HEAD are volatile: the next change is to be
 * expected there, so the kernel caches nothing of them that can change. Of
 * by-id/ and tree/ it caches the attributes, which every path walk needs, but
 * no listing. Nor does it cache listings of folders of sessions and of forks/,
 * for which the disk is looked at, nor their attributes but in a burst
 * (fs/kernel/burst.h). When an epoch ends, or a
 * session is evicted from memory, everything is invalidated.
 *
 * Attributes are enough. The kernel uses cached listings and pages only while
 * the mtime stays, and a folder's mtime changes with each child, a label's with
 * each line that sets it. Replies that are on their way to the kernel during an
 * invalidation are of no use to it for the same reason. Only attributes of a
 * file that the kernel does not have yet can be missed: fs/kernel/resend.h.
 *
 * The kernel may block an invalidation until a READ of the file is answered,
 * and that may wait for the session. So during an invalidation no session is
 * entered, and neither place.lock nor marks.lock is held.
 */
#ifndef SESSFS_NOTIFY_H
#define SESSFS_NOTIFY_H

#include "fs/kernel/fs.h"

/*
 * place_enter(), after the kernel was notified of all changes. For
 * tree_enter_hook; `data` is the struct fs. 0, entered, or -errno.
 */
int notify_enter(void *data, struct place *at);

/*
 * The kernel is about to cache attributes of an entry's file or folder, or a
 * listing of the folder. 0 or -ENOMEM.
 */
int notify_caching(const struct node *n);

/*
 * Notify the kernel if a pinned place's session has changed. Does nothing if
 * the session is not in memory.
 */
void notify_refresh(struct fs *fs, struct place *at);

/* For places.unloaded; `data` is the struct fs. */
void notify_unloaded(void *data, struct place *at);

/* For places_attachment: frees a struct attached's sets. */
void notify_release(void *attached);

/* Is the kernel notified of a change at once, even without a request? */
bool notify_is_prompt(const struct place *at);

/* Invalidate a file's attributes. -ENOENT if the kernel has no such file. */
int notify_attributes(struct fs *fs, uint64_t ino);

/* Invalidate the cached listing of a folder. */
void notify_listing(struct fs *fs, uint64_t ino);

/* Names in a session's root have changed, but the session has not. */
void notify_root(struct fs *fs, struct place *at);

#endif
