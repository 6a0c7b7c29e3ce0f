#include "core/json/scan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/json/nesting.h"
#include "core/json/short.h"

/* The open containers, innermost last: a set bit is an object. */
struct containers {
	struct scan_ends *ends;
	size_t recorded[SCAN_LEVELS]; /* index in ends, by depth; >= cap: none
				       */
	unsigned char *bits;
	size_t cap; /* in bytes */
	size_t depth;
	bool ended; /* the text ended between two tokens */
	unsigned char inline_bits[64];
};

static bool push_container(struct containers *n, bool object)
{
	if (n->depth / 8 == n->cap) {
		bool was_inline = n->bits == n->inline_bits;
		unsigned char *bits = was_inline ? NULL : n->bits;
		size_t cap = was_inline ? 0 : n->cap;
		if (array_reserve(&bits, &cap, n->cap, n->cap) < 0)
			return false;
		if (was_inline)
			memcpy(bits, n->inline_bits, n->cap);
		n->bits = bits;
		n->cap = cap;
	}
	unsigned char bit = (unsigned char)(1u << n->depth % 8);
	if (object)
		n->bits[n->depth / 8] |= bit;
	else
		n->bits[n->depth / 8] &= (unsigned char)~bit;
	n->depth++;
	return true;
}

static void record_start(struct containers *n, const char *p)
{
	struct scan_ends *ends = n->ends;
	if (!ends || n->depth > SCAN_LEVELS)
		return;
	n->recorded[n->depth - 1] = ends->n;
	if (ends->n < ends->cap)
		ends->list[ends->n++] = (struct scan_end){ p, 0 };
}

/* Record that the innermost container ends before p. */
static void record_end(const struct containers *n, const char *p)
{
	const struct scan_ends *ends = n->ends;
	if (!ends || n->depth > SCAN_LEVELS)
		return;
	size_t i = n->recorded[n->depth - 1];
	if (i < ends->cap)
		ends->list[i].n = (size_t)(p - ends->list[i].start);
}

static void record_string(const struct containers *n, const char *p,
			  const char *end)
{
	struct scan_ends *ends = n->ends;
	size_t length = (size_t)(end - p);
	if (ends && length > SCAN_SHORT && n->depth > 0 &&
	    n->depth <= SCAN_LEVELS && ends->n < ends->cap)
		ends->list[ends->n++] = (struct scan_end){ p, length };
}

static bool in_object(const struct containers *n)
{
	size_t top = n->depth - 1;
	return n->bits[top / 8] >> top % 8 & 1;
}

int scan_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * The check_ functions go from the first byte of a token to the byte after it,
 * or return NULL if it is not well-formed.
 */
enum escape_kind { ESCAPE_NONE, ESCAPE_CHAR, ESCAPE_HEX };

/* By the byte after the backslash. */
static const char escape_kinds[256] = {
	['"'] = ESCAPE_CHAR, ['\\'] = ESCAPE_CHAR, ['/'] = ESCAPE_CHAR,
	['b'] = ESCAPE_CHAR, ['f'] = ESCAPE_CHAR,  ['n'] = ESCAPE_CHAR,
	['r'] = ESCAPE_CHAR, ['t'] = ESCAPE_CHAR,  ['u'] = ESCAPE_HEX,
};

static const char *check_escape(const char *p, const char *end)
{
	char kind =
		end - p < 2 ? ESCAPE_NONE : escape_kinds[(unsigned char)p[1]];
	if (kind != ESCAPE_HEX)
		return kind == ESCAPE_CHAR ? p + 2 : NULL;
	if (end - p < 6)
		return NULL;
	for (int i = 2; i < 6; i++) {
		if (scan_hex_digit(p[i]) < 0)
			return NULL;
	}
	return p + 6;
}

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* Are all eight bytes neither quote, backslash nor control character? */
static bool word_is_plain(uint64_t w)
{
	uint64_t quote = w ^ ONES * '"';
	uint64_t slash = w ^ ONES * '\\';
	uint64_t found = ((quote - ONES) & ~quote) | ((slash - ONES) & ~slash) |
			 ((w - ONES * 0x20) & ~w);
	return (found & HIGHS) == 0;
}

