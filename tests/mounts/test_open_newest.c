/* sessfs open: which session of a directory it mounts, and where. */
#include "tests/mounts/mounts.h"

#include <ftw.h>
#include <signal.h>
#include <stdarg.h>

enum { YEAR_2026 = 1767225600, YEAR_2030 = 1893456000 };

static char home[PATH_MAX], work[PATH_MAX], pi[PATH_MAX], omp[PATH_MAX],
	claude[PATH_MAX];

static void go_to(const char *folder)
{
	test_need(chdir(folder) == 0, folder);
}

/* The home, a directory in it to work in, and the agents' folders. */
static void begin(void)
{
	make_home();
	snprintf(home, sizeof(home), "%s", test_path("home"));
	snprintf(work, sizeof(work), "%s", test_path("home/my.proj"));
	snprintf(pi, sizeof(pi), "%s", test_path("home/.pi/agent/sessions"));
	snprintf(omp, sizeof(omp), "%s", test_path("home/.omp/agent/sessions"));
	snprintf(claude, sizeof(claude), "%s",
		 test_path("home/.claude/projects"));
	test_need(mkdir(work, 0755) == 0, work);
}

/* An agent's name for a directory: without the first slash, and with dashes for
 * all of them; as Claude Code has it for other characters, too. */
static const char *dashed(const char *directory, bool all)
{
	char text[PATH_MAX];
	snprintf(text, sizeof(text), "%s", directory + 1);
	for (char *p = text; *p; p++)
		if (*p == '/' || (all && !isalnum((unsigned char)*p)))
			*p = '-';
	return filled("%s", text);
}

static void write_session(const char *path, const char *format,
			  const char *text, const char *cwd)
{
	struct buf b = { 0 };
	make_folder_of(path);
	for (; *format; format++) {
		if (*format == '\'')
			buf_addc(&b, '"');
		else if (*format == '@')
			buf_adds(&b, cwd);
		else if (*format == '~')
			buf_adds(&b, text);
		else
			buf_addc(&b, *format);
	}
	test_put(path, O_TRUNC, buf_span(&b));
	buf_free(&b);
}

/* Write a session of Pi with one entry of this text, of this directory. */
static void session_of(const char *cwd, const char *path, const char *text)
{
	write_session(path,
		      "{'type':'session','version':3,"
		      "'id':'0198f000-0000-7000-8000-00000000000a',"
		      "'timestamp':'2026-03-01T10:00:00.000Z',"
		      "'cwd':'@'}\n" USER("aa000001", "null", "~"),
		      text, cwd);
}

static void session_in(const char *path, const char *text)
{
	session_of("/work/demo", path, text);
}

static void claude_session_of(const char *cwd, const char *path,
			      const char *text)
{
	write_session(path,
		      "{'parentUuid':null,'isSidechain':false,"
		      "'userType':'external','cwd':'@',"
		      "'sessionId':'5e55f500-0000-4000-8000-000000000001',"
		      "'version':'2.1.330','gitBranch':'main','type':'user',"
		      "'message':{'role':'user','content':'~'},"
		      "'uuid':'c1a0de00-0000-4000-8000-000000000001',"
		      "'timestamp':'2026-03-01T10:00:01.000Z'}\n",
		      text, cwd);
}

static void claude_session_in(const char *path, const char *text)
{
	claude_session_of("/work/demo", path, text);
}

/* Pi's only session of the directory to work in. */
static void pi_session(const char *text)
{
	session_in(filled("%s/--%s--/a.jsonl", pi, dashed(work, false)), text);
}

/* Set the time at which a file was changed. */
static void set_time(const char *path, time_t to)
{
	const struct timespec times[2] = { { .tv_sec = to }, { .tv_sec = to } };
	test_need(utimensat(AT_FDCWD, path, times, 0) == 0, path);
}

