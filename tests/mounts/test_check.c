/*
 * sessfs check: the faults of session files, most of them without a mount.
 * What find passes to it is in tests/check.bats.
 */
#include "tests/mounts/mounts.h"

#include <sched.h>
#include <sys/mount.h>

/* Does sessfs exit and print like this? */
#define CHECK_SAYS(status, out, err, ...)                                     \
	do {                                                                  \
		CHECK_INT(HEAR_APART(sessfs_program(), __VA_ARGS__), status); \
		CHECK_SPAN(buf_span(&mounts_output), span_of(out));           \
		CHECK_SPAN(buf_span(&mounts_errors), span_of(err));           \
	} while (0)

/* The line for session.jsonl if every tip leads to a root. */
#define CLEAN(entries, tips, of_leaf, leaf)                  \
	"session.jsonl: " entries ", " tips                  \
	": the agent reaches a root from each, and " of_leaf \
	" from its leaf " leaf "\n"

#define OF_BRANCHES                                                       \
	"24 entries, 2 tips: the agent reaches a root from each, and 21 " \
	"entries from its leaf aa000025\n"

/* Lines of Claude Code: members before the others; the number, of one digit,
 * and the parent's. */
#define SESSION_ID "5e55f500-0000-4000-8000-000000000001"
#define UUID "c1a0de00-0000-4000-8000-00000000000"
#define CLAUDE(before, n, parent, is_side, type, members)                     \
	"{" before "'parentUuid':" parent ",'isSidechain':" is_side           \
	",'userType':'external','cwd':'/work/demo','sessionId':"              \
	"'" SESSION_ID                                                        \
	"','version':'2.1.330','gitBranch':'main','type':'" type "'," members \
	",'uuid':'" UUID n "','timestamp':'2026-03-01T10:00:0" n ".000Z'}\n"
#define ASKED(n, parent, is_side, text)              \
	CLAUDE("", n, parent, is_side, "user",       \
	       "'message':{'role':'user','content':" \
	       "'" text "'}")

/* Lines of Codex. */
#define META(ordinal, more)                                          \
	"{'timestamp':'2026-03-01T10:00:00.000Z'," ordinal           \
	"'type':'session_meta','payload':{"                          \
	"'id':'019ca8f0-0000-7000-8000-000000000001',"               \
	"'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/work/demo'," \
	"'originator':'x','cli_version':'0.171.0'" more "}}\n"
#define PAGINATED(more) META("'ordinal':0,", ",'history_mode':'paginated'" more)
#define SAID(id, text, ordinal)                                         \
	"{'timestamp':'2026-03-01T10:00:01.000Z'," ordinal              \
	"'type':'response_item','payload':{'type':'message','id':'" id  \
	"','role':'user','content':[{'type':'input_text','text':'" text \
	"'}]}}\n"

/* Files are named as they are in the test's folder. */
static void enter(void)
{
	test_need(chdir(test_folder) == 0, test_folder);
}

/* Write a file of these lines. */
static void write_file(const char *name, const char *const lines[])
{
	test_file(name, "");
	for (size_t i = 0; lines[i]; i++)
		test_append(name, lines[i]);
}
#define WRITE(...) write_file("session.jsonl", PIECES(__VA_ARGS__))

static void copy_fixture(const char *name)
{
	test_copy(fixture(name), test_path(name));
}

/* The Nth line of what was printed, from 0 on. */
static struct span output_line(size_t n)
{
	struct span rest = buf_span(&mounts_output),
		    line = span_next_line(&rest);
	for (size_t i = 0; i < n; i++)
		line = span_next_line(&rest);
	return line;
}

static bool contains(const struct buf *b, const char *text)
{
	return b->len > 0 && memmem(b->data, b->len, text, strlen(text));
}

