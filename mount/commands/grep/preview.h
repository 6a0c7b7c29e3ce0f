/*
 * What fzf shows of a hit: its session and entry, and the lines before and
 * after it, with the end of the entry before and the start of the next one.
 *
 * The hit is given as a key, LINE:ENTRY:PATH. In ENTRY and PATH a "%", ":" and
 * control characters are percent-escaped.
 */
#ifndef SESSFS_GREP_PREVIEW_H
#define SESSFS_GREP_PREVIEW_H

#include "core/base/buf.h"
#include "mount/commands/grep/rows.h"

void grep_preview_add_key(struct buf *out, const struct grep_row *hit);

/* Print it, given NUMBER:KEY. Returns an exit status. */
int grep_preview_print(const char *key);

#endif
