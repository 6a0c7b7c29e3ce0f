/* Lines written to append in every other format than Pi's. */
#include "tests/mounts/mounts.h"

#define OMP "omp-v3-basic.jsonl"
#define POSITIONS "draft003-index.jsonl"
/* The entry with this two-digit number. */
#define ULID(n) "01HZZZZZZZ00000000000000" n

#define SAYS(text) "{'role':'user','content':'" text "'}\n"

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

#define GO_ONE                                                \
	"{'id':'" ULID("01") "','kind':'turn.user',"          \
			     "'ts':'2026-05-01T00:00:01.5Z'," \
			     "'payload':{'text':'one'}}\n"

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
	TEST("omp: while the agent holds its lock, EBUSY", omp_locked),
	TEST("draft-index: writers at once: each is below one that was there",
	     draft_index_writers),
	TEST("go-tree: writers at once: the sidecar is the last entry, which "
	     "all are above",
	     go_writers),
};
RUN_TESTS(tests)
