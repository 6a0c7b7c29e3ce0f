/* sessfs sources, and that sessfs open looks where it says. */
#include "tests/mounts/mounts.h"

/* Times of files: the first days of these years in UTC, and the next one. */
enum { IN_2026 = 1767225600, LATER_IN_2026 = IN_2026 + 86400 };
#define IN_2039 2177452800
#define IN_2040 2208988800

#define PI "home/.pi/agent"
#define OMP "home/.omp/agent/sessions"
#define IN_PROFILE "home/.omp/profiles/p/agent/sessions"

/* The working directory of sessions. */
static char work[PATH_MAX];
/* SHA-256 of its path, as oh-my-pi names folders. */
static char work_hash[65];

static void begin(void)
{
	make_home();
	make_folder(test_path("home/my.proj"));
	snprintf(work, sizeof(work), "%s", test_path("home/my.proj"));
	test_need(chdir(test_folder) == 0, test_folder);
}

/* Add a path with - for its slashes but the first, and for dots, too, if
 * wanted. */
static void add_dashed(struct buf *b, const char *path, bool dots)
{
	while (*++path)
		buf_addc(b,
			 *path == '/' || (dots && *path == '.') ? '-' : *path);
}

/* Add a text in which ~ stands for the home, @ for the test's folder, # for the
 * working directory as in names of Pi, % as in those of Claude Code, and ^ for
 * its hash. */
static void add_expanded(struct buf *b, const char *text)
{
	for (; *text; text++) {
		if (*text == '~')
			buf_adds(b, test_path("home"));
		else if (*text == '@')
			buf_adds(b, test_folder);
		else if (*text == '#' || *text == '%')
			add_dashed(b, work, *text == '%');
		else if (*text == '^')
			buf_adds(b, work_hash);
		else
			buf_addc(b, *text);
	}
}

/* Does sessfs sources print these lines, which are expanded? */
#define CHECK_SOURCES(want, ...)                    \
	do {                                        \
		CHECK_INT(SOURCES(__VA_ARGS__), 0); \
		check_output(want);                 \
	} while (0)
#define SOURCES(...) \
	hear_apart(PIECES(sessfs_program(), "sources", __VA_ARGS__))

static void check_output(const char *want)
{
	struct buf b = { 0 };
	add_expanded(&b, want);
	CHECK_SPAN(buf_span(&mounts_output), buf_span(&b));
	buf_free(&b);
}

/* Write a session of Pi of a working directory with one entry of this text. The
 * name is expanded; the folder is made. */
static void write_session(const char *name, const char *dir, const char *text)
{
	struct buf b = { 0 }, lines = { 0 };
	add_expanded(&b, name);
	test_need(buf_cstr(&b) != NULL, "memory");
	char *slash = strrchr(b.data, '/');
	*slash = '\0';
	make_folder(test_path(buf_cstr(&b)));
	*slash = '/';
	buf_addf(&lines,
		 "{'type':'session','version':3,"
		 "'id':'0198f000-0000-7000-8000-00000000000a',"
		 "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'%s'}\n" USER(
			 "aa000001", "null", "%s"),
		 dir, text);
	test_file(b.data, buf_cstr(&lines));
	buf_free(&b);
	buf_free(&lines);
}

/* As touch -d does. */
static void set_time(const char *name, long long seconds)
{
	struct buf b = { 0 };
	add_expanded(&b, name);
	const struct timespec times[2] = { { .tv_sec = (time_t)seconds },
					   { .tv_sec = (time_t)seconds } };
	const char *path = test_path(buf_cstr(&b));
	test_need(utimensat(AT_FDCWD, path, times, 0) == 0, path);
	buf_free(&b);
}

/* Does sessfs open, in the working directory, mount the session with this
 * text? */
static void check_opens(const char *text)
{
	char at[PATH_MAX];
	test_need(chdir(work) == 0, work);
	CHECK_INT(HEAR_APART(sessfs_program(), "open"), 0);
	struct span rest = buf_span(&mounts_output),
		    line = span_next_line(&rest);
	CHECK_SPAN(rest, SPAN(""));
	snprintf(at, sizeof(at), "%.*s/HEAD/content", (int)line.n, line.p);
	CHECK_SPAN(text_of(at), span_of(text));
	test_need(chdir(test_folder) == 0, test_folder);
}

