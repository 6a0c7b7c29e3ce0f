/*
 * How Claude Code finds a session to resume: by its id, ID.jsonl in the folder
 * for its working directory, or else the only one in all folders (2.1.332;
 * older versions looked in the first place only). It takes any file with
 * --fork-session.
 */
#ifndef SESSFS_CLAUDE_RESUME_H
#define SESSFS_CLAUDE_RESUME_H

#include "core/session/dialect.h"

/* The functions of dialect_resuming. */
void claude_add_name(const struct session *s, const char *const *folders,
		     struct buf *out);
bool claude_sees_head(const struct session *s, uint32_t entry);
int claude_find_copy(const struct session *s, struct resuming_copy *c);

#endif
