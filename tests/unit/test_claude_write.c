/*
 * What sessfs writes for Claude Code: the sidecar (sessfs-formats(5)),
 * pins and branches.
 */
#include "core/session/dialect.h"
#include "core/session/writer.h"
#include "core/show/context.h"
#include "tests/unit/dialect_test.h"

/* `parent` is JSON. */
#define OF(version, type, id, parent, second, rest)                      \
	"{'parentUuid':" parent ",'sessionId':'5e55f500-0000-4000-8000-" \
	"000000000001','version':'" version "','type':'" type "'," rest  \
	",'uuid':'" id "','timestamp':'2026-03-01T10:00:" second ".000Z'}\n"
#define SAYS(id) \
	"'isSidechain':false,'message':{'role':'user','content':'" id "'}"
/* The agent of this version ignores pins. */
#define ASKS(id, parent, second) \
	OF("2.1.112", "user", id, parent, second, SAYS(id))
/* c is the transcript's own leaf. */
#define BRANCHES(of) \
	of("a", "null", "01") of("b", "'a'", "02") of("c", "'a'", "03")
#define TRANSCRIPT BRANCHES(ASKS)

/* Of versions that heed pins, the older one only those of entries. */
#define HEEDS(id, parent, second) \
	OF("2.1.330", "user", id, parent, second, SAYS(id))
#define HEEDS_SOME(id, parent, second) \
	OF("2.1.150", "user", id, parent, second, SAYS(id))
#define OTHER(type, id, parent, second, rest) \
	OF("2.1.330", type, id, parent, second, rest)
#define BOUNDARY(id, second, logical, rest)   \
	OTHER("system", id, "null", second,   \
	      "'subtype':'compact_boundary'," \
	      "'logicalParentUuid':'" logical "'" rest)
#define SUMMARY(id, parent, second) \
	OTHER("user", id, parent, second, "'isCompactSummary':true," SAYS(id))

static void put_sidecar(const char *text)
{
	if (text)
		test_file("s.sessfs.json", text);
	else
		unlink(test_path("s.sessfs.json"));
}

static void check_sidecar(const char *want)
{
	struct buf got = { 0 };
	struct buf quoted = test_quoted(want);
	test_read(test_path("s.sessfs.json"), &got);
	CHECK_SPAN(buf_span(&got), buf_span(&quoted));
	buf_free(&got);
	buf_free(&quoted);
}

static int move(struct session *s, const char *id)
{
	struct writer w;
	CHECK_INT(writer_begin(&w, s), 0);
	int err = writer_set_head(&w, id ? test_find(s, id) : INDEX_NONE);
	writer_end(&w);
	return err;
}

static int label(struct session *s, const char *id, const char *text)
{
	struct writer w;
	CHECK_INT(writer_begin(&w, s), 0);
	int err = writer_set_label(&w, test_find(s, id), span_of(text));
	writer_end(&w);
	return err;
}

#define CHECK_HEAD(s, want)                       \
	do {                                      \
		CHECK_INT(session_enter(s), 0);   \
		CHECK_ID(s, (s)->now.leaf, want); \
		session_leave(s);                 \
	} while (0)

/* What a sidecar makes of HEAD. */
static void check_heads(void)
{
	static const struct {
		const char *sidecar;
		const char *head;
	} rows[] = {
		{ NULL, "c" },
		{ "{}", "c" },
		{ "{'head':'b','leaf':'c'}", "b" },
		{ "{'head':'b'}", "b" },
		{ "{'head':null,'leaf':'c'}", "-" },
		{ "{'head':null}", "-" },
		/* The transcript has gone on since, or never was there. */
		{ "{'head':'b','leaf':'a'}", "c" },
		{ "{'head':'b','leaf':null}", "c" },
		{ "{'head':null,'leaf':7}", "c" },
		/* No such entry. */
		{ "{'head':'zz','leaf':'c'}", "c" },
		{ "{'head':7}", "c" },
		{ "{'head':''}", "c" },
		/* Spelled otherwise. */
		{ "{'head':'\\u0062','leaf':'\\u0063','head':'\\u0061'} ",
		  "a" },
		/* Damaged. */
		{ "", "c" },
		{ "{'head':'b'", "c" },
		{ "['head','b']", "c" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].sidecar;
		put_sidecar(rows[i].sidecar);
		struct session *s = test_session(TRANSCRIPT);
		CHECK_ID(s, s->now.leaf, rows[i].head);
		test_close(s);
	}
	test_row = NULL;
	put_sidecar(NULL);
}

