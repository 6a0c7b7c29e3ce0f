/* Lines written to append in every other format than Pi's. */
#include "tests/mounts/mounts.h"

#define OMP "omp-v3-basic.jsonl"
#define UUIDS "draft000-uuid.jsonl"
#define POSITIONS "draft003-index.jsonl"
#define GO "go-tree.jsonl"
/* The entry with this two-digit number. */
#define ULID(n) "01HZZZZZZZ00000000000000" n

#define SAYS(text) "{'role':'user','content':'" text "'}\n"
#define ANSWER(text)                                                  \
	"{'role':'assistant','content':[{'type':'text','text':'" text \
	"'}],'api':'x-api','provider':'prov','model':'model-c',"      \
	"'usage':{'input':1,'output':1,'cacheRead':0,'cacheWrite':0," \
	"'totalTokens':2,'cost':{'input':0,'output':0,'cacheRead':0," \
	"'cacheWrite':0,'total':0}},'stopReason':'stop'}\n"

#define CHECK_ENDS(path, text) CHECK(span_ends(text_of(path), SPAN(text)))

/* Append the bytes of a file. */
static int append_file(const char *path)
{
	struct buf b = { 0 };
	buf_add(&b, text_of(path));
	int err = write_with(O_TRUNC, "append", buf_span(&b));
	buf_free(&b);
	return err;
}

/* The Nth line of the file from its end, without its newline. */
static struct span line_from_end(int n)
{
	struct span s = text_of(mounts_session);
	while (s.n > 0 && n > 0) {
		s.n--;
		size_t from = s.n;
		while (from > 0 && s.p[from - 1] != '\n')
			from--;
		if (--n == 0)
			return (struct span){ s.p + from, s.n - from };
		s.n = from;
	}
	return SPAN("");
}

/* Each of these lines is refused for a reason that has this text. */
static void check_refused(const char *why, const char *const lines[])
{
	for (size_t i = 0; lines[i]; i++) {
		struct buf b = { 0 };
		buf_add(&b, span_of(lines[i]));
		buf_add(&b, SPAN("\n"));
		buf_addc(&b, '\0');
		CHECK(is_refused(b.data, why));
		buf_free(&b);
	}
}

/* The entry with HEAD has this id, which info has for the leaf. */
static void check_head_is_leaf(void)
{
	char head[64];
	struct span leaf = value_in("info", "leaf");
	CHECK(leaf.n > 0);
	snprintf(head, sizeof(head), "by-id/%.*s", (int)leaf.n, leaf.p);
	CHECK_HEAD(head);
}

/* A line with - for the value of a member. */
static void add_without(struct buf *b, struct span line, const char *name)
{
	char *at = memmem(line.p, line.n, name, strlen(name));
	const char *end = line.p + line.n;
	test_need(at != NULL, name);
	at += strlen(name);
	buf_add(b, (struct span){ line.p, (size_t)(at - line.p) });
	buf_addc(b, '-');
	at = memchr(at + 1, *at == '"' ? '"' : ',', (size_t)(end - at - 1));
	test_need(at != NULL, name);
	at += *at == '"';
	buf_add(b, (struct span){ at, (size_t)(end - at) });
}

static void add_without_links(struct buf *b, struct span line)
{
	struct buf part = { 0 };
	add_without(&part, line, "\"id\":");
	add_without(b, buf_span(&part), "\"parentId\":");
	buf_free(&part);
}

/* The last line is a copy of this entry's: byte for byte but for the id, which
 * no other line has, and the parent, which is the line above. */
static void check_copied(const char *id)
{
	char path[64];
	struct buf old = { 0 }, new = { 0 };
	snprintf(path, sizeof(path), "by-id/%s/raw.json", id);
	struct span raw = text_of(path);
	CHECK(span_ends(raw, SPAN("\n")));
	raw.n--;
	add_without_links(&old, raw);
	add_without_links(&new, line_from_end(1));
	CHECK_SPAN(buf_span(&new), buf_span(&old));
	CHECK(are_made(-1));
	CHECK(are_chained(-1));
	buf_free(&old);
	buf_free(&new);
}

