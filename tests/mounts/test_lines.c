/*
 * lines.txt, which `sessfs grep --all ''` prints, too. What tail -f sees
 * is in tests/lines.bats.
 */
#include "tests/mounts/mounts.h"

#define CHECK_ERRORS(want) CHECK_SPAN(buf_span(&mounts_errors), span_of(want))
#define CHECK_OUTPUT(want) CHECK_SPAN(buf_span(&mounts_output), span_of(want))

/* The lines of a mounted session, from the contents of its entries: another
 * rendering than the product's. */
static void add_rows(struct buf *b)
{
	struct buf ids = { 0 };
	buf_add(&ids, listed_in("by-id"));
	for (struct span rest = buf_span(&ids); rest.n > 0;) {
		/* An id may have blanks: it ends where its file is. */
		char path[PATH_MAX];
		struct span id = span_next(&rest, ' ');
		snprintf(path, sizeof(path), "by-id/%.*s/content", (int)id.n,
			 id.p);
		while (!exists(path) && rest.n > 0) {
			id.n += 1 + span_next(&rest, ' ').n;
			snprintf(path, sizeof(path), "by-id/%.*s/content",
				 (int)id.n, id.p);
		}
		test_need(exists(path), path);
		unsigned n = 0;
		for (struct span text = text_of(path); text.n > 0;) {
			buf_addf(b, "%s:%u:", path, ++n);
			buf_add(b, span_next_line(&text));
			buf_addc(b, '\n');
		}
	}
	buf_free(&ids);
}

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

/* Does the mount have the lines of its contents, and grep print them? The
 * caller frees them. */
static struct buf check_lines(void)
{
	struct buf want = { 0 };
	add_rows(&want);
	hear_lines();
	CHECK_SPAN(buf_span(&mounts_output), buf_span(&want));
	CHECK_SPAN(text_of("lines.txt"), buf_span(&want));
	return want;
}

static void every_fixture(void)
{
	struct dirent **found;
	size_t seen = 0;
	int n = scandir(fixture(""), &found, NULL, alphasort);
	test_need(n > 0, "the fixtures");
	for (int i = 0; i < n; free(found[i++])) {
		test_row = found[i]->d_name;
		if (!span_ends(span_of(test_row), SPAN(".jsonl")))
			continue;
		mount_fixture(test_row);
		struct buf lines = check_lines();
		CHECK(lines.len > 0);
		buf_free(&lines);
		unmount();
		unlink(test_path("session.head.json"));
		unlink(test_path("session.sessfs.json"));
		seen++;
	}
	free(found);
	test_row = NULL;
	CHECK(seen > 15);
}

static void large_is_in_order(void)
{
	struct buf session = { 0 }, want = { 0 };
	buf_adds(&session, HEADER);
	for (unsigned i = 0; i < 20000; i++) {
		struct buf text = { 0 };
		char parent[16] = "null";
		if (i > 0)
			snprintf(parent, sizeof(parent), "'e%u'", i - 1);
		for (unsigned k = 0; k < i % 7; k++) {
			char line[32];
			snprintf(line, sizeof(line), "line %u of %u ", k, i);
			buf_adds(&text, k > 0 ? "\\n" : "");
			buf_adds(&text, line);
			buf_fill(&text, 'x', i % 300);
			buf_addf(&want, "by-id/e%u/content:%u:%s", i, k + 1,
				 line);
			buf_fill(&want, 'x', i % 300);
			buf_addc(&want, '\n');
		}
		buf_addc(&text, '\0');
		buf_addf(&session, USER("e%u", "%s", "%s"), i, parent,
			 text.data);
		buf_free(&text);
	}
	buf_addc(&session, '\0');
	test_file("session.jsonl", session.data);
	buf_free(&session);
	hear_lines();
	CHECK_SPAN(buf_span(&mounts_output), buf_span(&want));
	buf_free(&want);
}

#define AS_NOBODY "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"

