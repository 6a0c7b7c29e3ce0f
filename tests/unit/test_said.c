/*
 * What counts as said or done in each format: not the prompts of the system,
 * notes of the environment, skills and attachments.
 */
#include "core/show/rows.h"
#include "tests/unit/test.h"

#define PI(rest) "{'type':'message','id':'a','message':{" rest "}}"
#define CUSTOM(rest) "{'type':'custom_message','id':'a'," rest "}"
#define CLAUDE(rest) "{'uuid':'a'," rest "}"
#define PERSON(text) \
	"'type':'user','message':{'role':'user','content':'" text "'}"
#define CODEX(rest) "{'type':'response_item','payload':{" rest "}}"
#define SAYS(role, text)                                                  \
	CODEX("'type':'message','role':'" role "','content':[{'type':'in" \
	      "put_text','text':'" text "'}]")
#define REMINDER "<system-reminder>\\nx\\n</system-reminder>"
#define SKILL "<skill name=\\'x\\' location=\\'y\\'>\\nx\\n</skill>"

static const struct {
	const char *dialect;
	const char *line; /* ' for " */
	bool said;
} rows[] = {
	{ "pi", PI("'role':'user','content':'x'"), true },
	{ "pi", PI("'role':'assistant','content':[]"), true },
	{ "pi", PI("'role':'toolResult','content':[]"), true },
	{ "pi", PI("'role':'bashExecution','command':'x'"), true },
	{ "pi", PI("'role':'system','content':'x'"), false },
	{ "pi", PI("'role':'user','content':'" SKILL "'"), false },
	{ "pi", PI("'role':'user','content':'" SKILL "\\n\\nx'"), true },
	{ "pi", PI("'role':'user','content':'" SKILL "\\n\\nx </skill>'"),
	  true },
	{ "pi", PI("'role':'user','content':'" SKILL " \\n'"), false },
	{ "pi", CUSTOM("'content':'x','display':true"), true },
	{ "pi", CUSTOM("'content':'x','display':false"), false },
	{ "pi", "{'type':'compaction','summary':'x'}", true },
	{ "pi", "{'type':'custom','customType':'x','data':{}}", false },
	{ "pi", "{'type':'usage','usage':{}}", false },
	{ "pi", "{'type':'model_change','modelId':'x'}", true },
	{ "draft-uuid", PI("'role':'system','content':'x'"), false },
	{ "draft-uuid", PI("'role':'user','content':'x'"), true },

	{ "omp", PI("'role':'user','content':'x'"), true },
	{ "omp", PI("'role':'user','attribution':'agent','content':'x'"),
	  true },
	{ "omp", PI("'role':'user','synthetic':true,'content':'x'"), false },
	{ "omp", PI("'role':'developer','content':'x'"), false },
	{ "omp", PI("'role':'fileMention','files':[]"), false },
	{ "omp", CUSTOM("'customType':'skill-prompt','content':'x'"), false },
	{ "omp", CUSTOM("'customType':'x','content':'x'"), true },
	{ "omp", "{'type':'custom','customType':'session_exit'}", false },
	{ "omp", "{'type':'custom','customType':'tool_execution_start'}",
	  false },
	{ "omp", "{'type':'mode_change','mode':'plan'}", false },
	{ "omp", "{'type':'session_init','systemPrompt':'x'}", false },
	{ "omp", "{'type':'model_change','model':'x'}", true },

	{ "claude", CLAUDE(PERSON("x")), true },
	{ "claude", CLAUDE(PERSON("<command-name>/x</command-name>")), true },
	{ "claude", CLAUDE("'isMeta':true," PERSON("x")), false },
	{ "claude", CLAUDE(PERSON(REMINDER)), false },
	{ "claude", CLAUDE(PERSON(REMINDER "x")), true },
	{ "claude",
	  CLAUDE("'type':'user','message':{'role':'user','content':[{'type'"
		 ":'text','text':'" REMINDER "'},{'type':'text','text':'x'}]}"),
	  true },
	{ "claude", CLAUDE("'type':'assistant','message':{}"), true },
	{ "claude", CLAUDE("'type':'system','subtype':'turn_duration'"),
	  false },
	{ "claude", CLAUDE("'type':'system','subtype':'local_command'"), true },
	{ "claude", CLAUDE("'type':'attachment','attachment':{'type':'file'}"),
	  false },
	{ "claude",
	  CLAUDE("'type':'attachment','attachment':{'type':'queued_command',"
		 "'prompt':'x'}"),
	  true },

	{ "codex", SAYS("user", "x"), true },
	{ "codex", SAYS("assistant", "x"), true },
	{ "codex", SAYS("developer", "x"), false },
	{ "codex", SAYS("user", "<environment_context>x</environment_context>"),
	  false },
	{ "codex", SAYS("user", "<skill>x</skill>"), false },
	{ "codex", SAYS("user", "<skill>x</skill> and I"), true },
	{ "codex", SAYS("user", "<user_shell_command>x</user_shell_command>"),
	  true },
	{ "codex",
	  CODEX("'type':'message','role':'user','content':[{'type':'input_"
		"text','text':'<skill>x</skill>'},{'type':'input_text',"
		"'text':'x'}]"),
	  true },
	{ "codex", CODEX("'type':'function_call_output','output':'x'"), true },
	{ "codex", "{'type':'turn_context','payload':{'model':'x'}}", false },

	{ "go-tree", "{'id':'a','kind':'turn.user'}", true },
	{ "go-tree", "{'id':'a','kind':'system.prompt'}", false },
	{ "lines", "{'role':'system','content':'x'}", false },
	{ "lines", "{'x':1}", true },
};

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct dialect *d =
			dialect_named(span_of(rows[i].dialect));
		struct buf line = test_quoted(rows[i].line);
		struct json json = { 0 };
		test_row = rows[i].line;
		CHECK_INT(json_check(buf_span(&line), &json), 0);
		CHECK_INT(rows_is_said(d->showing, json), rows[i].said);
		buf_free(&line);
	}
	return test_done("said");
}