static void all_agents(void)
{
	begin();
	CHECK_INT(HEAR_APART(sessfs_program(), "sources"), 0);
	check_output(""); /* nothing exists */
	CHECK_SOURCES("pi\t~/.pi/agent/sessions\n"
		      "omp\t~/.omp/agent/sessions\n"
		      "claude\t~/.claude/projects\n"
		      "codex\t~/.codex/sessions\n"
		      "codex\t~/.codex/archived_sessions\n"
		      "qwen\t~/.qwen/projects\n",
		      "-m");
	make_folder(test_path(PI "/sessions"));
	make_folder(test_path(OMP));
	make_folder(test_path("home/.claude/projects"));
	make_folder(test_path(IN_PROFILE));
	make_folder(test_path("home/.local/share/omp/sessions"));
	CHECK_INT(HEAR_APART(sessfs_program(), "sources"), 0);
	check_output("pi\t~/.pi/agent/sessions\n"
		     "omp\t~/.omp/agent/sessions\n"
		     "omp\t~/.omp/profiles/p/agent/sessions\n"
		     "omp\t~/.local/share/omp/sessions\n"
		     "claude\t~/.claude/projects\n");
	CHECK_SOURCES("claude\t~/.claude/projects\n", "-a", "claude");
	/* One that two agents share is printed once. */
	setenv("PI_CODING_AGENT_DIR", test_path("both"), 1);
	CHECK_SOURCES("", "-a", "pi");
	make_folder(test_path("both/sessions"));
	CHECK_SOURCES("pi\t@/both/sessions\n", "-a", "pi");
	size_t shared = 0;
	CHECK_INT(HEAR_APART(sessfs_program(), "sources"), 0);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		shared += line.n > 0 && memmem(line.p, line.n, "both", 4);
	}
	CHECK_INT(shared, 1);
	CHECK_SOURCES("omp\t@/both/sessions\n"
		      "omp\t~/.omp/profiles/p/agent/sessions\n"
		      "omp\t~/.local/share/omp/sessions\n",
		      "-a", "omp");
	unsetenv("PI_CODING_AGENT_DIR");
}

static void of_a_directory(void)
{
	struct buf own = { 0 };
	begin();
	CHECK_SOURCES("pi\t~/.pi/agent/sessions/--#--\n"
		      "omp\t~/.omp/agent/sessions/-my.proj\n"
		      "claude\t~/.claude/projects/-%\n"
		      "codex\t~/.codex/sessions\tshared\n"
		      "codex\t~/.codex/archived_sessions\tshared\n"
		      "qwen\t~/.qwen/projects/-%/chats\n",
		      "-m", "-c", "home/my.proj");
	setenv("CODEX_HOME", test_path("codex"), 1);
	CHECK_SOURCES("codex\t@/codex/sessions\n"
		      "codex\t@/codex/archived_sessions\n",
		      "-m", "-a", "codex");
	unsetenv("CODEX_HOME");
	add_expanded(&own, PI "/sessions/--#--");
	make_folder(test_path(buf_cstr(&own)));
	buf_free(&own);
	make_folder(test_path(PI "/sessions/other"));
	CHECK_SOURCES("pi\t~/.pi/agent/sessions/--#--\n", "-c", work);
	CHECK_INT(SOURCES("-c", "nowhere"), 1);
	check_output("");
	CHECK_SPAN(buf_span(&mounts_errors),
		   SPAN("sessfs: nowhere: no such directory\n"));
	CHECK_INT(SOURCES("-a", "other"), 2);
	check_output("");
	struct span rest = buf_span(&mounts_errors);
	CHECK(span_starts(span_next_line(&rest),
			  SPAN("sessfs: other: no such agent; there are pi, "
			       "omp, claude, codex and qwen")));
	CHECK_SPAN(rest, SPAN(""));
	CHECK_INT(SOURCES(work), 2);
}

/* Write the settings in this folder. */
static void write_settings(const char *folder, const char *text)
{
	make_folder(test_path(folder));
	test_put(test_path(join(folder, "settings.json")), O_TRUNC,
		 span_of(text));
}

