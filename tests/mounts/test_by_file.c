/*
 * by-file/: which entries read, wrote or edited a file. What grep -r finds is
 * in tests/by-file.bats.
 */
#include "tests/mounts/mounts.h"

/* Pi's calls of tools, and their results. */
#define CALL(id, tool, arguments)                        \
	"{'type':'toolCall','id':'" id "','name':'" tool \
	"','arguments':" arguments "}"
#define CALLS(id, parent, calls)                         \
	MESSAGE(id, parent, "assistant",                 \
		",'content':[" calls "],'provider':'p'," \
		"'model':'m'")
#define RESULT(id, parent, call, is_error)                                    \
	MESSAGE(id, parent, "toolResult",                                     \
		",'toolCallId':'" call "','toolName':'x','isError':" is_error \
		",'content':[]")

#define WORK                                                                                 \
	HEADER USER("00000001", "null", "Write it") CALLS(                                   \
		"00000002", "'00000001'",                                                    \
		CALL("c1", "read", "{'path':'src/wc.c'}") "," CALL(                          \
			"c2", "write",                                                       \
			"{'path':'/work/demo/README','content':'x'}"))                       \
		RESULT("00000003", "'00000002'", "c1", "false") RESULT(                      \
			"00000004", "'00000003'", "c2",                                      \
			"true") CALLS("00000005", "'00000004'",                              \
				      CALL("c3", "edit",                                     \
					   "{'path':'./src//"                                \
					   "wc.c','edits':[]}") "," CALL("c4",               \
									 "bas"               \
									 "h",                \
									 "{'"                \
									 "com"               \
									 "man"               \
									 "d':"               \
									 "'ca"               \
									 "t "                \
									 "/et"               \
									 "c/"                \
									 "hos"               \
									 "ts'"               \
									 "}"))               \
			CALLS("00000006", "'00000004'",                                      \
			      CALL("c5", "edit", "{'path':'src/wc.c','edits':[]}") "," CALL( \
				      "c6", "ask_about",                                     \
				      "{'filename':'/etc/passwd'}"))

/* What was found in a folder: a row each, sorted by find(). */
static char *rows[4096];
static size_t n_rows;
static const char *searched; /* the folder */
static const char *session;  /* with by-id/ */

static void forget(void)
{
	while (n_rows > 0)
		free(rows[--n_rows]);
}

static void add_row(const char *path, const char *text)
{
	test_need(n_rows < COUNT(rows), "there are too many");
	size_t from = strlen(searched) + 1,
	       size = strlen(path) - from + strlen(text) + 2;
	char *row = malloc(size);
	test_need(row != NULL, "memory");
	snprintf(row, size, "%s %s", path + from, text);
	rows[n_rows++] = row;
}

/* The working directory is that of the link, since paths may be too long. */
static int add_link(const char *path, const struct stat *st, int type,
		    struct FTW *ftw)
{
	const char *name = path + ftw->base;
	char target[PATH_MAX], entry[2 * PATH_MAX];
	struct stat by_link, by_id;
	CHECK(strlen(name) <= NAME_MAX);
	CHECK(type == FTW_D || type == FTW_SL);
	if (type != FTW_SL)
		return 0;
	ssize_t n = readlink(name, target, sizeof(target) - 1);
	CHECK_INT(n, st->st_size);
	target[n > 0 ? n : 0] = '\0';
	const char *last = strrchr(target, '/');
	test_need(last != NULL, name);
	/* It leads to the entry's folder. */
	snprintf(entry, sizeof(entry), "%s/by-id%s", session, last);
	CHECK(stat(name, &by_link) == 0 && stat(entry, &by_id) == 0 &&
	      by_link.st_ino == by_id.st_ino && by_link.st_dev == by_id.st_dev);
	add_row(path, target);
	return 0;
}

/* Find all links in by-file/ of a session, at an absolute path. */
static void find_links(const char *at)
{
	char folder[PATH_MAX];
	snprintf(folder, sizeof(folder), "%s/by-file", at);
	searched = folder;
	session = at;
	CHECK_INT(nftw(folder, add_link, 16, FTW_PHYS | FTW_CHDIR), 0);
	qsort(rows, n_rows, sizeof(*rows), by_bytes);
}

