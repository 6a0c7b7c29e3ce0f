#include "core/catalogue/families.h"

#include "tests/unit/test.h"

/* A row of a list: its name stands for words, and begins its path. */
struct wanted {
	const char *name;
	const char *dialect; /* NULL: it has no line */
	const char *id;
	const char *base;
};

static void add_row(struct summaries *t, const struct wanted *w)
{
	static char paths[16][64];
	char *path = paths[t->n];
	struct summaries_row row = { .path = path, .shown = w->name };
	snprintf(path, sizeof(paths[0]), "/%s/2026-03-01_%s.jsonl", w->name,
		 w->id);
	row.is_listed = w->dialect != NULL;
	buf_addf(&row.summary.row, "\t%s\t1\t1\t\t\t/\t%s",
		 w->dialect ? w->dialect : "pi", w->name);
	buf_adds(&row.summary.base, w->base);
	CHECK_INT(summaries_add(t, &row), 0);
}

static void check(const struct wanted *rows, size_t n, const char *want)
{
	struct summaries t = { 0 };
	struct buf got = { 0 };
	for (size_t i = 0; i < n; i++)
		add_row(&t, &rows[i]);
	test_row = want;
	CHECK_INT(families_arrange(&t, &dialect_registry), 0);
	CHECK_INT(t.n, n);
	for (size_t i = 0; i < t.n; i++)
		buf_addf(&got, "%s%u ", t.rows[i].shown,
			 t.rows[i].summary.depth);
	CHECK_BUF(&got, want);
	summaries_free(&t);
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
static void check_trees(void)
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

static void check_others(void)
{
	/* A parent that is not there, or without a line. */
	CHECK_ROWS("b0 a0 ", { "b", "pi", B, C }, { "a", "pi", A, "" });
	CHECK_ROWS("b0 a0 ", { "b", "pi", B, A }, { "a", NULL, A, "" });
	/* A copy for another agent; of two parents the one of its own. */
	CHECK_ROWS("a0 b1 ", { "b", "pi", B, A }, { "a", "omp", A, "" });
	CHECK_ROWS("c0 b1 a0 ", { "b", "pi", B, A }, { "a", "omp", A, "" },
		   { "c", "pi", A, "" });
	/* Of a format without bases. */
	CHECK_ROWS("b0 a0 ", { "b", "lines", B, A }, { "a", "lines", A, "" });
	/* The case of ids does not count. */
	CHECK_ROWS("a0 b1 ", { "b", "pi", B, "0198AAAA-1111" },
		   { "a", "pi", A, "" });
	/* Of two files with an id, the first. */
	CHECK_ROWS("a0 c1 b0 ", { "a", "pi", A, "" }, { "b", "pi", A, "" },
		   { "c", "pi", C, A });
}

/* No row is lost, and none is below itself. */
static void check_circles(void)
{
	CHECK_ROWS("a0 ", { "a", "pi", A, A });
	CHECK_ROWS("b0 a1 ", { "a", "pi", A, B }, { "b", "pi", B, A });
	CHECK_ROWS("c0 b1 a2 ", { "a", "pi", A, B }, { "b", "pi", B, C },
		   { "c", "pi", C, A });
	CHECK_ROWS("b0 a1 d1 ", { "a", "pi", A, B }, { "b", "pi", B, A },
		   { "d", "pi", D, B });
}

int main(void)
{
	check_trees();
	check_others();
	check_circles();
	return test_done("families");
}
