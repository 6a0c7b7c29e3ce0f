/* sessfs resume --in, which goes on in another agent. resume-in.bats has a
 * shell run what it prints, for each agent. */
#include "tests/mounts/mounts.h"

#include <ftw.h>
#include <stdarg.h>

#define UUID(n) "c1a0de00-0000-4000-8000-00000000000" n

enum { NOBODY = 65534 };

static char work[PATH_MAX];	/* in which the agents are to go on */
static const char *entry;	/* the end of the session's older branch */
static char copy[PATH_MAX];	/* the only session of an agent */
static const char *option;	/* with which it is opened, */
static const char *operand;	/* and what that is told */
static char paths[4][PATH_MAX]; /* of the sessions that were found */
static size_t n_found;

/* Agents in PATH that only say how they were started. */
static void stub_agents(void)
{
	static const char *const agents[] = { "pi", "omp", "claude", "codex" };
	static char *own; /* the PATH of before */
	char script[PATH_MAX + 256];
	make_home();
	if (!own)
		own = strdup(getenv("PATH"));
	test_need(own != NULL, "PATH");
	setenv("PATH", filled("%s/bin:%s", test_folder, own), 1);
	snprintf(work, sizeof(work), "%s", test_path("work"));
	test_need(mkdir(work, 0755) == 0 && mkdir(test_path("bin"), 0755) == 0,
		  work);
	snprintf(script, sizeof(script),
		 "#!/bin/sh\n"
		 "{ pwd && printf \"%%s\\0\" \"${0##*/}\" \"$@\"; } "
		 ">\"%s/called\"\n",
		 test_folder);
	for (size_t i = 0; i < COUNT(agents); i++) {
		const char *at = join(test_path("bin"), agents[i]);
		test_put(at, 0, span_of(script));
		test_need(chmod(at, 0755) == 0, at);
	}
}

/* Write a session in which CWD stands for its directory. */
static void write_in(const char *lines, const char *cwd)
{
	struct buf text = { 0 };
	const char *at;
	for (; (at = strstr(lines, "CWD")); lines = at + strlen("CWD")) {
		buf_add(&text, (struct span){ lines, (size_t)(at - lines) });
		buf_adds(&text, cwd);
	}
	buf_adds(&text, lines);
	test_file("session.jsonl", buf_cstr(&text));
	buf_free(&text);
}

static void write_pi(const char *cwd)
{
	entry = "aa000002";
	write_in("{'type':'session','version':3,"
		 "'id':'0198f000-0000-7000-8000-00000000000a',"
		 "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'CWD'}\n" USER(
			 "aa000001", "null", "one")
			 USER("aa000002", "'aa000001'", "two")
				 USER("aa000003", "'aa000001'", "three"),
		 cwd);
}

#define CLAUDE(n, parent, type, message)                                    \
	"{'parentUuid':" parent ",'isSidechain':false,"                     \
	"'userType':'external','cwd':'CWD',"                                \
	"'sessionId':'5e55f500-0000-4000-8000-000000000001',"               \
	"'version':'2.1.330','gitBranch':'main','type':'" type              \
	"','message':{" message "},'uuid':'" UUID(n) "','timestamp':'2026-" \
						     "03-01T10:00:0" n      \
						     ".000Z'}\n"
#define ASKED(n, parent, text) \
	CLAUDE(n, parent, "user", "'role':'user','content':'" text "'")
#define ANSWERED(n, parent, text)                                      \
	CLAUDE(n, parent, "assistant",                                 \
	       "'id':'msg_" n "','type':'message','role':'assistant'," \
	       "'model':'m-x','content':[{'type':'text','text':'" text \
	       "'}],'stop_reason':null,'usage':{'input_tokens':1,"     \
	       "'output_tokens':1}")

/* A question, and two answers to it; the second is newer. */
static void write_claude(void)
{
	entry = UUID("3");
	write_in(ASKED("1", "null", "question") ANSWERED("2", "'" UUID("1") "'",
							 "first")
			 ASKED("3", "'" UUID("2") "'", "thanks") ANSWERED(
				 "4", "'" UUID("1") "'", "second")
				 ASKED("5", "'" UUID("4") "'", "thanks again"),
		 work);
}

