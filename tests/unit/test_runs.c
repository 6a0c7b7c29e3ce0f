#include "mount/commands/grep/runs.h"
#include "tests/unit/test.h"

#include "mount/commands/grep/skip.h"
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

static void test_plain(void)
{
	CHECK_SPAN(span_of(runs_of("F", "hello")), SPAN("hello"));
	CHECK_SPAN(span_of(runs_of("F", "one.two (three)")), SPAN("three"));
	CHECK_SPAN(span_of(runs_of("F", "one*")), SPAN("one"));
	CHECK_SPAN(span_of(runs_of("F", "one\nthree")), SPAN("one three"));
	CHECK_SPAN(span_of(runs_of("F", "one\n")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("F", "on")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("F", "")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("F", "123")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("F", "\xC3\xA9"
					"one")),
		   SPAN("one"));
}

/* \u007f and \u008f in JSON end with a letter that was none. */
static void test_first_letters(void)
{
	CHECK_SPAN(span_of(runs_of("F", "debug")), SPAN("ebug"));
	CHECK_SPAN(span_of(runs_of("F", "add")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("F", "go to debug")), SPAN("ebug"));
}

static void test_case(void)
{
	CHECK_SPAN(span_of(runs_of("i", "hello")), SPAN("hello"));
	CHECK_SPAN(span_of(runs_of("i", "workplan")), SPAN("plan"));
	CHECK_SPAN(span_of(runs_of("i", "moss")), SPAN(""));
	CHECK_SPAN(span_of(runs_of("i", "sTILL")), SPAN("TILL"));
}

/* Of each pattern the runs that every match has. */
static void test_patterns(void)
{
	static const char *const rows[][2] = {
		{ "one*", "" },
		{ "stone*", "ston" },
		{ "stone?", "ston" },
		{ "stone{1}", "ston" },
		{ "stone+river?", "ston" },
		{ "stone{0}river", "river" },
		{ "stone|river", "stone river" },
		{ "stone|", "" },
		{ "stone\nriver", "stone river" },
		{ "(stone|)river", "river" },
		{ "(stone|river)", "" },
		{ "(the)?river", "river" },
		{ "(stone)\\1river", "" },
		{ "((one)(two)three", "" },
		{ "river)", "" },
		{ "^stone$", "stone" },
		{ "r.ver", "ver" },
		{ "river\\+", "river" },
		{ "river\\", "" },
		{ "\\bnew\\w", "new" },
		{ "\\new", "" },
		{ "\\Kriver", "river" },
		{ "\\N{U+72}iver", "" },
		{ "\\x{72}iver", "" },
		{ "\\p{L}river", "" },
		{ "\\Qone*\\Eriver", "" },
		{ "\\cxriver", "" },
		{ "[stone]", "" },
		{ "[]stone]*river", "river" },
		{ "[^]stone]river", "river" },
		{ "[\\]]stone]", "stone" },
		{ "[\\]stone]*river", "river" },
		{ "[[:alpha:]]*river", "river" },
		{ "[[:^alpha:]x]*river", "river" },
		{ "[[:alpha:]river", "" },
		{ "[[.river.]stone]", "" },
		{ "[\\c]]stone]", "" },
		{ "[\\Q]\\E]stone", "" },
		{ "[river", "" },
		{ "(?:stone)river", "river" },
		{ "(?=stone)river", "river" },
		{ "(?<!stone)river", "river" },
		{ "(?>stone)river", "river" },
		{ "(?<name>stone)river", "river" },
		{ "(?i)river", "" },
		{ "(?x) river # stone", "" },
		{ "(?#stone)river", "" },
		{ "(?i:stone)river", "" },
		{ "(?(1)stone|river)x", "" },
		{ "(*UCP)river", "" },
		{ "(*COMMIT)river", "" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_SPAN(span_of(runs_of("P", rows[i][0])),
			   span_of(rows[i][1]));
	/* With -i, names of classes have all letters. */
	CHECK_SPAN(span_of(runs_of("i", "[[:space:]]river")), SPAN("river"));
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

static void test_lines(void)
{
	CHECK(may("F", "river", "{\"text\":\"a river\"}"));
	CHECK(!may("F", "river", "{\"text\":\"a River\"}"));
	CHECK(may("i", "river", "{\"text\":\"a River\"}"));
	CHECK(!may("F", "river", ""));
	CHECK(!may("F", "river", "{\"text\":\"rive\"}"));
	/* Escapes that may hide it, also in a string in a string. */
	CHECK(may("F", "river", "{\"text\":\"ri\\u0076er\"}"));
	CHECK(may("F", "river", "{\"text\":\"ri\\\\u00\\u00376er\"}"));
	CHECK(!may("F", "river", "{\"text\":\"\\u001b[31m\\u00e9\\n\"}"));
	/* Those that are printed otherwise in JSON. */
	CHECK(may("F", "nwater", "{\"text\":\"\\u000awater\"}"));
	CHECK(may("F", "baba", "{\"text\":\"\\u000Baba\"}"));
}

static void test_added(void)
{
	CHECK(may("F", "thinking", "{}"));
	CHECK(may("F", "hink", "{}"));
	CHECK(may("F", "exited", "{\"role\":\"bashExecution\"}"));
	CHECK(!may("F", "exited", "{\"role\":\"user\"}"));
	CHECK(may("F", "ultrathink", "{\"type\":\"attachment\"}"));
	CHECK(!may("F", "ultrathink", "{\"type\":\"user\"}"));
	CHECK(may("F", "water", "\"<persisted-output>\""));
}

int main(void)
{
	test_plain();
	test_first_letters();
	test_case();
	test_patterns();
	test_lines();
	test_added();
	return test_done("runs");
}
