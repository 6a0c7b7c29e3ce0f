#include "mount/commands/grep/skip.h"
#include "tests/unit/tables.h"

#include "core/dialects/registry.h"

/* "F", "P" or "i": fixed, Perl's, or that in any case. */
static struct pattern_texts texts_of(const char *how, const char *pattern)
{
	struct pattern_texts t = { .fixed = *how == 'F',
				   .any_case = *how == 'i' };
	CHECK_INT(pattern_texts_add(&t, span_of(pattern)), 0);
	return t;
}

/* The runs of a pattern, with spaces between; "": none. */
static const char *runs_of(const char *how, const char *pattern)
{
	static char text[200];
	struct pattern_texts t = texts_of(how, pattern);
	struct runs r;
	CHECK_INT(runs_find(&r, &t), 0);
	text[0] = '\0';
	for (size_t i = 0; i < r.n; i++) {
		strcat(text, i > 0 ? " " : "");
		strncat(text, r.list[i].p, r.list[i].n);
	}
	runs_free(&r);
	pattern_texts_free(&t);
	return text;
}

TABLE(check_runs, "runs/patterns")
{
	buf_adds(made, runs_of(row_text(r, 0), row_text(r, 1)));
}

/* May a line be selected by the pattern? */
static bool may(const char *how, const char *pattern, const char *line)
{
	struct pattern_texts t = texts_of(how, pattern);
	struct skip *s;
	CHECK_INT(skip_new(&s, &t, &dialect_registry), 0);
	bool can = !s || skip_may_match(s, span_of(line));
	skip_free(s);
	pattern_texts_free(&t);
	return can;
}

TABLE(check_line, "runs/lines")
{
	bool can = may(row_text(r, 0), row_text(r, 1), row_text(r, 2));
	buf_adds(made, can ? "may" : "-");
}

RUN_TESTS("runs")