static void check_moves(void)
{
	struct session *s = test_session(TRANSCRIPT);
	session_leave(s);
	CHECK_INT(move(s, "b"), 0);
	check_sidecar("{'head':'b','leaf':'c','labels':{}}\n");
	CHECK_HEAD(s, "b");
	CHECK_INT(label(s, "a", "one"), 0);
	check_sidecar("{'head':'b','leaf':'c','labels':{'a':'one'}}\n");
	CHECK_INT(move(s, NULL), 0);
	check_sidecar("{'head':null,'leaf':'c','labels':{'a':'one'}}\n");
	CHECK_HEAD(s, "-");
	/* Back, HEAD goes with the transcript again. */
	CHECK_INT(move(s, "c"), 0);
	check_sidecar("{'labels':{'a':'one'}}\n");
	CHECK_HEAD(s, "c");
	test_append("s.jsonl", ASKS("d", "'b'", "04"));
	CHECK_HEAD(s, "d");
	CHECK_INT(move(s, "b"), 0);
	CHECK_HEAD(s, "b");
	test_append("s.jsonl", ASKS("e", "'d'", "05"));
	CHECK_HEAD(s, "e");
	CHECK_INT(move(s, "e"), 0);
	/* A head that is none is one as long as the sidecar counts. */
	put_sidecar("{'head':'zz','leaf':'e'}");
	CHECK_HEAD(s, "e");
	CHECK(s->now.sidecar_fault);
	test_append("s.jsonl", ASKS("f", "'e'", "06"));
	CHECK_HEAD(s, "f");
	CHECK(!s->now.sidecar_fault);
	session_free(s);
	put_sidecar(NULL);
}

/* What is not sessfs's stays. */
static void check_kept(void)
{
	put_sidecar(" {'x': [1.50] ,'labels':{'zz':'kept','b':'old','a':7},"
		    "'leaf':'c' , 'y':'\\u0041','head':'b'}\n");
	struct session *s = test_session(TRANSCRIPT);
	CHECK_SPAN(session_label(s, test_find(s, "b")), SPAN("old"));
	CHECK_SPAN(session_label(s, test_find(s, "a")), SPAN(""));
	session_leave(s);
	CHECK_INT(label(s, "b", "n\xC3\xA9w"), 0);
	check_sidecar("{'head':'b','leaf':'c','labels':{'zz':'kept','a':7,"
		      "'b':'n\xC3\xA9w'},'x':[1.50],'y':'\\u0041'}\n");
	CHECK_INT(label(s, "b", ""), 0);
	CHECK_INT(label(s, "a", "\"q\""), 0);
	CHECK_INT(move(s, "c"), 0);
	put_sidecar(" {'labels':7}");
	CHECK_INT(session_enter(s), 0);
	CHECK_SPAN(session_label(s, test_find(s, "a")), SPAN(""));
	session_leave(s);
	CHECK_INT(label(s, "a", "x"), 0);
	check_sidecar("{'labels':{'a':'x'}}\n");
	session_free(s);
	put_sidecar(NULL);
}

