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

static bool has_said(const char *words)
{
	return memmem(mounts_output.data, mounts_output.len, words,
		      strlen(words)) != NULL;
}

static bool error_is(const char *line)
{
	return span_eq(buf_span(&mounts_errors), span_of(filled("%s\n", line)));
}

/* What a list of this folder should print, if the mounted folder has this
 * sessions.txt. */
static struct buf as_listed(struct span rest, const char *folder)
{
	struct buf b = { 0 };
	while (rest.n > 0) {
		struct span line = span_next(&rest, '\n'),
			    time = span_next(&line, '\t'),
			    path = span_next(&line, '\t');
		buf_add(&b, time);
		buf_adds(&b, filled("\t%s/", folder));
		buf_add(&b, path);
		buf_adds(&b, ".jsonl\t");
		buf_add(&b, line);
		buf_addc(&b, '\n');
	}
	return b;
}

static void as_sessions_txt(void)
{
	struct buf rows = { 0 };
	set_up();
	copy_fixtures("all/a", ".jsonl");
	write_three();
	CHECK_INT(put("all/junk.jsonl", "junk\n"), 0);
	CHECK_INT(ERRNO(symlink(join(all, "x.jsonl"), "all/link.jsonl")), 0);
	mount_source(all);
	buf_add(&rows, text_of("sessions.txt"));
	test_need(chdir(test_folder) == 0, test_folder);
	struct buf want = as_listed(buf_span(&rows), all),
		   nearer = as_listed(buf_span(&rows), "all");
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK_SPAN(buf_span(&mounts_output), buf_span(&want));
	CHECK_INT(hear_apart(LIST("all")), 0);
	CHECK_SPAN(buf_span(&mounts_output), buf_span(&nearer));
	CHECK_INT(hear_apart(LIST("all/")), 0);
	CHECK_SPAN(buf_span(&mounts_output), buf_span(&nearer));
	CHECK(lines_in(buf_span(&mounts_output)) > 10);
	struct span rest = columns(2, 9);
	while (rest.n > 0) {
		struct span path = span_next(&rest, '|');
		span_next(&rest, '\n');
		CHECK(S_ISREG(
			stat_of(filled("%.*s", (int)path.n, path.p)).st_mode));
	}
	/* A reader that leaves early. */
	struct span first = buf_span(&nearer), after = first;
	for (int i = 0; i < 3; i++)
		span_next(&after, '\n');
	first.n -= after.n;
	CHECK(prints(
		filled("%.*s", (int)first.n, first.p),
		PIECES("sh", "-c",
		       filled("'%s' list all | head -n 3", sessfs_program()))));
	buf_free(&rows);
	buf_free(&want);
	buf_free(&nearer);
}

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

static void users_alone(void)
{
	set_up_three();
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK_INT(stat_of("cache/sessfs").st_mode, S_IFDIR | 0700);
	CHECK_INT(stat_of(cache).st_mode, S_IFREG | 0600);
	CHECK_NAMES("cache/sessfs", "list ");
	CHECK_INT(test_count_names("cache/sessfs", ""), 1);
	unsetenv("XDG_CACHE_HOME");
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK(S_ISREG(stat_of("home/.cache/sessfs/list").st_mode));
	setenv("XDG_CACHE_HOME", "relative", 1);
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK(!exists("relative"));
}

