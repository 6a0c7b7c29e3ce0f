/*
 * Lines that are written to append become entries: what each gets, where it
 * hangs, and what HEAD and the context are afterwards.
 */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define SAYS(text) "{'role':'user','content':'" text "'}\n"
/* With more blocks, each after a comma. */
#define ANSWER(text, blocks)                                          \
	"{'role':'assistant','content':[{'type':'text','text':'" text \
	"'}" blocks "],'api':'x-api','provider':'prov',"              \
	"'model':'model-c','usage':" USAGE("1", "2") ",'stopReason':'stop'}\n"
#define USAGE(n, total)                                               \
	"{'input':" n ",'output':" n ",'cacheRead':0,'cacheWrite':0," \
	"'totalTokens':" total ",'cost':{'input':0,'output':0,"       \
	"'cacheRead':0,'cacheWrite':0,'total':0}}"

#define CHECK_ENDS(path, text) CHECK(span_ends(text_of(path), SPAN(text)))

/* The id of the leaf; good until the next call. */
static const char *leaf(void)
{
	static char id[64];
	struct span s = value_in("info", "leaf");
	snprintf(id, sizeof(id), "%.*s", (int)s.n, s.p);
	return id;
}

/* A path with the id of the leaf in place of @; good for the next seven calls.
 */
static const char *at_leaf(const char *shape)
{
	static char paths[8][128];
	static unsigned next;
	char *path = paths[next++ % COUNT(paths)];
	const char *at = strchr(shape, '@');
	snprintf(path, sizeof(paths[0]), "%.*s%s%s", (int)(at - shape), shape,
		 leaf(), at + 1);
	return path;
}

static void check_head_is_leaf(void)
{
	CHECK_HEAD(at_leaf("by-id/@"));
}

static bool is_number(struct span s)
{
	size_t digits = 0;
	for (size_t i = 0; i < s.n; i++)
		digits += isdigit((unsigned char)s.p[i]) != 0;
	return s.n > 0 && digits == s.n;
}

static void open_files(void)
{
	struct stat st;
	char text[65536];
	mount_fixture(BRANCHES);
	CHECK_INT(ERRNO(chdir("HEAD")), 0);
	CHECK_FILE("content", "Final.\n");
	CHECK_ENDS("context.txt", "[Assistant]: Final.\n");
	int fd = open("../../tree.txt", O_RDONLY | O_CLOEXEC);
	CHECK_INT(write_with(O_TRUNC, "../../append",
			     SPAN("{\"role\":\"user\",\"content\":"
				  "\"go on\"}\n")),
		  0);
	struct span id = value_in("../../info", "leaf");
	char name[64];
	snprintf(name, sizeof(name), "%.*s", (int)id.n, id.p);
	CHECK_INT(ERRNO(lstat(name, &st)), 0);
	CHECK(S_ISLNK(st.st_mode));
	ssize_t n = read(fd, text, sizeof(text));
	CHECK(n > 0 && memmem(text, (size_t)n, "go on", 5) != NULL);
	close(fd);
}

/* The last line without the time that its message was given. */
static void check_ends_but_for_time(const char *want)
{
	static const char time[] = ",\"timestamp\":";
	char line[512];
	struct span s = last_bytes();
	snprintf(line, sizeof(line), "%.*s", (int)s.n, s.p);
	/* The entry's time is a string. */
	char *at = strstr(line, time);
	while (at && !isdigit((unsigned char)at[strlen(time)]))
		at = strstr(at + 1, time);
	CHECK(at != NULL);
	if (!at)
		return;
	size_t digits = strspn(at + strlen(time), "0123456789");
	CHECK_INT(digits, 13);
	char *rest = at + strlen(time) + digits;
	memmove(at, rest, strlen(rest) + 1);
	CHECK(span_ends(span_of(line), span_of(want)));
}

static void keeps_its_bytes(void)
{
	static const char message[] =
		"{\"role\" : \"user\",\t\"x\":1, \"x\":[2.50, 1e+21,"
		"\"\\/\\u00e9\\ud83d\"],\"content\" :"
		"\"größe \\\"\\\\\\u0000\\ud83d\\ude00\"  ,"
		"\"timestamp\": 17.0e3}";
	char line[512], want[512];
	mount_lines(HEADER USER("00000001", "null", "one"));
	snprintf(line, sizeof(line), "%s\n", message);
	CHECK_INT(append(line), 0);
	snprintf(want, sizeof(want), "\"message\":%s}\n", message);
	CHECK(has(mounts_session, want));
	CHECK_INT(say("  {'role':'user', 'content':'a' , "
		      "'n':{'timestamp':1}}  \n"),
		  0);
	/* All of its bytes except the added timestamp. */
	check_ends_but_for_time(
		"\"message\":{\"role\":\"user\", \"content\":\"a\" , "
		"\"n\":{\"timestamp\":1}}}\n");
	CHECK(is_number(member(-1, "message.timestamp")));
}

