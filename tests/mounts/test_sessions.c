/* sessions.txt: a line for each session below a folder. */
#include "tests/mounts/mounts.h"

enum { COLUMNS = 9 };

/* Write a file and the folders that it is in, below all/: lines with ' for ".
 */
static void write_in_all(const char *name, const char *lines)
{
	char path[512];
	snprintf(path, sizeof(path), "all/%s", name);
	for (char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(test_path(path), 0755);
		*p = '/';
	}
	test_file(path, lines);
}

static const char *in_all(const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "all/%s", name);
	return test_path(path);
}

static void session_with(const char *name, const char *cwd, const char *time,
			 const char *text)
{
	char lines[65536];
	snprintf(lines, sizeof(lines),
		 "{'type':'session','version':3,"
		 "'id':'0198f000-0000-7000-8000-00000000000a',"
		 "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'%s'}\n"
		 "{'type':'message','id':'aa000001','parentId':null,"
		 "'timestamp':'2026-03-01T%s.000Z',"
		 "'message':{'role':'user','content':'%s'}}\n",
		 cwd, time, text);
	write_in_all(name, lines);
}

/* A session with one user message: its path in all/, time of day, text. */
static void session_at(const char *name, const char *time, const char *text)
{
	session_with(name, "/work/demo", time, text);
}

static void add_fixture(const char *name)
{
	test_copy(fixture(name), in_all(name));
}

static void append_to(const char *name, const char *id)
{
	char path[300], line[512];
	snprintf(path, sizeof(path), "all/%s", name);
	snprintf(line, sizeof(line), USER("%s", "'aa000001'", "more"), id);
	test_append(path, line);
}

static void mount_all(void)
{
	mount_source(test_path("all"));
}

/* These columns of a sessions.txt, "1" to "9", with | between; of the rows of
 * one session, or of all. A line each; good until the next call. */
static struct span rows_of(const char *path, const char *columns,
			   const char *session)
{
	static struct buf b;
	buf_clear(&b);
	for (struct span rest = text_of(path); rest.n > 0;) {
		struct span line = span_next(&rest, '\n'), cells[COLUMNS];
		for (size_t i = 0; i < COLUMNS; i++)
			cells[i] = span_next(&line, '\t');
		if (session && !span_eq(cells[1], span_of(session)))
			continue;
		for (const char *c = columns; *c; c++) {
			buf_add(&b, cells[*c - '1']);
			buf_addc(&b, c[1] ? '|' : '\n');
		}
	}
	return buf_span(&b);
}

#define CHECK_ROWS(path, columns, want) \
	CHECK_SPAN(rows_of(path, columns, NULL), span_of(want))
#define CHECK_ROW(session, columns, want) \
	CHECK_SPAN(rows_of("sessions.txt", columns, session), span_of(want))

/* Dialects, counts and words are those of the session's own files. */
static void check_against_infos(void)
{
	static const char *const keys[] = { "dialect", "entries", "branches" };
	struct buf rows = { 0 };
	buf_add(&rows, rows_of("sessions.txt", "2345", NULL));
	for (struct span rest = buf_span(&rows); rest.n > 0;) {
		char info[300];
		struct span line = span_next(&rest, '\n'),
			    path = span_next(&line, '|');
		snprintf(info, sizeof(info), "%.*s/info", (int)path.n, path.p);
		test_row = info;
		for (size_t i = 0; i < COUNT(keys); i++)
			CHECK_SPAN(value_in(info, keys[i]),
				   span_next(&line, '|'));
		test_row = NULL;
	}
	buf_free(&rows);
}

/* Rules: F2 */
static void newest_first(void)
{
	struct buf times = { 0 };
	session_at("x.jsonl", "10:00:02", "in the middle");
	session_at("a/y.jsonl", "10:00:03", "last");
	session_at("a/b/z.jsonl", "10:00:01", "first");
	add_fixture("claude-basic.jsonl");
	add_fixture("go-tree.jsonl");
	add_fixture("omp-v3-basic.jsonl");
	write_in_all("junk.jsonl", "junk\n");
	mount_all();
	CHECK_INT(lines_in(text_of("sessions.txt")), 6);
	struct span all = rows_of("sessions.txt", "2", NULL);
	const char *y = memmem(all.p, all.n, "a/y\n", 4),
		   *x = memmem(all.p, all.n, "\nx\n", 3),
		   *z = memmem(all.p, all.n, "\na/b/z\n", 7);
	CHECK(y && x && z && y < x && x < z);
	CHECK_ROW("a/y", "123456789",
		  "2026-03-01T10:00:03.000Z|a/y|pi|1|1|||/work/demo|last\n");
	buf_add(&times, rows_of("sessions.txt", "1", NULL));
	for (struct span rest = buf_span(&times), last = span_next(&rest, '\n');
	     rest.n > 0;) {
		struct span time = span_next(&rest, '\n');
		CHECK(time.n > 0 && memcmp(last.p, time.p, time.n) >= 0);
		last = time;
	}
	buf_free(&times);
	/* Each folder has its own, with paths that begin there. */
	CHECK_ROWS("a/sessions.txt", "23", "y|pi\nb/z|pi\n");
	CHECK_ROWS("a/b/sessions.txt", "2", "z\n");
	CHECK_ROW("claude-basic", "3", "claude\n");
	check_against_infos();
}

