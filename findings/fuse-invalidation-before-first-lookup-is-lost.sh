#!/bin/bash
# libfuse 3.14.0 (Debian 12) and Linux 6.18.
#
# A filesystem whose files change by themselves gives attributes a long timeout, and sends
# fuse_lowlevel_notify_inval_inode() when a file has changed. A change while a GETATTR is being
# answered is no danger: the kernel sees that the invalidation came first, and does not keep the
# old attributes of the reply. But while the first LOOKUP of a file is being answered, the kernel
# has no such inode: the invalidation is refused with ENOENT, nothing of it is remembered, and
# the attributes of the reply, which are older, are kept for the whole timeout. ENOENT does not
# mean that the kernel has nothing: it may be about to have it, so the invalidation has to be
# sent again.
#
# Seen: a file grows from 3 to 5 bytes while a request is being answered, and the invalidation
# goes out before the reply. Behind a GETATTR (it returns 0) the next size is 5; behind the
# first LOOKUP (-ENOENT) it is 3. Fails if that has changed. Needs gcc, apt-get of Debian 12, and
# a user who can mount by FUSE.
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

/* The root and its file f, which grows while one request is being answered. */
static struct fuse_session *se;
static bool by_lookup;
static int size = 3;
static int invalidated = 1;

static void attr(struct stat *s, fuse_ino_t ino)
{
	memset(s, 0, sizeof(*s));
	s->st_ino = ino;
	s->st_mode = ino == 1 ? S_IFDIR | 0755 : S_IFREG | 0444;
	s->st_nlink = 1;
	s->st_size = ino == 1 ? 0 : size;
}

/* The attributes of a reply were made. */
static void grow(void)
{
	if (invalidated <= 0)
		return;
	size = 5;
	invalidated = fuse_lowlevel_notify_inval_inode(se, 2, -1, 0);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat s;
	(void)fi;
	attr(&s, ino);
	if (ino == 2 && !by_lookup)
		grow();
	fuse_reply_attr(req, &s, 3600);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	/* Without a timeout of its own a GETATTR follows it. */
	struct fuse_entry_param e = { .ino = 2, .attr_timeout = by_lookup ? 3600 : 0,
				      .entry_timeout = 3600 };
	(void)parent;
	if (strcmp(name, "f") != 0) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	attr(&e.attr, 2);
	if (by_lookup)
		grow();
	fuse_reply_entry(req, &e);
}

static void show(const char *folder)
{
	char path[4200];
	struct stat s;
	snprintf(path, sizeof(path), "%s/f", folder);
	/* The first one may say what the reply did; the second, what was kept. */
	if (stat(path, &s) != 0 || stat(path, &s) != 0)
		_exit(1);
	printf("%d", (int)s.st_size);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *rest[] = { argv[0], NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, rest);
	static const struct fuse_lowlevel_ops ops = { .getattr = op_getattr, .lookup = op_lookup };
	if (argc != 3)
		return 1;
	by_lookup = strcmp(argv[2], "LOOKUP") == 0;
	se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (!se || fuse_session_mount(se, argv[1]) != 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		show(argv[1]);
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	fuse_set_signal_handlers(se);
	fuse_session_loop(se);
	fuse_session_unmount(se);
	waitpid(child, NULL, 0);
	printf(", and the invalidation returned %d\n", invalidated);
	return 0;
}
C
gcc -Wall -o fs fs.c "-I$dir/usr/include/fuse3" "$lib/libfuse3.so.3"
export LD_LIBRARY_PATH=$lib

has() {
	local got
	got=$(./fs "$dir/mnt" "$1")
	echo "$1: the size is $got"
	[[ $got == "$2" ]] || {
		echo "changed: it was $2" >&2
		exit 1
	}
}
has GETATTR "5, and the invalidation returned 0"
has LOOKUP "3, and the invalidation returned -2"
