/* sessfs log, switch and diff, as a user runs them where there is no terminal.
 */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"

static void begin(void)
{
	make_home();
	mount_fixture(BRANCHES);
}

static void go_to(const char *folder)
{
	test_need(chdir(folder) == 0, folder);
}

/* The line of a text that begins like this, and comes first; empty if there is
 * none. */
static struct span line_in(const struct buf *of, const char *begins)
{
	for (struct span rest = buf_span(of); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		if (span_starts(line, span_of(begins)))
			return line;
	}
	return SPAN("");
}

static bool has_line(const struct buf *of, const char *want)
{
	for (struct span rest = buf_span(of); rest.n > 0;)
		if (span_eq(span_next(&rest, '\n'), span_of(want)))
			return true;
	return false;
}

static bool has_text(const struct buf *of, const char *want)
{
	return memmem(of->data, of->len, want, strlen(want)) != NULL;
}

/* The "entry" lines of a log with these arguments. */
#define CHECK_ENTRIES(want, ...)                                         \
	do {                                                             \
		CHECK_INT(HEAR_APART(sessfs_program(), __VA_ARGS__), 0); \
		CHECK_SPAN(lines_heard("entry"), span_of(want));         \
	} while (0)

/* A message of stderr about the mount: its path between two texts. */
static const char *about_mount(const char *before, const char *after)
{
	static char text[2 * PATH_MAX];
	snprintf(text, sizeof(text), "%s%s%s", before, mounts_at, after);
	return text;
}

/* `sessfs switch`, answered like this, moves HEAD there. */
static void check_chosen(const char *session, const char *answer,
			 const char *head)
{
	char want[128];
	snprintf(want, sizeof(want), "%s\n", head);
	test_row = answer;
	give_input(answer);
	CHECK_COMMAND(0, want, NULL, "switch", session);
	test_row = NULL;
}

static void help(void)
{
	static const char *const names[] = { "switch", "log", "diff", "say" };
	make_home();
	for (size_t i = 0; i < COUNT(names); i++) {
		char text[128];
		test_row = names[i];
		CHECK_INT(HEAR_APART(sessfs_program(), names[i], "-h"), 0);
		snprintf(text, sizeof(text), "usage: sessfs %s", names[i]);
		CHECK(line_in(&mounts_output, text).n > 0);
		snprintf(text, sizeof(text),
			 "sessfs: %s: no option -x (sessfs %s -h for help)\n",
			 names[i], names[i]);
		CHECK_COMMAND(2, "", text, names[i], "-x");
		CHECK_INT(HEAR(sessfs_program(), names[i], "a", "b", "c", "d"),
			  2);
	}
	test_row = NULL;
	CHECK_INT(HEAR(sessfs_program(), "diff", "a"), 2);
	CHECK_INT(HEAR(sessfs_program(), "log", "-n", "x"), 2);
}

/* sessfs switch */

static void chosen(void)
{
	begin();
	give_input("4\n");
	CHECK_COMMAND(0, "by-id/aa000005\n", NULL, "switch");
	CHECK(line_in(&mounts_errors, "    4  aa000005 assistant").n > 0);
	CHECK(has_text(&mounts_errors, "└─ aa000012 branch_summary"));
	go_to(test_folder);
	check_chosen("mnt", "aa000011\n", "by-id/aa000011");
	check_chosen("mnt", "by-label/good\n", "by-id/aa000008");
	check_chosen("mnt", "HEAD/parent\n", "by-id/aa000007");
	give_input("\n");
	CHECK_COMMAND(130, NULL, NULL, "switch", "mnt");
	give_input("");
	CHECK_COMMAND(130, NULL, NULL, "switch", "mnt");
	give_input("99999\n");
	CHECK_COMMAND(1, NULL, NULL, "switch", "mnt");
	CHECK(has_text(&mounts_errors, "sessfs: 99999: no such entry in "));
	CHECK_LINK("mnt/HEAD", "by-id/aa000007");
	CHECK_INT(put("mnt/by-id/aa000004/label", "here\n"), 0);
	check_chosen("mnt", "here\n", "by-id/aa000004");
}