/* What is cached of a small file is not found in place of that of a large one.
 */
static void grows_large(void)
{
	static char cwd[40002] = "/";
	memset(cwd + 1, '0', sizeof(cwd) - 2);
	session_with("a.jsonl", cwd, "10:00:02", "x");
	mount_all();
	CHECK_INT(lines_in(text_of("sessions.txt")), 1);
	session_with("b.jsonl", cwd, "10:00:02", "x");
	CHECK_INT(lines_in(text_of("sessions.txt")), 2);
	struct span rows = text_of("sessions.txt");
	CHECK(rows.n > 65536);
	CHECK_INT(rows.n, stat_of("sessions.txt").st_size);
}

static void not_listed(void)
{
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	session_at("x.jsonl", "10:00:02", "x");
	mount_all();
	CHECK_NAMES(".", "x ");
	CHECK_INT(test_count_names(".", "."), 0);
	struct stat st = stat_of("sessions.txt");
	CHECK_INT(st.st_mode, S_IFREG | 0444);
	CHECK_INT(st.st_nlink, 1);
	CHECK_INT(st.st_size, text_of("sessions.txt").n);
	CHECK_INT(ERRNO(unlink("sessions.txt")), for_root);
	CHECK_INT(write_with(O_APPEND, "sessions.txt", SPAN("x\n")), for_root);
	CHECK_INT(put("sessions.txt", ""), for_root);
	CHECK_INT(ERRNO(chmod("sessions.txt", 0600)), EPERM);
	CHECK_INT(ERRNO(access("sessions.txt/x", F_OK)), ENOTDIR);
	CHECK_INT(ERRNO(access("x/sessions.txt", F_OK)), ENOENT);
	/* A session or folder of that name comes first. */
	session_at("a/sessions.txt.jsonl", "10:00:03", "y");
	CHECK(S_ISDIR(stat_of("a/sessions.txt/by-id").st_mode));
	CHECK_INT(ERRNO(unlink(in_all("a/sessions.txt.jsonl"))), 0);
	CHECK(S_ISREG(stat_of("a/sessions.txt").st_mode));
	CHECK_FILE("a/sessions.txt", "");
}

static void exact_size(void)
{
	session_at("x.jsonl", "10:00:02", "x");
	mount_all();
	off_t size = stat_of("sessions.txt").st_size;
	CHECK_INT(size, text_of("sessions.txt").n);
	CHECK(size > 40);
}

/* The row of a session that grows by twenty messages. */
static void check_growing(const char *session)
{
	char file[16], id[16], want[16];
	snprintf(file, sizeof(file), "%s.jsonl", session);
	for (int i = 1; i <= 20; i++) {
		snprintf(id, sizeof(id), "bb%d", i);
		snprintf(want, sizeof(want), "%d\n", i + 1);
		append_to(file, id);
		CHECK_ROW(session, "4", want);
	}
}

