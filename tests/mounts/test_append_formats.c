/* Lines written to append in every other format than Pi's. */
#include "tests/mounts/mounts.h"

#define OMP "omp-v3-basic.jsonl"
#define POSITIONS "draft003-index.jsonl"
/* The entry with this two-digit number. */
#define ULID(n) "01HZZZZZZZ00000000000000" n

#define SAYS(text) "{'role':'user','content':'" text "'}\n"
#define ANSWER(text)                                                  \
	"{'role':'assistant','content':[{'type':'text','text':'" text \
	"'}],'api':'x-api','provider':'prov','model':'model-c',"      \
	"'usage':{'input':1,'output':1,'cacheRead':0,'cacheWrite':0," \
	"'totalTokens':2,'cost':{'input':0,'output':0,'cacheRead':0," \
	"'cacheWrite':0,'total':0}},'stopReason':'stop'}\n"

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
