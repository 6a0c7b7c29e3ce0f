/* sessfs export: the files of a mount, as plain files. */
#include "tests/mounts/mounts.h"

#include <signal.h>
#include <sys/mount.h>

#define BRANCHES "pi-v3-branches.jsonl"
#define EXPORT(...) COMMAND("export", __VA_ARGS__)

static char out[PATH_MAX];

static void set_up(void)
{
	snprintf(out, sizeof(out), "%s", test_path("out"));
	test_need(chdir(test_folder) == 0, test_folder);
}

/* The session is a copy of this fixture. */
static void set_up_with(const char *name)
{
	set_up();
	test_copy(fixture(name), mounts_session);
}

/* Mount a source, while the tests stay where they are. */
static void mount_it(const char *source)
{
	mount_source(source);
	test_need(chdir(test_folder) == 0, test_folder);
}

static void mount_fixture_of(const char *name)
{
	mount_fixture(name);
	set_up();
}

/* Trees of files. */

/* Does the export of a session equal its mount, except for tree/, and what is
 * not listed? */
static bool is_as_mounted(const char *mount, const char *export)
{
	return are_trees_alike(mount, PIECES("tree"), export,
			       PIECES("context.json", "files.txt", "tree.html"),
			       true) &&
	       is_copy(filled("%s/context.json", mount),
		       filled("%s/context.json", export));
}

/* The same of sessions in a mount of a folder. */
static void check_as_mounted(const char *const sessions[])
{
	for (size_t i = 0; sessions[i]; i++) {
		test_row = sessions[i];
		CHECK(is_as_mounted(join(mounts_at, sessions[i]),
				    join(out, sessions[i])));
	}
	test_row = NULL;
}

/* Rules: V1 */
static void every_fixture(void)
{
	size_t n = 0;
	const struct dirent *d;
	DIR *dir = opendir(fixture(""));
	test_need(dir != NULL, "fixtures");
	while ((d = readdir(dir))) {
		const char *end = strrchr(d->d_name, '.');
		if (!end || strcmp(end, ".jsonl") != 0)
			continue;
		test_row = d->d_name;
		mount_fixture_of(d->d_name);
		CHECK(prints("", EXPORT(out, mounts_session)));
		CHECK(is_as_mounted(mounts_at, out));
		unmount();
		remove_tree(out);
		unlink(test_path("session.head.json"));
		unlink(test_path("session.sessfs.json"));
		n++;
	}
	closedir(dir);
	test_row = NULL;
	CHECK(n > 10);
}

static void options_count(void)
{
	set_up();
	put_lines(mounts_session, "{'a':1}\n{'b':2}\n");
	CHECK_INT(RUN(sessfs_program(), "export", "-o", "dialect=lines,ro", out,
		      mounts_session),
		  0);
	CHECK_INT(RUN(sessfs_program(), "-o", "dialect=lines,ro",
		      mounts_session, mounts_at),
		  0);
	CHECK(is_as_mounted(mounts_at, out));
	CHECK_INT(RUN(sessfs_program(), "export", "-o", "stats,color",
		      test_path("more"), fixture(BRANCHES)),
		  0);
	CHECK_HAS("more/info", "\ncache-misses: ");
	CHECK_HAS("more/tree.txt", "\033[1;33maa000001 ");
}

static void is_made_or_empty(void)
{
	set_up_with(BRANCHES);
	const char *const s = mounts_session;
	CHECK_INT(RUN(sessfs_program(), "export", out, s), 0);
	CHECK(refuses(1, filled("sessfs: %s: is not empty", out),
		      EXPORT(out, s)));
	test_need(mkdir("empty", 0711) == 0, "empty");
	test_need(symlink("empty", "link") == 0, "link");
	CHECK(prints("", EXPORT("link/", s)));
	CHECK(is_same_tree(out, "empty"));
	CHECK_INT(stat_of("empty").st_mode, S_IFDIR | 0711);
	CHECK_INT(put("file", "mine\n"), 0);
	CHECK(refuses(1, "sessfs: file: Not a directory", EXPORT("file", s)));
	CHECK_FILE("file", "mine\n");
	CHECK(refuses(1, "sessfs: .: is not empty", EXPORT(".", s)));
	CHECK(refuses(1, "sessfs: no/out: No such file or directory",
		      EXPORT("no/out", s)));
	CHECK(refuses(1, "sessfs: none: No such file or directory",
		      EXPORT("new", "none")));
	CHECK(refuses(1,
		      "sessfs: file: unknown session format (-o dialect=lines "
		      "shows it line by line)",
		      EXPORT("new", "file")));
	CHECK(!exists("new"));
}

