/*
 * JavaScript's functions for text and numbers that oh-my-pi uses. Texts are
 * WTF-8, white space is JavaScript's (core/base/text.h).
 */
#include "core/dialects/omp/omp.h"

#include <math.h>
#include <stdio.h>

#include "core/base/text.h"
#include "core/json/js.h"

size_t omp_space_run(struct span s)
{
	size_t run = 0;
	while (run < s.n) {
		struct span rest = span_from(s, run);
		size_t len;
		text_code_point(rest, &len);
		if (text_trim((struct span){ rest.p, len }).n > 0)
			break;
		run += len;
	}
	return run;
}

void omp_add_fixed(struct buf *out, double d)
{
	/* Odd quarters are ties, and go up, unlike in printf(): 0.25 is 0.3. */
	bool tie = fmod(d * 4, 2) == 1;
	buf_addf(out, "%.1f", tie ? nextafter(d, INFINITY) : d);
}

void omp_add_grouped(struct buf *out, double d)
{
	char digits[24];
	if (!(d >= 0 && d < 1e15) || d != floor(d)) {
		js_add_number(out, d);
		return;
	}
	int n = snprintf(digits, sizeof(digits), "%.0f", d);
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			buf_addc(out, ',');
		buf_addc(out, digits[i]);
	}
}