/* An answer without this member is refused. */
static void check_refused_without(const char *object, const char *name)
{
	struct buf answer = test_quoted(ANSWER("x"));
	cJSON *message = cJSON_ParseWithLength(answer.data, answer.len),
	      *of = object ? cJSON_GetObjectItem(message, object) : message;
	test_need(cJSON_HasObjectItem(of, name), name);
	cJSON_DeleteItemFromObjectCaseSensitive(of, name);
	char *line = cJSON_PrintUnformatted(message);
	check_refused("", PIECES(line));
	free(line);
	cJSON_Delete(message);
	buf_free(&answer);
}

#define NATIVE                                                         \
	"{'type':'compaction','summary':'S','tokensBefore':9,"         \
	"'firstKeptEntryId':'','preserveData':{'anthropicCompaction':" \
	"{'provider':'anthropic','content':'c'}}"

static void omp_roles(void)
{
	mount_fixture(OMP);
	CHECK_INT(say(SAYS("next") "{'role':'developer','content':'note'}\n"
				   "{'role':'pythonExecution','code':'1+1',"
				   "'output':'2','exitCode':0,"
				   "'cancelled':false,'truncated':false}\n"
				   "{'role':'fileMention','files':["
				   "{'path':'a.txt','content':'A'}]}\n" ANSWER(
					   "good")),
		  0);
	CHECK(came(5, OMP));
	CHECK(are_made(-5));
	CHECK_MEMBER(-5, "parentId", "11000021");
	CHECK(are_chained(-5));
	CHECK_ENDS("context.txt", "\n[Assistant]: good\n");
	CHECK_HAS("context.txt", "\n[Developer]: note\n");
	CHECK_INT(say("{'type':'branch_summary','parentId':'11000010',"
		      "'summary':'s'}\n"
		      "{'type':'branch_summary','parentId':null,"
		      "'summary':'s'}\n"
		      "{'type':'compaction','summary':'S','tokensBefore':9}\n"
		      "{'type':'reset_boundary'}\n"
		      "{'type':'model_change','model':'prov/other'}\n"),
		  0);
	CHECK_MEMBER(-5, "fromId", "11000010");
	CHECK_MEMBER(-4, "fromId", "root");
	CHECK_MEMBER(-4, "parentId", "null");
	CHECK_SPAN(member(-3, "firstKeptEntryId"), member(-3, "id"));
	CHECK(are_made(-3));
	CHECK_INT(append_file("by-id/11000019/raw.json"), 0);
	check_copied("11000019");
}

/* What Anthropic has compacted names what is replayed, and no entry that is
 * kept. */
static void check_native(void)
{
	char lines[1024];
	struct span leaf = value_in("info", "leaf");
	CHECK(leaf.n > 0);
	snprintf(lines, sizeof(lines),
		 NATIVE ",'providerReplayThroughEntryId':'%.*s'}\n" NATIVE
			"}\n",
		 (int)leaf.n, leaf.p);
	CHECK_INT(say(lines), 0);
	check_refused(
		"path",
		PIECES(NATIVE ",'providerReplayThroughEntryId':'nowhere'}"));
}

static void omp(void)
{
	omp_roles();
	check_native();
	check_refused("", PIECES("{'type':'session','version':3,'id':'s',"
				 "'timestamp':'2026-03-01T10:00:00.000Z',"
				 "'cwd':'/'}"));
	check_refused_without(NULL, "usage");
	check_refused_without("usage", "cost");
	check_refused_without(NULL, "content");
	check_refused("usage",
		      PIECES("{'role':'toolResult','toolCallId':'t',"
			     "'toolName':'task','content':[],'isError':false,"
			     "'details':{'usage':{'input':1}}}"));
	CHECK(!exists(test_path(".session.jsonl.lock")));
}

static void omp_locked(void)
{
	char holder[64];
	mount_fixture(OMP);
	keep_session();
	snprintf(holder, sizeof(holder), "%d:%lld000\n", (int)getpid(),
		 (long long)time(NULL));
	const char *lock = test_file(".session.jsonl.lock", holder);
	CHECK_INT(say(SAYS("x")), EBUSY);
	CHECK_KEPT();
	CHECK_INT(ERRNO(unlink(lock)), 0);
	CHECK_INT(say(SAYS("x")), 0);
	CHECK(came(1, OMP));
}