/* A session of the Go package: entries with these numbers below these; 0 is
 * none. The head is the entry 1. */
static void write_go_tree(const int (*entries)[2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char line[512], parent[64] = "";
		if (entries[i][1] > 0)
			snprintf(parent, sizeof(parent),
				 "'parentId':'01HZZZZZZZ%016d',",
				 entries[i][1]);
		snprintf(line, sizeof(line),
			 "{'id':'01HZZZZZZZ%016d',%s'kind':'turn.user',"
			 "'ts':'2026-05-01T00:00:%02d.5Z',"
			 "'payload':{'text':'%d'}}\n",
			 entries[i][0], parent, entries[i][0], entries[i][0]);
		test_append("session.jsonl", line);
	}
	char head[64];
	snprintf(head, sizeof(head), "{'head':'01HZZZZZZZ%016d'}", 1);
	test_file("session.head.json", head);
}

/* Each line of the list has its entry. */
static void same_starts(void)
{
	/* Children are drawn by their time, which is that of their number. */
	static const int entries[][2] = { { 1, 0 }, { 5, 1 }, { 3, 1 },
					  { 2, 1 }, { 4, 2 }, { 6, 5 },
					  { 8, 2 }, { 7, 3 } };
	static const char here[] = " ← HEAD";
	struct buf list = { 0 }, order = { 0 };
	make_home();
	write_go_tree(entries, COUNT(entries));
	mount_session();
	give_input("");
	CHECK_COMMAND(130, NULL, NULL, "switch", mounts_at);
	buf_add(&list, buf_span(&mounts_errors));
	for (struct span rest = buf_span(&list); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		char number[16], id[64];
		if (span_ends(line, span_of(here)))
			line.n -= strlen(here);
		while (line.n > 0 && line.p[0] == ' ')
			line = (struct span){ line.p + 1, line.n - 1 };
		const char *text =
			line.n > 0 ? memrchr(line.p, ' ', line.n) : NULL;
		if (!text || !isdigit((unsigned char)line.p[0]))
			continue;
		buf_add(&order, (struct span){ text, (size_t)(line.p + line.n -
							      text) });
		snprintf(number, sizeof(number), "%ld\n",
			 strtol(line.p, NULL, 10));
		snprintf(id, sizeof(id), "by-id/01HZZZZZZZ%016ld",
			 strtol(text, NULL, 10));
		check_chosen(mounts_at, number, id);
	}
	CHECK_BUF(&order, " 1 2 4 8 3 7 5 6");
	buf_free(&order);
	buf_free(&list);
}

static void ids_with_spaces(void)
{
	make_home();
	mount_lines(HEADER USER("a", "null", "x") USER("b c", "'a'", "y")
			    USER("-n", "'b c'", "z"));
	check_chosen(mounts_at, "2\n", "by-id/b c");
	CHECK(has_line(&mounts_errors, "    2  b c user  y"));
	check_chosen(mounts_at, "3\n", "by-id/-n");
}

static void no_entries(void)
{
	make_home();
	mount_lines(HEADER);
	give_input("1\n");
	CHECK_FAILS(1, about_mount("sessfs: ", ": there are no entries yet"),
		    "switch", mounts_at);
}

static void back(void)
{
	begin();
	go_to(test_folder);
	CHECK_FAILS(1,
		    about_mount("sessfs: ", ": sessfs has not moved its HEAD"),
		    "switch", "-", "mnt");
	check_chosen("mnt", "aa000011\n", "by-id/aa000011");
	CHECK_COMMAND(0, "by-id/aa000025\n", NULL, "switch", "-", "mnt");
	CHECK_COMMAND(0, "by-id/aa000011\n", NULL, "switch", "-",
		      join(mounts_at, "HEAD"));
	go_to("mnt");
	CHECK_COMMAND(0, NULL, NULL, "say", "more");
	CHECK_COMMAND(0, "by-id/aa000025\n", NULL, "switch", "-");
	CHECK_HEAD("by-id/aa000025");
	/* Also after an `ln` in the mount, and after a link to where HEAD is.
	 */
	CHECK_INT(move_head("by-id/aa000004"), 0);
	CHECK_INT(move_head("by-id/aa000004"), 0);
	CHECK_COMMAND(0, "by-id/aa000025\n", NULL, "switch", "-");
	CHECK_COMMAND(0, "by-id/aa000004\n", NULL, "switch", "-");
}

