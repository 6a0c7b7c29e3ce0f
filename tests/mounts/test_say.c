/* sessfs say, which appends a user's message. */
#include "tests/mounts/mounts.h"

#define SAY(...) HEAR_APART(sessfs_program(), "say", __VA_ARGS__)

/* Mount a session that ends with a user's message. */
static void mount_spoken(void)
{
	mount_lines(HEADER USER("aa000001", "null", "go on"));
}

/* Is the text the content of HEAD, with the final newline of a file? */
static void check_content(struct span text)
{
	struct buf want = { 0 };
	buf_add(&want, text);
	if (!span_ends(text, SPAN("\n")))
		buf_addc(&want, '\n');
	CHECK_SPAN(text_of("HEAD/content"), buf_span(&want));
	CHECK_VALUE("HEAD/meta", "role", "user");
	buf_free(&want);
}

/* The same, and it is in the session unchanged. */
static void check_said(struct span text)
{
	cJSON *line = parsed("HEAD/raw.json");
	const char *said = cJSON_GetStringValue(cJSON_GetObjectItem(
		cJSON_GetObjectItem(line, "message"), "content"));
	CHECK_SPAN(span_of(said ? said : "-"), text);
	cJSON_Delete(line);
	check_content(text);
}

static void check_says(const char *text)
{
	char before[PATH_MAX];
	struct span head = link_at("HEAD");
	CHECK(span_starts(head, SPAN("by-id/")));
	snprintf(before, sizeof(before), "../%.*s", (int)head.n - 6,
		 head.p + 6);
	CHECK_INT(SAY("--", text, mounts_at), 0);
	check_said(span_of(text));
	CHECK_LINK("HEAD/parent", before);
}

/* Say what standard input has: the bytes, or a device. Its status. */
static int say_input(const char *path)
{
	int old = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
	    fd = open(path, O_RDONLY);
	test_need(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO, path);
	if (fd != STDIN_FILENO)
		close(fd);
	int status = SAY("-", mounts_at);
	close(STDIN_FILENO);
	if (old >= 0) {
		test_need(dup2(old, STDIN_FILENO) == STDIN_FILENO, "dup2");
		close(old);
	}
	return status;
}

static int say_bytes(struct span bytes)
{
	test_put(test_path("input"), O_TRUNC, bytes);
	return say_input(test_path("input"));
}

/* Has the last command failed with this status, and one line with this text? */
static void check_line(int status, int want, const char *text)
{
	struct span s = buf_span(&mounts_errors), line = span_next_line(&s);
	CHECK_INT(status, want);
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
	CHECK_SPAN(s, SPAN(""));
	CHECK(span_ends(buf_span(&mounts_errors), SPAN("\n")));
	if (!CHECK(line.n > 0 && memmem(line.p, line.n, text, strlen(text))))
		test_print("line", line);
}

/* Is a message refused with this reason? */
static void check_refused(const char *why)
{
	char want[2 * PATH_MAX];
	snprintf(want, sizeof(want), "sessfs: %s: %s", mounts_at, why);
	check_line(SAY("x", mounts_at), 1, want);
}

