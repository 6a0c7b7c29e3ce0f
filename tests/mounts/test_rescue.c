/*
 * sessfs rescue: a damaged session is written anew, with everything in it
 * that can be read. What a shell reads of the report is in tests/rescue.bats.
 */
#include "tests/mounts/mounts.h"

/* A user message: id, parent as JSON, seconds in two digits, text. */
#define AT(id, parent, seconds, text)                        \
	"{'type':'message','id':'" id "','parentId':" parent \
	",'timestamp':'2026-03-01T10:00:" seconds            \
	".000Z','message':{'role':'user','content':'" text   \
	"','timestamp':1772359201000}}\n"

/* A line of Claude Code: uuid, parent as JSON, whether it is a sidechain's,
 * text, the member with the time, version. */
#define TIME(seconds) "'timestamp':'2026-03-01T10:00:" seconds ".000Z',"
#define SAID(id, parent, is_side, text, time, version)                     \
	"{'parentUuid':" parent ",'isSidechain':" is_side                  \
	",'type':'user','message':{'role':'user','content':'" text         \
	"'},'uuid':'" id "'," time "'sessionId':'5e55f500-0000-4000-8000-" \
	"000000000009','version':'" version "'}\n"

#define OUT "new.jsonl"

/* What the last rescue has printed. */
static struct buf report;

/* Files are named as they are in the test's folder. The session is empty. */
static void begin(void)
{
	test_need(chdir(test_folder) == 0, test_folder);
	test_file("session.jsonl", "");
}

/* Write the session. */
#define WRITE(...)                      \
	do {                            \
		begin();                \
		ADD_LINES(__VA_ARGS__); \
	} while (0)

/* Append the first bytes of a line. */
static void add_part(const char *line, size_t n)
{
	char part[512];
	test_need(n < sizeof(part), "a long part");
	snprintf(part, sizeof(part), "%.*s", (int)n, line);
	test_append("session.jsonl", part);
}

/* Append a line without its newline. */
static void add_open(const char *line)
{
	add_part(line, strlen(line) - 1);
}

static void add_nuls(size_t n)
{
	static const char nuls[4096];
	test_put("session.jsonl", O_APPEND, (struct span){ nuls, n });
}

/* Keep the report. Its lines but the last two. */
static struct span without_end(void)
{
	buf_clear(&report);
	buf_add(&report, buf_span(&mounts_output));
	struct span s = buf_span(&report);
	for (int i = 0; i < 2; i++) {
		s.n -= s.n > 0;
		while (s.n > 0 && s.p[s.n - 1] != '\n')
			s.n--;
	}
	return s;
}

/* The Nth line of the report, from 0 on, or from -1 backwards. */
static struct span report_line(int n)
{
	int lines = 0;
	for (size_t i = 0; i < report.len; i++)
		lines += report.data[i] == '\n';
	struct span rest = buf_span(&report), line = span_next_line(&rest);
	for (int i = n < 0 ? lines + n : n; i > 0; i--)
		line = span_next_line(&rest);
	return line;
}

/* The Nth line of a file, from 1 on. */
static struct span line_of(const char *path, int n)
{
	struct span rest = text_of(path), line = span_next_line(&rest);
	for (; n > 1; n--)
		line = span_next_line(&rest);
	return line;
}

/* How often is it in the text? */
static size_t count_of(struct span s, const char *text)
{
	size_t n = 0;
	const char *at;
	while ((at = memmem(s.p, s.n, text, strlen(text)))) {
		s.n -= (size_t)(at + strlen(text) - s.p);
		s.p = at + strlen(text);
		n++;
	}
	return n;
}

/* Is session.jsonl rescued with this report, but for its last two lines, and is
 * the new file fine then? The dialect may be NULL. */
