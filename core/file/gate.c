#include "core/file/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/file/fault.h"
#include "core/file/whole.h"

struct gate {
	/* Set before the threads start. */
	char *mountpoint;
	int hidden; /* the folder that the mount hides; or -1 */
	bool is_closed;
	dev_t own;
	char *source;

	pthread_mutex_t lock; /* protects these */
	FILE *mounts;	      /* /proc/self/mountinfo; or NULL */
	dev_t *others;	      /* all mounts of sessfs in it */
	size_t n;
	size_t cap;

	pthread_mutex_t files_lock; /* protects these, and each in the list */
	struct descriptor files;    /* the ends of the list */
	rlim_t n_files;
	rlim_t most_files;
};

enum passage {
	PASSAGE_FREE,
	PASSAGE_OWN,   /* to the root of our mount */
	PASSAGE_OTHER, /* to that of another sessfs */
};

struct gate *gate_new(void)
{
	struct rlimit l;
	struct gate *g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->hidden = -1;
	g->files.older = g->files.newer = &g->files;
	g->most_files = GATE_FILES;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur / 8 < GATE_FILES)
		g->most_files = l.rlim_cur / 8;
	g->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	g->files_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return g;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	if (g->hidden >= 0)
		close(g->hidden);
	if (g->mounts)
		fclose(g->mounts);
	free(g->mountpoint);
	free(g->source);
	free(g->others);
	pthread_mutex_destroy(&g->lock);
	pthread_mutex_destroy(&g->files_lock);
	free(g);
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
	if (!g || !g->is_closed || !find_mount(folder, name, flags, &dev))
		return PASSAGE_FREE;
	if (dev == g->own)
		return PASSAGE_OWN;
	/* FUSE has no disks: its devices have the major number 0. */
	return major(dev) == 0 && is_sessfs(g, dev) ? PASSAGE_OTHER
						    : PASSAGE_FREE;
}

int gate_hide(struct gate *g, const char *mountpoint, const char *source)
{
	g->mountpoint = strdup(mountpoint);
	g->source = strdup(source);
	if (!g->mountpoint || !g->source)
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
	bool leads = g && g->is_closed && strncmp(path, g->source, n) == 0 &&
		     (g->source[n] == '/' || g->source[n] == '\0');
	return leads ? NULL : g;
}

int gate_open(struct gate *g, int folder, const char *name, int flags)
{
	switch (check(g, folder, name, 0)) {
	case PASSAGE_OWN:
		return whole_open(g->hidden, ".", flags, 0);
	case PASSAGE_OTHER:
		return -ELOOP;
	default:
		return whole_open(folder, name, flags, 0);
	}
}

int gate_stat_in(struct gate *g, int folder, const char *name, struct stat *st)
{
	enum passage to = check(g, folder, name, AT_NO_AUTOMOUNT);
	if (to == PASSAGE_OTHER)
		return -ELOOP;
	if (to == PASSAGE_OWN) {
		folder = g->hidden;
		name = "";
	}
	return fstatat(folder, name, st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) <
			       0
		       ? -errno
		       : 0;
}

const char *gate_path(const struct gate *g, const char *path,
		      char room[GATE_PATH_SIZE])
{
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
	return lgetxattr(gate_path(g, path, room), "system.posix_acl_access",
			 NULL, 0) > 0;
}

static void lock_files(struct gate *g)
{
	if (g)
		pthread_mutex_lock(&g->files_lock);
}

static void unlock_files(struct gate *g)
{
	if (g)
		pthread_mutex_unlock(&g->files_lock);
}

static void unlink_file(struct gate *g, struct descriptor *d)
{
	d->older->newer = d->newer;
	d->newer->older = d->older;
	g->n_files--;
}

static void link_newest(struct gate *g, struct descriptor *d)
{
	d->newer = &g->files;
	d->older = g->files.older;
	d->older->newer = d->newer->older = d;
	g->n_files++;
}

/* Under the lock: returns the one that was kept, to be closed after it. */
static int set(struct gate *g, struct descriptor *d, int fd)
{
	int old = d->fd;
	if (old >= 0 && g)
		unlink_file(g, d);
	d->fd = fd;
	if (fd >= 0 && g)
		link_newest(g, d);
	return old;
}

/* Close the oldest that is not in use, if there are more than `most`. */
static bool evict(struct gate *g, rlim_t most)
{
	int fd = -1;
	lock_files(g);
	struct descriptor *d = g->files.newer;
	while (d != &g->files && d->users > 0)
		d = d->newer;
	if (g->n_files > most && d != &g->files) {
		fd = set(g, d, -1);
		d->was_evicted = true;
	}
	unlock_files(g);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void gate_keep(struct gate *g, struct descriptor *d, int fd)
{
	lock_files(g);
	int old = set(g, d, fd);
	d->was_evicted = false;
	unlock_files(g);
	if (old >= 0)
		close(old);
	while (g && evict(g, g->most_files))
		;
}

int gate_use(struct gate *g, struct descriptor *d, int fd)
{
	int surplus = fd;
	lock_files(g);
	if (d->fd < 0)
		surplus = set(g, d, fd);
	fd = d->fd;
	if (fd >= 0 && g) {
		unlink_file(g, d);
		link_newest(g, d);
		d->users++;
	}
	unlock_files(g);
	if (surplus >= 0)
		close(surplus);
	return fd;
}

void gate_done(struct gate *g, struct descriptor *d)
{
	if (!g)
		return;
	lock_files(g);
	d->users--;
	bool surplus = g->n_files > g->most_files;
	unlock_files(g);
	while (surplus && evict(g, g->most_files))
		;
}

bool gate_was_evicted(struct gate *g, struct descriptor *d, bool same)
{
	lock_files(g);
	bool was = d->was_evicted;
	d->was_evicted = was && (d->fd < 0 || !same);
	unlock_files(g);
	return was;
}

bool gate_make_room(struct gate *g, int err)
{
	return g && fault_is_shortage(err) && evict(g, 0);
}
