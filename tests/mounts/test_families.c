/* forks/ and parent-session: sessions that were forked from others, of each
 * agent. */
#include "tests/mounts/mounts.h"

#define A "2026-03-01T10-00-00-000Z_0198aaaa-1111"
#define B "2026-03-01T11-00-00-000Z_0198bbbb-2222"
#define C "2026-03-01T12-00-00-000Z_0198cccc-3333"
/* What forks/ calls them. */
#define SECOND "2026-03-01-pi-second-bbbb2222"
#define THIRD "2026-03-01-pi-third-cccc3333"

/* The folders of the sessions, and what commands may look at. */
static void make_folders(void)
{
	static const char *const folders[] = { "all", "all/x", "all/y" };
	make_home();
	for (size_t i = 0; i < COUNT(folders); i++)
		test_need(mkdir(test_path(folders[i]), 0755) == 0, folders[i]);
}

/* A session of Pi in a file of all/: with this parentSession, or NULL; the
 * time of its message; its text. */
static void pi_fork(const char *file, const char *parent, const char *time,
		    const char *text)
{
	char name[256], line[2 * PATH_MAX], member[PATH_MAX + 32] = "";
	snprintf(name, sizeof(name), "all/%s", file);
	if (parent)
		snprintf(member, sizeof(member), "'parentSession':'%s',",
			 parent);
	snprintf(line, sizeof(line),
		 "{'type':'session','version':3,"
		 "'id':'0198f000-0000-7000-8000-00000000000a',"
		 "'timestamp':'2026-03-01T10:00:00.000Z',%s"
		 "'cwd':'/work/demo'}\n"
		 "{'type':'message','id':'aa000001','parentId':null,"
		 "'timestamp':'2026-03-01T%s.000Z','message':{'role':'user',"
		 "'content':'%s','timestamp':1772359201000}}\n",
		 member, time, text);
	test_file(name, line);
}

/* The folder in the mount that a link leads to. */
static struct span led_to(const char *link)
{
	static char at[PATH_MAX];
	char top[PATH_MAX];
	test_need(getcwd(top, sizeof(top)) != NULL, "getcwd");
	if (!realpath(link, at))
		return span_of(strerror(errno));
	struct span s = span_of(at);
	if (!CHECK(span_starts(s, span_of(top))) || s.n <= strlen(top))
		return s;
	return span_of(at + strlen(top) + 1);
}

#define CHECK_LEADS(link, want) CHECK_SPAN(led_to(link), span_of(want))

static void check_none(const char *path)
{
	struct stat st;
	test_row = path;
	CHECK_INT(ERRNO(lstat(path, &st)), ENOENT);
	test_row = NULL;
}

