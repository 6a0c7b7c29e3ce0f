/*
 * sessfs resume, which prints or runs the command that continues in the agent.
 * The agents only say how they were started. What a shell makes of quoted paths
 * is in tests/resume.bats.
 */
#include "tests/mounts/mounts.h"

#define SESSION_ID "5e55f500-0000-4000-8000-000000000001"
#define UUID(n) "c1a0de00-0000-4000-8000-00000000000" n
#define AT(n) "by-id/" UUID(n)
#define ROLLOUT_ID(n) "019ca8f0-0000-7000-8000-00000000000" n

static char work[PATH_MAX];    /* in which the agents are to go on */
static char home[PATH_MAX];    /* the user's */
static char session[PATH_MAX]; /* that is mounted */
static char codex[PATH_MAX];   /* $CODEX_HOME */
static struct stat kept_stat;

#define RESUME(...) COMMAND("resume", __VA_ARGS__)

static void set_session(const char *path)
{
	snprintf(session, sizeof(session), "%s", path);
}

static void set_up(void)
{
	static const char *const agents[] = { "pi", "omp", "claude", "codex" };
	static char path[2 * PATH_MAX];
	make_home();
	snprintf(home, sizeof(home), "%s", test_path("home"));
	snprintf(work, sizeof(work), "%s", test_path("work"));
	set_session(mounts_session);
	snprintf(codex, sizeof(codex), "%s", test_path("codex"));
	make_folder(work);
	make_folder(test_path("bin"));
	for (size_t i = 0; i < COUNT(agents); i++) {
		const char *at = test_path(filled("bin/%s", agents[i]));
		put(at, filled("#!/bin/sh\n"
			       "{ pwd && printf '%%s\\0' \"${0##*/}\" \"$@\"; }"
			       " >'%s'\nexit \"${STATUS:-0}\"\n",
			       test_path("called")));
		test_need(chmod(at, 0755) == 0, at);
	}
	if (!path[0])
		snprintf(path, sizeof(path), "%s", getenv("PATH"));
	setenv("PATH", filled("%s:%s", test_path("bin"), path), 1);
	setenv("CODEX_HOME", codex, 1);
	test_need(chdir(test_folder) == 0, test_folder);
}

/* Mount the session, or another SOURCE, with options of -o or NULL; the tests
 * stay where they are. */
static void mount_it(const char *source, const char *options)
{
	test_need((options ? RUN(sessfs_program(), "-o", options, source,
				 mounts_at)
			   : RUN(sessfs_program(), source, mounts_at)) == 0,
		  source);
}

static void unmount_it(void)
{
	unmount();
	test_need(chdir(test_folder) == 0, test_folder);
}

static const char *in_mount(const char *path)
{
	return filled("%s/%s", mounts_at, path);
}

/* The command prints this line. */
static bool says(const char *line, const char *const argv[])
{
	return prints(filled("%s\n", line), argv);
}

/* Was the last agent started so, and there? */
static bool was_called_in(const char *folder, const char *const words[])
{
	const char *called = test_path("called");
	struct buf want = { 0 };
	buf_adds(&want, folder);
	buf_addc(&want, '\n');
	for (size_t i = 0; words[i]; i++)
		buf_add(&want, (struct span){ words[i], strlen(words[i]) + 1 });
	bool was = span_eq(text_of(called), buf_span(&want));
	if (!was) {
		test_print("called", text_of(called));
		test_print("not   ", buf_span(&want));
	}
	buf_free(&want);
	unlink(called);
	return was;
}

#define CHECK_CALLED(...) CHECK(was_called_in(work, PIECES(__VA_ARGS__)))

static bool was_none_called(void)
{
	return !exists(test_path("called"));
}

/* A command that becomes the agent prints nothing. */
static bool starts(const char *const argv[])
{
	return prints("", argv);
}

/* Evaluate what it prints, as a user who is elsewhere, and stays there. */
static bool resumes(const char *const argv[])
{
	if (hear_apart(argv) != 0 || mounts_output.len == 0)
		return false;
	struct span s = buf_span(&mounts_output);
	const char *line = filled("%.*s && pwd", (int)s.n - 1, s.p);
	return s.p[s.n - 1] == '\n' && !strchr(line, '\n') &&
	       prints("/\n", PIECES("env", "-C", "/", "sh", "-c", line));
}

/* The folder of an agent for what is done in `work`. */
static const char *folder_of(const char *agent)
{
	test_need(HEAR(sessfs_program(), "sources", "-m", "-a", agent, "-c",
		       work) == 0,
		  agent);
	struct span rest = buf_span(&mounts_output);
	span_next(&rest, '\t');
	struct span line = span_next(&rest, '\n'), at = span_next(&line, '\t');
	return filled("%.*s", (int)at.n, at.p);
}

/* Save the session's bytes and times for check_untouched(). */
static void remember(void)
{
	static const struct timespec at[2] = { { .tv_sec = 1772409600 },
					       { .tv_sec = 1772409600 } };
	test_need(utimensat(AT_FDCWD, session, at, 0) == 0, session);
	test_read(session, &mounts_kept);
	kept_stat = stat_of(session);
}

static void check_untouched(void)
{
	struct stat st = stat_of(session);
	CHECK_SPAN(text_of(session), buf_span(&mounts_kept));
	CHECK_INT(st.st_ino, kept_stat.st_ino);
	CHECK_INT(st.st_mtim.tv_sec, kept_stat.st_mtim.tv_sec);
	CHECK_INT(st.st_mtim.tv_nsec, kept_stat.st_mtim.tv_nsec);
	CHECK_INT(st.st_ctim.tv_sec, kept_stat.st_ctim.tv_sec);
	CHECK_INT(st.st_ctim.tv_nsec, kept_stat.st_ctim.tv_nsec);
}

/* The first line of a text that has this member, or with a value this one; its
 * values. The caller frees it. */
static cJSON *line_with(struct span rest, const char *name, const char *value)
{
	while (rest.n > 0) {
		struct span line = span_next(&rest, '\n');
		cJSON *e = cJSON_ParseWithLength(line.p, line.n);
		const cJSON *member = cJSON_GetObjectItem(e, name);
		if (member && (!value || strcmp(value, cJSON_GetStringValue(
							       member)) == 0))
			return e;
		cJSON_Delete(e);
	}
	test_need(false, name);
	return NULL;
}

static const char *string_of(const cJSON *object, const char *name)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
	return filled("%s", s ? s : "-");
}

/* Sessions. */

/* The header of a session of Pi that is in this directory. */
static const char *header_in(const char *cwd)
{
	return filled("{'type':'session','version':3,"
		      "'id':'0198f000-0000-7000-8000-00000000000a',"
		      "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'%s'}\n",
		      cwd);
}

/* Two branches, 1-2-3 and 1-2-4, the second newer. */
#define TWO_BRANCHES                            \
	USER("aa000001", "null", "one")         \
	USER("aa000002", "'aa000001'", "two")   \
	USER("aa000003", "'aa000002'", "three") \
	USER("aa000004", "'aa000002'", "four")

