#include "mount/commands/status.h"

#include <stdio.h>

#include "core/base/buf.h"
#include "core/base/text.h"

int status_fail(const char *name, const char *reason)
{
	struct buf line = { 0 };
	text_add_one_line(&line, span_of(name));
	const char *shown = buf_cstr(&line);
	fprintf(stderr, "sessfs: %s: %s\n", shown ? shown : "", reason);
	buf_free(&line);
	return STATUS_FAILED;
}
