/* sessfs keep: what agents delete stays. */
#include "tests/mounts/mounts.h"

#define SESSION_ID "5e55f500-0000-4000-8000-000000000001"
#define UUID(n) "c1a0de00-0000-4000-8000-0000000000" n

static char home[PATH_MAX];
static char kept[PATH_MAX];   /* what has been deleted, and .live/ */
static char pi[PATH_MAX];     /* a folder of Pi's sessions */
static char claude[PATH_MAX]; /* and one of Claude Code's */

static void set_up(void)
{
	make_home();
	snprintf(home, sizeof(home), "%s", test_path("home"));
	snprintf(kept, sizeof(kept), "%s",
		 test_path("home/.local/share/sessfs/kept"));
	snprintf(pi, sizeof(pi), "%s",
		 test_path("home/.pi/agent/sessions/--work--"));
	snprintf(claude, sizeof(claude), "%s",
		 test_path("home/.claude/projects/-work"));
	make_folder(pi);
	make_folder(claude);
	test_need(chdir(test_folder) == 0, test_folder);
}

static const char *in_pi(const char *name)
{
	return filled("%s/%s.jsonl", pi, name);
}

/* Where sessfs keep has linked a file of Pi, and where it is when Pi has
 * deleted it. */
static const char *live_of(const char *name)
{
	return filled("%s/.live/pi%s/%s.jsonl", kept, pi, name);
}

static const char *kept_of(const char *name)
{
	return filled("%s/pi%s/%s.jsonl", kept, pi, name);
}

/* Write a session of Pi: its name, the text of its entry. */
static void pi_session(const char *name, const char *text)
{
	put_lines(in_pi(name),
		  filled("{'type':'session','version':3,"
			 "'id':'0198f000-0000-7000-8000-00000000000a',"
			 "'timestamp':'2026-03-01T10:00:00.000Z',"
			 "'cwd':'/work/demo'}\n" USER("aa000001", "null", "%s"),
			 text));
}

