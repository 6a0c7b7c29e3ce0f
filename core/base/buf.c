#include "core/base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/base/array.h"

void buf_free(struct buf *b)
{
	if (b->failed)
		buf_fail(b->into);
	free(b->data);
	*b = BUF_INTO(b->into);
}

void buf_fail(struct buf *b)
{
	for (; b; b = b->into)
		b->failed = true;
}

void buf_inherit(struct buf *b, const struct buf *from)
{
	if (from->failed)
		buf_fail(b);
}

void buf_free_into(struct buf *from, struct buf *b)
{
	buf_inherit(b, from);
	buf_free(from);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->failed = false;
}

/* A large buffer is filled soon. Huge pages cause fewer page faults. */
static void advise_huge(char *data, size_t n)
{
	const size_t huge = (size_t)2 << 20;
	size_t before = huge - (uintptr_t)data % huge;
	if (n >= 2 * huge)
		madvise(data + before, (n - before) / huge * huge,
			MADV_HUGEPAGE);
}

char *buf_reserve(struct buf *b, size_t n)
{
	if (b->failed)
		return NULL;
	if (b->data && n <= b->cap - b->len)
		return b->data + b->len;
	if (array_reserve(&b->data, &b->cap, b->len, n) < 0) {
		buf_fail(b);
		return NULL;
	}
	advise_huge(b->data, b->cap);
	return b->data + b->len;
}

void buf_add(struct buf *b, struct span s)
{
	if (s.n == 0)
		return;
	char *to = buf_reserve(b, s.n);
	if (!to)
		return;
	memcpy(to, s.p, s.n);
	b->len += s.n;
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, (struct span){ &c, 1 });
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, span_of(s));
}

/* More than most texts that are formatted, with their NUL. */
#define FORMATTED 32

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *to = buf_reserve(b, FORMATTED);
	size_t room = to ? b->cap - b->len : 0;
	va_start(ap, fmt);
	int n = vsnprintf(to, room, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n >= room) {
		to = buf_reserve(b, (size_t)n + 1);
		va_start(ap, fmt);
		if (to)
			vsnprintf(to, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	if (n < 0 || !to)
		buf_fail(b);
	else
		b->len += (size_t)n;
}

void buf_fill(struct buf *b, char c, size_t n)
{
	char *to = buf_reserve(b, n);
	if (!to)
		return;
	memset(to, c, n);
	b->len += n;
}

void buf_end_line(struct buf *b)
{
	if (b->len > 0 && b->data[b->len - 1] != '\n')
		buf_addc(b, '\n');
}

int buf_keep(struct buf *b, struct span text, uint32_t *at)
{
	uint32_t n = (uint32_t)text.n;
	if (text.n >= UINT32_MAX / 2 ||
	    b->len + text.n + sizeof(n) >= UINT32_MAX)
		return -EFBIG;
	if (!buf_reserve(b, text.n + sizeof(n))) {
		b->failed = false;
		return -ENOMEM;
	}
	*at = (uint32_t)b->len;
	buf_add(b, (struct span){ (const char *)&n, sizeof(n) });
	buf_add(b, text);
	return 0;
}

struct span buf_kept(const struct buf *b, uint32_t at)
{
	uint32_t n;
	memcpy(&n, b->data + at, sizeof(n));
	return (struct span){ b->data + at + sizeof(n), n };
}

struct span buf_span(const struct buf *b)
{
	return (struct span){ b->data ? b->data : "", b->len };
}

const char *buf_cstr(struct buf *b)
{
	char *end = buf_reserve(b, 1);
	if (!end)
		return NULL;
	*end = '\0';
	return b->data;
}

char *buf_take(struct buf *b)
{
	char *text = buf_cstr(b) ? b->data : NULL;
	if (text)
		b->data = NULL;
	buf_free(b);
	return text;
}

int buf_error(const struct buf *b)
{
	return b->failed ? -ENOMEM : 0;
}

int buf_end(struct buf *b)
{
	int err = buf_error(b);
	buf_free(b);
	return err;
}