/* How many lines have this string. */
static int with(const char *name, struct span text)
{
	cJSON *values = session_values(), *e;
	int n = 0;
	for (e = children_of(values); e; e = e->next) {
		const char *its =
			cJSON_GetStringValue(cJSON_GetObjectItem(e, name));
		n += its && span_eq(span_of(its), text);
	}
	cJSON_Delete(values);
	return n;
}

static void check_uuid_copy(void)
{
	char raw[256];
	struct span uuid = member(-1, "uuid"), parent = member(-2, "uuid");
	CHECK_SPAN(member(-1, "parentUuid"), parent);
	CHECK(uuid.n > 0 && !span_eq(uuid, SPAN("m3")));
	snprintf(raw, sizeof(raw),
		 "{\"type\":\"message\",\"uuid\":\"%.*s\","
		 "\"parentUuid\":\"%.*s\",\"message\":{\"role\":\"user\","
		 "\"content\":\"Perl\"}}",
		 (int)uuid.n, uuid.p, (int)parent.n, parent.p);
	CHECK_SPAN(line_from_end(1), span_of(raw));
}

/* Rules: A6 */
static void draft_uuid(void)
{
	mount_fixture(UUIDS);
	CHECK_INT(say(SAYS("and docs")), 0);
	CHECK_LAST("type", "message");
	CHECK_LAST("parentUuid", "m8");
	CHECK_LAST("id", "-");
	CHECK_LAST("parentId", "-");
	CHECK_MEMBER(-1, "message.content", "and docs");
	CHECK_INT(with("uuid", member(-1, "uuid")), 1);
	CHECK_ENDS("context.txt", "\n[User]: and docs\n");
	CHECK_INT(say("{'type':'branch_summary','parentUuid':'m6',"
		      "'summary':'came back'}\n"
		      "{'type':'stack_summary','summary':'more'}\n"),
		  0);
	CHECK_INT(append_file("by-id/m3/raw.json"), 0);
	CHECK_MEMBER(-3, "parentUuid", "m6");
	CHECK_SPAN(member(-2, "parentUuid"), member(-3, "uuid"));
	check_uuid_copy();
	CHECK_FILE("HEAD/content", "Perl\n");
	CHECK(came(4, UUIDS));
	CHECK_HAS("context.txt", "Perl");
	CHECK_INT(say("{'type':'compaction','summary':'S','tokensBefore':5}"
		      "\n" SAYS("last")),
		  0);
	CHECK_ENDS("context.txt", "\n[User]: last\n");
	CHECK(!has("context.txt", "Perl"));
	check_refused(
		"",
		PIECES("{'type':'message','parentUuid':'nowhere',"
		       "'message':{'role':'user','content':'x'}}",
		       "{'type':'session','version':2,'uuid':'s2',"
		       "'parentUuid':null,'id':'abc','cwd':'/'}",
		       "{'type':'compaction','summary':'S','tokensBefore':5,"
		       "'firstKeptEntryUuid':'o1'}",
		       "{'type':'label','targetUuid':'nowhere','label':'x'}",
		       "{'role':'user'}", "{'content':'x'}"));
}

/* Rules: A6 */
static void draft_index(void)
{
	static const char *const parents[] = { "14", "2", "2", "0", "18" };
	mount_fixture(POSITIONS);
	CHECK_INT(say(SAYS("on")), 0);
	CHECK_HEAD("by-id/14");
	CHECK_ENDS("context.txt", "\n[User]: on\n");
	CHECK_INT(say(ANSWER("fine")), 0);
	CHECK_INT(say("{'type':'stack_summary','parent':2,"
		      "'summary':'again'}\n"),
		  0);
	CHECK_LINK("HEAD/parent", "../2");
	/* There are no ids: an entry's own line is put below its parent. */
	CHECK_INT(append_file("by-id/3/raw.json"), 0);
	CHECK_LINK("HEAD/parent", "../2");
	CHECK(came(4, POSITIONS));
	CHECK_INT(say("{'type':'compaction','summary':'S',"
		      "'tokensBefore':5}\n"),
		  0);
	CHECK_INT(say(SAYS("then")), 0);
	CHECK(span_starts(
		line_from_end(3),
		SPAN("{\"type\":\"message\",\"parent\":2,\"message\":{"
		     "\"role\":\"user\",\"content\":\"Path A\"}")));
	for (int i = 0; i < (int)COUNT(parents); i++)
		CHECK_MEMBER(i - (int)COUNT(parents), "parent", parents[i]);
	CHECK_MEMBER(-6, "type", "message");
	struct span parent = member(-6, "parent");
	CHECK(span_eq(parent, SPAN("13")) || span_eq(parent, SPAN("8")));
	CHECK_MEMBER(-6, "id", "-");
	CHECK_MEMBER(-6, "message.content", "on");
	check_refused("", PIECES("{'type':'message','parent':99,"
				 "'message':{'role':'user','content':'x'}}",
				 "{'type':'message','parent':-2,"
				 "'message':{'role':'user','content':'x'}}",
				 "{'type':'message','parent':1.5,"
				 "'message':{'role':'user','content':'x'}}",
				 "{'type':'message','parent':'3',"
				 "'message':{'role':'user','content':'x'}}",
				 "{'type':'session','id':'abc','parent':-1,"
				 "'cwd':'/'}",
				 "{'type':'label','target':99,'label':'x'}",
				 "{'role':'user'}"));
}

