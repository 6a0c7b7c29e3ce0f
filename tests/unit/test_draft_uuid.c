#include "tests/unit/dialect_test.h"

#include "core/dialects/pi/v1.h"

#define HEAD_LINE                                                           \
	"{'type':'session','version':2,'uuid':'s','parentUuid':null,'id':'" \
	"abc','cwd':'/work/demo'}\n"
#define LINE(type, uuid, parent, rest)                                        \
	"{'type':'" type "','uuid':'" uuid "','parentUuid':'" parent "'" rest \
	"}\n"
#define SAYS(uuid, parent)            \
	LINE("message", uuid, parent, \
	     ",'message':{'role':'user','content':'" uuid "'}")

/* A whole UUID, as text. */
static bool is_uuid(struct json v)
{
	bool ok = json_type(v) == JSON_STRING && v.raw.n == 38;
	for (size_t i = 1; ok && i < 37; i++)
		ok = strchr("0123456789abcdef-", v.raw.p[i]) != NULL;
	return ok;
}

static void check_head_lines(void)
{
	static const struct {
		const char *to;
		const char *parent; /* NULL: nothing is written */
		const char *head;
	} moves[] = {
		{ "b", NULL, "b" }, { "a", "a", "a" },	{ "a", NULL, "a" },
		{ "-", "s", "s" },  { "-", NULL, "s" }, { "s", NULL, "s" },
		{ "b", "b", "b" },
	};
	struct buf file = { 0 };
	struct session *s =
		dialect_session(NULL, HEAD_LINE SAYS("a", "s") SAYS("b", "a"));
	for (size_t i = 0; i < COUNT(moves); i++) {
		uint32_t lines = s->now.lines;
		CHECK_INT(dialect_move(s, moves[i].to), 0);
		CHECK_ID(s, session_head(s), moves[i].head);
		CHECK_INT(s->now.lines, lines + (moves[i].parent != NULL));
		if (!moves[i].parent)
			continue;
		struct json v = dialect_line("s.jsonl", s->now.lines, &file);
		dialect_check_keys(v, "type uuid parentUuid timestamp");
		CHECK(json_is(json_get(v, "type"), SPAN("head")));
		CHECK(is_uuid(json_get(v, "uuid")));
		CHECK(json_is(json_get(v, "parentUuid"),
			      span_of(moves[i].parent)));
		CHECK(dialect_is_now(json_get(v, "timestamp")));
	}
	test_close(s);
	buf_free(&file);
}

static void check_label_lines(void)
{
	struct buf file = { 0 };
	struct session *s =
		dialect_session(NULL, HEAD_LINE SAYS("a", "s") SAYS("b", "a"));
	CHECK_INT(dialect_label(s, "a", "one"), 0);
	CHECK_INT(dialect_label(s, "a", "one"), 0);
	CHECK_INT(s->now.lines, 4);
	CHECK_SPAN(session_label(s, 1), SPAN("one"));
	CHECK_ID(s, session_head(s), "b");
	struct json v = dialect_line("s.jsonl", 4, &file);
	dialect_check_keys(v,
			   "type uuid parentUuid timestamp targetUuid label");
	CHECK(json_is(json_get(v, "parentUuid"), SPAN("b")));
	CHECK(json_is(json_get(v, "targetUuid"), SPAN("a")));
	CHECK(json_is(json_get(v, "label"), SPAN("one")));

	/* The next one hangs on this one, and clears by saying nothing. */
	CHECK_INT(dialect_label(s, "a", ""), 0);
	v = dialect_line("s.jsonl", 5, &file);
	dialect_check_keys(v, "type uuid parentUuid timestamp targetUuid");
	CHECK(json_is(json_get(v, "parentUuid"), test_id(s, 3)));
	CHECK_SPAN(session_label(s, 1), SPAN(""));
	test_close(s);
	buf_free(&file);
}

/* Without a header that comes first the owner's agent opens nothing. */
static void check_read_only(void)
{
	static const char *const files[] = {
		SAYS("a", "s"),
		SAYS("a", "s") HEAD_LINE,
		"5\n" HEAD_LINE SAYS("a", "s"),
	};
	for (size_t i = 0; i < COUNT(files); i++) {
		struct session *s = dialect_session("draft-uuid", files[i]);
		CHECK_INT(dialect_move(s, "a"), -EROFS);
		CHECK_INT(dialect_label(s, "a", "x"), -EROFS);
		test_close(s);
	}
	struct session *s = dialect_session(
		NULL, HEAD_LINE SAYS("a", "b") SAYS("b", "a") SAYS("c", "s"));
	CHECK_INT(dialect_move(s, "b"), -ELOOP);
	test_close(s);
}

