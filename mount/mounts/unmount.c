#include "mount/mounts/mount_base.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/file/proc.h"
#include "core/file/whole.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"

/* Of processes that keep a mount from being unmounted, no more are named. */
#define NAMED 4

/* So much of a process's name. */
#define COMM_SIZE 64

bool unmount_is_dead(const char *mnt)
{
	struct stat st;
	return stat(mnt, &st) < 0 &&
	       (errno == ENOTCONN || errno == ECONNABORTED);
}

/* Run fusermount3; what it prints on stderr is why it failed. */
static bool run_fusermount(const char *mnt, bool lazy, struct buf *why)
{
	const char *argv[] = { "fusermount3", lazy ? "-uz" : "-u", "--", mnt,
			       NULL };
	int status = spawn_filter(argv, NULL, why, true);
	if (status == 0)
		return true;
	if (status < 0)
		buf_addf(why, "fusermount3: %s", strerror(-status));
	return false;
}

/* What is below the mount on the disk, as its daemon has it open, does not
   count. */
static int leads_into(int at, const char *name, void *data)
{
	const char *mnt = *(const char **)data;
	char to[PATH_MAX];
	struct stat st;
	struct stat root;
	return proc_link(at, name, to) > 0 && *to == '/' &&
	       pathname_is_below(to, mnt) && fstatat(at, name, &st, 0) == 0 &&
	       stat(mnt, &root) == 0 && st.st_dev == root.st_dev;
}

/*
 * Append those that do, as "bash (1234), vim (77)". Of other users' nobody but
 * root knows.
 */
static void add_holders(const char *mnt, struct buf *out)
{
	DIR *dir = opendir("/proc");
	const struct dirent *e;
	unsigned n = 0;
	while (dir && n < NAMED && (e = readdir(dir)) != NULL) {
		char comm[COMM_SIZE + 1];
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    atol(e->d_name) == getpid())
			continue;
		int process = whole_open(dirfd(dir), e->d_name,
					 O_PATH | O_DIRECTORY, 0);
		/* Its working directory, its root, or an open file. */
		bool holds = process >= 0 &&
			     (leads_into(process, "cwd", &mnt) ||
			      leads_into(process, "root", &mnt) ||
			      proc_descriptors(process, leads_into, &mnt) > 0);
		if (holds) {
			buf_adds(out, n++ > 0 ? ", " : "");
			if (proc_read(process, "comm", comm, sizeof(comm)) >
			    0) {
				comm[strcspn(comm, "\n")] = '\0';
				text_add_one_line(out, span_of(comm));
				buf_addc(out, ' ');
			}
			buf_addf(out, "(%s)", e->d_name);
		}
		if (process >= 0)
			close(process);
	}
	if (dir)
		closedir(dir);
}

int unmount(const char *mnt, const char *cause, bool lazy)
{
	struct buf reason = { 0 };
	struct buf why BUF_SCOPED = BUF_INTO(&reason);
	struct buf holders BUF_SCOPED = BUF_INTO(&reason);
	if (run_fusermount(mnt, lazy, &why) ||
	    (getuid() == 0 && umount2(mnt, lazy ? MNT_DETACH : 0) == 0))
		return STATUS_OK;
	add_holders(mnt, &holders);
	struct span rest = holders.len > 0 ? SPAN("") : buf_span(&why);
	struct span line = span_next_line(&rest);
	buf_addf(&reason, "can't unmount it%s%s: ", cause ? ", and " : "",
		 cause ? cause : "");
	buf_add(&reason, line);
	if (line.n > 0 && memmem(line.p, line.n, "/etc/mtab", 9))
		buf_adds(&reason,
			 " (as root: ln -s /proc/self/mounts /etc/mtab)");
	if (holders.len > 0) {
		buf_adds(&reason, "it is in use by ");
		buf_add(&reason, buf_span(&holders));
	}
	return status_fail_made(mnt, &reason);
}
