/*
 * Claude Code's contexts for other agents: what large ones come to. Their rules
 * are cases of the corpus.
 */
#include "core/as/conversation.h"
#include "core/as/form.h"
#include "core/dialects/claude/attachment.h"
#include "core/dialects/claude/claude.h"
#include "tests/unit/dialect_test.h"

#define SESSION "5e55f500-0000-4000-8000-000000000001"
#define LINE(type, id, parent, second, more)                                  \
	"{'type':'" type "','uuid':'" id "','parentUuid':" parent             \
	",'isSidechain':false,'sessionId':'" SESSION "','timestamp':'2026-03" \
	"-01T10:00:" second ".000Z'" more "}\n"
#define SAID(id, parent, content) \
	LINE("user", id, parent, "01", ",'message':{'content':" content "}")
#define PNG "iVBORw0KGgo="
#define PICTURE                                                             \
	"{'type':'image','source':{'type':'base64','media_type':'image/png" \
	"','data':'" PNG "'}}"

/* What a form has, without the array around it and without newlines. */
static void add_form(const struct session *s, const char *form, struct buf *out)
{
	unsigned number = 0;
	struct buf whole = { 0 };
	CHECK_INT(as_form_find(&dialect_registry, span_of(form), &number), 0);
	CHECK_INT(as_form_add(s, number, session_at_leaf(s), 1, &whole), 0);
	for (size_t i = 0; i < whole.len; i++) {
		if (whole.data[i] != '\n')
			buf_addc(out, whole.data[i]);
	}
	buf_free(&whole);
}

/* Of too many pictures the oldest are left out, and all is taken once. */
TEST(check_media)
{
	struct buf lines = { 0 };
	struct buf got = { 0 };
	buf_adds(&lines, SAID("a", "null", "["));
	lines.len -= strlen("}}\n");
	for (int i = 0; i < 101; i++)
		buf_addf(&lines, "%s%s", i > 0 ? "," : "", PICTURE);
	buf_adds(&lines, "]}}\n" SAID("b", "'a'", "'go'"));
	struct session *s = dialect_session("claude", buf_cstr(&lines));
	add_form(s, "anthropic.json", &got);
	size_t pictures = 0;
	size_t texts = 0;
	for (size_t i = 0; i < got.len; i++) {
		const struct span rest = { got.data + i, got.len - i };
		pictures += span_starts(rest, SPAN("\"image\""));
		texts += span_starts(rest, SPAN("\"go\""));
	}
	CHECK_INT(pictures, 80);
	CHECK_INT(texts, 1);
	buf_free(&lines);
	buf_free(&got);
	session_leave(s);
	session_free(s);
}

/* A megabyte of tags takes a moment. */
TEST(check_cost)
{
	static const char *const parts[] = { CLAUDE_OPEN_TAG "\n",
					     CLAUDE_CLOSE_TAG "\n",
					     CLAUDE_OPEN_TAG
					     "\nx\n" CLAUDE_CLOSE_TAG "\n" };
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct buf text = { 0 };
		while (text.len < 1000000)
			buf_adds(&text, parts[i]);
		struct span rest = buf_span(&text);
		CHECK_INT(claude_cut_reminders(&rest), i == 2);
		CHECK_INT(rest.n, i == 2 ? 0 : text.len);
		buf_free(&text);
	}
}

RUN_TESTS("claude_as")