/* The links are these, each with its target. */
static void check_touches(const char *const want[])
{
	size_t n = 0;
	forget();
	find_links(mounts_at);
	for (size_t i = 0; i < n_rows; i++)
		CHECK_SPAN(span_of(rows[i]), span_of(want[n] ? want[n++] : ""));
	CHECK(!want[n]);
	forget();
}

static void write_work(void)
{
	test_file("session.jsonl", WORK);
}

static void mount_work(void)
{
	write_work();
	mount_session();
}

static bool are_same(const char *one, const char *other)
{
	struct stat a, b;
	return stat(one, &a) == 0 && stat(other, &b) == 0 &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* The lines of the contents of all that touched src/wc.c that name it. */
static size_t count_naming(void)
{
	static const char *const names[] = { "0001-read", "0002-edit",
					     "0003-edit" };
	size_t n = 0;
	for (size_t i = 0; i < COUNT(names); i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-file/src/wc.c/%s/content",
			 names[i]);
		for (struct span rest = text_of(path); rest.n > 0;) {
			struct span line = span_next(&rest, '\n');
			n += memmem(line.p, line.n, "src/wc.c", 8) ||
			     memmem(line.p, line.n, "src//wc.c", 9);
		}
	}
	return n;
}

/* Rules: T1 T2 */
static void folder_of_links(void)
{
	static const char *const none[] = {
		"src/0001-read",
		"src/wc.c/0001-edit",
		"src/wc.c/1-read",
		"src/wc.c/0004-edit",
		"wc.c",
		"@/work",
		"README/0001-write",
	};
	mount_work();
	check_touches(
		PIECES("@/etc/passwd/0001-touch ../../../../by-id/00000006",
		       "README/0001-write-failed ../../by-id/00000002",
		       "src/wc.c/0001-read ../../../by-id/00000002",
		       "src/wc.c/0002-edit ../../../by-id/00000005",
		       "src/wc.c/0003-edit ../../../by-id/00000006"));
	CHECK_SPAN(listed_in("by-file/src/wc.c"),
		   SPAN("0001-read 0002-edit 0003-edit "));
	CHECK_SPAN(listed_in("by-file"), SPAN("src README @ "));
	CHECK_HAS("by-file/src/wc.c/0003-edit/content", "path: src/wc.c");
	CHECK_INT(stat_of("by-file/src/wc.c/0002-edit").st_mtime,
		  stat_of("by-id/00000005").st_mtime);
	CHECK_INT(stat_of("by-file/src").st_mode, S_IFDIR | 0555);
	/* All that is known of a file. */
	CHECK_INT(count_naming(), 3);
	for (size_t i = 0; i < COUNT(none); i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-file/%s", none[i]);
		test_row = path;
		CHECK_INT(ERRNO(access(path, F_OK)), ENOENT);
	}
	test_row = NULL;
	CHECK(are_same("by-file", "by-file/src/.."));
	CHECK(are_same(".", "by-file/.."));
	CHECK(are_same("by-file/src", "by-file/src/wc.c/.."));
}

static void grows(void)
{
	char opened[64];
	mount_work();
	int fd = open("by-file/src/wc.c", O_RDONLY | O_CLOEXEC);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d/", fd);
	CHECK_NAMES(opened, "0001-read 0002-edit 0003-edit ");
	test_append("session.jsonl",
		    CALLS("00000007", "'00000006'",
			  CALL("c7", "read", "{'path':'src/wc.c'}") "," CALL(
				  "c8", "read", "{'path':'src/new/x'}")));
	CHECK_LINK("by-file/src/wc.c/0004-read", "../../../by-id/00000007");
	CHECK_NAMES(opened, "0001-read 0002-edit 0003-edit 0004-read ");
	CHECK_SPAN(listed_in("by-file/src"), SPAN("wc.c new "));
	CHECK_NAMES("by-file/src/new", "x ");
	/* A result that comes later renames the link. */
	test_append("session.jsonl",
		    RESULT("00000008", "'00000007'", "c7", "true"));
	CHECK_INT(ERRNO(access("by-file/src/wc.c/0004-read", F_OK)), ENOENT);
	CHECK_LINK("by-file/src/wc.c/0004-read-failed",
		   "../../../by-id/00000007");
	CHECK_NAMES(opened, "0001-read 0002-edit 0003-edit 0004-read-failed ");
	close(fd);
	/* Another file in its place. */
	test_file("session.jsonl",
		  HEADER CALLS("00000001", "null",
			       CALL("c1", "read", "{'path':'other'}")));
	check_touches(PIECES("other/0001-read ../../by-id/00000001"));
	CHECK_INT(ERRNO(access("by-file/src", F_OK)), ENOENT);
}