/* Replace a session by another one of this text. */
static void replace(const char *name, const char *text)
{
	pi_session("new", text);
	test_need(rename(in_pi("new"), in_pi(name)) == 0, name);
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat a = stat_of(path), b = stat_of(other);
	return a.st_ino != 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Keep, whatever that prints. */
static void keep(void)
{
	CHECK_INT(HEAR(sessfs_program(), "keep"), 0);
}

static bool keeps(unsigned linked, unsigned deleted)
{
	return prints(filled("%u newly linked, %u newly kept that agents have "
			     "deleted\n",
			     linked, deleted),
		      COMMAND("keep"));
}

/* The words of the sessions that are listed with this option, sorted. */
static const char *listed(const char *option)
{
	const char *words[16], *all = "";
	size_t n = 0;
	CHECK_INT(HEAR_APART(sessfs_program(), "list", option), 0);
	CHECK_SPAN(buf_span(&mounts_errors),
		   mounts_output.len > 0
			   ? SPAN("")
			   : SPAN("sessfs: list: there are no sessions that "
				  "are kept\n"));
	for (struct span rest = buf_span(&mounts_output);
	     rest.n > 0 && n < COUNT(words);) {
		struct span line = span_next(&rest, '\n'), cell = line;
		while (line.n > 0)
			cell = span_next(&line, '\t');
		words[n++] = filled("%.*s", (int)cell.n, cell.p);
	}
	qsort(words, n, sizeof(words[0]), by_bytes);
	for (size_t i = 0; i < n; i++)
		all = filled("%s%s%s", all, i > 0 ? " " : "", words[i]);
	return all;
}

#define CHECK_LISTED(want) CHECK_SPAN(span_of(listed(NULL)), span_of(want))
#define CHECK_LISTED_KEPT(want) \
	CHECK_SPAN(span_of(listed("--kept")), span_of(want))

/* How many lines sessfs list prints. */
static size_t count_listed(const char *option)
{
	size_t n = 0;
	CHECK_INT(HEAR(sessfs_program(), "list", option), 0);
	for (size_t i = 0; i < mounts_output.len; i++)
		n += mounts_output.data[i] == '\n';
	return n;
}

/* The paths of what is no folder below one, a line each. */
static struct buf files_below(const char *folder)
{
	struct buf b = { 0 };
	const FTSENT *e;
	FTS *fts = walk_tree(folder);
	while ((e = next_in_tree(fts, 0, PIECES(NULL)))) {
		if (e->fts_info == FTS_D)
			continue;
		CHECK(e->fts_info == FTS_F || e->fts_info == FTS_SL);
		buf_adds(&b, e->fts_path + strlen(folder));
		buf_addc(&b, '\n');
	}
	fts_close(fts);
	return b;
}

static bool ends_with(const char *s, const char *end)
{
	return strlen(s) >= strlen(end) &&
	       strcmp(s + strlen(s) - strlen(end), end) == 0;
}

/* Is there a file that was being made? */
static bool has_remains(void)
{
	bool has_some = false;
	struct buf b = files_below(kept);
	for (struct span rest = buf_span(&b); rest.n > 0;)
		has_some |=
			span_ends(span_next(&rest, '\n'), SPAN(".sessfs-new"));
	buf_free(&b);
	return has_some;
}

/* Rules: Q1 */
static void linked_once(void)
{
	set_up();
	pi_session("one", "first");
	CHECK(keeps(1, 0));
	CHECK(is_same_file(in_pi("one"), live_of("one")));
	CHECK_INT(stat_of(kept).st_mode, S_IFDIR | 0700);
	CHECK_INT(stat_of(test_path("home/.local/share/sessfs")).st_mode,
		  S_IFDIR | 0700);
	CHECK(prints("", COMMAND("keep")));
	struct buf line = test_quoted(USER("bb", "'aa000001'", "more"));
	CHECK_INT(write_with(O_APPEND, in_pi("one"), buf_span(&line)), 0);
	buf_free(&line);
	CHECK(is_copy(in_pi("one"), live_of("one")));
	pi_session("two", "second");
	CHECK(prints("1 newly linked, 0 newly kept that agents have deleted\n",
		     COMMAND("keep")));
	/* None is listed or named twice. */
	CHECK_LISTED("first second");
	CHECK_LISTED_KEPT("");
	CHECK(prints(filled("pi\t%s/.pi/agent/sessions\n"
			    "claude\t%s/.claude/projects\n",
			    home, home),
		     COMMAND("sources")));
}

/* A mount of all has what is kept later, too. */
static void kept_in_all(void)
{
	set_up();
	pi_session("one", "first");
	CHECK_INT(RUN(sessfs_program(), "--all", mounts_at), 0);
	CHECK(!exists(join(mounts_at, "pi+pi")));
	keep();
	CHECK_INT(ERRNO(unlink(in_pi("one"))), 0);
	CHECK(keeps(0, 1));
	CHECK(exists(join(mounts_at, "pi+pi")));
	struct span text = text_of(join(mounts_at, "sessions.txt"));
	CHECK(memmem(text.p, text.n, "first", 5));
	unmount();
}

/* Rules: Q2 */
static void what_is_deleted(void)
{
	set_up();
	pi_session("one", "first");
	pi_session("two", "second");
	keep();
	CHECK_INT(ERRNO(unlink(in_pi("one"))), 0);
	CHECK(keeps(0, 1));
	CHECK(prints("", COMMAND("keep")));
	CHECK(!exists(live_of("one")));
	CHECK_LISTED_KEPT("first");
	CHECK_LISTED("first second");
	CHECK_INT(RUN(sessfs_program(), "grep", "-q", "first"), 0);
	CHECK(prints(filled("pi\t%s/.pi/agent/sessions\n"
			    "pi\t%s/pi\tshared\n"
			    "claude\t%s/.claude/projects\n",
			    home, kept, home),
		     COMMAND("sources")));
	CHECK_INT(HEAR_APART(sessfs_program(), "open", kept_of("one")), 0);
	CHECK_FILE(filled("%.*s/HEAD/content", (int)mounts_output.len - 1,
			  mounts_output.data),
		   "first\n");
	CHECK_INT(ERRNO(unlink(in_pi("two"))), 0);
	keep();
	CHECK_LISTED_KEPT("first second");
	/* What it names has none that its agent has deleted. */
	CHECK_COMMAND(0, "", NULL, "list", "--kept", pi);
}

/* Lines of Claude Code: number as two digits, parent as JSON, whether it is a
 * subagent's, its type, its members. */
#define CLAUDE(n, parent, is_sidechain, type, members)         \
	"{'parentUuid':" parent ",'isSidechain':" is_sidechain \
	",'userType':'external','cwd':'/work/demo',"           \
	"'sessionId':'" SESSION_ID "','version':'2.1.330',"    \
	"'gitBranch':'main','type':'" type "'," members        \
	",'uuid':'" UUID(n) "','timestamp':'2026-03-01T10:00:" n ".000Z'}\n"
#define SAYS(n, parent, is_sidechain, text)     \
	CLAUDE(n, parent, is_sidechain, "user", \
	       "'message':{'role':'user','content':'" text "'}")
#define BLOCK(n, parent, is_sidechain, message, block)              \
	CLAUDE(n, parent, is_sidechain, "assistant",                \
	       "'message':{'id':'" message "','type':'message',"    \
	       "'role':'assistant','model':'m-x','content':[" block \
	       "],'stop_reason':null,'usage':{'input_tokens':1,"    \
	       "'output_tokens':1}}")
#define ANSWER(n, parent, is_sidechain, message, text) \
	BLOCK(n, parent, is_sidechain, message,        \
	      "{'type':'text','text':'" text "'}")
#define CALL(n, parent, is_sidechain, message, call) \
	BLOCK(n, parent, is_sidechain, message,      \
	      "{'type':'tool_use','id':'" call       \
	      "','name':'Agent','input':{'prompt':'look'}}")
#define RESULT(n, parent, is_sidechain, call, text, more)                  \
	CLAUDE(n, parent, is_sidechain, "user",                            \
	       "'message':{'role':'user','content':[{'tool_use_id':'" call \
	       "','type':'tool_result','content':'" text "'}]}" more)
#define OF_AGENT(id) \
	",'toolUseResult':{'status':'completed','agentId':'" id "'}"
#define UP(n) "'" UUID(n) "'"

static void while_linked(void)
{
	set_up();
	pi_session("one", "first");
	keep();
	put_lines(
		filled("%s/" SESSION_ID ".jsonl", claude),
		"{'type':'session','version':3,"
		"'id':'0198f000-0000-7000-8000-00000000000a',"
		"'timestamp':'2026-03-01T10:00:00.000Z',"
		"'cwd':'/work/demo'}\n" SAYS("01", "null", "false", "second"));
	/* After the folders of Pi have been looked at. */
	put(test_path("while"), "");
	pid_t pid = start_program(meeting("hold", "link", COMMAND("keep")),
				  test_path("out"));
	WAIT_UNTIL(has(test_path("met"), "met link\n"));
	CHECK_INT(ERRNO(unlink(in_pi("one"))), 0);
	CHECK_INT(ERRNO(unlink(test_path("while"))), 0);
	CHECK_INT(wait_program(pid), 0);
	CHECK_FILE(test_path("out"),
		   "1 newly linked, 1 newly kept that agents have deleted\n");
	CHECK_LISTED_KEPT("first");
}

static void killed_then_deleted(void)
{
	set_up();
	pi_session("one", "first");
	keep();
	replace("one", "rewritten");
	CHECK_INT(ERRNO(link(in_pi("one"),
			     filled("%s.sessfs-new", live_of("one")))),
		  0);
	CHECK_INT(ERRNO(unlink(in_pi("one"))), 0);
	keep();
	CHECK_LISTED_KEPT("first rewritten");
	CHECK(!exists(filled("%s/.live/pi%s", kept, pi)));
}

static void comes_back(void)
{
	set_up();
	pi_session("one", "first");
	keep();
	CHECK_INT(ERRNO(rename(test_path("home/.pi"), test_path("home/away"))),
		  0);
	keep();
	CHECK_LISTED_KEPT("first");
	CHECK_INT(ERRNO(rename(test_path("home/away"), test_path("home/.pi"))),
		  0);
	keep();
	CHECK_LISTED("first");
	CHECK_LISTED_KEPT("");
	CHECK(is_same_file(in_pi("one"), live_of("one")));
	CHECK(!exists(filled("%s/pi", kept)));
	/* So is a file that its agent calls otherwise. */
	CHECK_INT(ERRNO(rename(in_pi("one"), in_pi("other"))), 0);
	keep();
	CHECK_LISTED("first");
	CHECK_LISTED_KEPT("");
}

/* Rules: Q3 */
static void replaced(void)
{
	set_up();
	pi_session("one", "first");
	keep();
	struct buf line = test_quoted(USER("bb", "'aa000001'", "more"));
	test_copy(in_pi("one"), test_path("new"));
	CHECK_INT(write_with(O_APPEND, test_path("new"), buf_span(&line)), 0);
	buf_free(&line);
	CHECK_INT(ERRNO(rename(test_path("new"), in_pi("one"))), 0);
	CHECK(keeps(1, 0));
	CHECK(is_same_file(in_pi("one"), live_of("one")));
	CHECK_LISTED_KEPT("");
	replace("one", "rewritten");
	CHECK(keeps(1, 1));
	CHECK(is_same_file(in_pi("one"), live_of("one")));
	CHECK_LISTED("first rewritten");
	replace("one", "again");
	keep();
	CHECK_LISTED_KEPT("first rewritten");
	CHECK_LISTED("again first rewritten");
	CHECK(exists(kept_of("one~2")));
	CHECK(!has_remains());
}

/* 1, then 2 calls two subagents in two lines, whose results are 4 and 5; 6 says
 * so. The second one has started a third. */
static void write_agents(const char *own)
{
	put_lines(filled("%s.jsonl", own),
		  SAYS("01", "null", "false", "look at both") CALL(
			  "02", UP("01"), "false", "msg_2",
			  "t1") CALL("03", UP("02"), "false", "msg_2", "t2")
			  RESULT("04", UP("02"), "false", "t1", "seen",
				 OF_AGENT("aa11"))
				  RESULT("05", UP("03"), "false", "t2", "seen",
					 OF_AGENT("bb22"))
					  ANSWER("06", UP("05"), "false",
						 "msg_6", "Both seen."));
	put_lines(filled("%s/subagents/agent-aa11.jsonl", own),
		  SAYS("20", "null", "true", "look at the walrus") ANSWER(
			  "29", UP("20"), "true", "msg_29", "A walrus."));
	put_lines(filled("%s/subagents/agent-bb22.jsonl", own),
		  SAYS("40", "null", "true", "look at the narwhal")
			  CALL("41", UP("40"), "true", "msg_41", "t3")
				  RESULT("42", UP("41"), "true", "t3",
					 "seen\\nagentId: cc33 (to go on with "
					 "it)\\nmore: no",
					 "") ANSWER("49", UP("42"), "true",
						    "msg_49", "A narwhal."));
	put_lines(filled("%s/subagents/agent-cc33.jsonl", own),
		  SAYS("50", "null", "true", "look at the orca")
			  ANSWER("59", UP("50"), "true", "msg_59", "An orca."));
	put_lines(filled("%s/subagents/agent-aa11.meta.json", own),
		  "{'agentType':'general-purpose'}\n");
}

/* What sessfs list prints, from the fourth column on. */
static struct buf listed_counts(void)
{
	struct buf b = { 0 };
	CHECK_INT(HEAR(sessfs_program(), "list"), 0);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		for (int i = 0; i < 3; i++)
			span_next(&line, '\t');
		buf_add(&b, line);
		buf_addc(&b, '\n');
	}
	return b;
}

