#include "mount/mounts/mounted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/dialects/registry.h"
#include "core/file/whole.h"

#define FUSE_MAGIC 0x65735546

/* Of "/proc/self/fd/N". */
#define LINK_SIZE 48

static const struct {
	const char *word;
	enum mounted_kind kind;
} words[] = {
	{ "session", MOUNTED_SESSION }, { "folder", MOUNTED_FOLDER },
	{ "set", MOUNTED_SET },		{ "entry", MOUNTED_ENTRY },
	{ "subtree", MOUNTED_SUBTREE },
};

/* Take an option off what is before a path; it begins with a slash. */
static void take_option(struct session_opening *how, struct span *value)
{
	static const struct span told = SPAN("dialect=");
	struct span word = span_next(value, ' ');
	if (span_eq(word, SPAN("ro")))
		how->read_only = true;
	else if (span_eq(word, SPAN("force")))
		how->force = true;
	else if (span_starts(word, told))
		how->forced = dialect_named(span_from(word, told.n));
}

/* "KIND REST", as fs/tree/xattr.h has it. */
static int parse(struct mounted_folder *f, struct span value)
{
	struct span word = span_next(&value, ' ');
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (span_eq(word, span_of(words[i].word)))
			f->kind = words[i].kind;
	}
	while (mounted_has_path(f) && value.n > 0 && value.p[0] != '/')
		take_option(&f->how, &value);
	f->at = strndup(value.p, value.n);
	return f->at ? 0 : -ENOMEM;
}

int mounted_ask(struct mounted_folder *f, const char *path)
{
	char value[PATH_MAX + 256];
	*f = (struct mounted_folder){ 0 };
	struct statfs fs;
	ssize_t n = getxattr(path, "user.sessfs", value, sizeof(value));
	/*
	 * Only what is in a mount is believed: an attribute of this name may be
	 * in /tmp, or in what was unpacked, and would have the user write to a
	 * file of somebody else's, and go on in a session of theirs.
	 */
	if (n < 0 || statfs(path, &fs) < 0 || fs.f_type != FUSE_MAGIC)
		return 0;
	return parse(f, (struct span){ value, (size_t)n });
}

void mounted_folder_free(struct mounted_folder *f)
{
	free(f->at);
	*f = (struct mounted_folder){ 0 };
}

enum mounted_kind mounted_kind_of(const char *path)
{
	struct mounted_folder f;
	enum mounted_kind kind =
		mounted_ask(&f, path) == 0 ? f.kind : MOUNTED_NOT;
	mounted_folder_free(&f);
	return kind;
}

bool mounted_is_open(const char *path)
{
	enum mounted_kind kind = mounted_kind_of(path);
	return kind == MOUNTED_SESSION || kind == MOUNTED_SET;
}

/* /proc has a short path of an open folder, however deep it is. */
static void link_of(int folder, char link[LINK_SIZE])
{
	snprintf(link, LINK_SIZE, "/proc/self/fd/%d", folder);
}

static int ask_folder(struct mounted_folder *f, int folder)
{
	char link[LINK_SIZE];
	link_of(folder, link);
	return mounted_ask(f, link);
}

/* Open the folder that a path is, or that the file is in. */
static int open_folder(const char *path)
{
	int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	struct stat st;
	if (stat(path, &st) < 0)
		return -errno;
	int fd = -1;
	if (S_ISDIR(st.st_mode)) {
		fd = open(path, flags);
	} else {
		const char *slash = strrchr(path, '/');
		char *folder = slash ? strndup(path, (size_t)(slash - path) + 1)
				     : strdup(".");
		if (!folder)
			return -ENOMEM;
		fd = open(folder, flags);
		free(folder);
	}
	return fd < 0 ? -errno : fd;
}

/* Go up by one folder. -ESRCH: there is none. */
static int go_up(int *at)
{
	struct stat x;
	struct stat y;
	int up = whole_open(*at, "..", O_PATH | O_DIRECTORY, 0);
	if (up < 0)
		return up;
	bool top = fstat(up, &x) == 0 && fstat(*at, &y) == 0 &&
		   x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	close(*at);
	*at = up;
	return top ? -ESRCH : 0;
}

/* Open the root that a folder is, or is below. -ESRCH: there is none. */
static int open_root(struct mounted *m, int folder)
{
	struct mounted_folder f = { 0 };
	int at = whole_open(folder, ".", O_PATH | O_DIRECTORY, 0);
	int err = at < 0 ? at : ask_folder(&f, at);
	m->in_tree = f.kind == MOUNTED_SUBTREE;
	if (m->in_tree || f.kind == MOUNTED_ENTRY) {
		m->entry = f.at;
		f.at = NULL;
	}
	while (!err && f.kind != MOUNTED_SESSION) {
		mounted_folder_free(&f);
		err = go_up(&at);
		if (!err)
			err = ask_folder(&f, at);
	}
	m->source = f.at;
	m->how = f.how;
	if (err && at >= 0)
		close(at);
	return err ? err : at;
}

int mounted_find(struct mounted *m, const char *path)
{
	char link[LINK_SIZE];
	char to[PATH_MAX];
	*m = (struct mounted){ 0 };
	int folder = open_folder(path);
	if (folder < 0)
		return folder;
	int root = open_root(m, folder);
	close(folder);
	if (root < 0)
		return root;
	link_of(root, link);
	/* -ENAMETOOLONG if the kernel can't tell. */
	ssize_t n = readlink(link, to, sizeof(to));
	int err = n < 0 ? -errno : 0;
	close(root);
	if (err)
		return err;
	m->root = strndup(to, (size_t)n);
	return m->root ? 0 : -ENOMEM;
}

void mounted_free(struct mounted *m)
{
	free(m->root);
	free(m->source);
	free(m->entry);
	*m = (struct mounted){ 0 };
}

bool mounted_same_file(const char *a, const char *b)
{
	struct stat x;
	struct stat y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}