static void words_of_the_line(void)
{
	static const char usage[] =
		"usage: sessfs export [OPTIONS] DIR [SOURCE...] (-h for help)";
	set_up_with(BRANCHES);
	const char *const s = mounts_session;
	CHECK(refuses(2, usage, COMMAND("export")));
	CHECK(refuses(1, "sessfs: x: No such file or directory",
		      EXPORT("new", s, "x")));
	CHECK(refuses(2,
		      "sessfs: check: no option --export (sessfs check -h for "
		      "help)",
		      COMMAND("check", "--export", "new", s)));
	CHECK(refuses(2, "sessfs: unknown option(s): `-o nosuch'",
		      COMMAND("export", "-o", "nosuch", "new", s)));
	CHECK_LINK("new/session/HEAD", "by-id/aa000025");
	remove_tree("new");
	CHECK_INT(RUN(sessfs_program(), "export", "new", s), 0);
	CHECK_LINK("new/HEAD", "by-id/aa000025");
}

static void private(void)
{
	set_up_with(BRANCHES);
	test_need(chmod(mounts_session, 0600) == 0, mounts_session);
	umask(0);
	CHECK(prints("", EXPORT(out, mounts_session)));
	umask(022);
	size_t n = 0;
	const FTSENT *e;
	FTS *fts = walk_tree(out);
	for (; (e = next_in_tree(fts, 0, PIECES(NULL))); n++) {
		test_row = e->fts_path;
		CHECK(S_ISLNK(e->fts_statp->st_mode) ||
		      (e->fts_statp->st_mode & 077) == 0);
	}
	test_row = NULL;
	fts_close(fts);
	CHECK(n > 100);
	CHECK_INT(stat_of(out).st_mode, S_IFDIR | 0700);
}

static void ordinary_user(void)
{
	/* They can't write to the session, root can: "writable" in info. */
	static const char *const alike[] = { "by-id",	 "by-label",
					     "by-file",	 "branches",
					     "path",	 "context.txt",
					     "tree.txt", "name" };
	set_up_with("pi-v1-linear.jsonl");
	keep_session();
	test_need(mkdir("home", 0755) == 0 && chown("home", 65534, 65534) == 0,
		  "home");
	CHECK_INT(RUN("unshare", "--mount", "--propagation", "slave", "sh",
		      "-c",
		      filled("mount --bind /dev/null /dev/fuse && setpriv "
			     "--reuid=65534 --regid=65534 --clear-groups '%s' "
			     "export home/out '%s'",
			     sessfs_program(), mounts_session)),
		  0);
	CHECK_KEPT();
	const FTSENT *e;
	FTS *fts = walk_tree("home/out");
	while ((e = next_in_tree(fts, 0, PIECES(NULL)))) {
		test_row = e->fts_path;
		CHECK_INT(e->fts_statp->st_uid, 65534);
	}
	test_row = NULL;
	fts_close(fts);
	mount_it(mounts_session);
	for (size_t i = 0; i < COUNT(alike); i++)
		CHECK(is_same_tree(join(mounts_at, alike[i]),
				   join("home/out", alike[i])));
	/* And they can remove it. */
	CHECK_INT(run_program(as_nobody(PIECES("rm", "-r", "home/out"))), 0);
}

