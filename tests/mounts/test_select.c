/* Which sessions, and which entries: the same options in all commands. */
#include "tests/mounts/mounts.h"

static char home[PATH_MAX], work[PATH_MAX];

/* A session called s_LETTER, of a time on a day of March 2026. */
static void session(const char *folder, char letter, const char *cwd,
		    const char *time)
{
	const char *path = filled("%s/%s/1_s_%c.jsonl", home, folder, letter);
	make_folder_of(path);
	put_lines(path,
		  filled("{'type':'session','version':3,'id':'%c','timestamp':"
			 "'2026-03-01T00:00:00.000Z','cwd':'%s'%s}\n"
			 "{'type':'message','id':'00000001','parentId':null,"
			 "'timestamp':'2026-03-01T00:00:01.000Z','message':{"
			 "'role':'user','content':'needle %c'}}\n"
			 "{'type':'message','id':'00000002','parentId':"
			 "'00000001','timestamp':'2026-03-%sZ','message':{"
			 "'role':'assistant','content':[{'type':'toolCall',"
			 "'id':'c','name':'write','arguments':{'path':'f.c',"
			 "'content':'needle'}}]}}\n",
			 letter, cwd,
			 strstr(folder, ".omp") ? ",'titleSource':'auto'" : "",
			 letter, time));
}

static void begin(void)
{
	make_home();
	snprintf(home, sizeof(home), "%s", test_path("home"));
	snprintf(work, sizeof(work), "%s", test_path("home/wc"));
	make_folder(test_path("home/wc"));
	make_folder(test_path("home/wc/src"));
	setenv("TZ", "UTC", 1);
	session(".pi/agent/sessions/--wc--", 'A', work, "05T10:00:00");
	session(".omp/agent/sessions/-src", 'B', filled("%s/src", work),
		"06T10:00:00");
	session(".pi/agent/sessions/--x--", 'C', "/x/wc", "04T10:00:00");
	session(".pi/agent/sessions/--y--", 'D', "/y", "07T10:00:00");
	session(".local/share/sessfs/kept/pi/z", 'K', "/z", "03T10:00:00");
	test_need(chdir(work) == 0, work);
}

/* The letters of the sessions that were printed, each once in a row. */
static const char *letters(void)
{
	static char text[64];
	const char *end = mounts_output.data + mounts_output.len;
	const char *at = mounts_output.data;
	size_t n = 0;
	while (at < end &&
	       (at = memmem(at, (size_t)(end - at), "_s_", 3)) != NULL) {
		at += 3;
		if ((n == 0 || text[n - 1] != *at) && n + 1 < sizeof(text))
			text[n++] = *at;
	}
	text[n] = '\0';
	return text;
}

struct choice {
	const char *words[4];
	const char *want;
};

/* Each command with each choice. */
static const struct choice choices[] = {
	{ { NULL }, "DBACK" },
	{ { "--here" }, "BA" },
	{ { "--project", "wc" }, "AC" },
	{ { "--project=." }, "BA" },
	{ { "--project", "/x" }, "C" },
	{ { "--agent", "pi" }, "DACK" },
	{ { "--agent", "omp" }, "B" },
	{ { "--agent=pi,omp" }, "DBACK" },
	{ { "--agent", "omp", "--agent", "pi" }, "DBACK" },
	{ { "--since", "2026-03-05" }, "DBA" },
	{ { "--since=2026-03-06", "--agent=pi" }, "D" },
	{ { "--sort", "path", "--here" }, "AB" },
	{ { "--kept" }, "K" },
	{ { "--here", "--kept" }, "" },
};

static int hear_choice(const char *const *command, const struct choice *c)
{
	const char *argv[16] = { sessfs_program() };
	size_t n = 1;
	for (; *command; command++)
		argv[n++] = *command;
	for (size_t i = 0; i < COUNT(c->words) && c->words[i]; i++)
		argv[n++] = c->words[i];
	return hear_apart(argv);
}

static void check_choice(const char *const *command, const struct choice *c)
{
	test_row = filled(
		"%s %s %s %s", command[0], c->words[0] ? c->words[0] : "",
		c->words[1] ? c->words[1] : "", c->words[2] ? c->words[2] : "");
	(void)hear_choice(command, c);
	CHECK_SPAN(span_of(letters()), span_of(c->want));
	test_row = NULL;
}

static void same_sessions(void)
{
	static const char *const commands[][4] = {
		{ "list" },
		{ "grep", "-l", "needle" },
		{ "files" },
		{ "files", "--file", "f.c" },
	};
	begin();
	for (size_t i = 0; i < COUNT(commands); i++) {
		for (size_t k = 0; k < COUNT(choices); k++)
			check_choice(commands[i], &choices[k]);
	}
}

/* Below PATHs, where those of other agents may be. */
static void below_paths(void)
{
	static const char *const commands[][4] = { { "list" },
						   { "grep", "-l", "needle" } };
	begin();
	for (size_t i = 0; i < COUNT(commands); i++) {
		const struct choice all = { { home }, "DBACK" };
		const struct choice of = { { "--agent=omp", home }, "B" };
		const struct choice here = { { "--here", home }, "BA" };
		check_choice(commands[i], &all);
		check_choice(commands[i], &of);
		check_choice(commands[i], &here);
	}
}

/* --until is of sessions in list, and of entries where these are looked for. */
static void until(void)
{
	static const char *const list[] = { "list", NULL };
	static const char *const grep[] = { "grep", "-l", "needle", NULL };
	static const char *const files[] = { "files", NULL };
	const struct choice early = { { "--until", "2026-03-04" }, "CK" };
	const struct choice all = { { "--until", "2026-03-04" }, "DBACK" };
	begin();
	check_choice(list, &early);
	check_choice(grep, &all);
	check_choice(files, &early);
}

