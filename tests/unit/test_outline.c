#include "core/show/outline.h"

#include "core/base/columns.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "tests/unit/test.h"

#define NOTE(id, parent) ENTRY("custom", id, parent, ",'customType':'x'")
#define BOOK(id, parent) ENTRY("label", id, parent, ",'targetId':'a'")

/* Also in color; tests/corpus/pi/tree-* has the rules. */
static const struct {
	const char *lines;
	const char *text;
} rows[] = {
	/* The example of the header. */
	{ USER("aa000004", "null", "list the files") ASSISTANT(
		  "aa000008", "'aa000004'",
		  "Done with approach A.") USER("aa000010", "'aa000008'",
						"try approach B")
		  ASSISTANT("aa000011", "'aa000010'", "B is worse.") ENTRY(
			  "branch_summary", "aa000012", "'aa000008'",
			  ",'summary':'Tried B; it was worse.'")
			  ENTRY("label", "l1", "'aa000012'",
				",'targetId':'aa000008','label':'good'"),
	  "aa000004 user  list the files\n"
	  "aa000008 assistant  Done with approach A. [good]\n"
	  "├─ aa000010 user  try approach B\n"
	  "│     aa000011 assistant  B is worse.\n"
	  "└─ aa000012 branch_summary  Tried B; it was worse. ← HEAD\n" },
};

#define TEN(s) s s s s s s s s s s
#define ESC "\033["
#define PAINT(color, text) ESC color "m" text ESC "m"
#define TIME PAINT("2", "03-01 10:00 ")

/* Without what stands from an ESC to the m behind it. */
static void remove_colors(struct buf *b)
{
	size_t to = 0;
	for (size_t i = 0; i < b->len; i++) {
		struct span rest = { b->data + i, b->len - i };
		if (span_starts(rest, SPAN(TIME)))
			i += sizeof(TIME) - 2;
		else if (b->data[i] != '\033')
			b->data[to++] = b->data[i];
		else
			while (i < b->len && b->data[i] != 'm')
				i++;
	}
	b->len = to;
}

static void check_colors(const struct session *s, const char *text)
{
	struct buf b = { 0 };
	CHECK_INT(outline_add(s, true, 0, &b), 0);
	CHECK(b.len == 0 || memchr(b.data, '\033', b.len) != NULL);
	remove_colors(&b);
	CHECK_BUF(&b, text);
	buf_free(&b);
}

static struct session *open_with(const char *lines)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER);
	buf_adds(&b, lines);
	struct session *s = test_session(buf_cstr(&b));
	buf_free(&b);
	return s;
}

/* Entries that keep no books. */
static size_t count_shown(const struct session *s)
{
	size_t n = 0;
	for (uint32_t i = 0; i < s->now.index.n; i++)
		n += !session_entry(s, i)->bookkeeping;
	return n;
}

/* The entries that a line is of. */
static size_t entries_of(struct span line)
{
	static const struct span notes = SPAN(" notes");
	if (!span_ends(line, notes))
		return 1;
	line.n -= notes.n;
	size_t digits = line.n;
	while (digits > 0 && line.p[digits - 1] != ' ')
		digits--;
	return (size_t)strtoul(line.p + digits, NULL, 10);
}

/* A line an entry or a run, no control characters, and at most so many columns.
 */
static void check_lines(const struct session *s, struct span text, size_t most)
{
	size_t n = 0;
	size_t widest = 0;
	size_t controls = 0;
	CHECK(text_is_utf8(text));
	while (text.n > 0) {
		const char *lf = memchr(text.p, '\n', text.n);
		if (!CHECK(lf != NULL))
			break;
		struct span line = { text.p, (size_t)(lf - text.p) };
		size_t columns = columns_of(line);
		widest = columns > widest ? columns : widest;
		for (size_t i = 0; i < line.n; i++)
			controls += (unsigned char)line.p[i] < 0x20;
		text.p += line.n + 1;
		text.n -= line.n + 1;
		n += entries_of(line);
	}
	CHECK_INT(n, count_shown(s));
	CHECK_INT(controls, 0);
	if (!CHECK(widest <= most))
		fprintf(stderr, "    widest: %zu\n", widest);
}

static void check_painted(void)
{
	static const char want[] = PAINT("1;33", "a ") TIME PAINT(
		"1;32", "user") "  hi\n" PAINT("2", "├─ ") PAINT("33", "b ")
		TIME PAINT("2", "new") "\n" PAINT("2", "└─ ") PAINT("1;33",
								    "c ")
			TIME PAINT("36", "assistant") "  yes" PAINT(
				"1;35", " [good]") "\n" PAINT("2", "      ")
				PAINT("1;33", "d ") TIME PAINT(
					"31",
					"toolResult") PAINT("31",
							    "  [ls] error: no")
					PAINT("1;31", " ← HEAD") "\n" PAINT(
						"2", "      ") PAINT("1;33",
								     "e ")
						PAINT("2", "system") PAINT(
							"2",
							"  You are Pi.") "\n";
	struct buf b = { 0 };
	struct session *s = test_open(test_copy("s.jsonl", "outline-painted"));
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(outline_add(s, true, 0, &b), 0);
	CHECK_BUF(&b, want);
	/* Narrow lines have no room for times. */
	CHECK_INT(outline_add(s, true, 99, &b), 0);
	CHECK(memmem(b.data, b.len, "10:00", 5) == NULL);
	test_close(s);
	/* All of a run is dim. */
	buf_clear(&b);
	s = open_with(USER("a", "null", "hi") NOTE("b", "'a'") NOTE("c", "'b'")
			      USER("d", "'c'", "x"));
	CHECK_INT(outline_add(s, true, 0, &b), 0);
	CHECK(memmem(
		b.data, b.len,
		SPAN("\n" PAINT("2", "c ") TIME PAINT("2", "2 notes") "\n").p,
		strlen("\n" PAINT("2", "c ") TIME PAINT("2", "2 notes") "\n")));
	test_close(s);
	buf_free(&b);
}

