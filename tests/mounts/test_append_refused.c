/* Lines that append refuses: those that are not entries, or that the agent
 * could not load. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"

/* What info has about the last refused line, "" if it has nothing or too much;
 * in a buffer of its own. */
static struct span reason(void)
{
	static struct buf why;
	unsigned n = 0;
	buf_clear(&why);
	for (struct span rest = text_of("info"); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		if (!span_starts(line, SPAN("last-refused: ")))
			continue;
		n++;
		buf_add(&why, line);
	}
	return n == 1 ? buf_span(&why) : SPAN("");
}

/* Append refuses the bytes, the session stays as it is, and the reason has this
 * text. */
static void refuse_bytes(const char *text, struct span bytes)
{
	keep_session();
	CHECK_INT(write_with(O_TRUNC, "append", bytes), EINVAL);
	CHECK_KEPT();
	struct span why = reason();
	CHECK(why.n > strlen("last-refused: "));
	if (!CHECK(memmem(why.p, why.n, text, strlen(text))))
		test_print("reason", why);
}

/* The same for a line, with ' for ". */
static void refuse(const char *text, const char *line)
{
	struct buf b = test_quoted(line);
	buf_addc(&b, '\n');
	test_row = line;
	refuse_bytes(text, buf_span(&b));
	test_row = NULL;
	buf_free(&b);
}

#define SESSION(id)                         \
	"{'type':'session','version':3," id \
	"'timestamp':'2026-03-01T10:00:00." \
	"000Z','cwd':'/'}"

/* Rules: A5 */
static void no_entries(void)
{
	static const char *const lines[] = {
		"hello",
		"5",
		"null",
		"true",
		"'x'",
		"[{'role':'user','content':'x'}]",
		"{'role':'user'",
		"{'role':'user','content':'x'} x",
		"{'role':'user','content':'x'}{",
		"{'role':'user','content':'x',}",
		"{'role':'user','content':'\t'}",
		"{}",
		"{'content':'x'}",
		"{'role':5,'content':'x'}",
		"{'type':5}",
		"{'type':null,'summary':'x'}",
		"{'type':'x','id':''}",
		"{'type':'x','id':null}",
		"{'type':'x','id':5}",
		SESSION("'id':'s',"),
		SESSION(""),
	};
	struct buf why = { 0 };
	char line[1200];
	mount_fixture(BRANCHES);
	CHECK_HAS("info", "\nwritable: yes\n");
	CHECK(!has("info", "last-refused"));
	for (size_t i = 0; i < COUNT(lines); i++)
		refuse("", lines[i]);
	refuse_bytes("", SPAN("{'role':'user'}\n"));
	CHECK_HEAD("by-id/aa000025");
	/* The reason stays until another line is refused. */
	buf_add(&why, reason());
	CHECK_INT(say("{'role':'user','content':'good'}"), 0);
	CHECK_SPAN(reason(), buf_span(&why));
	refuse("parent", "{'type':'custom','customType':'x','parentId':"
			 "'nowhere'}");
	CHECK(!span_eq(reason(), buf_span(&why)));
	buf_free(&why);
	snprintf(line, sizeof(line),
		 "{'type':'custom','customType':'x','parentId':"
		 "'no\\nhead: \\u001b[2J%0900d'}",
		 1);
	refuse("", line);
	CHECK(!has("info", "\033"));
	size_t heads = 0;
	for (struct span rest = text_of("info"); rest.n > 0;)
		heads += span_starts(span_next(&rest, '\n'), SPAN("head: "));
	CHECK_INT(heads, 1);
	refuse("", "{'type':'custom','customType':'x','parentId':5}");
	refuse("",
	       "{'type':'custom','customType':'x','parentId':['aa000004']}");
	CHECK(came(1, BRANCHES));
}

