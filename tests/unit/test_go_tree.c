#include "core/dialects/go_tree/go_tree.h"
#include "core/json/timestamp.h"
#include "tests/unit/dialect_test.h"

/* `rest` is members, each after a comma. */
#define LINE(id, rest) "{'id':'" id "','ts':'2026-05-01T00:00:01.5Z'" rest "}\n"
#define KIND(id, parent, kind, payload) \
	LINE(id,                        \
	     ",'parentId':'" parent "','kind':'" kind "','payload':" payload)
#define SAYS(id, parent) KIND(id, parent, "turn.user", "{'text':'" id "'}")

/* Which lines decode, and to what. */
static void check_decoding(void)
{
	static const struct {
		const char *line;
		const char *fields; /* id parent kind payload; NULL: bad */
	} rows[] = {
		{ "{}", " - - -" },
		{ "{'id':'a','kind':'k','ts':'2026-05-01T00:00:00Z'}",
		  "\"a\" - \"k\" -" },
		{ "{'ID':'a','ParentId':'b','KIND':'k','Payload':{'x':1}}",
		  "\"a\" \"b\" \"k\" {\"x\":1}" },
		{ "{'i d':'a','idx':'b','i':'c','':'d'}", " - - -" },
		/* The last one counts, null changes nothing. */
		{ "{'id':'a','ID':'b','kind':'x','Kind':null}",
		  "\"b\" - \"x\" -" },
		{ "{'payload':{'a':1},'Payload':null}", " - - -" },
		{ "{'id':null,'parentId':null,'kind':null,'ts':null}",
		  " - - -" },
		{ "{'other':[5],'v':4}", " - - -" },
		/* Bad, even if another says it well. */
		{ "{'id':7}", NULL },
		{ "{'id':7,'ID':'a'}", NULL },
		{ "{'id':'a','parentId':[]}", NULL },
		{ "{'id':'a','kind':false}", NULL },
		{ "{'id':'a','payload':'x'}", NULL },
		{ "{'id':'a','payload':[]}", NULL },
		{ "{'id':'a','ts':''}", NULL },
		{ "{'id':'a','ts':1777593602}", NULL },
		{ "{'id':'a','ts':'\\u0032026-05-01T00:00:00Z'}", NULL },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf line = test_quoted(rows[i].line);
		struct buf said = { 0 };
		struct json json;
		struct go_entry e;
		test_row = rows[i].line;
		CHECK_INT(json_check(buf_span(&line), &json), 0);
		CHECK_INT(go_decode(json, &e), rows[i].fields ? 0 : -EBADMSG);
		const struct json fields[] = { e.id, e.parent, e.kind,
					       e.payload };
		for (size_t f = 0; f < 4; f++) {
			buf_adds(&said, f > 0 ? " " : "");
			if (fields[f].raw.n > 0)
				buf_add(&said, fields[f].raw);
			else
				buf_adds(&said, f > 0 ? "-" : "");
		}
		if (rows[i].fields)
			CHECK_BUF(&said, rows[i].fields);
		buf_free(&line);
		buf_free(&said);
	}
	test_row = NULL;
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
	check_decoding();
	check_changes();
	check_many();
	return test_done("go_tree");
}
