/*
 * How Codex finds a thread to resume: by its id, in $CODEX_HOME/sessions. Of
 * several rollouts of a thread it takes the newest, and goes on from its end.
 * It opens none that another Codex has open. A branch is a thread of its own,
 * in the folder of the day that its id tells.
 */
#ifndef SESSFS_CODEX_RESUME_H
#define SESSFS_CODEX_RESUME_H

#include "core/session/dialect.h"

/* The functions of dialect_resuming. The first folder is sessions/. */
void codex_add_name(const struct session *s, const char *const *folders,
		    struct buf *out);
bool codex_sees_head(const struct session *s, uint32_t entry);
int codex_find_copy(const struct session *s, struct resuming_copy *c);

#endif