#define CODEX_META                                                       \
	"{'timestamp':'2026-03-01T10:00:00.000Z','type':'session_meta'," \
	"'payload':{'id':'019ca8f0-0000-7000-8000-000000000001',"        \
	"'timestamp':'2026-03-01T10:00:00.000Z','cwd':'CWD',"            \
	"'originator':'x','cli_version':'0.171.0'}}\n"
#define CODEX_SAID(id, role, type, text)                                  \
	"{'timestamp':'2026-03-01T10:00:01.000Z','type':'response_item'," \
	"'payload':{'type':'message','id':'" id "','role':'" role         \
	"','content':[{'type':'" type "','text':'" text "'}]}}\n"

static void write_codex(void)
{
	entry = "msg_2";
	write_in(CODEX_META CODEX_SAID("msg_1", "user", "input_text", "one")
			 CODEX_SAID("msg_2", "assistant", "output_text", "two")
				 CODEX_SAID("msg_3", "user", "input_text",
					    "three"),
		 work);
}

static int note_found(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type != FTW_F || !span_ends(span_of(path), SPAN(".jsonl")))
		return 0;
	if (n_found < COUNT(paths))
		snprintf(paths[n_found], sizeof(paths[0]), "%s", path);
	n_found++;
	return 0;
}

/* All sessions that an agent would find for a directory. */
static size_t find_all(const char *agent, const char *cwd)
{
	n_found = 0;
	CHECK_COMMAND(0, NULL, NULL, "sources", "-m", "-a", agent, "-c", cwd);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		char folder[PATH_MAX];
		struct span line = span_next(&rest, '\n');
		span_next(&line, '\t');
		struct span at = span_next(&line, '\t');
		snprintf(folder, sizeof(folder), "%.*s", (int)at.n, at.p);
		if (CHECK(folder[0] == '/') && exists(folder))
			nftw(folder, note_found, 16, FTW_PHYS);
	}
	return n_found;
}

/* The only one: `copy`, and the words with which the agent opens it. */
static void find_made(const char *agent, const char *cwd)
{
	static char id[NAME_MAX + 1];
	bool is_path = strcmp(agent, "pi") == 0;
	CHECK_INT(find_all(agent, cwd), 1);
	test_need(n_found > 0, agent);
	snprintf(copy, sizeof(copy), "%s", paths[0]);
	const char *name = strrchr(copy, '/') + 1;
	snprintf(id, sizeof(id), "%.*s", (int)(strlen(name) - strlen(".jsonl")),
		 name);
	option = is_path			? "--session"
		 : strcmp(agent, "claude") == 0 ? "--resume"
						: "resume";
	operand = is_path ? copy : id;
	if (strcmp(agent, "codex") == 0) {
		test_need(strlen(id) > 36, id);
		operand = id + strlen(id) - 36;
	}
}

/* Was the agent started so, in this directory, since the last time? */
static void check_called(const char *agent, const char *first,
			 const char *second, const char *in)
{
	const char *const words[] = { agent, first, second };
	struct buf want = { 0 };
	buf_addf(&want, "%s\n", in);
	for (size_t i = 0; i < COUNT(words); i++) {
		buf_adds(&want, words[i]);
		buf_addc(&want, '\0');
	}
	CHECK_SPAN(text_of(test_path("called")), buf_span(&want));
	unlink(test_path("called"));
	buf_free(&want);
}

static bool nothing_was_called(void)
{
	return !exists(test_path("called"));
}

/* What sessfs has printed is one line, which a shell runs that is elsewhere,
 * and stays there. */
static void evaluate(void)
{
	struct buf line = { 0 };
	struct span rest = buf_span(&mounts_output);
	buf_add(&line, span_next(&rest, '\n'));
	CHECK_INT(rest.n, 0);
	buf_adds(&line, " && pwd");
	test_need(chdir("/") == 0, "/");
	CHECK_INT(HEAR_APART("sh", "-c", buf_cstr(&line)), 0);
	CHECK_SPAN(buf_span(&mounts_output), SPAN("/\n"));
	buf_free(&line);
}

