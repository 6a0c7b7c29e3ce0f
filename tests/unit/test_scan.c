#include "core/json/scan.h"

#include "tests/fuzz/plain_scan.h"
#include "tests/unit/test.h"

/* More than two blocks of 64. */
#define PLACES 131

/* The twins; what machines without vectors have is tested on all others. */
static const struct scanner scanners[] = {
	{ scan_check, scan_string, scan_past_string, scan_past_value },
	{ plain_scan_check, plain_scan_string, plain_scan_past_string,
	  plain_scan_past_value },
	{ plain_scan_check, scan_string_plain, plain_scan_past_string,
	  plain_scan_past_value },
};

/* A copy of its own, so that a read beyond it is caught. */
static char *exact(struct span s)
{
	char *copy = malloc(s.n > 0 ? s.n : 1);
	test_need(copy != NULL, "malloc");
	memcpy(copy, s.p, s.n);
	return copy;
}

/* A string from its quote on: `want` bytes long, or not well-formed if 0. */
static void check_string(struct span text, size_t want)
{
	char *copy = exact(text);
	const char *end = copy + text.n;
	for (size_t i = 0; i < COUNT(scanners); i++) {
		const struct scanner *s = &scanners[i];
		const char *got = s->string(copy, end);
		CHECK_INT(got ? got - copy : 0, want);
		if (want == 0)
			continue;
		CHECK_INT(s->past_string(copy, end) - copy, want);
		CHECK_INT(s->past_value(copy, end) - copy, want);
	}
	free(copy);
}

/*
 * `what` behind so many bytes of a string, and other bytes behind it; `ok`:
 * that is a string.
 */
static void check_at(size_t place, struct span what, bool ok)
{
	static const size_t behind[] = { 0, 1, 15, 31, 64, 100 };
	struct buf text = { 0 };
	for (size_t i = 0; i < COUNT(behind); i++) {
		buf_clear(&text);
		buf_addc(&text, '"');
		buf_fill(&text, 'a', place);
		buf_add(&text, what);
		buf_fill(&text, 'b', behind[i]);
		buf_addc(&text, '"');
		check_string(buf_span(&text), ok ? text.len : 0);
		/* What is behind a string is not looked at. */
		size_t n = text.len;
		buf_adds(&text, "\n\"\\\x01");
		buf_fill(&text, 'c', behind[i]);
		check_string(buf_span(&text), ok ? n : 0);
		/* It is not closed. */
		text.len = n - 1;
		check_string(buf_span(&text), 0);
	}
	buf_free(&text);
}

TEST(check_escapes)
{
	static const struct span good[] = {
		SPAN(""),
		SPAN("\\\""),
		SPAN("\\\\"),
		SPAN("\\/"),
		SPAN("\\b"),
		SPAN("\\f"),
		SPAN("\\n"),
		SPAN("\\r"),
		SPAN("\\t"),
		SPAN("\\u0000"),
		SPAN("\\uAbCd"),
		SPAN("\\ud83d\\ude00"),
		SPAN("\\n\\n\\u12345"),
		SPAN("\\ud800"),
		SPAN("\x20\x7F\x80\xFF"),
		SPAN("\\\\\\u00e4\\\""),
	};
	static const struct span bad[] = {
		SPAN("\\a"),	  SPAN("\\U0041"),  SPAN("\\x41"),
		SPAN("\\'"),	  SPAN("\\0"),	    SPAN("\\\0"),
		SPAN("\\\n"),	  SPAN("\\\xFF"),   SPAN("\\u12g4"),
		SPAN("\\ug234"),  SPAN("\\u{41}"),  SPAN("\\u1\\n"),
		SPAN("\\u123\\"), SPAN("\\u123\""), SPAN("\\\\\\a"),
		SPAN("\\n\\v"),	  SPAN("\\u"),
	};
	for (size_t place = 0; place < PLACES; place++) {
		for (size_t i = 0; i < COUNT(good); i++) {
			test_row = good[i].p;
			check_at(place, good[i], true);
		}
		for (size_t i = 0; i < COUNT(bad); i++) {
			/* Behind \u there are letters that are digits. */
			struct buf what = { 0 };
			test_row = bad[i].p;
			buf_add(&what, bad[i]);
			buf_addc(&what, 'z');
			check_at(place, buf_span(&what), false);
			buf_free(&what);
		}
		for (int c = 0; c < 256; c++) {
			const char byte = (char)c;
			test_row = "a byte";
			if (c != '"' && c != '\\')
				check_at(place, (struct span){ &byte, 1 },
					 c >= 0x20);
		}
	}
	test_row = NULL;
}