static void check_damaged(void)
{
	struct session *s = test_session(TRANSCRIPT);
	session_leave(s);
	CHECK_INT(label(s, "a", "one"), 0);
	put_sidecar("{'labels':{'a':'one'}");
	CHECK_INT(label(s, "a", "two"), -EIO);
	CHECK_INT(move(s, "b"), -EIO);
	check_sidecar("{'labels':{'a':'one'}");
	CHECK_HEAD(s, "c");
	put_sidecar(NULL);
	CHECK_INT(label(s, "a", "two"), 0);
	check_sidecar("{'labels':{'a':'two'}}\n");
	/* More than is read again is not written. */
	struct buf big = { 0 };
	buf_adds(&big, "{\"x\":\"");
	buf_fill(&big, 'x', SIDECAR_LIMIT - 8);
	buf_adds(&big, "\"}");
	test_put(test_path("s.sessfs.json"), O_TRUNC, buf_span(&big));
	CHECK_INT(label(s, "a", "three"), -EFBIG);
	test_put(test_path("s.sessfs.json"), O_APPEND, SPAN("\n"));
	CHECK_INT(label(s, "a", "three"), -EIO);
	buf_free(&big);
	session_free(s);
	put_sidecar(NULL);
}

#define MIXED                                                               \
	OTHER("system", "h", "null", "01", "'subtype':'informational'")     \
	HEEDS("a", "'h'", "02")                                             \
	OTHER("user", "b", "'a'", "03",                                     \
	      "'isSidechain':true,'message':{'role':'user','content':'b'}") \
	OTHER("progress", "p", "'a'", "04", "'data':{}")                    \
	OTHER("future", "f", "'a'", "05", "'x':1")                          \
	HEEDS("g", "'a'", "06")                                             \
	BOUNDARY("i", "07", "g", "") SUMMARY("s", "'i'", "08")
#define COMPACTED(kept)                                           \
	HEEDS("a", "null", "01")                                  \
	HEEDS("b", "'a'", "02")                                   \
	HEEDS("c", "'b'", "03")                                   \
	HEEDS("d", "'c'", "04")                                   \
	BOUNDARY("i", "05", "d", ",'compactMetadata':{" kept "}") \
	SUMMARY("s", "'i'", "06") HEEDS("e", "'s'", "07")
#define MESSAGES                                                    \
	COMPACTED("'preservedMessages':{'anchorUuid':'s','uuids':[" \
		  "'c','d']}")
#define SEGMENT                                                      \
	COMPACTED("'preservedSegment':{'headUuid':'c','anchorUuid':" \
		  "'s','tailUuid':'d'}")
#define AGAIN SEGMENT BOUNDARY("j", "08", "e", "") SUMMARY("t", "'j'", "09")
#define DROPPED "dropped by a compaction"
#define AS_IT_WAS "{'labels':{'a':'mine'},'x':1}"

/* Where the agent heeds it, HEAD is moved by a line in the transcript; and only
 * where it would go on from. */