static void write_pi_in(const char *path, const char *cwd)
{
	put_lines(path, filled("%s%s", header_in(cwd), TWO_BRANCHES));
}

static void write_pi(void)
{
	write_pi_in(session, work);
}

static void write_omp(void)
{
	const char *title =
		"{'type':'title','v':1,'title':'The title','source':'user',"
		"'updatedAt':'2026-03-01T10:00:30.000Z','pad':'";
	put_lines(session,
		  filled("%s%*s'}\n"
			 "{'type':'session','version':3,"
			 "'id':'0198f000-0000-7000-8000-000000000001',"
			 "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'%s',"
			 "'title':'old'}\n" USER("aa000001", "null", "one")
				 USER("aa000002", "'aa000001'", "two"),
			 title, (int)(253 - strlen(title)), "", work));
}

/* A line of Claude Code of this version: its number, its parent's as JSON, its
 * members. */
static const char *claude_line(int n, const char *parent, const char *version,
			       const char *members)
{
	return filled(
		"{'parentUuid':%s,'isSidechain':false,"
		"'userType':'external','cwd':'%s','sessionId':"
		"'" SESSION_ID "','version':'%s','gitBranch':'main',%s,"
		"'uuid':'" UUID(
			"%d") "',"
			      "'timestamp':'2026-03-01T10:00:0%d.000Z'}\n",
		parent, work, version, members, n, n);
}

#define CLAUDE_USER(text) \
	"'type':'user','message':{'role':'user','content':'" text "'}"
#define CLAUDE_ANSWER(n, text)                                             \
	"'type':'assistant','message':{'id':'msg_" n "','type':'message'," \
	"'role':'assistant','model':'m-x','content':[{'type':'text',"      \
	"'text':'" text "'}],'stop_reason':null,"                          \
	"'usage':{'input_tokens':1,'output_tokens':1}}"

static void set_claude_path(void)
{
	set_session(filled("%s/" SESSION_ID ".jsonl", folder_of("claude")));
}

/* A question, and two answers to it: 1-2-3 and 1-4-5; the second is newer. */
static const char *claude_lines(const char *version)
{
	return filled("%s%s%s%s%s",
		      claude_line(1, "null", version, CLAUDE_USER("question")),
		      claude_line(2, "'" UUID("1") "'", version,
				  CLAUDE_ANSWER("2", "first")),
		      claude_line(3, "'" UUID("2") "'", version,
				  CLAUDE_USER("thanks")),
		      claude_line(4, "'" UUID("1") "'", version,
				  CLAUDE_ANSWER("4", "second")),
		      claude_line(5, "'" UUID("4") "'", version,
				  CLAUDE_USER("thanks again")));
}

/* Where Claude Code has it. */
static void write_claude_of(const char *version)
{
	set_claude_path();
	put_lines(session, claude_lines(version));
}

static void write_claude(void)
{
	write_claude_of("2.1.330");
}

/* An old turn, the boundary 3 of a compaction, its summary 4, a new turn. */
static void write_compacted(void)
{
	static const char v[] = "2.1.330";
	put_lines(session,
		  filled("%s%s%s%s%s%s",
			 claude_line(1, "null", v, CLAUDE_USER("old question")),
			 claude_line(2, "'" UUID("1") "'", v,
				     CLAUDE_ANSWER("2", "old answer")),
			 claude_line(3, "null", v,
				     "'type':'system',"
				     "'subtype':'compact_boundary','content':"
				     "'Conversation compacted',"
				     "'compactMetadata':{'trigger':'manual',"
				     "'preTokens':1000},"
				     "'logicalParentUuid':'" UUID("2") "'"),
			 claude_line(4, "'" UUID("3") "'", v,
				     "'type':'user','isCompactSummary':true,"
				     "'isVisibleInTranscriptOnly':true,"
				     "'message':{'role':'user',"
				     "'content':'SUM'}"),
			 claude_line(5, "'" UUID("4") "'", v,
				     CLAUDE_USER("new question")),
			 claude_line(6, "'" UUID("5") "'", v,
				     CLAUDE_ANSWER("6", "new answer"))));
}

#define SAID(id, role, kind, text, ordinal)                               \
	"{'timestamp':'2026-03-01T10:00:01.000Z'," ordinal                \
	"'type':'response_item','payload':{'type':'message','id':'" id    \
	"','role':'" role "','content':[{'type':'" kind "','text':'" text \
	"'}]}}\n"
#define META(ordinal, id, cwd, more)                           \
	"{'timestamp':'2026-03-01T10:00:00.000Z'," ordinal     \
	"'type':'session_meta','payload':{'id':'" id           \
	"','timestamp':'2026-03-01T10:00:00.000Z','cwd':'" cwd \
	"','originator':'x','cli_version':'0.171.0'" more "}}\n"

/* A thread of two turns, as Codex has it. */
static void write_codex(void)
{
	set_session(
		filled("%s/sessions/2026/03/01/"
		       "rollout-2026-03-01T10-00-00-" ROLLOUT_ID("1") ".jsonl",
		       codex));
	put_lines(session,
		  filled(META("'ordinal':0,", ROLLOUT_ID("1"), "%s",
			      ",'history_mode':'paginated'")
				 SAID("msg_1", "user", "input_text", "one",
				      "'ordinal':1,") SAID("msg_2", "assistant",
							   "output_text", "two",
							   "'ordinal':2,")
					 SAID("msg_3", "user", "input_text",
					      "three", "'ordinal':3,"),
			 work));
}

/* The id of the thread in a branch.jsonl. */
static const char *thread_in(struct span text)
{
	cJSON *line = line_with(text, "payload", NULL);
	const char *id = string_of(cJSON_GetObjectItem(line, "payload"), "id");
	cJSON_Delete(line);
	return id;
}

static const char *thread_of(const char *entry)
{
	return thread_in(
		text_of(in_mount(filled("by-id/%s/branch.jsonl", entry))));
}

/* Where the copy of a branch belongs. */
static const char *copy_of(const char *thread)
{
	return filled("%s/sessions/2026/03/01/"
		      "rollout-2026-03-01T10-00-01-%s.jsonl",
		      codex, thread);
}

/* Usage and names. */

static void wrongly_used(void)
{
	static const char usage[] =
		"usage: sessfs resume [OPTIONS] [ENTRY] [PATH]";
	static const char *const wrong[][5] = {
		{ "-z" },
		{ "-x", "-z" },
		{ "a", "b", "c" },
		{ "-x", "a", "b", "c" },
	};
	CHECK_INT(HEAR_APART(sessfs_program(), "resume", "-h"), 0);
	CHECK(span_starts(buf_span(&mounts_output), span_of(usage)));
	for (size_t i = 0; i < COUNT(wrong); i++) {
		test_row = wrong[i][1] ? wrong[i][1] : wrong[i][0];
		CHECK(fails_in_a_line(2, "sessfs: resume: ",
				      RESUME(wrong[i][0], wrong[i][1],
					     wrong[i][2], wrong[i][3])));
	}
	test_row = NULL;
	CHECK(fails_in_a_line(
		1,
		"not in a mounted session, and none that sessfs open has "
		"printed for it is there",
		COMMAND("resume")));
	CHECK(fails_in_a_line(1, "No such file or directory",
			      RESUME("HEAD", test_path("nothing"))));
	CHECK(fails_in_a_line(1,
			      filled("99999: no such entry in %s", mounts_at),
			      RESUME("99999", mounts_at)));
	CHECK(fails_in_a_line(1, "aa00: several entries start with this",
			      RESUME("-x", "aa00", mounts_at)));
	CHECK(fails_in_a_line(2, "can't be empty", RESUME("", mounts_at)));
	CHECK(was_none_called());
}

