/* What is shown and sent of attachments is in tests/corpus/claude. */
#include "core/dialects/claude/attachment.h"

#include "core/dialects/claude/claude.h"
#include "tests/unit/dialect_test.h"

/* A megabyte of each is a moment's work. */
int main(void)
{
	static const char *const parts[] = {
		"<", "< ", "</", "<system-reminder", "\\u0000", "{", "\\n"
	};
	struct claude_notes notes = { 0 };
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct json v;
		struct buf line = test_quoted("{'attachment':{'type':"
					      "'hook_success','hookEvent':"
					      "'SessionStart','content':'");
		while (line.len < 1000000)
			buf_adds(&line, parts[i]);
		buf_adds(&line, "\"}}");
		CHECK_INT(json_check(buf_span(&line), &v), 0);
		CHECK_INT(claude_attachment(v, &notes), 0);
		CHECK_INT(notes.n, 1);
		buf_free(&line);
	}
	claude_notes_free(&notes);
	return test_done("claude_attachment");
}
