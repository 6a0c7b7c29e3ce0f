/*
 * Lines that are written to append become entries: what each gets, where it
 * hangs, and what HEAD and the context are afterwards.
 */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
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

static const struct mounts_test tests[] = {
	TEST("programs in the mount, or with its files open, see a new line",
	     open_files),
	TEST("a line with a type becomes that entry, with missing members "
	     "added",
	     typed),
};
RUN_TESTS(tests)