static void names_entry(void)
{
	const char *const pi =
		filled("(cd %s && pi --session %s)", work, session);
	const char *const three[] = {
		"aa000003", "three", "branches/aa000003",
		"by-id/aa000003/content",
		in_mount("tree/aa000001/aa000002/aa000003")
	};
	const struct {
		const char *entry, *path, *target;
	} moves[] = {
		{ "HEAD/parent", "mnt", "by-id/aa000002" },
		{ "tree", mounts_at, "tree" },
	};
	CHECK(says(pi, RESUME("HEAD", mounts_at)));
	CHECK(says(pi, RESUME("aa000004", in_mount("by-id/aa000001/content"))));
	CHECK(says(pi, RESUME(mounts_at)));
	CHECK(says(pi, RESUME("mnt/HEAD")));
	for (size_t i = 0; i < COUNT(three); i++)
		CHECK(says(filled("ln -sfn by-id/aa000003 %s/HEAD && %s",
				  mounts_at, pi),
			   RESUME(three[i], mounts_at)));
	for (size_t i = 0; i < COUNT(moves); i++)
		CHECK(says(filled("ln -sfn %s %s/HEAD && %s", moves[i].target,
				  mounts_at, pi),
			   RESUME(moves[i].entry, moves[i].path)));
	struct span first = names_in("mnt/path");
	first = span_next(&first, ' ');
	CHECK(span_starts(first, SPAN("0001")));
	CHECK(says(
		filled("ln -sfn by-id/aa000001 %s/HEAD && %s", mounts_at, pi),
		RESUME(filled("mnt/path/%.*s", (int)first.n, first.p))));
	test_need(chdir("mnt/by-id/aa000003") == 0, "aa000003");
	CHECK(says(pi, COMMAND("resume")));
	CHECK(says(
		filled("ln -sfn by-id/aa000003 %s/HEAD && %s", mounts_at, pi),
		RESUME(".")));
	test_need(chdir(test_folder) == 0, test_folder);
}

static void usage_and_names(void)
{
	set_up();
	write_pi();
	mount_it(session, NULL);
	test_need(chdir(home) == 0, home);
	wrongly_used();
	CHECK_INT(put(in_mount("by-id/aa000003/label"), "three\n"), 0);
	keep_session();
	test_need(chdir(test_folder) == 0, test_folder);
	names_entry();
	/* Nothing is changed by printing. */
	CHECK_KEPT();
	CHECK_LINK(in_mount("HEAD"), "by-id/aa000004");
}

static void printed_last(void)
{
	char at[PATH_MAX];
	set_up();
	set_session(filled(
		"%s/.pi/agent/sessions/x/2026-03-01T10-00-00-000Z_a.jsonl",
		home));
	write_pi();
	test_need(chdir(work) == 0, work);
	CHECK_INT(HEAR_APART(sessfs_program(), "open", session), 0);
	snprintf(at, sizeof(at), "%.*s", (int)mounts_output.len - 1,
		 mounts_output.data);
	CHECK(says(filled("(cd %s && pi --session %s)", work, session),
		   COMMAND("resume")));
	CHECK(says(filled("ln -sfn by-id/aa000002 %s/HEAD && "
			  "(cd %s && pi --session %s)",
			  at, work, session),
		   RESUME("aa000002")));
	CHECK(resumes(RESUME("aa000002")));
	CHECK_CALLED("pi", "--session", session);
	CHECK_LINK(join(at, "HEAD"), "by-id/aa000002");
}

static void like_a_folder(void)
{
	static const struct {
		const char *entry, *target;
	} moves[] = {
		{ "by-id/tree", "by-id/tree" },
		{ "tree", "tree" },
		{ "by-id/by-id", "by-id/by-id" },
	};
	set_up();
	put_lines(session, filled("%s%s", header_in("/work/demo"),
				  USER("tree", "null",
				       "one") USER("by-id", "'tree'", "two")
					  USER("a/tree", "'tree'", "three")));
	const char *at = test_path("by-id/by-id");
	make_folder(at);
	mounts_at = at;
	mount_it(session, NULL);
	for (size_t i = 0; i < COUNT(moves); i++)
		CHECK(says(filled("ln -sfn %s %s/HEAD && pi --session %s",
				  moves[i].target, at, session),
			   RESUME(moves[i].entry, at)));
	CHECK(says(filled("pi --session %s", session),
		   RESUME("by-id/a%2Ftree", at)));
}

/* Moves, and starts. */

static void moves_and_starts(void)
{
	const char *const head = filled("%s/HEAD", mounts_at);
	CHECK(resumes(RESUME("aa000003", mounts_at)));
	CHECK_CALLED("pi", "--session", session);
	CHECK_LINK(head, "by-id/aa000003");
	keep_session();
	CHECK(resumes(RESUME("aa000003", mounts_at)));
	CHECK_CALLED("pi", "--session", session);
	CHECK_KEPT();
	CHECK(resumes(RESUME("tree", mounts_at)));
	CHECK_CALLED("pi", "--session", session);
	CHECK_LINK(head, "tree");
	CHECK(says(filled("(cd %s && pi --session %s)", work, session),
		   RESUME("HEAD", mounts_at)));
	/* From before the first entry. */
	CHECK(starts(RESUME("-x", "aa000002", mounts_at)));
	CHECK_CALLED("pi", "--session", session);
	CHECK_LINK(head, "by-id/aa000002");
	/* -x in $PATH, with its status. */
	setenv("STATUS", "7", 1);
	CHECK_INT(HEAR(sessfs_program(), "resume", "-x", "aa000004", mounts_at),
		  7);
	CHECK_INT(mounts_output.len, 0);
	unsetenv("STATUS");
	CHECK_CALLED("pi", "--session", session);
	CHECK_LINK(head, "by-id/aa000004");
	keep_session();
	CHECK(starts(RESUME("-x", "HEAD", mounts_at)));
	CHECK_CALLED("pi", "--session", session);
	CHECK(starts(RESUME("-x", head)));
	CHECK_CALLED("pi", "--session", session);
	CHECK_KEPT();
}