static void named(void)
{
	static const char *const entries[][2] = {
		{ "aa000011", "by-id/aa000011\n" },
		{ "by-label/good", "by-id/aa000008\n" },
		{ "HEAD/parent", "by-id/aa000007\n" },
		{ "good", "by-id/aa000008\n" },
	};
	begin();
	for (size_t i = 0; i < COUNT(entries); i++)
		CHECK_COMMAND(0, entries[i][1], NULL, "switch", entries[i][0]);
	go_to(test_folder);
	CHECK_COMMAND(0, "by-id/aa000011\n", NULL, "switch", "aa000011", "mnt");
	CHECK_COMMAND(0, "by-id/aa000008\n", NULL, "switch",
		      "mnt/by-id/aa000008");
	CHECK_COMMAND(0, "by-id/aa000011\n", NULL, "switch", "-", "mnt");
	CHECK_FAILS(1, about_mount("sessfs: nosuch: no such entry in ", ""),
		    "switch", "nosuch", "mnt");
	CHECK_LINK("mnt/HEAD", "by-id/aa000011");
}

/* The session's file, in place of a mount of it. */
static void named_in_a_file(void)
{
	static const char *const beside[] = { "codex-paginated.jsonl",
					      "go-tree.jsonl" };
	make_home();
	go_to(test_folder);
	test_copy(fixture(BRANCHES), mounts_session);
	CHECK_COMMAND(0, "by-id/aa000011\n", "", "switch", "aa000011",
		      "session.jsonl");
	CHECK_COMMAND(0, "by-id/aa000004\n", "", "switch",
		      "session/by-id/aa000004");
	CHECK_COMMAND(0, "by-id/aa000011\n", "", "switch", "-",
		      "session.jsonl");
	/* The way up, from a start of an id, a label, and behind a file. */
	CHECK_COMMAND(0, "by-id/aa000001\n", "", "switch",
		      "session/by-id/aa000004/parent");
	CHECK_COMMAND(0, "by-id/aa000007\n", "", "switch", "good/parent",
		      "session.jsonl");
	CHECK_COMMAND(0, "by-id/aa000004\n", "", "switch",
		      "session/by-id/aa000004/content:1:a/parent");
	CHECK_COMMAND(0, "tree\n", "", "switch", "tree", "session.jsonl");
	give_input("4\n");
	CHECK_COMMAND(0, "by-id/aa000005\n", NULL, "switch", "session.jsonl");
	CHECK_FAILS(1, "nosuch: no such entry in session.jsonl", "switch",
		    "nosuch", "session.jsonl");
	/* HEAD is beside it, in a file that a mount watches, too. */
	for (size_t i = 0; i < COUNT(beside); i++) {
		test_row = beside[i];
		mount_fixture(beside[i]);
		const char *was = filled("%.*s\n", (int)link_at("HEAD").n,
					 link_at("HEAD").p);
		CHECK_COMMAND(0, NULL, "", "switch", "HEAD/parent",
			      mounts_session);
		const char *is = filled("%.*s\n", (int)link_at("HEAD").n,
					link_at("HEAD").p);
		CHECK_SPAN(buf_span(&mounts_output), span_of(is));
		CHECK(strcmp(was, is) != 0);
		unmount();
	}
	test_row = NULL;
}

static void no_move(void)
{
	make_home();
	test_copy(fixture(BRANCHES), mounts_session);
	mount_with("ro");
	give_input("4\n");
	CHECK_COMMAND(1, "", NULL, "switch", mounts_at);
	CHECK(span_ends(buf_span(&mounts_errors),
			span_of(about_mount(
				"sessfs: ",
				": Read-only file system (writable: no, the "
				"file or its mount is read-only)\n"))));
}

