/* sessfs files and sessfs log --file: what was done with files, over many
 * sessions. */
#include "tests/mounts/mounts.h"

/* Pi's calls of tools. */
#define CALL(id, tool, arguments)                        \
	"{'type':'toolCall','id':'" id "','name':'" tool \
	"','arguments':" arguments "}"
#define CALLS(id, parent, calls)         \
	MESSAGE(id, parent, "assistant", \
		",'content':[" calls "],'provider':'p','model':'m'")

/* The first path of each line, as JSON has it. */
#define READ_AND_EDIT(path)                                            \
	CALLS("00000002", "'00000001'",                                \
	      CALL("c1", "read", "{'path':'" path "'}") "," CALL(      \
		      "c2", "edit",                                    \
		      "{'path':'src/count.c','edits':["                \
		      "{'oldText':'a\\nb\\nc','newText':'a\\nB\\nc'}," \
		      "{'oldText':'x','newText':'y'}]}"))
#define WRITE_AND_READ(path)                                         \
	CALLS("00000003", "'00000001'",                              \
	      CALL("c3", "write",                                    \
		   "{'path':'/work/demo/" path                       \
		   "','content':'int main'}") "," CALL("c4", "read", \
						       "{'path':"    \
						       "'/etc/hosts'}"))
#define RESULT                                                           \
	MESSAGE("00000004", "'00000003'", "toolResult",                  \
		",'toolCallId':'c3','toolName':'write','isError':true,'" \
		"content':[]")

/* Lines of Claude Code: the number, of one digit, and the parent. */
#define UUID "c1a0de00-0000-4000-8000-00000000000"
#define CLAUDE(n, parent, type, message)                               \
	"{'parentUuid':" parent                                        \
	",'isSidechain':false,'userType':'external','cwd':"            \
	"'/work/demo','sessionId':'5e55f500-0000-4000-8000-"           \
	"000000000001','version':'2.1.330','gitBranch':'main','type':" \
	"'" type "','message':" message ",'uuid':'" UUID n             \
	"','timestamp':'2026-03-01T10:00:0" n ".000Z'}\n"
#define USES(n, parent, id, tool, input)                                \
	CLAUDE(n, "'" UUID parent "'", "assistant",                     \
	       "{'id':'m" id "','type':'message','role':'assistant',"   \
	       "'model':'m-x','content':[{'type':'tool_use','id':'t" id \
	       "','name':'" tool "','input':" input                     \
	       "}],'stop_reason':null,'usage':{'input_tokens':1,"       \
	       "'output_tokens':1}}")

#define OF_CLAUDE "deep/claude\t" UUID "2\tedit\tsrc/count.c\n"
#define OF_PI                               \
	"pi\t00000002\tread\tsrc/count.c\n" \
	"pi\t00000002\tedit\tsrc/count.c\n" \
	"pi\t00000003\twrite-failed\tsrc/count.c\n"

static void write_file(const char *name, const char *const lines[])
{
	test_file(name, "");
	for (size_t i = 0; lines[i]; i++)
		test_append(name, lines[i]);
}

/* Two sessions in "all", of Pi and of Claude Code, in the same directory. */
static void write_all(void)
{
	make_home();
	test_need(mkdir(test_path("all"), 0755) == 0 &&
			  mkdir(test_path("all/deep"), 0755) == 0 &&
			  chdir(test_folder) == 0,
		  "all");
	write_file("all/pi.jsonl",
		   PIECES(HEADER, USER("00000001", "null", "Write it"),
			  READ_AND_EDIT("src/count.c"),
			  WRITE_AND_READ("src/count.c"), RESULT));
	write_file("all/deep/claude.jsonl",
		   PIECES(CLAUDE("1", "null", "user",
				 "{'role':'user','content':'x'}"),
			  USES("2", "1", "1", "Edit",
			       "{'file_path':'/work/demo/src/count.c',"
			       "'old_string':'one\\ntwo\\n',"
			       "'new_string':'one\\n2\\n'}"),
			  USES("3", "2", "2", "Read",
			       "{'file_path':'/work/other'}")));
}

#define FILES(...) HEAR_APART(sessfs_program(), "files", __VA_ARGS__)
#define LOG(...) HEAR_APART(sessfs_program(), "log", "--file", __VA_ARGS__)

/* Does a command print these columns after the time? */
#define CHECK_FILES(want, ...)                    \
	do {                                      \
		CHECK_INT(FILES(__VA_ARGS__), 0); \
		check_columns(want);              \
	} while (0)

static void check_columns(const char *want)
{
	struct buf b = { 0 };
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		span_next(&line, '\t');
		buf_add(&b, line);
		buf_addc(&b, '\n');
	}
	CHECK_BUF(&b, want);
	CHECK_SPAN(buf_span(&mounts_errors), SPAN(""));
	buf_free(&b);
}