/* Of a run of backslashes each second one is escaped, wherever it begins. */
TEST(check_runs)
{
	struct buf text = { 0 };
	test_row = "a run of backslashes";
	for (size_t place = 0; place < PLACES; place++) {
		for (size_t run = 1; run <= 70; run++) {
			buf_clear(&text);
			buf_addc(&text, '"');
			buf_fill(&text, 'a', place);
			buf_fill(&text, '\\', run);
			check_string(buf_span(&text), 0);
			buf_addc(&text, '"');
			size_t n = text.len;
			check_string(buf_span(&text), run % 2 ? 0 : n);
			buf_fill(&text, 'b', 80);
			check_string(buf_span(&text), run % 2 ? 0 : n);
			buf_addc(&text, '"');
			check_string(buf_span(&text), run % 2 ? text.len : n);
		}
	}
	test_row = NULL;
	buf_free(&text);
}

/* A text that ends in the middle of an escape, at every place. */
TEST(check_cut)
{
	struct span escape = SPAN("\\u00e4");
	struct buf text = { 0 };
	test_row = "a text that is cut";
	for (size_t place = 0; place < PLACES; place++) {
		buf_clear(&text);
		buf_addc(&text, '"');
		buf_fill(&text, 'a', place);
		for (size_t n = 0; n <= escape.n; n++) {
			check_string(buf_span(&text), 0);
			if (n < escape.n)
				buf_addc(&text, escape.p[n]);
		}
	}
	test_row = NULL;
	buf_free(&text);
}

/* "0+9 1+7 ": where the containers are whose ends are noted. */
static void check_noted(const char *json, size_t cap, const char *want)
{
	struct span text = span_of(json);
	char *copy = exact(text);
	struct buf got = { 0 };
	test_row = json;
	for (size_t i = 0; i < COUNT(scanners); i++) {
		struct scan_end *list = calloc(cap + 1, sizeof(*list));
		struct scan_ends ends = { list, 0, cap };
		struct span value;
		test_need(list != NULL, "calloc");
		CHECK_INT(scanners[i].check((struct span){ copy, text.n },
					    &value, &ends),
			  0);
		CHECK(ends.n <= cap && !list[cap].start && !list[cap].n);
		for (size_t k = 0; k < ends.n; k++) {
			const char *p = list[k].start;
			buf_addf(&got, "%zu+%zu ", (size_t)(p - copy),
				 list[k].n);
			CHECK(scanners[i].past_value(p, copy + text.n) ==
			      p + list[k].n);
		}
		CHECK_BUF(&got, want);
		free(list);
	}
	test_row = NULL;
	buf_free(&got);
	free(copy);
}

/* With its quotes the longest string that is not noted, and one more. */
#define SHORT "01234567890123456789012345678901234567890123456789012345678901"
#define LONG SHORT "2"

TEST(check_ends)
{
	check_noted("1", 8, "");
	check_noted("\"[]\"", 8, "");
	check_noted("[]", 8, "0+2 ");
	check_noted(" { } ", 8, "1+3 ");
	check_noted("[1,{},[ ]]", 8, "0+10 3+2 6+3 ");
	check_noted("{\"a\":{\"]\":[]},\"b\":[\"}\"]}", 8,
		    "0+24 5+8 10+2 18+5 ");
	/* Five levels, that of the value itself among them. */
	check_noted("[[[[[[]]]]],[[[]]]]", 8,
		    "0+19 1+10 2+8 3+6 4+4 12+6 13+4 14+2 ");
	/* Long strings that are in those, and are no keys. */
	check_noted("{\"" LONG "\":\"" LONG "\",\"a\":[\"" SHORT "\"]}", 8,
		    "0+204 67+65 137+66 ");
	check_noted("[[[[[\"" LONG "\"],[[\"" LONG "\"]]]]]]", 8,
		    "0+145 1+143 2+141 3+139 4+67 5+65 72+69 ");
	check_noted("\"" LONG "\"", 8, "");
	/* What there is room for: those that start first. */
	check_noted("[[[]],[],{}]", 0, "");
	check_noted("[[[]],[],{}]", 1, "0+12 ");
	check_noted("[[[]],[],{}]", 2, "0+12 1+4 ");
	check_noted("[[[]],[],{}]", 4, "0+12 1+4 2+2 6+2 ");
	check_noted("[[[]],[],{}]", 5, "0+12 1+4 2+2 6+2 9+2 ");
}

/* Past what is no string or container, whatever is behind it. */
TEST(check_scalars)
{
	static const char *const values[] = { "0", "-1.5e+10", "true", "null" };
	static const char *const behind[] = { "",  ",",	 "]",  "}",
					      " ", "\t", "\r", "\n" };
	struct buf text = { 0 };
	for (size_t i = 0; i < COUNT(values) * COUNT(behind); i++) {
		size_t n = strlen(values[i / COUNT(behind)]);
		buf_clear(&text);
		buf_adds(&text, values[i / COUNT(behind)]);
		buf_adds(&text, behind[i % COUNT(behind)]);
		char *copy = exact(buf_span(&text));
		for (size_t k = 0; k < COUNT(scanners); k++) {
			CHECK_INT(
				scanners[k].past_value(copy, copy + text.len) -
					copy,
				n);
		}
		free(copy);
	}
	buf_free(&text);
}

RUN_TESTS("scan")
