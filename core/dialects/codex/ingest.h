/*
 * Reading a Codex rollout: which lines are entries, and how they hang together.
 *
 * Entries are the items, messages between agents, compactions, the settings of
 * turns, rollbacks, the events that no other line repeats, and what a newer
 * version has said (line.h). All other lines are inert: they are in no listing,
 * and only their usage is counted.
 *
 * Each entry is the child of the one before it. Two lines change that:
 *
 *   thread_rolled_back  (legacy threads) What follows hangs on the entry before
 *                       the n-th last turn. The turns that were rolled back
 *                       stay as a branch. The line itself is bookkeeping.
 *   session_meta        (paginated threads) One that is not the first line of
 *                       its file begins the file anew.
 *
 * An entry's id is that of its payload, if no earlier entry has it. Otherwise
 * it is the line's ordinal, or in legacy threads "L" and the line's number. An
 * ordinal that another entry has is followed by "~" and the line's number.
 *
 * A rollback follows 0.169.0's rules, of which there are two. The conversation
 * loses the last n messages of the user, with the notes of the harness before
 * them. And the compactions in the last n tasks with such a message are void,
 * so that what they replaced counts again. A task lasts until the next one is
 * started: a compaction after the rollback, but in its task, is void, too.
 */
#ifndef SESSFS_CODEX_INGEST_H
#define SESSFS_CODEX_INGEST_H

#include "core/dialects/kit/own_file.h"
#include "core/session/dialect.h"

/* What a rollback does to the contexts of the entries below it. */
struct codex_rollback {
	uint32_t entry;
	/* Compactions from this entry on, and before the rollback, are void. */
	uint32_t voids_from; /* or INDEX_NONE */
	/*
	 * The rollback hangs on a compaction without a list, and drops so many
	 * of the messages that it has made.
	 */
	uint64_t drops;
};

struct codex_turns; /* of the current path */

/* The session's now.state. */
struct codex {
	struct own_file own; /* HEAD and labels */
	bool paginated;	     /* by the file's first line */
	uint32_t tip;	     /* the entry that the next one hangs on */
	uint32_t base;	     /* that of the file's first entry */
	uint64_t next;	     /* after the highest ordinal */
	/* What agent.h asks for. Of lines: the number, 0 for none. */
	const char *meta_fault; /* of the file's first line; or NULL */
	uint32_t no_text;	/* the first that is not UTF-8 */
	uint32_t unnumbered;	/* the last not skipped, without an ordinal */
	struct codex_rollback *rollbacks; /* in the order of entries */
	size_t n_rollbacks;
	size_t cap_rollbacks;
	/* Compactions in a task after it was rolled back, in their order. */
	uint32_t *voids;
	size_t n_voids;
	size_t cap_voids;
	struct codex_turns *turns;
};

/* The functions are those of struct dialect. */
const char *codex_claims(struct json line);
int codex_ingest(struct session *s, struct json line,
		 const struct line_place *at);
int codex_ingest_sidecar(struct session *s, struct span bytes, bool there);
int codex_find_leaf(struct session *s);
void *codex_state_new(void);
void codex_state_free(void *state);

/*
 * Is the line at an offset the first of a file, an ancestor's or its own, that
 * is not blank?
 */
bool codex_begins_file(const struct session *s, uint64_t offset);

/* The rollback that an entry is; NULL for other entries. */
const struct codex_rollback *codex_rollback_at(const struct session *s,
					       uint32_t entry);

/*
 * Which compactions are void for a leaf: those in a task that had been rolled
 * back before them, and those that are by a rollback up to the leaf, on the
 * path or not. codex_is_void() is asked from the leaf upwards, each time with a
 * lower entry.
 */
struct codex_voids {
	const struct codex *of;
	size_t rollbacks; /* those before it come before the last entry */
	uint32_t from;	  /* what the others make void, if it precedes them */
};

struct codex_voids codex_voids_for(const struct session *s, uint32_t leaf);
bool codex_is_void(struct codex_voids *v, uint32_t entry);

#endif
