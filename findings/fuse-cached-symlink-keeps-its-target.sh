#!/bin/bash
# libfuse 3.14.0 (Debian 12) and Linux 6.18.
#
# With FUSE_CAP_CACHE_SYMLINKS the kernel keeps the targets of symlinks as it keeps the pages of
# files. But what ends that for files does not for symlinks. A file whose mtime or size has changed
# is read again (FUSE_CAP_AUTO_INVAL_DATA). A symlink is not, even with names and attributes that
# are never cached: lstat() tells its new time and length, and readlink() the old target. An
# invalidation of its attributes ends that no more than they do; one of its data does, as
# fuse_common.h says. So a symlink that moves needs that, or another inode number.
#
# Seen: a symlink to "old" becomes one to "newer". lstat() says that it has 5 bytes, readlink()
# says "newer" without the capability; "old" with it, also behind an invalidation of attributes;
# "newer" behind one of data. Fails if that has changed. Needs gcc, apt-get of Debian 12, and a
# user who can mount by FUSE.
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
#include <fuse_lowlevel.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The root and a symlink f, which moves after it was read for the first time. */
static struct fuse_session *se;
static const char *target = "old";
static bool caches;
static int how; /* 'd': its data is invalidated when f2 is looked up, 'a': its attributes */

static void attr(struct stat *s, fuse_ino_t ino)
{
	memset(s, 0, sizeof(*s));
	s->st_ino = ino;
	s->st_mode = ino == 1 ? S_IFDIR | 0755 : S_IFLNK | 0777;
	s->st_nlink = 1;
	s->st_size = ino == 1 ? 0 : (off_t)strlen(target);
	s->st_mtime = (time_t)strlen(target);
}

static void op_init(void *data, struct fuse_conn_info *conn)
{
	(void)data;
	conn->want |= FUSE_CAP_AUTO_INVAL_DATA;
	if (caches)
		conn->want |= FUSE_CAP_CACHE_SYMLINKS;
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat s;
	(void)fi;
	attr(&s, ino);
	fuse_reply_attr(req, &s, 0);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .ino = 2 };
	(void)parent;
	if (strcmp(name, "f") != 0) {
		if (how)
			fuse_lowlevel_notify_inval_inode(se, 2, how == 'd' ? 0 : -1, 0);
		fuse_reply_err(req, ENOENT);
		return;
	}
	attr(&e.attr, 2);
	fuse_reply_entry(req, &e);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	(void)ino;
	fuse_reply_readlink(req, target);
	target = "newer";
}

static void look(void)
{
	char to[100] = "";
	struct stat s;
	if (readlink("f", to, sizeof(to) - 1) != 3)
		_exit(1);
	access("f2", F_OK);
	memset(to, 0, sizeof(to));
	if (lstat("f", &s) != 0 || readlink("f", to, sizeof(to) - 1) < 0)
		_exit(1);
	printf("%d bytes, %s\n", (int)s.st_size, to);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *rest[] = { argv[0], NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, rest);
	static const struct fuse_lowlevel_ops ops = {
		.init = op_init, .getattr = op_getattr, .lookup = op_lookup, .readlink = op_readlink
	};
	if (argc != 3)
		return 1;
	caches = argv[2][0] == 'c';
	how = argv[2][0] ? argv[2][1] : 0;
	se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (!se || fuse_session_mount(se, argv[1]) != 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		if (chdir(argv[1]) == 0)
			look();
		if (chdir("/") == 0)
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

leads_to() {
	local got
	got=$(./fs "$dir/mnt" "$2")
	echo "$1: $got"
	[[ $got == "$3" ]] || {
		echo "changed: it was $3" >&2
		exit 1
	}
}
leads_to "not cached" "" "5 bytes, newer"
leads_to "cached" c "5 bytes, old"
leads_to "cached, attributes invalidated" ca "5 bytes, old"
leads_to "cached, data invalidated" cd "5 bytes, newer"