/* sessfs log */

/* The lines of the output that begin with "Words:", each after the one before
 * it. */
static struct span heard_words(void)
{
	static struct buf lines;
	struct span before = SPAN("");
	buf_clear(&lines);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		if (span_starts(line, SPAN("Words:"))) {
			buf_add(&lines, before);
			buf_addc(&lines, '\n');
			buf_add(&lines, line);
			buf_addc(&lines, '\n');
		}
		before = line;
	}
	return buf_span(&lines);
}

static void path_to_head(void)
{
	begin();
	CHECK_INT(move_head("by-id/aa000011"), 0);
	setenv("TZ", "America/New_York", 1);
	CHECK_COMMAND(0,
		      "session pi /work/demo 2026-03-01 \"Demo session\"\n\n"
		      "entry aa000011 (HEAD, dead end)\n"
		      "Kind:  assistant prov/model-a\n"
		      "Date:  2026-03-01 05:00:10 -0500\n\n"
		      "    B is worse.\n\n"
		      "entry aa000010\n"
		      "Kind:  user\n"
		      "Date:  2026-03-01 05:00:09 -0500\n\n"
		      "    try approach B\n",
		      NULL, "log", "-n", "2");
	unsetenv("TZ");
	CHECK_ENTRIES("entry aa000011 (HEAD, dead end)\nentry aa000010\n"
		      "entry aa000008 (good)\nentry aa000007\nentry aa000006\n"
		      "entry aa000005\nentry aa000004\nentry aa000003\n"
		      "entry aa000001\n",
		      "log");
	/* What is not the start of the content. */
	CHECK_SPAN(heard_words(),
		   SPAN("Kind:  toolResult\n"
			"Words: [ls] error: no such dir\n"
			"Kind:  toolResult\n"
			"Words: [read: a.c:1-10] line \"1\" line 2\n"
			"Kind:  assistant prov/model-a\n"
			"Words: Looking. [read: a.c:1-10] [ls]\n"
			"Kind:  model_change prov/model-a\n"
			"Words: prov/model-a\n"));
	CHECK_ENTRIES("entry aa000004\n", "log", "-n", "1", "aa000004");
	CHECK_ENTRIES("entry aa000008 (good)\n", "log", "-n", "1", "good");
	/* Bookkeeping is left out, unless requested. */
	CHECK_ENTRIES("entry aa000009\nentry aa000008 (good)\n", "log", "-n",
		      "2", "aa000009");
	CHECK_COMMAND(0, "", "", "log", "-n", "0");
	CHECK_COMMAND(0, "", "", "log", "tree");
	go_to(test_folder);
	CHECK_COMMAND(0, NULL, NULL, "log", "mnt");
	CHECK_SPAN(line_in(&mounts_output, "entry"),
		   SPAN("entry aa000011 (HEAD, dead end)"));
	CHECK_COMMAND(0, NULL, NULL, "log", "mnt/by-id/aa000004");
	CHECK_SPAN(line_in(&mounts_output, "entry"), SPAN("entry aa000004"));
	CHECK_FAILS(1, "nothing: no such entry", "log", "mnt/by-id/nothing");
	CHECK_FAILS(2, "can't be empty", "log", "");
}

/* One id has an apostrophe. */
static void any_parents(void)
{
	static const char quoted[] =
		"{\"type\":\"message\",\"id\":\"it's *\","
		"\"parentId\":\"50%41\","
		"\"timestamp\":\"2026-03-01T10:00:01.000Z\","
		"\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
	static const char head[] =
		"{\"type\":\"custom\",\"customType\":\"sessfs.head\","
		"\"data\":{},\"id\":\"h\",\"parentId\":\"it's *\","
		"\"timestamp\":\"2026-03-01T10:00:09.000Z\"}\n";
	make_home();
	ADD_LINES(HEADER, USER("a/b", "null", "x"), USER("b c", "'a/b'", "x"),
		  USER("content", "'b c'", "x"), USER("-n", "'content'", "x"),
		  USER("50%41", "'-n'", "x"));
	test_put(mounts_session, O_APPEND, span_of(quoted));
	ADD_LINES(USER("b", "'a'", "x"), USER("a", "null", "x"));
	test_put(mounts_session, O_APPEND, span_of(head));
	mount_session();
	CHECK_ENTRIES("entry it's * (HEAD)\nentry 50%2541\nentry -n\n"
		      "entry %63onten\nentry b c\nentry a%2Fb\n",
		      "log", mounts_at);
}