/* The output is one line, which ends like this. */
static void check_one_line(const char *end)
{
	struct span said = buf_span(&mounts_output), line;
	line = span_next_line(&said);
	CHECK(span_ends(line, span_of(end)));
	CHECK_SPAN(said, SPAN(""));
}

static void not_readable(void)
{
	char whole[PATH_MAX + 64];
	test_need(chdir(test_folder) == 0 && mkdir("all", 0755) == 0, "all");
	test_file("all/a.jsonl", HEADER USER("aa", "null", "here"));
	test_file("all/b.jsonl", HEADER USER("aa", "null", "here"));
	CHECK_INT(ERRNO(chmod("all/b.jsonl", 0600)), 0);
	snprintf(whole, sizeof(whole), "sessfs: %s: Permission denied\n",
		 test_path("all/b.jsonl"));
	CHECK_INT(HEAR_APART(AS_NOBODY, sessfs_program(), "list", "all"), 1);
	CHECK_ERRORS("sessfs: all/b.jsonl: Permission denied\n");
	check_one_line("here");
	CHECK_INT(
		HEAR_APART(AS_NOBODY, sessfs_program(), "grep", "here", "all"),
		2);
	CHECK_ERRORS(whole);
	check_one_line("here");
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

static void not_listed(void)
{
	mount_lines(HEADER);
	CHECK_INT(stat_of("lines.txt").st_size, 0);
	CHECK_FILE("lines.txt", "");
	append_user("aa", NULL, "one\\ntwo");
	check_whole();
	CHECK_FILE("lines.txt", "by-id/aa/content:1:one\n"
				"by-id/aa/content:2:two\n");
	CHECK_ROOT("HEAD branches by-file by-id by-label context.txt "
		   "files info name path tree tree.txt ");
	CHECK_INT(put("lines.txt", ""), EPERM);
	CHECK_INT(HEAR("grep", "two", "lines.txt"), 0);
	CHECK_OUTPUT("by-id/aa/content:2:two\n");
}

static void rewritten(void)
{
	mount_lines(HEADER USER("aa", "null", "the old one")
			    USER("bb", "'aa'", "stays"));
	CHECK_FILE("lines.txt", "by-id/aa/content:1:the old one\n"
				"by-id/bb/content:1:stays\n");
	test_file("session.jsonl",
		  HEADER USER("cc", "null", "the new one, which is longer"));
	check_whole();
	/* An older entry gets another content, and all that follow move. */
	append_user("dd", "cc", "x");
	append_user("cc", NULL, "short");
	check_whole();
	CHECK_INT(ERRNO(unlink(mounts_session)), 0);
	CHECK_INT(stat_of("lines.txt").st_size, 0);
	CHECK_FILE("lines.txt", "");
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

static void exported(void)
{
	test_file("session.jsonl", HEADER USER("aa", "null", "here"));
	CHECK_INT(RUN(sessfs_program(), "export", test_path("out"),
		      mounts_session),
		  0);
	CHECK(S_ISREG(stat_of(test_path("out/context.json")).st_mode));
	CHECK(!exists(test_path("out/lines.txt")));
}

static const struct mounts_test tests[] = {
	FULL_TEST("every line of the contents of every fixture", every_fixture),
	TEST("a large session is in order, however many threads search it",
	     large_is_in_order),
	ROOT_TEST("a file in a folder that may not be read is reported",
		  not_readable),
	TEST("lines.txt is there when it is named, not listed, and has its "
	     "size unread",
	     not_listed),
	TEST("lines.txt of a session that is rewritten is the new one's",
	     rewritten),
	TEST("lines.txt at any offset: small entries, many of them, and large "
	     "ones",
	     any_offset),
	FULL_TEST("lines.txt of 100,000 entries, read while the session grows",
		  many_while_it_grows),
	TEST("an export has no lines.txt", exported),
};
RUN_TESTS(tests)