static void not_writable(void)
{
	set_up_with(BRANCHES);
	test_need(mkdir("empty", 0755) == 0, "empty");
	CHECK(refuses(1, "sessfs: new: Permission denied",
		      as_nobody(EXPORT("new", mounts_session))));
	CHECK(refuses(1,
		      "sessfs: empty/HEAD: Permission denied; empty is "
		      "incomplete",
		      as_nobody(EXPORT("empty", mounts_session))));
	CHECK_INT(test_count_names("empty", ""), 0);
}

static void full_disk(void)
{
	static const char begin[] = "sessfs: small/out/",
			  end[] = ": No space left on device; small/out is "
				  "incomplete\n";
	set_up_with(BRANCHES);
	test_need(mkdir("small", 0755) == 0, "small");
	CHECK_INT(ERRNO(mount("tmpfs", "small", "tmpfs", 0, "size=64k")), 0);
	CHECK(fails_in_a_line(1, end, EXPORT("small/out", mounts_session)));
	CHECK(span_starts(buf_span(&mounts_errors), span_of(begin)));
	CHECK(span_ends(buf_span(&mounts_errors), span_of(end)));
}

static void limited_size(void)
{
	set_up();
	put_lines(mounts_session,
		  filled("%s" USER("00000001", "null", "%010000d"), HEADER, 0));
	test_limit_size(4096);
	CHECK(refuses(1,
		      "sessfs: out/context.txt: File too large; out is "
		      "incomplete",
		      EXPORT("out", mounts_session)));
	test_limit_size(RLIM_INFINITY);
}

static void hostile(void)
{
	set_up();
	write_evil();
	mount_it(mounts_session);
	test_need(mkdir(out, 0755) == 0, out);
	const char *const in = filled("%s/in", out);
	CHECK_INT(RUN(sessfs_program(), "export", in, mounts_session), 0);
	CHECK(is_as_mounted(mounts_at, in));
	CHECK_NAMES(out, "in ");
	CHECK_INT(test_count_names(out, ""), 1);
	/* The links are the mount's, of which test_hostile.c says that none
	 * leads out; here each leads to something. */
	size_t n = 0;
	const FTSENT *e;
	FTS *fts = walk_tree(in);
	while ((e = next_in_tree(fts, 0, PIECES(NULL)))) {
		struct stat st;
		if (!S_ISLNK(e->fts_statp->st_mode))
			continue;
		test_row = e->fts_path;
		CHECK(!span_starts(link_at(e->fts_path), SPAN("/")));
		CHECK_INT(ERRNO(stat(e->fts_path, &st)), 0);
		n++;
	}
	test_row = NULL;
	fts_close(fts);
	CHECK(n > 100);
}

static void before_the_first(void)
{
	mount_fixture_of("pi-v3-headmove-root.jsonl");
	CHECK_INT(RUN(sessfs_program(), "export", out, mounts_session), 0);
	CHECK_LINK("out/HEAD", "tree");
	CHECK(!exists("out/tree"));
	CHECK(is_as_mounted(mounts_at, out));
}

/* Sessions in folders, all/. */
static void make_all(void)
{
	static const char *const copies[][2] = {
		{ BRANCHES, "all/a/one.jsonl" },
		{ "claude-basic.jsonl", "all/a/deep/two.jsonl" },
		{ "go-tree.jsonl", "all/go-tree.jsonl" },
		{ "go-tree.head.json", "all/go-tree.head.json" },
		{ "omp-v3-basic.jsonl", "all/top.jsonl" },
		{ "omp-v3-basic.jsonl", "all/top/in.jsonl" },
	};
	set_up();
	make_folder(test_path("all/a/deep"));
	make_folder(test_path("all/empty"));
	make_folder(test_path("all/top"));
	for (size_t i = 0; i < COUNT(copies); i++)
		test_copy(fixture(copies[i][0]), copies[i][1]);
	put("all/a/notes.txt", "nothing\n");
}

/* All paths of a tree, without those that have or are below these names. */
static struct buf paths_below(const char *folder, const char *const without[])
{
	struct buf b = { 0 };
	const FTSENT *e;
	FTS *fts = walk_tree(folder);
	while ((e = next_in_tree(fts, 0, without))) {
		buf_adds(&b, e->fts_path + strlen(folder));
		buf_addc(&b, '\n');
	}
	fts_close(fts);
	return b;
}

