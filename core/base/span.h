/*
 * A borrowed run of bytes, valid as long as its owner's. It has a length,
 * because JSON strings may contain NUL.
 */
#ifndef SESSFS_SPAN_H
#define SESSFS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *p;
	size_t n;
};

/* Of a string literal. */
#define SPAN(literal) ((struct span){ "" literal, sizeof(literal) - 1 })

static inline struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/* What follows the first n bytes. */
static inline struct span span_from(struct span s, size_t n)
{
	return (struct span){ s.p + n, s.n - n };
}

/* Consume the first n bytes. */
static inline struct span span_take(struct span *rest, size_t n)
{
	struct span part = { rest->p, n };
	*rest = span_from(*rest, n);
	return part;
}

static inline char span_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* The same, but for the case of ASCII letters? */
static inline bool span_eq_any_case(struct span a, struct span b)
{
	size_t i = 0;
	if (a.n != b.n)
		return false;
	while (i < a.n && span_lower(a.p[i]) == span_lower(b.p[i]))
		i++;
	return i == a.n;
}

/* The order of their bytes. */
static inline int span_compare(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n > 0 ? memcmp(a.p, b.p, n) : 0;
	return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* The same for qsort(), of structs that begin with a span. */
static inline int span_order(const void *a, const void *b)
{
	return span_compare(*(const struct span *)a, *(const struct span *)b);
}

static inline bool span_starts(struct span s, struct span prefix)
{
	return s.n >= prefix.n &&
	       (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

/* The same, but for the case of ASCII letters? */
static inline bool span_starts_any_case(struct span s, struct span prefix)
{
	return s.n >= prefix.n &&
	       span_eq_any_case((struct span){ s.p, prefix.n }, prefix);
}

static inline bool span_ends(struct span s, struct span suffix)
{
	return s.n >= suffix.n &&
	       (suffix.n == 0 ||
		memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* Consume the text up to the first c, and the c; all of it if there is none. */
static inline struct span span_next(struct span *rest, char c)
{
	const char *end = rest->n > 0 ? memchr(rest->p, c, rest->n) : NULL;
	struct span part = { rest->p, end ? (size_t)(end - rest->p) : rest->n };
	*rest = span_from(*rest, part.n + (end != NULL));
	return part;
}

/* Consume the first line, without its LF; an empty one at the end. */
static inline struct span span_next_line(struct span *rest)
{
	return span_next(rest, '\n');
}

/* The last component of a path, without slashes at its end. */
static inline struct span span_last_part(struct span path)
{
	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	size_t from = path.n;
	while (from > 0 && path.p[from - 1] != '/')
		from--;
	return span_from(path, from);
}

/* The folder of a file's path, with the slash at its end. */
static inline struct span span_folder(struct span path)
{
	while (path.n > 0 && path.p[path.n - 1] != '/')
		path.n--;
	return path;
}

#endif
