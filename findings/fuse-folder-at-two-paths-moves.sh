#!/bin/bash
# libfuse 3.14.0 (Debian 12) and Linux 6.18.
#
# A filesystem that shows a folder at two paths, and gives it one inode number because it is one
# folder, has neither two paths nor an error: the kernel gives a folder one place. Who looks it
# up by the second path moves it there, and with it every process that stands in it by the
# first. Their working directory is another path from then on, and their ".." another
# folder, without a word to them. Each path needs an inode number of its own.
#
# Seen: a process in a/d is in b/d after another one has called stat("b/d"). Fails if that
# has changed. Needs gcc, apt-get of Debian 12, and a user who can mount by FUSE.
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
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Inode 1 has the folders a (2) and b (3), and each of them the folder d (4). */
static void attr(struct stat *s, fuse_ino_t ino)
{
	memset(s, 0, sizeof(*s));
	s->st_ino = ino;
	s->st_mode = S_IFDIR | 0755;
	s->st_nlink = 2;
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat s;
	(void)fi;
	attr(&s, ino);
	fuse_reply_attr(req, &s, 60);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .attr_timeout = 60, .entry_timeout = 60 };
	if (parent == 1 && strcmp(name, "a") == 0)
		e.ino = 2;
	else if (parent == 1 && strcmp(name, "b") == 0)
		e.ino = 3;
	else if ((parent == 2 || parent == 3) && strcmp(name, "d") == 0)
		e.ino = 4;
	else {
		fuse_reply_err(req, ENOENT);
		return;
	}
	attr(&e.attr, e.ino);
	fuse_reply_entry(req, &e);
}

static void show(const char *when)
{
	char at[4096];
	struct stat up;
	if (getcwd(at, sizeof(at)) && stat("..", &up) == 0)
		printf("%s: in %s, and .. is inode %lu\n", when, strrchr(at, '/') - 2, (unsigned long)up.st_ino);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *rest[] = { argv[0], NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, rest);
	static const struct fuse_lowlevel_ops ops = { .getattr = op_getattr, .lookup = op_lookup };
	struct fuse_session *se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (argc != 2 || !se || fuse_session_mount(se, argv[1]) != 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		if (chdir(argv[1]) != 0 || chdir("a/d") != 0)
			_exit(1);
		show("before");
		/* Somebody else looks at the folder by its other path. */
		pid_t other = fork();
		if (other == 0) {
			struct stat s;
			char path[4200];
			snprintf(path, sizeof(path), "%s/b/d", argv[1]);
			_exit(stat(path, &s) != 0);
		}
		waitpid(other, NULL, 0);
		show("after");
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

./fs "$dir/mnt" | tee said
grep -qx 'before: in /a/d, and .. is inode 2' said
if ! grep -qx 'after: in /b/d, and .. is inode 3' said; then
	echo "changed: where the process is" >&2
	exit 1
fi