static void empty(void)
{
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	mount_lines(HEADER USER("00000001", "null", "x"));
	CHECK_INT(test_count_names("by-file", ""), 0);
	write_work();
	CHECK_INT(ERRNO(mkdir("by-file/x", 0755)), for_root);
	CHECK_INT(ERRNO(symlink("x", "by-file/src/x")), for_root);
	CHECK_INT(ERRNO(unlink("by-file/src/wc.c/0001-read")), for_root);
	CHECK_INT(put("by-file/x", ""), for_root);
	unmount();
	mount_lines("");
	CHECK_INT(test_count_names("by-file", ""), 0);
}

static void moves_head(void)
{
	char absolute[PATH_MAX];
	snprintf(absolute, sizeof(absolute),
		 "%s/by-file/src/wc.c/0002-edit/content", mounts_at);
	const char *const targets[] = {
		"by-file/src/wc.c/0002-edit",
		"./by-file/src/wc.c/0002-edit/",
		absolute,
		"by-file/src/../src/wc.c/0002-edit",
	};
	static const char *const none[] = {
		"by-file",
		"by-file/",
		"by-file/src",
		"by-file/src/wc.c",
		"by-file/src/wc.c/0002-read",
		"by-file/x/0001-read",
	};
	mount_work();
	for (size_t i = 0; i < COUNT(targets); i++) {
		test_row = targets[i];
		CHECK_INT(move_head(targets[i]), 0);
		CHECK_HEAD("by-id/00000005");
		CHECK_INT(move_head("by-id/00000001"), 0);
	}
	CHECK_INT(move_head("by-file/src/wc.c/0002-edit/parent"), 0);
	CHECK_HEAD("by-id/00000004");
	for (size_t i = 0; i < COUNT(none); i++) {
		test_row = none[i];
		CHECK_INT(move_head(none[i]), ENOENT);
	}
	CHECK_HEAD("by-id/00000004");
}

/* Add a text so many times; with %u in it, the number from 0. */
static void add_times(struct buf *b, const char *text, unsigned n)
{
	const char *at = strstr(text, "%u");
	for (unsigned i = 0; i < n; i++) {
		char number[16];
		snprintf(number, sizeof(number), "%u", i);
		buf_add(b, at ? (struct span){ text, (size_t)(at - text) }
			      : span_of(text));
		if (at) {
			buf_add(b, span_of(number));
			buf_add(b, span_of(at + 2));
		}
	}
}

/* Paths of files as JSON has them; some are a text that is repeated, between
 * others. */
static const struct {
	const char *before, *repeated;
	unsigned n;
	const char *after;
} odd[] = {
	/* One file. */
	{ "a/b", "", 0, "" },
	{ "./a//b", "", 0, "" },
	{ "/work/demo/a/b", "", 0, "" },
	{ "a/c/../b", "", 0, "" },
	{ "@a/b", "", 0, "" },
	{ "file:///work/demo/a/b", "", 0, "" },
	/* 6 */
	{ "a", "", 0, "" },
	{ ".", "", 0, "" },
	{ "/", "", 0, "" },
	{ "/work", "", 0, "" },
	{ "/work/demo", "", 0, "" },
	{ "../demo2/x", "", 0, "" },
	{ "~/x", "", 0, "" },
	{ "./~/x", "", 0, "" },
	{ "/~/x", "", 0, "" },
	{ "~", "", 0, "" },
	{ "./@/x", "", 0, "" },
	{ "@@/x", "", 0, "" },
	/* 18 */
	{ ".git/config", "", 0, "" },
	{ "%2Egit/config", "", 0, "" },
	{ "..", "", 0, "" },
	{ "a\\u0000b", "", 0, "" },
	{ "a%00b", "", 0, "" },
	{ "a\\nb", "", 0, "" },
	{ "a\\\\nb", "", 0, "" },
	{ "\x7f", "", 0, "" },
	{ "\\ud800", "", 0, "" },
	{ "%ED%A0%80", "", 0, "" },
	/* 28 */
	{ "0001-read", "", 0, "" },
	{ "%30001-read", "", 0, "" },
	{ "0001-read/0001-read", "", 0, "" },
	{ "", "x", 255, "" },
	{ "", "x", 256, "" },
	{ "", "x", 256, "y" },
	{ "", "ä", 200, "" },
	{ "deep", "/d%u", 600, "" },
	{ "", "y", 4000, "" },
	{ "", "z/", 999, "z" },
	/* 38 */
	{ "\\ufffd", "", 0, "" },
	{ "", "", 0, "" },
	{ "", "x", 5000, "" },
	{ "http://x/y", "", 0, "" },
	{ "a:b", "", 0, "" },
	{ " ", "", 0, "" },
	{ "-rf", "", 0, "" },
	{ "*", "", 0, "" },
	{ "", "w/", 2000, "" },
};

