#!/bin/bash
# libfuse 3.14.0 (Debian 12) and Linux 6.18.
#
# A filesystem that lets the kernel keep listings (cache_readdir) has to say so when a folder has
# a new file. fuse_lowlevel_notify_inval_entry() looks made for that: by its comment it invalidates
# "parent attributes and the dentry matching parent/name". But the kernel looks for the name first.
# If nobody has asked for it, as is usual for a new file, it answers ENOENT and leaves the folder
# alone, too: the listing stays without the file for as long as the folder's mtime is the same,
# while stat() of the file succeeds. If somebody had once asked for the name in vain, the same call
# drops the listing. An invalidation of the folder's attributes does not drop it; one of its data
# does, though a folder of FUSE has none.
#
# Seen: a file b comes beside a. The next listing is "a" behind an invalidation of the entry b,
# which returns -2 (ENOENT); "a b" behind the same one, which returns 0, if stat("b") had failed
# before; "a" behind one of the folder's attributes, and "a b" behind one of its data. Fails if
# that has changed. Needs gcc, apt-get of Debian 12, and a user who can mount by FUSE.
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
#include <dirent.h>
#include <errno.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The root with a file a, later b, too, and a folder in which a lookup makes b. It is another one
 * than the root, which the kernel has locked during a lookup there.
 */
enum { ROOT = FUSE_ROOT_ID, FILE_A, FILE_B, FOLDER };

static struct fuse_session *se;
static bool has_b;
static char how; /* 'e': the entry b is invalidated then, 'a': the root's attributes, 'd': its data */

static void attr(struct stat *s, fuse_ino_t ino)
{
	memset(s, 0, sizeof(*s));
	s->st_ino = ino;
	s->st_mode = ino == ROOT || ino == FOLDER ? S_IFDIR | 0755 : S_IFREG | 0644;
	s->st_nlink = 1;
}

static void op_init(void *data, struct fuse_conn_info *conn)
{
	(void)data;
	conn->want &= ~FUSE_CAP_READDIRPLUS;
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat s;
	(void)fi;
	attr(&s, ino);
	fuse_reply_attr(req, &s, 1000);
}

static int invalidate(void)
{
	if (how == 'e')
		return fuse_lowlevel_notify_inval_entry(se, ROOT, "b", 1);
	return fuse_lowlevel_notify_inval_inode(se, ROOT, how == 'a' ? -1 : 0, 0);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .entry_timeout = 1000, .attr_timeout = 1000 };
	if (parent == FOLDER) {
		has_b = true;
		printf("%d, ", invalidate());
		fflush(stdout);
	} else if (strcmp(name, "folder") == 0) {
		e.ino = FOLDER;
	} else if (strcmp(name, "a") == 0) {
		e.ino = FILE_A;
	} else if (strcmp(name, "b") == 0 && has_b) {
		e.ino = FILE_B;
	}
	attr(&e.attr, e.ino);
	fuse_reply_entry(req, &e);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	fi->cache_readdir = 1;
	fi->keep_cache = 1;
	fuse_reply_open(req, fi);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	static const char *const names[] = { "a", "b" };
	char buf[1000];
	size_t n = 0;
	(void)ino;
	(void)size;
	(void)fi;
	for (int i = (int)off; i < 1 + has_b; i++) {
		struct stat s;
		attr(&s, FILE_A + i);
		n += fuse_add_direntry(req, buf + n, sizeof(buf) - n, names[i], &s, i + 1);
	}
	fuse_reply_buf(req, buf, n);
}

static void list(char *to)
{
	DIR *d = opendir(".");
	for (struct dirent *e; d && (e = readdir(d));)
		to = stpcpy(stpcpy(to, " "), e->d_name);
	if (d)
		closedir(d);
}

static void look(bool asks_first)
{
	char before[100] = "";
	char after[100] = "";
	struct stat s;
	if (asks_first && stat("b", &s) == 0)
		_exit(1);
	list(before);
	access("folder/makes b", F_OK);
	list(after);
	printf("then%s; b is%s there\n", after, stat("b", &s) == 0 ? "" : " not");
	fflush(stdout);
	_exit(strcmp(before, " a") != 0);
}

int main(int argc, char **argv)
{
	char *rest[] = { argv[0], NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, rest);
	static const struct fuse_lowlevel_ops ops = {
		.init = op_init,
		.getattr = op_getattr,
		.lookup = op_lookup,
		.opendir = op_opendir,
		.readdir = op_readdir,
	};
	if (argc != 3)
		return 1;
	how = argv[2][0];
	se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (!se || fuse_session_mount(se, argv[1]) != 0)
		return 1;
	pid_t outer = fork();
	if (outer == 0) {
		int status = 1;
		pid_t inner = fork();
		if (inner == 0 && chdir(argv[1]) == 0)
			look(argv[2][1] == '+');
		if (inner > 0)
			waitpid(inner, &status, 0);
		kill(getppid(), SIGTERM);
		_exit(status != 0);
	}
	int status = 1;
	fuse_set_signal_handlers(se);
	fuse_session_loop(se);
	fuse_session_unmount(se);
	waitpid(outer, &status, 0);
	return status != 0;
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
leads_to "entry" e "-2, then a; b is there"
leads_to "entry, asked for before" e+ "0, then a b; b is there"
leads_to "attributes of the folder" a "0, then a; b is there"
leads_to "data of the folder" d "0, then a b; b is there"