static void check_pins(void)
{
	static const struct {
		const char *lines, *sidecar, *target;
		const char *pin;  /* what is appended names; NULL: nothing is */
		const char *kept; /* the sidecar then; NULL: none */
		const char *why;  /* it is refused; or NULL */
	} rows[] = {
		{ BRANCHES(HEEDS), NULL, "b", "'b'", NULL, NULL },
		{ BRANCHES(HEEDS), NULL, "-", "null", NULL, NULL },
		{ BRANCHES(HEEDS), NULL, "c", NULL, NULL, NULL },
		/* The sidecar keeps what is not HEAD. */
		{ BRANCHES(HEEDS), AS_IT_WAS, "b", "'b'", AS_IT_WAS, NULL },
		{ BRANCHES(HEEDS), "{'head':", "b", "'b'", "{'head':", NULL },
		{ BRANCHES(HEEDS), "{'head':'b','leaf':'c','labels':{}}", "b",
		  "'b'", "{'labels':{}}\n", NULL },
		/* The newest version decides. */
		{ TRANSCRIPT HEEDS("d", "'c'", "04"),
		  "{'head':'b','leaf':'c','labels':{}}", "b", "'b'",
		  "{'labels':{}}\n", NULL },
		{ BRANCHES(HEEDS_SOME), NULL, "-", NULL,
		  "{'head':null,'leaf':'c','labels':{}}\n", NULL },
		{ BRANCHES(HEEDS_SOME), "{'head':null,'leaf':'c','labels':{}}",
		  "b", "'b'", "{'labels':{}}\n", NULL },
		{ MIXED, NULL, "b", NULL, NULL, "a subagent" },
		{ MIXED, NULL, "p", NULL, NULL, "of a type" },
		{ MIXED, NULL, "f", NULL, NULL, "of a type" },
		{ MIXED, NULL, "i", NULL, NULL, "boundary of a compaction" },
		{ MIXED, NULL, "h", NULL, NULL, "nobody has said anything" },
		/* It keeps nothing: the agent still loads all. */
		{ MIXED, NULL, "g", "'g'", NULL, NULL },
		{ MESSAGES, NULL, "a", NULL, NULL, DROPPED },
		{ MESSAGES, NULL, "b", NULL, NULL, DROPPED },
		{ MESSAGES, NULL, "d", "'d'", NULL, NULL },
		{ MESSAGES, NULL, "s", "'s'", NULL, NULL },
		{ SEGMENT, NULL, "b", NULL, NULL, DROPPED },
		{ SEGMENT, NULL, "c", "'c'", NULL, NULL },
		/* A later boundary ends what the earlier one keeps. */
		{ AGAIN, NULL, "d", NULL, NULL, DROPPED },
		{ AGAIN, NULL, "e", NULL, NULL, DROPPED },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf want = { 0 }, got = { 0 };
		test_row = rows[i].why ? rows[i].why : rows[i].lines;
		put_sidecar(rows[i].sidecar);
		struct session *s = test_session(rows[i].lines);
		struct buf lines = test_quoted(rows[i].lines);
		if (rows[i].pin)
			buf_addf(&want,
				 "{'type':'last-prompt','leafUuid':%s,"
				 "'explicit':true,'sessionId':'5e55f500-0000-"
				 "4000-8000-000000000001'}\n",
				 rows[i].pin);
		struct buf pin = test_quoted(buf_cstr(&want));
		buf_add(&lines, buf_span(&pin));
		CHECK_INT(dialect_move(s, rows[i].target),
			  rows[i].why ? -EINVAL : 0);
		CHECK_SPAN(buf_span(test_read(test_path("s.jsonl"), &got)),
			   buf_span(&lines));
		if (rows[i].why)
			CHECK(s->refused.reason &&
			      strstr(s->refused.reason, rows[i].why));
		else
			CHECK_ID(s, s->now.leaf, rows[i].target);
		if (rows[i].kept)
			check_sidecar(rows[i].kept);
		else
			CHECK(access(test_path("s.sessfs.json"), F_OK) != 0);
		test_close(s);
		buf_free(&lines);
		buf_free(&want);
		buf_free(&pin);
		buf_free(&got);
	}
	test_row = NULL;
	put_sidecar(NULL);
}

/* Of a larger file the agent does not load what is before the last boundary. */
static void check_large(void)
{
	struct buf lines = { 0 };
	buf_adds(&lines, MIXED "{'x':'");
	buf_fill(&lines, 'x', (5 << 20) - lines.len - strlen("'}\n"));
	buf_adds(&lines, "'}\n");
	struct session *s = test_session(buf_cstr(&lines));
	CHECK_INT(dialect_move(s, "g"), 0);
	CHECK_INT(dialect_move(s, "a"), -EINVAL);
	CHECK(s->refused.reason && strstr(s->refused.reason, DROPPED));
	CHECK_INT(dialect_move(s, "s"), 0);
	test_close(s);
	buf_free(&lines);
}

/* Nothing is shown of a session whose moves can't be read. */
static void check_unread(void)
{
	struct rlimit was;
	struct session *s = test_session(TRANSCRIPT);
	put_sidecar("{}");
	test_append("s.jsonl", ASKS("x", "'a'", "04"));
	test_need(getrlimit(RLIMIT_NOFILE, &was) == 0, "getrlimit");
	const struct rlimit none = { 0, was.rlim_max };
	test_need(setrlimit(RLIMIT_NOFILE, &none) == 0, "setrlimit");
	session_leave(s);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(session_enter_again(s), -EMFILE);
		session_leave(s);
	}
	CHECK_INT(s->now.index.n, 0);
	test_need(setrlimit(RLIMIT_NOFILE, &was) == 0, "setrlimit");
	CHECK_INT(session_enter_again(s), 0);
	CHECK_INT(s->now.index.n, 4);
	test_close(s);
	put_sidecar(NULL);
}

