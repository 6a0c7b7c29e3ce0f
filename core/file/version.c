#include "core/file/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"

struct versions_path {
	char *path;
	struct version was; /* settled, or unknown */
};

struct version version_of_stat(const struct stat *st)
{
	return (struct version){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = st->st_size,
		.mtime = { st->st_mtim.tv_sec, st->st_mtim.tv_nsec },
		.ctime = { st->st_ctim.tv_sec, st->st_ctim.tv_nsec },
		.mode = st->st_mode,
		.owner = (uint64_t)st->st_gid << 32 | st->st_uid,
	};
}

/* The version, given what the stat has returned. */
static int take(int err, const struct stat *st, struct version *v)
{
	*v = (struct version){ 0 };
	if (!err)
		*v = version_of_stat(st);
	return err;
}

int version_reach(struct gate *g, const char *path, struct version *v)
{
	struct stat st;
	return take(nofollow_stat(g, path, &st), &st, v);
}

int version_take(const struct gate *g, const char *path, struct version *v)
{
	struct stat st;
	return take(gate_stat(g, path, &st), &st, v);
}

int version_take_open(int fd, struct version *v)
{
	struct stat st;
	return take(fstat(fd, &st) < 0 ? -errno : 0, &st, v);
}

int version_take_in(int folder, const char *name, struct version *v)
{
	struct stat st;
	return take(gate_stat_file(folder, name, &st), &st, v);
}

bool version_eq(struct version a, struct version b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

bool version_same_file(struct version a, struct version b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

bool version_same_bytes(struct version a, struct version b)
{
	return a.size == b.size &&
	       memcmp(a.mtime, b.mtime, sizeof(a.mtime)) == 0;
}

enum version_change version_change(struct version was, struct version now)
{
	if (version_eq(was, now))
		return VERSION_SAME;
	if (!version_same_file(was, now) || now.size < was.size)
		return VERSION_REPLACED;
	return now.size > was.size ? VERSION_GREW : VERSION_TOUCHED;
}

enum version_change version_look(const struct gate *g, const char *path,
				 struct version was)
{
	struct version now;
	(void)version_take(g, path, &now);
	return version_change(was, now);
}

struct timespec version_clock(void)
{
	struct timespec now = { 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	return now;
}

bool version_is_settled(struct version v, struct timespec time)
{
	int64_t s = time.tv_sec - v.ctime[0];
	if (v.ctime[1] == 0 && v.mtime[1] == 0)
		return s > 2;
	if (s < 0 || s > 1)
		return s > 1;
	return s * 1000000000 + time.tv_nsec - v.ctime[1] > 20000000;
}

struct version version_settled(struct version v, struct timespec time)
{
	return version_is_settled(v, time) ? v : VERSION_UNKNOWN;
}

int versions_add(struct versions *v, struct gate *g, const char *path)
{
	struct versions_path one = { .path = strdup(path) };
	struct timespec now = version_clock();
	if (!one.path || array_reserve(&v->list, &v->cap, v->n, 1) < 0) {
		free(one.path);
		return -ENOMEM;
	}
	if (version_reach(g, path, &one.was) == 0)
		one.was = version_settled(one.was, now);
	v->gate = g;
	v->list[v->n++] = one;
	return 0;
}

bool versions_have_changed(const struct versions *v)
{
	for (size_t i = 0; i < v->n; i++) {
		struct version now;
		(void)version_reach(v->gate, v->list[i].path, &now);
		if (!version_eq(now, v->list[i].was))
			return true;
	}
	return false;
}

void versions_free(struct versions *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->list[i].path);
	free(v->list);
	*v = (struct versions){ 0 };
}