static void no_faults(void)
{
	static const char *const names[] = { "pi-v3-branches.jsonl",
					     "omp-v3-basic.jsonl",
					     "pi-v3-headmove.jsonl" };
	enter();
	for (size_t i = 0; i < COUNT(names); i++)
		copy_fixture(names[i]);
	CHECK_SAYS(0, "pi-v3-branches.jsonl: " OF_BRANCHES, "", "check",
		   "pi-v3-branches.jsonl");
	CHECK_SAYS(0, "", "", "check", "./omp-v3-basic.jsonl",
		   "./pi-v3-branches.jsonl", "./pi-v3-headmove.jsonl");
	/* An end that counts as it is. */
	WRITE(HEADER, USER("00000000", "null", "none"),
	      USER("00000001", "null", "one"));
	struct stat st = stat_of("session.jsonl");
	CHECK_INT(ERRNO(truncate("session.jsonl", st.st_size - 1)), 0);
	CHECK_SAYS(0, CLEAN("2 entries", "2 tips", "1 entry", "00000001"), "",
		   "check", "session.jsonl");
	/* Nothing yet. */
	WRITE(HEADER);
	CHECK_SAYS(0, "", "", "check", "session.jsonl");
}

static void each_tip(void)
{
	char torn[92];
	snprintf(torn, sizeof(torn), "%.90s\n",
		 USER("00000003", "'00000002'", "three"));
	enter();
	WRITE(OMP_HEADER, USER("00000001", "null", "one"),
	      USER("00000002", "'00000001'", "two"), torn,
	      USER("00000004", "'00000003'", "four"),
	      USER("00000005", "'00000004'", "five"),
	      USER("00000006", "'gone'", "six"),
	      USER("00000007", "'00000008'", "seven"),
	      USER("00000008", "'00000007'", "eight"),
	      USER("00000009", "'00000005'", "nine"));
	CHECK_SAYS(1,
		   "session.jsonl:4: not JSON\n"
		   "session.jsonl:5: missing parent: shown as a root\n"
		   "session.jsonl:7: missing parent: shown as a root\n"
		   "session.jsonl:8: cycle of parents: cut here\n"
		   "session.jsonl: tip 00000006, line 7: the agent reaches 1 "
		   "entry, up to line 7, whose parent gone is missing\n"
		   "session.jsonl: tip 00000008, line 9: the agent reaches 2 "
		   "entries, up to line 8, where parents form a cycle\n"
		   "session.jsonl: tip 00000009, line 10, the leaf: the agent "
		   "reaches 3 entries, up to line 5, whose parent 00000003 is "
		   "on line 4, which is not JSON\n"
		   "session.jsonl: tip 00000002, line 3: the agent reaches 2 "
		   "entries, up to a root\n",
		   "", "check", "session.jsonl");
}

static void thousands_of_tips(void)
{
	FILE *f = fopen(test_file("session.jsonl", HEADER), "a");
	test_need(f != NULL, "session.jsonl");
	for (int i = 0; i < 5000; i++) {
		char parent[32] = "null";
		if (i >= 4970)
			snprintf(parent, sizeof(parent), "\"gone%d\"", i);
		fprintf(f,
			"{\"type\":\"custom\",\"customType\":\"x\",\"id\":"
			"\"%08d\",\"parentId\":%s,\"timestamp\":"
			"\"2026-03-01T10:00:01.000Z\"}\n",
			i, parent);
	}
	test_need(!ferror(f) && fclose(f) == 0, "session.jsonl");
	enter();
	CHECK_INT(HEAR(sessfs_program(), "check", "session.jsonl"), 1);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 51);
	CHECK_SPAN(output_line(30),
		   SPAN("session.jsonl: tip 00004970, line 4972: the agent "
			"reaches 1 entry, up to line 4972, whose parent "
			"gone4970 is missing"));
	CHECK_SPAN(output_line(50),
		   SPAN("session.jsonl: 4980 more tips: the agent stops short "
			"of a root at 10"));
}