static void folder_of_sessions(void)
{
	static const char *const folders[] = { ".", "a", "a/deep", "empty",
					       "top%2F" };
	make_all();
	mount_it(test_path("all"));
	CHECK(prints("", EXPORT(out, "all")));
	check_as_mounted(
		PIECES("a/one", "a/deep/two", "go-tree", "top", "top%2F/in"));
	struct buf want = paths_below(mounts_at, PIECES("tree", "by-id")),
		   got = paths_below(out, PIECES("by-id", "context.json",
						 "files.txt", "tree.html",
						 "sessions.txt"));
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	buf_free(&want);
	buf_free(&got);
	for (size_t i = 0; i < COUNT(folders); i++)
		CHECK(is_copy(
			filled("%s/%s/sessions.txt", mounts_at, folders[i]),
			filled("%s/%s/sessions.txt", out, folders[i])));
	struct span listed = text_of("out/sessions.txt");
	size_t lines = 0;
	for (; listed.n > 0; lines++)
		span_next(&listed, '\n');
	/* What is in top/ is a run of top.jsonl's, and no row. */
	CHECK_INT(lines, 4);
	struct stat a = stat_of(join(mounts_at, "a/sessions.txt")),
		    b = stat_of("out/a/sessions.txt");
	CHECK_INT(b.st_mode, a.st_mode);
	CHECK_INT(b.st_mtime, a.st_mtime);
	CHECK_INT(b.st_size, a.st_size);
	CHECK(S_ISDIR(stat_of("out/empty").st_mode));
	CHECK(refuses(1,
		      "sessfs: all/out: is inside SOURCE, which is to be "
		      "exported",
		      EXPORT("all/out", "all")));
	test_need(mkdir("all/empty/dir", 0755) == 0, "all/empty/dir");
	CHECK(refuses(1,
		      "sessfs: all/empty/dir: is inside SOURCE, which is to be "
		      "exported",
		      EXPORT("all/empty/dir", "all")));
	CHECK(!exists("all/out"));
	CHECK(S_ISDIR(stat_of("all/empty/dir").st_mode));
}

/* A folder for each, as in a mount of these files. */
static void selected(void)
{
	make_all();
	CHECK(prints("", COMMAND("export", out, "all", "--agent",
				 "pi,omp,claude", "--until", "2026-12-31")));
	CHECK_INT(RUN(sessfs_program(), "all/a/one.jsonl",
		      "all/a/deep/two.jsonl", "all/top.jsonl", mounts_at),
		  0);
	check_as_mounted(PIECES("one", "two", "top"));
	CHECK(is_copy(join(mounts_at, "sessions.txt"),
		      join(out, "sessions.txt")));
	CHECK(are_trees_alike(join(mounts_at, "by-project"), PIECES(""),
			      join(out, "by-project"), PIECES(""), false));
	CHECK(refuses(1,
		      "sessfs: export: there are no sessions of project none",
		      COMMAND("export", "more", "all", "--project", "none")));
	CHECK(!exists("more"));
}

static void unreadable(void)
{
	static const char *const sessions[] = { "a/one", "go-tree", "top",
						"top%2F/in" };
	make_all();
	test_need(chmod("all/a/deep", 0700) == 0, "all/a/deep");
	test_need(mkdir("home", 0777) == 0 && chmod("home", 0777) == 0, "home");
	CHECK(refuses(1,
		      "sessfs: home/out/a/deep: Permission denied; home/out is "
		      "incomplete",
		      as_nobody(EXPORT("home/out", "all"))));
	CHECK_INT(RUN(sessfs_program(), "-o", "ro", "all", mounts_at), 0);
	for (size_t i = 0; i < COUNT(sessions); i++)
		CHECK(is_same_tree(
			filled("%s/%s/by-id", mounts_at, sessions[i]),
			filled("home/out/%s/by-id", sessions[i])));
}

