/*
 * Completing the responses on a chain (sessfs-formats(5)).
 *
 * A response of the model is on several lines, its fragments, which share a
 * message.id. The result of a tool is a child of the fragment that called it.
 * So a chain misses some fragments and results. They are added: first all
 * fragments of the response, then all its results in file order. A result or a
 * link between two fragments does not end the response; links stay after the
 * line that they follow.
 *
 * If a response has a call, the links off the chain are added in file order to
 * its results, too: a hook says something about a call in a line beside the
 * call's result. Not those that another branch goes on from.
 *
 * All fragments of a response are added, from wherever they are in the file: on
 * other branches, on sidechains, before a compaction that repeats them. If the
 * chain has it in several places, they are added to the last one; to another
 * place only those with the same parent as its first fragment there. Results
 * and links are found below the fragments, through each other; links only on
 * the same side (sidechain or not) as the chain's fragment. What the agent has
 * forgotten is not added, unless it has forgotten the chain itself
 * (claude/chain.h).
 *
 * The chain is completed up to its last speaker. What else hangs on that is
 * added behind it (claude/chain.h), unless more of its response was added
 * there.
 */
#ifndef SESSFS_CLAUDE_RESPONSE_H
#define SESSFS_CLAUDE_RESPONSE_H

#include "core/dialects/claude/chain.h"

/*
 * The chain of an entry, with its responses and its end completed. The boundary
 * above it, or INDEX_NONE, goes to *boundary, unless that is NULL. The caller
 * frees `whole` with path_free(). Takes time linear in the index. 0 or -errno.
 */
int claude_complete(const struct session *s, uint32_t entry, struct path *whole,
		    uint32_t *boundary);

/*
 * The response that an entry is part of, completed; empty if it is of none. The
 * caller frees `whole`. Returns 0 or -ENOMEM.
 */
int claude_response_load(const struct session *s, uint32_t entry,
			 struct path *whole);

/* Are these two lines of one response? */
bool claude_same_response(const struct session *s, uint32_t a, uint32_t b);

#endif
