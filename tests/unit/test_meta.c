#include "core/show/meta.h"

#include "tests/unit/test.h"

#define HEAD "id: a\ntype: "
#define TIME "\ntimestamp: 2026-03-01T10:00:01.000Z\nline: 2\n"

static const struct {
	const char *line;
	const char *text;
} rows[] = {
	{ USER("a", "null", "x"), HEAD "message" TIME "role: user\n" },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[{'type':'toolCall','name':'read'},"
		  "{'type':'text'},{'type':'toolCall','name':'ls'}],"
		  "'provider':'prov','model':'m','usage':{'input':1,"
		  "'totalTokens':12,'cost':{'total':0.0025}},"
		  "'stopReason':'toolUse'"),
	  HEAD "message" TIME "role: assistant\nmodel: prov/m\ntokens: 12\n"
	       "cost: 0.0025\nstop: toolUse\ntool: read, ls\n"
	       "path-tokens: 1\npath-cost: 0.0025\n" },
	/* Without a total, the sum. */
	{ MESSAGE("a", "null", "assistant",
		  ",'provider':'p','model':'m','usage':{'input':1,'output':2,"
		  "'cacheRead':3,'cacheWrite':4},'errorMessage':'no\\nway'"),
	  HEAD "message" TIME
	       "role: assistant\nmodel: p/m\ntokens: 10\nerror: no\\nway\n"
	       "path-tokens: 10\n" },
	{ MESSAGE("a", "null", "toolResult",
		  ",'toolName':'read','content':[],'isError':true"),
	  HEAD "message" TIME "role: toolResult\ntool: read\nerror: yes\n" },
	{ MESSAGE("a", "null", "toolResult", ",'toolName':'x','isError':false"),
	  HEAD "message" TIME "role: toolResult\ntool: x\n" },
	/* Stopped by the user, before it began or later. */
	{ MESSAGE("a", "null", "toolResult",
		  ",'toolName':'x','isError':true,'content':[{'type':'text',"
		  "'text':'Operation aborted'}]"),
	  HEAD "message" TIME
	       "role: toolResult\nstop: aborted\ntool: x\nerror: yes\n" },
	{ MESSAGE("a", "null", "toolResult",
		  ",'isError':false,'content':'Operation aborted'"),
	  HEAD "message" TIME "role: toolResult\n" },
	{ MESSAGE("a", "null", "toolResult",
		  ",'isError':true,'content':'Operation aborted: no'"),
	  HEAD "message" TIME "role: toolResult\nerror: yes\n" },
	{ MESSAGE("a", "null", "toolResult",
		  ",'isError':true,'content':[{'type':'text','text':'Operation "
		  "aborted'},{'type':'text','text':'more'}]"),
	  HEAD "message" TIME "role: toolResult\nerror: yes\n" },
	{ MESSAGE("a", "null", "user", ",'content':'Operation aborted'"),
	  HEAD "message" TIME "role: user\n" },
	/* The model that could not see its picture. */
	{ MESSAGE("a", "null", "toolResult",
		  ",'toolName':'read','content':[],'isError':false,"
		  "'details':{'imageUnsupportedByModel':'acme-1'}"),
	  HEAD "message" TIME
	       "role: toolResult\ntool: read\nunseen-by: acme-1\n" },
/* What the API has kept from the model. */
#define TOLD(api, list) \
	"{'type':'" api "_input_transformations','details':" list "}"
#define LOST(reason) \
	"{'type':'reasoning','id':'r','action':'removed'" reason "}"
