#include "tests/unit/dialect_test.h"

#define HEAD_LINE "{'type':'session','id':'abc','parent':-1,'cwd':'/w'}\n"
#define LINE(type, parent, rest) \
	"{'type':'" type "','parent':" parent rest "}\n"
#define SAYS(parent, text)      \
	LINE("message", parent, \
	     ",'message':{'role':'user','content':'" text "'}")

/* Lines that come one by one get the places that they have all at once. */
static void check_appends(void)
{
	static const char *const lines[] = {
		SAYS("0", "a"), "{bad\n",	"null\n", SAYS("5", "late"),
		"7\n",		SAYS("1", "b"), "{}\n",	  SAYS("6", "c"),
	};
	struct session *s = dialect_session(NULL, HEAD_LINE);
	for (size_t i = 0; i < COUNT(lines); i++) {
		session_leave(s);
		test_append("s.jsonl", lines[i]);
		CHECK_INT(session_enter(s), 0);
	}
	dialect_check_tree(s, "0<- 1<0 4<- 6<1 8<6");
	/* A line that is whole but for its LF is an entry; a torn one waits. */
	session_leave(s);
	test_append("s.jsonl", "{'type':'message','parent':8}");
	CHECK_INT(session_enter(s), 0);
	CHECK_ID(s, session_head(s), "9");
	session_leave(s);
	test_append("s.jsonl", "\n{'type'");
	CHECK_INT(session_enter(s), 0);
	CHECK_ID(s, session_head(s), "9");
	session_leave(s);
	test_append("s.jsonl", ":'message','parent':9}\n");
	CHECK_INT(session_enter(s), 0);
	dialect_check_tree(s, "0<- 1<0 4<- 6<1 8<6 9<8 10<9");
	test_close(s);
}

/* The named heads, as name=position of where they are. */
static void check_heads(const struct session *s, const char *want)
{
	struct buf out = { 0 };
	const struct heads *h = &s->now.heads;
	for (uint32_t i = 0; i < h->n; i++) {
		buf_adds(&out, i > 0 ? " " : "");
		buf_add(&out, heads_name(h, &h->list[i]));
		buf_addc(&out, '=');
		buf_add(&out,
			test_id(s, session_entry(s, h->list[i].entry)->parent));
	}
	CHECK_BUF(&out, want);
	buf_free(&out);
}

static void check_named_heads(void)
{
	struct session *s = dialect_session(
		NULL,
		HEAD_LINE SAYS("0", "a") SAYS("1", "b")
			LINE("head", "2", ",'name':'main'")
				LINE("head", "1", ",'name':'try'")
					LINE("head", "0", ",'name':''")
						LINE("head", "0", ",'name':[1]")
							LINE("head", "0", ""));
	check_heads(s, "main=2 try=1");
	/* A move goes by the last name, whatever came first. */
	CHECK_INT(dialect_move(s, "2"), 0);
	check_heads(s, "main=2 try=2");
	session_leave(s);
	test_append("s.jsonl", LINE("head", "1", ",'name':'main'"));
	CHECK_INT(session_enter(s), 0);
	check_heads(s, "main=1 try=2");
	CHECK_INT(dialect_move(s, "2"), 0);
	check_heads(s, "main=2 try=2");
	test_close(s);
}

static void check_writing(void)
{
	struct buf before = { 0 };
	struct session *s = dialect_session(
		NULL, HEAD_LINE SAYS("0", "a") "{bad\n" SAYS("1", "b"));
	test_read(test_path("s.jsonl"), &before);
	CHECK_INT(dialect_move(s, "3"), 0);
	dialect_check_appended(&before, "");
	CHECK_INT(dialect_move(s, "1"), 0);
	CHECK_INT(dialect_move(s, "-"), 0);
	CHECK_ID(s, session_head(s), "0");
	CHECK_INT(dialect_move(s, "-"), 0);
	CHECK_INT(dialect_move(s, "0"), 0);
	CHECK_INT(dialect_label(s, "3", "x"), 0);
	CHECK_SPAN(session_label(s, test_find(s, "3")), SPAN("x"));
	CHECK_INT(dialect_label(s, "3", "x"), 0);
	CHECK_INT(dialect_label(s, "3", ""), 0);
	CHECK_SPAN(session_label(s, test_find(s, "3")), SPAN(""));
	CHECK_ID(s, session_head(s), "0");
	dialect_check_appended(
		&before, "{'type':'head','parent':1,'name':'main'}\n"
			 "{'type':'head','parent':0,'name':'main'}\n"
			 "{'type':'label','parent':5,'target':3,'label':'x'}\n"
			 "{'type':'label','parent':6,'target':3}\n");
	test_close(s);
	buf_free(&before);
}

