/*
 * Several SOURCEs in one mount: the agents' folders (--all), or those that are
 * named, with by-project/ and by-day/.
 */
#include "tests/mounts/mounts.h"

#include <grp.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#define DAY "by-day/2026-03-01"

static char home[PATH_MAX];
static char pi[PATH_MAX];    /* Pi's sessions */
static char codex[PATH_MAX]; /* Codex's */

static void set_up(void)
{
	make_home();
	setenv("TZ", "UTC", 1);
	setenv("CODEX_HOME", test_path("home/.codex"), 1);
	snprintf(home, sizeof(home), "%s", test_path("home"));
	snprintf(pi, sizeof(pi), "%s", test_path("home/.pi/agent/sessions"));
	snprintf(codex, sizeof(codex), "%s", test_path("home/.codex/sessions"));
	test_need(chdir(test_folder) == 0, test_folder);
}

/* A session of Pi, last used on 2026-03-01 at a time, in a directory. */
static void pi_in(const char *file, const char *time, const char *text,
		  const char *cwd)
{
	put_lines(file,
		  filled("{'type':'session','version':3,"
			 "'id':'0198f000-0000-7000-8000-00000000000a',"
			 "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'%s'}\n"
			 "{'type':'message','id':'aa000001','parentId':null,"
			 "'timestamp':'2026-03-01T%s.000Z','message':"
			 "{'role':'user','content':'%s',"
			 "'timestamp':1772359201000}}\n",
			 cwd, time, text));
}

static void pi_at(const char *file, const char *time, const char *text)
{
	pi_in(file, time, text, "/work/demo");
}

/* A session of each of four agents. */
static void write_four(void)
{
	static const char *const copies[][2] = {
		{ "pi-v3-branches", ".pi/agent/sessions/--work--" },
		{ "omp-v3-basic", ".omp/agent/sessions/-x" },
		{ "claude-basic", ".claude/projects/-work-demo" },
		{ "codex-legacy", ".codex/sessions/2026/03/01" },
	};
	for (size_t i = 0; i < COUNT(copies); i++) {
		const char *folder = join(home, copies[i][1]);
		const char *name = filled("%s.jsonl", copies[i][0]);
		make_folder(folder);
		test_copy(fixture(name), join(folder, name));
	}
}

/* Mount SOURCEs, or --all, and enter the mount. */
#define MOUNT(...)                                                           \
	do {                                                                 \
		CHECK_INT(RUN(sessfs_program(), __VA_ARGS__, mounts_at), 0); \
		test_need(chdir(mounts_at) == 0, mounts_at);                 \
	} while (0)

/* Texts in the order of their bytes. */
struct lines {
	char *texts[256];
	size_t n;
};

static void add(struct lines *l, struct span s)
{
	test_need(l->n < COUNT(l->texts), "too many lines");
	l->texts[l->n] = strndup(s.p, s.n);
	test_need(l->texts[l->n++] != NULL, "memory");
}

/* Sort them, and free them into a text. */
static struct buf joined(struct lines *l)
{
	struct buf b = { 0 };
	qsort(l->texts, l->n, sizeof(l->texts[0]), by_bytes);
	for (size_t i = 0; i < l->n; i++) {
		buf_adds(&b, l->texts[i]);
		buf_addc(&b, '\n');
		free(l->texts[i]);
	}
	l->n = 0;
	return b;
}

static void clear(struct lines *l)
{
	struct buf b = joined(l);
	buf_free(&b);
}