static void every_role(void)
{
	mount_lines(HEADER);
	CHECK_HEAD("tree");
	CHECK_INT(say("{'role':'system','content':'be brief'}\n"), 0);
	CHECK(are_made(-1));
	CHECK_LAST("parentId", "null");
	CHECK_INT(say("{'role':'user','content':[{'type':'text','text':'look'},"
		      "{'type':'image','data':'AAEC',"
		      "'mimeType':'image/png'}]}\n"),
		  0);
	CHECK_INT(say(ANSWER("thinking", ",{'type':'toolCall','id':'t1',"
					 "'name':'ls',"
					 "'arguments':{'path':'.'}}")),
		  0);
	CHECK_INT(say("{'role':'toolResult','toolCallId':'t1','toolName':'ls',"
		      "'content':[{'type':'text','text':'a.c'}],"
		      "'isError':false}\n"),
		  0);
	CHECK_INT(say("{'role':'bashExecution','command':'make',"
		      "'output':'ok\\n','exitCode':0,'cancelled':false,"
		      "'truncated':false}\n"),
		  0);
	CHECK_INT(say("{'role':'custom','customType':'x','content':'note',"
		      "'display':true}\n"),
		  0);
	CHECK_INT(say(ANSWER("done", "")), 0);
	CHECK_INT(session_lines(), 8);
	CHECK(are_made(1));
	CHECK(are_chained(2));
	for (int i = 1; i < 8; i++)
		CHECK(is_number(member(i, "message.timestamp")));
	CHECK_FILE("context.txt", "[User]: look\n\n[Assistant]: thinking\n\n"
				  "[Assistant tool calls]: ls(path=\".\")\n\n"
				  "[Tool result]: a.c\n\n"
				  "[User]: Ran `make`\n```\nok\n\n```\n\n"
				  "[User]: note\n\n[Assistant]: done\n");
	CHECK_VALUE("info", "model", "prov/model-c");
	CHECK(S_ISREG(stat_of("HEAD/parent/parent/parent/parent/parent/1.png")
			      .st_mode));
}

/* Rules: A1 */
static void typed(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(say("{'type':'custom','customType':'x','data':{'n': 1.0}}\n"),
		  0);
	CHECK(are_made(-1));
	CHECK_LAST("parentId", "aa000025");
	CHECK_LAST("type", "custom");
	CHECK_LAST("data", "{\"n\":1}");
	struct span raw = last_bytes();
	CHECK(memmem(raw.p, raw.n, "{\"n\": 1.0}", 10) != NULL);
	CHECK_INT(say("{'customType':'x','content':'psst','display':false,"
		      "'type':'custom_message',"
		      "'timestamp':'2020-01-01T00:00:00.000Z'}\n"),
		  0);
	CHECK_LAST("timestamp", "2020-01-01T00:00:00.000Z");
	CHECK(are_chained(-1));
	CHECK_LAST("message", "-");
	/* HEAD looks through what is not for people. */
	CHECK_HEAD("by-id/aa000025");
	char content[96];
	struct span id = last("id");
	struct stat st;
	snprintf(content, sizeof(content), "by-id/%.*s/content", (int)id.n,
		 id.p);
	CHECK_FILE(content, "psst\n");
	CHECK_INT(ERRNO(stat(content, &st)), 0);
	CHECK_INT(st.st_mtime, 1577836800);
	CHECK_INT(say("{'type':'model_change','provider':'prov',"
		      "'modelId':'model-z'}\n"
		      "{'type':'thinking_level_change',"
		      "'thinkingLevel':'low'}\n"
		      "{'type':'usage','kind':'x','provider':'p','model':'m',"
		      "'usage':" USAGE("0", "0") "}\n"
						 "{'type':'future_thing',"
						 "'x':[1]}\n"
						 "{'type':'message',"
						 "'message':{'role':'user',"
						 "'content':'typed',"
						 "'timestamp':5}}\n"),
		  0);
	CHECK(came(7, BRANCHES));
	CHECK(are_made(-6));
	CHECK_MEMBER(-1, "message",
		     "{\"role\":\"user\",\"content\":\"typed\","
		     "\"timestamp\":5}");
	CHECK(are_chained(-6));
	CHECK_VALUE("info", "model", "prov/model-z");
	CHECK_VALUE("info", "thinking", "low");
	check_head_is_leaf();
}

