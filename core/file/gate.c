#include "core/file/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/file/whole.h"

struct gate {
	/* The gate that the other members are of, but for the folders. */
	struct gate *of;
	struct held_folders *folders; /* or NULL */
	struct held_folders *viewed;  /* of a view, which frees them */

	/* Set before the threads start. */
	char *mountpoint;
	int hidden; /* the folder that the mount hides; or -1 */
	bool is_closed;
	dev_t own;
	const char *const *sources;

	pthread_mutex_t lock; /* protects these */
	FILE *mounts;	      /* /proc/self/mountinfo; or NULL */
	dev_t *others;	      /* all mounts of sessfs in it */
	size_t n;
	size_t cap;

	struct open_files files;
};

enum passage {
	PASSAGE_FREE,
	PASSAGE_OWN,   /* to the root of our mount */
	PASSAGE_OTHER, /* to that of another sessfs */
};

struct gate *gate_new(void)
{
	struct gate *g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->of = g;
	g->hidden = -1;
	open_files_init(&g->files);
	g->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return g;
}

struct gate *gate_view(struct gate *g)
{
	struct gate *view = g ? calloc(1, sizeof(*view)) : gate_new();
	struct held_folders *viewed = malloc(sizeof(*viewed));
	if (!view || !viewed) {
		gate_free(view);
		free(viewed);
		return NULL;
	}
	if (g)
		view->of = g->of;
	held_folders_init(viewed);
	view->folders = viewed;
	view->viewed = viewed;
	return view;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	if (g->of == g) {
		if (g->hidden >= 0)
			close(g->hidden);
		if (g->mounts)
			fclose(g->mounts);
		free(g->mountpoint);
		free(g->others);
		pthread_mutex_destroy(&g->lock);
		pthread_mutex_destroy(&g->files.lock);
	}
	if (g->viewed)
		held_folders_free(g->viewed);
	free(g->viewed);
	free(g);
}

struct open_files *gate_files(struct gate *g)
{
	return g ? &g->of->files : NULL;
}

void gate_hold_folders(struct gate *g, struct held_folders *folders)
{
	g->folders = folders;
}

struct held_folders *gate_folders(const struct gate *g)
{
	return g ? g->folders : NULL;
}

/* Needs the lock. */
static void read_mounts(struct gate *g)
{
	char *line = NULL;
	size_t cap = 0;
	unsigned major;
	unsigned minor;
	g->n = 0;
	rewind(g->mounts);
	/* A "-" comes before the type. In paths spaces are escaped. */
	while (getline(&line, &cap, g->mounts) > 0) {
		if (strstr(line, " - fuse.sessfs ") &&
		    sscanf(line, "%*d %*d %u:%u", &major, &minor) == 2 &&
		    array_reserve(&g->others, &g->cap, g->n, 1) == 0)
			g->others[g->n++] = makedev(major, minor);
	}
	free(line);
}

static bool is_sessfs(struct gate *g, dev_t dev)
{
	bool is = false;
	pthread_mutex_lock(&g->lock);
	if (g->mounts) {
		struct pollfd p = { .fd = fileno(g->mounts),
				    .events = POLLPRI };
		/* An error of the file tells that the mounts have changed. */
		if (poll(&p, 1, 0) != 0)
			read_mounts(g);
	}
	for (size_t i = 0; i < g->n && !is; i++)
		is = g->others[i] == dev;
	pthread_mutex_unlock(&g->lock);
	return is;
}

/*
 * The device of a file, if a mount may begin there. False also if there is no
 * such file: to open it tells why. Asking for no attribute works for the mounts
 * of all users.
 */
static bool find_mount(int folder, const char *name, int flags, dev_t *dev)
{
	struct statx st;
	flags |= AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
	if (statx(folder, name, flags, 0, &st) < 0)
		return false;
	*dev = makedev(st.stx_dev_major, st.stx_dev_minor);
	/* Linux before 5.8 does not tell where mounts begin. */
	return (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) ||
	       !(st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT);
}

static enum passage check(struct gate *g, int folder, const char *name,
			  int flags)
{
	dev_t dev;
	g = g ? g->of : NULL;
	if (!g || !g->is_closed || !find_mount(folder, name, flags, &dev))
		return PASSAGE_FREE;
	if (dev == g->own)
		return PASSAGE_OWN;
	/* FUSE has no disks: its devices have the major number 0. */
	return major(dev) == 0 && is_sessfs(g, dev) ? PASSAGE_OTHER
						    : PASSAGE_FREE;
}

int gate_hide(struct gate *g, const char *mountpoint,
	      const char *const *sources)
{
	g->mountpoint = strdup(mountpoint);
	g->sources = sources;
	if (!g->mountpoint)
		return -ENOMEM;
	g->hidden = whole_open(AT_FDCWD, mountpoint, O_PATH | O_DIRECTORY, 0);
	if (g->hidden < 0)
		return g->hidden;
	/* Without /proc the first rule holds, and not the second. */
	g->mounts = fopen("/proc/self/mountinfo", "re");
	if (g->mounts)
		read_mounts(g);
	return 0;
}

void gate_close(struct gate *g)
{
	if (find_mount(AT_FDCWD, g->mountpoint, 0, &g->own))
		g->is_closed = true;
}

struct gate *gate_at(struct gate *g, const char *path, size_t n)
{
	const struct gate *all = g ? g->of : NULL;
	if (!all || !all->is_closed)
		return g;
	for (const char *const *s = all->sources; *s; s++) {
		if (pathname_is_in(span_of(*s), (struct span){ path, n }))
			return NULL;
	}
	return g;
}

int gate_open(struct gate *g, int folder, const char *name, int flags)
{
	switch (check(g, folder, name, 0)) {
	case PASSAGE_OWN:
		return whole_open(g->of->hidden, ".", flags, 0);
	case PASSAGE_OTHER:
		return -ELOOP;
	default:
		return whole_open(folder, name, flags, 0);
	}
}

int gate_stat_file(int folder, const char *name, struct stat *st)
{
	const int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
	return fstatat(folder, name, st, flags) < 0 ? -errno : 0;
}

int gate_stat_in(struct gate *g, int folder, const char *name, struct stat *st)
{
	enum passage to = check(g, folder, name, AT_NO_AUTOMOUNT);
	if (to == PASSAGE_OTHER)
		return -ELOOP;
	if (to == PASSAGE_OWN) {
		folder = g->of->hidden;
		name = "";
	}
	return gate_stat_file(folder, name, st);
}

const char *gate_path(const struct gate *g, const char *path,
		      char room[GATE_PATH_SIZE])
{
	g = g ? g->of : NULL;
	if (!g || g->hidden < 0 || !pathname_is_below(path, g->mountpoint))
		return path;
	/* A path that does not fit is too long for the kernel, too. */
	snprintf(room, GATE_PATH_SIZE, "/proc/self/fd/%d/.%s", g->hidden,
		 path + strlen(g->mountpoint));
	return room;
}

int gate_stat(const struct gate *g, const char *path, struct stat *st)
{
	char room[GATE_PATH_SIZE];
	return lstat(gate_path(g, path, room), st) < 0 ? -errno : 0;
}

bool gate_has_acl(const struct gate *g, const char *path)
{
	char room[GATE_PATH_SIZE];
	return lgetxattr(gate_path(g, path, room), GATE_ACL, NULL, 0) > 0;
}

mode_t gate_mode_beside_acl(mode_t mode)
{
	return mode & ~(mode_t)S_IRWXG;
}