/* One call for each path. */
static void write_odd(void)
{
	struct buf b = { 0 };
	buf_add(&b, SPAN(HEADER));
	for (unsigned i = 0; i <= COUNT(odd); i++) {
		char line[256];
		/* Bytes that are not UTF-8 are what the agent reads them as. */
		bool is_bad = i == COUNT(odd);
		snprintf(line, sizeof(line), is_bad ? "bad" : "%08x", i);
		buf_add(&b, SPAN("{'type':'message','id':'"));
		buf_add(&b, span_of(line));
		buf_add(&b, SPAN("','parentId':null,"
				 "'timestamp':'2026-03-01T10:00:01.000Z',"
				 "'message':{'role':'assistant','provider':'p',"
				 "'model':'m','content':[{'type':'toolCall',"
				 "'id':'c"));
		buf_add(&b, span_of(line));
		buf_add(&b, SPAN("','name':'read','arguments':{'path':'"));
		if (is_bad) {
			buf_add(&b, SPAN("\xff"));
		} else {
			buf_add(&b, span_of(odd[i].before));
			add_times(&b, odd[i].repeated, odd[i].n);
			buf_add(&b, span_of(odd[i].after));
		}
		buf_add(&b, SPAN("'}}]}}\n"));
	}
	buf_addc(&b, '\0');
	test_file("session.jsonl", b.data);
	buf_free(&b);
}

/* The link at this path leads to the entry with this id. */
static void check_leads(const char *path, const char *id)
{
	size_t n = 0;
	for (size_t i = 0; i < n_rows; i++) {
		if (strncmp(rows[i], path, strlen(path)) != 0 ||
		    rows[i][strlen(path)] != ' ')
			continue;
		n++;
		CHECK_SPAN(span_of(strrchr(rows[i], '/') + 1), span_of(id));
	}
	test_row = path;
	CHECK_INT(n, 1);
	test_row = NULL;
}

static bool is_last(const char *row, const char *id)
{
	return strcmp(strrchr(row, '/') + 1, id) == 0;
}

/* Rules: T1 */
static void odd_names(void)
{
	static const struct {
		const char *path;
		unsigned entry;
	} links[] = {
		{ "a/b/0001-read", 0 },
		{ "a/b/0002-read", 1 },
		{ "a/b/0003-read", 2 },
		{ "a/b/0004-read", 3 },
		{ "a/b/0005-read", 4 },
		{ "a/b/0006-read", 5 },
		{ "a/0001-read", 6 },
		{ "0001-read", 7 },
		{ "0002-read", 10 },
		{ "@/0001-read", 8 },
		{ "@/work/0001-read", 9 },
		{ "@/work/demo2/x/0001-read", 11 },
		{ "@/~/x/0001-read", 12 },
		{ "%7E/x/0001-read", 13 },
		{ "@/%7E/x/0001-read", 14 },
		{ "%40/x/0001-read", 16 },
		{ "%40/x/0002-read", 17 },
		{ "%2Egit/config/0001-read", 18 },
		{ "%252Egit/config/0001-read", 19 },
		{ "%30001-read/0001-read", 28 },
		{ "\xef\xbf\xbd/0001-read", 38 },
	};
	write_odd();
	mount_session();
	forget();
	find_links(mounts_at);
	for (size_t i = 1; i < n_rows; i++)
		CHECK(strcmp(rows[i - 1], rows[i]) != 0);
	for (size_t i = 0; i < COUNT(links); i++) {
		char id[16];
		snprintf(id, sizeof(id), "%08x", links[i].entry);
		check_leads(links[i].path, id);
	}
	check_leads("\xef\xbf\xbd/0002-read", "bad");
	/* Each has one link, but for those that name no file. */
	for (unsigned entry = 0; entry <= COUNT(odd); entry++) {
		char id[16];
		size_t n = 0;
		bool is_none = (entry >= 39 && entry <= 41) || entry == 46;
		snprintf(id, sizeof(id), entry < COUNT(odd) ? "%08x" : "bad",
			 entry);
		for (size_t i = 0; i < n_rows; i++)
			n += is_last(rows[i], id);
		test_row = id;
		CHECK_INT(n, is_none ? 0 : 1);
		test_row = NULL;
	}
	CHECK_INT(n_rows, COUNT(odd) + 1 - 4);
	forget();
}

