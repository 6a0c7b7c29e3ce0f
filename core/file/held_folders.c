#include "core/file/held_folders.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/file/remote.h"

void held_folders_init(struct held_folders *h)
{
	struct rlimit l;
	*h = (struct held_folders){ .lock = PTHREAD_MUTEX_INITIALIZER,
				    .most = HELD_FOLDERS };
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur / 16 < h->most)
		h->most = l.rlim_cur / 16;
}

void held_folders_free(struct held_folders *h)
{
	for (size_t i = 0; i < h->n; i++) {
		close(h->list[i].fd);
		free(h->list[i].path);
	}
	pthread_mutex_destroy(&h->lock);
}

/* Under the lock: where the folder at a path is in the list; h->n: nowhere. */
static size_t find(const struct held_folders *h, struct span path)
{
	size_t i = 0;
	while (i < h->n && !span_eq(span_of(h->list[i].path), path))
		i++;
	return i;
}

/* Under the lock: put a folder before the first `i` ones. */
static struct held_folder *put_first(struct held_folders *h, size_t i,
				     struct held_folder folder)
{
	memmove(&h->list[1], &h->list[0], i * sizeof(h->list[0]));
	h->list[0] = folder;
	return &h->list[0];
}

int held_folders_use(struct held_folders *h, struct span path)
{
	int fd = -1;
	pthread_mutex_lock(&h->lock);
	size_t i = find(h, path);
	if (i < h->n) {
		struct held_folder *f = put_first(h, i, h->list[i]);
		f->users++;
		fd = f->fd;
	}
	pthread_mutex_unlock(&h->lock);
	return fd;
}

/* Under the lock: the place for one more in the list; h->most: there is none.
 */
static size_t make_room(const struct held_folders *h)
{
	if (h->n < h->most)
		return h->n;
	for (size_t i = h->n; i-- > 0;) {
		if (h->list[i].users == 0)
			return i;
	}
	return h->most;
}

void held_folders_keep(struct held_folders *h, struct span path, int fd)
{
	struct held_folder old = { .fd = -1 };
	pthread_mutex_lock(&h->lock);
	size_t room = make_room(h);
	/* Another thread may have opened it, too. */
	bool wanted = room < h->most && find(h, path) == h->n;
	char *copy = wanted ? strndup(path.p, path.n) : NULL;
	if (copy && room < h->n)
		old = h->list[room];
	if (copy) {
		h->n += room == h->n;
		put_first(h, room, (struct held_folder){ copy, fd, 1 });
	}
	pthread_mutex_unlock(&h->lock);
	if (old.fd >= 0)
		close(old.fd);
	free(old.path);
}

void held_folders_done(struct held_folders *h, int fd)
{
	size_t i = 0;
	pthread_mutex_lock(&h->lock);
	while (i < h->n && h->list[i].fd != fd)
		i++;
	bool held = i < h->n;
	if (held)
		h->list[i].users--;
	pthread_mutex_unlock(&h->lock);
	if (!held)
		close(fd);
}

bool held_folders_is_remote(struct held_folders *h, int fd, dev_t dev)
{
	pthread_mutex_lock(&h->lock);
	bool knows = h->knows && h->dev == dev;
	bool remote = h->remote;
	pthread_mutex_unlock(&h->lock);
	if (knows)
		return remote;
	remote = remote_is(fd);
	pthread_mutex_lock(&h->lock);
	h->knows = true;
	h->remote = remote;
	h->dev = dev;
	pthread_mutex_unlock(&h->lock);
	return remote;
}
