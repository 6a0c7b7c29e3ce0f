#include "mount/cli/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/file/whole.h"

void status_report(const char *name, const char *reason)
{
	struct buf line BUF_SCOPED = { 0 };
	text_add_one_line(&line, span_of(name));
	const char *shown = buf_cstr(&line);
	fprintf(stderr, "sessfs: %s: %s\n", shown ? shown : "", reason);
}

const char *status_words(int err)
{
	return err == -ENOTUNIQ ? "several sessions' ids start or end so "
				  "(sessfs list has their ends)"
				: strerror(-err);
}

int status_unread(const char *name, int err)
{
	bool gone = err == -ESTALE || err == -EAGAIN;
	return status_fail(name, gone ? "the session was rewritten or removed "
					"while it was read"
				      : status_words(err));
}

int status_output(int err)
{
	/* It is reported once. */
	clearerr(stdout);
	return err == -EPIPE ? STATUS_FAILED
			     : status_error("standard output", err);
}

int status_print(struct buf *out)
{
	int err = whole_write_end(STDOUT_FILENO, out);
	return err ? status_output(err) : STATUS_OK;
}

int status_flush(void)
{
	int err = fflush(stdout) == EOF ? -errno : 0;
	if (!err && ferror(stdout))
		err = -EIO;
	return err ? status_output(err) : STATUS_OK;
}

int status_fail_made(const char *name, struct buf *reason)
{
	const char *text = buf_cstr(reason);
	int status =
		text ? status_fail(name, text) : status_error(name, -ENOMEM);
	buf_free(reason);
	return status;
}

int status_failf(const char *name, const char *fmt, ...)
{
	char *text;
	struct buf reason = { 0 };
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return status_error(name, -ENOMEM);
	text_add_one_line(&reason, span_of(text));
	free(text);
	return status_fail_made(name, &reason);
}