static void read_again(void)
{
	set_up_three();
	CHECK_THREE();
	for (int i = 1; i <= 10; i++) {
		test_append("all/x.jsonl",
			    filled(USER("bb%d", "'aa000001'", "more"), i));
		CHECK_INT(hear_apart(LIST("all/x.jsonl", "all")), 0);
		CHECK(has_said(filled(".000Z\tall/x.jsonl\tpi\t%d\t", i + 1)));
	}
	/* Of the same size and mtime. */
	settle();
	CHECK_INT(hear_apart(LIST("all")), 0);
	struct stat st = stat_of("all/a/y.jsonl");
	const struct timespec times[2] = { st.st_atim, st.st_mtim };
	session_at("a/new", "10:00:03", "LAST");
	CHECK_INT(ERRNO(rename("all/a/new", "all/a/y.jsonl")), 0);
	CHECK_INT(ERRNO(utimensat(AT_FDCWD, "all/a/y.jsonl", times, 0)), 0);
	CHECK_INT(stat_of("all/a/y.jsonl").st_size, st.st_size);
	struct span s = listed(LIST("all"));
	CHECK(memmem(s.p, s.n, "all/a/y.jsonl|LAST\n", 19));
	settle();
	CHECK_INT(hear_apart(LIST("all")), 0);
	CHECK_INT(ERRNO(rename("all/a/y.jsonl", "all/a/moved.jsonl")), 0);
	session_at("a/y.jsonl", "10:00:09", "other");
	s = listed(LIST("all"));
	CHECK_INT(lines_in(buf_span(&mounts_output)), 4);
	CHECK(memmem(s.p, s.n, "all/a/moved.jsonl|LAST\n", 23));
	CHECK(memmem(s.p, s.n, "all/a/y.jsonl|other\n", 20));
	CHECK_INT(put("all/x.jsonl", "junk\n"), 0);
	remove_tree("all/a/b");
	CHECK_INT(hear_apart(LIST("all")), 0);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 2);
}

static void dropped(void)
{
	set_up_three();
	session_at("other/o.jsonl", "10:00:04", "o");
	settle();
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK_HAS(cache, "other/o.jsonl");
	remove_tree("all/other");
	/* Nobody has looked there. */
	CHECK_INT(hear_apart(LIST(join(all, "a"))), 0);
	CHECK_HAS(cache, "other/o.jsonl");
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK(!has(cache, "other/o.jsonl"));
	CHECK_HAS(cache, "x.jsonl");
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

static void not_used(void)
{
	struct buf b = { 0 };
	set_up_three();
	CHECK_THREE();
	test_read(cache, &b);
	char *at = memmem(b.data, b.len, "last", 4);
	test_need(at != NULL, "the words are not in the cache");
	memcpy(at, "EVIL", 4);
	test_put(cache, O_TRUNC, buf_span(&b));
	buf_free(&b);
	CHECK_INT(ERRNO(chmod("cache/sessfs", 0777)), 0);
	CHECK_THREE();
	CHECK_HAS(cache, "EVIL");
	CHECK_INT(ERRNO(chmod("cache/sessfs", 0700)), 0);
	CHECK_INT(ERRNO(chmod(cache, 0666)), 0);
	CHECK_THREE();
}

static void without_folder(void)
{
	set_up_three();
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	CHECK_THREE();
	setenv("XDG_CACHE_HOME", test_path("no/such/folder"), 1);
	CHECK_THREE();
	CHECK(!exists("no"));
	CHECK_INT(HEAR_APART("env", "-u", "HOME", "-u", "XDG_CACHE_HOME",
			     sessfs_program(), "list", "all"),
		  0);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 3);
}

static void of_another_user(void)
{
	struct buf before = { 0 };
	set_up_three();
	CHECK_THREE();
	test_read(cache, &before);
	CHECK_INT(ERRNO(chmod("cache/sessfs", 0755)), 0);
	CHECK_INT(ERRNO(chmod(cache, 0644)), 0);
	session_at("new.jsonl", "10:00:00", "new");
	settle();
	CHECK_SPAN(listed(as_nobody(LIST("all"))),
		   SPAN(THREE "all/new.jsonl|new\n"));
	CHECK_SPAN(text_of(cache), buf_span(&before));
	buf_free(&before);
	/* A folder that the user can't enter is reported. */
	CHECK_INT(ERRNO(chmod("all/a", 0700)), 0);
	CHECK_INT(hear_apart(as_nobody(LIST("all"))), 1);
	CHECK(error_is("sessfs: all/a: Permission denied"));
	CHECK(has_said("\tall/x.jsonl\t"));
}