static void add_utf8(struct buf *b, unsigned c)
{
	if (c < 0x80) {
		buf_addc(b, (char)c);
		return;
	}
	int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	buf_addc(b, (char)((0xff << (7 - more) & 0xff) | c >> 6 * more));
	while (more-- > 0)
		buf_addc(b, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

static void any_text(void)
{
	static const char *const texts[] = {
		"hello",
		("it's \"quoted\" \\ \\\\ \\\" \\n \\u0041 `id` $(id) "
		 "$HOME %s %d%% *"),
		"two\nlines\ttab\r\n",
		"\n\n",
		" ",
		"-n",
		"--",
		"-h",
		"}{][",
	};
	struct buf all = { 0 };
	mount_spoken();
	for (size_t i = 0; i < COUNT(texts); i++) {
		test_row = texts[i];
		check_says(texts[i]);
	}
	test_row = NULL;
	for (unsigned c = 1; c < 0x180; c++)
		add_utf8(&all, c);
	add_utf8(&all, 0x2028);
	add_utf8(&all, 0xffff);
	add_utf8(&all, 0x1f600);
	buf_addc(&all, 'x');
	check_says(buf_cstr(&all));
	buf_free(&all);
	CHECK_INT(SAY("no dashes", mounts_at), 0);
	CHECK_FILE("HEAD/content", "no dashes\n");
}

static void from_input(void)
{
	static const char line[] = "é \"long\" \\ 😀\n";
	struct buf text = { 0 };
	mount_spoken();
	/* NUL ends what cJSON gives. */
	CHECK_INT(say_bytes(SPAN("a\0b \"c\"\n\nd\n\n")), 0);
	CHECK_HAS("HEAD/raw.json",
		  "\"content\":\"a\\u0000b \\\"c\\\"\\n\\nd\\n\"");
	check_content(SPAN("a\0b \"c\"\n\nd\n"));
	CHECK_INT(say_bytes(SPAN("no newline\\n")), 0);
	check_said(SPAN("no newline\\n"));
	for (int i = 0; i < 58823; i++)
		buf_adds(&text, line);
	buf_adds(&text, "é \"long\"");
	CHECK_INT(text.len, 1000000);
	buf_adds(&text, "x\n");
	CHECK_INT(say_bytes(buf_span(&text)), 0);
	text.len--;
	check_said(buf_span(&text));
	buf_free(&text);
}

static void says_nothing(void)
{
	static const struct {
		const char *words[4];
	} wrong[] = {
		{ { NULL } }, { { "-x" } }, { { "a", "b", "c" } }, { { "--" } }
	};
	char empty[2 * PATH_MAX], here[PATH_MAX], beside[PATH_MAX];
	make_home();
	mount_spoken();
	keep_session();
	test_need(chdir(test_path("home")) == 0, "home");
	snprintf(empty, sizeof(empty), "sessfs: %s: the message is empty",
		 mounts_session);
	snprintf(here, sizeof(here), "sessfs: %s: not in a mounted session",
		 test_path("home"));
	snprintf(beside, sizeof(beside),
		 "sessfs: %s: is a folder, not a session", test_folder);
	check_line(SAY("", mounts_at), 2, "an operand can't be empty");
	check_line(say_input("/dev/null"), 1, empty);
	check_line(say_bytes(SPAN("\n")), 1, empty);
	check_line(SAY("x"), 1, here);
	check_line(SAY("x", test_folder), 2, beside);
	check_line(SAY("x", join(mounts_at, "nothing")), 1,
		   "No such file or directory");
	CHECK_INT(SAY("-h"), 0);
	CHECK(span_starts(buf_span(&mounts_output),
			  SPAN("usage: sessfs say ")));
	for (size_t i = 0; i < COUNT(wrong); i++) {
		const char *const *w = wrong[i].words;
		const char *argv[] = {
			sessfs_program(), "say", w[0], w[1], w[2], NULL
		};
		check_line(hear_apart(argv), 2, "sessfs say ");
		CHECK(span_ends(buf_span(&mounts_errors),
				SPAN("-h for help)\n")));
	}
	CHECK_KEPT();
}

static void from_within(void)
{
	static char at[PATH_MAX];
	make_home();
	snprintf(at, sizeof(at), "%s", test_path("a  mount's"));
	test_need(mkdir(at, 0755) == 0, at);
	mounts_at = at;
	mount_source(test_file("a  session's.jsonl",
			       HEADER USER("aa000001", "null", "go on")));
	test_need(chdir("by-id/aa000001") == 0, "by-id/aa000001");
	CHECK_INT(SAY("from within"), 0);
	CHECK_FILE(join(at, "HEAD/content"), "from within\n");
	test_need(chdir(test_folder) == 0, test_folder);
	CHECK_INT(SAY("from beside", "a  mount's/HEAD/content"), 0);
	CHECK_FILE(join(at, "HEAD/content"), "from beside\n");
}

static void every_dialect(void)
{
	static const char *const names[] = {
		"pi-v1-linear.jsonl",	"pi-v3-branches.jsonl",
		"omp-v3-basic.jsonl",	"draft000-uuid.jsonl",
		"draft003-index.jsonl", "go-tree.jsonl",
	};
	for (size_t i = 0; i < COUNT(names); i++) {
		test_row = names[i];
		mount_fixture(names[i]);
		CHECK_INT(SAY("in it: é", mounts_at), 0);
		CHECK_FILE("HEAD/content", "in it: é\n");
		unmount();
	}
}

static void not_writable(void)
{
	static const char branches[] = "pi-v3-branches.jsonl",
			  claude[] = "claude-basic.jsonl";
	test_copy(fixture(branches), mounts_session);
	mount_with("ro");
	check_refused("Read-only file system (writable: "
		      "no, the file or its mount is read-only)");
	unmount();
	test_read(fixture(branches), &mounts_kept);
	CHECK_KEPT();
	mount_fixture(claude);
	check_refused("its lines are made by Claude Code alone: write with "
		      "claude --resume, or sessfs resume");
	test_read(fixture(claude), &mounts_kept);
	CHECK_KEPT();
}

/* Start sessfs switch; what it prints is in the file "switched". */
static pid_t start_switch(void)
{
	const char *said = test_path("switched");
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid > 0)
		return pid;
	int fd = open(said, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && dup2(fd, 1) == 1 && dup2(fd, 2) == 2)
		execl(sessfs_program(), sessfs_program(), "switch", "aa000004",
		      mounts_at, (char *)NULL);
	_exit(127);
}

static void own_reasons(void)
{
	static const char why[] =
		"another process has locked the session for seconds";
	char want[2 * PATH_MAX];
	int status;
	make_home();
	test_copy(fixture("pi-v3-branches.jsonl"), mounts_session);
	mount_session();
	CHECK_INT(append("{}\n"), EINVAL);
	CHECK(span_starts(value_in("info", "last-refused"),
			  SPAN("a line must have ")));
	snprintf(want, sizeof(want), "sessfs: %s: File too large", mounts_at);
	/* The session is longer already. */
	test_limit_size(1024);
	check_line(
		HEAR_APART(sessfs_program(), "switch", "aa000004", mounts_at),
		1, want);
	check_refused("File too large");
	test_limit_size(RLIM_INFINITY);
	int lock = open(mounts_session, O_RDWR | O_CLOEXEC);
	test_need(lock >= 0 && flock(lock, LOCK_EX) == 0, "flock");
	pid_t pid = start_switch();
	check_refused(why);
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 1);
	close(lock);
	snprintf(want, sizeof(want), "sessfs: %s: %s\n", mounts_at, why);
	CHECK_FILE(test_path("switched"), want);
}

