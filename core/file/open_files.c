#include "core/file/open_files.h"

#include <sys/resource.h>
#include <unistd.h>

#include "core/file/fault.h"

void open_files_init(struct open_files *f)
{
	struct rlimit l;
	*f = (struct open_files){ .lock = PTHREAD_MUTEX_INITIALIZER,
				  .most = OPEN_FILES };
	f->ends.older = f->ends.newer = &f->ends;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur / 8 < f->most)
		f->most = l.rlim_cur / 8;
}

static void lock(struct open_files *f)
{
	if (f)
		pthread_mutex_lock(&f->lock);
}

static void unlock(struct open_files *f)
{
	if (f)
		pthread_mutex_unlock(&f->lock);
}

static void unlink_it(struct open_files *f, struct descriptor *d)
{
	d->older->newer = d->newer;
	d->newer->older = d->older;
	f->n--;
}

static void link_newest(struct open_files *f, struct descriptor *d)
{
	d->newer = &f->ends;
	d->older = f->ends.older;
	d->older->newer = d->newer->older = d;
	f->n++;
}

/* Under the lock: returns the one that was kept, to be closed after it. */
static int set(struct open_files *f, struct descriptor *d, int fd)
{
	int old = d->fd;
	if (old >= 0 && f)
		unlink_it(f, d);
	d->fd = fd;
	if (fd >= 0 && f)
		link_newest(f, d);
	return old;
}

/* Close the oldest that is not in use, if there are more than `most`. */
static bool evict(struct open_files *f, size_t most)
{
	int fd = -1;
	lock(f);
	struct descriptor *d = f->ends.newer;
	while (d != &f->ends && d->users > 0)
		d = d->newer;
	if (f->n > most && d != &f->ends) {
		fd = set(f, d, -1);
		d->was_evicted = true;
	}
	unlock(f);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void open_files_keep(struct open_files *f, struct descriptor *d, int fd)
{
	lock(f);
	int old = set(f, d, fd);
	d->was_evicted = false;
	unlock(f);
	if (old >= 0)
		close(old);
	while (f && evict(f, f->most))
		;
}

int open_files_use(struct open_files *f, struct descriptor *d, int fd)
{
	int surplus = fd;
	lock(f);
	if (d->fd < 0)
		surplus = set(f, d, fd);
	fd = d->fd;
	if (fd >= 0 && f) {
		unlink_it(f, d);
		link_newest(f, d);
		d->users++;
	}
	unlock(f);
	if (surplus >= 0)
		close(surplus);
	return fd;
}

void open_files_done(struct open_files *f, struct descriptor *d)
{
	if (!f)
		return;
	lock(f);
	d->users--;
	bool surplus = f->n > f->most;
	unlock(f);
	while (surplus && evict(f, f->most))
		;
}

bool open_files_was_evicted(struct open_files *f, struct descriptor *d,
			    bool same)
{
	lock(f);
	bool was = d->was_evicted;
	d->was_evicted = was && (d->fd < 0 || !same);
	unlock(f);
	return was;
}

bool open_files_make_room(struct open_files *f, int err)
{
	return f && fault_is_shortage(err) && evict(f, 0);
}
