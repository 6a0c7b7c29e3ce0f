#include "core/session/problems.h"

#include <stdlib.h>

static const struct {
	const char *key;  /* of the lines in `info` */
	const char *text; /* for one line */
} texts[] = {
	[PROBLEM_JSON] = { "bad-lines", "not JSON" },
	[PROBLEM_NO_ENTRY] = { "lines-without-id", "not an entry: no id" },
	[PROBLEM_HEADER] = { "extra-headers", "another header" },
	[PROBLEM_DUPLICATE] = { "duplicate-ids", "duplicate id: this line "
						 "replaces the earlier one" },
	[PROBLEM_TOO_LONG] = { "lines-too-long", "too long: skipped" },
	[PROBLEM_ORPHAN] = { "missing-parents",
			     "missing parent: shown as a root" },
	[PROBLEM_BRIDGED] = { "bridged", "missing parent: the agent goes on "
					 "from the newest line before it" },
	[PROBLEM_CYCLE] = { "cycles", "cycle of parents: cut here" },
	[PROBLEM_TORN] = { "torn-last-line",
			   "incomplete last line: no newline yet" },
};
_Static_assert(sizeof(texts) / sizeof(texts[0]) == PROBLEM_COUNT,
	       "texts for every problem");

void problems_note(struct problems *p, enum problem kind, uint32_t line)
{
	uint32_t n = p->of[kind].n++;
	if (n < PROBLEM_LINES)
		p->of[kind].lines[n] = line;
}

static void add_lines(struct buf *out, const uint32_t *lines, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = lines[i];
		while (i + 1 < n && lines[i + 1] == lines[i] + 1)
			i++;
		buf_addf(out, "%u", first);
		if (lines[i] != first)
			buf_addf(out, "-%u", lines[i]);
		if (i + 1 < n)
			buf_adds(out, ", ");
	}
}

void problems_add(const struct problems *p, struct buf *out)
{
	for (int k = 0; k < PROBLEM_COUNT; k++) {
		uint32_t n = p->of[k].n;
		if (n == 0)
			continue;
		buf_addf(out, "%s: %u (%s ", texts[k].key, n,
			 n == 1 ? "line" : "lines");
		bool more = n > PROBLEM_LINES;
		add_lines(out, p->of[k].lines, more ? PROBLEM_LINES : n);
		buf_adds(out, more ? ", …)\n" : ")\n");
	}
}

static int by_line(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;
	return (*x > *y) - (*x < *y);
}

void problems_add_lines(const struct problems *p, const char *file,
			struct buf *out)
{
	/* All that have a number: that above, the kind of problem below. */
	uint64_t noted[PROBLEM_COUNT * PROBLEM_LINES] = { 0 };
	size_t n = 0;
	for (uint64_t k = 0; k < PROBLEM_COUNT; k++)
		for (uint32_t i = 0; i < p->of[k].n && i < PROBLEM_LINES; i++)
			noted[n++] = (uint64_t)p->of[k].lines[i] << 32 | k;
	qsort(noted, n, sizeof(noted[0]), by_line);
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s:%u: %s\n", file, (unsigned)(noted[i] >> 32),
			 texts[(uint32_t)noted[i]].text);
	for (int k = 0; k < PROBLEM_COUNT; k++)
		if (p->of[k].n > PROBLEM_LINES)
			buf_addf(out, "%s: %u more lines: %s\n", file,
				 p->of[k].n - PROBLEM_LINES, texts[k].text);
}
