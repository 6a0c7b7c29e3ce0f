#include "mount/commands/grep/skip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/base/array.h"
#include "core/file/whole.h"
#include "core/session/dialect.h"
#include "core/show/content.h"

/* Read at once: it stays in the processor's cache, and fits a stack. */
#define CHUNK ((size_t)128 << 10)

/* What is looked for is no longer, so it is in a chunk or this much before. */
#define LONGEST ((size_t)64)

/* Compared at once. */
#define VECTOR 16
typedef unsigned char vector __attribute__((vector_size(VECTOR)));

/* Bytes that are looked for by two of them that are rare. */
struct needle {
	struct span text;
	bool any_case;
	size_t first; /* where these two are, in this order */
	size_t last;
};

struct skip {
	struct runs runs;
	struct needle *needles;
	size_t n;
	size_t cap;
	size_t n_lines; /* the first ones are looked for in a line, too */
};

/* Letters as they are frequent in text, in JSON and in code. */
static unsigned frequency(char c)
{
	static const char by_frequency[] = "etaoinsrlcdpumhfgybwv_kxjqz";
	const char *at =
		memchr(by_frequency, span_lower(c), sizeof(by_frequency) - 1);
	unsigned capital = c >= 'A' && c <= 'Z' ? 40 : 0;
	unsigned rank = at ? (unsigned)(at - by_frequency) : 10;
	return 100 - rank - capital;
}

static struct needle needle_of(struct span text, bool any_case)
{
	struct needle n = { text, any_case, 0, 1 };
	size_t rarest[2] = { 0, 1 };
	for (size_t i = 1; i < text.n; i++) {
		unsigned f = frequency(text.p[i]);
		if (f < frequency(text.p[rarest[0]])) {
			rarest[1] = rarest[0];
			rarest[0] = i;
		} else if (i == 1 || f < frequency(text.p[rarest[1]])) {
			rarest[1] = i;
		}
	}
	n.first = rarest[0] < rarest[1] ? rarest[0] : rarest[1];
	n.last = rarest[0] < rarest[1] ? rarest[1] : rarest[0];
	return n;
}

static int add_needle(struct skip *s, struct span text, bool any_case)
{
	if (array_reserve(&s->needles, &s->cap, s->n, 1) < 0)
		return -ENOMEM;
	s->needles[s->n++] = needle_of(text, any_case);
	return 0;
}

/* Letters differ in this bit from those of the other case. */
static unsigned char case_bit(const struct needle *n, size_t i)
{
	char low = span_lower(n->text.p[i]);
	return n->any_case && low >= 'a' && low <= 'z' ? 0x20 : 0;
}

static bool is_at(const struct needle *n, const char *p)
{
	struct span here = { p, n->text.n };
	return n->any_case ? span_eq_any_case(here, n->text)
			   : span_eq(here, n->text);
}

/* Where the two bytes of a pair are, each with bits that do not count. */
struct pair {
	size_t first;
	size_t last;
	unsigned char first_byte;
	unsigned char last_byte;
	unsigned char first_bits;
	unsigned char last_bits;
};

static bool is_pair(const struct pair *x, const char *p)
{
	unsigned char a = (unsigned char)p[x->first];
	unsigned char b = (unsigned char)p[x->last];
	return (a | x->first_bits) == x->first_byte &&
	       (b | x->last_bits) == x->last_byte;
}