/* Is this the text of the entry that the session's HEAD is at? */
static void check_last(const char *text)
{
	CHECK_INT(
		HEAR_APART(sessfs_program(), "log", "-n", "1", mounts_session),
		0);
	CHECK(memmem(mounts_output.data, mounts_output.len, text,
		     strlen(text)));
}

static void not_mounted(void)
{
	static const char *const names[] = {
		"pi-v1-linear.jsonl",	"pi-v3-branches.jsonl",
		"omp-v3-basic.jsonl",	"draft000-uuid.jsonl",
		"draft003-index.jsonl", "go-tree.jsonl",
	};
	char want[2 * PATH_MAX];
	make_home();
	for (size_t i = 0; i < COUNT(names); i++) {
		test_row = names[i];
		test_copy(fixture(names[i]), mounts_session);
		CHECK_INT(SAY("in it: é", mounts_session), 0);
		check_last("in it: é");
	}
	test_row = NULL;
	/* By what grep prints of a session: of HEAD, as it goes below that. */
	test_copy(fixture("pi-v3-branches.jsonl"), mounts_session);
	const char *hit = filled("%s/by-id/aa000004", test_path("session"));
	CHECK(refuses(1,
		      filled("sessfs: %s: a message goes below HEAD: switch to "
			     "the entry first",
			     hit),
		      COMMAND("say", "to a hit", hit)));
	CHECK_COMMAND(0, NULL, "", "switch", hit);
	CHECK_INT(SAY("to a hit", hit), 0);
	check_last("to a hit");
	test_copy(fixture("claude-basic.jsonl"), mounts_session);
	snprintf(want, sizeof(want),
		 "sessfs: %s: its lines are made by Claude Code alone: write "
		 "with claude --resume, or sessfs resume",
		 mounts_session);
	check_line(SAY("x", mounts_session), 1, want);
	CHECK_COMMAND(0, "", "", "open", "--mounts");
}

/* A mount shows at once what a command has written to the file. */
static void seen_by_a_mount(void)
{
	make_home();
	mount_spoken();
	for (int i = 0; i < 20; i++) {
		const char *text = filled("by the file %d", i);
		CHECK_FILE("HEAD/content",
			   i > 0 ? filled("by the file %d\n", i - 1)
				 : "go on\n");
		CHECK_INT(SAY(text, mounts_session), 0);
		CHECK_FILE("HEAD/content", filled("%s\n", text));
	}
	CHECK_COMMAND(0, "by-id/aa000001\n", NULL, "switch", "aa000001",
		      mounts_session);
	CHECK_HEAD("by-id/aa000001");
}

enum { AT_ONCE = 40 };

/* In a process of its own. */
static void say_often(void)
{
	for (int i = 0; i < AT_ONCE; i++)
		SAY(filled("said %d", i), mounts_session);
}

/* Both append under one lock: no line is lost, and each is below another. */
static void beside_a_mount(void)
{
	int status;
	make_home();
	mount_spoken();
	fflush(stdout);
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		say_often();
		_exit(0);
	}
	for (int i = 0; i < AT_ONCE; i++)
		CHECK_INT(append(filled("{\"role\":\"user\",\"content\":"
					"\"typed %d\"}\n",
					i)),
			  0);
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	CHECK_INT(lines_in(text_of(mounts_session)), 2 + 2 * AT_ONCE);
	CHECK_VALUE("info", "entries", "81");
	CHECK_VALUE("info", "depth", "81");
	CHECK_INT(
		HEAR("sh", "-c", "cat path/*/content | sort | uniq -d | wc -l"),
		0);
	CHECK_SPAN(buf_span(&mounts_output), SPAN("0\n"));
}

static const struct mounts_test tests[] = {
	TEST("sessfs say needs no mount", not_mounted),
	TEST("what is said to the file is in its mount at once",
	     seen_by_a_mount),
	TEST("a message and a write to the mount wait for each other",
	     beside_a_mount),
	TEST("sessfs say appends any text, byte for byte", any_text),
	TEST("sessfs say - appends standard input without its final newline",
	     from_input),
	TEST("sessfs say without a text or a session fails, and writes nothing",
	     says_nothing),
	TEST("sessfs say finds the session as the other helpers do",
	     from_within),
	TEST("sessfs say works in every dialect that can be written to",
	     every_dialect),
	TEST("where nothing can be written, sessfs say says so in one line",
	     not_writable),
	TEST("a failed move or message has its own reason, not that of an "
	     "earlier one",
	     own_reasons),
};
RUN_TESTS(tests)
