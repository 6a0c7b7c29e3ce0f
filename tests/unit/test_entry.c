/* Entries made of lines, by every dialect's rules. */
#include "core/base/text.h"
#include "core/dialects/omp/omp.h"
#include "core/json/timestamp.h"
#include "tests/unit/dialect_test.h"

#define COST "'usage':{'input':1,'cost':{'total':0}}"
#define ANSWER                                                         \
	"{'role':'assistant','content':[],'provider':'p','model':'m'," \
	"'stopReason':'stop'," COST "}"
#define PI_LINES                                            \
	HEADER USER("a", "null", "1") USER("b", "'a'", "2") \
		USER("c", "'a'", "3")
#define OMP_LINES                                                    \
	"{'type':'session','version':3,'id':'x','timestamp':"        \
	"'2026-03-01T10:00:00.000Z','cwd':'/w','title':'H'}\n" USER( \
		"a", "null", "1") USER("b", "'a'", "2")
#define UUID_LINES                                                    \
	"{'type':'session','version':2,'uuid':'h','parentUuid':null," \
	"'cwd':'/w'}\n"                                               \
	"{'type':'message','uuid':'a','parentUuid':'h','message':"    \
	"{'role':'user','content':'1'}}\n"
#define INDEX_LINES                                                        \
	"{'type':'session','id':'x','parent':-1,'cwd':'/w'}\n"             \
	"{'type':'message','parent':0,'message':{'role':'user','content':" \
	"'1'}}\n"
#define GO_LINES                                                    \
	"{'id':'a','kind':'turn.user','ts':'2026-03-01T10:00:00Z'," \
	"'payload':{'text':'1'}}\n"                                 \
	"{'id':'b','parentId':'a','kind':'turn.user',"              \
	"'ts':'2026-03-01T10:00:00Z','payload':{'text':'2'}}\n"

#define NATIVE                                                        \
	"{'type':'compaction','summary':'S','tokensBefore':9,"        \
	"'firstKeptEntryId':'','preserveData':{'anthropicCompaction'" \
	":{'provider':'anthropic','content':'c'}}"

/* What a dialect's session holds before, and how it is opened. */
static const struct start {
	const char *dialect;
	const char *lines;
} starts[] = {
	{ "pi", PI_LINES },	      { "omp", OMP_LINES },
	{ "draft-uuid", UUID_LINES }, { "draft-index", INDEX_LINES },
	{ "go-tree", GO_LINES },
};

static struct session *start(const char *dialect)
{
	for (size_t i = 0; i < COUNT(starts); i++) {
		if (strcmp(starts[i].dialect, dialect) != 0)
			continue;
		test_file("s.head.json", "{'head':'b'}");
		/* Short ids are no sign of a Go tree. */
		bool is_go = strcmp(dialect, "go-tree") == 0;
		return dialect_session(is_go ? dialect : NULL, starts[i].lines);
	}
	test_need(false, dialect);
	return NULL;
}

/* Append a line to a session that is entered, and stays so. */
static int append(struct session *s, const char *line)
{
	struct writer w;
	struct buf text = test_quoted(line);
	session_leave(s);
	int err = writer_begin(&w, s);
	if (!err) {
		err = writer_add_entry(&w, buf_span(&text));
		if (!err)
			err = writer_sync(&w);
		writer_end(&w);
	}
	buf_free(&text);
	CHECK_INT(session_enter(s), 0);
	return err;
}

static void replace(struct buf *b, struct span old, const char *with)
{
	struct buf out = { 0 };
	const char *from = b->data;
	const char *end = from + b->len;
	const char *at;
	while (old.n > 0 &&
	       (at = memmem(from, (size_t)(end - from), old.p, old.n))) {
		buf_add(&out, (struct span){ from, (size_t)(at - from) });
		buf_adds(&out, with);
		from = at + old.n;
	}
	buf_add(&out, (struct span){ from, (size_t)(end - from) });
	buf_free(b);
	*b = out;
}

/* A message's time: 13 digits. */
static void replace_ms(struct buf *b)
{
	static const char key[] = "\"timestamp\":1";
	char *at = memmem(b->data, b->len, key, strlen(key));
	if (at && (size_t)(b->data + b->len - at) > strlen(key) + 12)
		replace(b, (struct span){ at + strlen(key) - 1, 13 }, "MS");
}

/* What came behind `before` bytes, with NEW, NOW and MS for what is new. */
static void added(const struct session *s, size_t before, struct buf *out)
{
	struct buf file = { 0 };
	struct buf now = { 0 };
	uint32_t last = s->now.index.n - 1;
	test_read(s->log.path, &file);
	buf_add(out, (struct span){ file.data + before, file.len - before });
	timestamp_add(&now, session_entry(s, last)->time);
	replace(out, buf_span(&now), "NOW");
	/* Positions are digits: not to be told from others. */
	if (s->dialect != dialect_named(SPAN("draft-index")))
		replace(out, index_id(&s->now.index, last), "NEW");
	replace_ms(out);
	buf_free(&file);
	buf_free(&now);
}

