/* Unusual and faulty writes to append. */
#include "tests/mounts/mounts.h"

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
	TEST("a long line in one write past the page cache is one line",
	     past_the_page_cache),
	TEST("lines that fdatasync failed for are an error, whatever follows "
	     "them",
	     not_synced),
};
RUN_TESTS(tests)
