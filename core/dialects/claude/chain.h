/*
 * The chain of lines that the agent sees when it resumes at an entry
 * (sessfs-formats(5)).
 *
 * It leads from a root, or from below the last compaction, down to the entry.
 * It is not the entry's path in the tree: a boundary ends it, what the boundary
 * keeps follows the summary, and it goes round what the agent has forgotten
 * (claude/kept.h). At a boundary itself, and at a line between it and its
 * summary, it is the chain to the entry before, unless the agent has forgotten
 * that: then it is what there is below the boundary.
 *
 * An entry that the agent has forgotten has the chain that it would have as a
 * session of its own: sessfs can make it one (claude/branch.c).
 *
 * Behind the end of a conversation are the lines, such as attachments and local
 * commands, that hang on its last line of a user or the assistant, the speaker,
 * with no other speaker between. The agent sends all of them, in the order of
 * time, whichever of them it resumes at, and goes on behind the newest. Those
 * that belong to a call of the end come first (claude/response.h).
 */
#ifndef SESSFS_CLAUDE_CHAIN_H
#define SESSFS_CLAUDE_CHAIN_H

#include "core/session/path.h"

struct claude_chain {
	struct path path;  /* without the boundary */
	uint32_t boundary; /* above it; or INDEX_NONE */
	bool forgotten;	   /* the agent can't resume there */
};

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
 * agent has not forgotten (claude/kept.h). `list` has room for each entry of
 * the session. Returns their number.
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

#endif