/* What sessfs prints with these arguments, without its last newline. */
static const char *printed(const char *const argv[])
{
	CHECK_INT(hear_apart(argv), 0);
	struct span said = buf_span(&mounts_output);
	CHECK(span_ends(said, SPAN("\n")));
	return filled("%.*s", (int)(said.n > 0 ? said.n - 1 : 0), said.p);
}

#define PRINTED(...) printed(COMMAND(__VA_ARGS__))
#define CHECK_PRINTED(want, ...) \
	CHECK_SPAN(span_of(PRINTED(__VA_ARGS__)), span_of(want))

/* What commands act on in a directory: the mount that open printed last there.
 * Its name has no odd characters. */
static const char *last_opened(const char *directory)
{
	char name[PATH_MAX], link[2 * PATH_MAX];
	static char at[PATH_MAX];
	snprintf(name, sizeof(name), "%s", directory);
	for (char *p = name; *p; p++)
		*p = *p == '/' ? '+' : *p;
	snprintf(link, sizeof(link), "%s/sessfs/%s/last", test_path("run"),
		 name);
	if (!realpath(link, at))
		at[0] = '\0';
	return at;
}

/* Commands here act on the session with this text. */
static void check_here(const char *text)
{
	CHECK_COMMAND(0, NULL, NULL, "log");
	CHECK(memmem(mounts_output.data, mounts_output.len, text,
		     strlen(text)));
}

static void check_content(const char *mount, const char *text)
{
	CHECK_FILE(join(mount, "HEAD/content"), filled("%s\n", text));
}

/* From a directory sessfs open mounts the session with this text. */
static void check_opens(const char *text, const char *directory)
{
	go_to(directory);
	const char *at = PRINTED("open");
	CHECK(!strchr(at, '\n'));
	check_content(at, text);
	go_to("/");
}

static void once(void)
{
	char at[2 * PATH_MAX];
	begin();
	session_of(work,
		   filled("%s/--%s--/2026-01-01T00-00-00-000Z_a.jsonl", pi,
			  dashed(work, false)),
		   "from Pi");
	session_in(filled("%s/--%s--/2026-02-01T00-00-00-000Z_b.jsonl", pi,
			  dashed(home, false)),
		   "from elsewhere");
	check_opens("from Pi", work);
	snprintf(at, sizeof(at), "%s", PRINTED("open", work));
	CHECK(span_starts(span_of(at),
			  span_of(filled("%s/sessfs/", test_path("run")))));
	CHECK_PRINTED(at, "open", "--", work);
	go_to(work);
	CHECK_SPAN(span_of(last_opened(work)), span_of(at));
	check_here("from Pi");
	/* A folder of the project belongs to it. */
	mkdir(join(work, "sub"), 0755);
	go_to(join(work, "sub"));
	check_here("from Pi");
	CHECK_PRINTED(at, "open", ".");
	go_to("../..");
	CHECK_FAILS(1,
		    "not in a mounted session, and none that sessfs open has "
		    "printed for it is there",
		    "log");
	go_to(test_folder);
	unmount_at(at);
	go_to(work);
	CHECK_FAILS(1, "not in a mounted session", "log");
}

static void newer(void)
{
	char folder[PATH_MAX], first[2 * PATH_MAX], old[2 * PATH_MAX];
	begin();
	snprintf(folder, sizeof(folder), "%s",
		 filled("%s/--%s--", pi, dashed(work, false)));
	snprintf(first, sizeof(first), "%s/2026-01-01T00-00-00-000Z_a.jsonl",
		 folder);
	session_in(first, "old");
	set_time(first, YEAR_2026);
	check_opens("old", work);
	snprintf(old, sizeof(old), "%s", PRINTED("open", work));
	session_in(join(folder, "2026-02-01T00-00-00-000Z_b.jsonl"), "new");
	test_put(join(folder, "2026-03-01T00-00-00-000Z_empty.jsonl"), 0,
		 SPAN(""));
	check_opens("new", work);
	check_content(old, "old");
	go_to(work);
	CHECK(strcmp(last_opened(work), old) != 0);
	check_here("new");
	/* The old session, continued, is the newest again. */
	set_time(first, YEAR_2030);
	CHECK_PRINTED(old, "open");
	CHECK_SPAN(span_of(last_opened(work)), span_of(old));
}

