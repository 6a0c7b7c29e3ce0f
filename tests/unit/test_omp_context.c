
#include "core/session/dialect.h"
#include "tests/unit/test.h"

/*
 * What contexts of oh-my-pi cost, and what a file that changes meanwhile does.
 * Their rules are cases of tests/corpus/omp. Sessions are marked by a title
 * slot; ' stands for ".
 */
#define SLOT "{'type':'title','v':1,'title':'T','updatedAt':'x','pad':''}\n"
#define OMP SLOT HEADER
#define TOOL(id) "{'type':'toolCall','id':" id ",'name':'t','arguments':{}}"
#define TURN(id, parent, content, rest) \
	MESSAGE(id, parent, "assistant", ",'content':[" content "]" rest)
#define RESULT(id, parent, call)                                    \
	MESSAGE(id, parent, "toolResult",                           \
		",'toolCallId':" call ",'content':[{'type':'text'," \
		"'text':'" id "'}]")
#define SAY(text) "{'type':'text','text':'" text "'}"
#define STOP(reason) ",'stopReason':'" reason "'"

/* 20,000 turns that failed, and as many results of seven calls. */
TEST(check_cost)
{
	struct buf text = { 0 };
	struct buf got = { 0 };
	buf_adds(&text, OMP USER("r0", "null", "q"));
	for (int i = 1; i <= 20000; i++)
		buf_addf(&text,
			 TURN("t%d", "'r%d'", SAY("x") "," TOOL("'%d'"),
			      STOP("error")) RESULT("r%d", "'t%d'", "'%d'"),
			 i, i - 1, i % 7, i, i, i % 7, i);
	struct session *s = test_session(buf_cstr(&text));
	CHECK_INT(context_add(s, s->now.leaf, MESSAGE_FORM_TEXT, &got), 0);
	CHECK_BUF(&got, "[User]: q\n");
	test_close(s);
	buf_free(&text);
	buf_free(&got);
}

/* A turn of n calls, in a line of 60,000 bytes. */
static struct buf long_turn(int n)
{
	struct buf calls = { 0 };
	struct buf line = { 0 };
	for (int i = 0; i < n; i++)
		buf_adds(&calls, TOOL("'1'") ",");
	buf_addf(&line, TURN("b", "'a'", "%s" TOOL("'2'"), ",'x':'%*s'"),
		 buf_cstr(&calls), 58000 - (int)calls.len, "");
	struct buf quoted = test_quoted(buf_cstr(&line));
	buf_free(&calls);
	buf_free(&line);
	return quoted;
}

#define BEFORE OMP TURN("a", "null", SAY("r"), "")

/* Printing a block changes the file: the next turn has more calls than ever. */
static struct block read_and_change(struct json v)
{
	struct buf line = long_turn(1000);
	int fd = open(test_path("s.jsonl"), O_WRONLY | O_CLOEXEC);
	test_need(pwrite(fd, line.data, line.len, strlen(BEFORE)) ==
			  (ssize_t)line.len,
		  "pwrite");
	close(fd);
	buf_free(&line);
	return block_read_pi(v);
}

/*
 * A turn has more calls when it is printed than it had when it was listed: it
 * is not the one that was read.
 */
TEST(check_changing)
{
	struct buf text = { 0 };
	struct buf got = { 0 };
	struct buf line = long_turn(1);
	struct path path;
	buf_adds(&text, BEFORE);
	buf_add(&text, buf_span(&line));
	buf_adds(&text, RESULT("c", "'b'", "'1'"));
	struct session *s = test_session(buf_cstr(&text));
	struct messages to = { .out = &got,
			       .form = MESSAGE_FORM_TEXT,
			       .read_block = read_and_change };
	CHECK_INT(path_load(&path, s, s->now.leaf), 0);
	CHECK_INT(s->dialect->sending->context(s, &path, &to), -ESTALE);
	path_free(&path);
	test_close(s);
	buf_free(&line);
	buf_free(&text);
	buf_free(&got);
}

RUN_TESTS("omp_context")
