#include "mount/commands/commands.h"

#include <unistd.h>

#include "core/file/whole.h"
#include "core/show/outline.h"
#include "mount/cli/status.h"
#include "mount/operands/session_file.h"

static int outline_print(const struct options *o)
{
	struct session_file file = { .name = o->source, .dialect = o->dialect };
	struct buf out = { 0 };
	int err = session_file_open(&file);
	if (!err)
		err = outline_add(file.session, o->color, o->columns, &out);
	int status = err ? session_file_fail(&file, err) : STATUS_OK;
	if (!status) {
		err = whole_write(STDOUT_FILENO, buf_span(&out));
		status = err ? status_output(err) : STATUS_OK;
	}
	buf_free(&out);
	session_file_close(&file);
	return status;
}

static const struct option_row rows[] = {
	OPTION_ROW_SESSION,
	OPTION_ROW_END,
};

const struct command command_outline = {
	.name = "outline",
	.usage = "SESSION",
	.help = "Print a session's tree.txt.",
	.options = rows,
	.least = 1,
	.most = 1,
	.run = outline_print,
};