/* In the mount, but not inside. */
static void mount_outside(void)
{
	mount_session();
	test_need(chdir("/") == 0, "/");
}

/* Goes on in Claude Code from an entry of Pi's session, in a new copy where the
 * one in `copy` has been gone on with: that one stays as it is, and both are
 * named. */
static void check_next(const char *const argv[])
{
	struct buf kept = { 0 };
	const char *const want =
		filled("sessfs: %s: is an earlier copy, which has been gone on "
		       "with: goes on in a new one, ",
		       copy);
	test_read(copy, &kept);
	CHECK(program_says(0, "", NULL, argv));
	struct span said = buf_span(&mounts_errors);
	CHECK(span_starts(said, span_of(want)) && lines_in(said) == 1);
	CHECK_SPAN(text_of(copy), buf_span(&kept));
	if (said.n > strlen(want))
		snprintf(copy, sizeof(copy), "%.*s",
			 (int)(said.n - strlen(want) - 1),
			 said.p + strlen(want));
	operand = filled("%.36s", strrchr(copy, '/') + 1);
	check_called("claude", option, operand, work);
	buf_free(&kept);
}

/* Rules: X7 */
static void added(void)
{
	const char *const *const again = COMMAND(
		"resume", "-x", "--in", "claude", "aa000002", mounts_session);
	struct buf text = { 0 };
	stub_agents();
	write_pi(work);
	CHECK(program_says(0, "", "", again));
	find_made("claude", work);
	check_called("claude", option, operand, work);
	CHECK(program_says(0, "", "", again));
	check_called("claude", option, operand, work);
	test_put(copy, O_APPEND, SPAN("{\"type\":\"x\"}\n"));
	check_next(again);
	/* One that begins otherwise. */
	struct span rest = buf_span(test_read(copy, &text));
	span_next(&rest, '\n');
	test_put(copy, O_TRUNC, rest);
	check_next(again);
	/* Each is below the original in a list, and says what it is of. */
	CHECK_INT(find_all("claude", work), 3);
	CHECK_COMMAND(0, NULL, "", "list");
	CHECK_INT(lines_in(buf_span(&mounts_output)), 3);
	buf_free(&text);
	/* Another entry is another session. */
	CHECK_COMMAND(0, NULL, NULL, "resume", "-x", "--in", "claude",
		      "aa000003", mounts_session);
	CHECK_INT(find_all("claude", work), 4);
}

static void forks(void)
{
	stub_agents();
	write_claude();
	mount_outside();
	CHECK_COMMAND(0,
		      filled("(cd %s && pi --fork %s/by-id/%s/as/pi.jsonl)\n",
			     work, mounts_at, entry),
		      NULL, "resume", "--fork", "--in", "pi", entry, mounts_at);
	CHECK_COMMAND(0, NULL, NULL, "resume", "-x", "--fork", "--in", "omp",
		      entry, mounts_at);
	check_called("omp", "--fork",
		     filled("%s/by-id/%s/as/omp.jsonl", mounts_at, entry),
		     work);
	CHECK_INT(find_all("pi", work), 0);
	CHECK_INT(find_all("omp", work), 0);
	CHECK_COMMAND(0, NULL, NULL, "resume", "-x", "--fork", "--in", "codex",
		      entry, mounts_at);
	find_made("codex", work);
	check_called("codex", option, operand, work);
	CHECK_COMMAND(0, "", "", "resume", "-x", "--fork", "--in", "codex",
		      entry, mounts_at);
	check_called("codex", option, operand, work);
}

static void own_agent(void)
{
	stub_agents();
	write_pi(work);
	mount_outside();
	CHECK_COMMAND(0, NULL, NULL, "resume", "-x", "--in", "pi", "aa000002",
		      mounts_at);
	find_made("pi", work);
	struct buf branch = { 0 };
	buf_add(&branch, text_of(join(mounts_at, "by-id/aa000002/"
						 "branch.jsonl")));
	CHECK_SPAN(text_of(copy), buf_span(&branch));
	buf_free(&branch);
}

