#!/bin/bash
# libfuse 3.14.0 (Debian 12) and Linux 6.18.
#
# libfuse asks the kernel for FUSE_CAP_ATOMIC_O_TRUNC unless it is told not to: O_TRUNC is then
# a flag of OPEN, and no SETATTR of its own. Where OPEN is answered with ENOSYS, which counts as
# success and is sent no more, there is nobody left who could be told. "> file" succeeds, and
# the kernel takes the file for an empty one, while the filesystem keeps all of its bytes: what
# is written is laid over the old text, whose end comes back when attributes are asked for again.
#
# Seen: of "old text", opened with O_TRUNC and written "new", the filesystem has "new" where OPEN
# is answered with success or the capability is not wanted, and "new text" where it is answered
# with ENOSYS. Fails if that has changed. Needs gcc, apt-get of Debian 12, and a user who can
# mount by FUSE.
set -euo pipefail

dir=$(mktemp -d)
clean() {
	if mountpoint -q "$dir/mnt"; then
		fusermount3 -u "$dir/mnt"
	fi
	rm -rf --one-file-system "$dir"
}
trap clean EXIT
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
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The root and its file f. */
static char bytes[4096] = "old text";
static size_t n = 8;
static bool enosys, wants;

static void attr(struct stat *s, fuse_ino_t ino)
{
	memset(s, 0, sizeof(*s));
	s->st_ino = ino;
	s->st_mode = ino == 1 ? S_IFDIR | 0755 : S_IFREG | 0644;
	s->st_nlink = 1;
	s->st_size = ino == 1 ? 0 : (off_t)n;
}

static void op_init(void *data, struct fuse_conn_info *conn)
{
	(void)data;
	if (!wants)
		conn->want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat s;
	(void)fi;
	attr(&s, ino);
	fuse_reply_attr(req, &s, 0);
}

static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *to, int valid,
		       struct fuse_file_info *fi)
{
	if (ino == 2 && valid & FUSE_SET_ATTR_SIZE && to->st_size <= (off_t)n)
		n = (size_t)to->st_size;
	op_getattr(req, ino, fi);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .ino = 2 };
	(void)parent;
	attr(&e.attr, 2);
	if (strcmp(name, "f") == 0)
		fuse_reply_entry(req, &e);
	else
		fuse_reply_err(req, ENOENT);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	if (enosys) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	if (fi->flags & O_TRUNC)
		n = 0;
	fuse_reply_open(req, fi);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t at,
		     struct fuse_file_info *fi)
{
	(void)ino;
	(void)fi;
	if (at < 0 || (size_t)at + size > sizeof(bytes)) {
		fuse_reply_err(req, EFBIG);
		return;
	}
	memcpy(bytes + at, data, size);
	if ((size_t)at + size > n)
		n = (size_t)at + size;
	fuse_reply_write(req, size);
}

static void put(const char *folder)
{
	char path[4200];
	snprintf(path, sizeof(path), "%s/f", folder);
	/* The first one is sent, and may be answered with ENOSYS. */
	int fd = open(path, O_RDONLY);
	if (fd < 0 || close(fd) != 0)
		_exit(1);
	fd = open(path, O_WRONLY | O_TRUNC);
	_exit(fd >= 0 && write(fd, "new", 3) == 3 && close(fd) == 0 ? 0 : 1);
}

int main(int argc, char **argv)
{
	char *rest[] = { argv[0], NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, rest);
	static const struct fuse_lowlevel_ops ops = {
		.init = op_init, .getattr = op_getattr, .setattr = op_setattr,
		.lookup = op_lookup, .open = op_open, .write = op_write
	};
	int status = 1;
	if (argc != 4)
		return 1;
	enosys = strcmp(argv[2], "ENOSYS") == 0;
	wants = strcmp(argv[3], "wanted") == 0;
	struct fuse_session *se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (!se || fuse_session_mount(se, argv[1]) != 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		pid_t writer = fork();
		if (writer == 0)
			put(argv[1]);
		waitpid(writer, &status, 0);
		kill(getppid(), SIGTERM);
		_exit(status == 0 ? 0 : 1);
	}
	fuse_set_signal_handlers(se);
	fuse_session_loop(se);
	fuse_session_unmount(se);
	waitpid(child, &status, 0);
	printf("%.*s\n", (int)n, bytes);
	return status == 0 ? 0 : 1;
}
C
gcc -Wall -o fs fs.c "-I$dir/usr/include/fuse3" "$lib/libfuse3.so.3"
export LD_LIBRARY_PATH=$lib

has() {
	local got
	got=$(./fs "$dir/mnt" "$1" "$2")
	echo "OPEN $1, capability $2: $got"
	[[ $got == "$3" ]] || {
		echo "changed: it was $3" >&2
		exit 1
	}
}
has answered wanted new
has ENOSYS unwanted new
has ENOSYS wanted "new text"
