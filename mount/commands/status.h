/*
 * Exit statuses, and reporting a failure.
 */
#ifndef SESSFS_STATUS_H
#define SESSFS_STATUS_H

#include "core/places/folder.h"

enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/*
 * Report a failure: one line on stderr, "sessfs: NAME: REASON", with line
 * breaks in the name escaped. Returns STATUS_FAILED.
 */
int status_fail(const char *name, const char *reason);

/* Say in one line that compressed sessions of a SOURCE are not read, if any. */
void status_compressed(const char *source, const struct compressed *c);

#endif
