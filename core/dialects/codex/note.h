/*
 * What Codex notes of the files of calls, in lines that are no entries: which
 * files a patch has changed, and which ones a command has read, as the agent
 * itself has parsed it.
 */
#ifndef SESSFS_CODEX_NOTE_H
#define SESSFS_CODEX_NOTE_H

#include "core/dialects/codex/line.h"
#include "core/session/dialect.h"

/* Keep the place of a line, if it is a note. 0 or -ENOMEM. */
int codex_keep_note(struct session *s, const struct codex_line *l,
		    const struct line_place *at);

#endif