/* Claude Code's lines; N is a digit. */
#define C_ID(n) "c1a0de00-0000-4000-8000-00000000000" n
#define C_IN(cwd, n, parent, type, message)                    \
	"{'parentUuid':" parent ",'isSidechain':false,"        \
	"'userType':'external','cwd':'" cwd "',"               \
	"'sessionId':'5e55f500-0000-4000-8000-000000000001',"  \
	"'version':'2.1.330','gitBranch':'main','type':'" type \
	"','message':{" message                                \
	"},'uuid':'" C_ID(n) "',"                              \
			     "'timestamp':'2026-03-01T10:00:0" n ".000Z'}\n"
#define C_USE(cwd, n, parent, message, call, tool, input)                  \
	C_IN(cwd, n, "'" C_ID(parent) "'", "assistant",                    \
	     "'id':'" message "','type':'message','role':'assistant',"     \
	     "'model':'m-x','content':[{'type':'tool_use','id':'" call     \
	     "','name':'" tool "','input':" input "}],'stop_reason':null," \
	     "'usage':{'input_tokens':1,'output_tokens':1}")
#define C_RESULT(n, parent, call, error, text)                \
	C_IN("/work/demo", n, "'" C_ID(parent) "'", "user",   \
	     "'role':'user','content':[{'tool_use_id':'" call \
	     "','type':'tool_result'," error "'content':'" text "'}]")
#define DEMO "/work/demo"

static void claude(void)
{
	mount_lines(
		C_IN(DEMO, "1", "null", "user",
		     "'role':'user','content':'x'") C_USE(DEMO, "2", "1", "m1",
							  "t1", "Read",
							  "{'file_path':'/work/"
							  "demo/a.c'}")
			C_USE(DEMO, "3", "2", "m1", "t2", "Edit",
			      "{'file_path':'/work/demo/a.c',"
			      "'old_string':'x','new_string':'y'}")
				C_RESULT("4", "2", "t1", "", "ok") C_RESULT(
					"5", "3", "t2", "'is_error':true,",
					"no") C_USE("/work/demo/sub", "6", "4",
						    "m2", "t3", "NotebookEdit",
						    "{'notebook_path':'n.ipynb'"
						    "}")
					C_USE(DEMO, "7", "6", "m3", "t4",
					      "Bash",
					      "{'command':'rm "
					      "a.c','path':'a.c'}")
						C_USE(DEMO, "8", "7", "m4",
						      "t5", "Grep",
						      "{'pattern':'x','path':'/"
						      "work/demo'}")
							C_USE(DEMO, "9", "8",
							      "m5", "t6",
							      "mcp__fs__open",
							      "{'path':'/work/"
							      "demo/b.c'}"));
	check_touches(
		PIECES("0001-touch ../by-id/" C_ID("8"),
		       "a.c/0001-read ../../by-id/" C_ID("2"),
		       "a.c/0002-edit-failed ../../by-id/" C_ID("3"),
		       "b.c/0001-touch ../../by-id/" C_ID("9"),
		       "sub/n.ipynb/0001-edit ../../../by-id/" C_ID("6")));
}

