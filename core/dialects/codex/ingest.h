/*
 * Reading a Codex rollout: which lines are entries, and how they hang together.
 *
 * Entries are the items, messages between agents, compactions, the settings of
 * turns, rollbacks, and the events that no other line repeats (line.h). All
 * other lines are inert: they are in no listing, and only their usage is
 * counted.
 *
 * Each entry is the child of the one before it. Two lines change that:
 *
 *   thread_rolled_back  (legacy threads) What follows hangs on the entry before
 *                       the n-th last turn (rollback.c). The line itself is
 *                       bookkeeping.
 *   session_meta        (paginated threads) One that is not the first line of
 *                       its file begins the file anew.
 *
 * An entry's id is that of its payload, if no earlier entry has it. Otherwise
 * it is the line's ordinal, or in legacy threads "L" and the line's number. An
 * ordinal that another entry has is followed by "~" and the line's number.
 */
#ifndef SESSFS_CODEX_INGEST_H
#define SESSFS_CODEX_INGEST_H

#include "core/dialects/codex/codex.h"
#include "core/dialects/kit/own_file.h"
#include "core/session/dialect.h"

/* The session's now.state. */
struct codex {
	bool paginated; /* by the file's first line */
	uint32_t tip;	/* the entry that the next one hangs on */
	uint32_t base;	/* that of the file's first entry */
	uint64_t next;	/* after the highest ordinal */
	/* What agent.c asks for. Of lines: the number, 0 for none. */
	const char *meta_fault; /* of the file's first line; or NULL */
	uint32_t no_text;	/* the first that is not UTF-8 */
	uint32_t unnumbered;	/* the last that it decodes, without an ordinal,
				   if no later one has an ordinal */
	/* rollback.c's, or INDEX_NONE: a turn at or above the tip, and an entry
	   there with no turn at or above it, up to the root or a list. */
	uint32_t turn;
	uint32_t bare;
	bool bare_below_list;
};

/* See struct dialect. */
const char *codex_claims(struct json line);

/*
 * Is the line at an offset the first of a file, an ancestor's or its own, that
 * is not blank?
 */
bool codex_begins_file(const struct session *s, uint64_t offset);

#endif
