#include "mount/commands/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/dialects/registry.h"
#include "mount/commands/progress.h"
#include "mount/commands/status.h"

int source_open(const struct options *o, const char *name,
		const struct places_attachment *attachment, struct places *p)
{
	struct progress progress = { 0 };
	const struct session_opening opening = { .dialects = &dialect_registry,
						 .forced = o->dialect,
						 .read_only = o->read_only,
						 .force = o->force,
						 .progress = progress_at,
						 .progress_data = &progress };
	const char *reason = NULL;
	char *path = realpath(name, NULL);
	if (!path)
		return status_fail(name, strerror(errno));
	progress_start(&progress, "reading", path, PROGRESS_DELAY);
	int err = places_init(p, path, &opening, o->keep, attachment, &reason);
	progress_end(&progress);
	/* A folder's sessions are read later; only an export shows that. */
	p->opening.progress = NULL;
	p->color = o->color;
	p->columns = o->columns;
	free(path);
	return err ? status_fail(name, reason ? reason : strerror(-err))
		   : STATUS_OK;
}
