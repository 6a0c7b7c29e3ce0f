#!/bin/bash
# libfuse 3.14.0 (Debian 12) and Linux 6.18.
#
# A filesystem that keeps nothing for an open file may answer OPEN with ENOSYS. fuse_lowlevel.h
# says that this counts as success, and that the kernel does not ask again. It says of OPENDIR
# that listings are cached from then on, and of OPEN nothing. But the kernel then acts as if each
# open had asked for keep_cache: a file whose size and mtime are what they were is read as it
# was the first time, for good, though its attributes had a timeout of 0 and nothing asked for a
# cache. So who answers ENOSYS has to give a file another mtime whenever its bytes change.
#
# Seen: after the change a file says "new" where OPEN is answered with success, and "old" where
# it is answered with ENOSYS. Fails if that has changed. Needs gcc, apt-get of Debian 12, and a
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
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The root and its file f, whose bytes change, and whose size and times do not. */
static volatile int *changed;
static bool enosys;

static void attr(struct stat *s, fuse_ino_t ino)
{
	memset(s, 0, sizeof(*s));
	s->st_ino = ino;
	s->st_mode = ino == 1 ? S_IFDIR | 0755 : S_IFREG | 0444;
	s->st_nlink = 1;
	s->st_size = ino == 1 ? 0 : 3;
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
	attr(&e.attr, 2);
	if (strcmp(name, "f") == 0)
		fuse_reply_entry(req, &e);
	else
		fuse_reply_err(req, ENOENT);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	if (enosys)
		fuse_reply_err(req, ENOSYS);
	else
		fuse_reply_open(req, fi);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t at,
		    struct fuse_file_info *fi)
{
	(void)ino;
	(void)size;
	(void)fi;
	fuse_reply_buf(req, *changed ? "new" : "old", at == 0 ? 3 : 0);
}

static void show(const char *when, const char *folder)
{
	char path[4200], bytes[4] = "";
	snprintf(path, sizeof(path), "%s/f", folder);
	int fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, bytes, 3) != 3)
		_exit(1);
	close(fd);
	printf("%s: %s\n", when, bytes);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *rest[] = { argv[0], NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, rest);
	static const struct fuse_lowlevel_ops ops = {
		.getattr = op_getattr, .lookup = op_lookup, .open = op_open, .read = op_read
	};
	if (argc != 3)
		return 1;
	enosys = strcmp(argv[2], "ENOSYS") == 0;
	changed = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct fuse_session *se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (changed == MAP_FAILED || !se || fuse_session_mount(se, argv[1]) != 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		show("before", argv[1]);
		*changed = 1;
		show("after", argv[1]);
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

for answer in success ENOSYS; do
	./fs "$dir/mnt" "$answer" >"said.$answer"
	sed "s/^/$answer, /" "said.$answer"
done
grep -qx 'after: new' said.success
if ! grep -qx 'after: old' said.ENOSYS; then
	echo "changed: what is read after ENOSYS" >&2
	exit 1
fi