static void long_texts(void)
{
	struct buf lines = { 0 }, wide = { 0 }, want = { 0 };
	make_home();
	for (int i = 1; i <= 20; i++)
		buf_addf(&lines, "line %d\\n", i);
	for (int i = 0; i < 900; i++)
		buf_adds(&wide, "é");
	test_file("session.jsonl", HEADER);
	append_user("aa000001", NULL, buf_cstr(&lines));
	append_user("aa000002", "aa000001", buf_cstr(&wide));
	mount_session();
	CHECK_COMMAND(0, NULL, NULL, "log", mounts_at);
	struct span rest = buf_span(&mounts_output), line = rest;
	CHECK(has_line(&mounts_output, "    line 10"));
	CHECK(span_ends(rest, SPAN("\n    …\n")));
	for (int i = 0; i < 7; i++)
		line = span_next(&rest, '\n');
	buf_adds(&want, "    ");
	for (int i = 0; i < 500; i++)
		buf_adds(&want, "é");
	buf_adds(&want, "…");
	CHECK_SPAN(line, buf_span(&want));
	buf_free(&lines);
	buf_free(&wide);
	buf_free(&want);
}

/* Only of the first entry, and the line stands out. */
static void around_a_line(void)
{
	struct buf lines = { 0 };
	make_home();
	for (int i = 1; i <= 60; i++)
		buf_addf(&lines, "line %d\\n", i);
	test_file("session.jsonl", HEADER);
	append_user("aa000001", NULL, buf_cstr(&lines));
	append_user("aa000002", "aa000001", buf_cstr(&lines));
	CHECK_COMMAND(0, NULL, NULL, "log", "--at", "20", mounts_session);
	CHECK(has_text(&mounts_output, "\n    line 18\n    line 19\n"
				       "  > line 20\n    line 21\n"));
	CHECK(has_text(&mounts_output, "    line 47\n    …\n\nentry aa000001"));
	CHECK(has_text(&mounts_output, "\n    line 1\n"));
	CHECK(!has_line(&mounts_output, "    line 17"));
	CHECK_COMMAND(0, NULL, NULL, "log", "--at", "1", mounts_session);
	CHECK(has_text(&mounts_output, "  > line 1\n    line 2\n"));
	CHECK_FAILS(2, "--at=0: must be a number", "log", "--at", "0",
		    mounts_session);
	buf_free(&lines);
}

static void deep(void)
{
	size_t n = 0;
	make_home();
	write_many("chain", 1000);
	mount_session();
	CHECK_COMMAND(0, NULL, NULL, "log", mounts_at);
	for (struct span rest = lines_heard("entry"); rest.n > 0; n++)
		span_next(&rest, '\n');
	CHECK_INT(n, 1000);
	check_chosen(mounts_at, "501\n", "by-id/000001f4");
	CHECK_INT(move_head("by-id/000003e7"), 0);
	CHECK_COMMAND(1, NULL, NULL, "diff", "00000000", "000003e7", mounts_at);
	n = 0;
	for (struct span rest = lines_heard("+"); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		n += memmem(line.p, line.n, "entry", 5) != NULL;
	}
	CHECK_INT(n, 999);
}

