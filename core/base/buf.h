/*
 * A growable byte buffer for rendering.
 *
 * Appending returns no error. When memory runs out, the buffer is marked as
 * `failed` and further appends do nothing; the caller checks buf_error() once,
 * at the end. The bytes may contain NUL, and are not NUL-terminated except
 * after buf_cstr().
 *
 * A zeroed struct is an empty buffer. After buf_free() it is empty again. Not
 * thread-safe.
 */
#ifndef SESSFS_BUF_H
#define SESSFS_BUF_H

#include <stdint.h>

#include "core/base/span.h"

struct buf {
	char *data;
	size_t len;
	size_t cap;
	bool failed;
	struct buf *into; /* another one, which fails with it; or NULL */
};

void buf_free(struct buf *b);

/* struct buf b BUF_SCOPED = { 0 }: it is freed at the end of its block. */
#define BUF_SCOPED __attribute__((cleanup(buf_free)))

/*
 * Of one whose bytes are to be in another, which outlives it: BUF_SCOPED =
 * BUF_INTO(out). Such a buffer is not handed on, and what replaces it is for
 * the same one.
 */
#define BUF_INTO(out) ((struct buf){ .into = (out) })

/* Mark it as failed. */
void buf_fail(struct buf *b);

/* A buffer has failed if one has whose bytes are to be in it. */
void buf_inherit(struct buf *b, const struct buf *from);

/* The same, and free the other one. */
void buf_free_into(struct buf *from, struct buf *b);

/*
 * Empty the buffer. It stays `failed`, because a part that was appended
 * elsewhere may be missing there. Keeps its memory.
 */
void buf_clear(struct buf *b);

/* The same for a buffer whose errors have been handled: clears `failed`. */
void buf_reset(struct buf *b);

/*
 * Make room for n more bytes, and return data + len. The caller adds to `len`.
 * NULL if the buffer has failed.
 */
char *buf_reserve(struct buf *b, size_t n);

void buf_add(struct buf *b, struct span s);
void buf_addc(struct buf *b, char c);
void buf_adds(struct buf *b, const char *s);
void buf_addf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_fill(struct buf *b, char c, size_t n);

/* Append a newline unless the buffer is empty or ends with one. */
void buf_end_line(struct buf *b);

/*
 * Keep a text, which buf_kept() finds by its place. 0, or -ENOMEM or -EFBIG
 * with nothing appended. Other bytes must not be appended to such a buffer.
 */
int buf_keep(struct buf *b, struct span text, uint32_t *at);
struct span buf_kept(const struct buf *b, uint32_t at);

/* The bytes, valid until the next append. */
struct span buf_span(const struct buf *b);

/* The bytes, followed by a NUL that `len` does not count; NULL if failed. */
const char *buf_cstr(struct buf *b);

/*
 * The same for the caller to free, and the buffer is empty then, also after it
 * has failed.
 */
char *buf_take(struct buf *b);

/* 0, or -ENOMEM if any append failed. */
int buf_error(const struct buf *b);

/* The same, and free it. */
int buf_end(struct buf *b);

#endif