static void titles(void)
{
	static const char *const names[] = { "pi-v3-branches", "omp-v3-basic" };
	char file[64];
	const char *own = mounts_session;
	test_need(mkdir(test_path("all"), 0755) == 0, "all");
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(file, sizeof(file), "all/%s.jsonl", names[i]);
		test_copy(fixture(file + strlen("all/")), test_path(file));
	}
	mount_source(test_path("all"));
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(file, sizeof(file), "all/%s.jsonl", names[i]);
		char session[PATH_MAX];
		snprintf(session, sizeof(session), "%s", test_path(file));
		test_need(chdir(mounts_at) == 0 && chdir(names[i]) == 0,
			  names[i]);
		mounts_session = session;
		refuse("", "{'type':'title','v':1,'title':'x','updatedAt':"
			   "'2026-03-01T10:00:00.000Z','pad':''}");
		refuse("", SESSION("'id':'s',"));
	}
	mounts_session = own;
}

/* The message is refused with each of the changes: PATH removes a member,
 * PATH=JSON replaces it. */
static void refuse_without(const char *message, const char *const changes[])
{
	struct buf given = test_quoted(message);
	for (size_t i = 0; changes[i]; i++) {
		struct buf change = test_quoted(changes[i]), line = { 0 };
		struct span rest = buf_span(&change),
			    path = span_next(&rest, '=');
		cJSON *json = cJSON_ParseWithLength(given.data, given.len),
		      *at = json;
		char key[32] = "";
		while (path.n > 0) {
			at = *key ? cJSON_GetObjectItem(at, key) : at;
			struct span part = span_next(&path, '.');
			snprintf(key, sizeof(key), "%.*s", (int)part.n, part.p);
		}
		test_row = changes[i];
		CHECK(cJSON_GetObjectItem(at, key));
		if (rest.n > 0)
			CHECK(cJSON_ReplaceItemInObject(
				at, key,
				cJSON_ParseWithLength(rest.p, rest.n)));
		else
			cJSON_DeleteItemFromObject(at, key);
		char *text = cJSON_PrintUnformatted(json);
		buf_adds(&line, text);
		buf_addc(&line, '\n');
		refuse_bytes("", buf_span(&line));
		free(text);
		cJSON_Delete(json);
		buf_free(&change);
		buf_free(&line);
	}
	test_row = NULL;
	buf_free(&given);
}

static void messages(void)
{
	static const char *const roles[] = { "user", "system", "custom" };
	static const char *const lines[] = {
		"{'role':'branchSummary'}",
		"{'role':'compactionSummary','tokensBefore':1}",
		"{'role':'compactionSummary','summary':'x'}",
		"{'type':'message'}",
		"{'type':'message','message':'x'}",
		"{'type':'message','message':{'content':'x'}}",
		"{'type':'message','message':{'role':'user'}}",
		"{'type':'message','message':{'role':'assistant','content':"
		"'x'}}",
		/* A copy is checked as well. */
		"{'type':'message','id':'old','parentId':'older','timestamp':"
		"'2026-03-01T10:00:00.000Z','message':{'role':'assistant',"
		"'content':[]}}",
	};
	mount_fixture(BRANCHES);
	refuse_without("{'role':'assistant','content':[{'type':'text','text':"
		       "'x'}],'api':'x-api','provider':'prov','model':"
		       "'model-c','usage':{'input':1,'output':1,'cacheRead':0,"
		       "'cacheWrite':0,'totalTokens':2,'cost':{'input':0,"
		       "'output':0,'cacheRead':0,'cacheWrite':0,'total':0}},"
		       "'stopReason':'stop'}",
		       PIECES("content", "content='text'", "content=null",
			      "provider", "model", "stopReason", "usage",
			      "usage=null", "usage.cost", "usage.cost=5",
			      "usage.cost.total", "usage.cost.total='0'",
			      "provider=null", "model=[]", "stopReason=5"));
	for (size_t i = 0; i < COUNT(roles); i++) {
		char message[128];
		snprintf(message, sizeof(message),
			 "{'role':'%s','customType':'x','content':'x'}",
			 roles[i]);
		refuse_without(message, PIECES("content", "content=5",
					       "content={}", "content=null"));
	}
	refuse_without("{'role':'toolResult','toolCallId':'t','toolName':'n',"
		       "'content':[{'type':'text','text':'x'}],"
		       "'isError':false}",
		       PIECES("content", "content=5", "content=null"));
	refuse_without("{'role':'bashExecution','command':'c','output':'o',"
		       "'exitCode':0,'cancelled':false,'truncated':false}",
		       PIECES("command", "output", "command=5"));
	/* What a tool has used is added up, too, where it is there. */
	refuse("usage", "{'role':'toolResult','toolCallId':'t','toolName':'n',"
			"'content':[],'isError':false,'usage':{'input':1}}");
	for (size_t i = 0; i < COUNT(lines); i++)
		refuse("", lines[i]);
	CHECK(came(0, BRANCHES));
}

