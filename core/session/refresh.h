/*
 * Keeping a session up to date with its file (session.h, "Freshness").
 *
 * All functions but refresh_is_fresh() need the session's write lock.
 */
#ifndef SESSFS_REFRESH_H
#define SESSFS_REFRESH_H

#include "core/session/session.h"

/*
 * Read a session whose log has just been opened. 0 or -errno; *reason is as for
 * session_open().
 */
int refresh_first(struct session *s, const char **reason);

/*
 * Bring the session up to date. 0 or -errno. If the file could not be read as a
 * whole, the session is empty until a later call succeeds.
 */
int refresh(struct session *s);

/* Would refresh() change nothing? Needs the read lock. */
bool refresh_is_fresh(const struct session *s);

/* Give the session a new version, and a later time than it ever had. */
void refresh_stamp(struct session *s);

#endif
