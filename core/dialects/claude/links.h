/*
 * The lines behind the end of a conversation: attachments, local commands and
 * such that hang on its last line of a user or the assistant, the speaker, with
 * no other speaker between.
 *
 * Since 2.1.120 the agent sends all of them, in the order of time, whichever of
 * them it resumes at, and goes on behind the newest.
 */
#ifndef SESSFS_CLAUDE_LINKS_H
#define SESSFS_CLAUDE_LINKS_H

#include "core/session/session.h"

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
