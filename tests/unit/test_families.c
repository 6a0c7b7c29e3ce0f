#include "core/catalogue/private.h"

#include "core/base/text.h"
#include "tests/unit/tables.h"

/* A row of a list: its name stands for words, and begins its path. */
struct wanted {
	struct span name;
	struct span dialect;
	struct span id;
	struct span base;
};

static void add(struct buf *out, struct span s)
{
	if (!span_eq(s, SPAN("-")))
		buf_add(out, s);
}

static struct session_row *row_of(const struct wanted *w)
{
	struct session_row *row = calloc(1, sizeof(*row));
	struct buf path = { 0 };
	test_need(row != NULL, "row");
	buf_addc(&path, '/');
	buf_add(&path, w->name);
	buf_adds(&path, "/2026-03-01_");
	add(&path, w->id);
	buf_adds(&path, ".jsonl");
	test_need(buf_cstr(&path) != NULL, "path");
	row->path = path.data;
	row->shown = strndup(w->name.p, w->name.n);
	row->is_listed = true;
	row->source = w->name.n > 1;
	struct buf columns = { 0 };
	buf_addc(&columns, '\t');
	buf_add(&columns, w->dialect);
	buf_adds(&columns, "\t1\t1\t\t\t/\t");
	buf_add(&columns, w->name);
	row->summary.row = buf_span(&columns);
	struct buf base = { 0 };
	add(&base, w->base);
	row->summary.base = buf_span(&base);
	test_need(summary_pack(&row->summary) == 0, "pack");
	buf_free(&base);
	buf_free(&columns);
	return row;
}

TABLE(check_row, "families")
{
	struct session_rows t = { .list = calloc(8, sizeof(*t.list)) };
	struct span rest = row_field(r, 0);
	while (rest.n > 0) {
		struct span one = span_next(&rest, ';');
		struct wanted w;
		w.name = span_next(&one, ' ');
		w.dialect = span_next(&one, ' ');
		w.id = span_next(&one, ' ');
		w.base = one;
		test_need(t.list && t.n < 8, "room");
		t.list[t.n++] = row_of(&w);
		rest = text_trim(rest);
	}
	size_t n = t.n;
	CHECK_INT(families_arrange(&t, &dialect_registry), 0);
	CHECK_INT(t.n, n);
	for (size_t i = 0; i < t.n; i++) {
		const struct session_row *row = t.list[i];
		buf_addf(made, "%s%u ", row->shown, row->summary.depth);
		if (CHECK(!row->base == !row->summary.depth) && row->base)
			CHECK_INT(row->base->summary.depth,
				  row->summary.depth - 1);
	}
	for (size_t i = 0; i < t.n; i++)
		row_free(t.list[i]);
	free(t.list);
}

RUN_TESTS("families")
