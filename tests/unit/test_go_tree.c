#include "core/dialects/go_tree/decode.h"
#include "core/json/timestamp.h"
#include "tests/unit/dialect_test.h"

/* `rest` is members, each after a comma. */
#define LINE(id, rest) "{'id':'" id "','ts':'2026-05-01T00:00:01.5Z'" rest "}\n"
#define KIND(id, parent, kind, payload) \
	LINE(id,                        \
	     ",'parentId':'" parent "','kind':'" kind "','payload':" payload)
#define SAYS(id, parent) KIND(id, parent, "turn.user", "{'text':'" id "'}")
#define COMPACTION(id, parent, kept)   \
	KIND(id, parent, "compaction", \
	     "{'summary':'" id "','firstKeptEntryId':'" kept "'}")

static void check_times(void)
{
	static const struct {
		const char *text;
		int64_t ms; /* TIMESTAMP_NONE: it is none */
	} rows[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2026-05-01T00:00:01.5Z", 1777593601500 },
		{ "2026-05-01T00:00:01.123456789Z", 1777593601123 },
		{ "2026-05-01T00:00:01.1239999999999999Z", 1777593601123 },
		{ "2026-05-01T02:00:01+02:00", 1777593601000 },
		{ "2026-04-30T17:00:01.25-07:00", 1777593601250 },
		{ "0000-01-01T00:00:00Z", -62167219200000 },
		{ "1969-12-31T23:59:59.75Z", -250 },
		{ "2024-02-29T00:00:00Z", 1709164800000 },
		/* None, though time.Parse reads the first three. */
		{ "1970-01-01T1:00:00Z", TIMESTAMP_NONE },
		{ "1970-01-01T00:00:00,5Z", TIMESTAMP_NONE },
		{ "1970-01-01T00:00:00-24:60", TIMESTAMP_NONE },
		{ "2026-05-01T24:00:00Z", TIMESTAMP_NONE },
		{ "2026-02-29T00:00:00Z", TIMESTAMP_NONE },
		{ "2026-04-31T00:00:00+02:00", TIMESTAMP_NONE },
		{ "2100-02-29T00:00:00Z", TIMESTAMP_NONE },
		{ "", TIMESTAMP_NONE },
		{ "not a time", TIMESTAMP_NONE },
		{ "2026-05-01", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:02", TIMESTAMP_NONE },
		{ "2026-05-01 00:00:02Z", TIMESTAMP_NONE },
		{ "2026-05-01t00:00:02Z", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:02z", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:02Z ", TIMESTAMP_NONE },
		{ " 2026-05-01T00:00:02Z", TIMESTAMP_NONE },
		{ "2026-05-01T00:00Z", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:02.Z", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:2Z", TIMESTAMP_NONE },
		{ "2026-05-01T00:60:00Z", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:60Z", TIMESTAMP_NONE },
		{ "2026-13-01T00:00:00Z", TIMESTAMP_NONE },
		{ "2026-00-01T00:00:00Z", TIMESTAMP_NONE },
		{ "2026-05-00T00:00:00Z", TIMESTAMP_NONE },
		{ "26-05-01T00:00:00Z", TIMESTAMP_NONE },
		{ "+02026-05-01T00:00:00Z", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:00+0200", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:00+25:00", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:00+02", TIMESTAMP_NONE },
		{ "2026-05-01T00:00:00+02:61", TIMESTAMP_NONE },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf line = { 0 };
		struct json json;
		struct go_entry e;
		test_row = rows[i].text;
		buf_addf(&line, "{\"ts\":\"%s\"}", rows[i].text);
		CHECK_INT(json_check(buf_span(&line), &json), 0);
		bool is_time = rows[i].ms != TIMESTAMP_NONE;
		CHECK_INT(go_decode(json, &e), is_time ? 0 : -EBADMSG);
		CHECK_INT(e.time, rows[i].ms);
		buf_free(&line);
	}
	test_row = NULL;
}

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

static void check_detection(void)
{
	static const struct {
		const char *lines;
		const char *dialect;
	} rows[] = {
		{ SAYS("01HZZZZZZZ0000000000000001", ""), "go-tree" },
		{ "{bad\n{}\nnull\n" SAYS("01HZZZZZZZ0000000000000001", ""),
		  "go-tree" },
		{ SAYS("ev_1", ""), NULL },
		{ SAYS("c1a0de00-0000-4000-8000-000000000001", ""), NULL },
		{ "{'ID':'01HZZZZZZZ0000000000000001','Kind':'k','TS':'2026-05-"
		  "01T00:00:01Z',"
		  "'Payload':{}}\n",
		  "go-tree" },
		{ "{'id':'a','kind':'k','ts':'2026-05-01T00:00:01Z'}\n", NULL },
		{ "{'id':'a','kind':'k','ts':'x','payload':{}}\n", NULL },
		{ "{'id':'a','kind':'k','ts':'x','type':'message'}\n", NULL },
		{ "{'id':'a','kind':'k'}\n", NULL },
		{ "{'id':'a','kind':'k','ts':5}\n", NULL },
		/* sessfs-formats(5): the harness's comes first. */
		{ "{'v':4,'kind':'header','id':'a','ts':'2026-05-01T00:00:01Z',"
		  "'payload':{},'cwd':'/','storageVersion':1}\n",
		  "lines" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		dialect_check_found(rows[i].lines, rows[i].dialect);
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

static const struct {
	const char *lines;
	const char *tree;
	const char *text; /* of the context at the last entry */
	unsigned bad;
} readings[] = {
	{ SAYS("a", "") SAYS("b", "a"), "a<- b<a", "[User]: a|[User]: b", 0 },
	{ SAYS("a", "b") SAYS("b", ""), "a<b b<-", "[User]: b", 0 },
	{ SAYS("a", "") "null\n5\n{}\n[1]\n{'id':''}\n" SAYS("b", "a"),
	  "a<- b<a", "[User]: a|[User]: b", 0 },
	{ SAYS("a", "") "{bad\n{'id':'x','ts':'no'}\n{'id':7}\n"
			"{'id':'y','payload':1}\n" SAYS("b", "a"),
	  "a<- b<a", "[User]: a|[User]: b", 4 },
	{ "\xEF\xBB\xBF" SAYS("a", "") SAYS("b", ""), "b<-", "[User]: b", 1 },
	{ "\n" SAYS("a", ""), "a<-", "[User]: a", 0 },
	/* Duplicates, orphans, cycles. */
	{ SAYS("a", "") SAYS("b", "a") SAYS("a", "zz") SAYS("c", "b"),
	  "a<- b<a c<b", "[User]: a|[User]: b|[User]: c", 0 },
	{ SAYS("a", "b") SAYS("b", "a") SAYS("c", "b"), "a<- b<a c<b",
	  "[User]: a|[User]: b|[User]: c", 0 },
	/* Kinds and payloads. */
	{ KIND("a", "", "system.prompt", "{'text':'SYS'}")
		  KIND("b", "a", "turn.user", "{'text':'','content':'q'}")
			  KIND("c", "b", "turn.assistant",
			       "{'text':5,'content':[{'type':'text',"
			       "'text':'r'},{'type':'tool_use','name':'ls',"
			       "'input':{'p':1}}]}")
				  KIND("d", "c", "turn.tool_result",
				       "{'text':'t','content':'no'}"),
	  "a<- b<a c<b d<c",
	  "[User]: q|[Assistant]: r|[Assistant tool calls]: ls(p=1)|"
	  "[Tool result]: t",
	  0 },
	{ KIND("a", "", "turn.user", "{'x':'y'}")
		  KIND("b", "a", "turn.user", "null")
			  KIND("c", "b", "note", "{'text':'no'}")
				  LINE("d", ",'parentId':'c'")
					  KIND("e", "d", "branch_summary",
					       "{'summary':'S','text':'T'}"),
	  "a<- b<a c<b d<c e<d", "[Summary]: S", 0 },
	/* Compactions; system prompts stay. */
	{ SAYS("a", "") KIND("s", "a", "system.prompt", "{'text':'SYS'}")
		  SAYS("b", "s") COMPACTION("k", "b", "s") SAYS("c", "k"),
	  "a<- s<a b<s k<b c<k", "[Summary]: k|[User]: b|[User]: c", 0 },
	{ SAYS("a", "") COMPACTION("k", "a", "a") SAYS("b", "k")
		  COMPACTION("l", "b", "zz") SAYS("c", "l"),
	  "a<- k<a b<k l<b c<l", "[Summary]: l|[User]: c", 0 },
};

static void check_reading(void)
{
	for (size_t i = 0; i < COUNT(readings); i++) {
		struct buf text = { 0 };
		test_row = readings[i].lines;
		struct session *s = open_with(readings[i].lines, NULL);
		dialect_check_tree(s, readings[i].tree);
		CHECK_INT(session_head(s), INDEX_NONE);
		dialect_add_text(s, s->now.index.n - 1, &text);
		CHECK_BUF(&text, readings[i].text);
		CHECK_INT(s->now.problems.of[PROBLEM_JSON].n, readings[i].bad);
		dialect_ask_all(s);
		test_close(s);
		buf_free(&text);
	}
	test_row = NULL;
}

static void check_problems(void)
{
	struct session *s = open_with(
		SAYS("a", "") "{bad\n{'id':'x','ts':'no'}\nnull\n{}\n" SAYS(
			"o", "zz") SAYS("a", "") SAYS("x", "y") SAYS("y", "x")
			SAYS("own", "own") "{'id':'torn",
		NULL);
	dialect_check_problems(
		s, "bad-lines: 2 (lines 2-3)\nlines-without-id: 2 (lines 4-5)\n"
		   "duplicate-ids: 1 (line 7)\nmissing-parents: 1 (line 6)\n"
		   "cycles: 2 (lines 8, 10)\ntorn-last-line: 1 (line 11)\n");
	test_close(s);
}

static void check_json(void)
{
	struct session *s = open_with(
		KIND("a", "", "system.prompt", "{'text':'SYS'}") KIND(
			"b", "a", "turn.user", "{'text':'q'}")
			LINE("c", ",'parentId':'b','kind':"
				  "'turn.assistant','payload':"
				  "{'content':[{'type':'text','text':"
				  "'r'}]}") "{'id':'d','parentId':'c','kind':"
					    "'turn.tool_result','payload':"
					    "{'text':'t'}}\n" KIND(
						    "e", "d", "branch_summary",
						    "{'summary':'S'}"),
		NULL);
	dialect_check_json(
		s, "e",
		"[\n{'role':'system','content':[{'type':'text','text':'SYS'}],"
		"'timestamp':1777593601500},\n"
		"{'role':'user','content':[{'type':'text','text':'q'}],"
		"'timestamp':1777593601500},\n"
		"{'role':'assistant','content':[{'type':'text','text':'r'}],"
		"'timestamp':1777593601500},\n"
		"{'role':'toolResult','content':[{'type':'text','text':'t'}]},"
		"\n{'role':'user','content':[{'type':'text','text':'S'}],"
		"'timestamp':1777593601500}\n]\n");
	dialect_check_json(s, "-", "[]\n");
	test_close(s);
}

static void check_shown(void)
{
	struct session *s = open_with(
		SAYS("a", "") LINE("b", ",'PARENTID':'a','KIND':'turn.user',"
					"'Payload':{'text':'two'}")
			KIND("k", "b", "compaction",
			     "{'firstKeptEntryId':'a','tokensBefore':"
			     "9,'tokensAfter':3,'model':'m'}")
				KIND("l", "k", "custom.label",
				     "{'targetId':'a','label':'x'}"),
		NULL);
	dialect_check_meta(s, "b",
			   "id: b\nparent: a\ntype: turn.user\n"
			   "timestamp: 2026-05-01T00:00:01.500Z\nline: 2\n"
			   "role: user\n");
	dialect_check_meta(s, "k",
			   "id: k\nparent: b\ntype: compaction\n"
			   "timestamp: 2026-05-01T00:00:01.500Z\nline: 3\n"
			   "model: m\nfirst-kept: a\ntokens-before: 9\n"
			   "tokens-after: 3\n");
	dialect_check_content(s, "b", "two\n");
	dialect_check_content(s, "l",
			      "{\n  \"payload\": {\n    \"targetId\": \"a\",\n"
			      "    \"label\": \"x\"\n  }\n}\n");
	CHECK_SPAN(session_label(s, test_find(s, "a")), SPAN("x"));
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

static void check_branch(void)
{
	struct buf got = { 0 };
	struct session *s = open_with(
		SAYS("b", "a") " " SAYS("a", "") SAYS("x", "a")
			KIND("k", "b", "compaction", "{'summary' : 1.50}"),
		NULL);
	CHECK_INT(s->dialect->sending->branch(s, test_find(s, "k"), 1, &got),
		  0);
	struct buf want = test_quoted(" " SAYS("a", "") SAYS("b", "a") KIND(
		"k", "b", "compaction", "{'summary' : 1.50}"));
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	test_close(s);
	buf_free(&got);
	buf_free(&want);
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
	check_times();
	check_decoding();
	check_detection();
	check_sidecar();
	check_reading();
	check_problems();
	check_json();
	check_shown();
	check_move();
	check_labels();
	check_branch();
	check_many();
	return test_done("go_tree");
}
