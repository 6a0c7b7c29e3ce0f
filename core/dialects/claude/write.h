/*
 * What sessfs writes into a Claude Code session: moves of the head, and labels.
 *
 * In a transcript whose version of the agent honours pins, a move appends the
 * line that the agent writes itself:
 *
 *     {"type":"last-prompt","leafUuid":ID or null,"explicit":true,
 *      "sessionId":ID}
 *
 * The next `claude --resume` or `--continue` goes on from there, or from the
 * beginning for null. What the agent appends after it counts more.
 *
 * An agent that ignores the line would resume elsewhere, and one that has the
 * session open would undo it. In a transcript of an older
 * version a move changes the sidecar only (kit/own_file.h). The other way
 * round, a head in the sidecar does not count once pins are honoured, because
 * the agent does not know it. The next move removes it.
 *
 * Refused with -EINVAL are all moves in the session of a subagent, which the
 * agent does not resume, and entries from which the agent would not go on:
 *
 *   - those of subagents: it finds no conversation then
 *   - boundaries of compactions, progress lines, unknown types, and those
 *     without a line of a user or the assistant at or above them: it ignores
 *     the pin
 *   - those that a compaction has dropped (claude/kept.h)
 *
 * From some entries the agent goes on a little further down: from a call, with
 * its results; from any entry, with the attachments and system lines that
 * follow it. These moves are made. Behind the results of a call the agent
 * leaves out those from which another branch goes on. HEAD is then at the last
 * result, whose own context has them.
 */
#ifndef SESSFS_CLAUDE_WRITE_H
#define SESSFS_CLAUDE_WRITE_H

#include "core/dialects/claude/state.h"
#include "core/session/dialect.h"

/*
 * Does a line in the transcript move the head to an entry, or to the place
 * before the first, and not the sidecar? The newest `version` in the
 * transcript's lines decides: the agent that wrote it last is the one that will
 * most likely resume it. 2.1.120 was the first to honour pins, and 2.1.191 the
 * first for the place before all entries. In a transcript that names no
 * version, a line does.
 */
bool claude_pins(const struct session *s, bool before_first);

/* Write what a line that pins the leaf has, but for the session's id. */
void claude_pin(struct json_writer *w, const struct session *s, uint32_t leaf);

/*
 * Append such a line; the leaf's id and the session's are JSON. 0 or -ENOMEM.
 */
int claude_add_pin(struct buf *out, const struct buf *leaf,
		   const struct buf *id);

/* Note a line's `version`. */
void claude_note_version(struct claude *c, struct json version);

#endif