/* Rules: A6 */
static void check_lines(void)
{
	static const struct {
		const char *dialect;
		const char *line;
		const char *added;
	} rows[] = {
		{ "pi", "{'role':'user','content':'x'}",
		  "{'type':'message','id':'NEW','parentId':'c','timestamp':"
		  "'NOW','message':{'role':'user','content':'x','timestamp':MS}"
		  "}\n" },
		{ "pi", " {'role':'user', 'timestamp' : 5,'content':'x' }\r",
		  "{'type':'message','id':'NEW','parentId':'c','timestamp':"
		  "'NOW','message':{'role':'user', 'timestamp' : 5,'content':"
		  "'x' }}\n" },
		{ "pi", "{'role':'user','parentId':'b','content':'x'}",
		  "{'type':'message','id':'NEW','parentId':'b','timestamp':"
		  "'NOW','message':{'role':'user','content':'x','timestamp':MS}"
		  "}\n" },
		{ "pi", "{'type':'custom','customType':'t','parentId':null}",
		  "{'type':'custom','customType':'t','parentId':null,'id':'NEW'"
		  ",'timestamp':'NOW'}\n" },
		{ "pi", "{'type':'branch_summary','parentId':'a','summary':''}",
		  "{'type':'branch_summary','parentId':'a','summary':'','id':"
		  "'NEW','timestamp':'NOW','fromId':'c'}\n" },
		{ "pi", "{'type':'compaction','summary':'s','tokensBefore':1}",
		  "{'type':'compaction','summary':'s','tokensBefore':1,'id':"
		  "'NEW','parentId':'c','timestamp':'NOW','firstKeptEntryId':"
		  "'NEW'}\n" },
		{ "pi",
		  "{'type':'compaction','summary':'s','tokensBefore':1,"
		  "'firstKeptEntryId':'a'}",
		  "{'type':'compaction','summary':'s','tokensBefore':1,"
		  "'firstKeptEntryId':'a','id':'NEW','parentId':'c',"
		  "'timestamp':'NOW'}\n" },
		{ "pi", "{'type':'branch_summary','summary':'','details':{}}",
		  "{'type':'branch_summary','summary':'','details':{},'id':"
		  "'NEW','parentId':'c','timestamp':'NOW','fromId':'c'}\n" },
		{ "pi",
		  "{'type':'branch_summary','parentId':null,'summary':'',"
		  "'fromId':'b'}",
		  "{'type':'branch_summary','parentId':null,'summary':'',"
		  "'fromId':'b','id':'NEW','timestamp':'NOW'}\n" },
		{ "pi",
		  "{'type':'compaction','summary':'s','tokensBefore':1,"
		  "'parentId':'b','firstKeptEntryId':'a'}",
		  "{'type':'compaction','summary':'s','tokensBefore':1,"
		  "'parentId':'b','firstKeptEntryId':'a','id':'NEW',"
		  "'timestamp':'NOW'}\n" },
		{ "pi",
		  "{'type':'context_edit','targetId':'c','replacement':null}",
		  "{'type':'context_edit','targetId':'c','replacement':null,"
		  "'id':'NEW','parentId':'c','timestamp':'NOW'}\n" },
		/* A message keeps its bytes, whatever they are. */
		{ "pi",
		  "{'role' : 'user',\t'x':1, 'x':[2.50, 1e+21,'\\/\\u00e9"
		  "\\ud83d'],'content' :'gr\xC3\xB6\\u0000'  ,'timestamp': "
		  "17.0e3}",
		  "{'type':'message','id':'NEW','parentId':'c','timestamp':"
		  "'NOW','message':{'role' : 'user',\t'x':1, 'x':[2.50, 1e+21,"
		  "'\\/\\u00e9\\ud83d'],'content' :'gr\xC3\xB6\\u0000'  ,"
		  "'timestamp': 17.0e3}}\n" },
		/* Copies; of equal keys all are said anew. */
		{ "pi",
		  "{ 'type' : 'message' ,  'parentId':  null, 'message' : {"
		  "'role':'user','id':'in','parentId':'in','content':'\\ud83d',"
		  "'n':1.50,'n':[1e3, 2]} , 'id'\t:'0000\\u00300001','x':null "
		  ", 'timestamp':'2026-03-01T10:00:01.000Z' }",
		  "{ 'type' : 'message' ,  'parentId':  'c', 'message' : {"
		  "'role':'user','id':'in','parentId':'in','content':'\\ud83d',"
		  "'n':1.50,'n':[1e3, 2]} , 'id'\t:'NEW','x':null "
		  ", 'timestamp':'NOW' }\n" },
		{ "pi",
		  "{ 'id':'b', 'x':[1, 2], 'type':'t','id' :'b','timestamp':"
		  "'2026-03-01T10:00:01.000Z','parentId': 'a' }",
		  "{ 'id':'NEW', 'x':[1, 2], 'type':'t','id' :'NEW',"
		  "'timestamp':'NOW','parentId': 'c' }\n" },
		{ "pi",
		  "{'type':'compaction','id':'q','summary':'s','tokensBefore':"
		  "1,'firstKeptEntryId':'q','timestamp':"
		  "'2026-03-01T10:00:01.000Z'}",
		  "{'type':'compaction','id':'NEW','summary':'s',"
		  "'tokensBefore':1,'firstKeptEntryId':'q','timestamp':'NOW',"
		  "'parentId':'c'}\n" },
		{ "omp",
		  "{'type':'branch_summary','parentId':'a','summary':'s'}",
		  "{'type':'branch_summary','parentId':'a','summary':'s','id':"
		  "'NEW','timestamp':'NOW','fromId':'a'}\n" },
		{ "omp",
		  "{'type':'branch_summary','parentId':null,'summary':'s'}",
		  "{'type':'branch_summary','parentId':null,'summary':'s','id':"
		  "'NEW','timestamp':'NOW','fromId':'root'}\n" },
		{ "omp",
		  "{'role':'pythonExecution','code':'1','output':'2','exitCode'"
		  ":0,'cancelled':false,'truncated':false,'timestamp':1}",
		  "{'type':'message','id':'NEW','parentId':'b','timestamp':'"
		  "NOW'"
		  ",'message':{'role':'pythonExecution','code':'1','output':'2'"
		  ","
		  "'exitCode':0,'cancelled':false,'truncated':false,"
		  "'timestamp':1}}\n" },
		{ "omp",
		  "{'role':'fileMention','files':[{'path':'a','content':'A'}],"
		  "'timestamp':1}",
		  "{'type':'message','id':'NEW','parentId':'b','timestamp':'"
		  "NOW'"
		  ",'message':{'role':'fileMention','files':[{'path':'a',"
		  "'content':'A'}],'timestamp':1}}\n" },
		{ "omp", "{'type':'reset_boundary'}",
		  "{'type':'reset_boundary','id':'NEW','parentId':'b',"
		  "'timestamp':'NOW'}\n" },
		{ "omp", "{'type':'compaction','summary':'s','tokensBefore':1}",
		  "{'type':'compaction','summary':'s','tokensBefore':1,'id':"
		  "'NEW','parentId':'b','timestamp':'NOW','firstKeptEntryId':"
		  "'NEW'}\n" },
		/* What Anthropic has compacted names what is replayed. */
		{ "omp", NATIVE ",'providerReplayThroughEntryId':'b'}",
		  NATIVE ",'providerReplayThroughEntryId':'b','id':'NEW',"
			 "'parentId':'b','timestamp':'NOW'}\n" },
		{ "draft-uuid", "{'role':'user','content':'x','timestamp':1}",
		  "{'type':'message','uuid':'NEW','parentUuid':'a','timestamp'"
		  ":'NOW','message':{'role':'user','content':'x','timestamp':1"
		  "}}\n" },
		{ "draft-uuid",
		  "{'type':'stack_summary','uuid':'a','summary':'s'}",
		  "{'type':'stack_summary','uuid':'NEW','summary':'s',"
		  "'parentUuid':'a'}\n" },
		{ "draft-index", "{'role':'user','content':'x','timestamp':1}",
		  "{'type':'message','parent':1,'timestamp':'NOW','message':"
		  "{'role':'user','content':'x','timestamp':1}}\n" },
		{ "draft-index", "{'type':'compaction','summary':'s'}",
		  "{'type':'compaction','summary':'s','parent':0,'timestamp':"
		  "'NOW'}\n" },
		{ "draft-index", "{'type':'t','parent':0}",
		  "{'type':'t','parent':0,'timestamp':'NOW'}\n" },
		{ "go-tree", "{'role':'user','content':'x'}",
		  "{'id':'NEW','parentId':'b','kind':'turn.user','ts':'NOW',"
		  "'payload':{'role':'user','content':'x'}}\n" },
		{ "go-tree", "{'role':'assistant','content':[]}",
		  "{'id':'NEW','parentId':'b','kind':'turn.assistant','ts':"
		  "'NOW','payload':{'role':'assistant','content':[]}}\n" },
		{ "go-tree", "{'role':'toolResult','content':[]}",
		  "{'id':'NEW','parentId':'b','kind':'turn.tool_result','ts':"
		  "'NOW','payload':{'role':'toolResult','content':[]}}\n" },
		{ "go-tree", "{'role':'system','content':'x'}",
		  "{'id':'NEW','parentId':'b','kind':'system.prompt','ts':'NOW'"
		  ",'payload':{'role':'system','content':'x'}}\n" },
		{ "go-tree", "{'role':'user','id':5,'parentId':'a'}",
		  "{'id':'NEW','parentId':'a','kind':'turn.user','ts':'NOW',"
		  "'payload':{'role':'user','id':5,'parentId':'a'}}\n" },
		{ "go-tree", "{'Kind':'k','PARENTID':'a'}",
		  "{'Kind':'k','PARENTID':'a','id':'NEW','ts':'NOW'}\n" },
		{ "go-tree",
		  "{'ID':'a','kind':'k','parentid':null,'ts':"
		  "'2026-03-01T10:00:00.000Z'}",
		  "{'ID':'a','kind':'k','parentid':null,'ts':'NOW',"
		  "'id':'NEW','parentId':'b'}\n" },
		{ "go-tree",
		  "{'id':'b','parentId':'a','kind':'turn.user','ts':"
		  "'2026-03-01T10:00:00Z','payload':{'text':'2'}}",
		  "{'id':'NEW','parentId':'b','kind':'turn.user','ts':"
		  "'2026-03-01T10:00:00Z','payload':{'text':'2'}}\n" },
		/* An empty parent is none, as in the package's Append. */
		{ "go-tree", "{'kind':'k','parentId':''}",
		  "{'kind':'k','parentId':'b','id':'NEW','ts':'NOW'}\n" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf got = { 0 };
		struct buf want = test_quoted(rows[i].added);
		test_row = rows[i].line;
		struct session *s = start(rows[i].dialect);
		uint32_t n = s->now.index.n;
		size_t before = (size_t)s->log.st.st_size;
		CHECK_INT(append(s, rows[i].line), 0);
		CHECK_INT(s->now.index.n, n + 1);
		CHECK_INT(s->now.leaf, n);
		CHECK(!s->refused.reason);
		added(s, before, &got);
		CHECK_SPAN(buf_span(&got), buf_span(&want));
		test_close(s);
		buf_free(&got);
		buf_free(&want);
	}
	test_row = NULL;
}

#define SLOT                                                             \
	"{'type':'title','v':1,'title':'x','updatedAt':'2026-03-01T10:0" \
	"0:00.000Z','pad':''}"
#define STOPPED "'stopReason':'stop'," COST
#define SAYS_WITH(content) \
	"{" content "'role':'assistant','provider':'p','model':'m'," STOPPED "}"
#define ANSWERS(provider, model, rest) \
	"{'role':'assistant','content':[]," provider model rest "}"
#define USES(usage)                                \
	ANSWERS("'provider':'p',", "'model':'m',", \
		"'stopReason':'stop','usage':" usage)
#define KEPT(rest) "{'type':'compaction','summary':'x'" rest "}"

static void check_refusals(void)
{
	static const struct {
		const char *dialect;
		const char *line;
		const char *reason; /* a part of it */
	} rows[] = {
		{ "pi", "hello", "not JSON" },
		{ "pi", "{'role':'user','content':'x',}", "not JSON" },
		{ "pi", "{'role':'user','content':'\t'}", "not JSON" },
		{ "pi", "[{'role':'user','content':'x'}]",
		  "not a JSON object" },
		{ "pi", "{'role':'user'", "not JSON" },
		{ "pi", "{'role':'user','content':''} {}", "not JSON" },
		{ "pi", "5", "not a JSON object" },
		{ "pi", "['role']", "not a JSON object" },
		{ "pi", "null", "not a JSON object" },
		{ "pi", "{}", "`type` or `role`" },
		{ "pi", "{'role':1}", "`type` or `role`" },
		{ "pi", "{'type':null,'role':'user','content':''}", "`type`" },
		{ "pi", "{'type':'session','id':'x'}", "header" },
		{ "pi", "{'type':'session','version':3}", "header" },
		{ "pi", SLOT, "" },
		{ "omp", SLOT, "" },
		{ "omp", "{'type':'session','id':'x'}", "header" },
		{ "pi", "{'type':'t','id':5}", "id" },
		{ "pi", "{'type':'t','id':''}", "id" },
		{ "pi", "{'type':'t','id':null}", "id" },
		{ "pi", "{'type':'t','parentId':'z'}", "parent" },
		{ "pi", "{'type':'t','parentId':''}", "parent" },
		{ "pi", "{'type':'t','parentId':7}", "parent" },
		{ "pi", "{'role':'user','content':'','parentId':'z'}",
		  "parent" },
		{ "pi", "{'type':'t','timestamp':'yesterday'}", "timestamp" },
		{ "pi", "{'type':'t','timestamp':5}", "timestamp" },
		{ "pi", "{'type':'message'}", "`message`" },
		{ "pi", "{'type':'message','message':{}}", "`role`" },
		{ "pi", "{'type':'message','message':'x'}", "`message`" },
		{ "pi", "{'type':'message','message':{'role':'user'}}",
		  "`content`" },
		{ "pi",
		  "{'type':'message','id':'old','parentId':'older','timestamp'"
		  ":'2026-03-01T10:00:00.000Z','message':{'role':'assistant',"
		  "'content':[]}}",
		  "" },
		{ "pi", "{'role':'user'}", "`content`" },
		{ "pi", "{'role':'user','content':5}", "`content`" },
		{ "pi", "{'role':'user','content':{}}", "`content`" },
		{ "pi", "{'role':'user','content':null}", "`content`" },
		{ "pi", "{'role':'system'}", "`content`" },
		{ "pi", "{'role':'custom','customType':'x'}", "`content`" },
		{ "pi", SAYS_WITH(), "`content`" },
		{ "pi", SAYS_WITH("'content':'text',"), "`content`" },
		{ "pi", SAYS_WITH("'content':null,"), "`content`" },
		{ "pi", ANSWERS("", "'model':'m',", STOPPED), "`provider`" },
		{ "pi", ANSWERS("'provider':null,", "'model':'m',", STOPPED),
		  "`provider`" },
		{ "pi", ANSWERS("'provider':'p',", "", STOPPED), "`model`" },
		{ "pi", ANSWERS("'provider':'p',", "'model':[],", STOPPED),
		  "`model`" },
		{ "pi", ANSWERS("'provider':'p',", "'model':'m',", COST),
		  "`stopReason`" },
		{ "pi",
		  ANSWERS("'provider':'p',", "'model':'m',",
			  "'stopReason':5," COST),
		  "`stopReason`" },
		{ "pi", USES("null"), "`usage`" },
		{ "pi", USES("{'cost':5}"), "`cost`" },
		{ "pi", USES("{'cost':{}}"), "`cost`" },
		{ "pi", USES("{'cost':{'total':'0'}}"), "`cost`" },
		{ "pi", "{'role':'branchSummary'}", "" },
		{ "pi", "{'role':'compactionSummary','tokensBefore':1}", "" },
		{ "pi", "{'role':'compactionSummary','summary':'x'}", "" },
		{ "pi", "{'role':'bashExecution','output':'o'}", "`command`" },
		{ "pi", "{'role':'bashExecution','command':'c'}", "`output`" },
		{ "pi", "{'role':'bashExecution','command':5,'output':'o'}",
		  "`command`" },
		/* What a tool has used is added up, too. */
		{ "pi",
		  "{'role':'toolResult','toolCallId':'t','toolName':'n',"
		  "'content':[],'isError':false,'usage':{'input':1}}",
		  "usage" },
		{ "pi", "{'role':'user','content':[null]}", "block" },
		{ "pi", "{'role':'user','content':[{'type':'text'}]}", "text" },
		{ "pi", "{'role':'assistant','content':[],'provider':'p'}",
		  "`usage`" },
		{ "pi",
		  "{'role':'assistant','content':[],'provider':'p','model':'m',"
		  "'stopReason':'stop','usage':{}}",
		  "`cost`" },
		{ "pi",
		  "{'role':'toolResult','toolCallId':'t','toolName':'n',"
		  "'content':'x'}",
		  "`content`" },
		{ "pi", "{'type':'compaction','tokensBefore':1}", "`summary`" },
		{ "pi", "{'type':'compaction','summary':5,'tokensBefore':1}",
		  "`summary`" },
		{ "pi", "{'type':'compaction','summary':'s'}", "tokensBefore" },
		{ "pi", KEPT(",'tokensBefore':'5'"), "tokensBefore" },
		{ "pi", KEPT(",'tokensBefore':5,'firstKeptEntryId':'nowhere'"),
		  "" },
		{ "pi", KEPT(",'tokensBefore':5,'firstKeptEntryId':5"), "" },
		{ "pi", KEPT(",'tokensBefore':5,'usage':{'input':1}"),
		  "usage" },
		{ "pi", "{'type':'branch_summary','summary':'x','usage':5}",
		  "usage" },
		{ "pi", "{'type':'branch_summary'}", "`summary`" },
		{ "pi", "{'type':'branch_summary','summary':5}", "`summary`" },
		{ "pi", "{'type':'custom_message','customType':'x'}", "" },
		{ "pi",
		  "{'type':'custom_message','customType':'x','content':5}",
		  "" },
		{ "pi", "{'type':'context_edit','replacement':null}", "" },
		{ "pi",
		  "{'type':'context_edit','targetId':'z','replacement':null}",
		  "" },
		{ "pi",
		  "{'type':'context_edit','targetId':'c','replacement':5}",
		  "" },
		{ "pi", "{'type':'label','label':'x'}", "" },
		{ "pi", "{'type':'label','targetId':5,'label':'x'}", "" },
		{ "pi",
		  "{'type':'compaction','summary':'s','tokensBefore':1,"
		  "'firstKeptEntryId':'b'}",
		  "path" },
		{ "pi",
		  "{'type':'compaction','summary':'s','tokensBefore':1,"
		  "'firstKeptEntryId':'b','parentId':'a'}",
		  "path" },
		{ "pi",
		  "{'type':'compaction','summary':'s','tokensBefore':1,"
		  "'firstKeptEntryIndex':1}",
		  "by id" },
		{ "pi", "{'type':'context_edit','targetId':'c'}",
		  "`replacement`" },
		{ "pi",
		  "{'type':'context_edit','targetId':'c','replacement':{}}",
		  "`content`" },
		{ "pi",
		  "{'type':'context_edit','targetId':'b','replacement':null}",
		  "path" },
		{ "pi", "{'type':'label','targetId':'z','label':'l'}",
		  "target" },
		{ "pi", "{'type':'label','targetId':'a','label':5}", "label" },
		{ "pi", "{'type':'session_info','name':5}", "name" },
		{ "pi", "{'type':'usage','usage':{}}", "`cost`" },
		/* What would make the session another agent's. */
		{ "pi", "{'type':'reset_boundary'}", "another agent" },
		{ "omp", NATIVE ",'providerReplayThroughEntryId':'z'}",
		  "path" },
		{ "omp", "{'role':'assistant','content':[]}", "`usage`" },
		{ "omp",
		  "{'role':'toolResult','toolCallId':'t','toolName':'task',"
		  "'content':[],'isError':false,'details':{'usage':{'input':1}"
		  "}}",
		  "usage" },
		{ "omp", "{'role':'fileMention'}", "`files`" },
		{ "omp", "{'type':'ttsr_injection'}", "`injectedRules`" },
		{ "omp", "{'type':'model_usage','usage':{}}", "`cost`" },
		{ "omp",
		  "{'role':'bashExecution','command':'','output':'','images':"
		  "1}",
		  "`images`" },
		{ "omp", "{'role':'fileMention','files':[5]}", "`files`" },
		{ "omp",
		  "{'role':'bashExecution','command':'','output':'','images':"
		  "[5]}",
		  "`images`" },
		{ "draft-uuid", "{'type':'t','parentUuid':'z'}", "parent" },
		{ "draft-uuid", "{'type':'session','uuid':'z'}", "header" },
		{ "draft-uuid",
		  "{'type':'compaction','summary':'S','tokensBefore':5,"
		  "'firstKeptEntryUuid':'z'}",
		  "" },
		{ "draft-uuid", "{'type':'label','targetUuid':'z','label':'x'}",
		  "" },
		{ "draft-uuid", "{'role':'user'}", "`content`" },
		{ "draft-uuid", "{'content':'x'}", "" },
		{ "draft-index", "{'type':'t','parent':2}", "parent" },
		{ "draft-index", "{'type':'t','parent':-2}", "parent" },
		{ "draft-index", "{'type':'t','parent':1.5}", "parent" },
		{ "draft-index", "{'type':'session','parent':-1}", "" },
		{ "draft-index", "{'type':'t','parent':'0'}", "parent" },
		{ "draft-index", "{'type':'label','target':9}", "target" },
		{ "go-tree", "{'role':'bashExecution'}", "role" },
		{ "go-tree", "{'role':'custom','content':'x'}", "role" },
		{ "go-tree", "{'type':'message','message':{}}", "" },
		{ "go-tree", "{'kind':5,'payload':{}}", "" },
		{ "go-tree", "{'payload':{}}", "`kind` or `role`" },
		{ "go-tree", "{'kind':'k','payload':5}", "payload" },
		{ "go-tree", "{'kind':'k','ts':'now'}", "ts" },
		{ "go-tree", "{'kind':'k','parentId':'z'}", "parent" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].line;
		struct session *s = start(rows[i].dialect);
		struct buf before = { 0 };
		struct buf after = { 0 };
		test_read(s->log.path, &before);
		CHECK_INT(append(s, rows[i].line), -EINVAL);
		if (CHECK(s->refused.reason) &&
		    !strstr(s->refused.reason, rows[i].reason))
			CHECK_SPAN(span_of(s->refused.reason),
				   span_of(rows[i].reason));
		test_read(s->log.path, &after);
		CHECK_SPAN(buf_span(&after), buf_span(&before));
		test_close(s);
		buf_free(&before);
		buf_free(&after);
	}
	test_row = NULL;
}

/* Lines that nobody else may take, and one that is too long for its owner. */
static void check_others(void)
{
	struct buf line = { 0 };
	struct session *s = dialect_session("lines", "{'x':1}\n");
	CHECK_INT(append(s, "{'role':'user','content':''}"), -EROFS);
	test_close(s);

	s = start("go-tree");
	buf_adds(&line, "{'role':'user','text':'");
	buf_fill(&line, 'x', 1 << 20);
	buf_adds(&line, "'}");
	CHECK_INT(append(s, buf_cstr(&line)), -EINVAL);
	CHECK(s->refused.reason && strstr(s->refused.reason, "1 MiB"));
	test_close(s);
	buf_free(&line);

	s = start("pi");
	CHECK_INT(append(s, ANSWER), 0);
	test_close(s);
}

/* The head of a Go tree is what was appended last, but for labels. */
static void check_go_heads(void)
{
	static const struct {
		const char *line;
		bool moves;
	} rows[] = {
		{ "{'role':'user','content':'x'}", true },
		{ "{'kind':'custom.note','payload':{'n':1}}", true },
		{ "{'kind':'custom.label','payload':{'targetId':'a','label':"
		  "'x'}}",
		  false },
	};
	struct buf sidecar = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf want = { 0 };
		struct session *s = start("go-tree");
		test_row = rows[i].line;
		CHECK_INT(append(s, rows[i].line), 0);
		buf_addf(&want, "{\"head\":\"");
		buf_add(&want, rows[i].moves ? test_id(s, s->now.index.n - 1)
					     : SPAN("b"));
		buf_adds(&want, "\"}");
		test_read(test_path("s.head.json"), &sidecar);
		CHECK_SPAN(text_trim(buf_span(&sidecar)), buf_span(&want));
		test_close(s);
		buf_free(&want);
	}
	test_row = NULL;
	buf_free(&sidecar);
	/* Without a head a line is a root. */
	struct session *s = start("go-tree");
	session_leave(s);
	unlink(test_path("s.head.json"));
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(append(s, "{'role':'user','content':'x'}"), 0);
	CHECK_INT(session_entry(s, 2)->parent, INDEX_NONE);
	CHECK_INT(s->now.leaf, 2);
	test_close(s);
}