static void at_once(void)
{
	static const char old[] = "Über title", new[] = "ÜBER TITLE";
	struct buf omp = { 0 };
	session_at("x.jsonl", "10:00:02", "x");
	session_at("y.jsonl", "10:00:03", "y");
	mount_all();
	CHECK_ROWS("sessions.txt", "24", "y|1\nx|1\n");
	char c[64];
	int fd = open("sessions.txt", O_RDONLY | O_CLOEXEC);
	while (read(fd, c, sizeof(c)) > 0)
		continue;
	check_growing("x");
	/* Also where the session is in memory. */
	CHECK(names_in("y/by-id").n > 0);
	check_growing("y");
	close(fd);
	session_at("new/z.jsonl", "10:00:09", "z");
	CHECK(span_starts(rows_of("sessions.txt", "2", NULL), SPAN("new/z\n")));
	CHECK_INT(ERRNO(unlink(in_all("new/z.jsonl"))), 0);
	CHECK_INT(ERRNO(rmdir(in_all("new"))), 0);
	CHECK_INT(ERRNO(unlink(in_all("y.jsonl"))), 0);
	CHECK_ROWS("sessions.txt", "2", "x\n");
	write_in_all("x.jsonl", "junk\n");
	CHECK_FILE("sessions.txt", "");
	CHECK_INT(stat_of("sessions.txt").st_size, 0);
	session_at("x.jsonl", "10:00:09", "another");
	CHECK_ROWS("sessions.txt", "9", "another\n");
	/* A name of the same length, in the same place. */
	add_fixture("omp-v3-basic.jsonl");
	CHECK_ROW("omp-v3-basic", "39", "omp|Über title\n");
	test_read(fixture("omp-v3-basic.jsonl"), &omp);
	char *at = memmem(omp.data, omp.len, old, strlen(old));
	test_need(at != NULL, old);
	memcpy(at, new, strlen(new));
	test_put(in_all("omp-v3-basic.jsonl"), 0, buf_span(&omp));
	CHECK_ROW("omp-v3-basic", "39", "omp|ÜBER TITLE\n");
	buf_free(&omp);
}

static void hostile(void)
{
	char text[512] = "";
	for (int i = 0; i < 100; i++)
		memcpy(text + 5 * (size_t)i, "long ", 6);
	session_with("tab\there.jsonl", "/w\\to\\nr\\u001bk", "10:00:01",
		     "one\\ttwo\\nthree\\u001b[31m\\u0000\\u0085four");
	session_at("new\nline/\x1b[7mx.jsonl", "10:00:02", "\\u2028");
	session_at("\xff\xfe.jsonl", "10:00:03", text);
	mount_all();
	CHECK_INT(lines_in(text_of("sessions.txt")), 3);
	struct span all = text_of("sessions.txt");
	size_t tabs = 0;
	for (size_t i = 0; i < all.n; i++) {
		unsigned char c = (unsigned char)all.p[i];
		tabs = c == '\n' ? 0 : tabs + (c == '\t');
		CHECK(c >= 0x20 ? c != 0x7f : c == '\t' || c == '\n');
		if (i + 1 < all.n && all.p[i + 1] == '\n')
			CHECK_INT(tabs, 8);
	}
	CHECK(!has("sessions.txt", "\xc2\x85"));
	CHECK_ROW("tab\\there", "289",
		  "tab\\there|/w o r|one two three four\n");
	CHECK_HAS("sessions.txt", "\tnew\\nline/\\u001b[7mx\t");
	CHECK_HAS("sessions.txt", "\t\xff\xfe\t");
}

static void write_sessions(int n)
{
	const struct timespec times[2] = { { .tv_sec = time(NULL) - 3600 },
					   { .tv_sec = time(NULL) - 3600 } };
	for (int i = 1; i <= n; i++) {
		char name[32], text[32];
		snprintf(name, sizeof(name), "s%d.jsonl", i);
		snprintf(text, sizeof(text), "I am %d", i);
		session_at(name, "10:00:01", text);
		append_to(name, "00000002");
		test_need(utimensat(AT_FDCWD, in_all(name), times, 0) == 0,
			  "utimensat");
	}
}

/* How often files are opened and read for the first sessions.txt of so many
 * sessions, which have settled. (How many reads of inotify there are is up to
 * the scheduler.) */
static long long calls_for(int n)
{
	char report[PATH_MAX + 16];
	long long most = -1;
	write_sessions(n);
	unlink(test_path("calls"));
	snprintf(report, sizeof(report), "CALL_REPORT=%s", test_path("calls"));
	mount_intercepted(test_path("all"), PIECES("CALL_KINDS=openat,pread64",
						   "CALL_NTH=0", report));
	CHECK_INT(lines_in(text_of("sessions.txt")), n);
	unmount();
	for (struct span rest = text_of(test_path("calls")); rest.n > 0;) {
		struct span line = span_next(&rest, '\n'),
			    word = span_next(&line, ' ');
		long long calls = span_eq(word, SPAN("calls"))
					  ? strtoll(line.p, NULL, 10)
					  : -1;
		most = calls > most ? calls : most;
	}
	return most;
}

/* Two threads may both look for the folder at first, which is a few calls more,
 * once. */
