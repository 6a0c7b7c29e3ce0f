#include "mount/operands/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/dialects/registry.h"
#include "mount/cli/path_type.h"
#include "mount/cli/progress.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/source_set.h"
#include "mount/operands/target.h"

int source_path(const char *name, char **path)
{
	struct stat st;
	struct target t = { 0 };
	bool is_file = stat(name, &st) == 0 && !S_ISDIR(st.st_mode);
	int err = is_file ? 0 : target_look_wide(&t, name);
	*path = err ? NULL : realpath(is_file ? name : t.source, NULL);
	if (!err && !*path)
		err = -errno;
	target_free(&t);
	return err;
}

char *source_directory(const char *name)
{
	char *path = realpath(name, NULL);
	if (path && path_type_is(path, S_IFDIR))
		return path;
	if (path || errno == ENOENT || errno == ENOTDIR)
		(void)status_fail(name, "no such directory");
	else
		(void)status_error(name, -errno);
	free(path);
	return NULL;
}

static struct session_opening opening_of(const struct options *o)
{
	return (struct session_opening){ .dialects = &dialect_registry,
					 .forced = o->dialect,
					 .read_only = o->read_only,
					 .force = o->force };
}

/* The sources of a mount of several. */
static int open_mounted_set(const struct options *o, const char *root,
			    const struct places_attachment *attachment,
			    struct places *p)
{
	struct source_set set = { 0 };
	int status = source_set_mounted(&set, root);
	if (!status)
		return source_open_set(o, &set, attachment, p);
	set_free(&set);
	return status;
}

int source_open(const struct options *o, const char *name,
		const struct places_attachment *attachment, struct places *p)
{
	struct progress progress = { 0 };
	struct session_opening opening = opening_of(o);
	const char *reason = NULL;
	char *path;
	int err = source_path(name, &path);
	if (err)
		return status_error(name, err);
	if (mounted_kind_of(path) == MOUNTED_SET) {
		int status = open_mounted_set(o, path, attachment, p);
		free(path);
		return status;
	}
	/* Its mount is read-only for good, whatever becomes of the mode. */
	if (path_type_is(path, S_IFREG) && access(path, W_OK) < 0)
		opening.read_only = true;
	opening.progress = progress_at;
	opening.progress_data = &progress;
	progress_start(&progress, "reading", path, PROGRESS_DELAY);
	err = places_init(p, path, &opening, o->keep, attachment, &reason);
	progress_end(&progress);
	/* A folder's sessions are read later; only an export shows that. */
	p->opening.progress = NULL;
	p->color = o->color;
	p->columns = o->columns;
	free(path);
	return err ? status_fail(name, reason ? reason : strerror(-err))
		   : STATUS_OK;
}

int source_open_set(const struct options *o, struct source_set *set,
		    const struct places_attachment *attachment,
		    struct places *p)
{
	const struct session_opening opening = opening_of(o);
	int err = places_init_set(p, set, &opening, o->keep, attachment);
	p->color = o->color;
	p->columns = o->columns;
	return err ? status_error("sources", err) : STATUS_OK;
}
