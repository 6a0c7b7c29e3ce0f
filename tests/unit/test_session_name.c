#include "core/catalogue/session_name.h"

#include "core/json/timestamp.h"
#include "tests/unit/tables.h"

#define NOON 1772366520000 /* 2026-03-01T12:02:00Z */

static char path[] = "/x/5e55f500-0000-4000-8000-0000c0ffee01.jsonl";

static struct session_row made(int64_t time, const char *words)
{
	struct session_row row = { .path = path };
	row.summary.time = time;
	struct buf columns = { 0 };
	buf_addf(&columns, "\tclaude\t1\t1\t\t\t/work/demo\t%s", words);
	row.summary.row = buf_span(&columns);
	test_need(summary_pack(&row.summary) == 0, words);
	buf_free(&columns);
	return row;
}

static void add(int64_t time, const char *words, enum timestamp_form form,
		struct buf *out)
{
	struct session_row row = made(time, words);
	session_name_add(out, &row, form);
	summary_free(&row.summary);
}

TABLE(check_name, "session_name/names")
{
	add(NOON, row_text(r, 0), TIMESTAMP_DAY, made);
	CHECK_SPAN(buf_span(made), row_field(r, 1));
	buf_clear(made);
	add(NOON, row_text(r, 0), TIMESTAMP_CLOCK, made);
}

TEST(check_undated)
{
	struct buf name = { 0 };
	add(TIMESTAMP_NONE, "one", TIMESTAMP_DAY, &name);
	CHECK_BUF(&name, "claude-one-c0ffee01");
	add(TIMESTAMP_NONE, "one", TIMESTAMP_CLOCK, &name);
	CHECK_BUF(&name, "claude-one-c0ffee01");
	buf_free(&name);
}

TABLE(check_id, "session_name/ids")
{
	session_name_add_id(made, row_text(r, 0));
}

TEST(check_long)
{
	struct buf words = { 0 };
	struct buf name = { 0 };
	for (int i = 0; i < 200; i++)
		buf_adds(&words, "\xE6\xBC\xA2");
	buf_adds(&name, "before/");
	add(NOON, buf_cstr(&words), TIMESTAMP_DAY, &name);
	CHECK(name.len <= strlen("before/") + SESSION_NAME_LIMIT);
	CHECK(span_starts(buf_span(&name),
			  SPAN("before/2026-03-01-claude-\xE6\xBC\xA2")));
	buf_free(&words);
	buf_free(&name);
}

TEST(check_days)
{
	struct buf day = { 0 };
	struct session_row row = made(NOON, "");
	struct summary *s = &row.summary;
	session_name_add_day(&day, s);
	CHECK_BUF(&day, "2026-03-01");
	buf_clear(&day);
	s->time = TIMESTAMP_NONE;
	session_name_add_day(&day, s);
	CHECK_BUF(&day, "undated");
	summary_free(s);
	buf_free(&day);
}

SET_UP(set_up)
{
	setenv("TZ", "UTC", 1);
}

RUN_TESTS("session_name")
