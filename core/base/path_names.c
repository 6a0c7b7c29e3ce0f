#include "core/base/path_names.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/pathname.h"

/* The bytes of a file name. */
#define NAME_LIMIT 255
/* Paths that are alike for longer get the name of the whole path. */
#define PARTS_LIMIT 8
#define WHOLE (PARTS_LIMIT + 1)

/* The last parts of a path; all of it if it has no more. */
static struct span last_parts(struct span path, unsigned parts)
{
	size_t from = path.n;
	while (from > 0 && (path.p[from - 1] != '/' || --parts > 0))
		from--;
	return span_from(path, from);
}

static void make_name(struct path_name *p)
{
	struct span end = last_parts(p->path, p->parts);
	buf_clear(&p->name);
	if (end.n == p->path.n || end.n > NAME_LIMIT)
		p->parts = WHOLE;
	if (p->parts == WHOLE) {
		pathname_add_whole(&p->name, p->path);
		/* Elsewhere another letter follows "=". */
		if (p->name.len > 0 && memchr("-.", p->name.data[0], 2)) {
			buf_clear(&p->name);
			buf_addc(&p->name, '=');
			pathname_add_whole(&p->name, p->path);
		}
	}
	for (size_t i = 0; i < end.n && p->parts != WHOLE; i++)
		buf_addc(&p->name, end.p[i] == '/' ? '+' : end.p[i]);
	(void)buf_cstr(&p->name);
}

static bool is_bad(struct span name, const struct path_names_taken *taken)
{
	if (name.n == 0 || name.p[0] == '-' || name.p[0] == '.')
		return true;
	for (size_t i = 0; i < taken->n; i++) {
		if (span_eq(name, taken->list[i]))
			return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct path_name *x = *(struct path_name *const *)a;
	const struct path_name *y = *(struct path_name *const *)b;
	return span_compare(buf_span(&x->name), buf_span(&y->name));
}

/* Give a longer name to those that need one. False if none has got one. */
static bool lengthen(struct path_name **sorted, size_t n,
		     const struct path_names_taken *taken)
{
	bool changed = false;
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;
		while (end < n && by_name(&sorted[i], &sorted[end]) == 0)
			end++;
		bool longer = end - i > 1 ||
			      is_bad(buf_span(&sorted[i]->name), taken);
		for (; i < end; i++) {
			if (!longer || sorted[i]->parts == WHOLE)
				continue;
			sorted[i]->parts++;
			make_name(sorted[i]);
			changed = true;
		}
	}
	return changed;
}

int path_names_make(struct path_name *list, size_t n,
		    const struct path_names_taken *taken)
{
	struct path_name **sorted = calloc(n + 1, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		sorted[i] = &list[i];
		list[i].parts = 1;
		make_name(&list[i]);
	}
	while (n > 0 && lengthen(sorted, n, taken))
		;
	free(sorted);
	int err = 0;
	for (size_t i = 0; i < n && !err; i++)
		err = buf_error(&list[i].name);
	return err;
}