/* A parent below a cycle leads nowhere. */
static void check_cycle(void)
{
	struct session *s = dialect_session(
		NULL, OMP_HEADER USER("c", "'d'", "a") USER("d", "'c'", "b")
			      USER("good", "null", "c"));
	CHECK_INT(
		append(s, "{'type':'custom','customType':'x','parentId':'c'}"),
		-ELOOP);
	CHECK_INT(append(s, "{'role':'user','content':'x'}"), 0);
	CHECK_ID(s, session_entry(s, 3)->parent, "good");
	test_close(s);
}

/* Names. */

static int name(struct session *s, const char *text)
{
	struct writer w;
	session_leave(s);
	int err = writer_begin(&w, s);
	if (!err) {
		err = writer_set_name(&w, span_of(text));
		writer_end(&w);
	}
	CHECK_INT(session_enter(s), 0);
	return err;
}

static void check_names(void)
{
	struct buf got = { 0 };
	struct session *s = start("pi");
	size_t before = (size_t)s->log.st.st_size;
	CHECK_INT(name(s, " two words "), 0);
	CHECK_SPAN(buf_span(&s->now.name), SPAN("two words"));
	added(s, before, &got);
	struct buf want = test_quoted("{'type':'session_info','id':'NEW',"
				      "'parentId':'c','timestamp':'NOW',"
				      "'name':'two words'}\n");
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	CHECK_INT(name(s, ""), 0);
	CHECK_INT(s->now.name.len, 0);
	test_close(s);
	buf_free(&got);
	buf_free(&want);
	for (size_t i = 3; i < COUNT(starts); i++) {
		s = start(starts[i].dialect);
		test_row = starts[i].dialect;
		CHECK_INT(name(s, "x"), -EOPNOTSUPP);
		test_close(s);
	}
	test_row = NULL;
}