static void draft_index_torn(void)
{
	mount_lines("{'type':'session','id':'abc','parent':-1,"
		    "'cwd':'/work/demo'}\n"
		    "{'type':'message','parent':0,"
		    "'message':{'role':'user','content':'one'}}\n"
		    "{'type':'mess");
	CHECK_INT(say(SAYS("two") SAYS("three")), 0);
	CHECK_INT(session_lines(), 5);
	CHECK_SPAN(line_from_end(3), SPAN("{\"type\":\"mess"));
	CHECK_MEMBER(-2, "parent", "1");
	CHECK_MEMBER(-1, "parent", "3");
	CHECK_FILE("context.txt",
		   "[User]: one\n\n[User]: two\n\n[User]: three\n");
}

enum { WRITERS = 5, EACH = 20 };

static int write_twenty(int writer)
{
	int err = 0;
	for (int i = 0; i < EACH && !err; i++) {
		char line[64];
		snprintf(line, sizeof(line), SAYS("%d %d"), writer, i);
		err = say(line);
	}
	return err;
}

/* Is each writer's text there once, in the values from the Nth on? They are in
 * this object. */
static void check_written(int n, const char *object)
{
	int seen[WRITERS][EACH] = { { 0 } };
	cJSON *values = session_values();
	CHECK_INT(cJSON_GetArraySize(values), n + WRITERS * EACH);
	for (cJSON *e = cJSON_GetArrayItem(values, n); e; e = e->next) {
		const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(
			cJSON_GetObjectItem(e, object), "content"));
		int w = -1, i = -1;
		CHECK(text && sscanf(text, "%d %d", &w, &i) == 2 && w >= 0 &&
		      w < WRITERS && i >= 0 && i < EACH && seen[w][i]++ == 0);
	}
	cJSON_Delete(values);
}

static void draft_index_writers(void)
{
	mount_fixture(POSITIONS);
	int n = (int)session_lines();
	CHECK_INT(in_processes(WRITERS, write_twenty), 0);
	CHECK(came(WRITERS * EACH, POSITIONS));
	check_written(n, "message");
	cJSON *values = session_values();
	for (int i = n + 1; i < n + WRITERS * EACH; i++)
		CHECK_INT(cJSON_GetNumberValue(cJSON_GetObjectItem(
				  cJSON_GetArrayItem(values, i), "parent")),
			  i - 1);
	cJSON_Delete(values);
}

/* The Go tree's sidecar has this head, and nothing else. */
static bool is_sidecar(struct span head)
{
	char want[128], got[128] = "";
	size_t n = 0;
	snprintf(want, sizeof(want), "{\"head\":\"%.*s\"}", (int)head.n,
		 head.p);
	struct span s = text_of(test_path("session.head.json"));
	for (size_t i = 0; i < s.n && n < sizeof(got) - 1; i++)
		if (!isspace((unsigned char)s.p[i]))
			got[n++] = s.p[i];
	return strcmp(got, want) == 0;
}

static void check_sidecar_is_leaf(void)
{
	char leaf[64];
	struct span s = value_in("info", "leaf");
	snprintf(leaf, sizeof(leaf), "%.*s", (int)s.n, s.p);
	CHECK(*leaf && is_sidecar(span_of(leaf)));
}