static void newest_of_agents(void)
{
	static const char *const texts[] = { "pi", "omp", "claude",
					     "subagent" };
	char files[4][2 * PATH_MAX];
	begin();
	snprintf(files[0], sizeof(files[0]), "%s/--%s--/a.jsonl", pi,
		 dashed(work, false));
	snprintf(files[1], sizeof(files[1]), "%s/-my.proj/b.jsonl", omp);
	snprintf(files[2], sizeof(files[2]), "%s/-%s/c.jsonl", claude,
		 dashed(work, true));
	snprintf(files[3], sizeof(files[3]), "%s/-%s/agent-d.jsonl", claude,
		 dashed(work, true));
	for (size_t i = 0; i < COUNT(files); i++) {
		if (i < 2)
			session_in(files[i], texts[i]);
		else
			claude_session_in(files[i], texts[i]);
		set_time(files[i], YEAR_2026 + (time_t)i);
	}
	check_opens("claude", work);
	CHECK_INT(ERRNO(unlink(files[2])), 0);
	check_opens("omp", work);
	CHECK_INT(ERRNO(unlink(files[1])), 0);
	check_opens("pi", work);
}

static void names_of_claude(void)
{
	char of_home[PATH_MAX], directory[2 * PATH_MAX], cut[256];
	begin();
	snprintf(of_home, sizeof(of_home), "-%s", dashed(home, true));
	snprintf(directory, sizeof(directory), "%s/a_b .c-é😀d", home);
	test_need(mkdir(directory, 0755) == 0, directory);
	claude_session_in(filled("%s/%s-a-b--c----d/a.jsonl", claude, of_home),
			  "dashes");
	check_opens("dashes", directory);
	/* Cut, with a hash that nobody here can make: the file tells. */
	int n = snprintf(directory, sizeof(directory), "%s/", home);
	memset(directory + n, 'x', 220);
	directory[n + 220] = '\0';
	test_need(mkdir(directory, 0755) == 0, directory);
	snprintf(cut, sizeof(cut), "%.200s",
		 filled("%s-%s", of_home, directory + n));
	claude_session_in(filled("%s/%s-h1/a.jsonl", claude, cut), "other");
	claude_session_of(directory, filled("%s/%s-h2/a.jsonl", claude, cut),
			  "this");
	set_time(filled("%s/%s-h2/a.jsonl", claude, cut), YEAR_2026);
	check_opens("this", directory);
}

static void by_variables(void)
{
	begin();
	setenv("PI_CODING_AGENT_DIR", test_path("agent"), 1);
	setenv("CLAUDE_CONFIG_DIR", test_path("claude"), 1);
	session_in(filled("%s/agent/sessions/--%s--/a.jsonl", test_folder,
			  dashed(work, false)),
		   "another folder");
	check_opens("another folder", work);
	/* It is the agent that expands it. */
	setenv("PI_CODING_AGENT_DIR", "~/agent", 1);
	session_in(filled("%s/agent/sessions/--%s--/a.jsonl", home,
			  dashed(work, false)),
		   "by a tilde");
	check_opens("by a tilde", work);
	/* All of Pi's in one folder: their headers tell. */
	setenv("PI_CODING_AGENT_SESSION_DIR", test_path("flat"), 1);
	session_of(work, test_path("flat/a.jsonl"), "mine");
	session_in(test_path("flat/b.jsonl"), "of somebody");
	check_opens("mine", work);
	const char *file = filled("%s/claude/projects/-%s/a.jsonl", test_folder,
				  dashed(work, true));
	claude_session_in(file, "claude");
	set_time(file, YEAR_2030);
	check_opens("claude", work);
	unsetenv("PI_CODING_AGENT_DIR");
	unsetenv("CLAUDE_CONFIG_DIR");
	unsetenv("PI_CODING_AGENT_SESSION_DIR");
}

