/*
 * Changes to a session: the leaf, labels, the name, new entries.
 *
 * The lock on the file (log.h), and the agent's own lock if its dialect has
 * one, are held from begin to end. The session's lock in memory is released
 * while a write waits for the disk. The dialect decides on the bytes of a
 * change (struct change).
 *
 * Errors are negative errno values. A change that fails leaves nothing behind,
 * with two exceptions: lines that were appended, and a file that was renamed
 * over the old one, stay even if syncing them or the next step of the change
 * (the start of the file, the sidecar) fails. The next change syncs them again
 * before it is decided; if that fails, it fails.
 * -ESTALE: the session was replaced meanwhile. -EBUSY: a lock is held
 * elsewhere, the file keeps changing, or its agent runs with the session open;
 * then only the sidecar can be written. If there is a reason for people, the
 * session keeps it, for `info`.
 */
#ifndef SESSFS_WRITER_H
#define SESSFS_WRITER_H

#include "core/session/session.h"

/*
 * Changes to one session. writer_begin() locks the file and enters the session;
 * writer_end() leaves and unlocks. In between the session is entered, also
 * after an error. An agent that takes no lock may write meanwhile: then the
 * change is decided again, so that a label's line has the new leaf as its
 * parent. After a change entry numbers are valid only if the epoch is the same.
 */
struct writer {
	struct session *session;
	int lock;
	void (*unlock_agent)(void *held); /* NULL: there is no such lock */
	void *held;
	struct refusal busy; /* an agent runs: the file can't be written */
	bool waited;	     /* for the agent to complete a last line */
	bool sync_later;     /* the caller calls writer_sync() */
	bool replaced;	     /* the locked file was replaced: begin again */
};

int writer_begin(struct writer *w, struct session *s);

/* The same, but -EBUSY at once if another process holds the lock on the file.
 */
int writer_try_begin(struct writer *w, struct session *s);

void writer_end(struct writer *w);

/*
 * Make an entry the leaf (INDEX_NONE: before the first). Durable on return.
 * Writes nothing if the agent goes on from it already. -ELOOP for an entry
 * below a cycle of parents: the agent would never load the session again.
 * -EINVAL for an entry from which the agent can't go on.
 */
int writer_set_head(struct writer *w, uint32_t target);

/* Set an entry's label, or clear it with an empty text. Durable on return. */
int writer_set_label(struct writer *w, uint32_t entry, struct span text);

/*
 * Set the session's name, or remove it with an empty text. Durable on return.
 * -EOPNOTSUPP if sessions of the dialect have no name, -EROFS if sessfs never
 * writes to their file.
 */
int writer_set_name(struct writer *w, struct span name);

/*
 * Append an entry made from a line (without its LF) and make it the leaf.
 * Durable on return, or after writer_sync() if `sync_later` is set. -EINVAL if
 * the line is refused.
 */
int writer_add_entry(struct writer *w, struct span line);

/* Can entries be added to the session? 0 or -EROFS. */
int writer_can_add_entries(const struct session *s);

/*
 * Keep the dialect's reason, for `info`, if entries or a name can't be written:
 * `err` is from one of the functions around this one, and returned. The caller
 * has entered the session. As session_reenter_refused().
 */
int writer_reenter_refused(struct session *s, int err);

/* Can the session be named? 0, -EROFS or -EOPNOTSUPP. */
int writer_can_set_name(const struct session *s);

/* Make the entries durable that were added since the last call. */
int writer_sync(struct writer *w);

#endif
