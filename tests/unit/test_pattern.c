#include "mount/commands/grep/pattern.h"
#include "tests/unit/tables.h"

/* How patterns match, as a letter each: F, i, w, x. */
static struct pattern_texts texts_of(const char *how)
{
	return (struct pattern_texts){ .fixed = strchr(how, 'F') != NULL,
				       .any_case = strchr(how, 'i') != NULL,
				       .word = strchr(how, 'w') != NULL,
				       .line = strchr(how, 'x') != NULL };
}

/* The first match in a line, in < >; "": none, "!": it fails. */
static const char *matched(const char *how, const char *pattern,
			   struct span line)
{
	static char text[200];
	struct pattern_texts t = texts_of(how);
	struct patterns *p;
	struct match m;
	text[0] = '\0';
	CHECK_INT(pattern_texts_add(&t, span_of(pattern)), 0);
	CHECK_INT(patterns_new(&p, &t), 0);
	CHECK(p);
	struct matcher *k = p ? matcher_new(p) : NULL;
	CHECK(k);
	int found = k ? matcher_find(k, line, 0, &m) : 0;
	CHECK(!k || matcher_find(k, line, 0, NULL) == found);
	if (found > 0)
		snprintf(text, sizeof(text), "<%.*s>", (int)(m.to - m.from),
			 line.p + m.from);
	else if (found < 0)
		strcpy(text, "!");
	matcher_free(k);
	patterns_free(p);
	pattern_texts_free(&t);
	return text;
}

TABLE(check_match, "pattern")
{
	buf_adds(made,
		 matched(row_text(r, 0), row_text(r, 1), row_field(r, 2)));
}

/* One that would take longer than anybody waits, with and without JIT. */
TEST(test_limits)
{
	char line[60];
	memset(line, 'x', sizeof(line));
	const struct span text = { line, sizeof(line) };
	CHECK_SPAN(span_of(matched("", "(x+x+)+[yz]", text)), SPAN("!"));
	CHECK_SPAN(span_of(matched("", "(*NO_JIT)(x+x+)+[yz]", text)),
		   SPAN("!"));
}

/* One whose machine code has no room for its steps is interpreted. */
TEST(test_deep)
{
	size_t n = 200000;
	char *line = malloc(n);
	CHECK(line);
	if (!line)
		return;
	memset(line, 'x', n);
	line[n - 1] = 'y';
	const char *found = matched("", "^(x|z)*y", (struct span){ line, n });
	CHECK(found[0] == '<' || found[0] == '!');
	n = 20000;
	line[n - 1] = 'y';
	found = matched("", "^(x|z)*y", (struct span){ line, n });
	CHECK_INT(found[0], '<');
	free(line);
}

/* Bytes of these, with characters of several bytes as a whole. */
static void add_random(struct buf *out, unsigned most)
{
	static const char *const letters[] = { "a",	   "b", "\xC3\xA9",
					       "\xC3\xA8", ".", "\\",
					       "(",	   " " };
	unsigned n = test_random() % (most + 1);
	for (unsigned i = 0; i < n; i++)
		buf_adds(out, letters[test_random() % COUNT(letters)]);
}

/* Is one of the words in the line, by a search for each? */
static bool has_any(const struct pattern_texts *t, struct span line)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].n == 0 ||
		    memmem(line.p, line.n, t->list[i].p, t->list[i].n))
			return true;
	}
	return false;
}

/* Of many words, any that is there is found, and the first one that fits. */
TEST(test_many)
{
	for (int round = 0; round < 60; round++) {
		struct pattern_texts t = { .fixed = true };
		struct buf words = { 0 }, line = { 0 };
		struct patterns *p = NULL;
		struct match m;
		for (int i = 0; i < 10 + round; i++) {
			buf_adds(&words, i > 0 ? "\n" : "");
			buf_adds(&words, "a");
			add_random(&words, 5);
		}
		CHECK_INT(pattern_texts_add(&t, buf_span(&words)), 0);
		CHECK_INT(patterns_new(&p, &t), 0);
		struct matcher *k = p ? matcher_new(p) : NULL;
		test_need(k != NULL, "matcher");
		for (int i = 0; i < 50; i++) {
			buf_clear(&line);
			add_random(&line, 12);
			const struct span text = buf_span(&line);
			int found = matcher_find(k, text, 0, &m);
			CHECK_INT(found, has_any(&t, text));
			CHECK_INT(matcher_find(k, text, 0, NULL), found);
			size_t first = 0;
			while (found && first < t.n &&
			       !span_starts((struct span){ text.p + m.from,
							   text.n - m.from },
					    t.list[first]))
				first++;
			if (found)
				CHECK_INT(m.to - m.from, t.list[first].n);
		}
		matcher_free(k);
		patterns_free(p);
		pattern_texts_free(&t);
		buf_free(&words);
		buf_free(&line);
	}
}

RUN_TESTS("pattern")