static void read_over(void)
{
#define ONE "session.jsonl:3: not an entry: no id\n"
	enter();
	WRITE(HEADER, USER("00000001", "null", "one"), "null\n",
	      USER("00000002", "'00000001'", "two"));
	CHECK_SAYS(1,
		   ONE "session.jsonl:3: null: Pi 0.73.1 can't open the "
		       "file\n" CLEAN("2 entries", "1 tip", "2 entries",
				      "00000002"),
		   "", "check", "session.jsonl");
	CHECK_SAYS(1, "session.jsonl:3: null: the agent will not open it\n" ONE,
		   "", "check", "-o", "dialect=omp", "session.jsonl");
	WRITE(HEADER, USER("00000001", "null", "one"), "{'type':'custom'}\n");
	CHECK_SAYS(1,
		   "session.jsonl:3: the last line is no entry: Pi resumes "
		   "with an empty history\n" ONE,
		   "", "check", "session.jsonl");
	CHECK_INT(RUN(sessfs_program(), "session.jsonl", mounts_at), 0);
	CHECK_VALUE(test_path("mnt/info"), "not-opened",
		    "the last line is no entry: Pi resumes with an empty "
		    "history (line 3)");
	CHECK_VALUE(test_path("mnt/info"), "writable", "no");
	CHECK_INT(put(test_path("mnt/HEAD/label"), "x"),
		  geteuid() == 0 ? EROFS : EACCES);
	unmount();
	enter();
	WRITE("{'type':'user','uuid':'a','parentUuid':null,'sessionId':"
	      "'" SESSION_ID "','message':{'role':'user','content':'hi'}}\n");
	CHECK_SAYS(
		1,
		"session.jsonl:1: no timestamp: Claude Code 2.1.112 finds "
		"no conversation\n" CLEAN("1 entry", "1 tip", "1 entry", "a"),
		"", "check", "session.jsonl");
#undef ONE
}

/* Write damaged.jsonl, a transcript without its last line, beside a damaged
 * sidecar. */
static void write_damaged(void)
{
	struct buf b = { 0 };
	test_read(fixture("claude-basic.jsonl"), &b);
	test_need(b.len > 1, "claude-basic.jsonl");
	b.len--;
	while (b.len > 0 && b.data[b.len - 1] != '\n')
		b.len--;
	test_put(test_path("damaged.jsonl"), O_TRUNC, buf_span(&b));
	test_file("damaged.sessfs.json", "{\n");
	buf_free(&b);
}

static void of_a_whole_file(void)
{
	struct buf want = { 0 };
	enter();
	write_file("late.jsonl",
		   PIECES(USER("00000001", "null", "one"), HEADER));
	test_copy("late.jsonl", "none.jsonl");
	CHECK_INT(ERRNO(truncate(
			  "none.jsonl",
			  (off_t)strlen(USER("00000001", "null", "one")) - 1)),
		  0);
	test_file("nobodys.jsonl", "hello\n");
	test_file("empty.jsonl", "");
	write_damaged();
	test_copy(fixture("pi-v3-branches.jsonl"), test_path("fine.jsonl"));
	/* The last line says of the fixture what it says of its copy. */
	CHECK_INT(
		HEAR(sessfs_program(), "check", fixture("claude-basic.jsonl")),
		1);
	test_need(mounts_output.len > 0, "claude-basic.jsonl");
	struct span reach = output_line(lines_in(buf_span(&mounts_output)) - 1);
	const char *named = memmem(reach.p, reach.n, "basic", 5);
	test_need(named != NULL, "no line of claude-basic.jsonl");
	reach.n -= (size_t)(named + 5 - reach.p);
	reach.p = named + 5;
	buf_adds(&want,
		 "none.jsonl: no header: the agent will not open it\n"
		 "late.jsonl: late header: the agent will not open it\n"
		 "nobodys.jsonl: unknown session format (-o dialect=lines "
		 "shows it line by line)\n"
		 "empty.jsonl: no header: the agent will not open it\n"
		 "damaged.jsonl: sidecar: damaged and can't be changed\n"
		 "damaged");
	buf_add(&want, reach);
	buf_addc(&want, '\n');
	CHECK_INT(HEAR_APART(sessfs_program(), "check", "none.jsonl",
			     "late.jsonl", "nobodys.jsonl", "empty.jsonl",
			     "damaged.jsonl", "fine.jsonl"),
		  1);
	CHECK_SPAN(buf_span(&mounts_output), buf_span(&want));
	CHECK_SPAN(buf_span(&mounts_errors), SPAN(""));
	buf_free(&want);
}

/* How many lines of a file begin like this? */
static size_t count_starts(const char *path, const char *prefix)
{
	size_t n = 0;
	for (struct span rest = text_of(path); rest.n > 0;)
		n += span_starts(span_next_line(&rest), span_of(prefix));
	return n;
}