static void check_files(const char *folder, const struct buf *want)
{
	struct buf got = files_below(folder);
	CHECK_SPAN(buf_span(&got), buf_span(want));
	buf_free(&got);
}

static void with_their_session(void)
{
	set_up();
	const char *const own =
		filled("%s/11111111-1111-4111-8111-111111111111", claude);
	const char *const output = filled("%s/tool-results/x.txt", own);
	const char *const gone = filled("%s/claude%s", kept, claude);
	write_agents(own);
	put_lines(output, "output\n");
	struct buf want = files_below(claude);
	put_lines(filled("%s/notes.txt", claude), "no session\n");
	CHECK_INT(ERRNO(symlink(filled("%s/notes.txt", claude),
				filled("%s/link.jsonl", claude))),
		  0);
	keep();
	check_files(filled("%s/.live/claude%s", kept, claude), &want);
	struct buf before = listed_counts();
	CHECK(before.len > 0);
	/* The agent deletes outputs by their own age: they wait for their
	 * session. */
	CHECK_INT(ERRNO(unlink(output)), 0);
	keep();
	CHECK_FILE(filled("%s/claude%s", kept, output), "output\n");
	CHECK_LISTED_KEPT("");
	nftw(claude, test_unlink, 16, FTW_DEPTH | FTW_PHYS);
	CHECK(!exists(claude));
	keep();
	check_files(gone, &want);
	struct buf after = listed_counts();
	CHECK_SPAN(buf_span(&after), buf_span(&before));
	mount_source(filled("%s/claude%s.jsonl", kept, own));
	CHECK_NAMES("subagents", "agent-aa11 agent-bb22 agent-cc33 ");
	CHECK(!exists(filled("%s/.live/claude", kept)));
	buf_free(&want);
	buf_free(&before);
	buf_free(&after);
}