/* How many lines of the output have this text? */
static size_t lines_with(const char *text)
{
	size_t n = 0;
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		n += line.n > 0 &&
		     memmem(line.p, line.n, text, strlen(text)) != NULL;
	}
	return n;
}

/* Are these the lines that begin so, without " (HEAD)"? `other` may be NULL. */
static void check_lines(const char *start, const char *other, const char *want)
{
	static const char head[] = " (HEAD)";
	struct buf b = { 0 };
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		if (!span_starts(line, span_of(start)) &&
		    !(other && span_starts(line, span_of(other))))
			continue;
		const char *at = memmem(line.p, line.n, head, strlen(head));
		size_t before = at ? (size_t)(at - line.p) : line.n,
		       skip = at ? before + strlen(head) : line.n;
		buf_add(&b, (struct span){ line.p, before });
		buf_add(&b, (struct span){ line.p + skip, line.n - skip });
		buf_addc(&b, '\n');
	}
	CHECK_BUF(&b, want);
	buf_free(&b);
}

/* Has the last command failed with this status, and one line with this text? */
static void check_failed(int status, int want, const char *text)
{
	struct span rest = buf_span(&mounts_errors),
		    line = span_next_line(&rest);
	CHECK_INT(status, want);
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
	CHECK_SPAN(rest, SPAN(""));
	if (!CHECK(line.n > 0 && memmem(line.p, line.n, text, strlen(text))))
		test_print("line", line);
}

/* Rules: T4 */
static void each_touch(void)
{
	write_all();
	CHECK_FILES(OF_CLAUDE "deep/claude\t" UUID
			      "3\tread\t/work/other\n" OF_PI
			      "pi\t00000003\tread\t/etc/hosts\n",
		    test_path("all"));
	struct span rest = buf_span(&mounts_output);
	CHECK_SPAN(span_next(&rest, '\t'), SPAN("2026-03-01T10:00:02.000Z"));
}

static void paths(void)
{
	static const char *const same[] = {
		"src/count.c",
		"src",
		"src/",
		"./src//x/../count.c",
		"/work/demo/src/count.c",
		"/work/demo/src",
	};
	static const char *const nearly[] = { "src/count", "count.c",
					      "/etc/host", "src/count.c/x" };
	char want[PATH_MAX + 64];
	write_all();
	for (size_t i = 0; i < COUNT(same); i++) {
		test_row = same[i];
		CHECK_FILES(OF_CLAUDE OF_PI, same[i], test_path("all"));
	}
	test_row = NULL;
	CHECK_FILES("pi\t00000003\tread\t/etc/hosts\n", "/etc",
		    test_path("all"));
	snprintf(want, sizeof(want), "%s\t00000003\tread\t/etc/hosts\n",
		 test_path("all/pi.jsonl"));
	CHECK_FILES(want, "/etc/hosts", test_path("all/deep"),
		    test_path("all/pi.jsonl"));
	CHECK_FILES("deep/claude\t" UUID "3\tread\t/work/other\n", "../other",
		    test_path("all"));
	test_need(chdir("/") == 0, "/");
	CHECK_FILES("pi\t00000003\tread\t/etc/hosts\n", "etc/hosts",
		    test_path("all"));
	/* What is called nearly so. */
	for (size_t i = 0; i < COUNT(nearly); i++) {
		test_row = nearly[i];
		check_failed(FILES(nearly[i], test_path("all")), 1,
			     "no entry touched it");
	}
	test_row = NULL;
	/* An empty one is any. */
	CHECK_INT(FILES("", test_path("all"), test_path("all/deep")), 0);
	CHECK_INT(lines_with(""), 8);
}

static void spellings(void)
{
	write_all();
	/* An escape in the session stands for a part of the name. */
	write_file("all/escaped.jsonl",
		   PIECES(HEADER, USER("00000001", "null", "Write it"),
			  READ_AND_EDIT("src/c\\u006funt.c"),
			  WRITE_AND_READ("src/c\\u006funt.c"), RESULT));
	CHECK_INT(FILES("src/count.c", test_path("all")), 0);
	CHECK_INT(lines_with("\tescaped\t"), 3);
	CHECK_INT(FILES("src/./x/../count.c", test_path("all")), 0);
	CHECK_INT(lines_with(""), 7);
	/* One that has the name in another place. */
	write_file("all/other.jsonl",
		   PIECES(HEADER, USER("00000001", "null", "count.c")));
	CHECK_INT(FILES("src/count.c", test_path("all")), 0);
	CHECK_INT(lines_with(""), 7);
	/* Short names can't be looked for. */
	CHECK_INT(FILES("../other", test_path("all")), 0);
	CHECK_INT(lines_with(""), 1);
}

