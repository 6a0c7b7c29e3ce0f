#include "mount/commands/grep/runs.h"
#include "tests/unit/test.h"

#include "mount/commands/grep/skip.h"
#include "core/dialects/registry.h"

/* Those of a grep, as args.h makes them; valid until the next call. */
static struct grep_args arguments(const char *option, const char *pattern)
{
	static char words[5][200];
	static char *argv[6];
	const char *const from[5] = { "grep", "-an", option, "-e", pattern };
	for (size_t i = 0; i < 5; i++) {
		snprintf(words[i], sizeof(words[i]), "%s", from[i]);
		argv[i] = words[i];
	}
	return (struct grep_args){ .argv = argv, .n = 5 };
}

/* The runs of a grep with these arguments, with spaces between; "": none. */
static const char *runs_of(const char *option, const char *pattern)
{
	static char text[200];
	const struct grep_args a = arguments(option, pattern);
	struct runs r;
	CHECK_INT(runs_find(&r, &a), 0);
	text[0] = '\0';
	for (size_t i = 0; i < r.n; i++) {
		strcat(text, i > 0 ? " " : "");
		strncat(text, r.list[i].p, r.list[i].n);
	}
	runs_free(&r);
	return text;
}

static void test_plain(void)
{
	CHECK_SPAN(span_of(runs_of("-F", "hello")), SPAN("hello"));
	CHECK_SPAN(span_of(runs_of("-F", "one.two (three)")), SPAN("three"));
	CHECK_SPAN(span_of(runs_of("-F", "one*")), SPAN("one"));
	CHECK_SPAN(span_of(runs_of("-F", "one\nthree")), SPAN("one three"));
	CHECK_SPAN(span_of(runs_of("-F", "one\n")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-F", "on")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-F", "")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-F", "123")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-w", "hello")), SPAN("hello"));
	CHECK_SPAN(span_of(runs_of("-F", "\xC3\xA9"
					 "one")),
		   SPAN("one"));
}

/* \u007f and \u008f in JSON end with a letter that was none. */
static void test_first_letters(void)
{
	CHECK_SPAN(span_of(runs_of("-F", "debug")), SPAN("ebug"));
	CHECK_SPAN(span_of(runs_of("-F", "add")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-F", "go to debug")), SPAN("ebug"));
}

static void test_case(void)
{
	CHECK_SPAN(span_of(runs_of("-i", "hello")), SPAN("hello"));
	CHECK_SPAN(span_of(runs_of("-i", "workplan")), SPAN("plan"));
	CHECK_SPAN(span_of(runs_of("-i", "missile")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-i", "sTILL")), SPAN(""));
}

static void test_basic(void)
{
	CHECK_SPAN(span_of(runs_of("-G", "one*")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-G", "stone*")), SPAN("ston"));
	CHECK_SPAN(span_of(runs_of("-G", "stone\\?")), SPAN("ston"));
	CHECK_SPAN(span_of(runs_of("-G", "stone\\{1\\}")), SPAN("ston"));
	CHECK_SPAN(span_of(runs_of("-G", "stone\\|river")),
		   SPAN("stone river"));
	CHECK_SPAN(span_of(runs_of("-G", "stone\\|")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-G", "\\(stone\\|\\)river")),
		   SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-G", "\\(stone\\)\\1river")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-G", "stone|river")), SPAN("stone"));
	CHECK_SPAN(span_of(runs_of("-G", "(stone)")), SPAN("stone"));
	CHECK_SPAN(span_of(runs_of("-G", "^stone$")), SPAN("stone"));
	CHECK_SPAN(span_of(runs_of("-G", "[stone]")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-G", "[]stone]*river")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-G", "[^]stone]river")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-G", "[[:alpha:]]*river")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-G", "[[:alpha:]river")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-G", "[river")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-G", "river\\")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-G", "\\bnew\\w")), SPAN("new"));
	CHECK_SPAN(span_of(runs_of("-G", "\\new")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-G", "r.ver")), SPAN("ver"));
}

static void test_extended(void)
{
	CHECK_SPAN(span_of(runs_of("-E", "stone|river")), SPAN("stone river"));
	CHECK_SPAN(span_of(runs_of("-E", "(stone|river)")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-E", "(stone|)river")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-E", "(the)?river")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-E", "stone+river?")), SPAN("ston"));
	CHECK_SPAN(span_of(runs_of("-E", "stone{0}river")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-E", "river)")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-E", "(river")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-E", "river\\+")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-E", "((one)(two)three")), SPAN(""));
}

static void test_options(void)
{
	static const char *const unclear[] = { "-v", "-P", "-c",
					       "-z", "-L", "--unknown" };
	for (size_t i = 0; i < sizeof(unclear) / sizeof(unclear[0]); i++)
		CHECK_SPAN(span_of(runs_of(unclear[i], "river")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("-x", "river")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("-o", "river")), SPAN("river"));
	CHECK_SPAN(span_of(runs_of("--no-ignore-case", "river")),
		   SPAN("river"));
}

/* May a line be selected by the pattern? */
static bool may(const char *option, const char *pattern, const char *line)
{
	const struct grep_args a = arguments(option, pattern);
	struct skip *s;
	CHECK_INT(skip_new(&s, &a, &dialect_registry), 0);
	bool can = !s || skip_may_match(s, span_of(line));
	skip_free(s);
	return can;
}

static void test_lines(void)
{
	CHECK(may("-F", "river", "{\"text\":\"a river\"}"));
	CHECK(!may("-F", "river", "{\"text\":\"a River\"}"));
	CHECK(may("-i", "river", "{\"text\":\"a River\"}"));
	CHECK(!may("-F", "river", ""));
	CHECK(!may("-F", "river", "{\"text\":\"rive\"}"));
	/* Escapes that may hide it, also in a string in a string. */
	CHECK(may("-F", "river", "{\"text\":\"ri\\u0076er\"}"));
	CHECK(may("-F", "river", "{\"text\":\"ri\\\\u00\\u00376er\"}"));
	CHECK(!may("-F", "river", "{\"text\":\"\\u001b[31m\\u00e9\\n\"}"));
	/* Those that are printed otherwise in JSON. */
	CHECK(may("-F", "nwater", "{\"text\":\"\\u000awater\"}"));
	CHECK(may("-F", "baba", "{\"text\":\"\\u000Baba\"}"));
}

static void test_added(void)
{
	CHECK(may("-F", "thinking", "{}"));
	CHECK(may("-F", "hink", "{}"));
	CHECK(may("-F", "exited", "{\"role\":\"bashExecution\"}"));
	CHECK(!may("-F", "exited", "{\"role\":\"user\"}"));
	CHECK(may("-F", "ultrathink", "{\"type\":\"attachment\"}"));
	CHECK(!may("-F", "ultrathink", "{\"type\":\"user\"}"));
	CHECK(may("-F", "water", "\"<persisted-output>\""));
}

int main(void)
{
	test_plain();
	test_first_letters();
	test_case();
	test_basic();
	test_extended();
	test_options();
	test_lines();
	test_added();
	return test_done("runs");
}
