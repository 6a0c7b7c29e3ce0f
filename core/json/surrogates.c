#include "core/json/surrogates.h"

#include <stdint.h>

#include "core/json/scan.h"

/* The code unit of the \u escape at a place, or 0. */
static uint32_t unit_at(struct span s, size_t at)
{
	uint32_t unit = 0;
	if (at + 6 > s.n || s.p[at] != '\\' || s.p[at + 1] != 'u')
		return 0;
	for (size_t i = at + 2; i < at + 6; i++) {
		int digit = scan_hex_digit(s.p[i]);
		if (digit < 0)
			return 0;
		unit = unit << 4 | (uint32_t)digit;
	}
	return unit;
}

static bool is_high(uint32_t unit)
{
	return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xDC00 && unit < 0xE000;
}

/* Where the next lone surrogate's escape is from `at` on; json.n if none is. */
static size_t next_lone(struct span json, size_t at)
{
	for (; at < json.n; at++) {
		const char *p = memchr(json.p + at, '\\', json.n - at);
		if (!p)
			break;
		at = (size_t)(p - json.p);
		uint32_t unit = unit_at(json, at);
		if (is_high(unit) && is_low(unit_at(json, at + 6)))
			at += 11;
		else if (is_high(unit) || is_low(unit))
			return at;
		else
			at += unit ? 5 : 1;
	}
	return json.n;
}

bool json_is_well_formed(struct span json)
{
	return next_lone(json, 0) == json.n;
}

void json_add_well_formed(struct buf *out, struct span json)
{
	size_t from = 0;
	size_t at;
	while ((at = next_lone(json, from)) < json.n) {
		buf_add(out, (struct span){ json.p + from, at - from });
		buf_adds(out, "\xEF\xBF\xBD");
		from = at + 6;
	}
	buf_add(out, span_from(json, from));
}