/* The bytes behind the slot: all that was there, and one line more or none. */
static void check_behind_slot(const struct session *s, struct span lines,
			      bool more)
{
	struct buf file = { 0 };
	test_read(s->log.path, &file);
	struct span rest = { file.data + OMP_SLOT_BYTES,
			     file.len - OMP_SLOT_BYTES };
	CHECK(file.data[OMP_SLOT_BYTES - 1] == '\n');
	CHECK(span_starts(rest, lines));
	CHECK_INT(rest.n > lines.n, more);
	buf_free(&file);
}

/* A slot is put before all lines, and written over from then on. */
static void check_titles(void)
{
	static const char *const chars[] = { "x", "\xC3\xA9", "\xE2\x9C\x93",
					     "\xF0\x9F\x98\x80", "\"" };
	struct buf lines = test_quoted(OMP_LINES);
	struct buf longest = { 0 };
	struct session *s = start("omp");
	uint32_t epoch = s->epoch;
	CHECK_INT(name(s, "a   title"), 0);
	CHECK_SPAN(buf_span(&s->now.name), SPAN("a title"));
	CHECK_INT(s->epoch, epoch);
	CHECK_INT(s->now.index.n, 3);
	check_behind_slot(s, buf_span(&lines), true);

	ino_t ino = s->log.st.st_ino;
	buf_clear(&lines);
	test_read(s->log.path, &lines);
	struct span all = { lines.data + OMP_SLOT_BYTES,
			    lines.len - OMP_SLOT_BYTES };
	CHECK_INT(name(s, ""), 0);
	CHECK_INT(s->now.name.len, 0);
	CHECK_INT(s->now.index.n, 3);
	check_behind_slot(s, all, false);

	/* One that is too long is cut at a character. */
	for (size_t i = 0; i < COUNT(chars); i++) {
		buf_clear(&longest);
		for (int n = 0; n < 300; n++)
			buf_adds(&longest, chars[i]);
		CHECK_INT(name(s, buf_cstr(&longest)), 0);
		struct span cut = buf_span(&s->now.name);
		CHECK(cut.n > 50 && cut.n < OMP_SLOT_BYTES);
		CHECK(span_starts(buf_span(&longest), cut));
		CHECK_INT(cut.n % strlen(chars[i]), 0);
	}
	CHECK_INT(s->now.index.n, 3 + COUNT(chars));
	CHECK_INT(s->epoch, epoch);
	CHECK_INT(s->log.st.st_ino, ino);
	check_behind_slot(s, all, true);
	test_close(s);
	buf_free(&lines);
	buf_free(&longest);
}

