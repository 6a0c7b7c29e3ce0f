#include "mount/mountpoint.h"

#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/base/text.h"

/* The mount point as the user wrote it, made absolute; NULL without memory. */
static char *make_absolute(const char *name)
{
	char *cwd = name[0] == '/' ? NULL : getcwd(NULL, 0);
	char *path = NULL;
	if (asprintf(&path, "%s%s%s", cwd ? cwd : "", cwd ? "/" : "", name) < 0)
		path = NULL;
	free(cwd);
	return path;
}

/* Is the topmost mount at a path a sessfs? */
static bool has_sessfs(const char *path)
{
	FILE *table = setmntent("/proc/self/mounts", "re");
	struct mntent *e;
	bool ours = false;
	if (!table)
		return false;
	/* The last of several mounts at a path is the topmost. */
	while ((e = getmntent(table)))
		if (strcmp(e->mnt_dir, path) == 0)
			ours = strcmp(e->mnt_type, "fuse.sessfs") == 0;
	endmntent(table);
	return ours;
}

/* A reason, and the command that removes its cause. */
static const char *unmount_first(struct mountpoint *m, const char *reason)
{
	buf_adds(&m->why, reason);
	buf_adds(&m->why, "; first run: fusermount3 -u ");
	text_add_shell_word(&m->why, span_of(m->path));
	const char *why = buf_cstr(&m->why);
	return why ? why : reason;
}

/* Only reasons that fusermount3 words badly, or that only the kernel finds. */
const char *mountpoint_init(struct mountpoint *m, const char *name,
			    const char *source)
{
	struct stat st;
	m->why = (struct buf){ 0 };
	m->spelled = make_absolute(name);
	m->path = realpath(name, NULL);
	if (!m->path)
		return strerror(errno);
	if (!m->spelled)
		return "out of memory";
	if (stat(m->path, &st) < 0)
		return errno != ENOTCONN
			       ? strerror(errno)
			       : unmount_first(m, "a mount whose daemon has "
						  "ended is left here");
	if (!S_ISDIR(st.st_mode))
		return "not a directory";
	if (pathname_is_below(source, m->path))
		return "the mount would hide the session";
	if (pathname_is_below(m->path, source))
		return "is inside SOURCE";
	if (has_sessfs(m->path))
		return unmount_first(m, "a session is already mounted here");
	if (access(m->path, W_OK) < 0)
		return "you need write access to mount here";
	return NULL;
}

void mountpoint_free(struct mountpoint *m)
{
	free(m->path);
	free(m->spelled);
	buf_free(&m->why);
	*m = (struct mountpoint){ 0 };
}
