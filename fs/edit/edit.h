/*
 * The editing layer: the files of the tree that can be written to.
 *
 *     HEAD            fs/edit/head.h moves it, with links in fs/edit/staged.h
 *     label and name  fs/edit/line_file.h, which fs/edit/line_edits.h helps
 *     append          fs/edit/append_stream.h
 *
 * Every change is appended to the session file (core/session/writer.h). State
 * that a session can't hold, such as links on their way to HEAD, is kept here
 * and overlaid on the tree (struct overlay, fs/tree/tree.h).
 *
 * Thread-safe after edit_init(). Errors are negative errno values.
 */
#ifndef SESSFS_EDIT_H
#define SESSFS_EDIT_H

#include "fs/edit/append_stream.h"
#include "fs/edit/line_edits.h"
#include "fs/edit/staged.h"
#include "fs/tree/tree.h"

/*
 * Events for the kernel's side. No session is entered during these calls, and
 * no lock is held.
 */
struct edit_listener {
	void *data;
	/* A truncation is pending: line_edits_due() may be sooner now. */
	void (*deferred)(void *data);
	/* Names in a session's root have changed, but the session has not. */
	void (*root_changed)(void *data, struct place *at);
	/* A truncation could not be applied: the file has its line again. */
	void (*restored)(void *data, uint64_t ino);
};

struct edit {
	struct tree *tree;
	struct edit_listener listener;
	struct staged staged;
	struct line_edits lines;
	struct append_streams streams;
	/*
	 * Some thread applies truncations (line_file_apply()) when they are due
	 * (line_edits_due()), so they may be deferred. The owner sets it before
	 * it serves requests.
	 */
	bool may_defer;
	/*
	 * The HEAD of the session in a file was moved, and led to `was` before;
	 * or NULL. As may_defer.
	 */
	void (*head_moved)(const char *file, const char *was);
};

/*
 * Overlay the editing layer on a tree, which must outlive it, and whose places
 * must have a struct edit_place at the start of their attachment
 * (fs/edit/staged.h). edit_free() also takes a struct edit that is zeroed.
 */
void edit_init(struct edit *e, struct tree *t,
	       const struct edit_listener *listener);
void edit_free(struct edit *e);

/*
 * Entering, for handlers of requests. They call edit_enter(), or edit_reach()
 * if they ask for attributes alone, and nothing else. Below these:
 *
 *     tree_enter()        applies no truncations: for files that nobody has
 *                         asked for yet, and to begin a write
 *     tree_enter_place()  the same for a place, whose nodes the caller makes
 *     notify_enter()      the hook of these two, in a mount
 *     place_enter()       does not notify the kernel: for programs without a
 *                         mount, and where no reply is made of the session
 *     session_enter()     for sessions without a place
 */

/*
 * tree_enter(), after the pending truncations of the session were applied, so
 * that no reader sees a line that one has cleared. None is applied if the file
 * itself has one pending: the write that replaces it may follow. Those of other
 * sessions stay pending, so that nobody waits for their locks.
 */
int edit_enter(struct edit *e, uint64_t ino, struct node *n);

/*
 * The same, but a node that is node_is_outside() is only pinned. edit_release()
 * leaves and unpins.
 */
int edit_reach(struct edit *e, uint64_t ino, struct node *n);
void edit_release(const struct node *n);

/*
 * Apply the pending truncations of the session that an inode number is in. No
 * session must be entered.
 */
void edit_apply(struct edit *e, uint64_t ino);

#endif
