#include "core/file/held_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file/remote.h"

void held_folder_init(struct held_folder *h)
{
	*h = (struct held_folder){ .lock = PTHREAD_MUTEX_INITIALIZER,
				   .fd = -1 };
}

/* The descriptor is closed by the caller: without the lock. */
static int let_go(struct held_folder *h)
{
	int fd = h->fd;
	free(h->path);
	h->path = NULL;
	h->fd = -1;
	return fd;
}

void held_folder_free(struct held_folder *h)
{
	int fd = let_go(h);
	if (fd >= 0)
		close(fd);
	pthread_mutex_destroy(&h->lock);
}

void held_folder_begin(struct held_folder *h)
{
	pthread_mutex_lock(&h->lock);
	h->holds = true;
	pthread_mutex_unlock(&h->lock);
}

int held_folder_use(struct held_folder *h, struct span path)
{
	int fd = -1;
	pthread_mutex_lock(&h->lock);
	if (h->path && span_eq(span_of(h->path), path)) {
		h->users++;
		fd = h->fd;
	}
	pthread_mutex_unlock(&h->lock);
	return fd;
}

void held_folder_keep(struct held_folder *h, struct span path, int fd)
{
	int old = -1;
	pthread_mutex_lock(&h->lock);
	char *copy = h->holds && h->users == 0 ? strndup(path.p, path.n) : NULL;
	if (copy) {
		old = let_go(h);
		h->path = copy;
		h->fd = fd;
		h->users = 1;
	}
	pthread_mutex_unlock(&h->lock);
	if (old >= 0)
		close(old);
}

void held_folder_done(struct held_folder *h, int fd)
{
	pthread_mutex_lock(&h->lock);
	bool held = h->fd == fd;
	h->users -= held;
	pthread_mutex_unlock(&h->lock);
	if (!held)
		close(fd);
}

bool held_folder_is_remote(struct held_folder *h, int fd, dev_t dev)
{
	pthread_mutex_lock(&h->lock);
	bool knows = h->knows && h->dev == dev;
	bool remote = h->remote;
	pthread_mutex_unlock(&h->lock);
	if (knows)
		return remote;
	remote = remote_is(fd);
	pthread_mutex_lock(&h->lock);
	h->knows = h->holds;
	h->remote = remote;
	h->dev = dev;
	pthread_mutex_unlock(&h->lock);
	return remote;
}
