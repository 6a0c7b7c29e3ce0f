/* sessfs list: the sessions of files and folders, without a mount. */
#include "tests/mounts/mounts.h"

#include <sys/inotify.h>
#include <sys/random.h>

#define LIST(...) COMMAND("list", __VA_ARGS__)
#define THREE                         \
	"all/a/y.jsonl|last\n"        \
	"all/x.jsonl|in the middle\n" \
	"all/a/b/z.jsonl|first\n"

static char all[PATH_MAX];    /* the folder of the sessions */
static char caches[PATH_MAX]; /* $XDG_CACHE_HOME */
static char cache[PATH_MAX];  /* what sessfs list has found out */

static void set_up(void)
{
	make_home();
	snprintf(all, sizeof(all), "%s", test_path("all"));
	snprintf(caches, sizeof(caches), "%s", test_path("cache"));
	snprintf(cache, sizeof(cache), "%s", test_path("cache/sessfs/list"));
	make_folder(all);
	setenv("XDG_CACHE_HOME", caches, 1);
	test_need(chdir(test_folder) == 0, test_folder);
}

/* A session with one user message: its path in all/, time of day, text. */
static void session_at(const char *path, const char *time, const char *text)
{
	put_lines(filled("%s/%s", all, path),
		  filled("{'type':'session','version':3,"
			 "'id':'0198f000-0000-7000-8000-00000000000a',"
			 "'timestamp':'2026-03-01T10:00:00.000Z',"
			 "'cwd':'/work/demo'}\n"
			 "{'type':'message','id':'aa000001','parentId':null,"
			 "'timestamp':'2026-03-01T%s.000Z','message':"
			 "{'role':'user','content':'%s',"
			 "'timestamp':1772359201000}}\n",
			 time, text));
}

static long long milliseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* What is kept of a file is not of one that has just been written. */
static void settle(void)
{
	long long from = milliseconds();
	WAIT_UNTIL(milliseconds() - from > 100);
}

static void write_three(void)
{
	session_at("x.jsonl", "10:00:02", "in the middle");
	session_at("a/y.jsonl", "10:00:03", "last");
	session_at("a/b/z.jsonl", "10:00:01", "first");
	settle();
}

static void set_up_three(void)
{
	set_up();
	write_three();
}

/* Two columns of what has been printed, from 1 on; good until the next call. */
static struct span columns(int one, int other)
{
	static struct buf b;
	buf_clear(&b);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next(&rest, '\n'), cells[2] = { 0 };
		for (int i = 1; i <= other; i++) {
			struct span cell = span_next(&line, '\t');
			if (i == one)
				cells[0] = cell;
			cells[1] = cell;
		}
		buf_add(&b, cells[0]);
		buf_addc(&b, '|');
		buf_add(&b, cells[1]);
		buf_addc(&b, '\n');
	}
	return buf_span(&b);
}

/* The path and the words of each session that is listed. */
static struct span listed(const char *const argv[])
{
	CHECK_INT(hear_apart(argv), 0);
	CHECK_INT(mounts_errors.len, 0);
	return columns(2, 9);
}

#define CHECK_LISTED(want, ...) \
	CHECK_SPAN(listed(LIST(__VA_ARGS__)), span_of(want))
#define CHECK_THREE() CHECK_LISTED(THREE, "all")

static int watch_three(void)
{
	static const char *const paths[] = { "all/x.jsonl", "all/a/y.jsonl",
					     "all/a/b/z.jsonl" };
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	test_need(fd >= 0, "inotify");
	for (size_t i = 0; i < COUNT(paths); i++)
		test_need(inotify_add_watch(fd, paths[i],
					    IN_OPEN | IN_ACCESS) >= 0,
			  paths[i]);
	return fd;
}

static void second_look(void)
{
	char events[4096];
	set_up_three();
	int fd = watch_three();
	CHECK_THREE();
	/* The first look has opened them. */
	CHECK(read(fd, events, sizeof(events)) > 0);
	CHECK_INT(ERRNO(close(fd)), 0);
	fd = watch_three();
	CHECK_THREE();
	CHECK_INT(read(fd, events, sizeof(events)) < 0 ? errno : 0, EAGAIN);
	CHECK_INT(ERRNO(close(fd)), 0);
}