/* A file with this fault, in this line or in none (0). */
static void check_unopened(const char *name, const char *why, int line)
{
	int for_root = geteuid() == 0 ? EROFS : EACCES;
	char file[64], at[16] = "", want[256];
	struct buf before = { 0 };
	snprintf(file, sizeof(file), "%s.jsonl", name);
	if (line > 0)
		snprintf(at, sizeof(at), ":%d", line);
	enter();
	test_read(file, &before);
	CHECK_INT(HEAR_APART(sessfs_program(), "check", file), 1);
	snprintf(want, sizeof(want), "%s%s: %s: the agent will not open it",
		 file, at, why);
	CHECK_SPAN(output_line(0), span_of(want));
	CHECK(!contains(&mounts_output, "the agent reaches"));
	mount_source(test_path(file));
	if (line > 0)
		snprintf(want, sizeof(want), "%s (line %d)", why, line);
	else
		snprintf(want, sizeof(want), "%s", why);
	CHECK_VALUE("info", "not-opened", want);
	CHECK_INT(count_starts("info", "not-opened: "), 1);
	CHECK_VALUE("info", "writable", "no");
	CHECK_INT(move_head("tree"), for_root);
	CHECK_INT(put("HEAD/label", "x\n"), for_root);
	CHECK_SPAN(text_of(test_path(file)), buf_span(&before));
	unmount();
	buf_free(&before);
}

/* What the agents say of such files: tests/corpus and the interop tests. */
static void not_opened(void)
{
	write_file("pi.jsonl", PIECES("\xef\xbb\xbf", HEADER,
				      USER("00000001", "null", "one")));
	write_file("text.jsonl",
		   PIECES(META("", ""), SAID("m1", "one", ""), "torn \xff\n"));
	write_file("ordinal.jsonl",
		   PIECES(PAGINATED(""), SAID("m1", "one", "")));
	write_file("meta.jsonl", PIECES(PAGINATED(",'source':null"),
					SAID("m1", "one", "'ordinal':1,")));
	write_file("aside.jsonl",
		   PIECES("{'type':'custom-title','customTitle':'T',"
			  "'sessionId':'" SESSION_ID "'}\n",
			  ASKED("1", "null", "true", "one")));
	check_unopened("pi", "a byte order mark", 0);
	check_unopened("text", "bytes that are not UTF-8", 3);
	check_unopened("ordinal", "no ordinal in the last line", 2);
	check_unopened("meta", "a session_meta whose source is unknown", 0);
	check_unopened("aside", "no conversation", 0);
}

static void opened_again(void)
{
	static const char label[] = "by-id/m1/label";
	WRITE(PAGINATED(""), SAID("m1", "one", ""));
	mount_session();
	CHECK_VALUE("info", "not-opened",
		    "no ordinal in the last line (line 2)");
	CHECK_INT(stat_of("by-id/m1").st_mode & 07777, 0555);
	test_append("session.jsonl", SAID("m2", "two", "'ordinal':2,"));
	CHECK_INT(count_starts("info", "not-opened"), 0);
	CHECK_INT(stat_of("by-id/m1").st_mode & 07777, 0755);
	CHECK_INT(put(label, "kept\n"), 0);
	CHECK_FILE(label, "kept\n");
}

static void many_of_a_kind(void)
{
	test_file("session.jsonl", HEADER);
	for (int i = 0; i < 250; i++)
		test_append("session.jsonl", "x\n");
	enter();
	CHECK_INT(HEAR(sessfs_program(), "check", "session.jsonl"), 1);
	CHECK_INT(lines_in(buf_span(&mounts_output)), 201);
	CHECK_SPAN(output_line(0), SPAN("session.jsonl:2: not JSON"));
	CHECK_SPAN(output_line(199), SPAN("session.jsonl:201: not JSON"));
	CHECK_SPAN(output_line(200),
		   SPAN("session.jsonl: 50 more lines: not JSON"));
}

static void as_dialect(void)
{
	static const char before[] =
		"sessfs: unknown dialect 'nosuch'; known: ";
	struct buf want = { 0 };
	enter();
	WRITE("{'a':1}\n", "{'b':2}\n", "x\n");
	CHECK_SAYS(1,
		   "session.jsonl:3: not JSON\n" CLEAN("2 entries", "1 tip",
						       "2 entries", "2"),
		   "", "check", "-o", "dialect=lines", "session.jsonl");
	/* It comes before whether the file exists. */
	CHECK_INT(HEAR_APART(sessfs_program(), "-o", "dialect=nosuch", "x",
			     "mnt"),
		  2);
	buf_add(&want, buf_span(&mounts_errors));
	CHECK(span_starts(buf_span(&want), span_of(before)) &&
	      want.len > strlen(before) + 1);
	CHECK_SAYS(2, "", buf_cstr(&want), "check", "-o", "dialect=nosuch",
		   "session.jsonl");
	buf_free(&want);
}

