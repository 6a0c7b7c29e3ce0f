#include "core/file/lineage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/file/nofollow.h"
#include "core/file/same.h"
#include "core/file/whole.h"

/* The last bytes of the part of a file that is used. */
static int read_end(int fd, uint64_t size, char *to, size_t *n)
{
	*n = size < LINEAGE_END_SIZE ? (size_t)size : LINEAGE_END_SIZE;
	ssize_t got = whole_read_at(fd, to, *n, (off_t)(size - *n));
	if (got < 0)
		return (int)got;
	return (size_t)got < *n ? -ENODATA : 0;
}

static int open_ancestor(const struct ancestor *a, struct stat *st)
{
	int fd = nofollow_open(a->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd;
	int err = fstat(fd, st) < 0 ? -errno : 0;
	if (!err && !S_ISREG(st->st_mode))
		err = S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL;
	if (!err && (uint64_t)st->st_size < a->size)
		err = -ENODATA;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void free_ancestor(struct ancestor *a)
{
	if (a->fd >= 0)
		close(a->fd);
	free(a->path);
}

int lineage_add(struct lineage *l, const char *path, uint64_t size)
{
	struct ancestor a = { .fd = -1, .size = size };
	if (l->n == LINEAGE_LIMIT)
		return -EMLINK;
	if (array_reserve(&l->list, &l->cap, l->n, 1) < 0)
		return -ENOMEM;
	a.path = strdup(path);
	int err = a.path ? open_ancestor(&a, &a.st) : -ENOMEM;
	if (err >= 0) {
		a.fd = err;
		err = read_end(a.fd, a.size, a.end, &a.n_end);
	}
	if (err) {
		free_ancestor(&a);
		return err;
	}
	l->list[l->n++] = a;
	l->size += size;
	return 0;
}

void lineage_free(struct lineage *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_ancestor(&l->list[i]);
	free(l->list);
	buf_free(&l->fault_name);
	*l = (struct lineage){ 0 };
}

int lineage_read(const struct lineage *l, uint64_t offset, void *to, size_t n,
		 size_t *got)
{
	uint64_t start = 0;
	*got = 0;
	for (size_t i = l->n; i-- > 0 && *got < n;) {
		const struct ancestor *a = &l->list[i];
		uint64_t at = offset + *got - start;
		if (at < a->size) {
			uint64_t rest = a->size - at;
			size_t want = rest < n - *got ? (size_t)rest : n - *got;
			ssize_t r = whole_read_at(a->fd, (char *)to + *got,
						  want, (off_t)at);
			if (r < 0)
				return (int)r;
			if ((size_t)r < want)
				return -ESTALE;
			*got += want;
		}
		start += a->size;
	}
	return 0;
}

bool lineage_is_stale(const struct lineage *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct ancestor *a = &l->list[i];
		struct stat now;
		if (fstat(a->fd, &now) < 0 || now.st_nlink != a->st.st_nlink ||
		    !same_bytes(&now, &a->st) || !same_change(&now, &a->st))
			return true;
	}
	return false;
}

/* 1 if it has changed, 0 or -errno. */
static int refresh(struct ancestor *a)
{
	struct stat now;
	struct stat named;
	char end[LINEAGE_END_SIZE];
	size_t n;
	if (a->fd < 0) {
		int fd = open_ancestor(a, &now);
		if (fd < 0)
			return nofollow_tells_nothing(fd) ? fd : 1;
		a->fd = fd;
	} else if (fstat(a->fd, &now) < 0) {
		return -errno;
	}
	int err = nofollow_stat(a->path, &named);
	if (err)
		return nofollow_tells_nothing(err) ? err : 1;
	if (!same_file(&now, &named) || !same_file(&now, &a->st) ||
	    (uint64_t)now.st_size < a->size)
		return 1;
	if (!same_bytes(&now, &a->st) || !same_change(&now, &a->st)) {
		err = read_end(a->fd, a->size, end, &n);
		if (err)
			return nofollow_tells_nothing(err) ? err : 1;
		if (memcmp(end, a->end, n) != 0)
			return 1;
	}
	a->st = now;
	return 0;
}

int lineage_refresh(struct lineage *l)
{
	int changed = 0;
	for (size_t i = 0; i < l->n && !changed; i++)
		changed = refresh(&l->list[i]);
	return changed;
}

void lineage_park(struct lineage *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->list[i].fd >= 0)
			close(l->list[i].fd);
		l->list[i].fd = -1;
	}
}