/* The last two digits of the ids that `sessfs log --oneline` has printed. */
static struct span heard_ids(void)
{
	static struct buf ids;
	static const char start[] = "aa0000";
	buf_clear(&ids);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next(&rest, '\n'),
			    id = span_next(&line, ' ');
		if (!span_starts(id, span_of(start)))
			continue;
		buf_adds(&ids, ids.len > 0 ? " " : "");
		buf_add(&ids, (struct span){ id.p + strlen(start),
					     id.n - strlen(start) });
	}
	return buf_span(&ids);
}

#define CHECK_IDS(want, ...)                                               \
	do {                                                               \
		CHECK_INT(HEAR_APART(sessfs_program(), "log", "--oneline", \
				     __VA_ARGS__),                         \
			  0);                                              \
		CHECK_SPAN(heard_ids(), span_of(want));                    \
	} while (0)

static void parts(void)
{
	/* 18 is a row for 17, too. */
	static const char all[] =
		"25 24 23 21 20 19 18 12 08 07 06 05 04 03 01";
	make_home();
	test_copy(fixture(BRANCHES), mounts_session);
	go_to(test_folder);
	/* Of a file that is not mounted. */
	CHECK_IDS(all, "session.jsonl");
	CHECK_IDS(all, "session");
	CHECK_IDS("08 07 06 05 04 03 01", "session/by-id/aa000008");
	mount_session();
	CHECK_INT(HEAR_APART(sessfs_program(), "log", "--oneline"), 0);
	CHECK_SPAN(heard_ids(), span_of(all));
	CHECK_SPAN(lines_heard("aa000018"), SPAN("aa000018 2 notes\n"));
	CHECK_IDS("25 24 23 21 20 19 18 17 12 08 07 06 05 04 03 01", "--all");
	CHECK_IDS("18 17 12 08 07 06 05 04 03 01", "aa000018");
	CHECK_IDS("17 12 08 07 06 05 04 03 01", "aa000017");
	CHECK_IDS("17 18 19", "-n", "3", "-a", "--after", "aa000012");
	CHECK_IDS("18 19 20", "-n", "3", "--after", "aa000012");
	CHECK_IDS("25 24", "-n", "2");
	CHECK_IDS("24 25", "--after", "aa000023");
	CHECK_IDS("05 06", "-n", "2", "--after", "aa000004");
	CHECK_IDS("10 11", "--after", "good", "dead end");
	CHECK_IDS("11", "--after", "aa000010");
	CHECK_IDS("", "--after", "HEAD");
	CHECK_IDS("", "--after", "aa000011");
	CHECK_IDS("11 10", "good..dead end");
	CHECK_IDS("25 24 23 21 20 19 18 12", "dead end..");
	CHECK_IDS("11 10", "HEAD..aa000011");
	CHECK_IDS("11 10", "..aa000011");
	CHECK_IDS("", "aa000025..aa000005");
	CHECK_FAILS(1, "aa000025: is not above the entry", "log", "--after",
		    "aa000025", "aa000011");
	CHECK_FAILS(1, about_mount("nothing: no such entry in ", ""), "log",
		    "good..nothing");
	CHECK_FAILS(2, "can't be empty", "log", "--after", "");
	CHECK_INT(HEAR(sessfs_program(), "log", "--after"), 2);
	CHECK_COMMAND(0,
		      "session pi /work/demo 2026-03-01 \"Demo session\"\n"
		      "aa000008 assistant  Done with approach A. (good)\n",
		      NULL, "log", "--oneline", "-n", "1", "good");
	/* Nothing is below it, but the next one is beside it. */
	CHECK_INT(say("{'role':'user','content':'C','parentId':'aa000010'}"),
		  0);
	CHECK_IDS("", "--after", "aa000011");
	CHECK_INT(move_head("tree"), 0);
	CHECK_IDS("01 03", "-n", "2", "--after", "tree");
}

/* Rules: K4 */
static void only_said(void)
{
	begin();
	CHECK_COMMAND(0, NULL, NULL, "log", "--oneline", "--said");
	CHECK(!has_text(&mounts_output, " system "));
	CHECK(has_text(&mounts_output, " user  list the files"));
	CHECK_COMMAND(0, NULL, NULL, "log", "--said", "-n", "1", "--oneline");
	struct span rest = buf_span(&mounts_output);
	span_next(&rest, '\n');
	span_next(&rest, '\n');
	CHECK_INT(rest.n, 0);
	CHECK(has_text(&mounts_output, "\naa0000"));
	CHECK(span_ends(buf_span(&mounts_output), SPAN("\n")));
}