static void check_rescued(const char *dialect, const char *want)
{
	struct buf before = { 0 };
	const char *const argv[] = {
		sessfs_program(), "rescue", "-o", dialect, OUT,
		"session.jsonl",  NULL
	};
	const char *const plain[] = { sessfs_program(), "rescue", OUT,
				      "session.jsonl", NULL };
	unlink(OUT);
	test_read("session.jsonl", &before);
	CHECK_INT(hear_apart(dialect ? argv : plain), 0);
	CHECK_SPAN(buf_span(&mounts_errors), SPAN(""));
	CHECK_SPAN(without_end(), span_of(want));
	CHECK_SPAN(text_of("session.jsonl"), buf_span(&before));
	CHECK_INT(HEAR(sessfs_program(), "check", OUT), 0);
	CHECK_INT(stat_of(OUT).st_mode & 07777, 0600);
	buf_free(&before);
}

/* Does sessfs refuse to write this file with this line, alone? */
static void check_refused(const char *out, const char *file, const char *want)
{
	CHECK_INT(HEAR_APART(sessfs_program(), "rescue", out, file), 2);
	CHECK_SPAN(buf_span(&mounts_errors), span_of(want));
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
}

/* Add the entry of a line, and the parent, which is the member after the id. */
static void add_parent(struct buf *b, struct span line)
{
	static const char before[] = "\"id\":\"",
			  between[] = "\",\"parentId\":";
	const char *end = line.p + line.n,
		   *at = memmem(line.p, line.n, between, strlen(between)),
		   *id = at;
	while (id && id > line.p && id[-1] != '"')
		id--;
	if (!id || (size_t)(id - line.p) < strlen(before) ||
	    memcmp(id - strlen(before), before, strlen(before)) != 0)
		return;
	buf_add(b, (struct span){ id, (size_t)(at - id) });
	buf_addc(b, ' ');
	at += strlen(between);
	at += at < end && *at == '"';
	for (; at < end && *at != '"' && *at != ','; at++)
		buf_addc(b, *at);
	buf_addc(b, '\n');
}

/* Are these the entries of the new file, in this order, and their parents? */
static void check_parents(const char *want)
{
	struct buf b = { 0 };
	for (struct span rest = text_of(OUT); rest.n > 0;)
		add_parent(&b, span_next_line(&rest));
	CHECK_BUF(&b, want);
	buf_free(&b);
}

/* Is this the first line of the new file, but for the session's id? In it '
 * stands for ". */
static void check_header(const char *want)
{
	static const char id[] = "\"id\":\"";
	struct buf b = { 0 }, wanted = test_quoted(want);
	struct span line = line_of(OUT, 1);
	const char *at = memmem(line.p, line.n, id, strlen(id));
	test_need(at != NULL, "a header without an id");
	at += strlen(id);
	buf_add(&b, (struct span){ line.p, (size_t)(at - line.p) });
	struct span rest = { at, (size_t)(line.p + line.n - at) };
	CHECK(span_next(&rest, '"').n > 0);
	buf_addc(&b, '"');
	buf_add(&b, rest);
	buf_addc(&b, '\n');
	CHECK_SPAN(buf_span(&b), buf_span(&wanted));
	buf_free(&b);
	buf_free(&wanted);
}

/* The lines of a file with one of these ids, each of one character. */
static void add_those(struct buf *b, const char *path, const char *ids)
{
	for (struct span rest = text_of(path); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		for (const char *id = ids; *id; id++) {
			char text[16];
			snprintf(text, sizeof(text), "\"id\":\"%c\"", *id);
			if (count_of(line, text) == 0)
				continue;
			buf_add(b, line);
			buf_addc(b, '\n');
		}
	}
}

/* "open it with: " and a command for a file of the working directory. */
static void check_opened(struct span line, const char *command,
			 const char *name, const char *more)
{
	char want[2 * PATH_MAX], at[PATH_MAX];
	test_need(getcwd(at, sizeof(at)) != NULL, "getcwd");
	snprintf(want, sizeof(want), "open it with: %s %s/%s%s", command, at,
		 name, more);
	CHECK_SPAN(line, span_of(want));
}

