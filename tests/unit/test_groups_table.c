#include "fs/tree/groups_table.h"

#include "core/json/timestamp.h"
#include "tests/unit/test.h"

#define HOUR 3600000
#define NOON 1772366400000 /* 2026-03-01T12:00:00Z */
#define DAY (24 * (int64_t)HOUR)

/* The place with a home is at home - 1, and called by its id. */
static struct place places[16];

static struct summaries rows;
static struct groups_keys keys[GROUPS_VIEWS];

static void begin(void)
{
	for (int v = 0; v < GROUPS_VIEWS; v++)
		groups_keys_init(&keys[v]);
}

static void add(const char *id, int64_t time, const char *cwd,
		const char *words)
{
	struct place *at = &places[rows.n];
	*at = (struct place){ .name = id, .home = (uint32_t)rows.n + 1 };
	struct summaries_row row = {
		.owned = at, .path = id, .shown = id, .is_listed = true
	};
	row.summary.time = time;
	buf_addf(&row.summary.row, "\tpi\t1\t1\t\t\t%s\t%s", cwd, words);
	CHECK_INT(summaries_add(&rows, &row), 0);
}

static void forget(void)
{
	summaries_free(&rows);
	rows = (struct summaries){ 0 };
}

static struct span text(const struct groups_table *t, uint32_t at)
{
	return buf_kept(&t->texts, at);
}

/* "GROUP/NAME " of each session, by group and home. */
static void add_names(const struct groups_table *t, enum groups_view view,
		      struct buf *out)
{
	const struct groups_order *o = &t->views[view];
	for (size_t i = 0; i < o->n; i++) {
		const struct group *g = &o->groups[i];
		const struct grouped_session *s;
		CHECK(groups_table_number(t, view, g->number) == g);
		CHECK(groups_table_group(t, view, text(t, g->name)) == g);
		for (uint32_t home = 0;
		     (s = groups_table_next(t, view, g->number, home));
		     home = s->home + 1) {
			struct span name = text(t, s->name[view]);
			CHECK(groups_table_session(t, view, g->number, name) ==
			      s);
			CHECK(groups_table_home(t, s->home) == s);
			buf_add(out, text(t, g->name));
			buf_addc(out, '/');
			buf_add(out, name);
			buf_addc(out, ' ');
		}
	}
}

static void check(const char *by_project, const char *by_day)
{
	struct groups_table t = { 0 };
	struct buf got = { 0 };
	CHECK_INT(groups_table_make(&t, keys, &rows), 0);
	add_names(&t, GROUPS_BY_PROJECT, &got);
	CHECK_BUF(&got, by_project);
	add_names(&t, GROUPS_BY_DAY, &got);
	CHECK_BUF(&got, by_day);
	groups_table_free(&t);
	buf_free(&got);
}

static void check_groups(void)
{
	check("", "");
	add("a", NOON, "/work/wc", "one");
	add("b", NOON + DAY, "/work/wc//", "two");
	add("c", NOON + HOUR, "/home/wc", "three");
	add("d", TIMESTAMP_NONE, "", "");
	check("work+wc/2026-03-01-pi-one work+wc/2026-03-02-pi-two "
	      "home+wc/2026-03-01-pi-three no-directory/pi ",
	      "2026-03-01/1200-pi-one 2026-03-01/1300-pi-three "
	      "2026-03-02/1200-pi-two undated/pi ");
	forget();
}

/* Those of one name have their ids behind it, and then a number. */
static void check_alike(void)
{
	add("2026_0198aaaa-11.jsonl", NOON, "/x", "one");
	add("2026_0198bbbb-22.jsonl", NOON, "/x", "one");
	add("2027_0198bbbb-22.jsonl", NOON + HOUR, "/x", "one");
	add("e", NOON, "/y", "one");
	check("x/2026-03-01-pi-one-0198aaaa x/2026-03-01-pi-one-0198bbbb "
	      "x/2026-03-01-pi-one-0198bbbb=2 y/2026-03-01-pi-one ",
	      "2026-03-01/1200-pi-one-0198aaaa "
	      "2026-03-01/1200-pi-one-0198bbbb 2026-03-01/1300-pi-one "
	      "2026-03-01/1200-pi-one-e ");
	forget();
}

/* A group keeps its number while no session is in it. */
static void check_numbers(void)
{
	struct groups_table t = { 0 };
	add("a", NOON, "/first", "one");
	add("b", NOON + HOUR, "/second", "two");
	CHECK_INT(groups_table_make(&t, keys, &rows), 0);
	uint32_t number =
		groups_table_group(&t, GROUPS_BY_PROJECT, SPAN("second"))
			->number;
	uint64_t sum = t.views[GROUPS_BY_PROJECT].sum;
	groups_table_free(&t);
	forget();
	add("a", NOON, "/first", "one");
	CHECK_INT(groups_table_make(&t, keys, &rows), 0);
	CHECK(!groups_table_number(&t, GROUPS_BY_PROJECT, number));
	CHECK(!groups_table_group(&t, GROUPS_BY_PROJECT, SPAN("second")));
	CHECK(!groups_table_session(&t, GROUPS_BY_PROJECT, number,
				    SPAN("2026-03-01-pi-two")));
	CHECK(!groups_table_next(&t, GROUPS_BY_PROJECT, number, 0));
	CHECK(!groups_table_home(&t, 2));
	CHECK(t.views[GROUPS_BY_PROJECT].sum != sum);
	groups_table_free(&t);
	add("b", NOON + DAY, "/second", "other words");
	/* One that is not listed has no name. */
	add("c", NOON, "/third", "three");
	rows.rows[2].is_listed = false;
	CHECK_INT(groups_table_make(&t, keys, &rows), 0);
	const struct group *g =
		groups_table_number(&t, GROUPS_BY_PROJECT, number);
	if (CHECK(g)) {
		CHECK_SPAN(text(&t, g->name), SPAN("second"));
		CHECK_INT(g->time, NOON + DAY);
	}
	CHECK(!groups_table_home(&t, 3));
	/* Other names in it do not make other groups. */
	CHECK_INT(t.views[GROUPS_BY_PROJECT].sum, sum);
	groups_table_free(&t);
	forget();
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	begin();
	check_groups();
	check_alike();
	check_numbers();
	for (int v = 0; v < GROUPS_VIEWS; v++)
		groups_keys_free(&keys[v]);
	return test_done("groups_table");
}