static void setting_of_pi(void)
{
	/* JSON, and the path; @ stands for the test's folder. */
	static const char *const paths[][2] = {
		{ "~/it\\u0027s", "pi\t~/it's\tshared\n" },
		{ "@/\\u00e9\\ud83d\\ude00", "pi\t@/é😀\tshared\n" },
		{ "@\\/\\u00E9😀", "pi\t@/é😀\tshared\n" },
		{ "sub", "pi\t~/my.proj/sub\tshared\n" },
	};
#define OF_WORK "-a", "pi", "-c", work
	begin();
	make_folder(test_path("home/my.proj/sub"));
	make_folder(test_path(PI "/sessions"));
	make_folder(test_path("home/own"));
	make_folder(test_path("home/it's"));
	make_folder(test_path("é😀"));
	write_session("home/own/a.jsonl", work, "by the setting");
	write_session("home/own/b.jsonl", test_folder, "of another directory");
	write_session(PI "/sessions/--#--/c.jsonl", work, "by default");
	set_time(PI "/sessions/--#--/c.jsonl", IN_2040);
	set_time("home/own/b.jsonl", IN_2039);
	check_opens("by default\n");
	/* Only a member of the object itself counts, whatever else there is. */
	write_settings(PI,
		       "{ \"a\": {\"sessionDir\": \"/nested\"}, \"b\": "
		       "[\"sessionDir\", \"/x\"], \"c\": \"\\\"sessionDir\\\": "
		       "\\\"/y\\\"\",\n"
		       "  \"sessionDir\"\n"
		       "  : \"~/own\", \"d\": \"}{\\\\\", \"theme\": null }\n");
	CHECK_SOURCES("pi\t~/own\tshared\n", OF_WORK);
	CHECK_SOURCES("pi\t~/own\npi\t~/.pi/agent/sessions\n", "-a", "pi");
	check_opens("by the setting\n");
	/* JSON's escapes, and a path from the working directory. */
	for (size_t i = 0; i < COUNT(paths); i++) {
		bool is_here = paths[i][0][0] == '@';
		char settings[PATH_MAX + 64];
		test_row = paths[i][0];
		snprintf(settings, sizeof(settings),
			 "{\"sessionDir\":\"%s%s\"}",
			 is_here ? test_folder : "", paths[i][0] + is_here);
		write_settings(PI, settings);
		CHECK_SOURCES(paths[i][1], OF_WORK);
	}
	test_row = NULL;
	write_settings(PI, "{\"sessionDir\":\"\"}");
	CHECK_SOURCES("pi\t~/.pi/agent/sessions/--#--\n", OF_WORK);
	/* Those of the directory come first, and the variable before both. */
	write_settings("home/my.proj/.pi", "{\"sessionDir\":\"sub\"}");
	write_settings(PI, "{\"sessionDir\":\"~/own\"}");
	CHECK_SOURCES("pi\t~/my.proj/sub\tshared\n", OF_WORK);
	CHECK_SOURCES("pi\t~/own\tshared\n", "-a", "pi", "-c",
		      test_path("home"));
	setenv("PI_CODING_AGENT_SESSION_DIR", "~/own", 1);
	CHECK_SOURCES("pi\t~/own\tshared\n", OF_WORK);
	unsetenv("PI_CODING_AGENT_SESSION_DIR");
	write_settings("home/my.proj/.pi", "{\"sessionDir\":\"");
	CHECK_SOURCES("pi\t~/own\tshared\n", OF_WORK);
#undef OF_WORK
}

static void hashed_names(void)
{
	static const char by_hash[] = OMP "/home-my.proj-^/a.jsonl",
			  in_profile[] = IN_PROFILE "/tmp-x-^/a.jsonl";
	begin();
	test_put(test_path("work"), O_TRUNC, span_of(work));
	test_need(HEAR("sha256sum", test_path("work")) == 0 &&
			  mounts_output.len > 64,
		  "sha256sum");
	snprintf(work_hash, sizeof(work_hash), "%.64s", mounts_output.data);
	write_session(by_hash, work, "by a hash");
	set_time(by_hash, IN_2026);
	check_opens("by a hash\n");
	write_session(in_profile, work, "in a profile");
	set_time(in_profile, LATER_IN_2026);
	CHECK_SOURCES("omp\t~/.omp/agent/sessions/home-my.proj-^\n"
		      "omp\t~/.omp/profiles/p/agent/sessions/tmp-x-^\n",
		      "-c", work);
	check_opens("in a profile\n");
	write_session(OMP "/-my.proj/b.jsonl", work, "by a name");
	check_opens("by a name\n");
	CHECK_SOURCES("", "-c", test_path("home"));
}

static void one_field(void)
{
	static const char *const rows[][2] = {
		{ "tab\there", "tab\\there" },
		{ "new\nline", "new\\nline" },
		{ "back\\slash", "back\\\\slash" },
		{ "back\\nslash", "back\\\\nslash" },
	};
	begin();
	make_folder(test_path("home/x"));
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i][1];
		const char *path = join(test_path("home/x"), rows[i][0]);
		test_need(mkdir(path, 0755) == 0, path);
		setenv("PI_CODING_AGENT_SESSION_DIR", path, 1);
		CHECK_INT(SOURCES("-a", "pi"), 0);
		struct span rest = buf_span(&mounts_output),
			    line = span_next_line(&rest);
		CHECK_SPAN(rest, SPAN(""));
		CHECK_SPAN(span_next(&line, '\t'), SPAN("pi"));
		CHECK_SPAN(span_next(&line, '\t'),
			   span_of(join(test_path("home/x"), rows[i][1])));
	}
	test_row = NULL;
	unsetenv("PI_CODING_AGENT_SESSION_DIR");
}

static const struct mounts_test tests[] = {
	TEST("sessfs sources prints the folders of all agents that exist",
	     all_agents),
	TEST("with -c it prints those of one directory", of_a_directory),
	TEST("Pi's setting sessionDir is followed as Pi does", setting_of_pi),
	TEST("oh-my-pi's hashed folder names are known", hashed_names),
	TEST("a folder with a tab, a newline or a backslash in its name is one "
	     "field",
	     one_field),
};
RUN_TESTS(tests)
