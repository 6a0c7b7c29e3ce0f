#include "core/file/lineage.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/file/fault.h"
#include "core/file/regular.h"

/* The last bytes of the part of a file that is used. */
static int read_end(struct regular *f, uint64_t size, char *to, size_t *n)
{
	*n = size < LINEAGE_END_SIZE ? (size_t)size : LINEAGE_END_SIZE;
	ssize_t got = regular_read_at(f, to, *n, (off_t)(size - *n));
	if (got < 0)
		return (int)got;
	return (size_t)got < *n ? -ENODATA : 0;
}

static void free_ancestor(struct ancestor *a)
{
	regular_free(a->file);
	free(a->path);
}

int lineage_add(struct lineage *l, const char *path, uint64_t size)
{
	if (l->n == LINEAGE_LIMIT)
		return -EMLINK;
	if (size > INT64_MAX - l->size)
		return -EFBIG;
	if (array_reserve(&l->list, &l->cap, l->n, 1) < 0)
		return -ENOMEM;
	struct ancestor *a = &l->list[l->n];
	*a = (struct ancestor){ .path = strdup(path), .size = size };
	if (a->path)
		a->file = regular_new(l->gate, a->path);
	struct stat st;
	int err = a->file ? regular_renew(a->file, &st) : -ENOMEM;
	if (!err)
		err = read_end(a->file, a->size, a->end, &a->n_end);
	if (err) {
		free_ancestor(a);
		return err;
	}
	l->n++;
	l->size += size;
	return 0;
}

void lineage_free(struct lineage *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_ancestor(&l->list[i]);
	free(l->list);
	buf_free(&l->fault_name);
	versions_free(&l->searched);
	*l = (struct lineage){ 0 };
}

void lineage_take_fault(struct lineage *l, struct lineage *from)
{
	buf_free(&l->fault_name);
	versions_free(&l->searched);
	l->fault = from->fault;
	l->agent_reads = from->agent_reads;
	l->fault_name = from->fault_name;
	l->searched = from->searched;
	from->fault = NULL;
	from->fault_name = (struct buf){ 0 };
	from->searched = (struct versions){ 0 };
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
			ssize_t r = regular_read_at(a->file, (char *)to + *got,
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

/* The worst change of an ancestor. */
static enum version_change look(const struct lineage *l)
{
	enum version_change worst = VERSION_SAME;
	for (size_t i = 0; i < l->n; i++) {
		const struct ancestor *a = &l->list[i];
		enum version_change c =
			version_look(l->gate, a->path, a->file->was);
		worst = c > worst ? c : worst;
	}
	return worst;
}

bool lineage_is_stale(const struct lineage *l)
{
	return look(l) != VERSION_SAME || l->change != VERSION_SAME ||
	       versions_have_changed(&l->searched);
}

bool lineage_is_whole(const struct lineage *l)
{
	return look(l) <= VERSION_GREW && l->change == VERSION_SAME;
}

bool lineage_is_settled(const struct lineage *l, struct timespec before)
{
	for (size_t i = 0; i < l->n; i++) {
		if (!version_is_settled(l->list[i].file->was, before))
			return false;
	}
	return !l->fault;
}

/* Before the path of a packed ancestor. */
struct packed {
	struct version was;
	uint64_t used; /* ancestor.size */
	uint64_t end;  /* the hash of ancestor.end */
	uint64_t path;
};

static uint64_t hash_end(const char *end, size_t n)
{
	return hash_line((struct span){ end, n }, 0);
}

void lineage_pack(const struct lineage *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct ancestor *a = &l->list[i];
		struct span path = span_of(a->path);
		const struct packed p = {
			.was = a->file->was,
			.used = a->size,
			.end = hash_end(a->end, a->n_end),
			.path = path.n,
		};
		buf_add(out, (struct span){ (const char *)&p, sizeof(p) });
		buf_add(out, path);
	}
}

/* Has it the same bytes before the cut as when it was packed? */
static bool end_matches(struct gate *g, const char *path,
			const struct packed *p)
{
	char end[LINEAGE_END_SIZE];
	struct stat st;
	size_t n;
	struct regular *f = regular_new(g, path);
	bool same = f && regular_renew(f, &st) == 0 &&
		    read_end(f, p->used, end, &n) == 0 &&
		    hash_end(end, n) == p->end;
	regular_free(f);
	return same;
}

/* Consume one ancestor: is it as it was, or has it at most grown? */
static bool take_packed(struct gate *g, struct span *rest)
{
	struct packed p;
	char path[PATH_MAX];
	if (rest->n < sizeof(p))
		return false;
	memcpy(&p, rest->p, sizeof(p));
	*rest = span_from(*rest, sizeof(p));
	if (p.path > rest->n || p.path >= sizeof(path))
		return false;
	memcpy(path, rest->p, p.path);
	path[p.path] = '\0';
	*rest = span_from(*rest, p.path);
	enum version_change change = version_look(g, path, p.was);
	return change == VERSION_SAME ||
	       (change == VERSION_GREW && end_matches(g, path, &p));
}

bool lineage_is_as_packed(struct gate *g, struct span packed)
{
	while (packed.n > 0) {
		if (!take_packed(g, &packed))
			return false;
	}
	return true;
}

/* The change of an ancestor, or -errno. `reopened`: it may have been closed. */
static int compare(const struct ancestor *a, struct version was,
		   struct version now, bool reopened)
{
	char end[LINEAGE_END_SIZE];
	size_t n;
	if (version_eq(now, was))
		return VERSION_SAME;
	if (!version_same_file(now, was) || (uint64_t)now.size < a->size)
		return VERSION_REPLACED;
	if (now.size <= was.size || reopened)
		return VERSION_TOUCHED;
	/* One that has grown is known by its last bytes before the cut. */
	int err = read_end(a->file, a->size, end, &n);
	if (err)
		return err == -ENODATA ? VERSION_REPLACED : err;
	return memcmp(end, a->end, n) == 0 ? VERSION_SAME : VERSION_REPLACED;
}

/*
 * The change of an ancestor. The open file is not looked at: it is the one at
 * the path, if that has its inode number. Two reasons make that doubtful
 * (log.h): it was closed, or is on another machine.
 */
static int refresh(struct gate *g, const struct ancestor *a)
{
	struct regular *f = a->file;
	const struct version was = f->was;
	struct version now;
	struct stat st;
	int err = version_reach(g, a->path, &now);
	bool same = version_eq(now, was);
	bool reopened = open_files_was_evicted(gate_files(g), &f->held, same);
	/* To open a remote file may connect to its server again. */
	if (!same && (reopened || f->remote)) {
		err = regular_renew(f, &st);
		now = f->was;
	}
	int change = err ? err : compare(a, was, now, reopened);
	f->was =
		change == VERSION_TOUCHED || change == VERSION_SAME ? now : was;
	if (change < 0 && !fault_tells_nothing(change))
		change = VERSION_REPLACED;
	return change;
}

int lineage_refresh(struct lineage *l)
{
	for (size_t i = 0; i < l->n && l->change != VERSION_REPLACED; i++) {
		int change = refresh(l->gate, &l->list[i]);
		if (change < 0)
			return change;
		if (change > (int)l->change)
			l->change = (enum version_change)change;
	}
	return 0;
}