/* Its agent knows nothing of the labels, and leaves them when it deletes the
 * session.
 * Rules: Q2 */
static void labels_go_with_it(void)
{
	static const char label[] = "by-id/" UUID("01") "/label";
	set_up();
	const char *const session = filled("%s/" SESSION_ID ".jsonl", claude);
	const char *const gone = filled("%s/claude%s", kept, claude);
	put_lines(session, SAYS("01", "null", "false", "one"));
	mount_source(session);
	CHECK_INT(put(label, "early\n"), 0);
	keep();
	CHECK_INT(put(label, "late\n"), 0);
	unmount();
	CHECK_INT(ERRNO(rename(session, test_path("away"))), 0);
	CHECK(keeps(1, 2));
	CHECK(prints("", COMMAND("keep")));
	CHECK_NAMES(gone, SESSION_ID ".jsonl " SESSION_ID ".sessfs.json ");
	mount_source(filled("%s/" SESSION_ID ".jsonl", gone));
	CHECK_FILE(label, "late\n");
	unmount();
	CHECK_INT(ERRNO(rename(test_path("away"), session)), 0);
	CHECK(keeps(2, 0));
	CHECK(!exists(gone));
}

static void linked_folder(void)
{
	set_up();
	pi_session("one", "first");
	const char *folder = test_path("home/.pi/agent/sessions"),
		   *elsewhere = test_path("home/elsewhere");
	CHECK_INT(ERRNO(rename(folder, elsewhere)), 0);
	CHECK_INT(ERRNO(symlink(elsewhere, folder)), 0);
	CHECK(keeps(1, 0));
	CHECK(is_same_file(in_pi("one"), live_of("one")));
	CHECK_INT(ERRNO(unlink(in_pi("one"))), 0);
	CHECK(keeps(0, 1));
	CHECK_LISTED_KEPT("first");
	/* As put back from a backup: another file with the same bytes. */
	pi_session("one", "first");
	keep();
	CHECK_LISTED("first");
	CHECK(!exists(kept_of("one")));
}

