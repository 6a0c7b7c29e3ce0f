#include "mount/commands/grep/needles.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/base/array.h"

/* How frequent a byte is in sessions: in text, in JSON and in code. */
static unsigned frequency(char c, bool any_case)
{
	static const char by_frequency[] =
		" etn\\aris\"oluc0dh:,pfm-.b1g/()vw2;yx={}k3[45968_z'7";
	const char *at = memchr(by_frequency, any_case ? span_lower(c) : c,
				sizeof(by_frequency) - 1);
	return at ? (unsigned)(by_frequency + sizeof(by_frequency) - at) : 0;
}

static size_t rarest_pair(const struct needle *n)
{
	const char *p = n->text.p;
	size_t best = 0;
	unsigned least = UINT_MAX;
	for (size_t i = 0; i + 1 < n->text.n; i++) {
		unsigned f = frequency(p[i], n->any_case) +
			     frequency(p[i + 1], n->any_case);
		if (f < least) {
			least = f;
			best = i;
		}
	}
	return best;
}

static void add_byte(struct needle_bytes *b, unsigned char c, uint8_t group)
{
	b->of_byte[c] |= group;
	b->of_low[c & 15] |= group;
	b->of_high[c >> 4] |= group;
}

static void add_letter(struct needle_bytes *b, char c, bool any_case,
		       uint8_t group)
{
	char low = span_lower(c);
	add_byte(b, (unsigned char)c, group);
	if (any_case && low >= 'a' && low <= 'z')
		add_byte(b, (unsigned char)c ^ 0x20, group);
}

int needles_add(struct needles *s, struct needle needle)
{
	needle.pair = rarest_pair(&needle);
	const char *pair = needle.text.p + needle.pair;
	uint8_t group = (uint8_t)(1U << s->n % NEEDLE_GROUPS);
	if (array_add(&s->list, &s->cap, &s->n, needle) < 0)
		return -ENOMEM;
	add_letter(&s->first, pair[0], needle.any_case, group);
	add_letter(&s->second, pair[1], needle.any_case, group);
	return 0;
}

void needles_free(struct needles *s)
{
	free(s->list);
	*s = (struct needles){ 0 };
}

/* Is the needle in the text, with its pair there? */
static bool is_at(const struct needle *n, struct span text, const char *pair)
{
	size_t before = (size_t)(pair - text.p);
	size_t from = before - n->pair;
	if (before < n->pair || text.n - from < n->text.n + n->after)
		return false;
	const struct span here = { text.p + from, n->text.n };
	if (n->counts && !n->counts(here.p + here.n))
		return false;
	return n->any_case ? span_eq_any_case(here, n->text)
			   : span_eq(here, n->text);
}

/* Is a needle of one of the groups there? */
static bool is_any_at(const struct needles *s, unsigned groups,
		      struct span text, const char *pair)
{
	for (; groups; groups &= groups - 1) {
		size_t i = (size_t)__builtin_ctz(groups);
		for (; i < s->n; i += NEEDLE_GROUPS) {
			if (is_at(&s->list[i], text, pair))
				return true;
		}
	}
	return false;
}

#ifdef __x86_64__

/* AVX2 may be used only in functions that run after have_vectors(). */
#define VECTORS __attribute__((target("avx2")))
#define VECTOR 32

static bool have_vectors(void)
{
	return __builtin_cpu_supports("avx2");
}

/* A table of 16 for each half of a vector. */
static VECTORS __m256i table_of(const uint8_t table[16])
{
	return _mm256_broadcastsi128_si256(
		_mm_loadu_si128((const void *)table));
}

/* The groups that have each of 32 bytes. */
static VECTORS __m256i groups_of(const struct needle_bytes *b, const char *p)
{
	const __m256i half = _mm256_set1_epi8(15);
	__m256i bytes = _mm256_loadu_si256((const void *)p);
	__m256i low = _mm256_and_si256(bytes, half);
	__m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
	return _mm256_and_si256(
		_mm256_shuffle_epi8(table_of(b->of_low), low),
		_mm256_shuffle_epi8(table_of(b->of_high), high));
}

/*
 * The first vector from p on that has a pair. It calls nothing, so the tables
 * stay in registers.
 */
static VECTORS const char *pass_over(const struct needles *s, const char *p,
				     const char *end)
{
	for (; end - p > VECTOR; p += VECTOR) {
		if (!_mm256_testz_si256(groups_of(&s->first, p),
					groups_of(&s->second, p + 1)))
			break;
	}
	return p;
}

/* A needle where the vector at p has a pair. */
static VECTORS const char *find_in_vector(const struct needles *s,
					  struct span text, const char *p)
{
	uint8_t of_place[VECTOR];
	__m256i groups = _mm256_and_si256(groups_of(&s->first, p),
					  groups_of(&s->second, p + 1));
	__m256i none = _mm256_cmpeq_epi8(groups, _mm256_setzero_si256());
	unsigned places = ~(unsigned)_mm256_movemask_epi8(none);
	_mm256_storeu_si256((void *)of_place, groups);
	for (; places; places &= places - 1) {
		int i = __builtin_ctz(places);
		if (is_any_at(s, of_place[i], text, p + i))
			return p + i;
	}
	return NULL;
}

/* Look in whole vectors, from *p on, and set *p to their end. */
static const char *find_in_vectors(const struct needles *s, struct span text,
				   const char **p)
{
	const char *end = text.p + text.n;
	const char *found = NULL;
	while (have_vectors() && !found) {
		*p = pass_over(s, *p, end);
		if (end - *p <= VECTOR)
			break;
		found = find_in_vector(s, text, *p);
		*p += VECTOR;
	}
	return found;
}

#else

static const char *find_in_vectors(const struct needles *s, struct span text,
				   const char **p)
{
	(void)s;
	(void)text;
	(void)p;
	return NULL;
}

#endif

const char *needles_find(const struct needles *s, struct span text)
{
	const char *end = text.p + text.n;
	const char *p = text.p;
	const char *found = find_in_vectors(s, text, &p);
	for (; !found && end - p > 1; p++) {
		unsigned groups = s->first.of_byte[(unsigned char)p[0]] &
				  s->second.of_byte[(unsigned char)p[1]];
		if (groups && is_any_at(s, groups, text, p))
			found = p;
	}
	return found;
}