/* Check the rest of a string, from a byte that is not escaped. */
static const char *check_rest(const char *p, const char *end)
{
	while (p < end) {
		uint64_t w;
		while (end - p >= 8 && (memcpy(&w, p, 8), word_is_plain(w)))
			p += 8;
		if (p == end)
			break;
		if (*p == '"')
			return p + 1;
		if (*p == '\\') {
			p = check_escape(p, end);
			if (!p)
				return NULL;
		} else if ((unsigned char)*p < 0x20) {
			return NULL;
		} else {
			p++;
		}
	}
	return NULL;
}

const char *scan_string_plain(const char *p, const char *end)
{
	return check_rest(p + 1, end);
}

#ifdef __x86_64__

/* AVX2 may be used only in functions that run after have_vectors(). */
#define VECTORS __attribute__((target("avx2")))
#define BLOCK 64

static bool have_vectors(void)
{
	return __builtin_cpu_supports("avx2");
}

struct block {
	__m256i low;
	__m256i high;
};

static inline VECTORS struct block load_block(const char *p)
{
	return (struct block){ _mm256_loadu_si256((const __m256i *)p),
			       _mm256_loadu_si256((const __m256i *)(p + 32)) };
}

/* One bit for each byte of a block of 0x00 and 0xFF. */
static inline VECTORS uint64_t to_bits(__m256i low, __m256i high)
{
	return (uint64_t)(unsigned)_mm256_movemask_epi8(high) << 32 |
	       (unsigned)_mm256_movemask_epi8(low);
}

static inline VECTORS uint64_t find_byte(const struct block *b, char c)
{
	const __m256i all = _mm256_set1_epi8(c);
	return to_bits(_mm256_cmpeq_epi8(b->low, all),
		       _mm256_cmpeq_epi8(b->high, all));
}

static inline VECTORS uint64_t find_controls(const struct block *b)
{
	const __m256i last = _mm256_set1_epi8(0x1F);
	return to_bits(
		_mm256_cmpeq_epi8(_mm256_min_epu8(b->low, last), b->low),
		_mm256_cmpeq_epi8(_mm256_min_epu8(b->high, last), b->high));
}

