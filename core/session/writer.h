/*
 * Changes to a session: the leaf, labels, the name, new entries.
 *
 * The lock on the file (log.h), and the owner's where its dialect knows one,
 * are held from begin to end; the lock in memory is not, while the disk is
 * waited for. How a change is written is the dialect's (struct change).
 *
 * Errors are negative errno values. Of a change that fails nothing is left, but
 * for lines that were appended before the disk, or what is written after them,
 * failed. -ESTALE: the session has become another one meanwhile. -EBUSY: a lock
 * can't be had, the file never stays as it is, or its agent runs with the
 * session open; the session keeps the last, for `info`.
 */
#ifndef SESSFS_WRITER_H
#define SESSFS_WRITER_H

#include "core/session/session.h"

/*
 * A change to the session. Begin takes the file's lock and enters the session;
 * end leaves and unlocks. In between the session is entered. An agent that
 * takes no lock may write all the same: a change that was decided before that
 * is decided anew, so that a label hangs on what is the leaf then. After a
 * change entries' numbers are good only if the epoch has stayed.
 */
struct writer {
	struct session *session;
	int lock;
	void (*unlock_owner)(void *held); /* NULL: nothing is held */
	void *held;
	bool waited; /* for a last line that was still being written */
	bool later;  /* lines are brought to the disk by writer_sync() */
	/* Another file has taken the locked one's place: begin again. */
	bool replaced;
};

int writer_begin(struct writer *w, struct session *s);
void writer_end(struct writer *w);

/*
 * Make an entry the leaf (INDEX_NONE: before the first). Durable on return.
 * Nothing is written if it is the leaf already, or where HEAD points. -ELOOP
 * for an entry below a cycle of parents: the agent would never load it again.
 */
int writer_set_head(struct writer *w, uint32_t target);

/* Set an entry's label, or clear it with an empty text. Durable on return. */
int writer_set_label(struct writer *w, uint32_t entry, struct span text);

/*
 * The same for the session's name. -EOPNOTSUPP where sessions have none, and
 * -EROFS where the session file is not to be written to.
 */
int writer_set_name(struct writer *w, struct span name);

/*
 * Append an entry made of a line (without its LF) and make it the leaf, as
 * dialect.h has it. Durable after writer_sync(), which several may share.
 * -EINVAL where the line is refused; the session keeps why, for `info`.
 */
int writer_add_entry(struct writer *w, struct span line);

/* Can the session take entries, as it is now? 0 or -EROFS. */
int writer_can_add_entries(const struct session *s);

/* Can the session be named? 0, -EROFS or -EOPNOTSUPP. */
int writer_can_set_name(const struct session *s);

/* What writer_add_entry() has written is on the disk from here on. */
int writer_sync(struct writer *w);

#endif
