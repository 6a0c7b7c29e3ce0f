#include "core/dialects/codex/agent.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/dialects/codex/home.h"
#include "core/file/nofollow.h"

/* A line of /proc/locks about a lock by flock(2) that is held. */
struct held {
	int pid;
	unsigned major;
	unsigned minor;
	uintmax_t ino;
};

static bool read_held(const char *line, struct held *h)
{
	return sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%" SCNuMAX, &h->pid,
		      &h->major, &h->minor, &h->ino) == 4;
}

/*
 * Is that descriptor of a process the file at a path? The link is only read:
 * whoever follows it may ask the mount that is asking, and would wait forever.
 */
static bool is_open_at(int fds, const char *name, struct span file)
{
	char to[PATH_MAX];
	ssize_t n = readlinkat(fds, name, to, sizeof(to));
	return n >= 0 && span_eq((struct span){ to, (size_t)n }, file);
}

static bool has_open(const char *proc, int pid, struct span file)
{
	struct buf path = { 0 };
	buf_addf(&path, "%s/%d/fd", proc, pid);
	const char *name = buf_cstr(&path);
	DIR *fds = name ? opendir(name) : NULL;
	const struct dirent *d;
	bool has = false;
	while (fds && !has && (d = readdir(fds)))
		has = is_open_at(dirfd(fds), d->d_name, file);
	if (fds)
		closedir(fds);
	buf_free(&path);
	return has;
}

/* A file that may be locked. */
struct lock_file {
	struct span path;
	struct stat st;
};

/*
 * Is it a lock on the file? Some filesystems (btrfs) have another device there
 * than stat(2) tells.
 */
static bool is_of(const char *proc, const struct held *h,
		  const struct lock_file *f)
{
	if (h->ino != f->st.st_ino)
		return false;
	return (h->major == major(f->st.st_dev) &&
		h->minor == minor(f->st.st_dev)) ||
	       has_open(proc, h->pid, f->path);
}

static pid_t find_holder(const char *proc, const struct lock_file *f)
{
	struct buf path = { 0 };
	char *line = NULL;
	size_t cap = 0;
	pid_t found = 0;
	buf_addf(&path, "%s/locks", proc);
	const char *name = buf_cstr(&path);
	FILE *locks = name ? fopen(name, "re") : NULL;
	while (locks && found == 0 && getline(&line, &cap, locks) > 0) {
		struct held h;
		if (read_held(line, &h) && is_of(proc, &h, f))
			found = h.pid;
	}
	if (locks)
		fclose(locks);
	free(line);
	buf_free(&path);
	return found;
}

pid_t codex_process_with(struct gate *g, const char *proc, const char *path)
{
	struct buf lock = { 0 };
	struct lock_file f;
	pid_t found = 0;
	struct span home = codex_home_of(span_of(path));
	struct span id = codex_thread_id(span_of(path));
	buf_add(&lock, home);
	buf_adds(&lock, "thread-writer-locks/");
	buf_add(&lock, id);
	buf_adds(&lock, ".lock");
	if (home.n > 0 && id.n > 0 && buf_cstr(&lock) &&
	    nofollow_stat(g, lock.data, &f.st) == 0) {
		f.path = buf_span(&lock);
		found = find_holder(proc, &f);
	}
	buf_free(&lock);
	return found;
}

pid_t codex_process(struct gate *g, const char *path)
{
	return codex_process_with(g, "/proc", path);
}