static void any_names(void)
{
	static const char *const names[] = { "two words", "-x", "two\nlines",
					     "it's $(x) *" };
	begin();
	for (size_t i = 0; i < COUNT(names); i++) {
		char directory[2 * PATH_MAX];
		test_row = names[i];
		snprintf(directory, sizeof(directory), "%s/%s", home, names[i]);
		test_need(mkdir(directory, 0755) == 0, directory);
		session_in(filled("%s/--%s--/a.jsonl", pi,
				  dashed(directory, false)),
			   "odd");
		go_to(directory);
		CHECK_COMMAND(0, NULL, NULL, "open");
		check_here("odd");
		go_to(home);
		check_content(PRINTED("open", "--", names[i]), "odd");
		unmount_at(PRINTED("open", directory));
	}
	test_row = NULL;
}

/* Kill the only daemon, and wait until its mount is dead. */
static void kill_daemon(const char *at)
{
	struct stat st;
	pid_t pid = daemon_pid();
	CHECK_INT(ERRNO(kill(pid, SIGKILL)), 0);
	CHECK_INT(wait_program(pid), -1);
	WAIT_UNTIL(ERRNO(stat(at, &st)) == ENOTCONN);
}

static void replaced(void)
{
	char at[2 * PATH_MAX];
	begin();
	pi_session("again");
	check_opens("again", work);
	go_to(work);
	snprintf(at, sizeof(at), "%s", PRINTED("open"));
	kill_daemon(at);
	CHECK_FAILS(1, "not in a mounted session", "log");
	CHECK_FAILS(1, "not connected", "log", at);
	check_opens("again", work);
	go_to(work);
	CHECK_SPAN(span_of(last_opened(work)), span_of(at));
}

static size_t n_folders;

/* Count folders that are in folders of the first one. */
static int count_folder(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)path;
	(void)st;
	n_folders += type == FTW_D && ftw->level >= 2;
	return 0;
}

static void reported(void)
{
	begin();
	go_to(work);
	CHECK_FAILS(1,
		    filled("no session of %s (sessfs list prints those of "
			   "others) in %s/--",
			   work, pi),
		    "open");
	CHECK_FAILS(1, filled("%s/-", claude), "open");
	CHECK_FAILS(1, "nowhere: no such directory", "open", "nowhere");
	const char *path = filled("%s/--%s--/a.jsonl", pi, dashed(work, false));
	make_folder_of(path);
	test_put(path, O_TRUNC, SPAN("junk\n"));
	CHECK_FAILS(1, "a.jsonl", "open");
	n_folders = 0;
	CHECK_INT(ERRNO(nftw(test_path("run/sessfs"), count_folder, 16,
			     FTW_PHYS)),
		  0);
	CHECK_INT(n_folders, 0);
}

static size_t count_mounts(void)
{
	size_t n = 0;
	for (struct span rest = text_of("/proc/self/mountinfo"); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		n += memmem(line.p, line.n, test_folder, strlen(test_folder)) &&
		     memmem(line.p, line.n, " - fuse.sessfs ", 15);
	}
	return n;
}

