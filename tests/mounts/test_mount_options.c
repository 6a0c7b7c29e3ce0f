/* The options of -o: help, completion and what is taken are one list. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"

/* Any of a list: no dialect is told from another. */
static struct span without_dialect(struct span word)
{
	return span_starts(word, SPAN("dialect=")) ? SPAN("dialect=") : word;
}

static void add_name(struct buf *to, struct span name)
{
	struct buf known = { 0 };
	buf_adds(&known, " ");
	buf_add(&known, name);
	buf_adds(&known, " ");
	if (to->len == 0)
		buf_addc(to, ' ');
	if (!memmem(to->data, to->len, known.data, known.len)) {
		buf_add(to, name);
		buf_addc(to, ' ');
	}
	buf_free(&known);
}

/* What the help of a command, or of sessfs, has after "-o". */
static void add_helped(struct buf *to, const char *command)
{
	if (command)
		CHECK_COMMAND(0, NULL, "", command, "-h");
	else
		CHECK_COMMAND(0, NULL, "", "-h");
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		if (!span_starts(line, SPAN("  -o ")) ||
		    !islower((unsigned char)line.p[5]))
			continue;
		line = (struct span){ line.p + 5, line.n - 5 };
		struct span name = span_next(&line, ' ');
		const char *equals = memchr(name.p, '=', name.n);
		if (equals)
			name.n = (size_t)(equals + 1 - name.p);
		add_name(to, name);
	}
}

/* What completion offers after "-o". */
static void add_offered(struct buf *to, const char *command)
{
	if (command)
		CHECK_COMMAND(0, NULL, "", "complete", "--", "sessfs", command,
			      "-o", "");
	else
		CHECK_COMMAND(0, NULL, "", "complete", "--", "sessfs", "-o",
			      "");
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span record = span_next(&rest, '\0');
		struct span word = span_next(&record, '\t');
		CHECK(word.n > 1 && record.n > 0);
		add_name(to, without_dialect(
				     (struct span){ word.p + 1, word.n - 1 }));
	}
}

/* Is an option taken? The operand is not there. */
static bool is_taken(const char *command, struct span name)
{
	const char *value = !span_ends(name, SPAN("="))		 ? ""
			    : span_starts(name, SPAN("dialect")) ? "pi"
								 : "50";
	const char *option = filled("%.*s%s", (int)name.n, name.p, value);
	int status = hear_apart(
		strcmp(command, "export") == 0
			? COMMAND(command, "-o", option, "new", "none.jsonl")
			: COMMAND(command, "-o", option, "none.jsonl"));
	bool unknown = span_starts(buf_span(&mounts_errors),
				   SPAN("sessfs: unknown option"));
	CHECK(!unknown || status == 2);
	return !unknown;
}

static void one_list(void)
{
	static const char *const rows[][2] = {
		{ "list", " dialect= resumable " },
		{ "check", " dialect= keep= " },
		{ "export", " ro force dialect= keep= stats color columns= " },
	};
	static const char *const all[] = {
		"ro",	 "force", "dialect=", "keep=",	   "poll=",
		"stats", "color", "columns=", "resumable", "allow_other"
	};
	test_need(chdir(test_folder) == 0, test_folder);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf helped = { 0 }, offered = { 0 }, taken = { 0 };
		test_row = rows[i][0];
		add_helped(&helped, rows[i][0]);
		CHECK_SPAN(buf_span(&helped), span_of(rows[i][1]));
		add_offered(&offered, rows[i][0]);
		CHECK_SPAN(buf_span(&offered), span_of(rows[i][1]));
		for (size_t k = 0; k < COUNT(all); k++) {
			if (is_taken(rows[i][0], span_of(all[k])))
				add_name(&taken, span_of(all[k]));
		}
		CHECK_SPAN(buf_span(&taken), span_of(rows[i][1]));
		buf_free(&helped);
		buf_free(&offered);
		buf_free(&taken);
	}
	test_row = NULL;
}

static void of_a_mount(void)
{
	static const char *const rare[] = {
		"keep=",    "poll=",	    "stats",
		"columns=", "auto_unmount", "max_read="
	};
	struct buf helped = { 0 }, offered = { 0 }, opened = { 0 },
		   often = { 0 };
	add_helped(&helped, NULL);
	add_offered(&offered, NULL);
	add_offered(&opened, "open");
	CHECK_SPAN(buf_span(&opened), buf_span(&offered));
	/* The rare ones are in the man page. */
	for (struct span rest = buf_span(&offered); rest.n > 0;) {
		struct span name = span_next(&rest, ' ');
		bool is_rare = false;
		for (size_t i = 0; i < COUNT(rare); i++)
			is_rare |= span_eq(name, span_of(rare[i]));
		if (!is_rare && name.n > 0)
			add_name(&often, name);
	}
	CHECK_SPAN(buf_span(&helped), buf_span(&often));
	buf_free(&often);
	CHECK(!memmem(offered.data, offered.len, "resumable", 9));
	CHECK_COMMAND(2, "", "sessfs: unknown option(s): `-o resumable'\n",
		      "-o", "resumable", mounts_session, mounts_at);
	buf_free(&helped);
	buf_free(&offered);
	buf_free(&opened);
}

static void values(void)
{
	static const char *const rows[][2] = {
		{ "keep=0", "must be a number from 1 to 131072" },
		{ "keep=", "must be a number from 1 to 131072" },
		{ "columns=39", "must be a number from 40 to 1000" },
		{ "max_read=-1", "must be a number from 0 to 2147483647" },
		{ "poll=0", "must be a number of seconds from 0.01 to 86400" },
		{ "poll=1s", "must be a number of seconds from 0.01 to 86400" },
	};
	test_copy(fixture(BRANCHES), mounts_session);
	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(refuses(
			2, filled("sessfs: %s: %s", rows[i][0], rows[i][1]),
			COMMAND("-o", rows[i][0], mounts_session, mounts_at)));
	CHECK_FAILS(2, "unknown option(s): `-o keep'", "-o", "keep",
		    mounts_session, mounts_at);
	CHECK_FAILS(2, "unknown dialect 'nosuch'", "-o", "ro,dialect=nosuch",
		    mounts_session, mounts_at);
	mount_with("ro,color,columns=50,keep=3,poll=0.5,stats,dialect=pi,"
		   "max_read=8192");
	CHECK_VALUE("info", "dialect", "pi");
	CHECK_VALUE("info", "dialect-why", "-o dialect");
	CHECK_VALUE("info", "writable",
		    "no, the file or its mount is read-only");
	CHECK_HAS("tree.txt", "\033[");
}

static const struct mounts_test tests[] = {
	TEST("help and completion of a command name what it takes", one_list),
	TEST("help and completion of a mount name the same", of_a_mount),
	TEST("values of a mount's options", values),
};
RUN_TESTS(tests)
