#!/bin/bash
# libfuse 3.14.0 (Debian 12) and Linux 6.18.
#
# An invalidation costs a request, and no more: one that is not needed does no harm. But the
# kernel knows nothing of the root of a new mount, not even its mode, and asks when somebody
# first goes there. If the root is invalidated while that GETATTR is being answered, the
# attributes of the reply are dropped, as they should be. The kernel does not ask again: with
# default_permissions it judges by the mode that it has, which is 0, and denies the user the
# whole mount, whatever the reply has said. So a filesystem that invalidates its root whenever
# anything has changed fails now and then just after it was mounted, for all but root.
#
# Seen: the root is 0755, and an ordinary user calls stat() of a file in it three times. "yes
# yes yes" without an invalidation, "no yes yes" with one behind the first GETATTR's back, "no no
# yes" with one behind each of the first two; "no" is EACCES. Fails if that has changed. Needs
# gcc, apt-get of Debian 12, and root or a user who can mount by FUSE.
set -euo pipefail

dir=$(mktemp -d)
clean() {
	if mountpoint -q "$dir/mnt"; then
		fusermount3 -u "$dir/mnt"
	fi
	rm -rf --one-file-system "$dir"
}
trap clean EXIT
chmod 755 "$dir"
cd "$dir"
mkdir mnt
for package in libfuse3-3 libfuse3-dev; do
	apt-get download -q "$package=3.14.0-4" >&2
done
for deb in ./*.deb; do
	dpkg -x "$deb" .
done
lib=$(dirname "$dir"/lib/*/libfuse3.so.3)
cat >fs.c <<'C'
#define _GNU_SOURCE
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The root and its file f. So many GETATTRs of the root are overtaken. */
static struct fuse_session *se;
static int left;

static void attr(struct stat *s, fuse_ino_t ino)
{
	memset(s, 0, sizeof(*s));
	s->st_ino = ino;
	s->st_mode = ino == 1 ? S_IFDIR | 0755 : S_IFREG | 0444;
	s->st_nlink = 1;
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat s;
	(void)fi;
	attr(&s, ino);
	if (ino == 1 && left-- > 0)
		fuse_lowlevel_notify_inval_inode(se, 1, -1, 0);
	fuse_reply_attr(req, &s, 3600);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .ino = 2, .attr_timeout = 3600, .entry_timeout = 3600 };
	(void)parent;
	if (strcmp(name, "f") != 0) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	attr(&e.attr, 2);
	fuse_reply_entry(req, &e);
}

/* Look three times. Root is denied nothing: be somebody else. */
static void look(const char *folder)
{
	char path[4200];
	struct stat s;
	if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
		_exit(1);
	snprintf(path, sizeof(path), "%s/f", folder);
	for (int i = 0; i < 3; i++) {
		int err = stat(path, &s) == 0 ? 0 : errno;
		printf("%s%s", i > 0 ? " " : "", err == 0 ? "yes" : err == EACCES ? "no" : strerror(err));
	}
	puts("");
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	char *rest[] = { argv[0], "-o", geteuid() == 0 ? "default_permissions,allow_other" : "default_permissions", NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, rest);
	static const struct fuse_lowlevel_ops ops = { .getattr = op_getattr, .lookup = op_lookup };
	if (argc != 3)
		return 1;
	left = atoi(argv[2]);
	se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (!se || fuse_session_mount(se, argv[1]) != 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		pid_t user = fork();
		if (user == 0)
			look(argv[1]);
		waitpid(user, NULL, 0);
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	fuse_set_signal_handlers(se);
	fuse_session_loop(se);
	fuse_session_unmount(se);
	waitpid(child, NULL, 0);
	return 0;
}
C
gcc -Wall -o fs fs.c "-I$dir/usr/include/fuse3" "$lib/libfuse3.so.3"
export LD_LIBRARY_PATH=$lib

may_look() {
	local got
	got=$(./fs "$dir/mnt" "$1")
	echo "$1 overtaken: $got"
	[[ $got == "$2" ]] || {
		echo "changed: it was $2" >&2
		exit 1
	}
}
may_look 0 "yes yes yes"
may_look 1 "no yes yes"
may_look 2 "no no yes"