static void broken_links(void)
{
	struct buf before = { 0 }, after = { 0 },
		   header = test_quoted(OMP_HEADER);
	WRITE(OMP_HEADER, AT("1", "null", "01", "one"),
	      AT("2", "'1'", "02", "two"), AT("4", "'3'", "04", "four"),
	      AT("5", "'4'", "05", "five"), AT("9", "'8'", "03", "late"),
	      AT("6", "'5'", "06", "six"), AT("0", "'gone'", "00", "first"),
	      AT("c", "'d'", "07", "cycle"), AT("d", "'c'", "08", "cycle"),
	      AT("r", "null", "09", "a second root"));
	check_rescued(NULL,
		      "session.jsonl:4: 4: the parent 3 is missing: joined to "
		      "9, line 6\n"
		      "session.jsonl:6: 9: the parent 8 is missing: joined to "
		      "2, line 3\n"
		      "session.jsonl:8: 0: the parent gone is missing: nothing "
		      "is older, made a root\n"
		      "session.jsonl:9: c: parents form a cycle: joined to 6, "
		      "line 7\n");
	check_parents("1 null\n2 1\n4 9\n5 4\n9 2\n6 5\n0 null\nc 6\nd c\n"
		      "r null\n");
	CHECK_SPAN(report_line(-2), SPAN("new.jsonl: 10 entries; the agent "
					 "continues from r, line 11"));
	check_opened(report_line(-1), "omp --resume", OUT, "");
	/* All other lines keep their bytes. */
	add_those(&before, "session.jsonl", "1256dr");
	add_those(&after, OUT, "1256dr");
	CHECK_SPAN(buf_span(&after), buf_span(&before));
	/* The session has another id. */
	CHECK(span_starts(text_of(OUT), (struct span){ header.data, 35 }));
	CHECK(!span_starts(text_of(OUT), buf_span(&header)));
	buf_free(&before);
	buf_free(&after);
	buf_free(&header);
}

static void older_than_parents(void)
{
	WRITE(HEADER, AT("1", "null", "01", "one"),
	      AT("9", "'gone'", "09", "nine"), AT("8", "'9'", "08", "eight"),
	      AT("7", "'8'", "07", "seven"));
	check_rescued(NULL, "session.jsonl:3: 9: the parent gone is missing: "
			    "joined to 1, line 2\n");
}

static void not_json(void)
{
	WRITE(HEADER, AT("1", "null", "01", "one"));
	add_nuls(4096);
	ADD_LINES(AT("2", "'1'", "02", "two"));
	add_part(AT("3", "'2'", "03", "torn {"), 120);
	ADD_LINES(AT("4", "'3'", "04", "four"));
	add_open(AT("5", "'4'", "05", "five"));
	ADD_LINES(AT("6", "'5'", "06", "six"),
		  "{'type':'custom','id':'x','data':{'type':'message',"
		  "'id':'inner'},\n");
	add_part(AT("7", "'6'", "07", "the last"), 100);
	check_rescued(NULL,
		      "session.jsonl:3: not JSON: 1 object in it taken; 4096 "
		      "bytes can't be read, all NUL\n"
		      "session.jsonl:4: not JSON: 1 object in it taken; 120 "
		      "bytes can't be read\n"
		      "session.jsonl:5: not JSON: 2 objects in it taken\n"
		      "session.jsonl:6: not JSON: 65 bytes can't be read\n"
		      "session.jsonl:7: not JSON: 100 bytes can't be read\n"
		      "session.jsonl:4: 4: the parent 3 is missing: joined to "
		      "2, line 3\n");
	check_parents("1 null\n2 1\n4 2\n5 4\n6 5\n");
}

static void control_characters(void)
{
	WRITE(HEADER, AT("1", "null", "01", "one"),
	      AT("2", "'1'", "02", "say \\\"a\tb\\\" e\033"),
	      "{'type':'message','id':'3','parentId':'2',"
	      "'timestamp':'2026-03-01T10:00:03.000Z','message':{,'role':"
	      "'user','content':'t\tree','timestamp':1772359201000}}\n");
	check_rescued(NULL,
		      "session.jsonl:3: control characters in a string: "
		      "escaped\n"
		      "session.jsonl:4: not JSON: 152 bytes can't be read\n");
	check_parents("1 null\n2 1\n");
	CHECK_HAS(OUT, "\"say \\\"a\\u0009b\\\" e\\u001b\"");
}