/* A folder without sessions is one of a project. */
static void project_folder(void)
{
	write_all();
	test_need(mkdir(test_path("src"), 0755) == 0, "src");
	CHECK_INT(FILES("src"), 1);
	CHECK_SPAN(buf_span(&mounts_errors),
		   SPAN("sessfs: src: no entry touched it\n"));
	CHECK_INT(FILES("all"), 0);
	CHECK(mounts_output.len > 0);
	test_file("empty.c", "");
	CHECK_INT(FILES("empty.c"), 1);
}

static void goes_on(void)
{
	write_all();
	check_failed(FILES("src", test_path("none")), 1, "No such file");
	CHECK_INT(FILES("src", test_path("none"), test_path("all")), 1);
	CHECK_INT(lines_with(""), 4);
	CHECK_INT(FILES("-h"), 0);
}

static void diffs(void)
{
	char session[PATH_MAX], claude[PATH_MAX];
	write_all();
	snprintf(session, sizeof(session), "%s", test_path("all/pi.jsonl"));
	snprintf(claude, sizeof(claude), "%s",
		 test_path("all/deep/claude.jsonl"));
	CHECK_INT(LOG("src/count.c", session), 0);
	check_lines("entry", "   ",
		    "entry 00000003\n"
		    "    write-failed src/count.c\n"
		    "    +int main\n"
		    "entry 00000002\n"
		    "    read src/count.c\n"
		    "    edit src/count.c\n"
		    "    @@\n"
		    "     a\n"
		    "    -b\n"
		    "    +B\n"
		    "     c\n"
		    "    @@\n"
		    "    -x\n"
		    "    +y\n");
	mount_source(session);
	CHECK_INT(LOG("src", join(mounts_at, "by-id/00000002")), 0);
	check_lines("entry", NULL, "entry 00000002\n");
	CHECK_INT(lines_with("entry 00000002 (HEAD)"), 0);
	CHECK_INT(LOG("src", join(mounts_at, "by-id/00000003")), 0);
	check_lines("entry", NULL, "entry 00000003\n");
	CHECK_INT(LOG("src"), 0);
	check_lines("entry", NULL, "entry 00000003\nentry 00000002\n");
	CHECK_INT(LOG("src", "-n", "1"), 0);
	check_lines("entry", NULL, "entry 00000003\n");
	CHECK_INT(LOG("src", "--oneline"), 0);
	size_t entries = 0;
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;)
		entries += span_starts(span_next_line(&rest), SPAN("0000"));
	CHECK_INT(entries, 2);
	CHECK_INT(LOG("none"), 1);
	CHECK(span_starts(buf_span(&mounts_errors),
			  SPAN("sessfs: none: no entry touched it in /")));
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
	test_need(chdir("/") == 0, "/");
	CHECK_INT(LOG("src/count.c", claude), 0);
	check_lines("    ", NULL,
		    "    edit src/count.c\n"
		    "     one\n"
		    "    -two\n"
		    "    +2\n");
}

/* Are these the changes of a file by one call of the tool edit? */
static void check_edit(const char *line, const char *file, const char *want)
{
	write_file("session.jsonl", PIECES(HEADER, line));
	CHECK_INT(LOG(file, mounts_session), 0);
	check_lines("    ", NULL, want);
}

static void empty_line(void)
{
	make_home();
	check_edit(CALLS("00000001", "null",
			 CALL("c1", "edit",
			      "{'path':'a.c','oldText':'one','newText':"
			      "'one\\n\\nthree'}")),
		   "a.c",
		   "    edit a.c\n"
		   "     one\n"
		   "    +\n"
		   "    +three\n");
}

static void part_of_patch(void)
{
	static const char line[] =
		CALLS("00000001", "null",
		      CALL("c1", "edit",
			   "{'input':'*** Begin Patch\\n*** Update File: "
			   "a.c\\n@@\\n-x\\n+y\\n*** Delete File: b.c\\n*** "
			   "End Patch'}"));
	make_home();
	check_edit(line, "a.c",
		   "    edit a.c\n"
		   "    @@\n"
		   "    -x\n"
		   "    +y\n");
	check_edit(line, "b.c", "    delete b.c\n");
}

static const struct mounts_test tests[] = {
	TEST("a line for each touch of each session: time, session, entry, "
	     "what, path",
	     each_touch),
	TEST("a PATH is a file or a folder, from the session's directory, ours "
	     "or /",
	     paths),
	TEST("sessions without the name are passed over, and spellings of it "
	     "are not",
	     spellings),
	TEST("files says what is wrong, and goes on", goes_on),
	TEST("a folder without sessions, and an empty file, are a PATH",
	     project_folder),
	TEST("log --file shows diffs, on any branch, or on the way to an entry",
	     diffs),
	TEST("log --file: an empty line is an addition", empty_line),
	TEST("log --file shows the part of a patch", part_of_patch),
};
RUN_TESTS(tests)
