#include "core/catalogue/session_name.h"

#include "core/json/timestamp.h"
#include "tests/unit/test.h"

#define NOON 1772366520000 /* 2026-03-01T12:02:00Z */

static struct summary made(int64_t time, const char *words)
{
	struct summary s = { .time = time };
	buf_addf(&s.row, "\tclaude\t1\t1\t\t\t/work/demo\t%s", words);
	return s;
}

static void add(int64_t time, const char *words, enum session_name_form form,
		struct buf *out)
{
	struct columns c;
	struct summary s = made(time, words);
	columns_begin(&c);
	session_name_add(&c, out, &s, form);
	columns_end(&c);
	summary_free(&s);
}

static void check(int64_t time, const char *words, const char *by_day,
		  const char *by_minute)
{
	struct buf name = { 0 };
	test_row = words;
	add(time, words, SESSION_NAME_DAY, &name);
	CHECK_BUF(&name, by_day);
	add(time, words, SESSION_NAME_MINUTE, &name);
	CHECK_BUF(&name, by_minute);
	buf_free(&name);
	test_row = NULL;
}

static void check_names(void)
{
	check(NOON, "Write a word counter",
	      "2026-03-01-claude-Write-a-word-counter",
	      "1202-claude-Write-a-word-counter");
	check(TIMESTAMP_NONE, "one", "claude-one", "claude-one");
	check(NOON, "", "2026-03-01-claude", "1202-claude");
	check(NOON, "../-. \\ / !", "2026-03-01-claude", "1202-claude");
	check(NOON, "caf\xC3\xA9 \xE6\xBC\xA2",
	      "2026-03-01-claude-caf\xC3\xA9-\xE6\xBC\xA2",
	      "1202-claude-caf\xC3\xA9-\xE6\xBC\xA2");
}

static void check_long(void)
{
	struct buf words = { 0 };
	struct buf name = { 0 };
	for (int i = 0; i < 200; i++)
		buf_adds(&words, "\xE6\xBC\xA2");
	buf_adds(&name, "before/");
	add(NOON, buf_cstr(&words), SESSION_NAME_DAY, &name);
	CHECK(name.len <= strlen("before/") + SESSION_NAME_LIMIT);
	CHECK(span_starts(buf_span(&name),
			  SPAN("before/2026-03-01-claude-\xE6\xBC\xA2")));
	buf_free(&words);
	buf_free(&name);
}

static void check_days(void)
{
	struct buf day = { 0 };
	struct summary s = made(NOON, "");
	session_name_add_day(&day, &s);
	CHECK_BUF(&day, "2026-03-01");
	s.time = TIMESTAMP_NONE;
	session_name_add_day(&day, &s);
	CHECK_BUF(&day, "undated");
	summary_free(&s);
	buf_free(&day);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	check_names();
	check_long();
	check_days();
	return test_done("session_name");
}