static void without_newlines(void)
{
	begin();
	add_open(HEADER);
	add_open(AT("1", "null", "01", "one"));
	add_open(AT("2", "'1'", "02", "two"));
	check_rescued(NULL,
		      "session.jsonl:1: not JSON: 3 objects in it taken\n");
	check_parents("1 null\n2 1\n");
}

static void made_header(void)
{
	static const char header[] = HEADER;
	begin();
	add_nuls(120);
	/* It has lost its first two bytes and its end. */
	add_part(header + 2, strlen(header + 2) - 2);
	ADD_LINES(",'mo\n", AT("1", "null", "01", "one"));
	check_rescued(NULL,
		      "session.jsonl:1: not JSON: 253 bytes can't be read, 120 "
		      "of them NUL\n"
		      "session.jsonl:1: no header: made of what is known\n");
	check_header("{'type':'session','version':3,'id':'',"
		     "'timestamp':'2026-03-01T10:00:00.000Z',"
		     "'cwd':'/work/demo'}\n");
	WRITE(AT("1", "null", "01", "one"));
	check_rescued(NULL, "session.jsonl:1: no header: made, without a "
			    "directory\n");
	check_header("{'type':'session','version':3,'id':'',"
		     "'timestamp':'2026-03-01T10:00:01.000Z'}\n");
}

static void headers(void)
{
	WRITE(AT("1", "null", "01", "one"), HEADER);
	check_rescued(NULL, "session.jsonl:2: a late header: moved to the "
			    "start\n");
	WRITE(HEADER, AT("1", "null", "01", "one"), HEADER);
	check_rescued(NULL, "session.jsonl:3: another header: left out\n");
	WRITE("{'type':'session','version':3,'cwd':'/x'}\n",
	      AT("1", "null", "01", "one"));
	check_rescued(NULL,
		      "session.jsonl:1: a header without an id: given one\n");
	check_header("{'type':'session','version':3,'cwd':'/x','id':''}\n");
	WRITE("\xef\xbb\xbf", HEADER, AT("1", "null", "01", "one"));
	check_rescued(NULL, "session.jsonl:1: a byte order mark: left out\n");
}

static void not_loaded(void)
{
	WRITE(HEADER, AT("1", "null", "01", "one"), "null\n", "7\n", "\n",
	      AT("2", "'1'", "02", "two"), "{'type':'custom'}\n");
	CHECK_INT(HEAR(sessfs_program(), "rescue", OUT, "session.jsonl"), 0);
	CHECK_SPAN(without_end(),
		   SPAN("session.jsonl:3: null: left out\n"
			"session.jsonl:4: not an object: left out\n"
			"session.jsonl:6: 2: moved to the end, as the lines "
			"after it are no entries\n"));
	CHECK_SPAN(line_of(OUT, 3), SPAN("{\"type\":\"custom\"}"));
	check_parents("1 null\n2 1\n");
}

static void there_twice(void)
{
	size_t lines = 0;
	WRITE(HEADER, AT("1", "null", "01", "one"), AT("2", "'1'", "02", "two"),
	      AT("1", "null", "01", "one"), AT("2", "'1'", "02", "two again"));
	CHECK_INT(HEAR_APART(sessfs_program(), "rescue", OUT, "session.jsonl"),
		  0);
	CHECK_SPAN(without_end(),
		   SPAN("session.jsonl:2: repeated by line 4: left out\n"
			"session.jsonl:3: replaced by the same id on line 5: "
			"kept\n"));
	for (struct span rest = text_of(OUT); rest.n > 0;)
		lines += span_next_line(&rest).n > 0;
	CHECK_INT(lines, 4);
}

static void first_version(void)
{
	size_t messages = 0;
#define OLD(seconds, text)                                          \
	"{'type':'message','timestamp':'2026-03-01T10:00:0" seconds \
	".000Z','message':{'role':'user','content':'" text "'}}"
	WRITE("{'type':'session','id':'v1','timestamp':"
	      "'2026-03-01T10:00:00.000Z','cwd':'/'}\n",
	      OLD("1", "one"), OLD("2", "two"), "\n");
	check_rescued(NULL,
		      "session.jsonl:2: not JSON: 2 objects in it taken\n");
	for (struct span rest = text_of(OUT); rest.n > 0;)
		messages += span_starts(
			span_next_line(&rest),
			SPAN("{\"type\":\"message\",\"timestamp\""));
	CHECK_INT(messages, 2);
	WRITE(OLD("1", "one"), OLD("2", "two"), "\n");
#undef OLD
	check_rescued("dialect=pi",
		      "session.jsonl:1: not JSON: 2 objects in it taken\n"
		      "session.jsonl:1: no header: made, without a "
		      "directory\n");
	CHECK_INT(count_of(line_of(OUT, 1), "\"version\":1,"), 1);
}

