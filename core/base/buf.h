/*
 * A growable byte buffer for rendering.
 *
 * Appending never fails at the call: when memory runs out the buffer turns
 * `failed`, further appends do nothing, and whoever finishes the rendering asks
 * buf_error() once. The bytes may hold NUL and are not NUL-terminated, except
 * after buf_cstr().
 *
 * A zeroed struct is an empty buffer. buf_free() releases it and makes it one
 * again. Not thread-safe: a buffer has one owner.
 */
#ifndef SESSFS_BUF_H
#define SESSFS_BUF_H

#include "core/base/span.h"

struct buf {
	char *data;
	size_t len;
	size_t cap;
	bool failed;
};

void buf_free(struct buf *b);

/* Empty the buffer, keep its memory, forget an earlier failure. */
void buf_clear(struct buf *b);

/* Room for n more bytes at data + len; NULL (and failed) if there is none. */
char *buf_reserve(struct buf *b, size_t n);

void buf_add(struct buf *b, struct span s);
void buf_addc(struct buf *b, char c);
void buf_adds(struct buf *b, const char *s);
void buf_addf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_fill(struct buf *b, char c, size_t n);

/* End the text with a newline, unless it is empty or already does. */
void buf_end_line(struct buf *b);

/* The bytes so far; valid until the next append. */
struct span buf_span(const struct buf *b);

/* The bytes so far with a NUL behind them (not counted), or NULL. */
const char *buf_cstr(struct buf *b);

/* 0, or -ENOMEM if any append failed. */
int buf_error(const struct buf *b);

#endif
