#include "fs/tree/groups_table.h"

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/json/timestamp.h"
#include "tests/unit/test.h"

#define HOUR 3600000
#define NOON 1772366400000 /* 2026-03-01T12:00:00Z */
#define DAY (24 * (int64_t)HOUR)

static struct session_rows rows;
static struct groups_keys keys[GROUPS_KEPT];

static void begin(void)
{
	for (int v = 0; v < GROUPS_KEPT; v++)
		groups_keys_init(&keys[v]);
}

/* Its number is one more than that of the row before. */
static void add(const char *id, int64_t time, const char *cwd,
		const char *words)
{
	struct session_row *row = calloc(1, sizeof(*row));
	test_need(row && !array_reserve(&rows.list, &rows.cap, rows.n, 1), id);
	row->path = strdup(id);
	row->shown = strdup(id);
	row->number = (uint32_t)rows.n + 1;
	row->is_listed = true;
	row->summary.time = time;
	struct buf columns = { 0 };
	buf_addf(&columns, "\tpi\t1\t1\t\t\t%s\t%s", cwd, words);
	row->summary.row = buf_span(&columns);
	test_need(summary_pack(&row->summary) == 0, id);
	buf_free(&columns);
	rows.list[rows.n++] = row;
}

static void forget(void)
{
	for (size_t i = 0; i < rows.n; i++)
		row_free(rows.list[i]);
	free(rows.list);
	rows = (struct session_rows){ 0 };
}

static struct span text(const struct groups_table *t, uint32_t at)
{
	return buf_kept(&t->texts, at);
}