/* The position of a line that is added counts the torn one before it. */
static void check_torn(void)
{
	struct session *s = dialect_session(
		NULL, HEAD_LINE SAYS("0", "a") SAYS("1", "b") "{'type':'mes");
	CHECK_INT(dialect_move(s, "1"), 0);
	CHECK_INT(dialect_label(s, "2", "x"), 0);
	dialect_check_tree(s, "0<- 1<0 2<1 4<1 5<4");
	CHECK_ID(s, session_head(s), "1");
	test_close(s);
}

/* In a branch labels come last, and name the new positions. */
static void check_labels(void)
{
	struct session *s = dialect_session(
		NULL,
		HEAD_LINE SAYS("0", "a")
			LINE("label", "1", ",'target':4,'label':'late'")
				LINE("label", "2", ",'target':'1','label':'no'")
					SAYS("3", "b") LINE("label", "4",
							    ",'target':1,"
							    "'label':'A',"
							    "'timestamp':"
							    "'2026-03-01T"
							    "10:00:03Z'"));
	struct buf file = { 0 };
	dialect_put_branch(s, "5");
	test_read(test_path("b.jsonl"), &file);
	const char *end = memchr(file.data, '\n', file.len);
	struct buf want = test_quoted(
		"\n" SAYS("0", "a") SAYS("1", "b")
			LINE("label", "2", ",'target':2,'label':'late'")
				LINE("label", "3",
				     ",'target':1,'label':'A','timestamp':"
				     "'2026-03-01T10:00:03Z'"));
	CHECK_SPAN(((struct span){ end, file.len - (size_t)(end - file.data) }),
		   buf_span(&want));
	test_close(s);
	buf_free(&file);
	buf_free(&want);
}

/* The linear form. */

static const char linear[] =
	"{'type':'session','id':'v1','cwd':'/w'}\n"
	"{'type':'message','message':{'role':'user','content':'one'}}\n"
	"{bad\n\n"
	"{'type':'message','parent':'x','message':{'role':'user',"
	"'content':'two'}}\n"
	"5\n"
	"{'type':'compaction','summary':'S','firstKeptEntryIndex':3}\n"
	"{'type':'message','message':{'role':'user','content':'three'}}";

static void check_linear(void)
{
	struct buf before = { 0 };
	struct buf file = { 0 };
	struct session *s = dialect_session("draft-index", linear);
	test_read(test_path("s.jsonl"), &before);
	dialect_check_tree(s, "0<- 1<0 3<1 5<3 6<5");
	dialect_check_text(s, "6", "[Summary]: S|[User]: two|[User]: three");
	dialect_ask_all(s);
	dialect_put_branch(s, "6");
	uint32_t epoch = s->epoch;
	CHECK_INT(dialect_move(s, "3"), 0);
	CHECK_INT(s->epoch, epoch);
	dialect_check_tree(s, "0<- 1<0 3<1 5<3 6<5 7<3");
	CHECK_SPAN(buf_span(test_read(test_path("s.jsonl.v1.bak"), &file)),
		   buf_span(&before));
	struct buf want = test_quoted(
		"{'type':'session','id':'v1','cwd':'/w','parent':-1}\n"
		"{'type':'message','message':{'role':'user','content':'one'},"
		"'parent':0}\n{bad\n\n"
		"{'type':'message','parent':1,'message':{'role':'user',"
		"'content':'two'}}\n5\n"
		"{'type':'compaction','summary':'S','firstKeptEntryIndex':3,"
		"'parent':3}\n"
		"{'type':'message','message':{'role':'user','content':"
		"'three'},'parent':5}\n"
		"{'type':'head','parent':3,'name':'main'}\n");
	CHECK_SPAN(buf_span(test_read(test_path("s.jsonl"), &file)),
		   buf_span(&want));
	test_close(s);

	/* Now it says itself what it is. */
	s = dialect_open("s.jsonl", NULL);
	CHECK_SPAN(span_of(s->dialect->name), SPAN("draft-index"));
	dialect_check_text(s, "6", "[Summary]: S|[User]: two|[User]: three");
	test_close(s);
	s = dialect_open("b.jsonl", NULL);
	dialect_check_tree(s, "0<- 1<0 2<1 3<2 4<3");
	dialect_check_text(s, "4", "[Summary]: S|[User]: two|[User]: three");
	test_close(s);
	buf_free(&before);
	buf_free(&file);
	buf_free(&want);
}