static void of_pi(void)
{
	make_folders();
	pi_fork("x/" A ".jsonl", NULL, "10:00:01", "first");
	pi_fork("y/" B ".jsonl", test_path("all/x/" A ".jsonl"), "11:00:01",
		"second");
	pi_fork("x/" C ".jsonl", "/gone/elsewhere/" A ".jsonl", "12:00:01",
		"third");
	mount_source(test_path("all"));
	CHECK_LEADS("y/" B "/parent-session", "x/" A);
	CHECK_LEADS("x/" C "/parent-session", "x/" A);
	CHECK_NAMES("x/" A "/forks", SECOND " " THIRD " ");
	CHECK_LINK("x/" A "/forks/" SECOND, "../../../y/" B);
	CHECK_LINK("x/" A "/forks/" THIRD, "../../" C);
	CHECK_LEADS("x/" A "/forks/" SECOND, "y/" B);
	check_none("y/" B "/forks/" THIRD);
	CHECK_NAMES("y/" B "/forks", "");
	check_none("x/" A "/parent-session");
	struct stat st;
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	CHECK(lstat("x/" A "/forks", &st) == 0 &&
	      st.st_mode == (S_IFDIR | 0555));
	CHECK_INT(ERRNO(symlink("x", "x/" A "/forks/y")), for_root);
	CHECK_INT(ERRNO(mkdir("x/" A "/forks/y", 0755)), for_root);
	CHECK_INT(ERRNO(unlink("x/" A "/forks/" SECOND)), for_root);
	CHECK_INT(ERRNO(rename("x/" A "/HEAD", "x/" A "/forks/HEAD")),
		  for_root);
	/* One that is new, and one that goes. */
	pi_fork("x/d_dddd.jsonl", test_path("all/y/" B ".jsonl"), "13:00:01",
		"fourth");
	CHECK_NAMES("y/" B "/forks", "2026-03-01-pi-fourth-dddd ");
	CHECK_LEADS("x/d_dddd/parent-session", "y/" B);
	CHECK_INT(ERRNO(unlink(test_path("all/y/" B ".jsonl"))), 0);
	CHECK_NAMES("x/" A "/forks", THIRD " ");
	check_none("x/d_dddd/parent-session");
	/* Neither is a file, and one may say that it is its own parent. */
	pi_fork("x/e.jsonl", test_path("all/x/e.jsonl"), "13:00:01", "fifth");
	CHECK_NAMES("x/e/forks", "");
	check_none("x/e/parent-session");
	/* Mounted alone it leads to the file. */
	unmount();
	mount_source(test_path("all/x/" C ".jsonl"));
	CHECK_LINK("parent-session", test_path("all/x/" A ".jsonl"));
}

/* Copy a fixture; its line of this type has a member before its cwd. */
static void copy_with(const char *name, const char *type, const char *with,
		      const char *to)
{
	static const char cwd[] = "\"cwd\"";
	struct buf old = { 0 }, now = { 0 };
	bool was_put = false;
	test_read(fixture(name), &old);
	for (struct span rest = buf_span(&old); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		const char *at =
			memmem(line.p, line.n, type, strlen(type))
				? memmem(line.p, line.n, cwd, strlen(cwd))
				: NULL;
		if (at) {
			size_t n = (size_t)(at - line.p);
			buf_add(&now, (struct span){ line.p, n });
			buf_adds(&now, with);
			line.p += n;
			line.n -= n;
			was_put = true;
		}
		buf_add(&now, line);
		buf_addc(&now, '\n');
	}
	CHECK(was_put);
	test_put(test_path(to), O_TRUNC, buf_span(&now));
	buf_free(&old);
	buf_free(&now);
}

static void of_omp(void)
{
	make_folders();
	test_copy(fixture("omp-v3-basic.jsonl"),
		  test_path("all/x/2026-03-01_0198abcd-5555.jsonl"));
	copy_with("omp-v3-basic.jsonl", "\"type\":\"session\"",
		  "\"parentSession\":\"0198abcd-5555\",",
		  "all/x/2026-03-02_0198eeee-6666.jsonl");
	mount_source(test_path("all"));
	CHECK_LEADS("x/2026-03-02_0198eeee-6666/parent-session",
		    "x/2026-03-01_0198abcd-5555");
	CHECK_NAMES("x/2026-03-01_0198abcd-5555/forks",
		    "2026-03-01-omp-\xc3\x9c"
		    "ber-title-eeee6666 ");
}

#define CLAUDE_A "5e55f500-0000-4000-8000-000000000001"
#define CLAUDE_B "5e55f500-0000-4000-8000-00000000000b"
#define CLAUDE_C "5e55f500-0000-4000-8000-00000000000c"
#define UUID(digit) "c1a0de00-0000-4000-8000-00000000000" digit
/* A line of Claude Code: the digit of its uuid and time, its parent in JSON,
 * the members that say which session it is of, its type, its message. */
#define CLAUDE(digit, parent, session, type, message)                       \
	"{'parentUuid':" parent                                             \
	",'isSidechain':false,'userType':'external','cwd':'/work/demo'"     \
	"," session ",'version':'2.1.330','gitBranch':'main','type':'" type \
	"','message':" message                                              \
	",'uuid':'" UUID(digit) "','timestamp':'2026-03-01T10:00:0" digit   \
				".000Z'}\n"