/* Append a line of a session of oh-my-pi. */
static void add_fixtures(int n)
{
	test_put("session.jsonl", O_APPEND,
		 line_of(fixture("omp-v3-basic.jsonl"), n));
	test_append("session.jsonl", "\n");
}

static void of_omp(void)
{
	static const char first[] = AT("1", "null", "01", "one");
	struct buf title = { 0 };
	begin();
	add_fixtures(1);
	add_fixtures(2);
	ADD_LINES(first);
	add_fixtures(2);
	add_part(AT("2", "'1'", "02", "two"), 50);
	ADD_LINES(AT("3", "'2'", "03", "three"));
	check_rescued(NULL,
		      "session.jsonl:4: another header: left out\n"
		      "session.jsonl:5: not JSON: 1 object in it taken; 50 "
		      "bytes can't be read\n"
		      "session.jsonl:5: 3: the parent 2 is missing: joined to "
		      "1, line 3\n");
	check_opened(report_line(-1), "omp --resume", OUT, "");
	buf_add(&title, line_of("session.jsonl", 1));
	CHECK_SPAN(line_of(OUT, 1), buf_span(&title));
	buf_free(&title);
	/* Without anything that only oh-my-pi writes, its name is needed. */
	WRITE(first + 1, AT("2", "'1'", "02", "two"));
	CHECK_INT(HEAR_APART(sessfs_program(), "rescue", "-o", "dialect=omp",
			     "omp.jsonl", "session.jsonl"),
		  0);
	without_end();
	CHECK(span_starts(report_line(-1), SPAN("open it with: omp ")));
}

/* Add "ID PARENT," for each entry of a transcript. */
static void add_claude_parents(struct buf *b, const char *path)
{
	for (struct span rest = text_of(path); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		cJSON *value = cJSON_ParseWithLength(line.p, line.n);
		const cJSON *parent = cJSON_GetObjectItem(value, "parentUuid");
		const char *id = cJSON_GetStringValue(
				   cJSON_GetObjectItem(value, "uuid")),
			   *up = cJSON_GetStringValue(parent);
		if (id && parent)
			buf_addf(b, "%s %s,", id,
				 cJSON_IsNull(parent) ? "null"
				 : up		      ? up
						      : "?");
		cJSON_Delete(value);
	}
}

static void of_claude(void)
{
#define ID "11111111-2222-4333-8444-555555555555"
#define NEW "2.1.330"
	struct buf parents = { 0 };
	WRITE(SAID("a", "null", "false", "one", TIME("01"), NEW),
	      SAID("b", "'a'", "true", "two", TIME("02"), NEW),
	      SAID("d", "'c'", "false", "three", TIME("03"), NEW),
	      SAID("e", "'d'", "false", "four", "", NEW),
	      SAID("f", "'x'", "true", "side", TIME("05"), NEW),
	      SAID("g", "'e'", "false", "five", TIME("06"), NEW),
	      SAID("r", "null", "false", "a second root", TIME("07"), NEW),
	      "{'type':'summary','summary':'s','leafUuid':'g'}\n");
	CHECK_INT(HEAR_APART(sessfs_program(), "rescue", ID ".jsonl",
			     "session.jsonl"),
		  0);
	CHECK_SPAN(without_end(),
		   SPAN("session.jsonl:3: d: the parent c is missing: joined "
			"to a, line 1\n"
			"session.jsonl:4: no timestamp: given that of the line "
			"before\n"
			"session.jsonl:5: f: the parent x is missing: joined "
			"to b, line 2\n"));
	CHECK_SPAN(report_line(-2), SPAN(ID ".jsonl: 7 entries; the agent "
					    "continues from r, line 7"));
	check_opened(report_line(-1), "claude --resume", ID ".jsonl",
		     " --fork-session");
	add_claude_parents(&parents, ID ".jsonl");
	CHECK_BUF(&parents, "a null,b a,d a,e d,f b,g e,r null,");
	buf_free(&parents);
	CHECK_INT(count_of(text_of(ID ".jsonl"), "\"sessionId\":\"" ID "\""),
		  7);
	CHECK_INT(HEAR(sessfs_program(), "check", ID ".jsonl"), 0);
#undef ID
#undef NEW
}