#define MISMATCH LOST(",'reason':'prefix_mismatch'")
#define DIAGNOSED(list)                   \
	MESSAGE("a", "null", "assistant", \
		",'provider':'p','model':'m','diagnostics':" list)
	{ DIAGNOSED(
		  "[" TOLD("openai", "{'transformations':[" MISMATCH "]}") "]"),
	  HEAD "message" TIME
	       "role: assistant\nmodel: p/m\nwithheld: 1 (prefix_mismatch)\n" },
	{ DIAGNOSED("[{'type':'other'},5," TOLD(
		  "openai",
		  "{'transformations':[" MISMATCH "," MISMATCH
		  ",null,{'type':'text'}," LOST(",'reason':'model'") "," LOST(
			  "") "]}") "," TOLD("anthropic",
					     "{'transformations':[{'type':"
					     "'thinking_dropped'}," MISMATCH
					     "]}") "]"),
	  HEAD "message" TIME "role: assistant\nmodel: p/m\nwithheld: 5 "
	       "(prefix_mismatch, model)\n" },
	{ DIAGNOSED(
		  "[" TOLD("openai", "{'transformations':[" LOST("") "]}") "]"),
	  HEAD "message" TIME "role: assistant\nmodel: p/m\nwithheld: 1\n" },
	{ DIAGNOSED("[" TOLD("openai", "{'transformations':5}") "," TOLD(
		  "openai", "null") "]"),
	  HEAD "message" TIME "role: assistant\nmodel: p/m\n" },
	{ DIAGNOSED("'x'"),
	  HEAD "message" TIME "role: assistant\nmodel: p/m\n" },
	{ MESSAGE("a", "null", "bashExecution", ",'command':'make\\tall'"),
	  HEAD "message" TIME "role: bashExecution\ncommand: make\\tall\n" },
	{ ENTRY("model_change", "a", "null", ",'provider':'p','modelId':'m'"),
	  HEAD "model_change" TIME "model: p/m\n" },
	{ ENTRY("thinking_level_change", "a", "null", ",'thinkingLevel':'low'"),
	  HEAD "thinking_level_change" TIME "thinking: low\n" },
	{ ENTRY("label", "a", "null", ",'targetId':'b','label':'l'"),
	  HEAD "label" TIME "bookkeeping: yes\ntarget: b\n" },
	{ ENTRY("compaction", "a", "null",
		",'firstKeptEntryId':'b','tokensBefore':9,'summary':''"),
	  HEAD "compaction" TIME "first-kept: b\ntokens-before: 9\n" },
	{ ENTRY("branch_summary", "a", "null", ",'fromId':'b','summary':''"),
	  HEAD "branch_summary" TIME "from: b\n" },
	{ ENTRY("custom", "a", "null", ",'customType':'t\\u0000\\ud83d'"),
	  HEAD "custom" TIME "custom-type: t\\u0000\xEF\xBF\xBD\n" },
	/* An empty value is none, and the first that is not empty counts. */
	{ MESSAGE("a", "null", "custom", ",'customType':'inner'"),
	  HEAD "message" TIME "role: custom\ncustom-type: inner\n" },
	{ ENTRY("label", "a", "null",
		",'targetId':'','targetUuid':null,'target':'t'"),
	  HEAD "label" TIME "bookkeeping: yes\ntarget: t\n" },
	{ "{'id':'a'}\n", "id: a\nline: 2\n" },
	{ "{'id':'a','type':'x','timestamp':'never'}\n",
	  "id: a\ntype: x\nline: 2\n" },
};

int main(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf lines = { 0 };
		buf_adds(&lines, HEADER);
		buf_adds(&lines, rows[i].line);
		struct session *s = test_session(buf_cstr(&lines));
		test_row = rows[i].line;
		CHECK_INT(meta_add(s, 0, &b), 0);
		CHECK_BUF(&b, rows[i].text);
		test_close(s);
		buf_free(&lines);
	}
	test_row = NULL;

	/* The parent as it is in the tree; an orphan has none. */
	struct session *s = test_session(HEADER USER("a", "'zz'", "1") USER(
		"x\\ny", "'a'", "2") USER("c", "'x\\ny'", "3"));
	CHECK_INT(meta_add(s, 0, &b), 0);
	CHECK_BUF(&b, HEAD "message" TIME "role: user\n");
	CHECK_INT(meta_add(s, 2, &b), 0);
	CHECK_BUF(&b, "id: c\nparent: x\\ny\ntype: message\n"
		      "timestamp: 2026-03-01T10:00:01.000Z\nline: 4\n"
		      "role: user\n");
	test_close(s);
	buf_free(&b);
	return test_done("meta");
}
