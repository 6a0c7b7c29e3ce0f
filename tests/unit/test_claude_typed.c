/* What of a user's text a person typed. */
#include "core/dialects/claude/claude.h"

#include "tests/unit/tables.h"

TABLE(check_row, "claude_typed")
{
	static const char *const names[] = { [TYPED_NOTHING] = "nothing",
					     [TYPED_WORDS] = "words",
					     [TYPED_COMMAND] = "command",
					     [TYPED_TAGGED] = "tagged" };
	enum typed typed = claude_typed(made, row_field(r, 0));
	CHECK_SPAN(span_of(names[typed]), row_field(r, 1));
}

/* None takes a time that grows with the square of the text. */
TEST(check_long)
{
	static const char *const parts[] = {
		"<tick></tick>\n",
		"</tick>",
		"<tick>",
		"<pasted_content id=\"0a1b\">\n",
		"<pasted_content id=\"0a1b\">\n</pasted_content id=\"0a1c\">",
		"\n<tick></tick>",
	};
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct buf text = { 0 };
		struct buf out = { 0 };
		buf_adds(&text, "<ide_selection>");
		while (text.len < (size_t)4 << 20)
			buf_adds(&text, parts[i]);
		(void)claude_typed(&out, buf_span(&text));
		CHECK(out.len > 0);
		buf_free(&text);
		buf_free(&out);
	}
}

RUN_TESTS("claude_typed")
