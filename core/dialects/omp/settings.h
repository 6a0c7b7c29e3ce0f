/*
 * The model and the thinking level of oh-my-pi's sessions (session-context.ts;
 * 18.3.4).
 */
#ifndef SESSFS_OMP_SETTINGS_H
#define SESSFS_OMP_SETTINGS_H

#include "core/session/session.h"

/*
 * The default model on the path to the leaf: the last one that was set, else
 * the last assistant's; and its thinking level, "off" if it is not set.
 */
int omp_settings(const struct session *s, uint32_t leaf, struct buf *model,
		 struct buf *thinking);

#endif
