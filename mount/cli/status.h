/*
 * Exit statuses, and reporting a failure: one line on stderr.
 */
#ifndef SESSFS_STATUS_H
#define SESSFS_STATUS_H

#include <string.h>

#include "core/base/buf.h"

enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* Report "sessfs: NAME: REASON", with line breaks in the name escaped. */
void status_report(const char *name, const char *reason);

static inline int status_fail(const char *name, const char *reason)
{
	status_report(name, reason);
	return STATUS_FAILED;
}

/* The words for -errno. -ENOTUNIQ is of the part of an id (selection.h). */
const char *status_words(int err);

/* The same for -errno. */
static inline int status_error(const char *name, int err)
{
	return status_fail(name, status_words(err));
}

/* The same for an error of reading a session that is or was entered. */
int status_unread(const char *name, int err);

/* The same where STATUS_FAILED is an answer, as of check. */
static inline int status_trouble(const char *name, const char *reason)
{
	status_report(name, reason);
	return STATUS_USAGE;
}

/* The same with a reason of a format, whose line breaks are escaped, too. */
int status_failf(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same with a reason that was made, which is freed. */
int status_fail_made(const char *name, struct buf *reason);

/*
 * Report an error of writing to standard output, unless it is that the reader
 * of a pipe has ended. Returns STATUS_FAILED.
 */
int status_output(int err);

/* Write a buffer to standard output, and free it. */
int status_print(struct buf *out);

/* Flush stdout, and report that this or an earlier print has failed, once. */
int status_flush(void);

#endif