static void check_ids(void)
{
	struct buf b = { 0 };
	struct session *s = open_with(
		USER("msg_01a2b3", "null", "x")
			USER("msg_01a2c3", "'msg_01a2b3'", "y")
				USER("12345678-1234", "'msg_01a2c3'", "z"));
	CHECK_INT(outline_add(s, false, 0, &b), 0);
	CHECK_BUF(&b, "msg_01a2b user  x\nmsg_01a2c user  y\n"
		      "12345678 user  z ← HEAD\n");
	test_close(s);
	buf_free(&b);
}

/*
 * A ladder: each entry has a short and a long child, so that it goes deep; all
 * of it with much to say.
 */
static void check_widths(const char *says, const char *label, unsigned depth)
{
	struct buf b = { 0 };
	struct buf text = { 0 };
	buf_addf(&b, USER("n0", "null", "%s"), says);
	for (unsigned i = 1; i < depth; i++) {
		buf_addf(&b, USER("s%07u", "'n%u'", "%s"), i, i - 1, says);
		buf_addf(&b, USER("n%u", "'n%u'", "%s"), i, i - 1, says);
	}
	if (label[0])
		buf_addf(&b,
			 ENTRY("label", "l", "'n%u'",
			       ",'targetId':'n%u','label':'%s'"),
			 depth - 1, depth - 1, label);
	test_row = says;
	struct session *s = open_with(buf_cstr(&b));
	static const unsigned columns[] = { 0, 100, 101, 250, 1000 };
	for (size_t i = 0; i < COUNT(columns); i++) {
		CHECK_INT(outline_add(s, false, columns[i], &text), 0);
		check_lines(s, buf_span(&text), columns[i] ? columns[i] : 100);
		buf_clear(&text);
	}
	/* Lines that are narrow have other parts, too. */
	CHECK_INT(outline_add(s, false, 40, &text), 0);
	check_lines(s, buf_span(&text), 70);
	test_close(s);
	buf_free(&b);
	buf_free(&text);
	test_row = NULL;
}

/* Long ids and times take their room from the levels. */
static void check_long_ids(void)
{
	static const char same[] = "0123456789012345678901234567";
	struct buf b = { 0 };
	struct buf text = { 0 };
	struct buf plain = { 0 };
	buf_addf(&b, USER("%s00", "null", "x"), same);
	for (int i = 1; i < 20; i++) {
		buf_addf(&b, USER("%ss%d", "'%s%02d'", TEN("many words ")),
			 same, i, same, i - 1);
		buf_addf(&b, USER("%s%02d", "'%s%02d'", TEN("many words ")),
			 same, i, same, i - 1);
	}
	struct session *s = open_with(buf_cstr(&b));
	for (unsigned width = 100; width < 150; width += 7) {
		for (int color = 0; color < 2; color++) {
			CHECK_INT(outline_add(s, color, width, &text), 0);
			buf_clear(&plain);
			escape_add_plain(&plain, buf_span(&text));
			check_lines(s, buf_span(&plain), width);
			buf_clear(&text);
		}
	}
	test_close(s);
	buf_free(&b);
	buf_free(&text);
	buf_free(&plain);
}

static void check_columns(void)
{
	static const struct {
		unsigned columns;
		const char *text;
	} widths[] = {
		{ 40, "a assistant  I will… [bash: cc …] [good]\n"
		      "b toolResult  [bash] error: wc.c… ← HEAD\n" },
		{ 60, "a assistant  I will look at… [bash: cc -Wall -Wextr…] "
		      "[good]\nb toolResult  [bash: cc -Wall …] error: wc.c:3: "
		      "expe… ← HEAD\n" },
		{ 200,
		  "a assistant  I will look at what is wrong with the words "
		  "that it counts [bash: cc -Wall -Wextra -o wc wc.c] [good]\n"
		  "b toolResult  [bash: cc -Wall -Wextra -o wc wc.c] error: "
		  "wc.c:3: expected a semicolon before the brace ← HEAD\n" },
	};
	struct buf b = { 0 };
	struct session *s = test_open(test_copy("s.jsonl", "outline-columns"));
	CHECK_INT(session_enter(s), 0);
	for (size_t i = 0; i < COUNT(widths); i++) {
		CHECK_INT(outline_add(s, false, widths[i].columns, &b), 0);
		check_lines(s, buf_span(&b), widths[i].columns);
		CHECK_BUF(&b, widths[i].text);
	}
	test_close(s);
	buf_free(&b);
}

int main(void)
{
	struct buf b = { 0 };
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct session *s = open_with(rows[i].lines);
		test_row = rows[i].lines;
		CHECK_INT(outline_add(s, false, 0, &b), 0);
		check_lines(s, buf_span(&b), 100);
		CHECK_BUF(&b, rows[i].text);
		check_colors(s, rows[i].text);
		test_close(s);
	}
	test_row = NULL;
	buf_free(&b);
	check_painted();
	check_ids();
	check_columns();

	check_widths(TEN("many words and more "), "", 3);
	check_widths(TEN("many words and more "), "", 40);
	check_long_ids();
	/* Wide characters, combining marks, no spaces. */
	check_widths(TEN(TEN("\xE6\xBC\xA2")), "\xE6\xBC\xA2", 12);
	check_widths(TEN(TEN("e\xCC\x81")), "", 30);
	check_widths(TEN(TEN("x")), TEN("label "), 3);
	check_widths(TEN(TEN("x")), TEN("label "), 13);
	return test_done("outline");
}