/* Start an export that waits before it makes the folder of this name. */
static pid_t export_until(const char *name, const char *source)
{
	CHECK_INT(put("while", ""), 0);
	pid_t pid = start_program(meeting("hold", name, EXPORT(out, source)),
				  test_path("stderr"));
	WAIT_UNTIL(has("met", "met mkdirat\n"));
	return pid;
}

/* Let it go on: its exit status. */
static int go_on(pid_t pid)
{
	CHECK_INT(ERRNO(unlink("while")), 0);
	return wait_program(pid);
}

static void appended_lines(void)
{
	static const char *const alike[] = { "by-id", "branches",
					     "context.txt" };
	mount_fixture_of(BRANCHES);
	test_need(mkdir("want", 0755) == 0, "want");
	for (size_t i = 0; i < COUNT(alike); i++)
		CHECK_INT(RUN("cp", "-dR", join(mounts_at, alike[i]), "want"),
			  0);
	/* So that the test can remove it. */
	CHECK_INT(RUN("chmod", "-R", "u+w", "want"), 0);
	pid_t pid = export_until("aa000008", mounts_session);
	append_user("bb000001", "aa000025", "one more");
	append_user("bb000002", "aa000025", "and another");
	CHECK_INT(go_on(pid), 0);
	for (size_t i = 0; i < COUNT(alike); i++)
		CHECK(is_same_tree(join("want", alike[i]),
				   join(out, alike[i])));
	CHECK_LINK("out/HEAD", "by-id/aa000025");
	remove_tree(out);
	CHECK_INT(RUN(sessfs_program(), "export", out, mounts_session), 0);
	CHECK_FILE("out/HEAD/content", "and another\n");
}

/* Rules: V2 */
static void rewritten(void)
{
	make_all();
	pid_t pid = export_until("aa000008", "all");
	struct span rest = text_of("all/a/one.jsonl"),
		    first = span_next(&rest, '\n');
	put("all/a/one.jsonl", filled("%.*s\n", (int)first.n, first.p));
	CHECK_INT(go_on(pid), 1);
	CHECK_FILE("stderr",
		   filled("sessfs: %s/a/one/by-id/aa000008/content: the "
			  "session was rewritten or removed during the export; "
			  "%s is incomplete\n",
			  out, out));
	mount_it(test_path("all"));
	check_as_mounted(PIECES("a/deep/two", "go-tree", "top", "top%2F/in"));
}

static void goes_before(void)
{
	make_all();
	pid_t pid = export_until("one", "all");
	CHECK_INT(ERRNO(unlink("all/top.jsonl")), 0);
	CHECK_INT(go_on(pid), 1);
	CHECK_FILE("stderr",
		   filled("sessfs: %s/top: the session was rewritten or "
			  "removed during the export; %s is incomplete\n",
			  out, out));
	CHECK(!exists("out/top"));
	CHECK(link_at("out/go-tree/HEAD").n > 0);
	CHECK(link_at("out/a/one/HEAD").n > 0);
	CHECK(link_at("out/top%2F/in/HEAD").n > 0);
}

static void stopped(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	set_up_with(BRANCHES);
	for (size_t i = 0; i < COUNT(signals); i++) {
		int status;
		test_row = strsignal(signals[i]);
		signal(signals[i], SIG_DFL);
		pid_t pid = export_until("aa000008", mounts_session);
		CHECK_INT(ERRNO(kill(pid, signals[i])), 0);
		CHECK_INT(ERRNO(unlink("while")), 0);
		test_need(waitpid(pid, &status, 0) == pid, "waitpid");
		CHECK(WIFSIGNALED(status));
		CHECK_INT(WTERMSIG(status), signals[i]);
		CHECK_FILE("stderr",
			   filled("sessfs: %s: interrupted; the export is "
				  "incomplete\n",
				  out));
		CHECK(S_ISDIR(stat_of("out/by-id/aa000008").st_mode));
		CHECK(!exists("out/branches"));
		remove_tree(out);
		CHECK_INT(ERRNO(unlink("met")), 0);
	}
	test_row = NULL;
}

