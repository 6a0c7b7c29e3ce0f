/*
 * Lines that tell of files which Claude Code has saved (kit/backups.h).
 *
 *     file-history-snapshot    the files that it had saved so far, as they were
 *                              when a prompt began
 *     file-history-delta       one more, just before its first edit
 *
 * Both name an entry, the prompt or the one with the call. A second snapshot of
 * a prompt repeats the first one, and is passed over.
 */
#ifndef SESSFS_CLAUDE_SAVED_H
#define SESSFS_CLAUDE_SAVED_H

#include "core/session/dialect.h"

/* See dialect_filing.saved. */
int claude_saved(const struct session *s, struct json line,
		 struct saved_files *to);

#endif
