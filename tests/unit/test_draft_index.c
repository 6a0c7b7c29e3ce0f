/* How sessions grow; their rules are in the corpus. */
#include "tests/unit/dialect_test.h"

#define HEAD_LINE "{'type':'session','id':'abc','parent':-1,'cwd':'/w'}\n"
#define LINE(type, parent, rest) \
	"{'type':'" type "','parent':" parent rest "}\n"
#define SAYS(parent, text)      \
	LINE("message", parent, \
	     ",'message':{'role':'user','content':'" text "'}")

/* Lines that come one by one get the places that they have all at once. */
TEST(check_appends)
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

RUN_TESTS("draft_index")