static void head_is_moved(void)
{
	set_up();
	write_pi();
	mount_it(session, NULL);
	moves_and_starts();
	CHECK(exists(in_mount("by-id")));
	/* -x says that the agent is not there before anything is moved. */
	const char *path = filled("%s", getenv("PATH"));
	make_folder(test_path("empty"));
	setenv("PATH", test_path("empty"), 1);
	CHECK(fails_in_a_line(127, "sessfs: pi: command not found",
			      RESUME("-x", "aa000001", mounts_at)));
	setenv("PATH", path, 1);
	CHECK_LINK(in_mount("HEAD"), "by-id/aa000004");
}

static void users_umask(void)
{
	set_up();
	write_pi();
	put(test_path("bin/pi"),
	    filled("#!/bin/sh\numask >'%s'\n", test_path("umask")));
	const char *folder = folder_of("pi");
	umask(077);
	CHECK(starts(RESUME("-x", "--fork", "HEAD", session)));
	umask(022);
	CHECK_FILE(test_path("umask"), "0077\n");
	CHECK_INT(stat_of(folder).st_mode, S_IFDIR | 0700);
}

static void without_directory(void)
{
	set_up();
	const char *const cwds[] = { "/no/such/place", "relative", "",
				     filled("%s", test_path("all/0.jsonl")) };
	static const char *const names[] = { "0", "1", "2", "3", "none" };
	for (size_t i = 0; i < COUNT(cwds); i++)
		write_pi_in(test_path(filled("all/%zu.jsonl", i)), cwds[i]);
	put_lines(test_path("all/none.jsonl"),
		  "{'type':'session','version':3,"
		  "'id':'0198f000-0000-7000-8000-00000000000a',"
		  "'timestamp':'2026-03-01T10:00:00.000Z'}\n" USER(
			  "aa000001", "null", "one"));
	mount_it(test_path("all"), NULL);
	test_need(chdir(home) == 0, home);
	for (size_t i = 0; i < COUNT(names); i++) {
		const char *file = test_path(filled("all/%s.jsonl", names[i]));
		const char *at = in_mount(names[i]);
		CHECK(says(filled("pi --session %s", file),
			   RESUME("HEAD", at)));
		CHECK(starts(RESUME("-x", "HEAD", at)));
		CHECK(was_called_in(home, PIECES("pi", "--session", file)));
	}
}

/* Sessions that are not mounted, and copies. */

static void not_mounted(void)
{
	set_up();
	write_pi();
	remember();
	const char *pi = filled("(cd %s && pi --session %s)", work, session);
	CHECK(says(pi, RESUME("HEAD", session)));
	CHECK(says(pi, RESUME(session)));
	CHECK(starts(RESUME("-x", "--fork", "aa000003", session)));
	const char *folder = folder_of("pi");
	struct span names = names_in(folder);
	const char *copy =
		filled("%.*s", names.n > 0 ? (int)names.n - 1 : 0, names.p);
	CHECK(strlen(copy) > 6 && !strchr(copy, ' ') &&
	      strcmp(copy + strlen(copy) - 6, ".jsonl") == 0);
	CHECK_CALLED("pi", "--session", filled("%s/%s", folder, copy));
	check_untouched();
}

static void move_session(const char *to)
{
	test_need(rename(session, to) == 0, to);
	set_session(to);
}

static const char *copying(const char *options, const char *entry);

static size_t mounts_there(void)
{
	CHECK_INT(hear_apart(COMMAND("open", "--mounts")), 0);
	return lines_in(buf_span(&mounts_output));
}

/* What is printed needs no mount: the session's own command makes it. */
static void printed_without_mount(void)
{
	set_up();
	write_pi();
	keep_session();
	CHECK(says(copying("", "aa000003"), RESUME("aa000003", session)));
	CHECK(says(copying("", "aa000003"),
		   RESUME("aa000003", "session.jsonl")));
	CHECK(says(copying("", "tree"), RESUME("tree", session)));
	CHECK_INT(mounts_there(), 0);
	CHECK_KEPT();
	CHECK(resumes(RESUME("aa000003", "session.jsonl", "--", "-p")));
	CHECK_CALLED("pi", "--session", session, "-p");
	CHECK_INT(mounts_there(), 0);
	mount_it(session, NULL);
	CHECK_LINK(in_mount("HEAD"), "by-id/aa000003");
	unmount_it();
	/* The branch of an entry that Claude Code does not go on from. */
	write_claude();
	move_session(test_path(SESSION_ID ".jsonl"));
	CHECK(says(copying("", UUID("3")), RESUME(UUID("3"), session)));
	CHECK_INT(mounts_there(), 0);
	CHECK(resumes(RESUME(UUID("3"), session)));
	CHECK(has(test_path("called"), "--fork-session"));
	CHECK_INT(RUN(sessfs_program(), "open", "--close"), 0);
	/* A pipe's bytes are gone then. */
	CHECK(fails_in_a_line(
		1, "/dev/stdin: is a pipe, so no agent can go on from it",
		PIECES("sh", "-c", "cat \"$1\" | \"$0\" resume HEAD /dev/stdin",
		       sessfs_program(), session)));
}

struct fork {
	const char *agent, *entry, *copy; /* where `sessfs sources` has it */
	const char *option, *name;	  /* with which the agent is started */
	const char *folder; /* that sessfs sources prints for it */
};

static void check_copy(const struct fork *f, const char *branch)
{
	CHECK_CALLED(f->agent, f->option, f->name);
	CHECK(is_copy(f->copy, branch));
}

/* The line that copies, and starts the agent. */
static const char *copying(const char *options, const char *entry)
{
	return filled("%s resume -x %s%s %s", sessfs_program(), options, entry,
		      session);
}

/* Somebody has gone on in a copy, so the next one is new, and both are named.
 * Returns the new one. */
static const char *goes_on_in_another(const char *grown, const char *agent,
				      const char *const argv[])
{
	const char *const want = filled(
		"sessfs: %s: is an earlier copy, which has been gone on with: "
		"goes on in a new one, ",
		grown);
	CHECK_INT(hear_apart(argv), 0);
	struct span said = buf_span(&mounts_errors);
	const char *other = "none";
	if (CHECK(span_starts(said, span_of(want)) && lines_in(said) == 1))
		other = filled("%.*s", (int)(said.n - strlen(want) - 1),
			       said.p + strlen(want));
	CHECK(strcmp(other, grown) != 0 && exists(other));
	CHECK(span_starts(text_of(test_path("called")),
			  span_of(filled("%s\n%s", work, agent))));
	unlink(test_path("called"));
	return other;
}

