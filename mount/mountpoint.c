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
#include "mount/cli/status.h"

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

/* Report a reason, and the command that removes its cause. */
static int unmount_first(const struct mountpoint *m, const char *name,
			 const char *reason)
{
	struct buf why = { 0 };
	buf_adds(&why, reason);
	buf_adds(&why, "; first run: fusermount3 -u ");
	text_add_shell_word(&why, span_of(m->path));
	return status_fail_made(name, &why);
}

/* Why nothing can be mounted there, or NULL. */
static const char *find_overlap(const char *path, const char *const *sources)
{
	for (; *sources; sources++) {
		if (pathname_is_below(*sources, path))
			return "the mount would hide the session";
		if (pathname_is_below(path, *sources))
			return "is inside SOURCE";
	}
	return NULL;
}

/* Only reasons that fusermount3 words badly, or that only the kernel finds. */
int mountpoint_init(struct mountpoint *m, const char *name,
		    const char *const *sources)
{
	struct stat st;
	char *cwd = name[0] == '/' ? NULL : getcwd(NULL, 0);
	m->spelled = cwd ? pathname_join(cwd, name) : strdup(name);
	free(cwd);
	m->path = realpath(name, NULL);
	if (!m->path)
		return status_error(name, -errno);
	if (!m->spelled)
		return status_fail(name, "out of memory");
	if (stat(m->path, &st) < 0)
		return errno != ENOTCONN
			       ? status_error(name, -errno)
			       : unmount_first(m, name,
					       "a mount whose daemon has "
					       "ended is left here");
	if (!S_ISDIR(st.st_mode))
		return status_fail(name, "not a directory");
	const char *overlap = find_overlap(m->path, sources);
	if (overlap)
		return status_fail(name, overlap);
	if (has_sessfs(m->path))
		return unmount_first(m, name,
				     "a session is already mounted here");
	/* Root can mount on a read-only disk; fusermount3 refuses users. */
	if (geteuid() != 0 && access(m->path, W_OK) < 0)
		return status_fail(name, "you need write access to mount here");
	/* fusermount3, which is setuid, checks that it can be opened. */
	if (stat("/dev/fuse", &st) < 0)
		return status_error("/dev/fuse", -errno);
	/* Without /etc/mtab fusermount3 mounts for a user but can't unmount. */
	if (geteuid() != 0 && access("/etc/mtab", R_OK) < 0)
		return status_fail("/etc/mtab",
				   "fusermount3 needs it to unmount, but can't "
				   "read it; if it is missing, run as root: "
				   "ln -s ../proc/self/mounts /etc/mtab");
	return STATUS_OK;
}

void mountpoint_free(struct mountpoint *m)
{
	free(m->path);
	free(m->spelled);
}
