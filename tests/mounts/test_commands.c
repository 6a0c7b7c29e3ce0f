/* What all commands have in common: the same mistake in an operand has the same
 * message and exit status, and so has output that can't be written. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define ID "aa000025"

/* What an operand is. */
enum operand {
	ONE,	 /* a session */
	ENTRY,	 /* an entry, or a session */
	SOURCES, /* a session, or a folder of them */
	OTHER,	 /* a session by its id, or something else */
};

/* A command, with "@" for its operand. */
struct row {
	const char *words[6];
	enum operand is;
	int failed;  /* the status for what can't be read */
	bool judges; /* the format is not its mistake, but its answer */
};

static const struct row rows[] = {
	{ { "grep", "word", "@" }, SOURCES, 2, false },
	{ { "open", "@" }, OTHER, 1, false },
	{ { "log", "@" }, ENTRY, 1, false },
	{ { "switch", "@" }, ENTRY, 1, false },
	{ { "switch", ID, "@" }, ONE, 1, false },
	{ { "switch", "-", "@" }, ONE, 1, false },
	{ { "resume", "@" }, ENTRY, 1, false },
	{ { "resume", ID, "@" }, ONE, 1, false },
	{ { "restore", "@" }, ENTRY, 1, false },
	{ { "diff", "@", "HEAD" }, ENTRY, 2, false },
	{ { "diff", ID, "HEAD", "@" }, ONE, 2, false },
	{ { "say", "hello", "@" }, ONE, 1, false },
	{ { "list", "@" }, SOURCES, 1, false },
	{ { "files", "@" }, SOURCES, 1, false },
	{ { "files", "a.c", "@" }, SOURCES, 1, false },
	{ { "log", "--tree", "@" }, ENTRY, 1, false },
	{ { "export", "new", "@" }, SOURCES, 1, false },
	{ { "fast-export", "@" }, ONE, 1, false },
	{ { "check", "@" }, ONE, 2, true },
	{ { "rescue", "new", "@" }, ONE, 2, true },
	{ { "skill", "install", "@" }, OTHER, 1, false },
};

/* The words with an operand; good until the next. */
static const char *const *with(const struct row *r, const char *operand)
{
	static const char *words[8];
	size_t n = 0;
	words[n++] = sessfs_program();
	for (size_t i = 0; i < COUNT(r->words) && r->words[i]; i++)
		words[n++] =
			strcmp(r->words[i], "@") == 0 ? operand : r->words[i];
	words[n] = NULL;
	test_row = r->words[0];
	return words;
}

/* Files for all mistakes, in the working directory. */
static void begin(void)
{
	make_home();
	test_copy(fixture(BRANCHES), mounts_session);
	make_folder_of(test_path("folder/one.jsonl"));
	test_copy(fixture(BRANCHES), test_path("folder/one.jsonl"));
	test_file("junk.jsonl", "hello\nworld\n");
	test_need(chdir(test_folder) == 0, test_folder);
}

/* Each row of these kinds refuses the operand with this sentence. */
static void check_all(const char *operand, const char *sentence, unsigned kinds,
		      int status)
{
	const char *line = filled("sessfs: %s: %s", operand, sentence);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		if (kinds & 1U << r->is)
			CHECK(refuses(status ? status : r->failed, line,
				      with(r, operand)));
	}
	test_row = NULL;
	CHECK(!exists("new"));
}

#define KIND(is) (1U << (is))

static void all_are_here(void)
{
	/* They take no operand. */
	static const char *const others[] = { "keep", "sources" };
	struct buf names = { 0 };
	add_commands(&names);
	for (struct span rest = buf_span(&names); rest.n > 0;) {
		struct span name = span_next(&rest, ' ');
		bool found = span_eq(name, SPAN("help"));
		for (size_t i = 0; i < COUNT(rows); i++)
			found |= span_eq(name, span_of(rows[i].words[0]));
		for (size_t i = 0; i < COUNT(others); i++)
			found |= span_eq(name, span_of(others[i]));
		CHECK(found);
	}
	buf_free(&names);
	for (size_t i = 0; i < COUNT(others); i++)
		CHECK(refuses(2,
			      filled("sessfs: %s: unexpected argument: x "
				     "(sessfs %s -h for help)",
				     others[i], others[i]),
			      COMMAND(others[i], "x")));
	CHECK(refuses(1, "sessfs: x: no such command (sessfs -h lists them)",
		      COMMAND("help", "x")));
}

