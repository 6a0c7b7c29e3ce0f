/*
 * What sessfs writes for Claude Code: what cases of the corpus (`written`)
 * don't say of the sidecar and of pins, and branches.
 */
#include "core/session/dialect.h"
#include "core/session/writer.h"
#include "tests/unit/dialect_test.h"

static struct session *open_copy(const char *name)
{
	struct session *s = test_open(test_copy("s.jsonl", name));
	CHECK_INT(session_enter(s), 0);
	return s;
}

static void put_sidecar(const char *text)
{
	if (text)
		test_file("s.sessfs.json", text);
	else
		unlink(test_path("s.sessfs.json"));
}

static int label(struct session *s, const char *id, const char *text)
{
	struct writer w;
	CHECK_INT(writer_begin(&w, s), 0);
	int err = writer_set_label(&w, test_find(s, id), span_of(text));
	writer_end(&w);
	return err;
}

/* More than is read again is not written. */
TEST(check_big_sidecar)
{
	struct buf big = { 0 };
	struct session *s = open_copy("claude-write");
	session_leave(s);
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

#define DROPPED "dropped by a compaction"

/* Of a larger file the agent does not load what is before the last boundary. */
TEST(check_large)
{
	struct buf lines = { 0 };
	test_read(test_copy("s.jsonl", "claude-write-mixed"), &lines);
	buf_adds(&lines, "{\"x\":\"");
	buf_fill(&lines, 'x', (5 << 20) - lines.len - strlen("\"}\n"));
	buf_adds(&lines, "\"}\n");
	test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&lines));
	struct session *s = dialect_open("s.jsonl", NULL);
	CHECK_INT(dialect_move(s, "g"), 0);
	CHECK_INT(dialect_move(s, "a"), -EINVAL);
	CHECK(s->refused.reason && strstr(s->refused.reason, DROPPED));
	CHECK_INT(dialect_move(s, "s"), 0);
	test_close(s);
	buf_free(&lines);
}

/* Nothing is shown of a session whose moves can't be read. */
TEST(check_unread)
{
	struct session *s = open_copy("claude-write");
	put_sidecar("{}");
	test_append_copy("s.jsonl", "claude-write-more");
	test_limit_files(0);
	session_leave(s);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(session_enter_again(s), -EMFILE);
		session_leave(s);
	}
	CHECK_INT(s->now.index.n, 0);
	test_limit_files(-1);
	CHECK_INT(session_enter_again(s), 0);
	CHECK_INT(s->now.index.n, 4);
	test_close(s);
	put_sidecar(NULL);
}

/* -- branches */

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

TEST(check_random_branches)
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

RUN_TESTS("claude_write")