static void in_anothers_home(void)
{
	set_up_three();
	unsetenv("XDG_CACHE_HOME");
	CHECK_INT(ERRNO(chown("home", 65534, -1)), 0);
	CHECK_THREE();
	CHECK_INT(test_count_names("home", ""), 0);
	CHECK_INT(ERRNO(mkdir("home/.cache", 0755)), 0);
	CHECK_INT(ERRNO(chown("home/.cache", 65534, -1)), 0);
	CHECK_THREE();
	CHECK_INT(test_count_names("home/.cache", ""), 0);
	CHECK_INT(ERRNO(chown("home/.cache", 0, -1)), 0);
	CHECK_THREE();
	CHECK(S_ISREG(stat_of("home/.cache/sessfs/list").st_mode));
}

static void compressed(void)
{
	set_up_three();
	CHECK_INT(put("all/a/old.jsonl.zst", ""), 0);
	CHECK_INT(hear_apart(LIST("all")), 0);
	CHECK_SPAN(columns(2, 9), SPAN(THREE));
	CHECK(error_is(filled("sessfs: all: 1 compressed session is not read: "
			      "%s/a/old.jsonl.zst (zstd -d makes it readable)",
			      all)));
	CHECK_INT(put("all/older.jsonl.zst", ""), 0);
	CHECK_INT(hear_apart(COMMAND("grep", "last", all)), 0);
	const char *begin = filled("%s/a/y/", all);
	size_t n = 0;
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		n += span_starts(line, span_of(begin)) &&
		     span_ends(line, SPAN("last"));
	}
	CHECK_INT(n, 1);
	CHECK(error_is(filled("sessfs: %s: 2 compressed sessions are not read: "
			      "%s/older.jsonl.zst and others (zstd -d makes it "
			      "readable)",
			      all, all)));
	/* Not if they are not looked for. */
	CHECK_LISTED(filled("%s/x.jsonl|in the middle\n", all),
		     join(all, "x.jsonl"));
}

static void resumable(void)
{
	struct buf b = { 0 };
	set_up_three();
	struct span rest = text_of("all/x.jsonl"),
		    first = span_next(&rest, '\n');
	CHECK_INT(put("all/x.jsonl", filled("%.*s\n", (int)first.n, first.p)),
		  0);
	buf_adds(&b, "\xef\xbb\xbf");
	buf_add(&b, text_of("all/a/y.jsonl"));
	test_put("all/a/y.jsonl", O_TRUNC, buf_span(&b));
	settle();
	struct span whole = listed(LIST(all));
	const char *of_all = filled("%.*s", (int)whole.n, whole.p);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 3);
	settle();
	CHECK_LISTED(filled("%s/a/b/z.jsonl|first\n", all), "-o", "resumable",
		     all);
	CHECK_LISTED(of_all, all);
	CHECK_LISTED("", "-o", "resumable", join(all, "a/y.jsonl"));
	buf_free(&b);
}

/* A rollout of Codex from a source, as its first line has that. */
static void rollout_from(const char *path, const char *source)
{
	put_lines(path,
		  filled("{'timestamp':'2026-03-02T10:00:00.000Z',"
			 "'type':'session_meta','payload':{'id':"
			 "'0198f000-0000-7000-8000-00000000000c','timestamp':"
			 "'2026-03-02T10:00:00.000Z','cwd':'/work/demo',"
			 "'source':%s}}\n"
			 "{'timestamp':'2026-03-02T10:00:00.000Z',"
			 "'type':'response_item','payload':{'type':'message',"
			 "'role':'user','content':[{'type':'input_text',"
			 "'text':'rollout'}]}}\n",
			 source));
}

static bool has_word(const char *file, const char *word)
{
	struct span text = text_of(file);
	return memmem(text.p, text.n, word, strlen(word)) != NULL;
}

/* What subagents wrote is no session of a person's, unless it is named.
 * Rules: S5 */