/* --fork continues the entry in a copy, which nobody has gone on with. */
static void check_forks(const struct fork *f)
{
	const char *const branch =
		in_mount(filled("by-id/%s/branch.jsonl", f->entry));
	const char *const of_copy =
		filled("%.*s", (int)(strrchr(f->copy, '/') - f->copy), f->copy);
	const char *const *const again =
		COMMAND("resume", "-x", "--fork", f->entry, mounts_at);
	CHECK(says(copying("--fork ", f->entry),
		   RESUME("--fork", f->entry, mounts_at)));
	CHECK(!exists(f->copy));
	CHECK(resumes(RESUME("--fork", f->entry, mounts_at)));
	check_copy(f, branch);
	CHECK_INT(ERRNO(unlink(f->copy)), 0);
	CHECK(starts(again));
	check_copy(f, branch);
	CHECK(stat_of(f->copy).st_mode & S_IWUSR);
	CHECK(starts(again));
	check_copy(f, branch);
	CHECK_INT(write_with(O_APPEND, f->copy, SPAN("more\n")), 0);
	const char *const second = goes_on_in_another(f->copy, f->agent, again);
	CHECK_HAS(f->copy, "\nmore\n");
	CHECK(strcmp(goes_on_in_another(f->copy, f->agent, again), second) ==
	      0);
	CHECK_INT(write_with(O_APPEND, second, SPAN("more\n")), 0);
	const char *const third = goes_on_in_another(second, f->agent, again);
	CHECK(strcmp(third, f->copy) != 0);
	CHECK_INT(lines_in(text_of(third)), lines_in(text_of(branch)));
	CHECK_INT(ERRNO(unlink(third)), 0);
	CHECK_INT(ERRNO(unlink(second)), 0);
	CHECK_INT(HEAR(sessfs_program(), "sources", "-a", f->agent, "-c", work),
		  0);
	const char *at = filled("\t%s", f->folder ? f->folder : of_copy);
	CHECK(memmem(mounts_output.data, mounts_output.len, at, strlen(at)));
	CHECK(fails_in_a_line(1,
			      "before the first entry there is nothing to fork",
			      RESUME("--fork", "tree", mounts_at)));
	check_untouched();
}

/* The name of a copy for Pi: the time and the id of the branch's header. */
static const char *name_of_copy(const char *entry)
{
	const char *branch = in_mount(filled("by-id/%s/branch.jsonl", entry));
	cJSON *header = line_with(text_of(branch), "type", "session");
	char *name = strdup(filled("%s_%s", string_of(header, "timestamp"),
				   string_of(header, "id")));
	test_need(name != NULL, "memory");
	for (char *p = name; (p = strpbrk(p, ":.")); p++)
		*p = '-';
	const char *copy = filled("%s.jsonl", name);
	cJSON_Delete(header);
	free(name);
	return copy;
}

static void check_fork_as_pi(const char *agent, const char *option,
			     const char *entry)
{
	char copy[PATH_MAX];
	remember();
	mount_it(session, NULL);
	snprintf(copy, sizeof(copy), "%s/%s", folder_of(agent),
		 name_of_copy(entry));
	check_forks(&(struct fork){ agent, entry, copy, option, copy, NULL });
}

static void forks_of_pi(void)
{
	set_up();
	write_pi();
	check_fork_as_pi("pi", "--session", "aa000003");
	unmount_it();
	write_omp();
	check_fork_as_pi("omp", "--resume", "aa000001");
}

static void forks_of_claude_and_codex(void)
{
	char copy[PATH_MAX], id[64];
	set_up();
	write_claude();
	remember();
	mount_it(session, NULL);
	cJSON *line = line_with(text_of(in_mount(AT("3") "/branch.jsonl")),
				"sessionId", NULL);
	snprintf(id, sizeof(id), "%s", string_of(line, "sessionId"));
	cJSON_Delete(line);
	snprintf(copy, sizeof(copy), "%s/%s.jsonl", folder_of("claude"), id);
	check_forks(&(struct fork){ "claude", UUID("3"), copy, "--resume", id,
				    NULL });
	unmount_it();
	write_codex();
	remember();
	mount_it(session, NULL);
	snprintf(id, sizeof(id), "%s", thread_of("msg_3"));
	snprintf(copy, sizeof(copy), "%s", copy_of(id));
	check_forks(&(struct fork){ "codex", "msg_3", copy, "resume", id,
				    filled("%s/sessions", codex) });
}

/* The formats. */

static void options_of_omp(void)
{
	set_up();
	write_omp();
	mount_it(session, NULL);
	CHECK(says(filled("(cd %s && omp --resume %s)", work, session),
		   RESUME("HEAD", mounts_at)));
	CHECK(starts(RESUME("-x", "aa000001", mounts_at)));
	CHECK_CALLED("omp", "--resume", session);
	CHECK_LINK(in_mount("HEAD"), "by-id/aa000001");
	unmount_it();
	mount_it(session, "ro");
	CHECK(says(
		filled("(cd %s && omp --fork %s/by-id/aa000002/branch.jsonl)",
		       work, mounts_at),
		RESUME("aa000002", mounts_at)));
}

static void no_agent(void)
{
	static const char *const formats[][2] = {
		{ "draft000-uuid", "draft-uuid" },
		{ "draft003-index", "draft-index" },
		{ "go-tree", "go-tree" },
	};
	set_up();
	make_folder(test_path("all"));
	for (size_t i = 0; i < COUNT(formats); i++) {
		const char *name = filled("%s.jsonl", formats[i][0]);
		test_copy(fixture(name), test_path(filled("all/%s", name)));
	}
	test_copy(fixture("go-tree.head.json"),
		  test_path("all/go-tree.head.json"));
	put_lines(test_path("all/codex.jsonl"),
		  META("", ROLLOUT_ID("1"), "/work/demo", "")
			  SAID("m1", "user", "input_text", "one", "") "\xff\n");
	mount_it(test_path("all"), NULL);
	for (size_t i = 0; i < COUNT(formats); i++) {
		const char *at = in_mount(formats[i][0]);
		test_row = formats[i][0];
		CHECK(refuses(1,
			      filled("sessfs: %s/all/%s.jsonl: no agent is "
				     "known that continues a session of "
				     "format %s",
				     test_folder, formats[i][0], formats[i][1]),
			      RESUME("HEAD", at)));
		CHECK(fails_in_a_line(1, filled("of format %s", formats[i][1]),
				      RESUME("-x", "HEAD", at)));
	}
	test_row = NULL;
	CHECK(refuses(1,
		      filled("sessfs: %s/all/codex.jsonl: codex does not open "
			     "it: bytes that are not UTF-8 (line 3)",
			     test_folder),
		      RESUME("m1", in_mount("codex"))));
	unmount_it();
	put_lines(session, "{'a':1}\n{'a':2}\n");
	mount_it(session, "dialect=lines");
	CHECK(fails_in_a_line(1, "of format lines", RESUME("HEAD", mounts_at)));
	unmount_it();
	put_lines(session, USER("aa000001", "null", "one"));
	mount_it(session, "dialect=pi");
	CHECK(refuses(1,
		      filled("sessfs: %s: pi does not open it: no header; try "
			     "sessfs rescue",
			     session),
		      RESUME("HEAD", mounts_at)));
}

/* Claude Code. */

static const char *claude_resume(void)
{
	return filled("(cd %s && claude --resume " SESSION_ID ")", work);
}

/* Its fork of a branch of the mount's entry N. */
static const char *claude_fork(const char *at, const char *entry)
{
	return filled("(cd %s && claude --resume %s/%s/branch.jsonl "
		      "--fork-session)",
		      work, at, entry);
}

