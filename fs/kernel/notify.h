/*
 * Invalidating the kernel's caches.
 *
 * The kernel may keep attributes of files that can change within the epoch, as
 * long as it is notified (fresh_lasts() in fs/tree/fresh.h). struct cached
 * remembers of which files it may have some. A thread that enters a changed
 * session finds which sources have changed, of which entries. It invalidates
 * the attributes of the files in struct cached whose kinds have these sources,
 * and of no others. A program that walks from the root asks for a name there,
 * so it sees the change at once. For programs that stay in a folder, the
 * watching thread enters when the session file changes (fs/kernel/watch.h).
 *
 * Listings of by-id/ and tree/, of folders of sessions and of groups are
 * invalidated when they end, so that each is made anew. When an epoch ends, or
 * a session is evicted from memory, everything is invalidated.
 *
 * Attributes are enough. The kernel uses cached listings and pages only while
 * the mtime stays, and that changes with the file. A reply that was sent before
 * the invalidation has the old mtime, so the kernel drops its pages or its
 * listing when it next asks. Only attributes of a file that the kernel does not
 * have yet can be missed: fs/kernel/resend.h.
 *
 * The kernel may block an invalidation until a READ of the file is answered,
 * and that may wait for the session. So during an invalidation no session is
 * entered, and neither place.lock nor watch.lock is held.
 */
#ifndef SESSFS_NOTIFY_H
#define SESSFS_NOTIFY_H

#include "fs/kernel/fs.h"

/*
 * place_enter(), after the kernel was notified of all changes. For
 * tree_hook; `data` is the struct fs. 0, entered, or -errno.
 */
int notify_enter(void *data, struct place *at);

/* The kernel is about to cache a file's attributes. 0 or -ENOMEM. */
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

/* For edit_listener.root_changed; `data` is the struct fs. */
void notify_root(void *data, struct place *at);

#endif
