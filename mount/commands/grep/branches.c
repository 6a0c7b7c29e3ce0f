#include "mount/commands/grep/branches.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

/* Texts from..to, which share `depth` bytes, and are added from `next` on. */
struct range {
	size_t from;
	size_t to;
	size_t next;
	size_t depth;
};

struct ranges {
	struct range *list;
	size_t n;
	size_t cap;
};

bool branches_is_plain(char c)
{
	return (c & 0x80) || c == '_' || c == ' ' || (c >= '0' && c <= '9') ||
	       (span_lower(c) >= 'a' && span_lower(c) <= 'z');
}

void branches_add_text(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!branches_is_plain(text.p[i]))
			buf_addc(out, '\\');
		buf_addc(out, text.p[i]);
	}
}

static int compare(const void *a, const void *b)
{
	return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* The bytes that two texts share, in whole characters. */
static size_t shared(struct span a, struct span b)
{
	size_t n = 0;
	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	while (n > 0 && ((n < a.n && (a.p[n] & 0xC0) == 0x80) ||
			 (n < b.n && (b.p[n] & 0xC0) == 0x80)))
		n--;
	return n;
}

/* Add what the texts of a new range share. Of several, a group is begun. */
static int push(struct ranges *open, struct buf *out, const struct span *texts,
		struct range r, size_t known)
{
	struct span first = texts[r.from];
	/* They are sorted: what the first and the last one share, all do. */
	r.depth = shared(first, texts[r.to - 1]);
	branches_add_text(out,
			  (struct span){ first.p + known, r.depth - known });
	if (r.to - r.from == 1)
		return 0;
	buf_adds(out, "(?:");
	r.next = r.from;
	if (array_reserve(&open->list, &open->cap, open->n, 1) < 0)
		return -ENOMEM;
	open->list[open->n++] = r;
	return 0;
}

/* The end of the texts that go on as the one at `at` does. */
static size_t end_of(const struct span *texts, const struct range *r, size_t at)
{
	size_t end = at + 1;
	while (end < r->to && shared(texts[at], texts[end]) > r->depth)
		end++;
	return end;
}

int branches_add(struct buf *out, struct span *texts, size_t n)
{
	struct ranges open = { 0 };
	size_t kept = 0;
	if (n == 0)
		return 0;
	qsort(texts, n, sizeof(*texts), compare);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || !span_eq(texts[kept - 1], texts[i]))
			texts[kept++] = texts[i];
	}
	const struct range all = { .to = kept };
	int err = push(&open, out, texts, all, 0);
	while (open.n > 0 && !err) {
		struct range *r = &open.list[open.n - 1];
		if (r->next == r->to) {
			buf_addc(out, ')');
			open.n--;
			continue;
		}
		const struct range part = { .from = r->next,
					    .to = end_of(texts, r, r->next) };
		buf_adds(out, r->next > r->from ? "|" : "");
		r->next = part.to;
		err = push(&open, out, texts, part, r->depth);
	}
	free(open.list);
	return err;
}