static void by_id(void)
{
	set_up();
	write_claude();
	mount_it(session, NULL);
	const char *const claude = claude_resume();
	const char *const head = in_mount("HEAD");
	CHECK_LINK(head, AT("5"));
	CHECK(says(claude, RESUME("HEAD", mounts_at)));
	CHECK(says(filled("ln -sfn " AT("3") " %s && %s", head, claude),
		   RESUME(UUID("3"), mounts_at)));
	CHECK(resumes(RESUME(UUID("3"), mounts_at)));
	CHECK_CALLED("claude", "--resume", SESSION_ID);
	CHECK_LINK(head, AT("3"));
	CHECK(says(claude, RESUME("HEAD", mounts_at)));
	CHECK(starts(RESUME("-x", "tree", mounts_at)));
	CHECK_CALLED("claude", "--resume", SESSION_ID);
	CHECK_LINK(head, "tree");
	CHECK(says(claude, RESUME("HEAD", mounts_at)));
}

static void check_claude_forks(void)
{
	CHECK(says(filled("(cd %s && claude --resume %s --fork-session)", work,
			  session),
		   RESUME("HEAD", mounts_at)));
	CHECK(says(claude_fork(mounts_at, AT("3")),
		   RESUME(UUID("3"), mounts_at)));
	CHECK(starts(RESUME("-x", UUID("3"), mounts_at)));
	CHECK_CALLED("claude", "--resume", in_mount(AT("3") "/branch.jsonl"),
		     "--fork-session");
	CHECK_LINK(in_mount("HEAD"), AT("5"));
	CHECK(refuses(1,
		      filled("sessfs: %s: before the first entry there is "
			     "nothing to fork",
			     session),
		      RESUME("tree", mounts_at)));
}

static void not_found_by_claude(void)
{
	set_up();
	write_claude();
	move_session(test_path(SESSION_ID ".jsonl"));
	remember();
	mount_it(session, NULL);
	check_claude_forks();
	unmount_it();
	/* Nor by a name that is no id. */
	write_claude();
	move_session(filled("%s/notes.jsonl", folder_of("claude")));
	remember();
	mount_it(session, NULL);
	check_claude_forks();
	check_untouched();
}

/* A session's line of its own that it is in this directory now. */
static const char *relocated(const char *dir)
{
	return filled("{'type':'relocated','sessionId':'" SESSION_ID "',"
		      "'relocatedCwd':'%s'}\n",
		      dir);
}

/* As EnterWorktree and /cd move one: its file is in another folder by then. */
static void moved_elsewhere(void)
{
	set_up();
	const char *const lines = claude_lines("2.1.332");
	const char *const tree = test_path("tree");
	make_folder(tree);
	snprintf(work, sizeof(work), "%s", tree);
	set_claude_path();
	put_lines(session,
		  filled("%s%s%s", lines, relocated(test_path("another")),
			 relocated(tree)));
	mount_it(session, NULL);
	CHECK_VALUE(in_mount("info"), "cwd", tree);
	CHECK(says(claude_resume(), RESUME("HEAD", mounts_at)));
	CHECK(starts(RESUME("-x", UUID("3"), mounts_at)));
	CHECK_CALLED("claude", "--resume", SESSION_ID);
	CHECK_LINK(in_mount("HEAD"), AT("3"));
}

/* Its directory is not there: it takes an id from any of its folders. */
static void with_no_directory(void)
{
	set_up();
	write_claude();
	mount_it(session, NULL);
	test_need(rmdir(work) == 0, work);
	CHECK(says("claude --resume " SESSION_ID, RESUME("HEAD", mounts_at)));
	CHECK(says(filled("ln -sfn " AT("3") " %s/HEAD && "
					     "claude --resume " SESSION_ID,
			  mounts_at),
		   RESUME(UUID("3"), mounts_at)));
	/* Of two it takes none. */
	const char *const other = filled(
		"%s/.claude/projects/-another/" SESSION_ID ".jsonl", home);
	make_folder(filled("%s/.claude/projects/-another", home));
	put(other, "");
	CHECK(says(filled("claude --resume %s --fork-session", session),
		   RESUME("HEAD", mounts_at)));
}

/* As ln -sfn TARGET HEAD, in the mount. */
static void move_its_head(const char *target)
{
	test_need(chdir(mounts_at) == 0, mounts_at);
	CHECK_INT(move_head(target), 0);
	test_need(chdir(test_folder) == 0, test_folder);
}

static void move_not_seen(void)
{
	set_up();
	write_claude_of("2.1.112");
	mount_it(session, NULL);
	CHECK(says(claude_resume(), RESUME("HEAD", mounts_at)));
	CHECK_INT(put(in_mount(AT("3") "/label"), "tested\n"), 0);
	CHECK(says(claude_resume(), RESUME("HEAD", mounts_at)));
	CHECK(says(claude_fork(mounts_at, AT("3")),
		   RESUME(UUID("3"), mounts_at)));
	move_its_head(AT("3"));
	CHECK(says(claude_fork(mounts_at, AT("3")), RESUME("HEAD", mounts_at)));
	CHECK(starts(RESUME("-x", "HEAD", mounts_at)));
	CHECK_CALLED("claude", "--resume", in_mount(AT("3") "/branch.jsonl"),
		     "--fork-session");
	move_its_head("tree");
	CHECK(fails_in_a_line(1, "there is nothing to fork",
			      RESUME("HEAD", mounts_at)));
}

static void moves_seen(void)
{
	set_up();
	write_claude_of("2.1.150");
	mount_it(session, NULL);
	CHECK(says(filled("ln -sfn " AT("3") " %s/HEAD && %s", mounts_at,
			  claude_resume()),
		   RESUME(UUID("3"), mounts_at)));
	CHECK(fails_in_a_line(1, "there is nothing to fork",
			      RESUME("tree", mounts_at)));
	move_its_head("tree");
	CHECK(fails_in_a_line(1, "there is nothing to fork",
			      RESUME("HEAD", mounts_at)));
	move_its_head(AT("3"));
	CHECK(says(claude_resume(), RESUME("HEAD", mounts_at)));
}

/* Write a copy of the session as that of the subagent 1. */
static void write_subagent(void)
{
	static const char own[] = "\"isSidechain\":false",
			  its[] = "\"isSidechain\":true,\"agentId\":\"1\"";
	struct buf b = { 0 };
	struct span rest = text_of(session);
	for (const char *at; (at = memmem(rest.p, rest.n, own, strlen(own)));) {
		buf_add(&b, (struct span){ rest.p, (size_t)(at - rest.p) });
		buf_adds(&b, its);
		rest.n -= (size_t)(at - rest.p) + strlen(own);
		rest.p = at + strlen(own);
	}
	buf_add(&b, rest);
	const char *folder =
		filled("%.*s/subagents", (int)strlen(session) - 6, session);
	make_folder(folder);
	test_put(filled("%s/agent-1.jsonl", folder), O_TRUNC, buf_span(&b));
	buf_free(&b);
}

