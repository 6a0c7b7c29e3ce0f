#include "core/show/context.h"

#include "tests/unit/test.h"

/* Tool results are whole, and long paths cost no stack. */
static void check_long(void)
{
	struct buf b = { 0 };
	struct buf want = { 0 };
	buf_adds(&b, HEADER MESSAGE("n0", "null", "toolResult",
				    ",'content':[{'type':'text','text':'"));
	b.len -= strlen("}}\n");
	buf_fill(&b, 'x', 300000);
	buf_adds(&b, "'}]}}\n");
	buf_adds(&want, "[Tool result]: ");
	buf_fill(&want, 'x', 300000);
	for (int i = 1; i < 5000; i++) {
		buf_addf(&b, USER("n%d", "'n%d'", "%d"), i, i - 1, i);
		buf_addf(&want, "\n\n[User]: %d", i);
	}
	buf_adds(&want, "\n");
	struct session *s = test_session(buf_cstr(&b));
	struct buf got = { 0 };
	CHECK_INT(context_add(s, session_at_leaf(s), MESSAGE_FORM_TEXT, &got),
		  0);
	CHECK(span_eq(buf_span(&got), buf_span(&want)));
	test_close(s);
	buf_free(&b);
	buf_free(&want);
	buf_free(&got);
}

int main(void)
{
	check_long();
	return test_done("context");
}