static void check_read_only(void)
{
	static const char *const files[] = { SAYS("-1", "a"),
					     (SAYS("-1", "a") HEAD_LINE),
					     ("null\n" HEAD_LINE) };
	for (size_t i = 0; i < COUNT(files); i++) {
		struct session *s = dialect_session("draft-index", files[i]);
		CHECK_INT(dialect_move(s, "0"), -EROFS);
		CHECK_INT(dialect_label(s, "0", "x"), -EROFS);
		test_close(s);
	}
	struct session *s = dialect_session(
		NULL, HEAD_LINE SAYS("2", "a") SAYS("1", "b") SAYS("0", "c"));
	CHECK_INT(dialect_move(s, "2"), -ELOOP);
	test_close(s);
	/* What is written would be the parent that an entry waits for. */
	s = dialect_session(NULL, HEAD_LINE SAYS("4", "a") SAYS("1", "b")
					  SAYS("0", "c"));
	CHECK_INT(dialect_move(s, "2"), -ELOOP);
	CHECK_INT(dialect_move(s, "1"), -ELOOP);
	CHECK_INT(dialect_label(s, "2", "x"), 0);
	dialect_check_tree(s, "0<- 1<4 2<1 3<0 4<3");
	test_close(s);
	s = dialect_session(NULL, HEAD_LINE SAYS("3", "a") SAYS("1", "b"));
	CHECK_INT(dialect_label(s, "0", "x"), -ELOOP);
	test_close(s);
}

/* Many entries in the shapes that could cost their square. */
static void check_many(void)
{
	enum { MANY = 100000 };
	static const char *const shapes[] = { "chain", "backwards", "orphans",
					      "cycle", "bad lines", "names" };
	for (size_t shape = 0; shape < COUNT(shapes); shape++) {
		struct buf b = test_quoted(HEAD_LINE);
		test_row = shapes[shape];
		for (int i = 1; i <= MANY; i++) {
			int parent = shape == 1	  ? i + 1
				     : shape == 2 ? -i - 1
				     : shape == 3 ? i % MANY + 1
				     : shape == 4 ? i - 2
						  : i - 1;
			if (shape == 4 && i % 2 == 1)
				buf_adds(&b, "{bad\n");
			else
				buf_addf(&b,
					 "{\"type\":\"%s\",\"parent\":%d,"
					 "\"name\":\"%d\",\"summary\":\"%d\"}"
					 "\n",
					 shape == 5 ? "head" : "stack_summary",
					 parent, i, i);
		}
		test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
		struct session *s = dialect_open("s.jsonl", NULL);
		CHECK_INT(s->now.index.n, shape == 4 ? MANY / 2 + 1 : MANY + 1);
		buf_clear(&b);
		CHECK_INT(context_add(s, s->now.leaf, MESSAGE_FORM_TEXT, &b),
			  0);
		CHECK_INT(s->dialect->sending->branch(s, s->now.leaf, 1, &b),
			  0);
		CHECK_INT(info_add(s, &b), 0);
		test_close(s);
		buf_free(&b);
	}
	test_row = NULL;
}

int main(void)
{
	check_appends();
	check_named_heads();
	check_writing();
	check_torn();
	check_labels();
	check_linear();
	check_read_only();
	check_many();
	return test_done("draft_index");
}