/* Branches. */

/* The branch of an entry, as a session; test_close() it. */
static struct session *open_branch(const struct session *s, uint32_t entry)
{
	struct buf lines = { 0 };
	CHECK_INT(s->dialect->sending->branch(s, entry, 1, &lines), 0);
	test_put(test_path("branch.jsonl"), O_TRUNC, buf_span(&lines));
	buf_free(&lines);
	struct session *b = test_open(test_path("branch.jsonl"));
	CHECK_INT(session_enter(b), 0);
	return b;
}

/*
 * A line of a random tree with few responses, whose fragments and results hang
 * anywhere. What is below a sidechain is on one.
 */
static void add_random_line(struct buf *out, bool *side, uint32_t i)
{
	static const struct {
		const char *before; /* of the number */
		const char *behind;
	} kinds[] = {
		{ "'user','message':{'content':'q", "'}" },
		{ "'user','message':{'content':[{'type':'tool_result',"
		  "'content':'r",
		  "'}]}" },
		{ "'system','subtype':'link", "'" },
		{ "'assistant','message':{'id':'one','content':[{'type':'text'"
		  ",'text':'a",
		  "'}]}" },
		{ "'assistant','message':{'id':'two','content':[{'type':'text'"
		  ",'text':'b",
		  "'}]}" },
		{ "'system','subtype':'compact_boundary','n':", "" },
	};
	uint32_t kind = test_random() % 40;
	uint32_t back = test_random() % 4;
	const char *key = "parentUuid";
	kind = kind == 39 ? 5 : kind % 5;
	side[i] = (i > back && side[i - back - 1]) || test_random() % 30 == 0;
	buf_addf(out, "{'sessionId':'s','uuid':'e%u','isSidechain':%s,", i,
		 side[i] ? "true" : "false");
	if (kind == 5)
		key = "logicalParentUuid";
	if (i > back)
		buf_addf(out, "'%s':'e%u',", key, i - back - 1);
	buf_addf(out, "'timestamp':%u,'type':%s%u%s}\n", test_random() % 100,
		 kinds[kind].before, i, kinds[kind].behind);
}

/*
 * A branch is one chain with its leaf at the end, or above the links there, and
 * says what its entry said.
 */
static void check_random_branch(const struct session *s, uint32_t entry)
{
	struct buf ours = { 0 };
	struct buf theirs = { 0 };
	struct session *b = open_branch(s, entry);
	uint32_t n = b->now.index.n;
	CHECK(b->now.leaf == INDEX_NONE || path_has(b, n - 1, b->now.leaf));
	CHECK(index_find(&b->now.index, index_id(&s->now.index, entry)) !=
	      INDEX_NONE);
	for (uint32_t i = 0; i < n; i++)
		CHECK_INT(session_entry(b, i)->parent, i - 1);
	CHECK_INT(context_add(s, entry, MESSAGE_FORM_JSON, &theirs), 0);
	CHECK_INT(context_add(b, n - 1, MESSAGE_FORM_JSON, &ours), 0);
	CHECK_SPAN(buf_span(&ours), buf_span(&theirs));
	buf_free(&ours);
	buf_free(&theirs);
	test_close(b);
}

static void check_random_branches(void)
{
	for (int round = 0; round < 60; round++) {
		struct buf lines = { 0 };
		bool side[24] = { false };
		for (uint32_t i = 0; i < COUNT(side); i++)
			add_random_line(&lines, side, i);
		struct session *s = dialect_session("claude", buf_cstr(&lines));
		for (uint32_t i = 0; i < s->now.index.n; i++)
			check_random_branch(s, i);
		test_close(s);
		buf_free(&lines);
	}
}

int main(void)
{
	check_heads();
	check_moves();
	check_kept();
	check_damaged();
	check_pins();
	check_large();
	check_unread();
	check_random_branches();
	return test_done("claude_write");
}