static void ignored_signal(void)
{
	set_up_with(BRANCHES);
	signal(SIGHUP, SIG_IGN);
	pid_t pid = export_until("aa000008", mounts_session);
	signal(SIGHUP, SIG_DFL);
	CHECK_INT(ERRNO(kill(pid, SIGHUP)), 0);
	CHECK_INT(go_on(pid), 0);
	CHECK(S_ISDIR(stat_of("out/branches").st_mode));
}

static void thousands(void)
{
	set_up();
	write_many("chain", 3000);
	mount_it(mounts_session);
	CHECK_INT(RUN(sessfs_program(), "export", out, mounts_session), 0);
	CHECK_INT(test_count_names("out/by-id", ""), 3000);
	CHECK(is_copy(join(mounts_at, "context.json"), "out/context.json"));
	CHECK(is_same_tree(join(mounts_at, "by-id"), join(out, "by-id")));
}

static void hundred_deep(void)
{
	struct buf path = { 0 };
	set_up();
	for (int i = 0; i < 100; i++)
		buf_adds(&path, "/d");
	buf_addc(&path, '\0');
	const char *folder = test_path(filled("all%s", path.data));
	make_folder(folder);
	test_copy(fixture(BRANCHES), filled("%s/s.jsonl", folder));
	CHECK_INT(RUN(sessfs_program(), "export", out, "all"), 0);
	CHECK_LINK(filled("%s%s/s/HEAD", out, buf_cstr(&path)),
		   "by-id/aa000025");
	buf_free(&path);
}

/* It is blocked, and has come, when the program starts. */
static void blocked_signal(void)
{
	set_up();
	put_lines(mounts_session, HEADER USER("00000001", "null", "one") USER(
					  "00000002", "'00000001'", "two"));
	int said = open("said", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	test_need(said >= 0, "said");
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		sigset_t term;
		sigemptyset(&term);
		sigaddset(&term, SIGTERM);
		sigprocmask(SIG_BLOCK, &term, NULL);
		kill(getpid(), SIGTERM);
		dup2(said, 1);
		dup2(said, 2);
		execl(sessfs_program(), sessfs_program(), "export", out,
		      mounts_session, NULL);
		_exit(127);
	}
	close(said);
	CHECK_INT(wait_program(pid), 0);
	CHECK_FILE("said", "");
	CHECK_FILE("out/HEAD/content", "two\n");
}

static const struct mounts_test tests[] = {
	FULL_TEST("every fixture, exported, is as it is mounted",
		  every_fixture),
	TEST("the options of the mount count", options_count),
	TEST("DIR is made, or was an empty folder; nothing is lost",
	     is_made_or_empty),
	TEST("the words of the command line", words_of_the_line),
	TEST("private sessions stay private", private),
	ROOT_TEST("an ordinary user, without /dev/fuse, and nothing is written "
		  "to the session",
		  ordinary_user),
	ROOT_TEST("a DIR that can't be written to", not_writable),
	ROOT_TEST("a full disk: the file is named, DIR is said to be "
		  "incomplete",
		  full_disk),
	TEST("a limit on file sizes is an error as well", limited_size),
	TEST("hostile ids and labels lead nowhere else", hostile),
	TEST("before the first entry HEAD leads to the tree that is not there",
	     before_the_first),
	TEST("sessions that options select, or that are named", selected),
	TEST("a folder of sessions: folders, with each session as a folder",
	     folder_of_sessions),
	ROOT_TEST("unreadable sessions of a folder are reported; the others "
		  "are exported",
		  unreadable),
	TEST("lines appended during an export are left out", appended_lines),
	TEST("a session rewritten during an export is abandoned, with one "
	     "line; others are not",
	     rewritten),
	TEST("a session that goes before it is entered", goes_before),
	TEST("SIGINT stops an export, and DIR is reported as incomplete",
	     stopped),
	TEST("a signal that is ignored is", ignored_signal),
	FULL_TEST("a chain of thousands", thousands),
	FULL_TEST("folders below folders, a hundred deep", hundred_deep),
	TEST("a signal that the parent process has blocked does not stop an "
	     "export",
	     blocked_signal),
};
RUN_TESTS(tests)