static void whole_tree(void)
{
	static const char *const fixtures[] = { BRANCHES, "claude-basic.jsonl",
						"omp-v3-compaction.jsonl",
						"codex-paginated.jsonl",
						"go-tree.jsonl" };
	make_home();
	for (size_t i = 0; i < COUNT(fixtures); i++) {
		struct buf want = { 0 };
		test_row = fixtures[i];
		mount_fixture(fixtures[i]);
		buf_add(&want, text_of("tree.txt"));
		CHECK(want.len > 0);
		buf_addc(&want, '\0');
		CHECK_COMMAND(0, want.data, "", "log", "--tree",
			      mounts_session);
		CHECK_COMMAND(0, want.data, "", "log", "--tree");
		CHECK_COMMAND(0, want.data, "", "log", "--tree", "HEAD");
		unmount();
		CHECK_COMMAND(0, want.data, "", "log", "--tree",
			      mounts_session);
		buf_free(&want);
	}
	test_row = NULL;
	CHECK_COMMAND(2, "",
		      "sessfs: log: with --tree only a session can be chosen\n",
		      "log", "--tree", "-n", "1", mounts_session);
}

/* sessfs diff */

/* The names that the output of a diff begins with. */
#define CHECK_COMPARED(names) \
	CHECK(span_starts(buf_span(&mounts_output), SPAN(names)))

static void contexts(void)
{
	begin();
	CHECK_COMMAND(1, NULL, "", "diff", "aa000004", "aa000008");
	CHECK_COMPARED("--- aa000004\n+++ aa000008\n");
	CHECK(has_text(&mounts_output, "+[Assistant]: Done with approach A."));
	CHECK_COMMAND(1, NULL, "", "diff", "dead end", "good");
	CHECK_COMPARED("--- aa000011\n+++ aa000008\n");
	CHECK_COMMAND(0, "", "", "diff", "HEAD", "aa000025");
	CHECK_COMMAND(1, NULL, "", "diff", "tree", "HEAD/parent");
	CHECK_COMPARED("--- tree\n");
	go_to(test_folder);
	CHECK_COMMAND(1, NULL, "", "diff", "aa000004", "HEAD", "mnt");
	CHECK_COMMAND(1, NULL, "", "diff", "mnt/by-id/aa000004", "mnt");
	CHECK_COMPARED("--- aa000004\n+++ aa000025\n");
	CHECK_FAILS(2, "nothing: no such entry", "diff", "HEAD", "nothing",
		    "mnt");
	CHECK_FAILS(2, "home: is a folder, not a session", "diff", "HEAD",
		    "HEAD", "home");
}

static void contexts_not_mounted(void)
{
	make_home();
	test_copy(fixture(BRANCHES), mounts_session);
	test_copy(fixture(BRANCHES), test_path("other.jsonl"));
	go_to(test_folder);
	CHECK_COMMAND(0, NULL, NULL, "diff", "session.jsonl", "other.jsonl");
	CHECK_COMMAND(1, NULL, NULL, "diff", "session/by-id/aa000004", "other");
	CHECK_COMPARED("--- aa000004\n+++ aa000025\n");
	CHECK_COMMAND(1, NULL, NULL, "diff", "good", "dead end",
		      "session.jsonl");
}

static void controls_in_an_id(void)
{
	struct buf screen = { 0 };
	make_home();
	mount_lines(HEADER USER("aa000001", "null", "one")
			    USER("\\u009b7m", "'aa000001'", "two"));
	give_input("");
	CHECK_COMMAND(130, NULL, NULL, "switch", mounts_at);
	buf_add(&screen, buf_span(&mounts_errors));
	buf_add(&screen, text_of("tree.txt"));
	buf_add(&screen, text_of("HEAD/meta"));
	CHECK(has_text(&screen, "7m"));
	CHECK(!has_text(&screen, "\xc2\x9b"));
	buf_free(&screen);
}

