#include "core/places/set.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"

/* Presence changes the time by less than a millisecond. */
#define NS_OF_MS 1000000

int set_add(struct source_set *set, struct span name, const char *path)
{
	if (array_reserve(&set->list, &set->cap, set->n, 1) < 0)
		return -ENOMEM;
	struct set_source *s = &set->list[set->n++];
	*s = (struct set_source){ strndup(name.p, name.n), strdup(path) };
	return s->name && s->path ? 0 : -ENOMEM;
}

void set_free(struct source_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->list[i].name);
		free(set->list[i].path);
	}
	free(set->list);
	*set = (struct source_set){ 0 };
}

/* 1, 0 if it is not there, or -errno if nothing is known. */
static int stat_source(const struct set_source *s, struct gate *g,
		       struct stat *st)
{
	int err = nofollow_stat(g, s->path, st);
	if (err)
		return fault_tells_nothing(err) ? err : 0;
	return S_ISDIR(st->st_mode) || S_ISREG(st->st_mode);
}

/* The same with its item, which the caller frees in any case. */
static int describe(const struct set_source *s, struct gate *g,
		    struct folder_item *item)
{
	*item = (struct folder_item){ 0 };
	int got = stat_source(s, g, &item->st);
	if (got <= 0)
		return got;
	item->name = strdup(s->name);
	item->file = strdup(s->path);
	return item->name && item->file ? 1 : -ENOMEM;
}

int set_read(const struct source_set *set, struct gate *g,
	     struct folder_list *list)
{
	*list = (struct folder_list){ 0 };
	for (size_t i = 0; i < set->n; i++) {
		if (array_reserve(&list->items, &list->cap, list->n, 1) < 0)
			return -ENOMEM;
		int got = describe(&set->list[i], g, &list->items[list->n]);
		if (got == 1) {
			list->n++;
			continue;
		}
		folder_item_free(&list->items[list->n]);
		if (got == -ENOMEM)
			return got;
		list->partial = list->partial || got < 0;
	}
	return 0;
}

int set_find(const struct source_set *set, struct gate *g, struct span name,
	     struct folder_item *item)
{
	for (size_t i = 0; i < set->n; i++) {
		if (!span_eq(span_of(set->list[i].name), name))
			continue;
		int got = describe(&set->list[i], g, item);
		if (got == 1)
			return 0;
		folder_item_free(item);
		return got < 0 ? got : -ENOENT;
	}
	return -ENOENT;
}

/* What a folder's mode lets its owner, its group and others do. */
static mode_t mode_for_reading(const struct stat *st)
{
	mode_t mode = st->st_mode & 0555;
	return S_ISDIR(st->st_mode) ? mode : mode | (mode & 0444) >> 2;
}

void set_stat(const struct source_set *set, struct gate *g, struct stat *st)
{
	uint64_t there = 0;
	*st = (struct stat){ .st_mode = S_IFDIR | 0555, .st_nlink = 1 };
	st->st_uid = geteuid();
	st->st_gid = getegid();
	for (size_t i = 0; i < set->n; i++) {
		struct stat of;
		if (stat_source(&set->list[i], g, &of) != 1)
			continue;
		bool others = there > 0 && (of.st_uid != st->st_uid ||
					    of.st_gid != st->st_gid);
		if (gate_has_acl(g, set->list[i].path))
			of.st_mode = gate_mode_beside_acl(of.st_mode);
		mode_t may = mode_for_reading(&of);
		/* Of several owners, this process is the set's. */
		if (others)
			may = 0500 | (may & 05) | (may & 05) << 3;
		if (there == 0 || others) {
			st->st_uid = others ? geteuid() : of.st_uid;
			st->st_gid = others ? getegid() : of.st_gid;
		}
		st->st_mode &= S_IFMT | may;
		there += hash_number(i + 1);
	}
	st->st_mtim = set->since;
	st->st_mtim.tv_nsec += (long)(there % NS_OF_MS);
	st->st_mtim.tv_nsec %= 1000 * NS_OF_MS;
}