/* "GROUP/NAME " of each session, by group and number. */
static void add_names(const struct groups_table *t, enum groups_view view,
		      struct buf *out)
{
	const struct groups_order *o = &t->views[view];
	for (size_t i = 0; i < o->n; i++) {
		const struct group *g = &o->groups[i];
		const struct grouped_session *s;
		CHECK(groups_table_number(t, view, g->number) == g);
		CHECK(groups_table_group(t, view, text(t, g->name)) == g);
		for (uint32_t number = 0;
		     (s = groups_table_next(t, view, g->number, number));
		     number = s->number + 1) {
			struct span name = text(t, s->name[view]);
			CHECK(groups_table_session(t, view, g->number, name) ==
			      s);
			CHECK(groups_table_numbered(t, s->number) == s);
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
	check("work+wc/2026-03-01-pi-one-a work+wc/2026-03-02-pi-two-b "
	      "home+wc/2026-03-01-pi-three-c no-directory/pi-d ",
	      "2026-03-01/1200-pi-one-a 2026-03-01/1300-pi-three-c "
	      "2026-03-02/1200-pi-two-b undated/pi-d ");
	forget();
}

static unsigned hash_of(const struct session_row *row)
{
	return (unsigned)hash_line(span_of(row->path), 0);
}

/* Ids tell them apart; of copies of a file, their paths. */
static void check_alike(void)
{
	char want[200];
	add("/m/2026_0198f000-aa.jsonl", NOON, "/x", "one");
	add("/m/2026_0198f000-bb.jsonl", NOON, "/x", "one");
	add("/n/2026_0198f000-bb.jsonl", NOON + HOUR, "/x", "one");
	snprintf(want, sizeof(want),
		 "x/2026-03-01-pi-one-98f000aa "
		 "x/2026-03-01-pi-one-98f000bb=%08x "
		 "x/2026-03-01-pi-one-98f000bb=%08x ",
		 hash_of(rows.list[1]), hash_of(rows.list[2]));
	check(want, "2026-03-01/1200-pi-one-98f000aa "
		    "2026-03-01/1200-pi-one-98f000bb "
		    "2026-03-01/1300-pi-one-98f000bb ");
	forget();
}

static void check_finds(const char *day, const char *name, const char *path)
{
	struct groups_table t = { 0 };
	CHECK_INT(groups_table_make(&t, keys, &rows), 0);
	const struct group *g =
		groups_table_group(&t, GROUPS_BY_DAY, span_of(day));
	test_need(g != NULL, day);
	const struct grouped_session *s = groups_table_session(
		&t, GROUPS_BY_DAY, g->number, span_of(name));
	test_row = name;
	if (CHECK(!s == !path) && s)
		CHECK_SPAN(span_of(rows.list[s->number - 1]->path),
			   span_of(path));
	test_row = NULL;
	groups_table_free(&t);
}

/* A name means its session, whatever that is called by now. */
static void check_names_given(void)
{
	static const char day[] = "2026-03-01";
	add("/m/1_0198f000-aa.jsonl", NOON, "/x", "one");
	add("/m/2_0198f000-bb.jsonl", NOON, "/x", "one");
	add("/n/2_0198f000-bb.jsonl", NOON, "/x", "one");
	add("/m/3_0198f000-cc.jsonl", NOON + DAY, "/x", "two");
	check_finds(day, "1159-pi-98f000aa", "/m/1_0198f000-aa.jsonl");
	check_finds(day, "1200-pi-one-98f000cc", "/m/3_0198f000-cc.jsonl");
	/* Before there was a copy it had no hash. */
	check_finds(day, "1200-pi-one-98f000bb", "/m/2_0198f000-bb.jsonl");
	check_finds(day, "1200-pi-one-98f000dd", NULL);
	check_finds(day, "1200-pi-one-", NULL);
	check_finds(day, "98f000aa", NULL);
	forget();
}

/* "BASE/NAME " of each fork, by the number of the base. */
static void check_forks(void)
{
	struct groups_table t = { 0 };
	struct buf got = { 0 };
	add("/m/1_0198f000-aa.jsonl", NOON, "/x", "one");
	add("/m/2_0198f000-bb.jsonl", NOON, "/x", "two");
	add("/m/3_0198f000-cc.jsonl", NOON + DAY, "/y", "one");
	add("/m/4_0198f000-dd.jsonl", NOON, "/y", "one");
	rows.list[2]->base = rows.list[0];
	rows.list[3]->base = rows.list[0];
	rows.list[1]->base = rows.list[3];
	CHECK_INT(groups_table_make(&t, keys, &rows), 0);
	add_names(&t, GROUPS_FORKS, &got);
	CHECK_BUF(&got, "/m/1_0198f000-aa.jsonl/2026-03-02-pi-one-98f000cc "
			"/m/1_0198f000-aa.jsonl/2026-03-01-pi-one-98f000dd "
			"/m/4_0198f000-dd.jsonl/2026-03-01-pi-two-98f000bb ");
	/* It had another name, and is no fork of another session. */
	CHECK(groups_table_session(&t, GROUPS_FORKS, 4,
				   SPAN("2026-03-01-pi-old-98f000bb")));
	CHECK(!groups_table_session(&t, GROUPS_FORKS, 1,
				    SPAN("2026-03-01-pi-two-98f000bb")));
	groups_table_free(&t);
	buf_free(&got);
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
				    SPAN("2026-03-01-pi-two-b")));
	CHECK(!groups_table_next(&t, GROUPS_BY_PROJECT, number, 0));
	CHECK(!groups_table_numbered(&t, 2));
	CHECK(t.views[GROUPS_BY_PROJECT].sum != sum);
	groups_table_free(&t);
	add("b", NOON + DAY, "/second", "other words");
	CHECK_INT(groups_table_make(&t, keys, &rows), 0);
	const struct group *g =
		groups_table_number(&t, GROUPS_BY_PROJECT, number);
	if (CHECK(g)) {
		CHECK_SPAN(text(&t, g->name), SPAN("second"));
		CHECK_INT(g->time, NOON + DAY);
	}
	CHECK(!groups_table_numbered(&t, 3));
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
	check_names_given();
	check_forks();
	check_numbers();
	for (int v = 0; v < GROUPS_KEPT; v++)
		groups_keys_free(&keys[v]);
	return test_done("groups_table");
}