/* The linear form. */

#define V1 "{'type':'session','id':'v1','version':1,'cwd':'/w','x':1.50}\n"
#define V1_SAYS(text) \
	"{'type':'message','message':{'role':'user','content':'" text "'}}\n"

static const char linear[] = V1 V1_SAYS("one") "{bad\n\n" V1_SAYS(
	"two") "null\n7\n{'type':'custom','odd' : 1.50 "
	       ",'uuid':'u','parentUuid':'x'}\n"
	       "{'type':'compaction','summary':'S','firstKeptEntryIndex':2}\n"
	       "{'type':'message','firstKeptEntryIndex':1,'message':"
	       "{'role':'user','content':'three'}}\n";

static void check_linear(void)
{
	struct buf a = { 0 };
	struct buf b = { 0 };
	struct session *s = dialect_session("draft-uuid", linear);
	CHECK(s->now.linear);
	CHECK_INT(s->now.index.n, 6);
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		CHECK_INT(session_entry(s, i)->parent, i ? i - 1 : INDEX_NONE);
		CHECK_INT(index_id(&s->now.index, i).n, 8);
	}
	dialect_add_text(s, s->now.leaf, &a);
	CHECK_SPAN(buf_span(&a),
		   SPAN("[Summary]: S|[User]: two|[User]: three"));
	buf_clear(&a);
	dialect_add_tree(s, &a);
	test_close(s);
	s = dialect_session("draft-uuid", linear);
	dialect_add_tree(s, &b);
	CHECK_SPAN(buf_span(&b), buf_span(&a));

	/* A branch has the ids too. */
	CHECK_INT(s->dialect->sending->branch(s, 5, 1, &b), 0);
	dialect_ask_all(s);
	test_put(test_path("b.jsonl"), O_TRUNC,
		 (struct span){ b.data + a.len, b.len - a.len });
	struct session *branch = dialect_open("b.jsonl", NULL);
	buf_clear(&b);
	dialect_add_tree(branch, &b);
	CHECK_SPAN(buf_span(&b), buf_span(&a));
	buf_clear(&b);
	dialect_add_text(branch, branch->now.leaf, &b);
	CHECK_BUF(&b, "[Summary]: S|[User]: two|[User]: three");
	test_close(branch);
	test_close(s);
	buf_free(&a);
	buf_free(&b);
}

static void check_migrated_lines(const struct session *s)
{
	struct buf file = { 0 };
	struct json v = dialect_line("s.jsonl", 1, &file);
	dialect_check_keys(v, "type id version cwd x uuid parentUuid");
	CHECK_SPAN(json_get(v, "version").raw, SPAN("2"));
	CHECK_SPAN(json_get(v, "x").raw, SPAN("1.50"));
	CHECK_SPAN(json_get(v, "parentUuid").raw, SPAN("null"));
	v = dialect_line("s.jsonl", 8, &file);
	dialect_check_keys(v, "type odd uuid parentUuid");
	CHECK(json_is(json_get(v, "uuid"), test_id(s, 3)));
	CHECK(json_is(json_get(v, "parentUuid"), test_id(s, 2)));
	v = dialect_line("s.jsonl", 9, &file);
	dialect_check_keys(v,
			   "type summary uuid parentUuid firstKeptEntryUuid");
	CHECK(json_is(json_get(v, "firstKeptEntryUuid"), test_id(s, 2)));
	/* Only compactions have anchors. */
	v = dialect_line("s.jsonl", 10, &file);
	CHECK_SPAN(json_get(v, "firstKeptEntryIndex").raw, SPAN("1"));
	CHECK(memmem(file.data, file.len, "}\n{bad\n\n{", 9) != NULL);
	CHECK(memmem(file.data, file.len, "\nnull\n7\n{", 9) != NULL);
	buf_free(&file);
}

