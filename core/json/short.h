/*
 * Past strings and scalars that are short, as most are: a call would cost more
 * than that. The text of a string need not be JSON.
 */
#ifndef SESSFS_SHORT_H
#define SESSFS_SHORT_H

#include <stdbool.h>

#include "core/json/scan.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

static inline bool short_is_special(char c)
{
	return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

/*
 * From a byte inside a string that is not escaped to the byte after the string.
 * Returns false for a string that is longer, or has a backslash or control
 * character: *p is then a byte of it that is not escaped, with none of these
 * before it. With `ascii` it may have no byte from 0x80 up either.
 */
static inline bool short_string(const char **p, const char *end, bool ascii)
{
	const char *at = *p;
	const char *limit = end;
#ifdef __x86_64__
	for (int left = SCAN_SHORT / 16; left > 0 && end - at >= 16; left--) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i control = _mm_min_epu8(v, _mm_set1_epi8(0x1F));
		__m128i found = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
				     _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))),
			_mm_cmpeq_epi8(v, control));
		if (ascii)
			found = _mm_or_si128(found, v);
		unsigned bits = (unsigned)_mm_movemask_epi8(found);
		if (bits) {
			at += __builtin_ctz(bits);
			*p = at + (*at == '"');
			return *at == '"';
		}
		at += 16;
	}
#endif
	if (limit - *p > SCAN_SHORT)
		limit = *p + SCAN_SHORT;
	while (at < limit && !short_is_special(*at) &&
	       !(ascii && (unsigned char)*at >= 0x80))
		at++;
	bool is = at < limit && *at == '"';
	*p = at + is;
	return is;
}

/* Past a number, true, false or null that is in JSON. */
static inline const char *short_scalar(const char *p, const char *end)
{
	static const bool ends[256] = {
		[','] = true,  [']'] = true,  ['}'] = true,  [' '] = true,
		['\t'] = true, ['\r'] = true, ['\n'] = true,
	};
	while (p < end && !ends[(unsigned char)*p])
		p++;
	return p;
}

#endif
