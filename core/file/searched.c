#include "core/file/searched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/array.h"
#include "core/file/nofollow.h"
#include "core/file/same.h"

int searched_add(struct searched *w, struct gate *g, const char *path)
{
	struct searched_path one = { .path = strdup(path) };
	struct timespec now = { 0 };
	if (!one.path || array_reserve(&w->list, &w->cap, w->n, 1) < 0) {
		free(one.path);
		return -ENOMEM;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	one.there = nofollow_stat(g, path, &one.st) == 0;
	one.settled = !one.there || same_is_settled(&one.st, now);
	w->gate = g;
	w->list[w->n++] = one;
	return 0;
}

static bool has_changed(struct gate *g, const struct searched_path *one)
{
	struct stat now;
	if (nofollow_stat(g, one->path, &now) < 0)
		return one->there;
	return !one->there || !one->settled || !same_version(&now, &one->st);
}

bool searched_have_changed(const struct searched *w)
{
	for (size_t i = 0; i < w->n; i++) {
		if (has_changed(w->gate, &w->list[i]))
			return true;
	}
	return false;
}

void searched_free(struct searched *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->list[i].path);
	free(w->list);
	*w = (struct searched){ 0 };
}
