#include "core/file/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/file/nofollow.h"

/* Not in <linux/magic.h> of every kernel. */
#define MAGIC_FUSE 0x65735546
#define MAGIC_CIFS 0xFF534D42
#define MAGIC_SMB2 0xFE534D42
#define MAGIC_9P 0x01021997
#define MAGIC_CEPH 0x00C36400
#define MAGIC_LUSTRE 0x0BD00BD0
#define MAGIC_GPFS 0x47504653
#define MAGIC_KAFS 0x6B414653
#define MAGIC_OCFS2 0x7461636F
#define MAGIC_GFS2 0x01161970
#define MAGIC_BEEGFS 0x19830326
#define MAGIC_VBOXSF 0x786F4256
#define MAGIC_VMHGFS 0xBACBACBC
#define MAGIC_PARALLELS 0x7C7C6673

bool remote_is(int fd)
{
	static const uint32_t types[] = {
		NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC, AFS_SUPER_MAGIC,
		CODA_SUPER_MAGIC, MAGIC_FUSE,	   MAGIC_CIFS,
		MAGIC_SMB2,	  MAGIC_9P,	   MAGIC_CEPH,
		MAGIC_LUSTRE,	  MAGIC_GPFS,	   MAGIC_KAFS,
		MAGIC_OCFS2,	  MAGIC_GFS2,	   MAGIC_BEEGFS,
		MAGIC_VBOXSF,	  MAGIC_VMHGFS,	   MAGIC_PARALLELS,
	};
	struct statfs fs;
	if (fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if ((uint32_t)fs.f_type == types[i])
			return true;
	}
	return false;
}

int remote_stat(int fd, struct stat *st)
{
	struct statx asked;
	/* The kernel caches the answer, and fstat(2) returns it. */
	statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS,
	      &asked);
	return fstat(fd, st) < 0 ? -errno : 0;
}

void remote_refresh(struct gate *g, const char *path)
{
	struct stat st;
	int fd = nofollow_open(g, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	(void)remote_stat(fd, &st); /* for the kernel's cache */
	close(fd);
}