/* Of a folder of a project, which has none of its own: of the project. */
static void from_below(void)
{
	const struct choice here = { { "--here" }, "BA" };
	begin();
	char *dir = realpath(".", NULL);
	mkdir("deep", 0755);
	mkdir("deep/er", 0755);
	test_need(chdir("deep/er") == 0, "deep/er");
	const char *const list[] = { "list", NULL };
	CHECK(!hear_choice(list, &here));
	CHECK_SPAN(span_of(letters()), SPAN("BA"));
	CHECK_SPAN(buf_span(&mounts_errors),
		   span_of(filled("sessfs: %s/deep/er: no sessions of this "
				  "directory; those of %s\n",
				  dir, dir)));
	test_need(chdir("/") == 0, "/");
	CHECK(!hear_choice(list, &here));
	CHECK_SPAN(span_of(letters()), SPAN("DBACK"));
	free(dir);
}

/* One of them. */
static void newest(void)
{
	begin();
	CHECK_INT(HEAR_APART(sessfs_program(), "log", "--here"), 0);
	CHECK(memmem(mounts_output.data, mounts_output.len, "needle B", 8));
	CHECK_INT(HEAR_APART(sessfs_program(), "log", "--project", "wc"), 0);
	CHECK(memmem(mounts_output.data, mounts_output.len, "needle A", 8));
	CHECK_INT(HEAR_APART(sessfs_program(), "log", "--agent=omp", home), 0);
	CHECK(memmem(mounts_output.data, mounts_output.len, "needle B", 8));
	CHECK(fails_in_a_line(1, "there are no sessions of project none",
			      COMMAND("log", "--project", "none")));
}

static void entries(void)
{
	static const char *const log[] = { "log", "--oneline", "--here", NULL };
	static const struct {
		const char *words[2];
		size_t lines;
	} rows[] = {
		{ { NULL }, 3 },
		{ { "--role", "user" }, 2 },
		{ { "--role=assistant" }, 2 },
		{ { "--tool", "write" }, 2 },
		{ { "--tool=edit" }, 2 }, /* the kind */
		{ { "--tool", "bash" }, 0 },
		{ { "--file=f.c" }, 2 },
		{ { "--file", "other" }, 0 },
	};
	begin();
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct choice c = {
			{ rows[i].words[0], rows[i].words[1] }, ""
		};
		test_row = filled("%s", c.words[0] ? c.words[0] : "");
		/* What is not there is said. */
		CHECK_INT(hear_choice(log, &c), rows[i].lines == 0);
		CHECK_INT(lines_in(buf_span(&mounts_output)), rows[i].lines);
	}
	test_row = NULL;
	CHECK_INT(HEAR_APART(sessfs_program(), "grep", "-l", "needle", "--file",
			     "f.c", "--here"),
		  0);
	CHECK_SPAN(span_of(letters()), SPAN("BA"));
	CHECK_INT(HEAR_APART(sessfs_program(), "grep", "-l", "needle", "--file",
			     "other"),
		  1);
	CHECK_INT(HEAR_APART(sessfs_program(), "files", "--role=user"), 0);
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
}

static void checked(void)
{
	begin();
	CHECK_INT(HEAR_APART(sessfs_program(), "check", "--here"), 0);
	test_append("home/.pi/agent/sessions/--x--/1_s_C.jsonl",
		    "{'type':'message','id':'00000003','parentId':'none',"
		    "'timestamp':'2026-03-04T10:00:01.000Z','message':{"
		    "'role':'user','content':'lost'}}\n");
	CHECK_INT(HEAR_APART(sessfs_program(), "check", "--here"), 0);
	CHECK_INT(HEAR_APART(sessfs_program(), "check", "--agent", "pi"), 1);
	CHECK_SPAN(span_of(letters()), SPAN("C"));
	CHECK_INT(HEAR_APART(sessfs_program(), "check", "--project=/x", home),
		  1);
}

static void wrong(void)
{
	static const char *const commands[][3] = { { "list" },	{ "grep", "x" },
						   { "files" }, { "log" },
						   { "check" }, { "open" } };
	static const struct choice rows[] = {
		{ { "--agent", "other" }, "other: no such agent" },
		{ { "--agent=pi,other" }, "other: no such agent" },
		{ { "--since", "soon" }, "--since" },
		{ { "--until=2026" }, "--until" },
		{ { "--sort=size" }, "--sort=size: must be path or time" },
	};
	begin();
	for (size_t i = 0; i < COUNT(commands); i++) {
		for (size_t k = 0; k < COUNT(rows); k++) {
			test_row = filled("%s %s", commands[i][0],
					  rows[k].words[0]);
			CHECK_INT(hear_choice(commands[i], &rows[k]), 2);
			CHECK(memmem(mounts_errors.data, mounts_errors.len,
				     rows[k].want, strlen(rows[k].want)));
		}
	}
	test_row = NULL;
}

static const struct mounts_test tests[] = {
	TEST("the options that say which sessions mean the same everywhere",
	     same_sessions),
	TEST("they select below PATHs as well", below_paths),
	TEST("--until is of sessions, or of entries", until),
	TEST("from a folder of a project --here selects the project's",
	     from_below),
	TEST("log shows the newest of those that are selected", newest),
	TEST("check checks those that are selected", checked),
	TEST("--role, --tool and --file choose entries in log, grep and files",
	     entries),
	TEST("what is wrong is said alike", wrong),
};

RUN_TESTS(tests)