static void not_readable(void)
{
	enter();
	test_copy(fixture("pi-v3-branches.jsonl"), test_path("fine.jsonl"));
	WRITE(HEADER, "x\n");
	CHECK_INT(ERRNO(mkdir("folder", 0755)), 0);
	CHECK_INT(ERRNO(mkfifo("fifo", 0644)), 0);
	CHECK_SAYS(2, "session.jsonl:2: not JSON\n",
		   "sessfs: none.jsonl: No such file or directory\n"
		   "sessfs: folder: is a folder, not a session "
		   "(list --here has those of a directory)\n"
		   "sessfs: fifo: not a regular file\n",
		   "check", "none.jsonl", "fine.jsonl", "folder", "fifo",
		   "session.jsonl");
}

/* Without a FILE, the session is found as other commands find it. */
static void here(void)
{
	enter();
	CHECK_FAILS(2, "not in a mounted session", "check");
	mount_fixture("pi-v3-branches.jsonl");
	test_need(chdir(mounts_at) == 0, mounts_at);
	CHECK_COMMAND(0, NULL, "", "check");
	CHECK(memmem(mounts_output.data, mounts_output.len,
		     "reaches a root from each", 24));
	test_need(chdir("/") == 0, "/");
}

/* A pipe with the bytes of fine.jsonl and these. Programs get its end. */
static int pipe_of(const char *more)
{
	struct buf b = { 0 };
	int ends[2];
	test_read(test_path("fine.jsonl"), &b);
	buf_adds(&b, more);
	test_need(pipe(ends) == 0, "pipe");
	test_need(write(ends[1], b.data, b.len) == (ssize_t)b.len, "pipe");
	close(ends[1]);
	buf_free(&b);
	return ends[0];
}

/* Run sessfs with these words in a folder for temporary files. "PIPE" is a pipe
 * of fine.jsonl and more. Its status. */
static int hear_piped(const char *tmp, const char *more,
		      const char *const words[])
{
	int fd = pipe_of(more);
	char setting[PATH_MAX + 16], name[32];
	const char *argv[16] = { "env", setting, sessfs_program() };
	size_t n = 3;
	snprintf(setting, sizeof(setting), "TMPDIR=%s", tmp);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	for (size_t i = 0; words[i] && n < COUNT(argv) - 1; i++)
		argv[n++] = strcmp(words[i], "PIPE") == 0 ? name : words[i];
	int status = hear_apart(argv);
	close(fd);
	return status;
}

/* The same with the pipe as standard input. */
static int hear_stdin(const char *tmp)
{
	char setting[PATH_MAX + 16];
	int old = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fd = pipe_of("");
	snprintf(setting, sizeof(setting), "TMPDIR=%s", tmp);
	test_need(dup2(fd, STDIN_FILENO) >= 0, "dup2");
	close(fd);
	int status = HEAR_APART("env", setting, sessfs_program(), "check",
				"/dev/stdin");
	if (old >= 0) {
		dup2(old, STDIN_FILENO);
		close(old);
	} else {
		close(STDIN_FILENO);
	}
	return status;
}

/* The text without its first line. */
static struct span below_first(struct span s)
{
	span_next_line(&s);
	return s;
}

/* Does the output end like this, after the pipe's name? */
static void check_of_pipe(struct span said, const char *end)
{
	static const char before[] = "/dev/fd/";
	CHECK(span_starts(said, span_of(before)));
	while (said.n > 0 && said.p[0] != ':') {
		said.p++;
		said.n--;
	}
	CHECK_SPAN(said, span_of(end));
}