static void not_mounted(void)
{
	stub_agents();
	write_codex();
	keep_session();
	struct stat before = stat_of(mounts_session);
	CHECK_COMMAND(0, NULL, NULL, "resume", "-x", "--in", "pi",
		      mounts_session);
	find_made("pi", work);
	check_called("pi", option, operand, work);
	CHECK_HAS(copy, "three");
	CHECK_INT(ERRNO(unlink(copy)), 0);
	CHECK_COMMAND(0, NULL, NULL, "resume", "--in", "pi", mounts_session);
	evaluate();
	check_called("pi", option, operand, work);
	CHECK_HAS(copy, "three");
	struct stat after = stat_of(mounts_session);
	CHECK_KEPT();
	CHECK_INT(after.st_ino, before.st_ino);
	CHECK(memcmp(&after.st_mtim, &before.st_mtim, sizeof(after.st_mtim)) ==
	      0);
	CHECK(memcmp(&after.st_ctim, &before.st_ctim, sizeof(after.st_ctim)) ==
	      0);
}

static void other_formats(void)
{
	static const char *const names[] = { "draft000-uuid.jsonl",
					     "draft003-index.jsonl",
					     "go-tree.jsonl" };
	stub_agents();
	for (size_t i = 0; i < COUNT(names); i++) {
		test_row = names[i];
		test_copy(fixture(names[i]), mounts_session);
		if (strcmp(names[i], "go-tree.jsonl") == 0)
			test_copy(fixture("go-tree.head.json"),
				  test_path("session.head.json"));
		test_need(chdir(work) == 0, work);
		CHECK_COMMAND(0, NULL, NULL, "resume", "-x", "--in", "claude",
			      mounts_session);
		find_made("claude", work);
		check_called("claude", option, operand, work);
		CHECK_INT(ERRNO(unlink(copy)), 0);
	}
	test_row = NULL;
	/* Codex does not open it. */
	write_in(CODEX_META CODEX_SAID("m1", "user", "input_text",
				       "one") "\xff\n",
		 work);
	CHECK_COMMAND(0, "", "", "resume", "-x", "--in", "pi", mounts_session);
	find_made("pi", work);
	check_called("pi", option, operand, work);
}

static void no_directory(void)
{
	static const char *const directories[] = { "/no/such/place", "relative",
						   "" };
	char here[PATH_MAX];
	stub_agents();
	snprintf(here, sizeof(here), "%s", test_path("here"));
	CHECK_INT(ERRNO(mkdir(here, 0755)), 0);
	for (size_t i = 0; i < COUNT(directories); i++) {
		test_row = directories[i];
		write_pi(directories[i]);
		test_need(chdir(here) == 0, here);
		CHECK_COMMAND(0, "",
			      filled("sessfs: %s: its directory is not there: "
				     "claude goes on in %s\n",
				     mounts_session, here),
			      "resume", "-x", "--in", "claude", "aa000002",
			      mounts_session);
		test_need(chdir("/") == 0, "/");
		find_made("claude", here);
		check_called("claude", option, operand, here);
		CHECK_INT(ERRNO(unlink(copy)), 0);
	}
	test_row = NULL;
}

static void no_agent(void)
{
	stub_agents();
	write_pi(work);
	CHECK_INT(ERRNO(mkdir(test_path("empty"), 0755)), 0);
	CHECK_FAILS(2,
		    "sessfs: none: no such agent; there are pi, omp, claude, "
		    "codex and qwen",
		    "resume", "--in", "none", "HEAD", mounts_session);
	CHECK_FAILS(2, "sessfs: resume: ", "resume", "HEAD", mounts_session,
		    "--in");
	CHECK(fails_in_a_line(127, "sessfs: codex: command not found",
			      PIECES("env",
				     filled("PATH=%s/empty", test_folder),
				     sessfs_program(), "resume", "-x", "--in",
				     "codex", "HEAD", mounts_session)));
	CHECK_FAILS(1, "before the first entry there is nothing to fork",
		    "resume", "--in", "codex", "tree", mounts_session);
	CHECK_INT(find_all("codex", work), 0);
	CHECK(nothing_was_called());
}

