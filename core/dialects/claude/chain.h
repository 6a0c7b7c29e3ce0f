/*
 * The chain of lines that the agent sees when it resumes at an entry
 * (sessfs-formats(5)).
 *
 * It leads from a root, or from below the last compaction, down to the entry.
 * It is not the entry's path in the tree: a boundary ends it, what the boundary
 * keeps follows the summary, and it goes round what the agent has forgotten.
 * At a boundary itself, and at a line between it and its summary, it is the
 * chain to the entry before, unless the agent has forgotten that: then it is
 * what there is below the boundary.
 *
 * A boundary names the messages that it keeps (struct claude_kept), either each
 * of them (preservedMessages) or the ends of a chain (preservedSegment). If one
 * of those is unknown, nothing is kept.
 *
 * When the last boundary that names any is valid, or the file has more than 5
 * MiB, the agent forgets all other lines before the last boundary of the file.
 * So they can't be the leaf any more, and what still hangs on them hangs on the
 * last kept message instead. If the last boundary keeps none, it is bridged, as
 * orphans are (core/session/bridge.h). An entry that the agent has forgotten
 * has the chain that it would have as a session of its own: sessfs can make it
 * one (claude/branch.c).
 *
 * Behind the end of a conversation are the lines, such as attachments and local
 * commands, that hang on its last line of a user or the assistant, the speaker,
 * with no other speaker between. The agent sends all of them, in the order of
 * time, whichever of them it resumes at, and goes on behind the newest. Those
 * that belong to a call of the end come first (claude/response.c).
 */
#ifndef SESSFS_CLAUDE_CHAIN_H
#define SESSFS_CLAUDE_CHAIN_H

#include "core/dialects/claude/state.h"
#include "core/session/path.h"

struct claude_chain {
	struct path path;  /* without the boundary */
	uint32_t boundary; /* above it; or INDEX_NONE */
	bool forgotten;	   /* the agent can't resume there */
};

/*
 * Find what the session's last compaction keeps, if that may have changed since
 * the last time, or `again`. 0 or -ENOMEM.
 */
int claude_kept_settle(struct session *s, bool again);

/* Has the agent forgotten the entry? */
bool claude_is_forgotten(const struct session *s, uint32_t entry);

/*
 * The nearest entry from this one up that is neither a boundary, nor a line
 * between one and its summary. Without one a boundary has none, INDEX_NONE, and
 * another entry itself.
 */
uint32_t claude_last_said(const struct session *s, uint32_t entry);

/* The caller frees chain->path. Returns 0 or -errno. */
int claude_chain_load(const struct session *s, uint32_t entry,
		      struct claude_chain *chain);

/*
 * List the lines behind a speaker, in the order of time: all, or those that the
 * agent has not forgotten. `list` has room for each entry of the session.
 * Returns their number.
 */
uint32_t claude_links(const struct session *s, uint32_t speaker, bool all,
		      uint32_t *list);

/*
 * The newest line behind the speaker of a line that may be the leaf; or the
 * speaker, if there is none.
 */
uint32_t claude_newest_link(const struct session *s, uint32_t line);

/* Is `a` the newer one? Of equally new ones it is the later. */
bool claude_is_newer(const struct session *s, uint32_t a, uint32_t b);

/* -- response.c */

/*
 * The chain of an entry, with its responses and its end completed. The boundary
 * above it, or INDEX_NONE, goes to *boundary, unless that is NULL. The caller
 * frees `whole` with path_free(). Takes time linear in the index. 0 or -errno.
 */
int claude_complete(const struct session *s, uint32_t entry, struct path *whole,
		    uint32_t *boundary);

/*
 * The response that an entry is part of, completed; empty if it is of none.
 * Results that hang elsewhere are among it only if they are wanted, which takes
 * time linear in the index. The caller frees `whole`. Returns 0 or -ENOMEM.
 */
int claude_response_load(const struct session *s, uint32_t entry,
			 bool elsewhere, struct path *whole);

/* Are these two lines of one response? */
bool claude_same_response(const struct session *s, uint32_t a, uint32_t b);

/* Is it a result that hangs on no fragment of the response with this one? */
bool claude_hangs_elsewhere(const struct session *s, uint32_t entry,
			    uint32_t fragment);

#endif