static void runs_of_subagents(void)
{
	set_up();
	setenv("CODEX_HOME", test_path("home/.codex"), 1);
	const char *const codex =
		join(getenv("CODEX_HOME"), "sessions/2026/03/02");
	rollout_from(join(codex, "rollout-2026-03-02T10-00-00-0198f000-"
				 "0000-7000-8000-00000000000c.jsonl"),
		     "{'subagent':{'other':'guardian'}}");
	snprintf(all, sizeof(all), "%s",
		 test_path("home/.pi/agent/sessions/--w--"));
	session_at("t_1.jsonl", "10:00:01", "talk");
	session_at("t_1/run-a/run-0/session.jsonl", "10:00:02", "task");
	session_at("other/t_2.jsonl", "10:00:03", "moved");
	CHECK_INT(put(join(all, "notes.jsonl"), "none\n"), 0);
	session_at("notes/t_3.jsonl", "10:00:04", "noted");
	CHECK_INT(hear_apart(COMMAND("list")), 0);
	CHECK_SPAN(columns(1, 10), SPAN("pi|noted\npi|moved\npi|talk\n"));
	test_need(chdir(all) == 0, all);
	CHECK_LISTED("./notes/t_3.jsonl|noted\n./other/t_2.jsonl|moved\n"
		     "./t_1.jsonl|talk\n",
		     ".");
	CHECK_LISTED("t_1/run-a/run-0/session.jsonl|task\n", "t_1");
	CHECK_LISTED("t_1/run-a/run-0/session.jsonl|task\nt_1.jsonl|talk\n",
		     "t_1.jsonl", "t_1/run-a/run-0/session.jsonl");
	CHECK_INT(hear_apart(LIST(codex)), 0);
	CHECK_SPAN(columns(3, 9), SPAN("codex|rollout\n"));
	mount_source(all);
	CHECK_INT(lines_in(text_of("sessions.txt")), 3);
	CHECK(!has_word("sessions.txt", "task"));
	CHECK(has_word("t_1%2F/sessions.txt", "task"));
	CHECK_FILE("t_1%2F/run-a/run-0/session/HEAD/content", "task\n");
}

/* A session of two answers at most, and the sum of what a list has as COST. */
static void fork_of(const char *name, const char *base, int answers)
{
	static const char answer[] =
		"{'type':'message','id':'aa%06d','parentId':null,"
		"'timestamp':'2026-03-01T10:00:00.000Z','message':"
		"{'role':'assistant','content':[],'usage':{'input':1,"
		"'cost':{'total':0.2}}}}\n";
	struct buf b = { 0 };
	buf_addf(&b,
		 "{'type':'session','version':3,'id':'%s','timestamp':"
		 "'2026-03-01T10:00:00.000Z','cwd':'/w','parentSession':"
		 "'%s/%s.jsonl'}\n",
		 name, all, base);
	for (int i = 0; i < answers; i++)
		buf_addf(&b, answer, i);
	put_lines(filled("%s/%s.jsonl", all, name), buf_cstr(&b));
	buf_free(&b);
}

/* Rules: G3 */
static void costs_of_forks(void)
{
	set_up();
	fork_of("one", "none", 1);
	fork_of("two", "one", 2);
	fork_of("three", "two", 2);
	settle();
	for (int again = 0; again < 2; again++) {
		CHECK_INT(hear_apart(LIST(all)), 0);
		CHECK_SPAN(columns(6, 7), SPAN("1|0.2\n1|0.2\n|\n"));
	}
	CHECK_INT(ERRNO(unlink(join(all, "one.jsonl"))), 0);
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK_SPAN(columns(6, 7), SPAN("2|0.4\n|\n"));
}

/* A session of Qwen Code, or a fork of the one called `from`. */
static void qwen_session(const char *id, const char *from)
{
	static const char rest[] =
		"'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/w','version':"
		"'0.24.4','provenance':'p'";
	const char *of = from ? filled(",'forkedFrom':{'sessionId':'%s',"
				       "'messageUuid':'1'}",
				       from)
			      : "";
	put_lines(filled("%s/%s.jsonl", all, id),
		  filled("{'uuid':'1','parentUuid':null,'sessionId':'%s',%s,"
			 "'type':'user','message':{'role':'user','parts':["
			 "{'text':'one'}]}%s}\n"
			 "{'uuid':'2','parentUuid':'1','sessionId':'%s',%s,"
			 "'type':'assistant','message':{'role':'model','parts':"
			 "[{'text':'two'}]},'usageMetadata':{'totalTokenCount':"
			 "7}%s}\n",
			 id, rest, of, id, rest, of));
}

