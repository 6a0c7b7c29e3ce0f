/*
 * What sessfs writes into a Claude Code session: moves of the head, and labels
 * (sessfs-formats(5)).
 *
 * In a transcript whose version of the agent honours pins, a move appends the
 * line that the agent writes itself:
 *
 *     {"type":"last-prompt","leafUuid":ID or null,"explicit":true,
 *      "sessionId":ID}
 *
 * In others it changes the sidecar only (kit/own_file.h), which does not count
 * once pins are honoured, because the agent does not know it.
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