static void empty(void)
{
	begin();
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *name = rows[i].words[0];
		CHECK(refuses(2,
			      filled("sessfs: %s: an operand can't be empty "
				     "(sessfs %s -h for help)",
				     name, name),
			      with(&rows[i], "")));
	}
	test_row = NULL;
	CHECK(refuses(2, "sessfs: an operand can't be empty (-h for help)",
		      COMMAND("", mounts_at)));
	/* Texts may be. */
	CHECK_FAILS(2, "grep: an operand can't be empty", "grep", "-e", "x",
		    "");
	CHECK_COMMAND(0, NULL, "", "grep", "", mounts_session);
	CHECK_COMMAND(0, NULL, "", "files", "", mounts_session);
}

static void odd_options(void)
{
	CHECK_FAILS(2, "grep: no option --nosuch", "grep", "--nosuch", "x");
	CHECK_FAILS(2, "grep: no value is taken by --said", "grep",
		    "--said=yes", "x");
	CHECK_FAILS(2, "grep: --color: must be always, never or auto", "grep",
		    "--color=blue", "x");
	CHECK_FAILS(1, "/nofile: No such file or directory", "log", "/nofile");
	CHECK_FAILS(1,
		    "nothing: no such entry or session; not in a mounted "
		    "session (sessfs open . mounts its newest; an id of "
		    "sessfs list is enough)",
		    "log", "nothing");
}

static void missing(void)
{
	begin();
	check_all("none.jsonl", "No such file or directory",
		  KIND(ONE) | KIND(SOURCES), 0);
}

#define A_FOLDER \
	"is a folder, not a session (list --here has those of a directory)"

static void folders(void)
{
	begin();
	check_all("folder", A_FOLDER, KIND(ONE) | KIND(ENTRY), 2);
	mount_source(test_path("folder"));
	test_need(chdir(test_folder) == 0, test_folder);
	check_all("mnt", A_FOLDER, KIND(ONE) | KIND(ENTRY), 2);
}

static void folder_without_sessions(void)
{
	begin();
	make_folder(test_path("empty"));
	mount_source(test_path("empty"));
	test_need(chdir(test_folder) == 0, test_folder);
	check_all("mnt", A_FOLDER, KIND(ONE) | KIND(ENTRY), 2);
	CHECK_COMMAND(0, "",
		      "sessfs: mnt: no sessions in this folder (--here lists "
		      "those of a directory)\n",
		      "list", "mnt");
}

static void no_session(void)
{
	begin();
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		if (!r->judges && r->is != OTHER)
			CHECK(refuses(r->failed,
				      "sessfs: junk.jsonl: unknown session "
				      "format (-o dialect=lines shows it line "
				      "by line)",
				      with(r, "junk.jsonl")));
	}
	test_row = NULL;
	check_all("/dev/null", "not a regular file",
		  KIND(ONE) | KIND(ENTRY) | KIND(SOURCES), 0);
	CHECK_FAILS(1, "/dev/null: not a regular file", "open", "/dev/null");
}

static void unreadable(void)
{
	begin();
	CHECK_INT(ERRNO(chmod(mounts_session, 0)), 0);
	CHECK_INT(ERRNO(chmod(test_folder, 0755)), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		if (r->is != OTHER)
			CHECK(refuses(r->failed,
				      "sessfs: session.jsonl: Permission "
				      "denied",
				      as_nobody(with(r, "session.jsonl"))));
	}
	test_row = NULL;
}

static void piped(void)
{
	static const char script[] =
		"for c in 'check' 'fast-export' 'rescue new' 'log' 'log "
		"--tree'; "
		"do cat session.jsonl | \"$0\" $c /dev/stdin >out || "
		"test \"$c\" = 'rescue new' || echo \"$c\"; done";
	begin();
	CHECK(prints("", PIECES("sh", "-c", script, sessfs_program())));
}