static void check_migration(void)
{
	struct buf before = { 0 };
	struct buf after = { 0 };
	struct session *s = dialect_session("draft-uuid", linear);
	uint32_t epoch = s->epoch;
	test_read(test_path("s.jsonl"), &before);
	struct buf tree = { 0 };
	dialect_add_tree(s, &tree);
	struct buf first = { 0 };
	buf_add(&first, test_id(s, 1));
	CHECK_INT(dialect_move(s, buf_cstr(&first)), 0);
	CHECK_INT(s->epoch, epoch);
	CHECK(!s->now.linear);
	CHECK_INT(s->now.index.n, 7);
	CHECK_INT(session_head(s), 1);
	CHECK_SPAN(buf_span(test_read(test_path("s.jsonl.v1.bak"), &after)),
		   buf_span(&before));
	check_migrated_lines(s);

	struct session *fresh = dialect_open("s.jsonl", NULL);
	buf_clear(&after);
	dialect_add_tree(fresh, &after);
	CHECK(span_starts(buf_span(&after), buf_span(&tree)));
	buf_clear(&after);
	dialect_add_text(fresh, 5, &after);
	CHECK_BUF(&after, "[Summary]: S|[User]: two|[User]: three");
	test_close(fresh);
	test_close(s);
	buf_free(&before);
	buf_free(&after);
	buf_free(&tree);
	buf_free(&first);
}

/* A tree whose header only lacks its version keeps its lines. */
static void check_version_rises(void)
{
	struct buf file = { 0 };
	unlink(test_path("s.jsonl.v1.bak"));
	struct session *s = dialect_session(
		"draft-uuid",
		"\xEF\xBB\xBF{'type':'session','uuid':'s','id':'i'}\n"
		"{bad\n" SAYS("a", "s") "  [1]\n" SAYS("b", "s")
			SAYS("a", "b"));
	CHECK(!s->now.linear);
	dialect_check_tree(s, "s<- a<b b<s");
	CHECK_INT(dialect_label(s, "b", "x"), 0);
	CHECK_SPAN(session_label(s, test_find(s, "b")), SPAN("x"));
	CHECK_INT(s->now.version, 2);
	test_read(test_path("s.jsonl"), &file);
	struct buf want =
		test_quoted("{'type':'session','uuid':'s','id':'i','version':2}"
			    "\n{bad\n" SAYS("a", "s") "[1]\n" SAYS("b", "s")
				    SAYS("a", "b") "{'type':'label',");
	CHECK(span_starts(buf_span(&file), buf_span(&want)));
	CHECK_INT(access(test_path("s.jsonl.v1.bak"), F_OK), 0);
	test_close(s);
	buf_free(&file);
	buf_free(&want);
}

/* Many entries in the shapes that could cost their square. */
static void check_many(void)
{
	enum { MANY = 100000 };
	static const char *const shapes[] = { "chain", "backwards", "orphans",
					      "cycle", "compactions" };
	for (size_t shape = 0; shape < COUNT(shapes); shape++) {
		struct buf b = test_quoted(HEAD_LINE);
		test_row = shapes[shape];
		for (int i = 0; i < MANY; i++) {
			int parent = shape == 1	  ? i + 1
				     : shape == 2 ? -i - 1
				     : shape == 3 ? (i + 1) % MANY
						  : i - 1;
			buf_addf(&b,
				 "{\"type\":\"%s\",\"uuid\":\"%d\","
				 "\"parentUuid\":\"%d\",\"summary\":\"%d\","
				 "\"firstKeptEntryUuid\":\"%d\"}\n",
				 shape == 4 ? "compaction" : "stack_summary", i,
				 parent, i, i / 2);
		}
		test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
		struct session *s = dialect_open("s.jsonl", NULL);
		CHECK_INT(s->now.index.n, MANY + 1);
		buf_clear(&b);
		CHECK_INT(context_add(s, MANY, MESSAGE_FORM_TEXT, &b), 0);
		CHECK_INT(s->dialect->sending->branch(s, MANY, 1, &b), 0);
		CHECK_INT(info_add(s, &b), 0);
		test_close(s);
		buf_free(&b);
	}
	test_row = NULL;
}

/* A long header is not read again for each line after it. */
static void check_long_header(void)
{
	enum { MANY = 20000, LONG = 4 << 20 };
	struct buf b = test_quoted("{'type':'session','id':'i','x':'");
	buf_fill(&b, 'x', LONG);
	buf_adds(&b, "\"}\n");
	for (int i = 0; i < MANY; i++)
		buf_adds(&b, "{\"type\":\"message\"}\n");
	test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
	buf_free(&b);
	struct timespec before;
	struct timespec after;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	struct session *s = dialect_open("s.jsonl", "draft-uuid");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	CHECK_INT(s->now.index.n, MANY + 1);
	CHECK(after.tv_sec - before.tv_sec < 5);
	test_close(s);
}

int main(void)
{
	check_head_lines();
	check_label_lines();
	check_read_only();
	check_linear();
	check_migration();
	check_version_rises();
	check_many();
	check_long_header();
	return test_done("draft_uuid");
}
