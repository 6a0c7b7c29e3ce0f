#include "mount/commands/grep/needles.h"
#include "tests/unit/test.h"

static bool precedes_x(const char *bytes)
{
	return bytes[1] == 'x';
}

/* Where one is found in a text that ends where its memory does; -1: nowhere. */
static long place_in(const struct needles *s, struct span text)
{
	char *copy = malloc(text.n + 1);
	CHECK(copy);
	if (!copy)
		return -1;
	memcpy(copy, text.p, text.n);
	const char *found = needles_find(s, (struct span){ copy, text.n });
	long place = found ? found - copy : -1;
	free(copy);
	return place;
}

static bool are_in(const struct needles *s, struct span text)
{
	return place_in(s, text) >= 0;
}

static void add(struct needles *s, const char *text, bool any_case)
{
	const struct needle n = { .text = span_of(text), .any_case = any_case };
	CHECK_INT(needles_add(s, n), 0);
}

/* A needle at each place of texts of each length up to three vectors. */
TEST(test_places)
{
	struct needles s = { 0 };
	char text[100];
	add(&s, "Needle", false);
	add(&s, "thread", false);
	for (size_t n = 0; n < sizeof(text); n++) {
		memset(text, 'd', sizeof(text));
		CHECK(!are_in(&s, (struct span){ text, n }));
		for (size_t at = 0; at + 6 <= n; at++) {
			memset(text, 'd', sizeof(text));
			memcpy(text + at, at % 2 ? "Needle" : "thread", 6);
			long place = place_in(&s, (struct span){ text, n });
			CHECK(place >= (long)at && place < (long)at + 6);
			CHECK(!are_in(&s, (struct span){ text, at + 5 }));
			text[at + 5]++;
			CHECK(!are_in(&s, (struct span){ text, n }));
		}
	}
	needles_free(&s);
}

TEST(test_case)
{
	struct needles s = { 0 };
	add(&s, "a_Word", true);
	add(&s, "Exact", false);
	CHECK(are_in(&s, SPAN("................. A_WORD ................")));
	CHECK(are_in(&s, SPAN("a_word")));
	CHECK(are_in(&s, SPAN("Exact")));
	CHECK(!are_in(&s, SPAN("EXACT exact eXACT")));
	/* The case of letters only: these differ in the same bit. */
	CHECK(!are_in(&s, SPAN("a\x7fWord")));
	needles_free(&s);
}

/* What follows a needle may decide, and has to be there. */
TEST(test_after)
{
	struct needles s = { 0 };
	const struct needle n = { .text = SPAN("\\u"),
				  .counts = precedes_x,
				  .after = 2 };
	CHECK_INT(needles_add(&s, n), 0);
	CHECK(are_in(&s, SPAN("\\u1x")));
	CHECK(are_in(&s, SPAN("\\u11\\u1x")));
	CHECK(!are_in(&s, SPAN("\\u1")));
	CHECK(!are_in(&s, SPAN("\\u11............................\\u11.....")));
	CHECK(are_in(&s, SPAN("\\u11............................\\u1x.....")));
	needles_free(&s);
}

/* The place is in the first of several. */
TEST(test_first)
{
	struct needles s = { 0 };
	char text[300];
	add(&s, "early", false);
	add(&s, "later", false);
	for (size_t at = 0; at + 50 <= sizeof(text); at++) {
		memset(text, '.', sizeof(text));
		memcpy(text + at, "later", 5);
		memcpy(text + at + 7, "early", 5);
		memcpy(text + at + 40, "early", 5);
		long place = place_in(&s, (struct span){ text, sizeof(text) });
		CHECK(place >= (long)at && place < (long)at + 5);
	}
	needles_free(&s);
}

/* More than there are groups, over texts of few letters: pairs are many. */
TEST(test_many)
{
	static const char *const words[] = { "aba",  "bbaab", "cab",  "acbc",
					     "ccc",  "abcb",  "bcac", "caca",
					     "cbbb", "aacc",  "baba", "bccb" };
	struct needles s = { 0 };
	const size_t n = sizeof(words) / sizeof(words[0]);
	char text[80] = "";
	unsigned next = 1;
	for (size_t i = 0; i < n; i++)
		add(&s, words[i], false);
	for (int turn = 0; turn < 20000; turn++) {
		size_t length = (size_t)turn % (sizeof(text) - 1);
		for (size_t i = 0; i < length; i++) {
			next = next * 1103515245 + 12345;
			text[i] = "abc....."[next >> 16 & 7];
		}
		text[length] = '\0';
		bool is = false;
		for (size_t i = 0; i < n; i++)
			is = is || strstr(text, words[i]);
		CHECK_INT(are_in(&s, (struct span){ text, length }), is);
	}
	needles_free(&s);
}

SET_UP(set_up)
{
	const struct needles none = { 0 };
	CHECK(!are_in(&none, SPAN("................................ text")));
}

RUN_TESTS("needles")
