/*
 * The lists of words that contents have besides those of their lines: each word
 * that is added is listed, and each listed word is added to some line here. The
 * words of Claude Code's attachments are too many for that: grep-skip.bats
 * compares their list with the code.
 */
#include "core/session/dialect.h"
#include "tests/unit/dialect_test.h"
#include "tests/unit/tables.h"

/* Two for each line: what Pi adds, oh-my-pi adds as well. */
#define SAMPLES 100

static struct {
	const struct dialect *dialect;
	struct buf line;
	struct buf content;
} samples[SAMPLES];
static size_t n_samples;

static void check_entries(const struct session *s)
{
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		struct buf content = { 0 };
		CHECK_INT(content_add(s, i, &content), 0);
		dialect_check_listed(s, i, buf_span(&content));
		buf_free(&content);
	}
}

static void load_sample(const char *dialect, struct span line)
{
	struct json json;
	size_t n = n_samples++;
	test_need(n < SAMPLES, "room");
	test_put(test_path("s.jsonl"), O_TRUNC, line);
	struct session *s = dialect_open("s.jsonl", dialect);
	test_need(s->now.index.n == 1, dialect);
	check_entries(s);
	samples[n].dialect = s->dialect;
	CHECK_INT(session_read(s, 0, &samples[n].line, &json), 0);
	CHECK_INT(content_add(s, 0, &samples[n].content), 0);
	test_close(s);
}

static void load_row(struct row *r, struct buf *made)
{
	const char *dialect = row_text(r, 0);
	test_row = row_text(r, 1);
	load_sample(dialect, row_field(r, 1));
	if (strcmp(dialect, "pi") == 0)
		load_sample("omp", row_field(r, 1));
	buf_add(made, row_field(r, 1));
}

static void free_samples(void)
{
	for (size_t i = 0; i < n_samples; i++) {
		buf_free(&samples[i].line);
		buf_free(&samples[i].content);
	}
}

static bool has(struct span text, struct span part)
{
	return memmem(text.p, text.n, part.p, part.n);
}

/* Is the word a run of letters of a sample's content? */
static bool is_added(size_t sample, struct span word)
{
	struct span rest = buf_span(&samples[sample].content);
	struct span run = unlisted_next_run(&rest);
	while (run.n > 0 && !span_eq(run, word))
		run = unlisted_next_run(&rest);
	return run.n > 0;
}

/* Is each word of a row added to some line that has the marker? */
static void check_row(const struct dialect *d, const struct added_words *row)
{
	struct span words = span_of(row->words);
	struct span marker = span_of(row->marker ? row->marker : "");
	while (words.n > 0) {
		struct span word = span_next(&words, ' ');
		bool added = word.n < RUN_LEAST;
		for (size_t i = 0; i < n_samples && !added; i++)
			added = (!d || samples[i].dialect == d) &&
				has(buf_span(&samples[i].line), marker) &&
				is_added(i, word);
		if (!CHECK(added))
			test_print(d ? d->name : "all", word);
	}
}

static void check_lists(void)
{
	static const char *const names[] = { "pi", "omp", "codex" };
	for (size_t i = 0; content_adding[i].words; i++)
		check_row(NULL, &content_adding[i]);
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct dialect *d = dialect_named(span_of(names[i]));
		const struct added_words *row = d->adding->rows;
		for (; row->words || row->marker; row++)
			check_row(d, row);
	}
}

int main(void)
{
	/* Of others, no pattern gives a run. */
	setenv("LC_ALL", "C", 1);
	rows_check("added", load_row);
	check_lists();
	free_samples();
	return test_done("added");
}