/* What prints something; "@" is a damaged session in a folder of Pi's. */
struct printer {
	const char *words[6];
	int failed;
};

static const struct printer printers[] = {
	{ { "-h" }, 1 },
	{ { "--help" }, 1 },
	{ { "-V" }, 1 },
	{ { "--version" }, 1 },
	{ { "grep", "a", "@" }, 2 },
	{ { "grep", "-l", "a", "@" }, 2 },
	{ { "grep", "--heading", "a", "@" }, 2 },
	{ { "grep", "--open", "a", "@" }, 2 },
	{ { "grep", "--resume", "a", "@" }, 2 },
	{ { "open", "@" }, 1 },
	{ { "open", "--mounts" }, 1 },
	{ { "log", "@" }, 1 },
	{ { "log", "-f", "@" }, 1 },
	{ { "log", "--tree", "@" }, 1 },
	{ { "log", "--oneline", "@" }, 1 },
	{ { "log", "--file", "a.c", "@" }, 1 },
	{ { "switch", ID, "mnt" }, 1 },
	{ { "resume", ID, "mnt" }, 1 },
	{ { "resume", "--fork", ID, "mnt" }, 1 },
	{ { "list", "@" }, 1 },
	{ { "list" }, 1 },
	{ { "files", "@" }, 1 },
	{ { "fast-export", "@" }, 1 },
	{ { "check", "@" }, 2 },
	{ { "rescue", "new1", "@" }, 2 },
	{ { "rescue", "new2", "session.jsonl" }, 2 },
	{ { "keep" }, 1 },
	{ { "sources" }, 1 },
	{ { "skill", "install" }, 1 },
	{ { "complete", "sessfs", "l" }, 1 },
	{ { "open", "--close" }, 1 },
};

/* A program has no room for what it prints. */
static bool is_full(int status, const char *const argv[])
{
	const char *words[16] = { "sh", "-c", "exec \"$@\" >/dev/full", "sh" };
	size_t n = 4;
	for (size_t i = 0; argv[i] && n < COUNT(words) - 1; i++)
		words[n++] = argv[i];
	return refuses(status,
		       "sessfs: standard output: No space left on device",
		       words);
}

static void no_space(void)
{
	static const char damaged[] = "home/.pi/agent/sessions/one/a.jsonl";
	begin();
	make_folder(test_path("home/.claude"));
	make_folder_of(test_path(damaged));
	test_copy(fixture(BRANCHES), test_path(damaged));
	test_put(test_path(damaged), O_APPEND, SPAN("x\n"));
	mount_session();
	test_need(chdir(test_folder) == 0, test_folder);
	for (size_t i = 0; i < COUNT(printers); i++) {
		const char *argv[8] = { sessfs_program() };
		const char *const *w = printers[i].words;
		for (size_t n = 0; n < COUNT(printers[i].words) && w[n]; n++)
			argv[n + 1] = strcmp(w[n], "@") == 0 ? damaged : w[n];
		test_row = filled("%s %s", w[0], w[1] ? w[1] : "");
		CHECK(is_full(printers[i].failed, argv));
	}
	/* As diff(1) says it. */
	CHECK(fails_in_a_line(
		2, "standard output: No space left on device",
		PIECES("sh", "-c", "exec \"$0\" diff tree HEAD mnt >/dev/full",
		       sessfs_program())));
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].words[0];
		CHECK(is_full(1, COMMAND(test_row, "-h")));
	}
	test_row = NULL;
}

static const struct mounts_test tests[] = {
	TEST("the tables below have every command", all_are_here),
	TEST("an empty operand: one sentence, status 2", empty),
	TEST("an option that is not there, or a value; no entry", odd_options),
	TEST("a file that is not there: one sentence", missing),
	TEST("a folder where a session is wanted: one sentence, status 2",
	     folders),
	TEST("the same of a mounted folder without sessions",
	     folder_without_sessions),
	TEST("what is no session: one sentence", no_session),
	ROOT_TEST("what can't be read: one sentence", unreadable),
	TEST("output that has no space is said to be that", no_space),
	TEST("a session can be piped into what wants one", piped),
};
RUN_TESTS(tests)
