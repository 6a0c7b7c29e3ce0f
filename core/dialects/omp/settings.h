/*
 * The model and the thinking level of oh-my-pi's sessions (FORMATS.md, section
 * 4; 18.2.0, session-context.ts).
 */
#ifndef SESSFS_OMP_SETTINGS_H
#define SESSFS_OMP_SETTINGS_H

#include "core/session/session.h"

/*
 * The default model of the path to the leaf: the last that was set as such,
 * else that of the last assistant; and its thinking level, "off" if unset.
 */
int omp_settings(const struct session *s, uint32_t leaf, struct buf *model,
		 struct buf *thinking);

#endif
