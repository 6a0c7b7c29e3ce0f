#include "core/problems.h"

static const char *const names[] = {
	[PROBLEM_JSON] = "bad-lines",
	[PROBLEM_NO_ENTRY] = "lines-without-id",
	[PROBLEM_HEADER] = "extra-headers",
	[PROBLEM_DUPLICATE] = "duplicate-ids",
	[PROBLEM_TOO_LONG] = "lines-too-long",
	[PROBLEM_ORPHAN] = "missing-parents",
	[PROBLEM_CYCLE] = "cycles",
	[PROBLEM_TORN] = "torn-last-line",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == PROBLEM_COUNT,
	       "a name for every problem");

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
		buf_addf(out, "%s: %u (%s ", names[k], n,
			 n == 1 ? "line" : "lines");
		bool more = n > PROBLEM_LINES;
		add_lines(out, p->of[k].lines, more ? PROBLEM_LINES : n);
		buf_adds(out, more ? ", …)\n" : ")\n");
	}
}
