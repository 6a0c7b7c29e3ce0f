/* An entry's own line, written to append, is a copy of it. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"

/* Append an entry's own line. */
static int append_raw(const char *id)
{
	char path[64];
	snprintf(path, sizeof(path), "by-id/%s/raw.json", id);
	struct span raw = text_of(path);
	CHECK(span_ends(raw, SPAN("\n")));
	return write_with(O_TRUNC, "append", raw);
}

/* The first value of a member that is null or a string, as JSON; empty without
 * one. */
static struct span value_of(struct span line, const char *key)
{
	char quoted[32];
	int n = snprintf(quoted, sizeof(quoted), "\"%s\"", key);
	const char *end = line.p + line.n, *p = line.p;
	while ((p = memmem(p, (size_t)(end - p), quoted, (size_t)n))) {
		p += n;
		const char *value = p;
		while (value < end && isspace((unsigned char)*value))
			value++;
		if (value == end || *value++ != ':')
			continue;
		while (value < end && isspace((unsigned char)*value))
			value++;
		struct span rest = { value, (size_t)(end - value) };
		if (span_starts(rest, SPAN("null")))
			return (struct span){ value, 4 };
		if (!span_starts(rest, SPAN("\"")))
			continue;
		const char *quote = memchr(value + 1, '"', rest.n - 1);
		if (quote)
			return (struct span){ value,
					      (size_t)(quote + 1 - value) };
	}
	return SPAN("");
}

/* Give the line the value that another one has. */
static void take_value(struct buf *line, const char *key, struct span other)
{
	struct buf made = { 0 };
	struct span all = buf_span(line), old = value_of(all, key);
	if (!CHECK(old.n > 0))
		return;
	size_t before = (size_t)(old.p - all.p), after = before + old.n;
	buf_add(&made, (struct span){ all.p, before });
	buf_add(&made, value_of(other, key));
	buf_add(&made, (struct span){ all.p + after, all.n - after });
	buf_free(line);
	*line = made;
}

/* Copy an entry. The last line is then its line, byte for byte except the id,
 * which no other line has, and the parent, which is the line above. */
static void check_copied(const char *id)
{
	struct buf old = { 0 }, above = { 0 };
	char path[64];
	snprintf(path, sizeof(path), "by-id/%s/raw.json", id);
	buf_add(&above, last("id"));
	test_row = id;
	CHECK_INT(append_raw(id), 0);
	CHECK(has_new_id());
	CHECK_SPAN(last("parentId"), buf_span(&above));
	buf_add(&old, text_of(path));
	struct span now = last_bytes();
	take_value(&old, "id", now);
	take_value(&old, "parentId", now);
	CHECK_SPAN(now, buf_span(&old));
	test_row = NULL;
	buf_free(&old);
	buf_free(&above);
}

/* Rules: A1 A3 */
static void own_line(void)
{
	static const char in_context[] =
		"\n[Assistant]: Done with approach A.\n\n"
		"[Assistant]: B is worse.\n";
	unsigned n = 0;
	mount_fixture(BRANCHES);
	keep_session();
	struct span rest = buf_span(&mounts_kept);
	span_next(&rest, '\n');
	while (rest.n > 0) {
		struct span line = span_next(&rest, '\n');
		cJSON *json = cJSON_ParseWithLength(line.p, line.n);
		const char *id =
			cJSON_GetStringValue(cJSON_GetObjectItem(json, "id"));
		if (CHECK(id))
			check_copied(id);
		cJSON_Delete(json);
		n++;
	}
	CHECK_INT(n, 24);
	CHECK(have_come(n));
	CHECK_FILE("by-id/aa000008/label", "good\n");
	/* Of a copy, and where HEAD was moved to. */
	CHECK_INT(move_head("by-id/aa000008"), 0);
	CHECK_INT(append_raw("aa000011"), 0);
	CHECK(span_ends(text_of("context.txt"), span_of(in_context)));
}

static void to_another_session(void)
{
	static const char *const ids[] = { "aa000004", "aa000005", "aa000006",
					   "aa000024" };
	const char *other = test_path("other.jsonl");
	mount_fixture(BRANCHES);
	keep_session();
	struct span rest = buf_span(&mounts_kept),
		    header = span_next(&rest, '\n');
	header.n++;
	test_put(other, O_TRUNC, header);
	test_need(mkdir(mounts_second, 0755) == 0 &&
			  RUN(sessfs_program(), other, mounts_second) == 0,
		  "mounting failed");
	int fd = open(in_second("append"), O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK(fd >= 0);
	for (size_t i = 0; i < COUNT(ids); i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-id/%s/raw.json", ids[i]);
		struct span raw = text_of(path);
		CHECK_INT(write(fd, raw.p, raw.n), raw.n);
	}
	CHECK_INT(ERRNO(close(fd)), 0);
	struct span context = text_of(in_second("context.txt"));
	CHECK(span_starts(context, SPAN("[User]: list the files\n")));
	CHECK(span_ends(context, SPAN("\n[User]: part one, part two\n")));
	size_t n = 0;
	for (struct span s = text_of(test_path("other.jsonl")); s.n > 0; n++)
		span_next(&s, '\n');
	CHECK_INT(n, 5);
	CHECK_KEPT();
}

/* Mount a fork in the place of its session, and look. */
static void check_fork(const char *parent)
{
	mount_session();
	CHECK_VALUE("info", "parent-session", parent);
	CHECK_FILE("HEAD/content", "forked\n");
	CHECK_FILE("by-id/aa000008/label", "good\n");
	CHECK(!exists("by-id/aa000010"));
	CHECK_INT(say("{'role':'assistant','content':[{'type':'text',"
		      "'text':'in the fork'}],'api':'x-api',"
		      "'provider':'prov','model':'model-c','usage':{"
		      "'input':1,'output':1,'cacheRead':0,"
		      "'cacheWrite':0,'totalTokens':2,'cost':{"
		      "'input':0,'output':0,'cacheRead':0,"
		      "'cacheWrite':0,'total':0}},'stopReason':"
		      "'stop'}"),
		  0);
	CHECK(span_ends(text_of("context.txt"),
			SPAN("\n[User]: forked\n\n"
			     "[Assistant]: in the fork\n")));
	unmount();
}

/* Rules: A3 */
static void forked(void)
{
	char fork[PATH_MAX];
	const char *own = mounts_session;
	snprintf(fork, sizeof(fork), "%s", test_path("fork.jsonl"));
	mount_fixture(BRANCHES);
	CHECK_INT(say("{'role':'user','content':'forked'}"), 0);
	test_copy("HEAD/branch.jsonl", fork);
	unmount();
	mounts_session = fork;
	check_fork(own);
	mounts_session = own;
}

static const struct mounts_test tests[] = {
	TEST("an entry's own line is a copy: another id and parent, else the "
	     "same bytes",
	     own_line),
	TEST("entries can be copied from one mounted session to another",
	     to_another_session),
	TEST("a fork is a session to go on with", forked),
};
RUN_TESTS(tests)