static void moved_head(void)
{
	WRITE(SAID("a", "null", "false", "one", TIME("01"), "2.1.90"),
	      SAID("b", "'a'", "false", "two", TIME("02"), "2.1.90"), "torn\n");
	test_file("session.sessfs.json",
		  "{'head':'a','leaf':'b','labels':{}}\n");
	CHECK_INT(HEAR_APART(sessfs_program(), "rescue", OUT, "session.jsonl"),
		  0);
	without_end();
	CHECK(span_ends(report_line(-2), SPAN("continues from a, line 1")));
	CHECK_INT(
		count_of(text_of(OUT), "\"leafUuid\":\"a\",\"explicit\":true"),
		1);
}

static void nothing_to_rescue(void)
{
	static const char want[] =
		"session.jsonl: nothing to rescue: every line can be read, and "
		"no link is broken\n";
	WRITE(HEADER, AT("1", "null", "01", "one"));
	CHECK_INT(HEAR_APART(sessfs_program(), "rescue", OUT, "session.jsonl"),
		  1);
	CHECK_SPAN(buf_span(&mounts_output), span_of(want));
	CHECK(!exists(OUT));
	/* A last line without its newline is fine, too. */
	struct stat st = stat_of("session.jsonl");
	CHECK_INT(ERRNO(truncate("session.jsonl", st.st_size - 1)), 0);
	CHECK_INT(HEAR_APART(sessfs_program(), "rescue", OUT, "session.jsonl"),
		  1);
	CHECK_SPAN(buf_span(&mounts_output), span_of(want));
}

static void nothing_overwritten(void)
{
	static const char *const rows[][3] = {
		{ "there", "session.jsonl", "sessfs: there: File exists\n" },
		{ "session.jsonl", "session.jsonl",
		  "sessfs: session.jsonl: File exists\n" },
		{ "link", "session.jsonl", "sessfs: link: File exists\n" },
		{ "folder", "session.jsonl",
		  "sessfs: folder: Is a directory\n" },
		{ "new/", "session.jsonl", "sessfs: new/: Is a directory\n" },
		{ "no/new", "session.jsonl",
		  "sessfs: no/new: No such file or directory\n" },
		{ "new", "none", "sessfs: none: No such file or directory\n" },
		{ "new", "folder",
		  "sessfs: folder: is a folder, not a session "
		  "(list --here has those of a directory)\n" },
		{ "new", NULL,
		  "usage: sessfs rescue [OPTIONS] OUT FILE (-h for help)\n" },
		{ "new", "junk",
		  "sessfs: junk: no line of it can be read as one of an agent "
		  "that is known (-o dialect=NAME)\n" },
	};
	char draft[PATH_MAX], want[PATH_MAX + 128];
	WRITE(HEADER, "x\n", AT("1", "null", "01", "one"));
	CHECK_INT(put("there", "mine\n"), 0);
	CHECK_INT(put("junk", "junk\n"), 0);
	CHECK_INT(ERRNO(symlink("nowhere", "link")), 0);
	CHECK_INT(ERRNO(mkdir("folder", 0755)), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i][2];
		check_refused(rows[i][0], rows[i][1], rows[i][2]);
	}
	test_row = NULL;
	snprintf(draft, sizeof(draft), "%s", fixture("draft000-uuid.jsonl"));
	snprintf(want, sizeof(want),
		 "sessfs: %s: sessions of the format draft-uuid can't be "
		 "rescued, only those of pi, omp, claude, qwen\n",
		 draft);
	check_refused("new", draft, want);
	CHECK_FILE("there", "mine\n");
	/* Sessions may have been listed. */
	CHECK_NAMES(".", exists("cache") ? "cache folder junk link logs mnt "
					   "session.jsonl there "
					 : "folder junk link logs mnt "
					   "session.jsonl there ");
}