#define COMPACTION(rest) "{'type':'compaction'," rest "}"
#define KEPT(rest) COMPACTION("'summary':'x','tokensBefore':5," rest)
#define EDIT(rest) "{'type':'context_edit'," rest "}"
#define LABEL(rest) "{'type':'label'," rest "}"

static void entries(void)
{
	static const char *const rows[][2] = {
		{ "", COMPACTION("'tokensBefore':5") },
		{ "", COMPACTION("'summary':5,'tokensBefore':5") },
		{ "", COMPACTION("'summary':'x'") },
		{ "", COMPACTION("'summary':'x','tokensBefore':'5'") },
		{ "", KEPT("'firstKeptEntryId':'nowhere'") },
		{ "", KEPT("'firstKeptEntryId':5") },
		{ "usage", KEPT("'usage':{'input':1}") },
		{ "usage",
		  "{'type':'branch_summary','summary':'x','usage':5}" },
		/* On another branch, or below what is named as the parent. */
		{ "path", KEPT("'firstKeptEntryId':'aa000011'") },
		{ "path", KEPT("'firstKeptEntryId':'aa000024',"
			       "'parentId':'aa000008'") },
		{ "", EDIT("'targetId':'aa000024'") },
		{ "", EDIT("'targetId':'aa000024','replacement':5") },
		{ "", EDIT("'targetId':'aa000024','replacement':{}") },
		{ "", EDIT("'replacement':null") },
		{ "", EDIT("'targetId':'nowhere','replacement':null") },
		{ "path", EDIT("'targetId':'aa000011','replacement':null") },
		{ "path", EDIT("'targetId':'aa000024','replacement':null,"
			       "'parentId':'aa000011'") },
		{ "", LABEL("'label':'x'") },
		{ "", LABEL("'targetId':'nowhere','label':'x'") },
		{ "", LABEL("'targetId':5,'label':'x'") },
		{ "", LABEL("'targetId':'aa000004','label':5") },
		{ "", "{'type':'session_info','name':5}" },
		{ "", "{'type':'branch_summary'}" },
		{ "", "{'type':'branch_summary','summary':5}" },
		{ "", "{'type':'custom_message','customType':'x'}" },
		{ "",
		  "{'type':'custom_message','customType':'x','content':5}" },
	};
	mount_fixture(BRANCHES);
	for (size_t i = 0; i < COUNT(rows); i++)
		refuse(rows[i][0], rows[i][1]);
	CHECK(came(0, BRANCHES));
	CHECK_HEAD("by-id/aa000025");
}

static void below_a_cycle(void)
{
	mount_lines(OMP_HEADER USER("c1", "'c2'", "a") USER("c2", "'c1'", "b")
			    USER("good", "null", "d"));
	keep_session();
	CHECK_INT(say("{'type':'custom','customType':'x',"
		      "'parentId':'c1'}"),
		  ELOOP);
	CHECK_KEPT();
	CHECK_INT(say("{'role':'user','content':'x'}"), 0);
	CHECK_LAST("parentId", "good");
}

static const struct mounts_test tests[] = {
	TEST("lines that are not entries are refused, and info has the reason",
	     no_entries),
	TEST("a title is refused, as a header is", titles),
	TEST("messages that the agent could not load are refused", messages),
	TEST("entries that the agent could not load are refused", entries),
	TEST("a line below a cycle of parents is refused", below_a_cycle),
};
RUN_TESTS(tests)
