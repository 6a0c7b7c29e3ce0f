#include "mount/commands/commands.h"

#include <errno.h>
#include <unistd.h>

#include "core/file/whole.h"
#include "core/show/outline.h"
#include "mount/cli/status.h"
#include "mount/operands/source.h"

static int add_outline(const struct options *o, struct place *at,
		       struct buf *out)
{
	int err = place_enter(at);
	if (err)
		return err;
	err = outline_add(at->session, o->color, o->columns, out);
	place_leave(at);
	return err;
}

static int outline_print(const struct options *o)
{
	struct places places = { 0 };
	struct piped file;
	struct buf out = { 0 };
	int err = piped_begin(&file, o->source);
	int status = STATUS_FAILED;
	if (err)
		status_error(file.at, err);
	else
		status = source_open(o, file.folder ? file.path : o->source,
				     NULL, &places);
	if (!status) {
		err = places.source->is_folder
			      ? -EISDIR
			      : add_outline(o, places.source, &out);
		status = err ? status_error(o->source, err) : STATUS_OK;
	}
	if (!status) {
		err = whole_write(STDOUT_FILENO, buf_span(&out));
		status = err ? status_output(err) : STATUS_OK;
	}
	buf_free(&out);
	places_free(&places);
	piped_end(&file);
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