static void from_pipes(void)
{
	struct buf tree = { 0 }, rescued = { 0 };
	char tmp[PATH_MAX], none[PATH_MAX], error[PATH_MAX + 64];
	snprintf(tmp, sizeof(tmp), "%s", test_path("tmp"));
	snprintf(none, sizeof(none), "%s", test_path("none"));
	snprintf(error, sizeof(error),
		 "sessfs: %s: No such file or directory\n", none);
	enter();
	test_copy(fixture("pi-v3-branches.jsonl"), test_path("fine.jsonl"));
	CHECK_INT(ERRNO(mkdir(tmp, 0755)), 0);
	CHECK_INT(hear_stdin(tmp), 0);
	CHECK_SPAN(buf_span(&mounts_output), SPAN("/dev/stdin: " OF_BRANCHES));
	CHECK_INT(hear_piped(tmp, "", PIECES("check", "PIPE")), 0);
	check_of_pipe(buf_span(&mounts_output), ": " OF_BRANCHES);
	CHECK_INT(hear_piped(tmp, "x\n", PIECES("check", "PIPE")), 1);
	check_of_pipe(output_line(0), ":26: not JSON");
	CHECK_INT(HEAR_APART(sessfs_program(), "log", "--tree", "fine.jsonl"),
		  0);
	buf_add(&tree, buf_span(&mounts_output));
	CHECK(tree.len > 0);
	CHECK_INT(hear_piped(tmp, "", PIECES("log", "--tree", "PIPE")), 0);
	CHECK_SPAN(buf_span(&mounts_output), buf_span(&tree));
	CHECK_INT(hear_piped(tmp, "x\n", PIECES("rescue", "out.jsonl", "PIPE")),
		  0);
	/* The header may have another id. */
	test_read("out.jsonl", &rescued);
	CHECK_SPAN(below_first(buf_span(&rescued)),
		   below_first(text_of("fine.jsonl")));
	/* The copies are gone. */
	CHECK_INT(test_count_names(tmp, ""), 0);
	CHECK_INT(hear_piped(none, "", PIECES("check", "PIPE")), 2);
	CHECK_SPAN(buf_span(&mounts_errors), span_of(error));
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
	CHECK_INT(hear_piped(none, "", PIECES("log", "--tree", "PIPE")), 1);
	CHECK_SPAN(buf_span(&mounts_errors), span_of(error));
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
	CHECK_INT(hear_piped(none, "", PIECES("rescue", "new.jsonl", "PIPE")),
		  2);
	CHECK_SPAN(buf_span(&mounts_errors), span_of(error));
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
	buf_free(&tree);
	buf_free(&rescued);
}

static void forbidden(void)
{
	enter();
	test_copy(fixture("pi-v3-branches.jsonl"), test_path("fine.jsonl"));
	CHECK_INT(ERRNO(chmod("fine.jsonl", 0600)), 0);
	WRITE(HEADER, "x\n");
	CHECK_INT(ERRNO(chmod("session.jsonl", 0644)), 0);
	CHECK_INT(HEAR_APART("setpriv", "--reuid=65534", "--regid=65534",
			     "--clear-groups", sessfs_program(), "check",
			     "fine.jsonl", "session.jsonl"),
		  2);
	CHECK_SPAN(buf_span(&mounts_output),
		   SPAN("session.jsonl:2: not JSON\n"));
	CHECK_SPAN(buf_span(&mounts_errors),
		   SPAN("sessfs: fine.jsonl: Permission denied\n"));
}

static void odd_names(void)
{
	static const char name[] = "a\nb\033[2Jc.jsonl";
	enter();
	WRITE(HEADER, "x\n");
	CHECK_INT(ERRNO(rename("session.jsonl", name)), 0);
	CHECK_SAYS(2, "a\\nb\\u001b[2Jc.jsonl:2: not JSON\n",
		   "sessfs: none\\n: No such file or directory\n", "check",
		   name, "none\n");
	CHECK_INT(ERRNO(rename(name, "-x.jsonl")), 0);
	CHECK_SAYS(1, "-x.jsonl:2: not JSON\n", "", "check", "--", "-x.jsonl");
}