/* A new folder on another file system than the tests'. The caller removes it.
 */
static const char *other_disk(void)
{
	static char at[64];
	snprintf(at, sizeof(at), "%s/sessfs-XXXXXX",
		 stat_of("/dev/shm").st_dev != stat_of(test_folder).st_dev
			 ? "/dev/shm"
			 : "/var/tmp");
	test_need(mkdtemp(at) != NULL, at);
	return at;
}

static void check_other_disk(void)
{
	const char *const other = other_disk();
	setenv("XDG_DATA_HOME", other, 1);
	CHECK_INT(HEAR_APART(sessfs_program(), "keep"), 1);
	nftw(other, test_unlink, 16, FTW_DEPTH | FTW_PHYS);
	CHECK(!exists(other));
	struct span s = buf_span(&mounts_errors);
	const char *line = filled("%.*s", (int)s.n, s.p);
	CHECK(s.n > 0 && strchr(line, '\n') == line + s.n - 1);
	CHECK(span_starts(s, span_of(filled("sessfs: %s/", pi))));
	CHECK(ends_with(line, ": is on another file system than the kept "
			      "sessions; set XDG_DATA_HOME\n"));
}

static void other_disk_and_no_home(void)
{
	set_up();
	pi_session("one", "first");
	pi_session("two", "second");
	check_other_disk();
	unsetenv("XDG_DATA_HOME");
	CHECK(refuses(1, "sessfs: keep: HOME is not set",
		      PIECES("env", "-u", "HOME", sessfs_program(), "keep")));
	CHECK(!exists(kept));
	setenv("XDG_DATA_HOME", "relative", 1);
	keep();
	CHECK(S_ISDIR(stat_of(kept).st_mode));
	setenv("XDG_DATA_HOME", test_path("data"), 1);
	keep();
	CHECK(is_same_file(
		in_pi("one"),
		test_path(
			filled("data/sessfs/kept/.live/pi%s/one.jsonl", pi))));
	unsetenv("XDG_DATA_HOME");
}