/* So many sessions that have settled. */
static void write_settled(int sessions)
{
	static const struct timespec old[2] = { { .tv_sec = 1772409600 },
						{ .tv_sec = 1772409600 } };
	for (int i = 1; i <= sessions; i++) {
		const char *name = filled("a/%d.jsonl", i);
		session_at(name, "10:00:01", filled("%d", i));
		test_need(utimensat(AT_FDCWD, join(all, name), old, 0) == 0,
			  name);
	}
}

static long long reported_calls(void)
{
	struct span s = text_of("calls");
	const char *at = memmem(s.p, s.n, "calls ", 6);
	CHECK(at != NULL);
	long long calls = at ? strtoll(at + 6, NULL, 10) : 0;
	CHECK_INT(ERRNO(unlink("calls")), 0);
	return calls;
}

/* How many calls for files sessfs list makes. */
static long long calls_of_list(const char *what)
{
	CHECK_INT(hear_apart(intercepted(
			  PIECES("CALL_KINDS=openat,read,stat,access,xattr",
				 "CALL_NTH=0",
				 filled("CALL_REPORT=%s", test_path("calls"))),
			  LIST(what))),
		  0);
	return reported_calls();
}

/* A first look that has to read so many sessions. */
static long long calls_of(int sessions)
{
	remove_tree(caches);
	remove_tree(all);
	write_settled(sessions);
	long long calls = calls_of_list(all);
	CHECK_INT(lines_in(buf_span(&mounts_output)), sessions);
	return calls;
}

static void first_look(void)
{
	set_up();
	long long few = calls_of(10), calls = calls_of(30);
	/* One to open it, and one to read; two attributes: when it is found and
	 * opened. Two threads may both look for the folder at first, once. */
	CHECK_INT((calls - few + 10) / 20, 4);
}

/* How often a mount of so many sessions reads, when sessions.txt is shown. */
static long long reads_of_mount(int sessions)
{
	static const char *const settings[] = { "CALL_KINDS=pread64",
						"CALL_NTH=0", NULL };
	const char *const counted[] = {
		settings[0], settings[1],
		filled("CALL_WHILE=%s", test_path("while")),
		filled("CALL_REPORT=%s", test_path("calls")), NULL
	};
	CHECK_INT(put("while", ""), 0);
	mount_intercepted(all, counted);
	CHECK_INT(lines_in(text_of("sessions.txt")), sessions);
	unmount();
	test_need(chdir(test_folder) == 0, test_folder);
	return reported_calls();
}

/* What list has found out, a new mount knows, and the reverse. */
static void mounts_know(void)
{
	set_up();
	write_settled(30);
	settle();
	CHECK(reads_of_mount(30) >= 30);
	long long known = reads_of_mount(30);
	CHECK(known < 10);
	write_settled(60);
	settle();
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK_INT(reads_of_mount(60), known);
}

/* What is known of other files costs no look at them. */
static void one_alone(void)
{
	set_up();
	session_at("one.jsonl", "10:00:01", "one");
	long long calls[2];
	for (int i = 0; i < 2; i++) {
		write_settled(i == 0 ? 5 : 50);
		settle();
		CHECK_INT(hear_apart(LIST(all)), 0);
		calls[i] = calls_of_list("all/one.jsonl");
		CHECK_INT(lines_in(buf_span(&mounts_output)), 1);
	}
	CHECK_INT(calls[1], calls[0]);
}

/* Let change() come while sessfs list waits before its Nth call for files. Was
 * there one? */
