/* What of a user's text a person typed. */
#include "core/dialects/claude/claude.h"

#include "tests/unit/test.h"

#define TAG(name, inner) "<" name ">" inner "</" name ">"
#define OPENED TAG("ide_opened_file", "The user opened /w/a.c in the IDE.")
#define COMMAND(name) \
	TAG("command-name", name) "\n" TAG("command-message", "m") "\n"
#define REMINDER TAG("system-reminder", "\nRemember.\n")
#define PASTED(id, text)                                                      \
	"<pasted_content id=\"" id "\">\n" text "\n</pasted_content id=\"" id \
	"\">"

static const struct {
	const char *text;
	enum typed typed;
	const char *want;
} rows[] = {
	{ "why is it blue", TYPED_WORDS, "why is it blue" },
	{ " two\nlines ", TYPED_WORDS, "two\nlines" },
	/* What editors, hooks and the agent say before and after. */
	{ OPENED, TYPED_NOTHING,
	  "[ide_opened_file] The user opened /w/a.c in the IDE." },
	{ OPENED "why", TYPED_WORDS, "why" },
	{ OPENED "\n" TAG("ide_selection", "int a;\n") "\n\nwhy", TYPED_WORDS,
	  "why" },
	{ TAG("ide_diagnostics", "[]") " why", TYPED_WORDS, "why" },
	{ TAG("ide_of_later", "[]") " why", TYPED_WORDS, "why" },
	{ TAG("session-start-hook", "x") "why", TYPED_WORDS, "why" },
	{ "why\n" TAG("user-prompt-submit-hook", "x\n") "\n", TYPED_WORDS,
	  "why" },
	{ REMINDER "\nwhy\n\n" REMINDER "\n" REMINDER, TYPED_WORDS, "why" },
	{ REMINDER "\n" REMINDER, TYPED_NOTHING,
	  "[system-reminder] Remember." },
	{ "<system-reminder id=\"1f\">\nx\n</system-reminder id=\"1f\">\nwhy",
	  TYPED_WORDS, "why" },
	{ "<tick/>why", TYPED_WORDS, "why" },
	{ TAG("tick", "") TAG("tick", "10:00"), TYPED_NOTHING, "[tick] 10:00" },
	{ TAG("tick", ""), TYPED_NOTHING, TAG("tick", "") },
	/* In the middle, and where none ends, a person speaks of it. */
	{ "what is " REMINDER " for", TYPED_WORDS, "what is " REMINDER " for" },
	{ "what is " TAG("terminal", "x"), TYPED_WORDS,
	  "what is " TAG("terminal", "x") },
	{ "why\n" TAG("div", "x"), TYPED_WORDS, "why\n" TAG("div", "x") },
	{ "a </tick>", TYPED_WORDS, "a </tick>" },
	{ "</tick>", TYPED_WORDS, "</tick>" },
	{ "a\n<tickle></tick>", TYPED_WORDS, "a\n<tickle></tick>" },
	{ "<ide_selection> is shown, why", TYPED_TAGGED,
	  "<ide_selection> is shown, why" },
	{ "<ide_selection", TYPED_WORDS, "<ide_selection" },
	/* Tags that nobody knows may be the agent's. */
	{ TAG("div", "x") " why", TYPED_TAGGED, TAG("div", "x") " why" },
	{ OPENED "<a href=''>", TYPED_TAGGED, "<a href=''>" },
	{ "<br/> why", TYPED_WORDS, "<br/> why" },
	{ "<T> of C++", TYPED_WORDS, "<T> of C++" },
	{ "<3", TYPED_WORDS, "<3" },
	{ "<", TYPED_WORDS, "<" },
	{ "", TYPED_NOTHING, "" },
	{ " \n", TYPED_NOTHING, "" },
	/* Commands. */
	{ COMMAND("/clear") TAG("command-args", ""), TYPED_COMMAND, "/clear" },
	{ COMMAND("/review") TAG("command-args", " the\nparser "),
	  TYPED_COMMAND, "/review the\nparser" },
	{ TAG("command-message", "x is running") "\n" TAG("command-name", "x"),
	  TYPED_COMMAND, "/x" },
	{ TAG("command-args", "a") COMMAND("/x") "and this", TYPED_COMMAND,
	  "/x a\nand this" },
	{ COMMAND("") "words", TYPED_WORDS, "words" },
	{ TAG("bash-input", " ls -l\n"), TYPED_WORDS, "! ls -l" },
	{ TAG("bash-input", "ls") "\n" TAG("bash-stdout", "a")
		  TAG("bash-stderr", ""),
	  TYPED_WORDS, "! ls" },
	{ TAG("bash-stdout", "a.c") TAG("bash-stderr", ""), TYPED_NOTHING,
	  "[bash-stdout] a.c" },
	{ TAG("local-command-stdout", "Set."), TYPED_NOTHING,
	  "[local-command-stdout] Set." },
	/* What others say. */
	{ "<teammate-message teammate_id=\"lead\" color=\"red\">\ndo it\n"
	  "</teammate-message>",
	  TYPED_NOTHING, "[teammate-message] do it" },
	{ "<channel source=\"chat\">hello</channel>", TYPED_NOTHING,
	  "[channel] hello" },
	{ TAG("task-notification", TAG("task-id", "b1")), TYPED_NOTHING,
	  "[task-notification] " TAG("task-id", "b1") },
	/* What the agent says of itself. */
	{ "[Request interrupted by user]", TYPED_NOTHING,
	  "[Request interrupted by user]" },
	{ "[Request interrupted by user for tool use]\nno", TYPED_WORDS, "no" },
	{ "Caveat: The messages below were generated", TYPED_NOTHING,
	  "Caveat: The messages below were generated" },
	/* What was pasted. */
	{ "see\n\n" PASTED("0a1b", "a\nb") "\n\nwhy", TYPED_WORDS,
	  "see\n\n\na\nb\n\nwhy" },
	{ PASTED("0a1b", "a") PASTED("0a1c", "b"), TYPED_WORDS, "a\nb" },
	{ "<pasted_content id=\"0a1b\">\n</pasted_content id=\"0a1b\">x",
	  TYPED_WORDS, "x" },
	{ "see <pasted_content id=\"0a1b\">\na", TYPED_WORDS,
	  "see <pasted_content id=\"0a1b\">\na" },
	{ "see <pasted_content id=\"0a1b\">\na\n</pasted_content id=\"0a1c\">",
	  TYPED_WORDS,
	  "see <pasted_content id=\"0a1b\">\na\n</pasted_content "
	  "id=\"0a1c\">" },
	{ "see <pasted_content id=\"", TYPED_WORDS,
	  "see <pasted_content id=\"" },
};

/* None takes a time that grows with the square of the text. */
static void check_long(void)
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

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out = { 0 };
		test_row = rows[i].text;
		CHECK_INT(claude_typed(&out, span_of(rows[i].text)),
			  rows[i].typed);
		CHECK_SPAN(buf_span(&out), span_of(rows[i].want));
		buf_free(&out);
	}
	test_row = NULL;
	check_long();
	return test_done("claude_typed");
}