/* Rules: A3 */
static void summary(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(say("{'type':'branch_summary','parentId':'aa000008',"
		      "'summary':'It went nowhere.'}\n"),
		  0);
	CHECK(are_made(-1));
	CHECK_LAST("parentId", "aa000008");
	CHECK_LAST("fromId", "aa000025");
	CHECK_LAST("summary", "It went nowhere.");
	CHECK_ENDS("context.txt",
		   "\n[User]: The following is a summary of a branch that this "
		   "conversation came back from:\n\n<summary>\n"
		   "It went nowhere.</summary>\n");
	CHECK_INT(say("{'type':'branch_summary','parentId':null,"
		      "'summary':'All over.','fromId':'aa000011'}\n"),
		  0);
	CHECK_LAST("parentId", "null");
	CHECK_LAST("fromId", "aa000011");
	CHECK_INT(say("{'type':'branch_summary','summary':'stay',"
		      "'details':{}}\n"),
		  0);
	CHECK(are_chained(-1));
	CHECK_SPAN(member(-1, "fromId"), member(-2, "id"));
	CHECK_LAST("details", "{}");
	unmount();
	mount_lines(HEADER);
	CHECK_INT(say("{'type':'branch_summary',"
		      "'summary':'from nowhere'}\n"),
		  0);
	CHECK_LAST("parentId", "null");
	CHECK_LAST("fromId", "root");
}

static void compaction(void)
{
	mount_fixture(BRANCHES);
	CHECK_HAS("context.txt", "list the files");
	CHECK_INT(say("{'type':'compaction','summary':'Sum.',"
		      "'firstKeptEntryId':'aa000024','tokensBefore':100}\n"),
		  0);
	CHECK(are_made(-1));
	CHECK_LAST("firstKeptEntryId", "aa000024");
	CHECK_HAS("context.txt", "\nSum.\n");
	CHECK_HAS("context.txt", "\n[User]: part one, part two\n");
	CHECK(span_starts(text_of("context.txt"),
			  SPAN("[User]: The conversation history before this "
			       "point")));
	CHECK(!has("context.txt", "list the files"));
	CHECK_INT(say("{'type':'compaction','summary':'Nothing.',"
		      "'tokensBefore':5}\n"),
		  0);
	CHECK(are_made(-1));
	CHECK_SPAN(member(-1, "firstKeptEntryId"), member(-1, "id"));
	CHECK_LAST("tokensBefore", "5");
	CHECK_INT(say(SAYS("then")), 0);
	CHECK_FILE("context.txt",
		   "[User]: The conversation history before this point was "
		   "compacted into the following summary:\n\n<summary>\n"
		   "Nothing.\n</summary>\n\n[User]: then\n");
	/* On another branch's path. */
	CHECK_INT(say("{'type':'compaction','parentId':'aa000011',"
		      "'firstKeptEntryId':'aa000010','summary':'B.',"
		      "'tokensBefore':1}\n"),
		  0);
	CHECK_LAST("parentId", "aa000011");
	CHECK_HAS("context.txt", "\n[Assistant]: B is worse.\n");
}

static void context_edit(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(say("{'type':'context_edit','targetId':'aa000024',"
		      "'replacement':{'content':'in one part'}}\n"),
		  0);
	CHECK_HAS("context.txt", "\n[User]: in one part\n");
	CHECK_INT(say("{'type':'context_edit','targetId':'aa000024',"
		      "'replacement':null}\n"),
		  0);
	CHECK_HAS("context.txt", "list the files");
	CHECK(!has("context.txt", "in one part"));
	CHECK(came(2, BRANCHES));
}

static const struct mounts_test tests[] = {
	TEST("programs in the mount, or with its files open, see a new line",
	     open_files),
	TEST("the message keeps its bytes, whatever they are", keeps_its_bytes),
	TEST("messages of every role, and the context that they make",
	     every_role),
	TEST("a line with a type becomes that entry, with missing members "
	     "added",
	     typed),
	TEST("a branch with a summary", summary),
	TEST("a compaction, with an anchor and without", compaction),
	TEST("a context edit removes its target, or replaces it", context_edit),
};
RUN_TESTS(tests)