static void read_only(void)
{
	static const char *const agents[] = { "codex", "pi" };
	stub_agents();
	write_claude();
	CHECK_INT(ERRNO(chmod(mounts_session, 0444)), 0);
	mount_outside();
	for (size_t i = 0; i < COUNT(agents); i++) {
		test_row = agents[i];
		CHECK_COMMAND(0, NULL, NULL, "resume", "-x", "--in", agents[i],
			      entry, mounts_at);
		find_made(agents[i], work);
		CHECK_INT(stat_of(copy).st_mode, S_IFREG | 0644);
		CHECK_INT(ERRNO(unlink(copy)), 0);
		CHECK_COMMAND(0, NULL, NULL, "resume", "--in", agents[i], entry,
			      mounts_at);
		evaluate();
		CHECK_INT(stat_of(copy).st_mode, S_IFREG | 0644);
	}
	test_row = NULL;
}

/* A program, as the user nobody. */
#define AS_NOBODY(...)                                                        \
	PIECES("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", \
	       __VA_ARGS__)

/* The copy, made for Codex, is the user's alone. */
static void check_private(void)
{
	struct stat st = stat_of(copy);
	check_called("codex", option, operand, work);
	CHECK_INT(st.st_mode, S_IFREG | 0600);
	CHECK_INT(st.st_uid, NOBODY);
	CHECK_INT(ERRNO(unlink(copy)), 0);
}

static void ordinary_user(void)
{
	const char *sessfs = sessfs_program(), *home;
	char folder[PATH_MAX];
	struct buf line = { 0 };
	stub_agents();
	home = getenv("HOME");
	write_claude();
	CHECK_INT(RUN("chown", "-R", "65534:65534", test_folder), 0);
	CHECK_INT(ERRNO(chmod(mounts_session, 0600)), 0);
	CHECK_INT(run_program(AS_NOBODY(sessfs, mounts_session, mounts_at)), 0);
	CHECK(program_says(0, NULL, NULL,
			   AS_NOBODY(sessfs, "resume", "-x", "--in", "codex",
				     entry, mounts_at)));
	find_made("codex", work);
	check_private();
	CHECK(program_says(0, NULL, NULL,
			   AS_NOBODY(sessfs, "resume", "--in", "codex", entry,
				     mounts_at)));
	buf_add(&line, buf_span(&mounts_output));
	CHECK_INT(run_program(AS_NOBODY("sh", "-c", buf_cstr(&line))), 0);
	buf_free(&line);
	check_private();
	snprintf(folder, sizeof(folder), "%.*s",
		 (int)(strrchr(copy, '/') - copy), copy);
	CHECK_INT(ERRNO(chmod(folder, 0555)), 0);
	CHECK(fails_in_a_line(
		1, filled("sessfs: %s: you can't write to it", folder),
		AS_NOBODY(sessfs, "resume", "-x", "--in", "codex", entry,
			  mounts_at)));
	/* It is not there yet, but where it would be made. */
	CHECK_INT(ERRNO(chmod(home, 0555)), 0);
	CHECK(fails_in_a_line(
		1, filled("sessfs: %s: you can't write to it", home),
		AS_NOBODY(sessfs, "resume", "--in", "pi", entry, mounts_at)));
}

static const struct mounts_test tests[] = {
	TEST("a copy that was gone on with stays, and the next is new", added),
	TEST("--fork has the other agent copy it, or is refused where that "
	     "makes no copies",
	     forks),
	TEST("in the session's own agent it is as with --fork", own_agent),
	TEST("a session that is not mounted, by default at its HEAD",
	     not_mounted),
	TEST("a format that no agent has, and a session that its agent does "
	     "not open",
	     other_formats),
	TEST("without a directory that exists it goes on where the user is, "
	     "and says so",
	     no_directory),
	TEST("an agent that is not known or not there, and nothing to go on "
	     "from",
	     no_agent),
	TEST("a session that only can be read is one that the agent can write "
	     "to",
	     read_only),
	ROOT_TEST("an ordinary user, and folders that can't be written",
		  ordinary_user),
};
RUN_TESTS(tests)