static void other_options(void)
{
	char plain[2 * PATH_MAX], guarded[2 * PATH_MAX], colored[2 * PATH_MAX],
		last_wins[2 * PATH_MAX];
	begin();
	pi_session("x");
	snprintf(plain, sizeof(plain), "%s", PRINTED("open", work));
	snprintf(guarded, sizeof(guarded), "%s",
		 PRINTED("open", "-o", "ro", work));
	snprintf(colored, sizeof(colored), "%s",
		 PRINTED("open", "-o", "color,keep=2", work));
	CHECK_INT(count_mounts(), 3);
	CHECK_VALUE(join(plain, "info"), "writable", "yes");
	CHECK_VALUE(join(guarded, "info"), "writable",
		    "no, the file or its mount is read-only");
	go_to(guarded);
	CHECK_INT(move_head("tree"), EROFS);
	CHECK_HAS(join(colored, "tree.txt"), "\033");
	CHECK_HAS(join(plain, "tree.txt"), "aa000001");
	CHECK(!has(join(plain, "tree.txt"), "\033"));
	/* Other commands use the one printed last. */
	go_to(work);
	CHECK_SPAN(span_of(last_opened(work)), span_of(colored));
	CHECK_PRINTED(guarded, "open", "-o", "ro", work);
	CHECK_SPAN(span_of(last_opened(work)), span_of(guarded));
	CHECK_PRINTED(plain, "open", work);
	CHECK_PRINTED(plain, "open", "-o", ",", work);
	CHECK_SPAN(span_of(last_opened(work)), span_of(plain));
	/* In any spelling. */
	CHECK_PRINTED(colored, "open", "-o", "keep=2", "-o", "color", work);
	CHECK_PRINTED(colored, "open", "-o", "color,,keep=2,color", work);
	/* The last of two values counts. */
	snprintf(last_wins, sizeof(last_wins), "%s",
		 PRINTED("open", "-o", "keep=3,keep=2", work));
	CHECK(strcmp(PRINTED("open", "-o", "keep=2,keep=3", work), last_wins) !=
	      0);
}

/* A fusermount3 that fails as it does for users where there is no /etc/mtab. */
static void no_mtab(void)
{
	static const char script[] =
		"#!/bin/sh\n"
		"echo \"fusermount3: failed to open /etc/mtab: No such file or "
		"directory\" >&2\n"
		"exit 1\n";
	const char *path = test_path("bin/fusermount3");
	make_folder_of(path);
	test_put(path, 0, span_of(script));
	test_need(chmod(path, 0755) == 0, path);
	setenv("PATH", filled("%s/bin:%s", test_folder, getenv("PATH")), 1);
}

static void not_unmounted(void)
{
	char at[2 * PATH_MAX];
	begin();
	pi_session("again");
	go_to(work);
	snprintf(at, sizeof(at), "%s", PRINTED("open"));
	kill_daemon(at);
	char *path = strdup(getenv("PATH"));
	test_need(path != NULL, "PATH");
	no_mtab();
	if (geteuid() == 0) {
		CHECK_PRINTED(at, "open");
		check_content(at, "again");
	} else {
		CHECK_FAILS(1, "failed to open /etc/mtab", "open", ".");
		CHECK_FAILS(1, "as root: ln -s /proc/self/mounts /etc/mtab",
			    "open", ".");
		CHECK_HAS("/proc/self/mountinfo", filled(" %s ", at));
	}
	setenv("PATH", path, 1);
	free(path);
}

/* Which session it is goes nowhere. */
static void print_to(int fd)
{
	int null = open("/dev/null", O_WRONLY);
	if (dup2(fd, 1) < 0 || dup2(null, 2) < 0)
		_exit(126);
}

static void at_once(void)
{
	enum { N = 5 };
	pid_t pids[N];
	struct buf first = { 0 };
	begin();
	pi_session("x");
	go_to(work);
	for (int i = 0; i < N; i++) {
		const char *path = filled("%s/out.%d", test_folder, i);
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		test_need(fd >= 0, path);
		pids[i] = start_prepared(print_to, fd, COMMAND("open"));
		close(fd);
	}
	for (int i = 0; i < N; i++)
		CHECK_INT(wait_program(pids[i]), 0);
	test_read(filled("%s/out.0", test_folder), &first);
	CHECK(first.len > 0);
	for (int i = 1; i < N; i++)
		CHECK_SPAN(text_of(filled("%s/out.%d", test_folder, i)),
			   buf_span(&first));
	buf_free(&first);
	CHECK_INT(count_mounts(), 1);
}

