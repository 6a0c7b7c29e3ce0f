/*
 * build/tests/requests/main FILE...: compare the contexts of Claude Code's
 * transcripts with the requests that are recorded in them (requests.h). A judge
 * for one's own files, for which no agent is run. 0 if all are equal, 1 if one
 * is not, 2 if a file can't be read.
 */
#include <errno.h>
#include <stdio.h>

#include "mount/cli/status.h"
#include "mount/operands/session_file.h"
#include "tests/requests/requests.h"

static int check_file(const char *name)
{
	struct buf lines = { 0 };
	struct session_file f = { .name = name };
	struct request_check c = { .file = name, .out = &lines };
	int err = session_file_open(&f);
	if (!err)
		err = requests_check(f.session, &c);
	requests_add_count(&c);
	const char *text = err ? NULL : buf_cstr(&lines);
	int status = c.different > 0;
	if (text) {
		(void)fputs(text, stdout);
	} else {
		(void)session_file_fail(&f, err ? err : -ENOMEM);
		status = 2;
	}
	buf_free(&lines);
	session_file_close(&f);
	return status;
}

int main(int argc, char **argv)
{
	int worst = 0;
	for (int i = 1; i < argc; i++) {
		int status = check_file(argv[i]);
		worst = status > worst ? status : worst;
	}
	return worst;
}