static void omp(void)
{
	char slot[257], lines[4096];
	int n = snprintf(slot, sizeof(slot),
			 "{'type':'title','v':1,'title':'The title',"
			 "'source':'user',"
			 "'updatedAt':'2026-03-01T10:00:30.000Z','pad':'");
	snprintf(lines, sizeof(lines), "%s%*s'}\n%s", slot, 253 - n, "",
		 "{'type':'session','version':3,"
		 "'id':'0198f000-0000-7000-8000-000000000001',"
		 "'timestamp':'2026-03-01T10:00:00.000Z',"
		 "'cwd':'/work/demo','title':'old'}\n" CALLS(
			 "aaaa0001", "null",
			 CALL("c1", "read", "{'path':'src/wc.c:1-40'}"))
			 CALLS("aaaa0002", "'aaaa0001'",
			       CALL("c2", "edit",
				    "{'input':'[src/wc.c#1A2B]\\nPUT 1.=1:\\n"
				    "+x\\n[old.c#0000]\\nREM\\n[a.c#0000]\\n"
				    "MV b.c\\n'}"))
				 CALLS("aaaa0003", "'aaaa0002'",
				       CALL("c3", "write",
					    "{'path':'xd://browser',"
					    "'content':'{}'}")));
	mount_lines(lines);
	CHECK_VALUE("info", "dialect", "omp");
	check_touches(PIECES("a.c/0001-move ../../by-id/aaaa0002",
			     "b.c/0001-move ../../by-id/aaaa0002",
			     "old.c/0001-delete ../../by-id/aaaa0002",
			     "src/wc.c/0001-read ../../../by-id/aaaa0001",
			     "src/wc.c/0002-edit ../../../by-id/aaaa0002"));
}

/* Codex's lines; N is a digit. */
#define X_ID(n) "019ca8f0-0000-7000-8000-00000000000" n
#define X_META(n, more)                                                   \
	"{'timestamp':'2026-03-01T10:00:00.000Z','ordinal':0,"            \
	"'type':'session_meta','payload':{'id':'" X_ID(                   \
		n) "',"                                                   \
		   "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/work/" \
		   "demo',"                                               \
		   "'originator':'x','cli_version':'0.171.0',"            \
		   "'history_mode':'paginated'" more "}}\n"
#define X_LINE(type, payload)                                   \
	"{'timestamp':'2026-03-01T10:00:01.000Z','type':'" type \
	"','payload':" payload "}\n"
#define X_ITEM(id, type, name, more)               \
	X_LINE("response_item",                    \
	       "{'type':'" type "','id':'" id "'," \
	       "'call_id':'call_" id "','name':'" name "'," more "}")
#define X_DONE(item) \
	X_LINE("event_msg", "{'type':'item_completed','item':" item "}")
#define FOLDER "codex/sessions/2026/03/01"
#define ROLLOUT(n) FOLDER "/rollout-2026-03-01T10-00-00-" X_ID(n) ".jsonl"

static void write_rollout(void)
{
	static const char *const folders[] = { "codex", "codex/sessions",
					       "codex/sessions/2026",
					       "codex/sessions/2026/03",
					       FOLDER };
	for (size_t i = 0; i < COUNT(folders); i++)
		mkdir(test_path(folders[i]), 0755);
	test_file(ROLLOUT("1"),
		  X_META("1", "") X_ITEM(
			  "i1", "custom_tool_call", "apply_patch",
			  "'input':'*** Begin Patch\\n*** Add File: a.c\\n+x\\n"
			  "*** Update File: b.c\\n*** Move to: c.c\\n"
			  "*** End Patch'") X_ITEM("i2", "function_call",
						   "exec_command",
						   "'arguments':'{\\'cmd\\':\\'"
						   "cat a.c; rm b.c\\'}'")
			  X_DONE("{'type':'CommandExecution','id':'call_i2',"
				 "'cwd':'file:///work/demo/sub','parsed_cmd':["
				 "{'type':'read','cmd':'cat a.c','name':'a.c',"
				 "'path':'a.c'},{'type':'unknown','cmd':'rm "
				 "b.c'}],"
				 "'exit_code':0}")
				  X_ITEM("i3", "function_call", "exec_command",
					 "'arguments':'{\\'cmd\\':\\'apply_"
					 "patch <<E\\'}'"));
}

