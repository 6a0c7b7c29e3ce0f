#include "core/dialects/go_tree/go_tree.h"
#include "core/json/timestamp.h"
#include "tests/unit/dialect_test.h"
#include "tests/unit/tables.h"

/* `rest` is members, each after a comma. */
#define LINE(id, rest) "{'id':'" id "','ts':'2026-05-01T00:00:01.5Z'" rest "}\n"
#define KIND(id, parent, kind, payload) \
	LINE(id,                        \
	     ",'parentId':'" parent "','kind':'" kind "','payload':" payload)
#define SAYS(id, parent) KIND(id, parent, "turn.user", "{'text':'" id "'}")

/* Which lines decode, and to what. */
TABLE(check_decoding, "go_tree")
{
	struct go_entry e;
	int err = go_decode(row_json(r, 0), &e);
	const struct json fields[] = { e.id, e.parent, e.kind, e.payload };
	CHECK(err == 0 || err == -EBADMSG);
	if (err)
		buf_adds(made, "bad");
	for (size_t f = 0; !err && f < 4; f++) {
		buf_adds(made, f > 0 ? " " : "");
		if (fields[f].raw.n > 0)
			buf_add(made, fields[f].raw);
		else
			buf_adds(made, f > 0 ? "-" : "");
	}
}

/* Its first ten digits are the time in ms. */
static int64_t ulid_time(struct json v)
{
	static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	int64_t ms = 0;
	for (size_t i = 1; i < 11; i++)
		ms = ms << 5 | (strchr(digits, v.raw.p[i]) - digits);
	return ms;
}

/* What the corpus does not show of a change: mode and time. */
TEST(check_changes)
{
	struct buf file = { 0 };
	struct stat log;
	struct stat sidecar;
	struct session *s = dialect_session("go-tree", SAYS("a", ""));
	const char *path = test_path("s.jsonl");
	test_need(chmod(path, 0640) == 0, path);
	CHECK_INT(dialect_move(s, "a"), 0);
	test_need(stat(path, &log) == 0, path);
	test_need(stat(test_path("s.head.json"), &sidecar) == 0, "sidecar");
	CHECK_INT(sidecar.st_mode, log.st_mode);
	CHECK_INT(dialect_label(s, "a", "one"), 0);
	struct json v;
	test_read(path, &file);
	struct span line = buf_span(&file);
	span_next_line(&line);
	CHECK_INT(json_check(span_next_line(&line), &v), 0);
	int64_t age = timestamp_now() - ulid_time(json_get(v, "id"));
	CHECK(age >= 0 && age < 60000);
	CHECK_INT(timestamp_parse(json_get(v, "ts")),
		  ulid_time(json_get(v, "id")));
	test_close(s);
	buf_free(&file);
}

RUN_TESTS("go_tree")
