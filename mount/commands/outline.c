#include "mount/commands/commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/file/whole.h"
#include "core/show/outline.h"
#include "mount/commands/output.h"
#include "mount/commands/piped.h"
#include "mount/commands/source.h"
#include "mount/commands/status.h"

static int print_session(const struct options *o, struct place *at)
{
	struct buf out = { 0 };
	int err = place_enter(at);
	if (!err) {
		err = outline_add(at->session, o->color, o->columns, &out);
		place_leave(at);
	}
	int status = STATUS_OK;
	if (err)
		status = status_fail(o->source, strerror(-err));
	else
		err = whole_write(STDOUT_FILENO, buf_span(&out));
	if (err && !status)
		status = output_fail(err);
	buf_free(&out);
	return status;
}

int outline_print(const struct options *o)
{
	struct places places = { 0 };
	struct piped file;
	int err = piped_begin(&file, o->source);
	int status = STATUS_FAILED;
	if (err)
		status_fail(o->source, strerror(-err));
	else
		status = source_open(o, file.folder ? file.path : o->source,
				     NULL, &places);
	if (!status && places.source->is_folder)
		status = status_fail(o->source, strerror(EISDIR));
	else if (!status)
		status = print_session(o, places.source);
	places_free(&places);
	piped_end(&file);
	return status;
}