static void of_subagent(void)
{
	set_up();
	write_claude();
	write_subagent();
	mount_it(session, NULL);
	const char *const at = in_mount("subagents/agent-1");
	CHECK(says(claude_fork(at, AT("5")), RESUME("HEAD", at)));
	CHECK(says(claude_fork(at, AT("3")), RESUME(UUID("3"), at)));
}

static void not_moved(void)
{
	set_up();
	write_claude();
	/* Where it finds records of running agents. */
	const char *record =
		filled("%s/.claude/sessions/%d.json", home, (int)getpid());
	put_lines(record, filled("{'pid':%d,'sessionId':'" SESSION_ID
				 "','version':'2.1.330'}",
				 (int)getpid()));
	remember();
	mount_it(session, NULL);
	CHECK(fails_in_a_line(1,
			      filled("sessfs: %s: Claude Code has this session "
				     "open",
				     mounts_at),
			      RESUME("-x", UUID("3"), mounts_at)));
	CHECK(was_none_called());
	check_untouched();
	CHECK_INT(ERRNO(unlink(record)), 0);
	unmount_it();
	write_compacted();
	mount_it(session, NULL);
	CHECK(fails_in_a_line(
		1,
		filled("sessfs: %s: the boundary of a compaction: "
		       "Claude Code goes on from its summary",
		       mounts_at),
		RESUME("-x", UUID("3"), mounts_at)));
	CHECK(was_none_called());
}

/* What can't be written. */

static void read_only(void)
{
	set_up();
	write_pi();
	keep_session();
	mount_it(session, "ro");
	const char *branch = in_mount("by-id/aa000003/branch.jsonl");
	CHECK(says(filled("(cd %s && pi --fork %s)", work, branch),
		   RESUME("aa000003", mounts_at)));
	CHECK(resumes(RESUME("aa000003", mounts_at)));
	CHECK_CALLED("pi", "--fork", branch);
	CHECK(starts(RESUME("-x", "aa000003", mounts_at)));
	CHECK_CALLED("pi", "--fork", branch);
	CHECK(refuses(1,
		      filled("sessfs: %s: before the first entry there is "
			     "nothing to fork",
			     session),
		      RESUME("tree", mounts_at)));
	CHECK_LINK(in_mount("HEAD"), "by-id/aa000004");
	CHECK(says(filled("(cd %s && pi --session %s)", work, session),
		   RESUME("HEAD", mounts_at)));
	CHECK_KEPT();
}

/* Everything is nobody's, who mounts the session. */
static void mount_as_nobody(void)
{
	test_need(RUN("chown", "-R", "65534:65534", test_folder) == 0, "chown");
	test_need(run_program(as_nobody(COMMAND(session, mounts_at))) == 0,
		  session);
}

static void ordinary_user(void)
{
	set_up();
	write_pi();
	mount_as_nobody();
	CHECK(starts(as_nobody(RESUME("-x", "aa000003", mounts_at))));
	CHECK_CALLED("pi", "--session", session);
	CHECK(says("by-id/aa000003",
		   as_nobody(PIECES("readlink", in_mount("HEAD")))));
	test_need(chown(session, 0, 0) == 0, session);
	CHECK(says(filled("(cd %s && pi --fork %s)", work, session),
		   as_nobody(RESUME("HEAD", mounts_at))));
	CHECK(says(filled("(cd %s && pi --fork %s/by-id/aa000001/branch.jsonl)",
			  work, mounts_at),
		   as_nobody(RESUME("aa000001", mounts_at))));
}

/* Codex. */

static void at_its_end(void)
{
	set_up();
	write_codex();
	mount_it(session, NULL);
	test_read(session, &mounts_kept);
	CHECK(says(filled("(cd %s && codex resume " ROLLOUT_ID("1") ")", work),
		   RESUME("HEAD", mounts_at)));
	const char *const id = thread_of("msg_2"), *const copy = copy_of(id);
	const char *const branch = in_mount("by-id/msg_2/branch.jsonl");
	CHECK(says(copying("", "msg_2"), RESUME("msg_2", mounts_at)));
	CHECK(resumes(RESUME("msg_2", mounts_at)));
	CHECK_CALLED("codex", "resume", id);
	CHECK(is_copy(copy, branch));
	CHECK_INT(write_with(O_APPEND, copy, SPAN("more\n")), 0);
	(void)goes_on_in_another(copy, "codex",
				 RESUME("-x", "msg_2", mounts_at));
	CHECK_HAS(copy, "\nmore\n");
	CHECK_INT(ERRNO(unlink(copy)), 0);
	/* Codex does not see where HEAD was moved to. */
	move_its_head("by-id/msg_2");
	CHECK(starts(RESUME("-x", "HEAD", mounts_at)));
	CHECK_CALLED("codex", "resume", id);
	CHECK_INT(ERRNO(unlink(copy)), 0);
	CHECK_INT(ERRNO(unlink(filled("%.*s.sessfs.json",
				      (int)strlen(session) - 6, session))),
		  0);
	CHECK_LINK(in_mount("HEAD"), "by-id/msg_3");
	CHECK_SPAN(text_of(session), buf_span(&mounts_kept));
}

static void unwritable_copy(void)
{
	set_up();
	write_codex();
	mount_as_nobody();
	const char *const folder = filled("%s/sessions/2026/03/01", codex);
	CHECK_INT(hear_program(as_nobody(
			  PIECES("cat", in_mount("by-id/msg_2/branch.jsonl")))),
		  0);
	const char *const copy = copy_of(thread_in(buf_span(&mounts_output)));
	test_need(chmod(folder, 0555) == 0, folder);
	CHECK(refuses(1, filled("sessfs: %s: you can't write to it", folder),
		      as_nobody(RESUME("msg_2", mounts_at))));
	test_need(chmod(folder, 0755) == 0, folder);
	CHECK(starts(as_nobody(RESUME("-x", "msg_2", mounts_at))));
	CHECK(exists(copy));
	/* Then only the copy has to be writable. */
	test_need(chmod(folder, 0555) == 0, folder);
	CHECK_INT(hear_apart(as_nobody(RESUME("msg_2", mounts_at))), 0);
	test_need(chmod(copy, 0444) == 0, copy);
	CHECK(fails_in_a_line(1, filled("%s: you can't write to it", copy),
			      as_nobody(RESUME("-x", "msg_2", mounts_at))));
}