static bool change_at(int n, void (*change)(void))
{
	static const struct timespec old[2] = { { .tv_sec = 1772323200 },
						{ .tv_sec = 1772323200 } };
	remove_tree(caches);
	unlink("met");
	session_at("x.jsonl", "10:00:02", "the old words");
	session_at(".y", "10:00:02", "the new words");
	test_need(utimensat(AT_FDCWD, "all/x.jsonl", old, 0) == 0 &&
			  utimensat(AT_FDCWD, "all/.y", old, 0) == 0,
		  "utimensat");
	settle();
	CHECK_INT(put("while", ""), 0);
	pid_t pid = start_program(
		intercepted(PIECES("CALL_DO=hold",
				   "CALL_KINDS=openat,read,stat",
				   filled("CALL_NTH=%d", n),
				   filled("CALL_WHILE=%s", test_path("while")),
				   filled("CALL_REPORT=%s", test_path("met"))),
			    LIST(all)),
		test_path("out"));
	siginfo_t ended = { 0 };
	WAIT_UNTIL(has("met", "met ") ||
		   (waitid(P_PID, (id_t)pid, &ended,
			   WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    ended.si_pid == pid));
	bool was = has("met", "met ");
	if (was)
		change();
	CHECK_INT(ERRNO(unlink("while")), 0);
	CHECK_INT(wait_program(pid), 0);
	return was;
}

static void replaced(void)
{
	CHECK_INT(ERRNO(rename("all/.y", "all/x.jsonl")), 0);
}

static void rewritten(void)
{
	static const struct timespec old[2] = { { .tv_sec = 1772323200 },
						{ .tv_sec = 1772323200 } };
	test_copy("all/.y", "all/x.jsonl");
	CHECK_INT(ERRNO(utimensat(AT_FDCWD, "all/x.jsonl", old, 0)), 0);
}

static void appended(void)
{
	test_append("all/x.jsonl", USER("aa000002", "'aa000001'", "more"));
}

static void changes(void)
{
	static const struct {
		const char *name;
		void (*change)(void);
		const char *after;
	} rows[] = {
		{ "replaced", replaced, "1|the new words\n" },
		{ "rewritten", rewritten, "1|the new words\n" },
		{ "appended", appended, "2|the old words\n" },
	};
	set_up();
	for (size_t i = 0; i < COUNT(rows); i++) {
		int n = 1;
		for (; n <= 40 && change_at(n, rows[i].change); n++) {
			test_row = filled("%s at %d", rows[i].name, n);
			test_read("out", &mounts_output);
			struct span s = columns(4, 9);
			CHECK(span_eq(s, SPAN("1|the old words\n")) ||
			      span_eq(s, SPAN("1|the new words\n")) ||
			      span_eq(s, SPAN("2|the old words\n")));
			CHECK_INT(hear_apart(LIST(all)), 0);
			CHECK_SPAN(columns(4, 9), span_of(rows[i].after));
		}
		CHECK(n > 6);
		test_row = NULL;
	}
}

/* Is the list right, and the cache whole again? */
static void check_heals(void)
{
	CHECK_THREE();
	test_copy(cache, test_path("now"));
	CHECK_THREE();
	CHECK(is_copy(cache, "now"));
}

static void not_believed(void)
{
	struct buf good = { 0 };
	char noise[300];
	set_up_three();
	CHECK_THREE();
	test_read(cache, &good);
	/* Each 13th byte of the cache in turn is another one. */
	for (size_t i = 0; i < good.len; i += 13) {
		char was = good.data[i];
		test_row = filled("byte %zu", i);
		good.data[i] = '\xff';
		test_put(cache, O_TRUNC, buf_span(&good));
		good.data[i] = was;
		CHECK_THREE();
	}
	const size_t sizes[] = { 0, 1, 40, 100, good.len - 1 };
	for (size_t i = 0; i < COUNT(sizes); i++) {
		test_row = filled("%zu bytes", sizes[i]);
		test_put(cache, O_TRUNC, (struct span){ good.data, sizes[i] });
		check_heals();
	}
	test_row = NULL;
	test_need(getrandom(noise, sizeof(noise), 0) == sizeof(noise),
		  "getrandom");
	test_put(cache, O_TRUNC, (struct span){ noise, sizeof(noise) });
	check_heals();
	CHECK_INT(ERRNO(unlink(cache)), 0);
	CHECK_INT(ERRNO(mkdir(cache, 0755)), 0);
	CHECK_THREE();
	CHECK_INT(ERRNO(rmdir(cache)), 0);
	CHECK_INT(ERRNO(mkfifo(cache, 0644)), 0);
	CHECK_THREE();
	CHECK_INT(ERRNO(unlink(cache)), 0);
	CHECK_INT(ERRNO(symlink(test_path("target"), cache)), 0);
	CHECK_INT(put("target", "untouched\n"), 0);
	CHECK_THREE();
	CHECK_FILE("target", "untouched\n");
	buf_free(&good);
}

static const struct mounts_test tests[] = {
	TEST("a second look reads no session", second_look),
	TEST("a first look opens each session once, and reads it once",
	     first_look),
	FULL_TEST("a session that changes during a first look: one or the "
		  "other, and the new one from then on",
		  changes),
	TEST("a mount knows what list has found out, and the reverse",
	     mounts_know),
	TEST("a list of one session looks at no other", one_alone),
	TEST("a cache that is damaged, hostile or of another version is not "
	     "believed",
	     not_believed),
};
RUN_TESTS(tests)