/* Of a file and of a mount: what is appended, and where it goes on. */
static void followed(void)
{
	char out[256], said[256];
	make_home();
	mount_lines(HEADER USER("00000001", "null", "one")
			    ASSISTANT("00000002", "'00000001'", "two")
				    ENTRY("custom", "00000003", "'00000002'",
					  ",'customType':'note'"));
	snprintf(out, sizeof(out), "%s", test_path("out"));
	snprintf(said, sizeof(said), "%s", test_path("said-only"));
	pid_t all = start_program(
		COMMAND("log", "-f", "--oneline", mounts_session), out);
	pid_t people = start_program(
		COMMAND("log", "--follow", "--said", "-n", "1", mounts_at),
		said);
	WAIT_UNTIL(has(out, "two\n") && has(said, "two\n"));
	append_user("00000004", "00000003", "three");
	WAIT_UNTIL(has(out, "three\n") && has(said, "three\n"));
	test_append("session.jsonl", ENTRY("custom", "00000005", "'00000004'",
					   ",'customType':'note'"));
	append_user("00000006", "00000002", "aside");
	append_user("00000007", "00000006", "more");
	WAIT_UNTIL(has(out, "more\n") && has(said, "more\n"));
	/* Jobs in the background of a script ignore SIGINT. */
	CHECK_INT(kill(people, SIGTERM), 0);
	CHECK_INT(wait_program(people), -1);
	CHECK_INT(ERRNO(unlink(mounts_session)), 0);
	CHECK_INT(wait_program(all), 0);
	struct span text = text_of(out);
	CHECK(span_starts(text, SPAN("session pi ")));
	span_next_line(&text);
	CHECK_SPAN(text, SPAN("00000001 user  one\n"
			      "00000002 assistant  two\n"
			      "00000004 user  three\n"
			      "00000005 custom  note\n"
			      "goes on from 00000002\n"
			      "00000006 user  aside\n00000007 user  more\n"));
	CHECK(!has(said, "    one\n") && !has(said, "custom"));
	CHECK(has(said, "\n\ngoes on from 00000002\n\nentry 00000006\n"));
	CHECK_FAILS(2, "-f takes no --role, --tool or --file", "log", "-f",
		    "--file", "x", mounts_at);
}

static const struct mounts_test tests[] = {
	TEST("-h prints a summary, and usage errors are reported", help),
	TEST("sessfs switch moves HEAD to the entry chosen from a list",
	     chosen),
	TEST("ids with the same start are distinguished by their places",
	     same_starts),
	TEST("ids with spaces are listed too", ids_with_spaces),
	TEST("sessfs switch reports a session without entries", no_entries),
	TEST("sessfs switch - moves HEAD back to where it was", back),
	TEST("sessfs switch moves HEAD to an entry that is named", named),
	TEST("sessfs switch needs no mount, and one shows the move at once",
	     named_in_a_file),
	TEST("where HEAD can't be moved, sessfs switch says why", no_move),
	TEST("sessfs log shows the path to HEAD, newest first", path_to_head),
	TEST("sessfs log follows parents of any name", any_parents),
	TEST("sessfs log cuts long texts", long_texts),
	TEST("sessfs log --at shows a line with those around it",
	     around_a_line),
	TEST("a thousand entries deep", deep),
	TEST("sessfs log shows what comes after an entry, or a part of the "
	     "path",
	     parts),
	TEST("sessfs log --said leaves out what nobody said or did", only_said),
	TEST("sessfs log -f shows what is appended", followed),
	TEST("sessfs log --tree prints tree.txt", whole_tree),
	TEST("sessfs diff compares two contexts", contexts),
	TEST("sessfs diff compares sessions that are not mounted",
	     contexts_not_mounted),
	TEST("control characters of an id do not reach the terminal",
	     controls_in_an_id),
};
RUN_TESTS(tests)