static void not_written(void)
{
	char blank[2048];
	snprintf(blank, sizeof(blank),
		 AT("aa000002", "'aa000001'", "02", "%1500s"), "");
	WRITE(HEADER, AT("aa000001", "null", "01", "x"), "torn\n", blank);
	test_limit_size(1024);
	int status =
		HEAR_APART(sessfs_program(), "rescue", OUT, "session.jsonl");
	test_limit_size(RLIM_INFINITY);
	CHECK_INT(status, 2);
	CHECK_SPAN(buf_span(&mounts_errors),
		   SPAN("sessfs: new.jsonl: File too large\n"));
	CHECK_SPAN(buf_span(&mounts_output), SPAN(""));
	CHECK_NAMES(".", "logs mnt session.jsonl ");
}

/* An entry that is no message, and the second of the day at which it was
 * written. */
static void print_entry(FILE *f, char kind, int n, const char *parent, int time)
{
	fprintf(f,
		"{\"type\":\"custom\",\"customType\":\"x\",\"id\":\"%c%d\","
		"\"parentId\":\"%s%d\",\"timestamp\":"
		"\"2026-03-01T%02d:%02d:%02d.000Z\"}\n",
		kind, n, parent, n, time / 3600, time / 60 % 60, time % 60);
}

static void thousands_of_links(void)
{
	enum { N = 30000 };
	size_t lines = 0;
	begin();
	FILE *f = fopen(test_file("session.jsonl", HEADER), "a");
	test_need(f != NULL, "session.jsonl");
	for (int i = 0; i < N; i++) {
		print_entry(f, 'z', i, "gone", 36000 + i);
		print_entry(f, 'c', i, "z", 32000 - i);
	}
	for (int i = 0; i < 1000000; i++)
		fputc('{', f);
	fputc('\n', f);
	for (int i = 0; i < 300000; i++)
		fputs("{\"a\":", f);
	fputc('\n', f);
	test_need(!ferror(f) && fclose(f) == 0, "session.jsonl");
	CHECK_INT(HEAR_APART(sessfs_program(), "rescue", OUT, "session.jsonl"),
		  0);
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;)
		lines += count_of(span_next_line(&rest), ":") > 0;
	CHECK_INT(lines, 30004);
	CHECK(count_of(buf_span(&mounts_output),
		       ": 60000 entries; the agent continues from ") == 1);
	CHECK_INT(HEAR(sessfs_program(), "check", OUT), 0);
}

static const struct mounts_test tests[] = {
	TEST("broken links are joined in the order of time, each with a line "
	     "of report",
	     broken_links),
	TEST("an entry that is older than its own parents hangs on none of "
	     "them",
	     older_than_parents),
	TEST("whole lines in lines that are not JSON are taken, other bytes "
	     "counted",
	     not_json),
	TEST("control characters in strings are escaped, if nothing else is "
	     "wrong",
	     control_characters),
	TEST("a session without a single newline", without_newlines),
	TEST("a header is made of what can be read of the old one",
	     made_header),
	TEST("headers: a late one, two, one without an id, one after a byte "
	     "order mark",
	     headers),
	TEST("what agents can't load, or would take for the leaf", not_loaded),
	TEST("entries that are there twice", there_twice),
	TEST("version 1: entries without ids stay as they are", first_version),
	TEST("oh-my-pi: the title stays first, and a second header is no entry",
	     of_omp),
	TEST("Claude Code: links, sidechains, the session's id, missing times",
	     of_claude),
	TEST("Claude Code: HEAD that was moved stays where it is", moved_head),
	TEST("nothing to rescue: status 1, and no file", nothing_to_rescue),
	TEST("no file is overwritten, and nothing is left after a failure",
	     nothing_overwritten),
	TEST("what can't be written is named, and not what was read",
	     not_written),
	TEST("thousands of broken links, and braces that open nothing",
	     thousands_of_links),
};
RUN_TESTS(tests)
