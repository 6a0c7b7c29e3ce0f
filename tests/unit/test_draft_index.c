/* How sessions grow, and what large ones cost; their rules are in the corpus.
 */
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
	check_many();
	return test_done("draft_index");
}