static vector load(const char *p)
{
	vector v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* Is any byte of the vector not 0? */
static bool any(vector v)
{
	uint64_t part[VECTOR / sizeof(uint64_t)];
	memcpy(part, &v, sizeof(v));
	return part[0] | part[1];
}

/* 0xFF for each place that has the pair. */
static vector find_in_vector(const struct pair *x, const char *p)
{
	return (vector)(((load(p + x->first) | x->first_bits) ==
			 x->first_byte) &
			((load(p + x->last) | x->last_bits) == x->last_byte));
}

#ifdef __x86_64__

/* AVX2 may be used only in functions that run after have_wide_vectors(). */
#define WIDE_VECTORS __attribute__((target("avx2")))
#define WIDE 32

static bool have_wide_vectors(void)
{
	return __builtin_cpu_supports("avx2");
}

/* Pass over vectors without the pair, as find_pair() does. */
static WIDE_VECTORS const char *pass_over_wide(const struct pair *x,
					       const char *p, const char *end)
{
	const __m256i first_bits = _mm256_set1_epi8((char)x->first_bits);
	const __m256i last_bits = _mm256_set1_epi8((char)x->last_bits);
	const __m256i first = _mm256_set1_epi8((char)x->first_byte);
	const __m256i last = _mm256_set1_epi8((char)x->last_byte);
	for (; end - p >= WIDE; p += WIDE) {
		__m256i a = _mm256_loadu_si256((const void *)(p + x->first));
		__m256i b = _mm256_loadu_si256((const void *)(p + x->last));
		a = _mm256_cmpeq_epi8(_mm256_or_si256(a, first_bits), first);
		b = _mm256_cmpeq_epi8(_mm256_or_si256(b, last_bits), last);
		if (!_mm256_testz_si256(a, b))
			break;
	}
	return p;
}

#else

static bool have_wide_vectors(void)
{
	return false;
}

static const char *pass_over_wide(const struct pair *x, const char *p,
				  const char *end)
{
	(void)x;
	(void)end;
	return p;
}

#endif

/*
 * The first place from p on, before `end`, that has the pair; `end`: none. The
 * text goes on for x->last bytes after `end`.
 */
static const char *find_pair(const struct pair *x, const char *p,
			     const char *end)
{
	if (have_wide_vectors())
		p = pass_over_wide(x, p, end);
	while (end - p >= 2 * VECTOR &&
	       !any(find_in_vector(x, p) | find_in_vector(x, p + VECTOR)))
		p += 2 * VECTOR;
	while (p < end && !is_pair(x, p))
		p++;
	return p;
}

static bool has_needle(const struct needle *n, struct span text)
{
	struct pair x = { .first = n->first,
			  .last = n->last,
			  .first_bits = case_bit(n, n->first),
			  .last_bits = case_bit(n, n->last) };
	x.first_byte = (unsigned char)n->text.p[x.first] | x.first_bits;
	x.last_byte = (unsigned char)n->text.p[x.last] | x.last_bits;
	if (text.n < n->text.n)
		return false;
	const char *end = text.p + text.n - n->text.n + 1;
	const char *p = find_pair(&x, text.p, end);
	while (p < end && !is_at(n, p))
		p = find_pair(&x, p + 1, end);
	return p < end;
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'F';
}

/*
 * May the escape \uXXXX hide a letter: is it one of ASCII, or a digit of
 * another escape; or is it written otherwise than sessfs prints it where a
 * content has JSON?
 */
static bool hides(const char *x)
{
	bool low = x[0] == '0' && x[1] == '0';
	return (low && x[2] >= '3' && x[2] <= '7') ||
	       (low && x[2] == '0' && x[3] && strchr("89acd", x[3])) ||
	       is_capital(x[0]) || is_capital(x[1]) || is_capital(x[2]) ||
	       is_capital(x[3]);
}

static bool has_hiding(struct span text)
{
	static const struct pair escape = {
		.first = 0, .last = 1, .first_byte = '\\', .last_byte = 'u'
	};
	if (text.n < 6)
		return false;
	const char *end = text.p + text.n - 5;
	const char *p = find_pair(&escape, text.p, end);
	while (p < end && !hides(p + 2))
		p = find_pair(&escape, p + 1, end);
	return p < end;
}

static bool has_any(const struct skip *s, size_t n, struct span text)
{
	for (size_t i = 0; i < n; i++) {
		if (has_needle(&s->needles[i], text))
			return true;
	}
	return has_hiding(text);
}

bool skip_may_match(const struct skip *s, struct span line)
{
	return has_any(s, s->n_lines, line);
}

bool skip_may_match_file(const struct skip *s, int fd)
{
	char bytes[LONGEST + CHUNK];
	size_t before = 0; /* bytes that were read last time */
	for (;;) {
		ssize_t got = whole_read(fd, bytes + before, CHUNK);
		if (got < 0)
			return true;
		size_t n = before + (size_t)got;
		if (has_any(s, s->n, (struct span){ bytes, n }))
			return true;
		if ((size_t)got < CHUNK)
			return false;
		before = LONGEST;
		memcpy(bytes, bytes + n - before, before);
	}
}

/* Is a run a part of one of the words? */
static bool may_add(const struct skip *s, const char *words)
{
	struct span all = span_of(words);
	for (size_t i = 0; i < s->runs.n; i++) {
		const struct needle run =
			needle_of(s->runs.list[i], s->runs.any_case);
		if (has_needle(&run, all))
			return true;
	}
	return false;
}

/* *may: lines may be passed over all the same. 0 or -ENOMEM. */
static int add_rows(struct skip *s, const struct added_words *rows, bool *may)
{
	int err = 0;
	for (; !err && rows && (rows->words || rows->marker); rows++) {
		if (rows->words && !may_add(s, rows->words))
			continue;
		if (rows->marker)
			err = add_needle(s, span_of(rows->marker), false);
		else
			*may = false;
	}
	return err;
}

/*
 * What all dialects may add: a file is passed over before its own is known, and
 * may turn out to be another one's.
 */
static int add_all(struct skip *s, const struct dialect_registry *all,
		   bool *may)
{
	int err = 0;
	for (size_t i = 0; i < s->runs.n && !err; i++)
		err = add_needle(s, s->runs.list[i], s->runs.any_case);
	if (!err)
		err = add_rows(s, content_adding, may);
	for (size_t i = 0; i < all->n && !err; i++) {
		const struct dialect_adding *d = all->rows[i]->adding;
		*may = *may && d;
		if (d)
			err = add_rows(s, d->rows, may);
	}
	s->n_lines = s->n;
	for (size_t i = 0; i < all->n && !err; i++) {
		const struct dialect_adding *d = all->rows[i]->adding;
		if (d && d->other_files)
			err = add_needle(s, span_of(d->other_files), false);
	}
	return err;
}

int skip_new(struct skip **out, const struct grep_args *a,
	     const struct dialect_registry *dialects)
{
	struct skip *s = calloc(1, sizeof(*s));
	*out = NULL;
	if (!s)
		return -ENOMEM;
	int err = runs_find(&s->runs, a);
	bool may = !err && s->runs.n > 0;
	if (may)
		err = add_all(s, dialects, &may);
	if (!err && may)
		*out = s;
	else
		skip_free(s);
	return err;
}

void skip_free(struct skip *s)
{
	if (!s)
		return;
	runs_free(&s->runs);
	free(s->needles);
	free(s);
}