/*
 * The agent appends and then writes over its slot, under the time that was seen
 * between the two: in the same tick of the clock, or with the time set first.
 * False if that has taken so long that nobody could look for it any more.
 */
static bool retitle(struct session *s, const char *line, struct span title)
{
	struct buf slot = { 0 };
	const struct json time = { .raw = SPAN(
					   "\"2026-03-01T10:00:00.000Z\"") };
	omp_add_slot(&slot, title, (struct json){ 0 }, time);
	int64_t began = timestamp_monotonic();
	test_append("s.jsonl", line);
	CHECK_INT(session_enter(s), 0);
	const struct timespec times[2] = { s->log.st.st_mtim,
					   s->log.st.st_mtim };
	session_leave(s);
	int fd = open(test_path("s.jsonl"), O_WRONLY | O_CLOEXEC);
	test_need(pwrite(fd, slot.data, slot.len, 0) == OMP_SLOT_BYTES &&
			  futimens(fd, times) == 0,
		  "s.jsonl");
	close(fd);
	CHECK_INT(session_enter(s), 0);
	bool soon = timestamp_monotonic() - began < 80;
	if (soon)
		CHECK_SPAN(buf_span(&s->now.name), title);
	session_leave(s);
	buf_free(&slot);
	return soon;
}

static void check_retitled(void)
{
	static const char *const lines[] = {
		ENTRY("custom", "z", "'a'", ",'customType':'t'"),
		ENTRY("custom", "y", "'a'", ",'customType':'t'"),
	};
	struct session *s = start("omp");
	CHECK_INT(name(s, "one"), 0);
	session_leave(s);
	bool soon = false;
	for (int tries = 0; tries < 50 && !soon; tries++) {
		/* All of what was read anew is looked at for a moment. */
		usleep(150000);
		CHECK_INT(session_enter(s), 0);
		session_leave(s);
		soon = retitle(s, lines[tries % 2],
			       tries % 2 ? SPAN("two") : SPAN("three"));
	}
	CHECK(soon);
	session_free(s);
}

/* A slot of another length can't be written over, nor can a mark be kept. */
static void check_odd_starts(void)
{
	static const char *const odd[] = {
		"\xEF\xBB\xBF",
		"{'type':'title','v':1,'title':'T','updatedAt':'t','pad':''}\n",
	};
	for (size_t i = 0; i < COUNT(odd); i++) {
		struct buf text = { 0 };
		struct buf lines = test_quoted(OMP_LINES);
		test_row = odd[i];
		buf_adds(&text, odd[i]);
		buf_adds(&text, OMP_LINES);
		struct session *s = dialect_session("omp", buf_cstr(&text));
		CHECK_INT(name(s, "N"), 0);
		CHECK_SPAN(buf_span(&s->now.name), SPAN("N"));
		check_behind_slot(s, buf_span(&lines), true);
		test_close(s);
		buf_free(&text);
		buf_free(&lines);
	}
	test_row = NULL;
}

int main(void)
{
	check_lines();
	check_refusals();
	check_others();
	check_go_heads();
	check_cycle();
	check_names();
	check_titles();
	check_retitled();
	check_odd_starts();
	return test_done("entry");
}
