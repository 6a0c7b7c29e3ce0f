#include "core/show/touching.h"

#include "core/session/file_name.h"
#include "tests/unit/dialect_test.h"

/* "PATH:NAME=ID" of each touch, as a walk over the folders finds them. */
static void walk(const struct session *s, uint32_t folder, struct buf *out)
{
	struct buf name = { 0 };
	struct touch t;
	struct touch same;
	uint32_t at = 0;
	uint32_t found;
	uint32_t again;
	while (touches_next(s, folder, &at, &name, &t) == 1) {
		touches_add_path(s, folder, out);
		buf_addc(out, ':');
		buf_add(out, buf_span(&name));
		buf_addc(out, '=');
		buf_add(out, test_id(s, t.entry));
		buf_addc(out, '\n');
		CHECK_INT(touches_find(s, folder, buf_span(&name), &same), 0);
		CHECK_INT(same.entry, t.entry);
		CHECK_INT(touches_of_entry(s, t.entry, t.nth, &same), 0);
		CHECK_INT(same.folder, folder);
		CHECK_INT(same.number, t.number);
		buf_clear(&name);
	}
	at = 0;
	while (touches_next_folder(s, folder, &at, &name, &found) == 1) {
		CHECK_INT(
			touches_find_folder(s, folder, buf_span(&name), &again),
			0);
		CHECK_INT(again, found);
		CHECK_INT(touches_find(s, folder, buf_span(&name), &t),
			  -ENOENT);
		buf_clear(&name);
		walk(s, found, out);
	}
	buf_free(&name);
}

static void check(const struct session *s, const char *want)
{
	struct buf got = { 0 };
	struct touch t;
	uint32_t n = 0;
	size_t lines = 0;
	walk(s, TOUCH_ROOT, &got);
	for (size_t i = 0; i < got.len; i++)
		lines += got.data[i] == '\n';
	CHECK_BUF(&got, want);
	while (touches_get(s, n, &t) == 1)
		n++;
	CHECK_INT(n, lines);
	buf_free(&got);
}

static struct session *open_copy(const char *name, const char *dialect)
{
	test_copy("s.jsonl", name);
	return dialect_open("s.jsonl", dialect);
}

/* Append the lines of another file. */
static void append(struct session *s, const char *name)
{
	session_leave(s);
	test_append_copy("s.jsonl", name);
	CHECK_INT(session_enter(s), 0);
}

/* Calls that all have one id: the newest is kept, so that none is searched. */
TEST(check_same_ids)
{
	struct session *s = open_copy("touches-same-ids", "pi");
	/* The last one names no file, and fails. */
	append(s, "touches-same-ids-more");
	struct touching t = { 0 };
	check(s, "b:0001-read=b\n"
		 "d:0001-read-failed=d\n"
		 "f:0001-read=f\n");
	CHECK_INT(touching_grow(&t, s), 0);
	CHECK_INT(t.n_calls, 2);
	touching_free(&t);
	test_close(s);
}

/* Lines that do not say the directory come first. */
TEST(check_late_cwd)
{
	struct session *s = dialect_session(
		"claude", "{'type':'summary','summary':'x','leafUuid':'u'}\n");
	uint32_t epoch = s->epoch;
	check(s, "");
	append(s, "touches-cwd");
	check(s, "a:0001-read=a\n");
	CHECK_INT(s->epoch, epoch);
	test_close(s);
	/* Folders get other numbers, so that their epoch ends. */
	s = open_copy("touches-no-header", "pi");
	epoch = s->epoch;
	check(s, "/w/a:0001-read=b\n");
	append(s, "touches-header");
	check(s, "a:0001-read=b\n");
	CHECK(s->epoch != epoch);
	test_close(s);
}

RUN_TESTS("touches")
