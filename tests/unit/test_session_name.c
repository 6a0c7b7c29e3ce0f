#include "core/catalogue/session_name.h"

#include "core/json/timestamp.h"
#include "tests/unit/test.h"

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

static void check(int64_t time, const char *words, const char *by_day,
		  const char *by_minute)
{
	struct buf name = { 0 };
	test_row = words;
	add(time, words, TIMESTAMP_DAY, &name);
	CHECK_BUF(&name, by_day);
	add(time, words, TIMESTAMP_CLOCK, &name);
	CHECK_BUF(&name, by_minute);
	buf_free(&name);
	test_row = NULL;
}

#define ID "-c0ffee01"

static void check_names(void)
{
	check(NOON, "Write a word counter",
	      "2026-03-01-claude-Write-a-word-counter" ID,
	      "1202-claude-Write-a-word-counter" ID);
	check(TIMESTAMP_NONE, "one", "claude-one" ID, "claude-one" ID);
	check(NOON, "", "2026-03-01-claude" ID, "1202-claude" ID);
	check(NOON, "../-. \\ / !", "2026-03-01-claude" ID, "1202-claude" ID);
	check(NOON, "caf\xC3\xA9 \xE6\xBC\xA2",
	      "2026-03-01-claude-caf\xC3\xA9-\xE6\xBC\xA2" ID,
	      "1202-claude-caf\xC3\xA9-\xE6\xBC\xA2" ID);
}

/* Of an id its letters and digits, and nothing if it has none. */
static void check_ids(void)
{
	static const struct {
		const char *path;
		const char *id;
	} rows[] = {
		{ "/x/session.jsonl", "session" },
		{ "/x/a-b_c.d-e.jsonl", "cde" },
		{ "/x/2026-03-01T10-00_0198f000-0000-7000-8000-0000000000b1."
		  "jsonl",
		  "000000b1" },
		{ "/x/\xC3\xA9.jsonl", "" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf id = { 0 };
		struct session_row row = { .path = (char *)rows[i].path };
		session_name_add_id(&id, row.path);
		CHECK_BUF(&id, rows[i].id);
		buf_free(&id);
	}
}

static void check_long(void)
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

static void check_days(void)
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

int main(void)
{
	setenv("TZ", "UTC", 1);
	check_names();
	check_ids();
	check_long();
	check_days();
	return test_done("session_name");
}