static void of_systemd(void)
{
	begin();
	CHECK_INT(ERRNO(mkdir(test_path("run/sessfs"), 0755)), 0);
	CHECK_INT(stat_of(test_path("run/sessfs")).st_mode, S_IFDIR | 0755);
	CHECK_COMMAND(0, NULL, NULL, "open", "--mounts");
}

/* sessfs open --mounts as a user, with an id for setpriv. */
#define ASK(user, group)                                                   \
	PIECES("setpriv", user, group, "--clear-groups", sessfs_program(), \
	       "open", "--mounts")

static void of_another_user(void)
{
	char at[64], user[32], group[32], why[128];
	uid_t id = 200000 + (uid_t)getpid() % 32768;
	begin();
	snprintf(at, sizeof(at), "/tmp/sessfs-%u", id);
	snprintf(user, sizeof(user), "--reuid=%u", id);
	snprintf(group, sizeof(group), "--regid=%u", id);
	snprintf(why, sizeof(why), "%s: not a directory of yours", at);
	unsetenv("XDG_RUNTIME_DIR");
	errno = EEXIST;
	test_need(!exists(at), at);
	CHECK_INT(run_program(ASK(user, group)), 0);
	CHECK_INT(stat_of(at).st_mode, S_IFDIR | 0700);
	CHECK_INT(stat_of(at).st_uid, id);
	CHECK_INT(ERRNO(chmod(at, 0755)), 0);
	CHECK(fails_in_a_line(1, why, ASK(user, group)));
	CHECK_INT(ERRNO(nftw(at, test_unlink, 16, FTW_DEPTH | FTW_PHYS)), 0);
	CHECK_INT(ERRNO(mkdir(at, 0700)), 0); /* root's */
	CHECK(fails_in_a_line(1, why, ASK(user, group)));
	CHECK_INT(ERRNO(nftw(at, test_unlink, 16, FTW_DEPTH | FTW_PHYS)), 0);
	CHECK_INT(ERRNO(symlink(test_folder, at)), 0);
	CHECK_INT(ERRNO(lchown(at, id, (gid_t)-1)), 0);
	CHECK_INT(ERRNO(chown(test_folder, id, (gid_t)-1)), 0);
	CHECK_INT(ERRNO(chmod(test_folder, 0700)), 0);
	CHECK(fails_in_a_line(1, why, ASK(user, group)));
	CHECK_INT(ERRNO(unlink(at)), 0);
	/* Nor is one that belongs to who was root's caller. */
	setenv("XDG_RUNTIME_DIR", test_folder, 1);
	CHECK_COMMAND(0, NULL, NULL, "open", "--mounts");
	CHECK(!exists(test_path("sessfs")));
	rmdir(filled("/tmp/sessfs-%u", geteuid())); /* root may have mounts */
}

static const struct mounts_test tests[] = {
	TEST("sessfs open mounts Pi's session of the directory, once", once),
	TEST("a newer session is mounted beside the older one", newer),
	TEST("sessfs open mounts the newest session of Pi, oh-my-pi and Claude "
	     "Code",
	     newest_of_agents),
	TEST("sessfs open knows Claude Code's names for folders",
	     names_of_claude),
	TEST("sessfs open looks in the folders of the agents' variables",
	     by_variables),
	FULL_TEST("sessfs open works for directories of any name", any_names),
	TEST("a mount whose daemon has died is replaced", replaced),
	TEST("sessfs open reports where it found no session, and what can't be "
	     "mounted",
	     reported),
	TEST("sessfs open hands out no mount with other options than were "
	     "asked for",
	     other_options),
	TEST("a dead mount that can't be unmounted is an error with the reason",
	     not_unmounted),
	TEST("several sessfs open at once make one mount", at_once),
	TEST("the folder of the mounts may be a unit's of systemd", of_systemd),
	ROOT_TEST("a folder of another user in /tmp is not used",
		  of_another_user),
};
RUN_TESTS(tests)
