/*
 * Parsing times and the like from the start of a span. Each function removes
 * the bytes that it has parsed.
 */
#ifndef SESSFS_CONSUME_H
#define SESSFS_CONSUME_H

#include "core/base/span.h"

static inline bool is_digit_next(struct span s)
{
	return s.n > 0 && s.p[0] >= '0' && s.p[0] <= '9';
}

/* Returns whether c was next. */
static inline bool consume_char(struct span *s, char c)
{
	bool is = s->n > 0 && s->p[0] == c;
	*s = span_from(*s, is);
	return is;
}

/* A number of at most `most` digits; false if it has fewer than `least`. */
static inline bool consume_number(struct span *s, int least, int most, int *out)
{
	int n = 0;
	for (*out = 0; n < most && is_digit_next(*s); n++) {
		*out = *out * 10 + (s->p[0] - '0');
		span_take(s, 1);
	}
	return n >= least;
}

/* The digits of a fraction of a second: *ms is its first three. */
static inline void consume_fraction(struct span *s, int *ms)
{
	int scale = 100;
	for (*ms = 0; is_digit_next(*s); scale /= 10) {
		*ms += (s->p[0] - '0') * scale;
		span_take(s, 1);
	}
}

#endif
