#include "mount/mounts/unmount.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"
#include "mount/mounts/holders.h"

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

int unmount(const char *mnt, const char *cause, bool lazy)
{
	struct buf why = { 0 };
	struct buf reason = { 0 };
	struct buf holders = { 0 };
	if (run_fusermount(mnt, lazy, &why) ||
	    (getuid() == 0 && umount2(mnt, lazy ? MNT_DETACH : 0) == 0)) {
		buf_free(&why);
		return STATUS_OK;
	}
	holders_add(mnt, &holders);
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
	buf_free_into(&why, &reason);
	buf_free_into(&holders, &reason);
	return status_fail_made(mnt, &reason);
}
