/*
 * What is said when something will not do: one line on stderr, and the exit
 * status.
 */
#ifndef SESSFS_STATUS_H
#define SESSFS_STATUS_H

enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/*
 * "sessfs: NAME: REASON" on stderr; the name is made to stay on the line. It is
 * STATUS_FAILED.
 */
int status_fail(const char *name, const char *reason);

#endif
