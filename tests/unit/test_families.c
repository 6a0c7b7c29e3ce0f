#include "core/catalogue/families.h"

#include "tests/unit/test.h"

/* A row of a list: its name stands for words, and begins its path. One with a
 * plus is below another source. */
struct wanted {
	const char *name;
	const char *dialect;
	const char *id;
	const char *base;
};

static struct session_row *row_of(const struct wanted *w)
{
	struct session_row *row = calloc(1, sizeof(*row));
	struct buf path = { 0 };
	test_need(row != NULL, w->name);
	buf_addf(&path, "/%s/2026-03-01_%s.jsonl", w->name, w->id);
	test_need(buf_cstr(&path) != NULL, w->name);
	row->path = path.data;
	row->shown = strdup(w->name);
	row->is_listed = true;
	row->source = w->name[1] == '+';
	struct buf columns = { 0 };
	buf_addf(&columns, "\t%s\t1\t1\t\t\t/\t%s", w->dialect, w->name);
	row->summary.row = buf_span(&columns);
	row->summary.base = span_of(w->base);
	test_need(summary_pack(&row->summary) == 0, w->name);
	buf_free(&columns);
	return row;
}

static void check(const struct wanted *rows, size_t n, const char *want)
{
	struct session_rows t = { .list = calloc(n, sizeof(*t.list)), .n = n };
	struct buf got = { 0 };
	test_need(t.list != NULL, want);
	for (size_t i = 0; i < n; i++)
		t.list[i] = row_of(&rows[i]);
	test_row = want;
	CHECK_INT(families_arrange(&t, &dialect_registry), 0);
	CHECK_INT(t.n, n);
	for (size_t i = 0; i < t.n; i++) {
		const struct session_row *row = t.list[i];
		buf_addf(&got, "%s%u ", row->shown, row->summary.depth);
		if (CHECK(!row->base == !row->summary.depth) && row->base)
			CHECK_INT(row->base->summary.depth,
				  row->summary.depth - 1);
	}
	CHECK_BUF(&got, want);
	for (size_t i = 0; i < t.n; i++)
		row_free(t.list[i]);
	free(t.list);
	buf_free(&got);
	test_row = NULL;
}

#define CHECK_ROWS(want, ...)                                        \
	do {                                                         \
		static const struct wanted rows[] = { __VA_ARGS__ }; \
		check(rows, COUNT(rows), want);                      \
	} while (0)

#define A "0198aaaa-1111"
#define B "0198bbbb-2222"
#define C "0198cccc-3333"
#define D "0198dddd-4444"

/* A family is where its newest row was; children keep their order. */
TEST(check_trees)
{
	CHECK_ROWS("a0 b0 ", { "a", "pi", A, "" }, { "b", "pi", B, "" });
	CHECK_ROWS("a0 b1 c0 ", { "b", "pi", B, A }, { "c", "pi", C, "" },
		   { "a", "pi", A, "" });
	CHECK_ROWS("a0 d1 b1 c2 ", { "d", "pi", D, A }, { "c", "pi", C, B },
		   { "b", "pi", B, A }, { "a", "pi", A, "" });
	CHECK_ROWS("x0 a0 b1 c2 d3 ", { "x", "pi", "", "" },
		   { "a", "pi", A, "" }, { "b", "pi", B, A },
		   { "c", "pi", C, B }, { "d", "pi", D, C });
}

TEST(check_others)
{
	/* A parent that is not there. */
	CHECK_ROWS("b0 a0 ", { "b", "pi", B, C }, { "a", "pi", A, "" });
	/* A copy for another agent; of two parents the one of its own. */
	CHECK_ROWS("a0 b1 ", { "b", "pi", B, A }, { "a", "omp", A, "" });
	CHECK_ROWS("c0 b1 a0 ", { "b", "pi", B, A }, { "a", "omp", A, "" },
		   { "c", "pi", A, "" });
	/* Of a format without bases. */
	CHECK_ROWS("b0 a0 ", { "b", "lines", B, A }, { "a", "lines", A, "" });
	/* The case of ids does not count. */
	CHECK_ROWS("a0 b1 ", { "b", "pi", B, "0198AAAA-1111" },
		   { "a", "pi", A, "" });
	/* Of two files with an id, that below the same source, or the first. */
	CHECK_ROWS("a0 b+0 c+1 ", { "a", "pi", A, "" }, { "b+", "pi", A, "" },
		   { "c+", "pi", C, A });
	CHECK_ROWS("a0 c1 b0 ", { "a", "pi", A, "" }, { "b", "pi", A, "" },
		   { "c", "pi", C, A });
}

/* No row is lost, and none is below itself. */
TEST(check_circles)
{
	CHECK_ROWS("a0 ", { "a", "pi", A, A });
	CHECK_ROWS("b0 a1 ", { "a", "pi", A, B }, { "b", "pi", B, A });
	CHECK_ROWS("c0 b1 a2 ", { "a", "pi", A, B }, { "b", "pi", B, C },
		   { "c", "pi", C, A });
	CHECK_ROWS("b0 a1 d1 ", { "a", "pi", A, B }, { "b", "pi", B, A },
		   { "d", "pi", D, B });
}

RUN_TESTS("families")