/* The bits below the n-th; n is 64 at most. */
static inline uint64_t below(unsigned n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

static inline unsigned first_bit(uint64_t bits)
{
	return bits ? (unsigned)__builtin_ctzll(bits) : 64;
}

/*
 * The backslashes of a block that begin an escape: the first, third and so on
 * of each run. The block's first byte is not escaped. The subtraction carries
 * through a run, and its result depends on whether the run starts at an even
 * place.
 */
static inline uint64_t find_escapes(uint64_t slashes)
{
	const uint64_t odd = 0xAAAAAAAAAAAAAAAAu;
	uint64_t codes = (((slashes << 1) | odd) - slashes) ^ odd;
	return codes & slashes;
}

/*
 * Are the escapes of the block at p well-formed? Nearly all are of the four
 * common kinds, which need no branches.
 */
static inline VECTORS bool check_escapes(const char *p, const char *end,
					 const struct block *b,
					 uint64_t escapes)
{
	uint64_t escaped =
		escapes << 1 & ~(find_byte(b, 'n') | find_byte(b, 't') |
				 find_byte(b, '"') | find_byte(b, '\\'));
	for (; escaped; escaped &= escaped - 1) {
		if (!check_escape(p + __builtin_ctzll(escaped) - 1, end))
			return false;
	}
	return true;
}

/*
 * Scan whole blocks, from a byte that is not escaped. Returns the byte after
 * the string, with *done set; or a byte that is not escaped in the last,
 * partial block; or NULL if `check` finds a fault. `check` is constant, so the
 * compiler makes two functions.
 */
static inline VECTORS const char *scan_blocks(const char *p, const char *end,
					      bool check, bool *done)
{
	while (end - p >= BLOCK) {
		const struct block b = load_block(p);
		uint64_t escapes = find_escapes(find_byte(&b, '\\'));
		uint64_t quotes = find_byte(&b, '"') & ~(escapes << 1);
		uint64_t seen = below(first_bit(quotes));
		/* An escape at the end of the block begins the next. */
		unsigned next = escapes >> (BLOCK - 1) ? BLOCK - 1 : BLOCK;
		escapes &= seen & below(next);
		if (check && ((find_controls(&b) & seen) ||
			      !check_escapes(p, end, &b, escapes)))
			return NULL;
		if (quotes) {
			*done = true;
			return p + first_bit(quotes) + 1;
		}
		p += next;
	}
	return p;
}

static VECTORS const char *check_blocks(const char *p, const char *end,
					bool *done)
{
	return scan_blocks(p, end, true, done);
}

static VECTORS const char *past_blocks(const char *p, const char *end,
				       bool *done)
{
	return scan_blocks(p, end, false, done);
}

#else

static bool have_vectors(void)
{
	return false;
}

static const char *check_blocks(const char *p, const char *end, bool *done)
{
	(void)end;
	(void)done;
	return p;
}

static const char *past_blocks(const char *p, const char *end, bool *done)
{
	(void)end;
	(void)done;
	return p;
}

#endif

static const char *check_long(const char *p, const char *end)
{
	bool done = false;
	if (have_vectors())
		p = check_blocks(p, end, &done);
	return !p || done ? p : check_rest(p, end);
}

static inline const char *check_string(const char *p, const char *end)
{
	p++;
	return short_string(&p, end, false) ? p : check_long(p, end);
}

const char *scan_string(const char *p, const char *end)
{
	return check_string(p, end);
}

/* As scan_string_part(), from a byte that is not escaped. */
static const char *past_long(const char *p, const char *end, bool *in_string,
			     bool *escaped)
{
	bool done = false;
	if (have_vectors())
		p = past_blocks(p, end, &done);
	for (; p < end && !done; p++) {
		if (*p != '\\') {
			done = *p == '"';
		} else if (++p == end) {
			*escaped = true;
			break;
		}
	}
	*in_string = !done;
	return p;
}

const char *scan_string_part(const char *p, const char *end, bool *in_string,
			     bool *escaped)
{
	if (*escaped && p < end) {
		*escaped = false;
		p++;
	}
	if (!short_string(&p, end, false))
		return past_long(p, end, in_string, escaped);
	*in_string = false;
	return p;
}

const char *scan_past_string(const char *p, const char *end)
{
	bool in_string;
	bool escaped = false;
	p++;
	return short_string(&p, end, false)
		       ? p
		       : past_long(p, end, &in_string, &escaped);
}

static const char *check_digits(const char *p, const char *end)
{
	if (p == end || *p < '0' || *p > '9')
		return NULL;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

static const char *check_number(const char *p, const char *end)
{
	if (*p == '-')
		p++;
	if (p < end && *p == '0')
		p++;
	else
		p = check_digits(p, end);
	if (p && p < end && *p == '.')
		p = check_digits(p + 1, end);
	if (p && p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		p = check_digits(p, end);
	}
	return p;
}

static const char *check_word(const char *p, const char *end, struct span word)
{
	struct span rest = { p, (size_t)(end - p) };
	return span_starts(rest, word) ? p + word.n : NULL;
}

static const char *check_scalar(const char *p, const char *end)
{
	switch (*p) {
	case 't':
		return check_word(p, end, SPAN("true"));
	case 'f':
		return check_word(p, end, SPAN("false"));
	case 'n':
		return check_word(p, end, SPAN("null"));
	default:
		return check_number(p, end);
	}
}

/*
 * NULL if p is a fault, or the text's end between two tokens: that is recorded.
 */
static const char *stop_at(struct containers *n, const char *p, const char *end)
{
	n->ended = p == end;
	return NULL;
}

/* Check a key, its colon and the white space after it. */
static inline const char *check_key(struct containers *n, const char *p,
				    const char *end)
{
	if (p == end || *p != '"')
		return stop_at(n, p, end);
	p = check_string(p, end);
	if (!p)
		return NULL;
	p = scan_past_space(p, end);
	if (p == end || *p != ':')
		return stop_at(n, p, end);
	return scan_past_space(p + 1, end);
}

/*
 * Go from the end of a value to the start of the next one, and close containers
 * that end in between. The depth is 0 at the end of the outermost value.
 */
static inline const char *check_between(struct containers *n, const char *p,
					const char *end)
{
	while (n->depth > 0) {
		p = scan_past_space(p, end);
		if (p == end)
			return stop_at(n, p, end);
		bool object = in_object(n);
		if (*p == ',') {
			p = scan_past_space(p + 1, end);
			return object ? check_key(n, p, end) : p;
		}
		if (*p != (object ? '}' : ']'))
			return NULL;
		p++;
		record_end(n, p);
		n->depth--;
	}
	return p;
}

/* The end of the value that starts at p, or NULL with the reason in *err. */
static const char *check_value(struct containers *n, const char *p,
			       const char *end, int *err)
{
	do {
		if (!p)
			return NULL;
		if (p == end)
			return stop_at(n, p, end);
		if (*p == '"') {
			const char *start = p;
			p = check_string(p, end);
			if (p)
				record_string(n, start, p);
		} else if (*p != '{' && *p != '[') {
			p = check_scalar(p, end);
		} else {
			bool object = *p == '{';
			if (!push_container(n, object)) {
				*err = -ENOMEM;
				return NULL;
			}
			record_start(n, p);
			p = scan_past_space(p + 1, end);
			if (p == end || *p != (object ? '}' : ']')) {
				if (object)
					p = check_key(n, p, end);
				continue;
			}
		}
		if (!p)
			return NULL;
		p = check_between(n, p, end);
		if (!p)
			return NULL;
	} while (n->depth > 0);
	return p;
}

/* The value that a text begins with. -EAGAIN is as for scan_first(). */
static int scan(struct span text, struct span *value, struct scan_ends *ends)
{
	struct containers n = { .ends = ends, .cap = sizeof(n.inline_bits) };
	n.bits = n.inline_bits;
	int err = -EBADMSG;
	const char *p = check_value(&n, text.p, text.p + text.n, &err);
	if (n.bits != n.inline_bits)
		free(n.bits);
	if (!p)
		return err == -EBADMSG && n.ended ? -EAGAIN : err;
	*value = (struct span){ text.p, (size_t)(p - text.p) };
	return 0;
}

int scan_check(struct span text, struct span *value, struct scan_ends *ends)
{
	const char *end = text.p + text.n;
	const char *start = scan_past_space(text.p, end);
	struct span v = { 0 };
	int err = scan((struct span){ start, (size_t)(end - start) }, &v, ends);
	if (err == -EAGAIN || (!err && scan_past_space(v.p + v.n, end) != end))
		return -EBADMSG;
	if (!err)
		*value = v;
	return err;
}

int scan_first(struct span text, struct span *value)
{
	const char *end = text.p + text.n;
	const char *p = scan_past_space(text.p, end);
	if (p == end || (*p != '{' && *p != '['))
		return -EBADMSG;
	return scan((struct span){ p, (size_t)(end - p) }, value, NULL);
}

const char *scan_past_value(const char *p, const char *end)
{
	if (*p == '"')
		return scan_past_string(p, end);
	if (*p == '{' || *p == '[') {
		p = nesting_past_container(p, end);
		return p ? p : end;
	}
	return short_scalar(p, end);
}