static bool is_ulid(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("0123456789ABCDEFGHJKMNPQRSTVWXYZ", s.p[i]))
			return false;
	return s.n == 26 && s.p[0] <= '7';
}

/* A time of RFC 3339. */
static bool is_time(struct span s)
{
	char text[64], rest[64];
	snprintf(text, sizeof(text), "%.*s", (int)s.n, s.p);
	if (strlen(text) < 20)
		return false;
	snprintf(rest, sizeof(rest), "%s", text + 19);
	text[19] = '\0';
	const char *zone = rest;
	if (*zone == '.') {
		size_t digits = strspn(zone + 1, "0123456789");
		if (digits == 0)
			return false;
		zone += 1 + digits;
	}
	return is_shaped(text, "0000-00-00T00:00:00") &&
	       (strcmp(zone, "Z") == 0 || is_shaped(zone, "+00:00") ||
		is_shaped(zone, "-00:00"));
}

static void go_message(void)
{
	static const char payload[] = "\"payload\":{\"role\":\"user\","
				      "\"content\":\"q4\",\"x\": [1, 2]";
	static const char *const others[] = { "type", "role", "message",
					      "timestamp" };
	size_t n = session_lines();
	CHECK_INT(say("{'role':'user','content':'q4','x': [1, 2]}\n"), 0);
	CHECK_LAST("kind", "turn.user");
	CHECK_LAST("parentId", ULID("05"));
	CHECK(is_ulid(last("id")));
	CHECK_MEMBER(-1, "payload.content", "q4");
	struct span raw = line_from_end(1);
	CHECK(memmem(raw.p, raw.n, payload, strlen(payload)) != NULL);
	CHECK(is_time(last("ts")));
	for (size_t i = 0; i < COUNT(others); i++)
		CHECK_LAST(others[i], "-");
	check_sidecar_is_leaf();
	check_head_is_leaf();
	CHECK_ENDS("context.txt", "\n[User]: q4\n");
	/* The torn line of the fixture stays alone: two have got an end. */
	CHECK_INT(session_lines(), n + 2);
}

static void go_entries(void)
{
	CHECK_INT(say("{'kind':'branch_summary','parentId':'" ULID(
			  "03") "','payload':{'summary':'came back'}}\n"),
		  0);
	CHECK_INT(say("{'kind':'custom.note','payload':{'n':1}}\n"), 0);
	CHECK_INT(append_file("by-id/" ULID("08") "/raw.json"), 0);
	CHECK_MEMBER(-3, "parentId", ULID("03"));
	CHECK_MEMBER(-3, "payload", "{\"summary\":\"came back\"}");
	CHECK_MEMBER(-2, "kind", "custom.note");
	CHECK_SPAN(member(-2, "parentId"), member(-3, "id"));
	CHECK(!span_eq(last("id"), SPAN(ULID("08"))));
	CHECK_SPAN(member(-1, "parentId"), member(-2, "id"));
	CHECK_LAST("ts", "2026-05-01T00:00:08.5Z");
	CHECK(span_ends(line_from_end(1),
			SPAN("\"kind\":\"turn.user\","
			     "\"ts\":\"2026-05-01T00:00:08.5Z\","
			     "\"payload\":{\"text\":\"q3\"}}")));
	check_sidecar_is_leaf();
}

/* Rules: A6 */
static void go_tree(void)
{
	char head[64];
	mount_fixture(GO);
	go_message();
	CHECK_INT(say(ANSWER("a4") "{'role':'toolResult','toolCallId':'t',"
				   "'toolName':'n','content':[{'type':'text',"
				   "'text':'r'}]}\n"
				   "{'role':'system','content':'be brief'}\n"),
		  0);
	CHECK_MEMBER(-3, "kind", "turn.assistant");
	CHECK_MEMBER(-2, "kind", "turn.tool_result");
	CHECK_MEMBER(-1, "kind", "system.prompt");
	CHECK(are_chained(-3));
	CHECK_SPAN(value_in("info", "leaf"), last("id"));
	go_entries();
	/* A label's entry leaves the head where it is. */
	struct span at = link_at("HEAD");
	CHECK(span_starts(at, SPAN("by-id/")));
	snprintf(head, sizeof(head), "%.*s", (int)at.n, at.p);
	CHECK_INT(say("{'kind':'custom.label','payload':{'targetId':'" ULID(
			  "02") "','label':'said'}}\n"),
		  0);
	CHECK_FILE("by-id/" ULID("02") "/label", "said\n");
	CHECK_HEAD(head);
	CHECK(is_sidecar(span_of(head + strlen("by-id/"))));
}

