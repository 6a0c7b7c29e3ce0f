/*
 * Files as an agent has saved them before it changed them, so that a user can
 * go back to a prompt: in file-history/SESSION/ of its own folder
 * (dialect_agent.depth), under names such as HASH@v2. A file that is missing is
 * as none, since agents delete old ones, and so is one that was written at
 * another time than a line says.
 */
#ifndef SESSFS_KIT_BACKUPS_H
#define SESSFS_KIT_BACKUPS_H

#include "core/session/dialect.h"

/*
 * Tell of one file: {backupFileName, backupTime}; the name is null if there was
 * none. 0 or -errno.
 */
int backups_tell(const struct session *s, struct json path, struct json backup,
		 struct saved_files *to);

#endif
