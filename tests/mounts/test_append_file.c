/* When lines of append are on the disk, and long ones. All else is in
 * commands/append.md. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define SAYS(text) "{'role':'user','content':'" text "'}"

static void *say_durable(void *err)
{
	*(int *)err = say(SAYS("durable"));
	return NULL;
}

/* Rules: A1 */
static void durable(void)
{
	pthread_t writer;
	int err = -1;
	struct timespec until;
	test_copy(fixture(BRANCHES), mounts_session);
	mount_meeting("hold", "sync");
	keep_session();
	test_file("while", "");
	test_need(pthread_create(&writer, NULL, say_durable, &err) == 0,
		  "pthread_create");
	WAIT_UNTIL(has(test_path("met"), "met fdatasync\n"));
	CHECK(has(mounts_session, "\"durable\""));
	/* The write must not return now: there is nothing to wait for. */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 300000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	int joined = pthread_timedjoin_np(writer, NULL, &until);
	CHECK_INT(joined, ETIMEDOUT);
	CHECK_INT(ERRNO(unlink(test_path("while"))), 0);
	if (joined != 0)
		CHECK_INT(pthread_join(writer, NULL), 0);
	CHECK_INT(err, 0);
	CHECK(have_come(1));
}

enum { LONG = 8 << 20 };

/* The message of a line of this many bytes, in which no part is repeated: its
 * text. */
static void make_long(struct buf *text, size_t line)
{
	size_t want = line - strlen("{\"role\":\"user\",\"content\":\"\"}\n");
	for (unsigned i = 1000000; text->len < want - 2; i++)
		buf_addf(text, "%u ", i);
	text->len = want - 2;
	buf_adds(text, "xx");
	CHECK_INT(buf_error(text), 0);
}

static void past_the_page_cache(void)
{
	struct buf text = { 0 }, line = { 0 };
	void *aligned;
	make_long(&text, LONG);
	buf_adds(&line, "{\"role\":\"user\",\"content\":\"");
	buf_add(&line, buf_span(&text));
	buf_adds(&line, "\"}\n");
	CHECK_INT(line.len, LONG);
	test_need(posix_memalign(&aligned, 4096, LONG) == 0, "memory");
	memcpy(aligned, line.data, LONG);
	mount_fixture("pi-v3-branches.jsonl");
	keep_session();
	for (int i = 0; i < 3; i++) {
		int fd = open("append",
			      O_WRONLY | O_TRUNC | O_DIRECT | O_CLOEXEC);
		CHECK(fd >= 0);
		CHECK_INT(write(fd, aligned, LONG), LONG);
		CHECK_INT(ERRNO(close(fd)), 0);
	}
	free(aligned);
	CHECK(have_come(3));
	struct span rest = text_of(mounts_session);
	rest.p += mounts_kept.len;
	rest.n -= mounts_kept.len;
	while (rest.n > 0) {
		struct span added = span_next(&rest, '\n');
		cJSON *json = cJSON_ParseWithLength(added.p, added.n);
		const char *said = cJSON_GetStringValue(cJSON_GetObjectItem(
			cJSON_GetObjectItem(json, "message"), "content"));
		/* It would be much to print. */
		CHECK(said && span_eq(span_of(said), buf_span(&text)));
		cJSON_Delete(json);
	}
	buf_free(&text);
	buf_free(&line);
}

static void not_synced(void)
{
	struct buf lines = { 0 };
	test_copy(fixture("pi-v3-branches.jsonl"), mounts_session);
	mount_meeting("EIO", "sync");
	/* Enough lines that the locks are released in between. */
	for (int i = 1; i <= 25000; i++)
		buf_addf(&lines, "{\"role\":\"user\",\"content\":\"%06d\"}\n",
			 i);
	test_file("while", "");
	CHECK_INT(write_with(O_TRUNC, "append", buf_span(&lines)), EIO);
	CHECK_HAS(test_path("met"), "met fdatasync\n");
	buf_free(&lines);
}

static const struct mounts_test tests[] = {
	TEST("a line is on the disk before write returns", durable),
	TEST("a long line in one write past the page cache is one line",
	     past_the_page_cache),
	TEST("lines that fdatasync failed for are an error, whatever follows "
	     "them",
	     not_synced),
};
RUN_TESTS(tests)