/* Rules: G3 */
static void tokens_of_qwen_forks(void)
{
	set_up();
	qwen_session("11111111-1111-4111-8111-111111111111", NULL);
	qwen_session("22222222-2222-4222-8222-222222222222",
		     "11111111-1111-4111-8111-111111111111");
	settle();
	CHECK_INT(hear_apart(LIST(all)), 0);
	CHECK_SPAN(columns(6, 7), SPAN("7|\n|\n"));
}

static void as_lines(void)
{
	set_up_three();
	CHECK_THREE();
	CHECK_INT(put("all/junk.jsonl", "junk\n"), 0);
	test_copy(cache, test_path("before"));
	CHECK_INT(hear_apart(LIST("-o", "dialect=lines", "all")), 0);
	struct span rest = columns(3, 3);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 4);
	while (rest.n > 0)
		CHECK_SPAN(span_next(&rest, '\n'), SPAN("lines|lines"));
	CHECK(is_copy(cache, "before"));
}

static void check_lists_alike(const char *mounted, const char *source)
{
	CHECK_INT(hear_apart(COMMAND("list", source)), 0);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 1);
	CHECK(prints(filled("%.*s", (int)mounts_output.len, mounts_output.data),
		     COMMAND("list", mounted)));
}

static void mounted_source(void)
{
	set_up();
	session_at("a/x.jsonl", "10:00:01", "Hi there");
	mount_source(all);
	test_need(chdir(test_folder) == 0, test_folder);
	const char *const session = join(mounts_at, "a/x");
	check_lists_alike(mounts_at, all);
	check_lists_alike(session, join(all, "a/x.jsonl"));
	CHECK_INT(hear_apart(COMMAND("log", "--tree", session)), 0);
	CHECK(has_said("user  Hi there"));
	CHECK_INT(hear_apart(COMMAND("log", "--tree", join(session, "HEAD"))),
		  0);
	CHECK(has_said("user  Hi there"));
	CHECK_INT(hear_apart(COMMAND("check", session)), 0);
	CHECK(has_said("1 entry"));
	CHECK_INT(hear_apart(COMMAND("export", test_path("out"), mounts_at)),
		  0);
	CHECK_FILE("out/a/x/by-id/aa000001/content", "Hi there\n");
}

static const struct mounts_test tests[] = {
	TEST("list prints what sessions.txt has, with paths that can be "
	     "opened",
	     as_sessions_txt),
	TEST("a second look reads no session", second_look),
	TEST("a first look opens each session once, and reads it once",
	     first_look),
	FULL_TEST("a session that changes during a first look: one or the "
		  "other, and the new one from then on",
		  changes),
	TEST("the cache is this user's alone", users_alone),
	TEST("what changes is read again", read_again),
	TEST("records of files that are gone are dropped", dropped),
	TEST("a mount knows what list has found out, and the reverse",
	     mounts_know),
	TEST("a list of one session looks at no other", one_alone),
	TEST("a cache that is damaged, hostile or of another version is not "
	     "believed",
	     not_believed),
	TEST("a cache that others can write to is not used", not_used),
	TEST("without a folder for the cache sessions are read each time",
	     without_folder),
	ROOT_TEST("another user's cache is neither read nor written",
		  of_another_user),
	ROOT_TEST("root leaves no cache in another user's home",
		  in_anothers_home),
	TEST("compressed sessions are not read, and named once for each source",
	     compressed),
	TEST("-o resumable leaves out what the agent would not go on from, "
	     "also from the cache",
	     resumable),
	TEST("an answer that forks have copied costs once, also when the "
	     "first one is gone",
	     costs_of_forks),
	TEST("so do the tokens of Qwen Code", tokens_of_qwen_forks),
	TEST("what subagents wrote is listed only if it or its folder is named",
	     runs_of_subagents),
	TEST("-o dialect=NAME lists every file as that, and leaves the cache "
	     "alone",
	     as_lines),
	TEST("a source that is mounted stands for what the mount shows",
	     mounted_source),
};
RUN_TESTS(tests)