/* Add what ls -lA says of the working directory. */
static void list_files(struct buf *b)
{
	struct dirent **found;
	int n = scandir(".", &found, NULL, alphasort);
	test_need(n >= 0, "scandir");
	for (int i = 0; i < n; free(found[i++])) {
		const char *name = found[i]->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		struct stat st = stat_of(name);
		buf_addf(b, "%s %o %u %u %u %lld %lld.%09ld\n", name,
			 (unsigned)st.st_mode, (unsigned)st.st_nlink,
			 (unsigned)st.st_uid, (unsigned)st.st_gid,
			 (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			 st.st_mtim.tv_nsec);
	}
	free(found);
}

/* In a process of its own, where nothing can be mounted. */
static void check_without_fuse(void)
{
	bool told = false;
	struct buf faults = { 0 };
	test_need(
		unshare(CLONE_NEWNS) == 0 &&
			mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 &&
			mount("/dev/null", "/dev/fuse", NULL, MS_BIND, NULL) ==
				0,
		"/dev/fuse");
	CHECK(HEAR_APART(sessfs_program(), "claude-basic.jsonl", "mnt") > 0);
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
	for (struct span rest = buf_span(&mounts_errors); rest.n > 0;)
		told |= span_starts(span_next_line(&rest), SPAN("sessfs: "));
	CHECK(told);
	CHECK_INT(HEAR_APART(sessfs_program(), "check", "pi-v1-linear.jsonl",
			     "claude-basic.jsonl", "go-tree.jsonl"),
		  1);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		static const char reach[] = ": the agent reaches ";
		struct span line = span_next_line(&rest);
		if (memmem(line.p, line.n, reach, strlen(reach)))
			continue;
		buf_add(&faults, line);
		buf_addc(&faults, '\n');
	}
	CHECK_BUF(&faults, "pi-v1-linear.jsonl:4: not JSON\n"
			   "claude-basic.jsonl:22: incomplete last line: no "
			   "newline yet\n"
			   "go-tree.jsonl:4: not JSON\n"
			   "go-tree.jsonl:10: not JSON\n"
			   "go-tree.jsonl:11: incomplete last line: no newline "
			   "yet\n");
	buf_free(&faults);
}

static void nothing_written(void)
{
	static const char *const names[] = { "pi-v1-linear.jsonl",
					     "claude-basic.jsonl",
					     "go-tree.jsonl" };
	struct buf before = { 0 }, after = { 0 };
	int status;
	CHECK_INT(ERRNO(mkdir(test_path("files"), 0755)), 0);
	CHECK_INT(ERRNO(mkdir(test_path("files/mnt"), 0755)), 0);
	for (size_t i = 0; i < COUNT(names); i++)
		test_copy(fixture(names[i]),
			  join(test_path("files"), names[i]));
	test_need(chdir(test_path("files")) == 0, "files");
	list_files(&before);
	fflush(stdout);
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		test_failures = 0;
		check_without_fuse();
		_exit(test_failures > 0);
	}
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	CHECK_INT(status, 0);
	list_files(&after);
	CHECK_SPAN(buf_span(&after), buf_span(&before));
	buf_free(&before);
	buf_free(&after);
}

static void full_output(void)
{
	enter();
	WRITE(HEADER, "x\n");
	CHECK_INT(HEAR_APART("sh", "-c",
			     "exec \"$0\" check session.jsonl >/dev/full",
			     sessfs_program()),
		  2);
	CHECK_SPAN(buf_span(&mounts_errors),
		   SPAN("sessfs: standard output: No space left on device\n"));
}

static const struct mounts_test tests[] = {
	TEST("no faults: one line for one file, none for several, status 0",
	     no_faults),
	TEST("for each tip how many entries the agent reaches, and why no more",
	     each_tip),
	TEST("of thousands of tips only some have a line", thousands_of_tips),
	TEST("what sessfs reads over and its agent does not", read_over),
	TEST("faults of a file as a whole", of_a_whole_file),
	TEST("a file that its agent would not open: check, info and writing "
	     "say so",
	     not_opened),
	TEST("a rollout is opened again once its last line has an ordinal",
	     opened_again),
	TEST("after 200 lines of a kind the rest is counted", many_of_a_kind),
	TEST("-o dialect sets the format of the file", as_dialect),
	TEST("a file that can't be read: one line on stderr, status 2; others "
	     "are checked",
	     not_readable),
	TEST("without a file: the session of the working directory", here),
	TEST("a pipe is read as a file is", from_pipes),
	ROOT_TEST("a file that the user may not read", forbidden),
	TEST("names stay on one line", odd_names),
	ROOT_TEST("nothing is written, and no /dev/fuse is needed",
		  nothing_written),
	TEST("a full standard output is reported", full_output),
};
RUN_TESTS(tests)
