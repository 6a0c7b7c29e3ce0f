/*
 * What Codex notes of the files of calls, in lines that are no entries: which
 * files a patch has changed, and which ones a command has read, as the agent
 * itself has parsed it.
 */
#ifndef SESSFS_CODEX_NOTE_H
#define SESSFS_CODEX_NOTE_H

#include "core/dialects/codex/line.h"
#include "core/session/dialect.h"

/* In the session's state, in file order. */
struct codex_notes {
	struct note_place *list;
	uint32_t n;
	size_t cap;
};

/* Keep the place of a line, if it is a note. 0 or -ENOMEM. */
int codex_keep_note(const struct session *s, const struct codex_line *l,
		    const struct line_place *at);

#endif