/* A thread that goes on from this one. */
static void write_thread(void)
{
	char lines[2048];
	snprintf(lines, sizeof(lines),
		 X_META("2", ",'history_base':{'thread_id':'" X_ID(
				     "1") "','end_ordinal_exclusive':9,"
					  "'end_byte_offset':%lld}")
			 X_ITEM("i9", "function_call", "exec_command",
				"'arguments':'{}'")
				 X_DONE("{'type':'CommandExecution',"
					"'id':'call_i9',"
					"'cwd':'file:///work/demo',"
					"'parsed_cmd':[{'type':'read',"
					"'path':'a.c'}],'exit_code':0}"),
		 (long long)stat_of(test_path(ROLLOUT("1"))).st_size);
	test_file(ROLLOUT("2"), lines);
}

/* Rules: T3 */
static void codex(void)
{
	static const char *const of_a[] = {
		"a.c/0001-write ../../by-id/i1",
		"a.c/0002-read ../../by-id/i9",
		"sub/a.c/0001-read ../../../by-id/i2",
	};
	size_t n = 0;
	write_rollout();
	mount_source(test_path(ROLLOUT("1")));
	check_touches(PIECES("a.c/0001-write ../../by-id/i1",
			     "b.c/0001-move ../../by-id/i1",
			     "c.c/0001-move ../../by-id/i1",
			     "sub/a.c/0001-read ../../../by-id/i2"));
	test_append(ROLLOUT("1"),
		    X_DONE("{'type':'FileChange','id':'call_i3','changes':{"
			   "'/work/demo/d.c':{'type':'delete'},"
			   "'/etc/x':{'type':'update','move_path':null}},"
			   "'status':'failed'}"));
	check_touches(PIECES("@/etc/x/0001-edit-failed ../../../../by-id/i3",
			     "a.c/0001-write ../../by-id/i1",
			     "b.c/0001-move ../../by-id/i1",
			     "c.c/0001-move ../../by-id/i1",
			     "d.c/0001-delete-failed ../../by-id/i3",
			     "sub/a.c/0001-read ../../../by-id/i2"));
	unmount();
	/* It has the lines of the one before. */
	write_thread();
	mount_source(test_path(ROLLOUT("2")));
	find_links(mounts_at);
	for (size_t i = 0; i < n_rows; i++)
		if (strstr(rows[i], "a.c/") && n < COUNT(of_a))
			CHECK_SPAN(span_of(rows[i]), span_of(of_a[n++]));
		else
			CHECK(!strstr(rows[i], "a.c/"));
	CHECK_INT(n, COUNT(of_a));
	forget();
}

static void all_formats(void)
{
	char at[PATH_MAX], copy[300];
	size_t n = 0;
	struct dirent **found;
	CHECK_INT(ERRNO(mkdir(test_path("all"), 0755)), 0);
	int files = scandir(fixture(""), &found, NULL, NULL);
	test_need(files >= 0, "tests/fixtures");
	for (int i = 0; i < files; free(found[i++])) {
		snprintf(copy, sizeof(copy), "all/%s", found[i]->d_name);
		if (strstr(found[i]->d_name, ".json"))
			test_copy(fixture(found[i]->d_name), test_path(copy));
	}
	free(found);
	mount_source(test_path("all"));
	files = scandir(".", &found, NULL, alphasort);
	for (int i = 0; i < files; free(found[i++])) {
		if (found[i]->d_name[0] == '.')
			continue;
		snprintf(at, sizeof(at), "%s/%s", mounts_at, found[i]->d_name);
		find_links(at);
		n++;
	}
	free(found);
	CHECK(n >= 18);
	CHECK(n_rows > 0);
	forget();
}

static void out_of_memory(void)
{
	CHECK_INT(ERRNO(mkdir(test_path("all"), 0755)), 0);
	for (int i = 1; i <= 3; i++) {
		char name[32], line[512];
		snprintf(name, sizeof(name), "all/s%d.jsonl", i);
		snprintf(line, sizeof(line),
			 CALLS("%d", "'00000006'",
			       CALL("x%d", "write", "{'path':'own/%d'}")),
			 10000010 + i, i, i);
		test_file(name, WORK);
		test_append(name, line);
	}
	CHECK_INT(RUN(sessfs_program(), "-o", "keep=1", test_path("all"),
		      mounts_at),
		  0);
	CHECK_INT(ERRNO(chdir(test_path("mnt/s1/by-file/own/1"))), 0);
	CHECK_NAMES(".", "0001-write ");
	CHECK_NAMES(test_path("mnt/s2/by-file/own"), "2 ");
	CHECK_NAMES(test_path("mnt/s3/by-file/own"), "3 ");
	CHECK_NAMES(".", "0001-write ");
	CHECK_LINK("0001-write", "../../../by-id/10000011");
	CHECK(are_same(test_path("mnt/s1/by-file/own"), ".."));
	test_append("all/s1.jsonl",
		    CALLS("00000021", "'10000011'",
			  CALL("y", "edit", "{'path':'own/1','edits':[]}")));
	CHECK_LINK("0002-edit", "../../../by-id/00000021");
}