static void opened_once(void)
{
	long long few = calls_for(10), many = calls_for(60);
	CHECK(few > 0);
	CHECK_INT((many - few + 25) / 50, 2);
}

enum { MANY = 2000, READERS = 4 };

/* Are these the texts, each once? */
static void check_numbers(void)
{
	static unsigned char seen[MANY + 1];
	memset(seen, 0, sizeof(seen));
	for (struct span rest = rows_of("sessions.txt", "9", NULL);
	     rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		int i = 0;
		CHECK(sscanf(line.p, "number %d", &i) == 1 && i >= 1 &&
		      i <= MANY && seen[i]++ == 0);
	}
	for (int i = 1; i <= MANY; i++)
		CHECK_INT(seen[i], 1);
}

/* Four read, and one has sessions come, grow and go. */
static int read_or_change(int who)
{
	int err = 0;
	if (who < READERS) {
		for (int i = 0; i < 5 && !err; i++) {
			size_t n = lines_in(text_of("sessions.txt"));
			err = n < MANY - 1 || n > MANY + 1 ? ERANGE : 0;
		}
		return err;
	}
	for (int i = 0; i < 50 && !err; i++) {
		append_to("f1/s1.jsonl", "b");
		err = ERRNO(
			rename(in_all("f2/s2.jsonl"), in_all("f2/t.jsonl")));
		if (!err)
			err = ERRNO(rename(in_all("f2/t.jsonl"),
					   in_all("f2/s2.jsonl")));
	}
	return err;
}

static void two_thousand(void)
{
	for (int i = 1; i <= MANY; i++) {
		char name[32], text[32];
		snprintf(name, sizeof(name), "f%d/s%d.jsonl", i % 40, i);
		snprintf(text, sizeof(text), "number %d", i);
		session_at(name, "10:00:00", text);
	}
	CHECK_INT(RUN(sessfs_program(), "-o", "keep=1,stats", test_path("all"),
		      mounts_at),
		  0);
	CHECK_INT(ERRNO(chdir(mounts_at)), 0);
	CHECK_NAMES("f1/s1/by-id", "aa000001 ");
	long long before = number_in("f1/s1/info", "indexed-bytes");
	CHECK(before > 0);
	CHECK_INT(lines_in(text_of("sessions.txt")), MANY);
	check_numbers();
	CHECK_INT(number_in("f1/s1/info", "indexed-bytes"), before);
	CHECK_INT(lines_in(text_of("f7/sessions.txt")), 50);
	CHECK_INT(in_processes(READERS + 1, read_or_change), 0);
	CHECK_INT(lines_in(text_of("sessions.txt")), MANY);
}

#define SKILL "<skill name=\\'x\\' location=\\'/s\\'>\\nDo this.\\n</skill>"

static void skills(void)
{
	write_in_all("bare.jsonl",
		     HEADER USER("aa000001", "null", SKILL)
			     USER("aa000002", "'aa000001'", "and now"));
	write_in_all("called.jsonl",
		     HEADER USER("aa000001", "null", SKILL "\\n\\nfix it"));
	mount_all();
	CHECK_INT(lines_in(text_of("sessions.txt")), 2);
	CHECK_ROW("bare", "29", "bare|and now\n");
	CHECK_ROW("called", "29", "called|fix it\n");
	CHECK_FILE("called/tree.txt", "aa000001 user  fix it ← HEAD\n");
	CHECK_HAS("called/HEAD/content", "Do this");
	CHECK_INT(ERRNO(chdir(test_path("all"))), 0);
	CHECK_INT(HEAR(sessfs_program(), "grep", "--heading", "now",
		       "bare.jsonl"),
		  0);
	CHECK(span_starts(
		buf_span(&mounts_output),
		SPAN("bare  pi /work/demo 2026-03-01 \"and now\"\n")));
}

static const struct mounts_test tests[] = {
	TEST("sessions.txt has a line for each session, the newest first",
	     newest_first),
	TEST("sessions.txt that grows beyond 64 KiB has the new session at "
	     "once",
	     grows_large),
	TEST("sessions.txt is not listed, and can't be written", not_listed),
	TEST("its size is exact before the first read", exact_size),
	TEST("changes show at once", at_once),
	TEST("hostile names and texts keep a line a session, and eight tabs a "
	     "line",
	     hostile),
	TEST("each session is opened once and read once", opened_once),
	TEST("2,000 sessions, of which none stays in memory or is put out of "
	     "it",
	     two_thousand),
	TEST("a session that begins with a skill has the title that a person "
	     "gave it",
	     skills),
};
RUN_TESTS(tests)