static void open_or_reverted(void)
{
	set_up();
	write_codex();
	mount_it(session, NULL);
	const char *const id = thread_of("msg_3");
	put_lines(filled("%s/thread-writer-locks/" ROLLOUT_ID("1") ".lock",
			 codex),
		  "");
	int lock =
		open(filled("%s/thread-writer-locks/" ROLLOUT_ID("1") ".lock",
			    codex),
		     O_RDWR | O_CLOEXEC);
	CHECK_INT(ERRNO(flock(lock, LOCK_EX)), 0);
	WAIT_UNTIL(value_in(in_mount("info"), "running").n > 0);
	CHECK(starts(RESUME("-x", "HEAD", mounts_at)));
	CHECK_CALLED("codex", "resume", id);
	CHECK_INT(ERRNO(close(lock)), 0);
	WAIT_UNTIL(value_in(in_mount("info"), "running").n == 0);
	CHECK(starts(RESUME("-x", "HEAD", mounts_at)));
	CHECK_CALLED("codex", "resume", ROLLOUT_ID("1"));
	put_lines(filled("%s/sessions/2026/03/02/rollout-2026-03-02T10-00-00-"
			 "" ROLLOUT_ID("1") "_" ROLLOUT_ID("2") ".jsonl",
			 codex),
		  "");
	CHECK(starts(RESUME("-x", "HEAD", mounts_at)));
	CHECK_CALLED("codex", "resume", id);
}

/* A legacy thread needs no base. */
static void check_legacy(void)
{
	put_lines(session, META("", ROLLOUT_ID("5"), "/work/demo", "") SAID(
				   "msg_1", "user", "input_text", "one", ""));
	mount_it(session, NULL);
	CHECK(starts(RESUME("-x", mounts_at)));
	const char *const id = thread_of("msg_1");
	CHECK(was_called_in(test_folder, PIECES("codex", "resume", id)));
	struct span copy =
		text_of(filled("%s/sessions/2026/03/01/"
			       "rollout-2026-03-01T10-00-00-%s.jsonl",
			       codex, id));
	cJSON *said = line_with(copy, "type", "response_item");
	const cJSON *content = cJSON_GetObjectItem(
		cJSON_GetObjectItem(said, "payload"), "content");
	CHECK_SPAN(span_of(string_of(cJSON_GetArrayItem(content, 0), "text")),
		   SPAN("one"));
	cJSON_Delete(said);
	size_t n = 0;
	while (copy.n > 0) {
		struct span line = span_next(&copy, '\n');
		n += memmem(line.p, line.n, "\"response_item\"", 15) != NULL;
	}
	CHECK_INT(n, 1);
}

static void where_codex_finds_it(void)
{
	set_up();
	write_codex();
	const char *const day = filled("%s/sessions/2026/03/01", codex);
	make_folder(filled("%s/archived_sessions", codex));
	move_session(
		filled("%s/archived_sessions%s", codex, strrchr(session, '/')));
	CHECK_INT(ERRNO(rmdir(day)), 0);
	mount_it(session, NULL);
	const char *const id = thread_of("msg_3"), *const copy = copy_of(id);
	CHECK(says(copying("", "msg_3"), RESUME(mounts_at)));
	CHECK(resumes(RESUME(mounts_at)));
	CHECK_CALLED("codex", "resume", id);
	CHECK(text_of(copy).n > 0 && exists(copy));
	/* Elsewhere nobody finds the base. */
	setenv("CODEX_HOME", test_path("other"), 1);
	CHECK(fails_in_a_line(1,
			      filled("is not in %s/sessions, where codex would "
				     "look for it",
				     test_path("other")),
			      RESUME(mounts_at)));
	setenv("CODEX_HOME", codex, 1);
	unmount_it();
	set_session(test_path("legacy.jsonl"));
	check_legacy();
}

/* Words behind "--" are the agent's. */
static void flags(void)
{
	set_up();
	write_claude();
	mount_it(session, NULL);
	CHECK(says(
		filled("(cd %s && claude --resume " SESSION_ID
		       " --model opus 'go on')",
		       work),
		RESUME("HEAD", mounts_at, "--", "--model", "opus", "go on")));
	CHECK(resumes(
		RESUME("HEAD", mounts_at, "--", "--model", "opus", "go on")));
	CHECK_CALLED("claude", "--resume", SESSION_ID, "--model", "opus",
		     "go on");
	CHECK(starts(RESUME("-x", "HEAD", mounts_at, "--", "-x", "")));
	CHECK_CALLED("claude", "--resume", SESSION_ID, "-x", "");
	CHECK(says(filled("%s -- -p ''", copying("--in pi ", UUID("3"))),
		   RESUME("--in", "pi", UUID("3"), mounts_at, "--", "-p", "")));
	CHECK(resumes(
		RESUME("--in", "pi", UUID("3"), mounts_at, "--", "-p", "")));
	const char *const folder = folder_of("pi");
	struct span name = names_in(folder);
	CHECK_CALLED("pi", "--session",
		     filled("%s/%.*s", folder, (int)name.n - 1, name.p), "-p",
		     "");
}

static const struct mounts_test tests[] = {
	TEST("words behind -- are the agent's", flags),
	TEST("wrong usage, entries that are not there, and how an entry is "
	     "named",
	     usage_and_names),
	TEST("outside a mount it is the session that sessfs open printed last",
	     printed_last),
	TEST("an entry that is named like a folder of the session",
	     like_a_folder),
	TEST("HEAD is moved unless it is there, and the agent starts in the "
	     "session's directory",
	     head_is_moved),
	TEST("the agent, and the folder of a copy for it, have the user's "
	     "umask",
	     users_umask),
	TEST("without a directory that exists the agent starts where the user "
	     "is",
	     without_directory),
	TEST("a session that is not mounted is continued at its HEAD, or in a "
	     "copy",
	     not_mounted),
	TEST("what is printed for a session that is not mounted leaves no "
	     "mount, and needs none",
	     printed_without_mount),
	TEST("--fork continues in a copy where Pi and oh-my-pi find it",
	     forks_of_pi),
	TEST("--fork continues in a copy where Claude Code and Codex find it",
	     forks_of_claude_and_codex),
	TEST("omp has options of its own", options_of_omp),
	TEST("formats of which no agent is known, and sessions that their "
	     "agent does not open",
	     no_agent),
	TEST("Claude Code resumes by the id, in the folder of which the "
	     "session is",
	     by_id),
	TEST("Claude Code gets a fork of a session that it would not find",
	     not_found_by_claude),
	TEST("a session of Claude Code that has moved goes on where it is now",
	     moved_elsewhere),
	TEST("Claude Code resumes by the id where the directory is gone",
	     with_no_directory),
	TEST("Claude Code gets a fork where it does not see a move of HEAD",
	     move_not_seen),
	TEST("Claude Code from 2.1.120 on sees all moves but that before the "
	     "first entry",
	     moves_seen),
	TEST("Claude Code gets a fork of a subagent's session", of_subagent),
	TEST("-x tells why HEAD is not moved, and starts nothing", not_moved),
	TEST("in a read-only mount an entry that is not HEAD is forked",
	     read_only),
	ROOT_TEST("an ordinary user moves HEAD, or gets a fork of what is not "
		  "theirs",
		  ordinary_user),
	TEST("Codex resumes the thread at its end, and a fork of it elsewhere",
	     at_its_end),
	ROOT_TEST("a copy for Codex that can't be written", unwritable_copy),
	TEST("a thread that a Codex has open, and one that was reverted, are "
	     "forked",
	     open_or_reverted),
	TEST("a fork goes where Codex finds it, or is refused",
	     where_codex_finds_it),
};
RUN_TESTS(tests)