/* Where a link leads, and the time. */
static int add_with_time(const char *path, const struct stat *st, int type,
			 struct FTW *ftw)
{
	char text[PATH_MAX + 64], target[PATH_MAX] = "";
	if (ftw->level == 0)
		return 0;
	if (type == FTW_SL)
		CHECK(readlink(path, target, sizeof(target) - 1) > 0);
	snprintf(text, sizeof(text), "%s %lld.%09ld", target,
		 (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	add_row(path, text);
	return 0;
}

/* All that is in a folder, in one text. */
static void add_tree(struct buf *b, const char *folder)
{
	forget();
	searched = folder;
	CHECK_INT(nftw(folder, add_with_time, 16, FTW_PHYS), 0);
	qsort(rows, n_rows, sizeof(*rows), by_bytes);
	for (size_t i = 0; i < n_rows; i++) {
		buf_add(b, span_of(rows[i]));
		buf_addc(b, '\n');
	}
	CHECK(n_rows > 0);
	forget();
}

static void exported(void)
{
	struct buf ours = { 0 }, theirs = { 0 };
	mount_work();
	CHECK_INT(HEAR(sessfs_program(), "export", test_path("out"),
		       mounts_session),
		  0);
	add_tree(&ours, "by-file");
	add_tree(&theirs, test_path("out/by-file"));
	CHECK_SPAN(buf_span(&theirs), buf_span(&ours));
	CHECK_HAS(test_path("out/by-file/src/wc.c/0003-edit/content"),
		  "path: src/wc.c");
	buf_free(&ours);
	buf_free(&theirs);
}

static void ten_thousand(void)
{
	enum { N = 10000 };
	struct buf b = { 0 };
	buf_add(&b, SPAN(HEADER));
	for (int i = 0; i < N; i++) {
		char line[512];
		snprintf(line, sizeof(line),
			 CALLS("%08x", "null",
			       CALL("c%d", "read",
				    "{'path':'d%d/same.c'}") "," CALL("e%d",
								      "edit",
								      "{'path':"
								      "'one.c'"
								      "}")),
			 (unsigned)i, i, i, i);
		buf_add(&b, span_of(line));
	}
	buf_addc(&b, '\0');
	mount_lines(b.data);
	buf_free(&b);
	CHECK_INT(test_count_names("by-file", ""), N + 1);
	CHECK_INT(test_count_names("by-file/one.c", ""), N);
	CHECK_LINK("by-file/one.c/10000-edit", "../../by-id/0000270f");
	CHECK_LINK("by-file/d5000/same.c/0001-read", "../../../by-id/00001388");
}

static const struct mounts_test tests[] = {
	TEST("a file is a folder, with a link to each entry that touched it",
	     folder_of_links),
	TEST("by-file/ grows with the session, and nothing in it is stale",
	     grows),
	TEST("without calls by-file/ is empty; nothing can be made in it",
	     empty),
	TEST("ln moves HEAD to the entry that a link leads to", moves_head),
	TEST("names are escaped as ids are, and none stands for two files",
	     odd_names),
	TEST("Claude Code's tools, and the directory of each line", claude),
	TEST("oh-my-pi's edits of several files, and lines behind a path", omp),
	TEST("Codex's patches, and what it has parsed of its commands", codex),
	TEST("mounts of all formats have it", all_formats),
	TEST("in a folder of sessions each has its own, also when it was out "
	     "of memory",
	     out_of_memory),
	TEST("an export has it, as the mount shows it", exported),
	FULL_TEST("ten thousand files and calls", ten_thousand),
};
RUN_TESTS(tests)