/* Six at once: what they have printed together. */
static void check_six(const char *want)
{
	enum { N = 6 };
	pid_t pids[N];
	struct buf said = { 0 };
	for (int i = 0; i < N; i++)
		pids[i] = start_program(COMMAND("keep"),
					test_path(filled("out%d", i)));
	for (int i = 0; i < N; i++) {
		CHECK_INT(wait_program(pids[i]), 0);
		buf_add(&said, text_of(test_path(filled("out%d", i))));
	}
	CHECK_SPAN(buf_span(&said), span_of(want));
	buf_free(&said);
}

static void many_at_once(void)
{
	set_up();
	for (int i = 1; i <= 40; i++)
		pi_session(filled("s%d", i), filled("text%d", i));
	check_six("40 newly linked, 0 newly kept that agents have deleted\n");
	for (int i = 1; i <= 9; i++)
		CHECK_INT(ERRNO(unlink(in_pi(filled("s%d", i)))), 0);
	check_six("0 newly linked, 9 newly kept that agents have deleted\n");
	CHECK_INT(count_listed("--kept"), 9);
	CHECK_INT(count_listed(NULL), 40);
}

static void ordinary_user(void)
{
	set_up();
	pi_session("one", "first");
	test_need(RUN("chown", "-R", "65534:65534", test_folder) == 0, "chown");
	CHECK_INT(hear_program(as_nobody(COMMAND("keep"))), 0);
	CHECK_INT(ERRNO(unlink(in_pi("one"))), 0);
	CHECK_INT(hear_program(as_nobody(COMMAND("keep"))), 0);
	CHECK_INT(stat_of(kept_of("one")).st_uid, 65534);
	CHECK_LISTED_KEPT("first");
}

static const struct mounts_test tests[] = {
	TEST("a mount of all has what is kept later", kept_in_all),
	TEST("files are linked once, in folders of mode 700, and grow with the "
	     "agent",
	     linked_once),
	TEST("what an agent deletes is listed, searched and opened",
	     what_is_deleted),
	TEST("what an agent deletes while sessions are linked is kept",
	     while_linked),
	TEST("a session replaced when sessfs keep was killed, then deleted",
	     killed_then_deleted),
	TEST("a folder that is gone as a whole, and one that comes back",
	     comes_back),
	TEST("a session that is replaced: its longer form, or both", replaced),
	TEST("subagents and long outputs of Claude Code are kept with their "
	     "session",
	     with_their_session),
	TEST("labels beside a session go with it, the last ones",
	     labels_go_with_it),
	TEST("a folder of an agent that is a symlink", linked_folder),
	TEST("another file system, and no home", other_disk_and_no_home),
	TEST("many at once", many_at_once),
	ROOT_TEST("an ordinary user's own", ordinary_user),
};
RUN_TESTS(tests)