/* The names in a folder. */
static void add_names(struct lines *l, const char *folder)
{
	const struct dirent *d;
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	while ((d = readdir(dir)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			add(l, span_of(d->d_name));
	closedir(dir);
}

static bool has_twins(const struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(l->texts[i], l->texts[j]) == 0)
				return true;
	return false;
}

/* The paths of the links in a view, and where each leads to from the top. */
static void add_links(struct lines *paths, struct lines *targets,
		      const char *view)
{
	struct lines folders = { 0 }, names = { 0 };
	add_names(&folders, view);
	CHECK(!has_twins(&folders));
	for (size_t i = 0; i < folders.n; i++) {
		char folder[300], path[600];
		snprintf(folder, sizeof(folder), "%s/%s", view,
			 folders.texts[i]);
		CHECK(!strchr("-.", folders.texts[i][0]));
		add_names(&names, folder);
		CHECK(!has_twins(&names));
		for (size_t j = 0; j < names.n; j++) {
			struct stat st;
			snprintf(path, sizeof(path), "%s/%s", folder,
				 names.texts[j]);
			test_row = path;
			CHECK(!strchr("-.", names.texts[j][0]));
			CHECK(stat(path, &st) == 0 && S_ISDIR(st.st_mode));
			struct span to = link_at(path);
			if (CHECK(span_starts(to, SPAN("../../"))))
				add(targets,
				    (struct span){ to.p + 6, to.n - 6 });
			add(paths, span_of(path + strlen(view) + 1));
			test_row = NULL;
		}
		clear(&names);
	}
	clear(&folders);
}

#define CHECK_LINKS(view, want) CHECK_SPAN(links_in(view), span_of(want))

/* The paths of the links in a view, sorted, a line each; good until the next
 * call. */
static struct span links_in(const char *view)
{
	static struct buf b;
	struct lines paths = { 0 }, targets = { 0 };
	add_links(&paths, &targets, view);
	clear(&targets);
	buf_free(&b);
	b = joined(&paths);
	return buf_span(&b);
}

static size_t count_lines(struct span rest)
{
	size_t n = 0;
	for (; rest.n > 0; n++)
		span_next(&rest, '\n');
	return n;
}

/* Each line of sessions.txt has one link in each view, which leads to its
 * session. */
static void check_views(void)
{
	static const char *const views[] = { "by-project", "by-day" };
	for (size_t i = 0; i < COUNT(views); i++) {
		struct lines sessions = { 0 }, paths = { 0 }, targets = { 0 };
		for (struct span rest = text_of("sessions.txt"); rest.n > 0;) {
			struct span line = span_next(&rest, '\n');
			span_next(&line, '\t');
			add(&sessions, span_next(&line, '\t'));
		}
		add_links(&paths, &targets, views[i]);
		clear(&paths);
		struct buf want = joined(&sessions), got = joined(&targets);
		CHECK_SPAN(buf_span(&got), buf_span(&want));
		buf_free(&want);
		buf_free(&got);
	}
}

/* Rules: O1 O3 */
static void each_agent(void)
{
	set_up();
	write_four();
	MOUNT("--all");
	CHECK_NAMES(".", "by-day by-project claude codex omp pi ");
	CHECK_NAMES("claude", "-work-demo ");
	CHECK_NAMES("claude/-work-demo", "claude-basic ");
	CHECK_NAMES("codex", "2026 ");
	CHECK_NAMES("codex/2026", "03 ");
	CHECK_NAMES("codex/2026/03", "01 ");
	CHECK_NAMES("codex/2026/03/01", "codex-legacy ");
	CHECK_INT(count_lines(text_of("sessions.txt")), 4);
	CHECK_LINKS("by-day", "2026-03-01/1000-claude-Reading-files-udebasic\n"
			      "2026-03-01/1000-codex-Write-a-haiku-exlegacy\n"
			      "2026-03-01/1000-omp-Über-title-pv3basic\n"
			      "2026-03-01/1000-pi-Demo-session-branches\n");
	CHECK_LINKS("by-project",
		    "demo/2026-03-01-claude-Reading-files-udebasic\n"
		    "demo/2026-03-01-codex-Write-a-haiku-exlegacy\n"
		    "demo/2026-03-01-omp-Über-title-pv3basic\n"
		    "demo/2026-03-01-pi-Demo-session-branches\n");
	check_views();
	/* Each is what it is when it is mounted alone. */
	const char *const alone = test_path("alone");
	make_folder(alone);
	CHECK_INT(RUN(sessfs_program(), pi, alone), 0);
	CHECK(is_same_tree(alone, "pi"));
	CHECK(is_same_tree(join(alone, "--work--/pi-v3-branches"),
			   DAY "/1000-pi-Demo-session-branches/."));
	unmount_at(alone);
	/* What is written by way of a link is the session's. */
	CHECK_INT(put("by-project/demo/2026-03-01-pi-Demo-session-branches/"
		      "HEAD/label",
		      "tested\n"),
		  0);
	CHECK_HAS(join(pi, "--work--/pi-v3-branches.jsonl"), "tested");
}

static int errno_of(const char *path)
{
	struct stat st;
	return ERRNO(lstat(path, &st));
}

/* What the kernel knows of a name, or of a link, is dropped a moment after the
 * change. */
#define CHECK_GONE(path) WAIT_UNTIL(errno_of(path) == ENOENT)

/* Rules: O3 */
static void appear(void)
{
	set_up();
	MOUNT("--all");
	CHECK_NAMES(".", "by-day by-project ");
	CHECK_NAMES("by-day", "");
	CHECK_FILE("sessions.txt", "");
	struct stat before = stat_of(mounts_at);
	write_four();
	CHECK_NAMES(".", "by-day by-project claude codex omp pi ");
	struct stat after = stat_of(mounts_at);
	CHECK(after.st_mtim.tv_sec != before.st_mtim.tv_sec ||
	      after.st_mtim.tv_nsec != before.st_mtim.tv_nsec);
	check_views();
	make_folder(test_path("home/.codex/archived_sessions"));
	CHECK_INT(ERRNO(rename(join(codex, "2026/03/01/codex-legacy.jsonl"),
			       test_path("home/.codex/archived_sessions/"
					 "codex-legacy.jsonl"))),
		  0);
	WAIT_UNTIL(span_eq(link_at(DAY "/1000-codex-Write-a-haiku-exlegacy"),
			   SPAN("../../codex+archived_sessions/"
				"codex-legacy")));
	const char *const other = join(pi, "new/x.jsonl");
	pi_in(other, "11:30:00", "Another one", "/else/where");
	CHECK_LINK(DAY "/1130-pi-Another-one-x", "../../pi/new/x");
	CHECK_LINK("by-project/where/2026-03-01-pi-Another-one-x",
		   "../../pi/new/x");
	check_views();
	CHECK_INT(ERRNO(unlink(other)), 0);
	CHECK_GONE("by-project/where");
	remove_tree(test_path("home/.claude"));
	CHECK_NAMES(".", "by-day by-project codex codex+archived_sessions omp "
			 "pi ");
	check_views();
}

static void named(void)
{
	static const char *const folders[] = { "a/x", "b/x",	"-c",
					       ".d",  "by-day", "mnt2" };
	set_up();
	for (size_t i = 0; i < COUNT(folders); i++)
		make_folder(test_path(folders[i]));
	test_copy(fixture("pi-v3-branches.jsonl"), "a/x/one.jsonl");
	test_copy(fixture("claude-basic.jsonl"), "b/x/two.jsonl");
	test_copy(fixture("go-tree.jsonl"), "tree.jsonl");
	pi_at(test_path("-c/three.jsonl"), "10:00:05", "third");
	MOUNT("a/x", "b/x", "./-c", ".d", "by-day", "tree.jsonl");
	const char *const top = strrchr(test_folder, '/') + 1;
	CHECK_NAMES(".", filled("a+x b+x by-day by-project %s+-c %s+.d "
				"%s+by-day tree ",
				top, top, top));
	CHECK_NAMES("a+x", "one ");
	CHECK(S_ISDIR(stat_of("tree/by-id").st_mode));
	CHECK_HAS("sessions.txt", filled("\t%s+-c/three\t", top));
	check_views();
	/* One that goes is not shown, and all others are as before. */
	CHECK_INT(ERRNO(rename(test_path("b/x"), test_path("b/y"))), 0);
	CHECK_GONE("b+x");
	check_views();
	CHECK_INT(ERRNO(rename(test_path("b/y"), test_path("b/x"))), 0);
	CHECK_NAMES("b+x", "two ");
	/* A single one is mounted as ever. */
	CHECK_INT(RUN(sessfs_program(), test_path("a/x"), test_path("mnt2")),
		  0);
	CHECK_NAMES(test_path("mnt2"), "one ");
	CHECK_INT(errno_of(test_path("mnt2/by-day")), ENOENT);
	unmount_at(test_path("mnt2"));
}

static void refused(void)
{
	set_up();
	const char *const a = filled("%s", test_path("a"));
	const char *const b = filled("%s", test_path("b"));
	const char *const in_b = filled("%s/mnt", b);
	const char *const at = mounts_at;
	make_folder(a);
	make_folder(in_b);
	CHECK_INT(put("no.jsonl", "{\"hello\":\"world\"}\n"), 0);
	CHECK(refuses(1,
		      filled("sessfs: %s/none: No such file or directory",
			     test_folder),
		      COMMAND(a, test_path("none"), at)));
	CHECK(refuses(1, filled("sessfs: %s/.: the SOURCE is named twice", a),
		      COMMAND(a, filled("%s/.", a), at)));
	CHECK(fails_in_a_line(
		1, "no.jsonl: ", COMMAND(a, test_path("no.jsonl"), at)));
	CHECK(refuses(1, filled("sessfs: %s: is inside SOURCE", in_b),
		      COMMAND(a, b, in_b)));
	CHECK(refuses(1,
		      filled("sessfs: %s: the mount would hide the session", b),
		      COMMAND(a, in_b, b)));
	/* Also of a folder that is not there yet. */
	CHECK(refuses(
		1, filled("sessfs: %s: the mount would hide the session", home),
		COMMAND("--all", home)));
	CHECK(refuses(2,
		      filled("sessfs: unexpected argument with --all: %s", a),
		      COMMAND("--all", a, at)));
	CHECK_INT(hear_apart(COMMAND("--all")), 2);
	CHECK(!has("/proc/self/mountinfo", at));
}

#define ZEROS_40 "0000000000000000000000000000000000000000"

/* Rules: O2 */
static void hostile(void)
{
	set_up();
	const char *const long_text = filled("%0300d", 0);
	const struct {
		const char *file, *time, *text, *cwd;
	} rows[] = {
		{ "s1_0198aaaa-1", "10:01:00", "../../etc/passwd", "/" },
		{ "s2_0198bbbb-2", "10:02:00", "a\\nb\\u0001\\u001b[31m/c",
		  "a/../b" },
		{ "s3_0198cccc-3", "10:03:00", long_text,
		  filled("/%s", long_text) },
		{ "s4_0198dddd-4", "10:04:00", "--rf -x", "/work/-rf" },
		{ "s5_0198eeee-5", "10:05:00", "", "/work/.x" },
		{ "s6_0198ffff-6", "10:06:00", "...", ".." },
		{ "s7_0198abab-7", "10:07:00", "同じ題 für äöü", "/a/wc" },
		{ "s8_0198acac-8", "10:07:30", "同じ題 für äöü", "/b/wc/" },
		{ "s9", "10:07:59", "同じ題 für äöü", "/b/wc" },
		{ "sa", "10:07:59", "同じ題 für äöü", "/b/wc" },
		{ "sb", "10:08:59", "nowhere", "" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		pi_in(test_path(filled("all/%s.jsonl", rows[i].file)),
		      rows[i].time, rows[i].text, rows[i].cwd);
	put_lines(test_path("all/sc.jsonl"),
		  "{'type':'session','version':3,"
		  "'id':'0198f000-0000-7000-8000-00000000000a',"
		  "'timestamp':'soon','cwd':'/work/demo'}\n"
		  "{'type':'message','id':'aa000001','parentId':null,"
		  "'timestamp':'soon','message':{'role':'user',"
		  "'content':'undated','timestamp':1772359201000}}\n");
	make_folder(test_path("none"));
	MOUNT("all", "none");
	check_views();
	CHECK_INT(count_lines(text_of("sessions.txt")), 12);
	CHECK_NAMES(DAY, "1001-pi-etc-passwd-198aaaa1 "
			 "1002-pi-a-b-c-198bbbb2 1003-pi-" ZEROS_40
			 "-198cccc3 1004-pi-rf-x-198dddd4 "
			 "1005-pi-198eeee5 1006-pi-198ffff6 "
			 "1007-pi-同じ題-für-äöü-198abab7 "
			 "1007-pi-同じ題-für-äöü-198acac8 "
			 "1007-pi-同じ題-für-äöü-s9 "
			 "1007-pi-同じ題-für-äöü-sa 1008-pi-nowhere-sb ");
	CHECK_NAMES("by-day/undated", "pi-undated-sc ");
	CHECK_NAMES("by-project/no-directory", "2026-03-01-pi-nowhere-sb ");
	CHECK_NAMES("by-project/a+wc",
		    "2026-03-01-pi-同じ題-für-äöü-198abab7 ");
	CHECK_INT(test_count_names("by-project/b+wc", ""), 3);
	CHECK_NAMES("by-project/work+-rf", "2026-03-01-pi-rf-x-198dddd4 ");
}

#define UUID "0198f000-0000-7000-8000-00000000000"

/* Three of one minute and title, whose ids begin with one clock: a name means
 * the same session whatever happens to the others. Rules: O2 */
static void told_apart(void)
{
	set_up();
	for (int i = 1; i <= 3; i++)
		pi_at(test_path(filled("a/x_" UUID "%d.jsonl", i)), "10:00:01",
		      "same");
	pi_at(test_path("b/y.jsonl"), "10:00:02", "other");
	MOUNT("a", "b");
	CHECK_NAMES(DAY, "1000-pi-other-y 1000-pi-same-00000001 "
			 "1000-pi-same-00000002 1000-pi-same-00000003 ");
	ino_t inode = stat_of(DAY "/1000-pi-same-00000002").st_ino;
	CHECK_INT(ERRNO(unlink(test_path("a/x_" UUID "1.jsonl"))), 0);
	CHECK_GONE(DAY "/1000-pi-same-00000001");
	CHECK_LINK(DAY "/1000-pi-same-00000002", "../../a/x_" UUID "2");
	CHECK_LINK(DAY "/1000-pi-same-00000003", "../../a/x_" UUID "3");
	/* A copy of a file has its id, too. */
	test_copy(filled("%s", test_path("a/x_" UUID "2.jsonl")),
		  test_path("b/x_" UUID "2.jsonl"));
	CHECK_INT(test_count_names(DAY, ""), 4);
	CHECK_LINK(DAY "/1000-pi-same-00000002", "../../a/x_" UUID "2");
	CHECK_INT(stat_of(DAY "/1000-pi-same-00000002").st_ino, inode);
	check_views();
}

/* They are in no view, but where they were written. Rules: S5 */
static void of_subagents(void)
{
	set_up();
	write_four();
	const char *const run = filled("%s/x/one/run-a/session.jsonl", pi);
	const char *const old =
		join(home, ".claude/projects/-work-demo/agent-a1.jsonl");
	pi_at(filled("%s/x/one.jsonl", pi), "10:00:01", "talk");
	pi_at(run, "10:00:02", "a task");
	test_copy(fixture("claude-basic.jsonl"), old);
	put_lines(join(codex, "2026/03/01/guarded.jsonl"),
		  "{'timestamp':'2026-03-01T10:00:00.000Z',"
		  "'type':'session_meta','payload':{'id':'g1','timestamp':"
		  "'2026-03-01T10:00:00.000Z','cwd':'/work/demo',"
		  "'source':{'subagent':{'other':'guardian'}}}}\n"
		  "{'timestamp':'2026-03-01T10:00:09.000Z',"
		  "'type':'response_item','payload':{'type':'message',"
		  "'role':'user','content':[{'type':'input_text',"
		  "'text':'guarded'}]}}\n");
	MOUNT("--all");
	CHECK_INT(count_lines(text_of("sessions.txt")), 5);
	CHECK_NAMES(
		DAY,
		"1000-claude-Reading-files-udebasic "
		"1000-codex-Write-a-haiku-exlegacy "
		"1000-omp-Über-title-pv3basic 1000-pi-Demo-session-branches "
		"1000-pi-talk-one ");
	CHECK_FILE("pi/x/one%2F/run-a/session/HEAD/content", "a task\n");
	CHECK_FILE("codex/2026/03/01/guarded/HEAD/content", "guarded\n");
	CHECK_INT(count_lines(text_of("codex/sessions.txt")), 2);
	CHECK_INT(hear_apart(COMMAND("list", mounts_at)), 0);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 5);
	test_need(chdir(test_folder) == 0, test_folder);
	unmount_at(mounts_at);
	/* What is a SOURCE is named. */
	MOUNT(run, old);
	CHECK_INT(count_lines(text_of("sessions.txt")), 2);
	CHECK_INT(hear_apart(COMMAND("list", mounts_at)), 0);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 2);
}

static void name_follows(void)
{
	set_up();
	write_four();
	const char *const one = filled("%s/x/one.jsonl", pi);
	pi_at(one, "10:00:01", "first words");
	MOUNT("--all");
	ino_t inode = stat_of(DAY "/1000-pi-first-words-one").st_ino,
	      project = stat_of("by-project/demo").st_ino;
	CHECK_INT(put(DAY "/1000-pi-first-words-one/name", "named it\n"), 0);
	CHECK_FILE("pi/x/one/name", "named it\n");
	CHECK_NAMES("by-project/demo",
		    "2026-03-01-claude-Reading-files-udebasic "
		    "2026-03-01-codex-Write-a-haiku-exlegacy "
		    "2026-03-01-omp-Über-title-pv3basic "
		    "2026-03-01-pi-Demo-session-branches "
		    "2026-03-01-pi-named-it-one ");
	CHECK_INT(stat_of(DAY "/1000-pi-named-it-one").st_ino, inode);
	/* Who had it by that name, has it still. */
	CHECK_INT(stat_of(DAY "/1000-pi-first-words-one").st_ino, inode);
	/* Another process appends: a message of the next day. */
	test_append("home/.pi/agent/sessions/x/one.jsonl",
		    "{'type':'message','id':'aa000009','parentId':'aa000001',"
		    "'timestamp':'2026-03-02T12:00:01.000Z','message':"
		    "{'role':'user','content':'first words',"
		    "'timestamp':1772359201000}}\n");
	CHECK_INT(stat_of("by-day/2026-03-02/1200-pi-named-it-one").st_ino,
		  inode);
	CHECK_INT(stat_of(DAY "/1000-pi-named-it-one").st_ino, inode);
	CHECK_INT(test_count_names(DAY, ""), 4);
	CHECK_INT(stat_of("by-day/2026-03-02").st_mtime / 86400,
		  1772409600 / 86400);
	CHECK_INT(stat_of("by-project/demo").st_ino, project);
	/* A folder of a day that is over stays what it was to who is in it. */
	CHECK_INT(ERRNO(unlink(one)), 0);
	check_views();
	/* Names that Codex keeps elsewhere. */
	CHECK_INT(
		ERRNO(rename(join(codex, "2026/03/01/codex-legacy.jsonl"),
			     join(codex, "2026/03/01/"
					 "rollout-2026-03-01T10-00-00-019ca8f0-"
					 "0000-7000-8000-000000000001.jsonl"))),
		0);
	put_lines(test_path("home/.codex/session_index.jsonl"),
		  "{'id':'019ca8f0-0000-7000-8000-000000000001',"
		  "'thread_name':'Of the index'}\n");
	CHECK_NAMES(
		DAY,
		"1000-claude-Reading-files-udebasic "
		"1000-codex-Of-the-index-00000001 "
		"1000-omp-Über-title-pv3basic 1000-pi-Demo-session-branches ");
}

static void walked(void)
{
	struct statvfs fs;
	const FTSENT *e;
	size_t sessions = 0;
	set_up();
	write_four();
	MOUNT("--all");
	FTS *fts = walk_tree(mounts_at);
	while ((e = next_in_tree(fts, 0, PIECES(NULL))))
		sessions += strcmp(e->fts_name, "by-id") == 0;
	fts_close(fts);
	CHECK_INT(sessions, 4);
	CHECK_INT(HEAR("grep", "-rl", "dialect: ", mounts_at, "--include=info"),
		  0);
	CHECK_INT(count_lines(buf_span(&mounts_output)), 4);
	CHECK_INT(RUN("tar", "-C", mounts_at, "-cf", test_path("x.tar"),
		      "by-project", "by-day"),
		  0);
	CHECK_INT(RUN("tar", "-C", mounts_at, "-df", test_path("x.tar")), 0);
	CHECK_HAS(".ignore", "/by-day/\n");
	CHECK_FILE(".gitignore", "*\n");
	struct lines names = { 0 };
	add_names(&names, "by-day");
	struct buf of_view = joined(&names);
	add_names(&names, DAY "/..");
	struct buf of_parent = joined(&names);
	CHECK_SPAN(buf_span(&of_parent), buf_span(&of_view));
	CHECK_INT(stat_of(DAY "/../..").st_ino, stat_of(".").st_ino);
	CHECK_INT(ERRNO(statvfs(mounts_at, &fs)), 0);
	buf_free(&of_view);
	buf_free(&of_parent);
}

static void not_made(void)
{
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	set_up();
	write_four();
	MOUNT("--all");
	CHECK_INT(put("by-day/x", ""), for_root);
	CHECK_INT(ERRNO(mkdir("by-project/x", 0755)), for_root);
	CHECK_INT(ERRNO(symlink("x", "by-project/demo/x")), for_root);
	CHECK_INT(ERRNO(unlink(DAY "/1000-pi-Demo-session-branches")),
		  for_root);
	CHECK_INT(ERRNO(rename("pi", DAY "/pi")), for_root);
	CHECK_INT(ERRNO(rmdir("by-day")), for_root);
	CHECK_FILE("by-day", "Is a directory");
	CHECK_INT(errno_of(DAY "/x"), ENOENT);
	CHECK_INT(errno_of("by-day/2026-03-02"), ENOENT);
	unmount();
	MOUNT("-o", "ro", "--all");
	CHECK_INT(put("by-day/x", ""), EROFS);
}

static void read_by_those(void)
{
	set_up();
	test_need(mkdir("a", 0755) == 0 && mkdir("b", 0700) == 0, "mkdir");
	MOUNT("a", "b");
	CHECK_INT(stat_of(mounts_at).st_mode, S_IFDIR | 0500);
	CHECK_INT(stat_of(mounts_at).st_uid, geteuid());
	CHECK_INT(stat_of("by-day").st_mode, S_IFDIR | 0500);
	CHECK_INT(ERRNO(chmod(test_path("b"), 0755)), 0);
	CHECK_INT(stat_of(mounts_at).st_mode, S_IFDIR | 0555);
	CHECK_INT(ERRNO(rmdir(test_path("b"))), 0);
	CHECK_INT(stat_of(mounts_at).st_mode, S_IFDIR | 0555);
}

/* How often the readers have read all, and whether they go on. */
struct reading {
	atomic_int rounds;
	atomic_bool is_over;
};

/* Walk over the views, from which names may go. Can sessions.txt be read each
 * time? */
static int read_views(struct reading *r)
{
	static const char *const views[] = { "by-day", "by-project" };
	char bytes[4096];
	while (!r->is_over) {
		for (size_t i = 0; i < COUNT(views); i++) {
			FTS *fts = walk_tree(views[i]);
			while (next_in_tree(fts, 0, PIECES(NULL)))
				;
			fts_close(fts);
		}
		int fd = open("sessions.txt", O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : 1;
		while (n > 0)
			n = read(fd, bytes, sizeof(bytes));
		if (n < 0)
			return errno;
		close(fd);
		r->rounds++;
	}
	return 0;
}

static void several_readers(void)
{
	enum { READERS = 4, CHANGES = 10 };
	pid_t readers[READERS];
	set_up();
	for (int i = 1; i <= 8; i++)
		pi_at(filled("%s/p/s%d.jsonl", pi, i), filled("10:00:0%d", i),
		      filled("number %d", i));
	MOUNT("--all");
	struct reading *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_need(r != MAP_FAILED, "mmap");
	for (int i = 0; i < READERS; i++) {
		readers[i] = fork();
		test_need(readers[i] >= 0, "fork");
		if (readers[i] == 0)
			_exit(read_views(r));
	}
	for (int i = 1; i <= CHANGES; i++) {
		int before = r->rounds;
		const char *old = filled("%s/p/s%d.jsonl", pi, i % 8 + 1);
		pi_at(filled("%s/q/t%d.jsonl", pi, i), "11:00:00",
		      filled("more %d", i));
		CHECK_INT(ERRNO(unlink(old)), 0);
		pi_at(old, "12:00:00", filled("again %d", i));
		WAIT_UNTIL(r->rounds > before);
	}
	WAIT_UNTIL(r->rounds >= READERS * CHANGES);
	r->is_over = true;
	for (int i = 0; i < READERS; i++)
		CHECK_INT(wait_program(readers[i]), 0);
	munmap(r, sizeof(*r));
	CHECK_INT(count_lines(text_of("sessions.txt")), 18);
	check_views();
}

/* How many entries the first session of Pi has, as sessions.txt says. */
static int entries_of_pi(void)
{
	for (struct span rest = text_of("sessions.txt"); rest.n > 0;) {
		struct span line = span_next(&rest, '\n'), cells[4];
		for (size_t i = 0; i < COUNT(cells); i++)
			cells[i] = span_next(&line, '\t');
		if (span_eq(cells[2], SPAN("pi")))
			return (int)strtol(cells[3].p, NULL, 10);
	}
	return -1;
}

/* Write a copy of a session with another name in it. */
static void copy_renamed(const char *from, const char *to, const char *name)
{
	static const char old[] = "Demo session";
	struct buf b = { 0 };
	struct span rest = text_of(from);
	for (const char *at; (at = memmem(rest.p, rest.n, old, strlen(old)));) {
		buf_add(&b, (struct span){ rest.p, (size_t)(at - rest.p) });
		buf_adds(&b, name);
		rest.n -= (size_t)(at - rest.p) + strlen(old);
		rest.p = at + strlen(old);
	}
	buf_add(&b, rest);
	make_folder(filled("%.*s", (int)(strrchr(to, '/') - to), to));
	test_put(to, O_TRUNC, buf_span(&b));
	buf_free(&b);
}

/* How many names in the folders of by-day/ have this text. */
static int names_with(const char *words)
{
	struct lines folders = { 0 }, names = { 0 };
	int n = 0;
	add_names(&folders, "by-day");
	for (size_t i = 0; i < folders.n; i++)
		add_names(&names, filled("by-day/%s", folders.texts[i]));
	for (size_t i = 0; i < names.n; i++)
		n += strstr(names.texts[i], words) != NULL;
	clear(&folders);
	clear(&names);
	return n;
}

/* Rules: O4 */
static void shows_at_once(void)
{
	set_up();
	write_four();
	MOUNT("--all");
	char folder[PATH_MAX];
	snprintf(folder, sizeof(folder), "%s", join(pi, "--work--"));
	int before = entries_of_pi();
	CHECK(before > 0);
	for (int i = 0; i < 50; i++) {
		char name[32], number[16];
		snprintf(number, sizeof(number), "%d", i);
		snprintf(name, sizeof(name), "name %d", i);
		test_row = number;
		test_append("home/.pi/agent/sessions/--work--/"
			    "pi-v3-branches.jsonl",
			    filled("{'type':'message','id':'ee%06d',"
				   "'parentId':null,"
				   "'timestamp':'2026-03-01T10:00:%02d.000Z',"
				   "'message':{'role':'user','content':'x'}}\n",
				   i, i));
		CHECK_INT(entries_of_pi(), before + i + 1);
		/* A new session, a new name and a new folder: each is there
		 * with the next look. */
		copy_renamed(join(folder, "pi-v3-branches.jsonl"),
			     filled("%s/new%d/s.jsonl", folder, i), name);
		CHECK_INT(names_with(filled("pi-name-%d", i)), 1);
		test_row = number;
		CHECK_HAS("sessions.txt", filled("%s\n", name));
		CHECK_INT(ERRNO(rename(filled("%s/new%d", folder, i),
				       filled("%s/old%d", folder, i))),
			  0);
		CHECK_HAS("sessions.txt", filled("/old%d/s\t", i));
		test_row = NULL;
	}
}

static void opened_once(void)
{
	set_up();
	write_four();
	const char *const at = filled("%s/sessfs/all", test_path("run"));
	CHECK(prints(filled("%s\n", at), COMMAND("open", "-a")));
	CHECK(prints(filled("%s\n", at), COMMAND("open", "--all")));
	CHECK_INT(count_lines(text_of(join(at, "sessions.txt"))), 4);
	CHECK(prints(filled("%s\t--all\t\n", at), COMMAND("open", "--mounts")));
	CHECK(prints(filled("%s-2\n", at), COMMAND("open", "-a", "-o", "ro")));
	CHECK(refuses(2,
		      "sessfs: open: -a, --close and --mounts stand alone "
		      "(sessfs open -h for help)",
		      COMMAND("open", "-a", "--mounts")));
	CHECK(prints(filled("%s\n%s-2\n", at, at), COMMAND("open", "--close")));
	CHECK(!exists(at));
}

static bool has_said(const char *words)
{
	return memmem(mounts_output.data, mounts_output.len, words,
		      strlen(words)) != NULL;
}

static void given_the_mount(void)
{
	set_up();
	write_four();
	pi_at(test_path("one.jsonl"), "11:00:00", "wrote a haiku");
	/* The file that was written last is the first that is found. */
	static const struct timespec old[2] = { { .tv_sec = 1772323200 },
						{ .tv_sec = 1772323200 } };
	CHECK_INT(ERRNO(utimensat(AT_FDCWD,
				  join(codex, "2026/03/01/codex-legacy.jsonl"),
				  old, 0)),
		  0);
	const char *const at = mounts_at;
	const char *const in_codex =
		filled("%s/home+.codex+sessions/2026/03/01/codex-legacy", at);
	CHECK_INT(RUN(sessfs_program(), test_path("one.jsonl"), pi, codex, at),
		  0);
	CHECK_INT(hear_apart(COMMAND("grep", "-i", "haiku", at)), 0);
	CHECK(has_said(
		filled("%s/one/by-id/aa000001/content:1:wrote a haiku", at)));
	CHECK(has_said(filled("%s/by-id/", in_codex)));
	CHECK(prints(filled("%s/one\n%s\n", at, in_codex),
		     COMMAND("grep", "-il", "haiku", at)));
	CHECK_INT(hear_apart(COMMAND("list", at)), 0);
	CHECK_INT(count_lines(buf_span(&mounts_output)), 3);
	CHECK(has_said(filled("\t%s/one.jsonl\t", test_folder)));
	CHECK(prints("", COMMAND("export", test_path("out"), at)));
	CHECK(is_copy(join(at, "sessions.txt"), test_path("out/sessions.txt")));
	CHECK(prints("", COMMAND("export", test_path("one"), join(at, "one"))));
}

/* Make these checks as this user, at the mount. */
static void check_as(uid_t user, void (*checks)(void))
{
	int status;
	fflush(stdout);
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		test_need(setgroups(0, NULL) == 0 &&
				  setresgid(user, user, user) == 0 &&
				  setresuid(user, user, user) == 0,
			  "setresuid");
		test_failures = 0;
		checks();
		_exit(test_failures > 0);
	}
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	CHECK_INT(status, 0);
}

static void as_owner(void)
{
	struct stat st;
	test_need(chdir(mounts_at) == 0, mounts_at);
	CHECK_INT(count_lines(text_of("sessions.txt")), 4);
	CHECK_INT(ERRNO(stat(DAY "/1000-pi-Demo-session-branches", &st)), 0);
	CHECK(S_ISDIR(st.st_mode));
	CHECK_INT(put(test_path("home/.codex/x"), ""), 0);
	CHECK_INT(put("by-day/x", ""), EACCES);
}

static void as_other(void)
{
	CHECK_SPAN(names_in(mounts_at), SPAN("Permission denied"));
}

static void ordinary_user(void)
{
	set_up();
	write_four();
	test_need(RUN("chown", "-R", "65534:65534", test_folder) == 0, "chown");
	test_need(chmod("home/.claude", 0700) == 0, "home/.claude");
	CHECK_INT(run_program(as_nobody(COMMAND("--all", mounts_at))), 0);
	check_as(65534, as_owner);
	check_as(12345, as_other);
}

static void deleted_while_listed(void)
{
	enum { SESSIONS = 60 };
	struct lines names = { 0 };
	char room[512];
	set_up();
	for (int i = 1; i <= SESSIONS; i++)
		put_lines(test_path(filled("all/s%d.jsonl", i)),
			  filled("%s" USER("00000001", "null", "I am %d") USER(
					 "00000002", "'00000001'", "still %d"),
				 HEADER, i, i));
	make_folder(test_path("other"));
	test_copy(fixture("pi-v3-branches.jsonl"),
		  test_path("other/pi-v3-branches.jsonl"));
	MOUNT("all", "other");
	add_names(&names, "by-project/demo");
	size_t n = names.n;
	CHECK(n >= SESSIONS);
	/* Before it is sorted: one that is listed late. */
	struct span to =
		link_at(filled("by-project/demo/%s", names.texts[n - 5]));
	const char *target = filled("%.*s", (int)to.n, to.p);
	const char *late = strrchr(target, '/') + 1;
	clear(&names);
	int fd = open(DAY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_need(fd >= 0, DAY);
	size_t listed = 0;
	long got;
	while ((got = syscall(SYS_getdents64, fd, room, sizeof(room))) > 0) {
		if (listed == 0) {
			/* Listing its folder finds that it is gone. */
			CHECK_INT(ERRNO(unlink(test_path(
					  filled("all/%s.jsonl", late)))),
				  0);
			CHECK_INT(test_count_names("all", "s"), SESSIONS - 1);
		}
		for (long at = 0; at < got; listed++) {
			const struct dirent64 *d = (void *)(room + at);
			at += d->d_reclen;
		}
	}
	CHECK_INT(got, 0);
	/* It may have been listed before it was missed. */
	CHECK(listed == n - 1 + 2 || listed == n + 2);
	CHECK_INT(ERRNO(close(fd)), 0);
}

static const struct mounts_test tests[] = {
	TEST("--all has a folder for each agent, by-project/ and by-day/",
	     each_agent),
	TEST("agents' folders appear when they are made, and sessions when "
	     "they are written",
	     appear),
	TEST("SOURCEs that are named have the last parts of their paths as "
	     "names",
	     named),
	TEST("what can't be mounted so is refused in a line", refused),
	TEST("hostile titles and directories become names that differ",
	     hostile),
	TEST("sessions that get one name are told apart, also without ids",
	     told_apart),
	TEST("what subagents wrote is in no view unless it is a SOURCE",
	     of_subagents),
	TEST("a link's name follows the title and the time, and its number "
	     "stays",
	     name_follows),
	TEST("a walk over the mount meets each session once, and finds it as "
	     "it is",
	     walked),
	TEST("nothing can be made or removed in the views", not_made),
	TEST("a set may be read by those who may read all of its sources",
	     read_by_those),
	TEST("several readers at once, while sessions come and go",
	     several_readers),
	TEST("an unchanged mount is not scanned again, and a change shows at "
	     "once",
	     shows_at_once),
	TEST("sessfs open -a mounts them once, where open --mounts lists it",
	     opened_once),
	TEST("commands that are given the mount take all of its sources",
	     given_the_mount),
	ROOT_TEST("as an ordinary user, with the folders of that user",
		  ordinary_user),
	TEST("a session is deleted while the links to it are listed: the "
	     "others are",
	     deleted_while_listed),
};
RUN_TESTS(tests)