/* A question and an answer. */
#define CLAUDE_LINES(session)                                       \
	CLAUDE("1", "null", session, "user",                        \
	       "{'role':'user','content':'first'}")                 \
	CLAUDE("2", "'" UUID("1") "'", session, "assistant",        \
	       "{'id':'msg_2','type':'message','role':'assistant'," \
	       "'model':'m-x','content':[{'type':'text',"           \
	       "'text':'answer'}],'stop_reason':null,"              \
	       "'usage':{'input_tokens':1,'output_tokens':1}}")

/* Rules: G2 */
static void of_claude(void)
{
	struct buf branch = { 0 };
	make_folders();
	test_file("all/x/" CLAUDE_A ".jsonl",
		  CLAUDE_LINES("'sessionId':'" CLAUDE_A "'"));
	test_file("all/x/" CLAUDE_B ".jsonl",
		  "{'type':'mode','mode':'normal','sessionId':'" CLAUDE_B
		  "'}\n");
	test_append("all/x/" CLAUDE_B ".jsonl",
		    CLAUDE_LINES("'sessionId':'" CLAUDE_B
				 "','forkedFrom':{'sessionId':'" CLAUDE_A
				 "','messageUuid':'" UUID("1") "'}"));
	mount_source(test_path("all"));
	CHECK_LEADS("x/" CLAUDE_B "/parent-session", "x/" CLAUDE_A);
	CHECK_NAMES("x/" CLAUDE_A "/forks",
		    "2026-03-01-claude-first-0000000b ");
	/* As sessfs itself makes a branch. */
	buf_add(&branch,
		text_of("x/" CLAUDE_A "/by-id/" UUID("2") "/branch.jsonl"));
	test_put(test_path("all/x/" CLAUDE_C ".jsonl"), O_TRUNC,
		 buf_span(&branch));
	CHECK_NAMES("x/" CLAUDE_A "/forks",
		    "2026-03-01-claude-first-0000000b "
		    "2026-03-01-claude-first-0000000c ");
	buf_free(&branch);
}

/* The ninth column of a table, a line for each row. */
static struct span drawn(struct span table)
{
	static struct buf column;
	buf_clear(&column);
	while (table.n > 0) {
		struct span row = span_next_line(&table);
		for (int i = 1; i < 9; i++)
			span_next(&row, '\t');
		buf_add(&column, span_next(&row, '\t'));
		buf_addc(&column, '\n');
	}
	return buf_span(&column);
}

#define CHECK_DRAWN(want) \
	CHECK_SPAN(drawn(text_of("sessions.txt")), span_of(want))

/* The same of `sessfs list`. */
static void check_listed(const char *folder, const char *want)
{
	CHECK_INT(HEAR(sessfs_program(), "list", folder), 0);
	CHECK_SPAN(drawn(buf_span(&mounts_output)), span_of(want));
}

/* Rules: G3 */
static void drawn_of_pi(void)
{
	static const char want[] = "first\n"
				   "└ second\n"
				   "  └ third\n"
				   "└ fourth\n"
				   "between\n"
				   "of-two\n"
				   "└ circle\n";
	make_folders();
	pi_fork("x/" A ".jsonl", NULL, "10:00:01", "first");
	pi_fork("x/between.jsonl", NULL, "10:30:01", "between");
	pi_fork("y/" B ".jsonl", test_path("all/x/" A ".jsonl"), "11:00:01",
		"second");
	pi_fork("x/" C ".jsonl", test_path("all/y/" B ".jsonl"), "12:00:01",
		"third");
	pi_fork("x/d_dddd.jsonl", test_path("all/x/" A ".jsonl"), "09:00:01",
		"fourth");
	pi_fork("x/e_eeee.jsonl", test_path("all/x/f_ffff.jsonl"), "08:00:01",
		"circle");
	pi_fork("x/f_ffff.jsonl", test_path("all/x/e_eeee.jsonl"), "07:00:01",
		"of-two");
	mount_source(test_path("all"));
	CHECK_DRAWN(want);
	check_listed(test_path("all"), want);
	check_listed(test_path("all"), want);
	/* A fork whose parent goes stands for itself. */
	CHECK_INT(ERRNO(unlink(test_path("all/y/" B ".jsonl"))), 0);
	CHECK_DRAWN("third\n"
		    "between\n"
		    "first\n"
		    "└ fourth\n"
		    "of-two\n"
		    "└ circle\n");
}

