#include "core/catalogue/summaries.h"

#include "core/dialects/registry.h"
#include "tests/unit/test.h"

struct tries {
	struct session *s;
	struct timespec before;
	int n[8]; /* by row */
};

static size_t numbers[] = { 0, 1, 2, 3, 4, 5 };

static struct summaries_row row_of(size_t i, const char *shown)
{
	return (struct summaries_row){ .owned = &numbers[i],
				       .path = "/x.jsonl",
				       .shown = shown };
}

/* Row 1 finds no descriptor at its first try, and row 2 none at all. */
static void make(void *data, struct summaries_row *row)
{
	struct tries *t = data;
	size_t i = *(const size_t *)row->owned;
	int n = ++t->n[i];
	if (i == 1 && n == 1)
		row->err = -EMFILE;
	else if (i == 2)
		row->err = -ENFILE;
	else if (i == 3)
		row->err = -EPROTO;
	else if (i == 4)
		row->err = -ENOMEM;
	else
		row->err = summaries_take(row, t->s, t->before);
	/* What is left of a try that failed does not count. */
	if (row->err)
		buf_adds(&row->note, "x");
}

static void check_made(void)
{
	struct summaries t = { 0 };
	struct tries tries = { 0 };
	struct buf out = { 0 };
	static const char *const shown[] = { "d", "c", "b", "a", "e", "f" };
	tries.s = test_session(HEADER USER("a", "null", "one"));
	tries.before = version_clock();
	tries.before.tv_sec += 60;
	for (size_t i = 0; i < COUNT(shown); i++) {
		struct summaries_row row = row_of(i, shown[i]);
		row.is_known = i == 5;
		CHECK_INT(summaries_add(&t, &row), 0);
	}
	CHECK_INT(summaries_make(&t, make, &tries), -ENOMEM);
	CHECK_INT(tries.n[0], 1);
	CHECK_INT(tries.n[1], 2);
	CHECK_INT(tries.n[2], 2);
	CHECK_INT(tries.n[3], 1);
	CHECK_INT(tries.n[5], 0);
	for (size_t i = 0; i < t.n; i++) {
		const struct summaries_row *row = &t.rows[i];
		bool made = i < 2;
		CHECK_INT(row->is_listed, made);
		CHECK_INT(row->err == 0, made || i == 5);
		CHECK_INT(row->note.len > 0, made);
		if (i < 5)
			CHECK_INT(version_eq(row->of, VERSION_UNKNOWN), !made);
	}
	CHECK(version_eq(t.rows[0].of, version_of_stat(&tries.s->log.st)));
	CHECK_INT(summaries_sort(&t, &dialect_registry), 0);
	CHECK_INT(summaries_add_lines(&t, &out), 0);
	CHECK_BUF(&out, "2026-03-01T10:00:01.000Z\tc\tpi\t1\t1\t\t\t/work/demo"
			"\tone\n"
			"2026-03-01T10:00:01.000Z\td\tpi\t1\t1\t\t\t/work/demo"
			"\tone\n");
	summaries_free(&t);
	test_close(tries.s);
	buf_free(&out);
}

/* A summary of a file that was changed just now is of use, but not kept. */
static void check_unsettled(void)
{
	struct summaries_row row = row_of(0, "a");
	struct session *s = test_session(HEADER USER("a", "null", "one"));
	struct timespec then = s->log.st.st_ctim;
	row.of = VERSION_UNKNOWN;
	CHECK_INT(summaries_take(&row, s, then), 0);
	CHECK(row.is_listed && version_eq(row.of, VERSION_UNKNOWN));
	summary_free(&row.summary);
	buf_free(&row.note);
	test_close(s);
}

static void check_none(void)
{
	struct summaries t = { 0 };
	struct buf out = { 0 };
	CHECK_INT(summaries_make(&t, make, NULL), 0);
	CHECK_INT(summaries_sort(&t, &dialect_registry), 0);
	CHECK_INT(summaries_add_lines(&t, &out), 0);
	CHECK_INT(out.len, 0);
	summaries_free(&t);
}

int main(void)
{
	check_made();
	check_unsettled();
	check_none();
	return test_done("summaries");
}