#define GO_ONE                                                \
	"{'id':'" ULID("01") "','kind':'turn.user',"          \
			     "'ts':'2026-05-01T00:00:01.5Z'," \
			     "'payload':{'text':'one'}}\n"

static void go_without_head(void)
{
	mount_lines(GO_ONE);
	CHECK_INT(say(SAYS("first")), 0);
	struct span parent = last("parentId");
	CHECK(span_eq(parent, SPAN("-")) || span_eq(parent, SPAN("null")) ||
	      parent.n == 0);
	check_head_is_leaf();
	check_sidecar_is_leaf();
	CHECK_INT(say(SAYS("second")), 0);
	CHECK_FILE("context.txt", "[User]: first\n\n[User]: second\n");
}

/* A message with a text of so many blanks. The caller frees it. */
static struct buf long_line(size_t n)
{
	struct buf b = { 0 };
	buf_add(&b, SPAN("{'role':'user','content':'"));
	for (size_t i = 0; i < n; i++)
		buf_addc(&b, ' ');
	buf_add(&b, SPAN("'}\n"));
	buf_addc(&b, '\0');
	return b;
}

static void go_refused(void)
{
	struct buf too_long = long_line(1 << 20), longer = long_line(1000000),
		   sidecar = { 0 };
	mount_fixture(GO);
	check_refused("",
		      PIECES("{'role':'bashExecution','command':'c',"
			     "'output':'o'}",
			     "{'role':'custom','content':'x'}",
			     "{'role':'developer','content':'x'}",
			     "{'type':'message','message':{'role':'user',"
			     "'content':'x'}}",
			     "{'kind':5,'payload':{}}",
			     "{'kind':'x','payload':'text'}",
			     "{'kind':'x','payload':{},'ts':'yesterday'}",
			     "{'kind':'x','payload':{},'parentId':'nowhere'}"));
	CHECK(is_refused(too_long.data, ""));
	test_read(fixture("go-tree.head.json"), &sidecar);
	CHECK_SPAN(text_of(test_path("session.head.json")), buf_span(&sidecar));
	CHECK_INT(say(longer.data), 0);
	CHECK_INT(stat_of("HEAD/content").st_size, 1000001);
	buf_free(&too_long);
	buf_free(&longer);
	buf_free(&sidecar);
}

static void go_writers(void)
{
	size_t n = 0;
	test_file("session.head.json", "{'head':'" ULID("01") "'}");
	mount_lines(GO_ONE);
	CHECK_INT(in_processes(WRITERS, write_twenty), 0);
	CHECK(are_chained(1));
	check_written(1, "payload");
	check_sidecar_is_leaf();
	for (struct span rest = text_of("context.txt"); rest.n > 0;)
		n += span_starts(span_next(&rest, '\n'), SPAN("[User]"));
	CHECK_INT(n, 101);
}

static const struct mounts_test tests[] = {
	TEST("omp: messages of its own roles; a summary names its parent", omp),
	TEST("omp: while the agent holds its lock, EBUSY", omp_locked),
	TEST("draft-uuid: messages and entries with its own members",
	     draft_uuid),
	TEST("draft-index: a line names its parent by position, or goes below "
	     "the leaf",
	     draft_index),
	TEST("draft-index: a torn line has a position, and stays alone",
	     draft_index_torn),
	TEST("draft-index: writers at once: each is below one that was there",
	     draft_index_writers),
	TEST("go-tree: roles are kinds, lines are payloads, and the sidecar is "
	     "moved",
	     go_tree),
	TEST("go-tree: without a head a line is a root, and is the head",
	     go_without_head),
	TEST("go-tree: roles without a kind, and lines that are too long, are "
	     "refused",
	     go_refused),
	TEST("go-tree: writers at once: the sidecar is the last entry, which "
	     "all are above",
	     go_writers),
};
RUN_TESTS(tests)
