#include "core/dialects/go_tree/go_tree.h"
#include "core/json/timestamp.h"
#include "tests/unit/tables.h"
#include "tests/unit/dialect_test.h"

/* `rest` is members, each after a comma. */
#define LINE(id, rest) "{'id':'" id "','ts':'2026-05-01T00:00:01.5Z'" rest "}\n"
#define KIND(id, parent, kind, payload) \
	LINE(id,                        \
	     ",'parentId':'" parent "','kind':'" kind "','payload':" payload)
#define SAYS(id, parent) KIND(id, parent, "turn.user", "{'text':'" id "'}")

/* Which lines decode, and to what. */
static void check_decoding(struct row *r, struct buf *made)
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
static void check_changes(void)
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
	struct json v = dialect_line("s.jsonl", 2, &file);
	int64_t age = timestamp_now() - ulid_time(json_get(v, "id"));
	CHECK(age >= 0 && age < 60000);
	CHECK_INT(timestamp_parse(json_get(v, "ts")),
		  ulid_time(json_get(v, "id")));
	test_close(s);
	buf_free(&file);
}

static void check_many(void)
{
	enum { MANY = 100000 };
	static const char *const shapes[] = { "chain", "backwards", "orphans",
					      "cycle", "compactions" };
	for (size_t shape = 0; shape < COUNT(shapes); shape++) {
		struct buf b = { 0 };
		test_row = shapes[shape];
		for (int i = 0; i < MANY; i++) {
			int parent = shape == 1	  ? i + 1
				     : shape == 2 ? -i - 1
				     : shape == 3 ? (i + 1) % MANY
						  : i - 1;
			buf_addf(&b,
				 "{\"id\":\"%d\",\"parentId\":\"%d\",\"kind\":"
				 "\"%s\",\"payload\":{\"text\":\"x\"}}\n",
				 i, parent,
				 shape == 4 ? "compaction" : "turn.user");
		}
		test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
		test_file("s.head.json", "{'head':'99999'}");
		struct session *s = dialect_open("s.jsonl", "go-tree");
		CHECK_INT(s->now.index.n, MANY);
		CHECK_ID(s, session_head(s), "99999");
		buf_clear(&b);
		CHECK_INT(context_add(s, MANY - 1, MESSAGE_FORM_TEXT, &b), 0);
		CHECK_INT(s->dialect->sending->branch(s, MANY - 1, 1, &b), 0);
		CHECK_INT(info_add(s, &b), 0);
		test_close(s);
		buf_free(&b);
	}
	test_row = NULL;
}

int main(void)
{
	rows_check("go_tree", check_decoding);
	check_changes();
	check_many();
	return test_done("go_tree");
}
