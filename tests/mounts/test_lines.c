/* lines.txt at any offset, and while its session grows. What it has is in
 * commands/lines.md. */
#include "tests/mounts/mounts.h"

/* Have grep print the lines of the session; what they have before lines.txt's
 * is cut off mounts_output. */
static void hear_lines(void)
{
	const char *prefix = filled("%s/", test_path("session"));
	size_t n = strlen(prefix);
	struct buf cut = { 0 };
	CHECK(HEAR(sessfs_program(), "grep", "--all", "--sort=path", "",
		   mounts_session) <= 1);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		bool has = span_starts(line, span_of(prefix));
		CHECK(has);
		buf_add(&cut, (struct span){ line.p + (has ? n : 0),
					     line.n - (has ? n : 0) });
		buf_addc(&cut, '\n');
	}
	buf_clear(&mounts_output);
	buf_add(&mounts_output, buf_span(&cut));
	buf_free(&cut);
}

/* Is lines.txt, with the size that it has before it is read, what grep prints?
 */
static void check_whole(void)
{
	struct stat st = stat_of("lines.txt");
	hear_lines();
	CHECK_INT(st.st_size, mounts_output.len);
	CHECK_SPAN(text_of("lines.txt"), buf_span(&mounts_output));
}

/* Entries of few lines, and of 9,000. */
static void write_uneven(void)
{
	struct buf session = { 0 };
	buf_adds(&session, HEADER);
	for (unsigned i = 0; i < 2000; i++) {
		struct buf text = { 0 };
		char parent[16] = "null";
		unsigned lines = i % 400 == 7 ? 9000 : test_random() % 12;
		if (i > 0)
			snprintf(parent, sizeof(parent), "'e%u'", i - 1);
		for (unsigned k = 0; k < lines; k++) {
			buf_adds(&text, k > 0 ? "\\n" : "");
			buf_fill(&text, 'x', test_random() % 40);
			buf_addf(&text, "%u", i);
		}
		buf_addc(&text, '\0');
		buf_addf(&session, USER("e%u", "%s", "%s"), i, parent,
			 text.data);
		buf_free(&text);
	}
	buf_addc(&session, '\0');
	test_file("session.jsonl", session.data);
	buf_free(&session);
}

/* Does one pread(2) give these of the lines in mounts_output? */
static bool reads_at(int fd, size_t at, size_t n)
{
	static char bytes[200000];
	struct span want = SPAN("");
	if (at < mounts_output.len) {
		size_t left = mounts_output.len - at;
		want = (struct span){ mounts_output.data + at,
				      left < n ? left : n };
	}
	ssize_t got = pread(fd, bytes, n, (off_t)at);
	return got >= 0 && span_eq((struct span){ bytes, (size_t)got }, want);
}

static void any_offset(void)
{
	static const size_t sizes[] = { 1, 100, 4096, 70000, 200000 };
	write_uneven();
	mount_session();
	check_whole();
	int fd = open("lines.txt", O_RDONLY | O_CLOEXEC),
	    direct = open("lines.txt", O_RDONLY | O_CLOEXEC | O_DIRECT);
	CHECK(fd >= 0 && direct >= 0);
	for (int i = 0; i < 400; i++) {
		size_t at = test_random() % (mounts_output.len + 10000),
		       n = sizes[test_random() % COUNT(sizes)];
		char row[64];
		snprintf(row, sizeof(row), "%zu bytes at %zu", n, at);
		test_row = row;
		CHECK(reads_at(fd, at, n));
		CHECK(reads_at(direct, at, n < 65536 ? n : 65536));
		test_row = NULL;
	}
	close(fd);
	close(direct);
}

static void *append_five(void *nothing)
{
	for (int i = 1; i <= 5; i++) {
		char id[16], text[16];
		snprintf(id, sizeof(id), "new%d", i);
		snprintf(text, sizeof(text), "added %d", i);
		append_user(id, NULL, text);
	}
	return nothing;
}

static void many_while_it_grows(void)
{
	static const char want[] = "\nby-id/0001869f/content:1:entry 99999\n";
	char end[sizeof(want)] = "";
	pthread_t thread;
	write_many("chain", 100000);
	mount_session();
	/* The end first, as tail does. */
	int fd = open("lines.txt", O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(lseek(fd, 1 - (off_t)sizeof(want), SEEK_END) > 0);
	CHECK_INT(read(fd, end, sizeof(want) - 1), sizeof(want) - 1);
	CHECK_SPAN(span_of(end), span_of(want));
	close(fd);
	CHECK(span_ends(text_of("lines.txt"), span_of(want)));
	test_need(pthread_create(&thread, NULL, append_five, NULL) == 0,
		  "pthread_create");
	CHECK(lines_in(text_of("lines.txt")) >= 100000);
	CHECK_INT(pthread_join(thread, NULL), 0);
	check_whole();
	CHECK_INT(lines_in(text_of("lines.txt")), 100005);
}

static const struct mounts_test tests[] = {
	TEST("lines.txt at any offset: small entries, many of them, and large "
	     "ones",
	     any_offset),
	FULL_TEST("lines.txt of 100,000 entries, read while the session grows",
		  many_while_it_grows),
};
RUN_TESTS(tests)
