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

static void put_head(const char *sidecar)
{
	if (sidecar)
		test_file("s.head.json", sidecar);
	else
		unlink(test_path("s.head.json"));
}

/* The session of these lines, with that sidecar (NULL for none). */
static struct session *open_with(const char *lines, const char *sidecar)
{
	put_head(sidecar);
	return dialect_session("go-tree", lines);
}

static void check_sidecar(void)
{
	static const char damaged[] = "damaged and ignored";
	static const char unknown[] = "its head is not an entry";
	static const struct {
		const char *sidecar;
		const char *head;
		const char *fault; /* in info */
	} rows[] = {
		{ "{'head':'b'}", "b", "" },
		{ NULL, "-", "" },
		{ " {'Head' : 'a'}\n", "a", "" },
		{ "", "-", "" },
		{ "{'head':", "-", damaged },
		{ "{'head':'b'}", "b", "" },
		{ "{'head':''}", "-", "" },
		{ "{'head':'zz'}", "-", unknown },
		{ "{'head':5}", "-", "" },
		{ "{'head':['b']}", "-", "" },
		{ "['b']", "-", "" },
		{ "null", "-", "" },
		{ "{}", "-", "" },
		/* A label's entry is looked through. */
		{ "{'head':'l'}", "a", "" },
		/* Not yet. */
		{ "{'head':'c'}", "-", unknown },
	};
	static const char lines[] = SAYS("a", "") SAYS("b", "a")
		KIND("l", "a", "custom.label", "{'targetId':'b','label':'x'}");
	struct session *s = open_with(lines, rows[0].sidecar);
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].sidecar ? rows[i].sidecar : "none";
		session_leave(s);
		put_head(rows[i].sidecar);
		CHECK_INT(session_enter(s), 0);
		CHECK_ID(s, session_head(s), rows[i].head);
		const char *fault = s->now.sidecar_fault;
		CHECK_SPAN(span_of(fault ? fault : ""), span_of(rows[i].fault));
		struct session *fresh = open_with(lines, rows[i].sidecar);
		CHECK_ID(fresh, session_head(fresh), rows[i].head);
		test_close(fresh);
	}
	test_row = NULL;
	/* The entry that the sidecar is ahead with comes. */
	session_leave(s);
	test_append("s.jsonl", SAYS("c", "b"));
	CHECK_INT(session_enter(s), 0);
	CHECK_ID(s, session_head(s), "c");
	test_close(s);
}

static void check_move(void)
{
	struct buf before = { 0 };
	struct buf b = { 0 };
	struct stat log;
	struct stat sidecar;
	struct session *s = open_with(
		SAYS("a", "") SAYS("\\\"b", "a") SAYS("o", "zz") SAYS("p", "o")
			SAYS("c", "d") SAYS("d", "c") "{'id':'torn",
		NULL);
	const char *path = test_path("s.jsonl");
	test_need(chmod(path, 0640) == 0, path);
	test_read(path, &before);
	CHECK_INT(dialect_move(s, "-"), 0); /* where it is */
	CHECK_INT(access(test_path("s.head.json"), F_OK), -1);
	CHECK_INT(dialect_move(s, "\"b"), 0);
	CHECK_BUF(test_read(test_path("s.head.json"), &b),
		  "{\"head\":\"\\\"b\"}");
	CHECK_ID(s, session_head(s), "\"b");
	test_need(stat(path, &log) == 0, path);
	test_need(stat(test_path("s.head.json"), &sidecar) == 0, "sidecar");
	CHECK_INT(sidecar.st_mode, log.st_mode);

	CHECK_INT(dialect_move(s, "-"), -EOPNOTSUPP);
	CHECK_INT(dialect_move(s, "o"), -EINVAL);
	CHECK_INT(dialect_move(s, "p"), -EINVAL);
	CHECK_INT(dialect_move(s, "c"), -ELOOP);
	CHECK_BUF(test_read(test_path("s.head.json"), &b),
		  "{\"head\":\"\\\"b\"}");
	CHECK_INT(dialect_move(s, "a"), 0);
	CHECK_BUF(test_read(test_path("s.head.json"), &b), "{\"head\":\"a\"}");
	/* The log is not touched. */
	CHECK_SPAN(buf_span(test_read(test_path("s.jsonl"), &b)),
		   buf_span(&before));
	test_close(s);
	buf_free(&before);
	buf_free(&b);
}

static bool is_ulid(struct json v)
{
	bool ok = json_type(v) == JSON_STRING && v.raw.n == 28 &&
		  v.raw.p[1] == '0';
	for (size_t i = 1; ok && i < 27; i++)
		ok = strchr("0123456789ABCDEFGHJKMNPQRSTVWXYZ", v.raw.p[i]) !=
		     NULL;
	return ok;
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

static void check_labels(void)
{
	struct buf file = { 0 };
	struct buf last = { 0 };
	struct session *s =
		open_with(SAYS("a", "") SAYS("b", "a") "{'id':'torn", NULL);
	/* No head: no parent. */
	CHECK_INT(dialect_label(s, "b", "one"), 0);
	struct json v = dialect_line("s.jsonl", 4, &file);
	dialect_check_keys(v, "id kind ts payload");
	CHECK(is_ulid(json_get(v, "id")));
	int64_t age = timestamp_now() - ulid_time(json_get(v, "id"));
	CHECK(age >= 0 && age < 60000);
	CHECK_INT(timestamp_parse(json_get(v, "ts")),
		  ulid_time(json_get(v, "id")));
	CHECK(json_is(json_get(v, "kind"), SPAN("custom.label")));
	CHECK_SPAN(json_get(v, "payload").raw,
		   SPAN("{\"targetId\":\"b\",\"label\":\"one\"}"));
	CHECK_SPAN(session_label(s, 1), SPAN("one"));
	CHECK_INT(session_head(s), INDEX_NONE);
	json_decode(&last, json_get(v, "id"));

	/* With one: below it. The sidecar stays. */
	CHECK_INT(dialect_move(s, "a"), 0);
	CHECK_INT(dialect_label(s, "b", "one"), 0);
	CHECK_INT(dialect_label(s, "b", ""), 0);
	v = dialect_line("s.jsonl", 5, &file);
	dialect_check_keys(v, "id parentId kind ts payload");
	CHECK(!json_is(json_get(v, "id"), buf_span(&last)));
	CHECK(json_is(json_get(v, "parentId"), SPAN("a")));
	CHECK_SPAN(json_get(v, "payload").raw, SPAN("{\"targetId\":\"b\"}"));
	CHECK_SPAN(session_label(s, 1), SPAN(""));
	CHECK_ID(s, session_head(s), "a");
	test_close(s);
	buf_free(&file);
	buf_free(&last);
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
		put_head("{'head':'99999'}");
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
	check_sidecar();
	check_move();
	check_labels();
	check_many();
	return test_done("go_tree");
}