#define ROLLOUT_ID "019ca8f0-0000-7000-8000-%012d"
#define ROLLOUTS "codex/sessions/2026/03/01"

/* The path of a rollout of Codex. */
static const char *rollout(int n)
{
	char name[256];
	snprintf(name, sizeof(name),
		 ROLLOUTS "/rollout-2026-03-01T10-00-00-" ROLLOUT_ID ".jsonl",
		 n);
	return test_path(name);
}

/* Write a rollout with a message; it is based on the first bytes of another
 * one, or on none. */
static void write_rollout(int n, int base)
{
	char based[512] = "", lines[2048];
	if (base > 0)
		snprintf(based, sizeof(based),
			 ",'history_base':{'thread_id':'" ROLLOUT_ID
			 "','end_ordinal_exclusive':5,"
			 "'end_byte_offset':%lld}",
			 base, (long long)stat_of(rollout(base)).st_size);
	snprintf(lines, sizeof(lines),
		 "{'timestamp':'2026-03-01T10:00:00.000Z','ordinal':0,"
		 "'type':'session_meta','payload':{'id':'" ROLLOUT_ID "',"
		 "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/work/demo',"
		 "'originator':'x','cli_version':'0.171.0',"
		 "'history_mode':'paginated'%s}}\n"
		 "{'timestamp':'2026-03-01T10:00:01.000Z','ordinal':%d,"
		 "'type':'response_item','payload':{'type':'message',"
		 "'id':'msg_%d','role':'user','content':"
		 "[{'type':'input_text','text':'%s'}]}}\n",
		 n, based, base > 0 ? 6 : 1, n, base > 0 ? "more" : "one");
	struct buf b = test_quoted(lines);
	test_put(rollout(n), O_TRUNC, buf_span(&b));
	buf_free(&b);
}

/* Was the file changed so long ago that what is known of it may be kept? */
static bool is_settled(const char *path)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	struct timespec then = stat_of(path).st_ctim;
	return (now.tv_sec - then.tv_sec) * 1000 +
		       (now.tv_nsec - then.tv_nsec) / 1000000 >=
	       100;
}

/* Rules: G3 */
static void drawn_of_codex(void)
{
	static const char *const folders[] = { "codex", "codex/sessions",
					       "codex/sessions/2026",
					       "codex/sessions/2026/03",
					       ROLLOUTS };
	static const char want[] = "one\n"
				   "└ one\n"
				   "  └ one\n"
				   "└ one\n";
	for (size_t i = 0; i < COUNT(folders); i++)
		test_need(mkdir(test_path(folders[i]), 0755) == 0, folders[i]);
	write_rollout(1, 0);
	write_rollout(2, 1);
	write_rollout(3, 2);
	write_rollout(4, 1);
	mount_source(test_path("codex/sessions"));
	CHECK_DRAWN(want);
	make_home();
	check_listed(test_path("codex"), want);
	/* What was kept says so, too. */
	WAIT_UNTIL(is_settled(rollout(4)));
	check_listed(test_path("codex"), want);
	check_listed(test_path("codex"), want);
}

static const struct mounts_test tests[] = {
	TEST("Pi: by the path, or by the id beside the fork", of_pi),
	TEST("oh-my-pi: by an id, behind the title's slot", of_omp),
	TEST("Claude Code: by the origin of the first line", of_claude),
	TEST("sessions.txt, list and open draw forks below what they go on "
	     "from",
	     drawn_of_pi),
	TEST("Codex: lists draw rollouts below those that they are based on",
	     drawn_of_codex),
};
RUN_TESTS(tests)
