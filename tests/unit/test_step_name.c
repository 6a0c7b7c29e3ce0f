#include "core/show/step_name.h"

#include "core/session/file_name.h"
#include "tests/unit/test.h"

#define ACUTE "\xCC\x81"	/* combining */
#define HAN "\xE6\xBC\xA2"	/* a letter, two columns wide */
#define FACE "\xF0\x9F\x98\x80" /* an emoji */
#define KA "\xE0\xA4\x95"	/* Devanagari: a letter, */
#define AA "\xE0\xA4\xBE"	/* and a vowel sign that takes a column */
#define RLO "\xE2\x80\xAE"	/* right-to-left override */

static const struct {
	const char *text;
	const char *kept;
	size_t letters;
	size_t limit;
	const char *want;
} rows[] = {
	{ "", "", 40, 255, "" },
	{ "Write a word counter in C", "", 40, 255,
	  "Write-a-word-counter-in-C" },
	{ "  [bash: cc -o wc wc.c]…", "", 40, 255, "bash-cc-o-wc-wc-c" },
	{ "../..", "", 40, 255, "" },
	{ "a/b\\c\n\td'\"e", "", 40, 255, "a-b-c-d-e" },
	{ "branch_summary", "_", 40, 255, "branch_summary" },
	{ "branch_summary", "", 40, 255, "branch-summary" },
	{ HAN HAN " " HAN, "", 40, 255, HAN HAN "-" HAN },
	{ "\xD9\x85\xD9\x8E\xD8\xB1\xD8\xAD\xD8\xA8\xD8\xA7 \xD9\xA1", "", 40,
	  255, "\xD9\x85\xD9\x8E\xD8\xB1\xD8\xAD\xD8\xA8\xD8\xA7-\xD9\xA1" },
	{ "x" FACE FACE "y" FACE, "", 40, 255, "x-y" },
	{ RLO "a" RLO "b", "", 40, 255, "a-b" },
	/* A mark without a letter is none. */
	{ ACUTE "e" ACUTE " " ACUTE "!", "", 40, 255, "e" ACUTE },
	/* Cut after so many letters, and before a "-". */
	{ "abcdef", "", 4, 255, "abcd" },
	{ "abc def", "", 5, 255, "abc-d" },
	{ "abc def", "", 4, 255, "abc" },
	{ "ab c", "", 2, 255, "ab" },
	{ "abce" ACUTE ACUTE "f", "", 4, 255, "abce" ACUTE ACUTE },
	/* Cut before the letter that is too long. */
	{ HAN HAN HAN, "", 40, 8, HAN HAN },
	{ "ae" ACUTE "z", "", 40, 3, "a" },
	{ "ae" ACUTE "z", "", 40, 4, "ae" ACUTE },
	{ KA AA KA AA, "", 40, 11, KA AA },
	{ KA AA KA AA, "", 1, 255, KA AA },
	{ "ab c", "", 40, 3, "ab" },
};

static void check_squeezed(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = { 0 };
		test_row = rows[i].text;
		step_name_squeeze(&b, span_of(rows[i].text), rows[i].kept,
				  rows[i].letters, rows[i].limit);
		CHECK_BUF(&b, rows[i].want);
		buf_free(&b);
	}
	test_row = NULL;
}

static void check_number(const char *name, uint32_t want, bool want_whole)
{
	bool whole = !want_whole;
	test_row = name;
	CHECK_INT(step_name_number(span_of(name), &whole), want);
	if (want)
		CHECK_INT(whole, want_whole);
	test_row = NULL;
}

static void check_numbers(void)
{
	check_number("0007", 7, true);
	check_number("7", 7, true);
	check_number("12345", 12345, true);
	check_number("0007-user", 7, false);
	check_number("0007-", 7, false);
	check_number("0000", 0, true);
	check_number("", 0, true);
	check_number("-1", 0, true);
	check_number("user", 0, true);
	check_number("0007user", 0, true);
	check_number("0007/", 0, true);
	check_number("99999999", 0, true);
	check_number("18446744073709551623", 0, true);
}

static void check_name(const struct session *s, const char *id,
		       const char *want)
{
	struct buf b = { 0 };
	test_row = id;
	CHECK_INT(step_name_add(s, 12, test_find(s, id), &b), 0);
	CHECK_BUF(&b, want);
	buf_free(&b);
	test_row = NULL;
}

static void check_names(void)
{
	struct session *s = test_session(
		HEADER USER("a", "null", "Write a word counter, in C!")
			ASSISTANT("b", "'a'", "...") MESSAGE(
				"c", "'b'", "x/y\\n z", ",'content':'w'")
				MESSAGE("d", "'c'", "../..", "")
					MESSAGE("e", "'d'", "system",
						",'content':'You are Pi.'"));
	check_name(s, "a", "0012-user-Write-a-word-counter-in-C");
	check_name(s, "b", "0012-assistant");
	check_name(s, "c", "0012-x-y-z-w");
	check_name(s, "d", "0012-unknown");
	/* Nobody said it. */
	check_name(s, "e", "0012-system");
	test_close(s);
}

/* Letters with many marks: the name is cut before one, at 255 bytes. */
static void check_long(void)
{
	struct buf text = { 0 };
	struct buf name = { 0 };
	buf_adds(&text, HEADER "{'type':'message','id':'a','parentId':null,"
			       "'message':{'role':'user','content':'");
	for (int i = 0; i < 30; i++)
		buf_adds(&text, "e" ACUTE ACUTE ACUTE ACUTE ACUTE);
	buf_adds(&text, "'}}\n");
	struct session *s = test_session(buf_cstr(&text));
	CHECK_INT(step_name_add(s, 1, 0, &name), 0);
	CHECK(name.len <= FILE_NAME_LIMIT && name.len > FILE_NAME_LIMIT - 11);
	CHECK_INT((name.len - strlen("0001-user-")) % 11, 0);
	test_close(s);
	buf_free(&text);
	buf_free(&name);
}

int main(void)
{
	check_squeezed();
	check_numbers();
	check_names();
	check_long();
	return test_done("step_name");
}
