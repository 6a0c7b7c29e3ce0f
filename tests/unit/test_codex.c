/*
 * Codex's rollouts: sessfs-formats(5). The contexts are judged by the
 * agent itself (tests/interop/codex).
 */
#include <sys/file.h>

#include "core/dialects/codex/codex.h"
#include "core/dialects/codex/fragment.h"
#include "core/dialects/codex/home.h"
#include "core/dialects/codex/item.h"
#include "core/dialects/codex/medium.h"
#include "core/dialects/codex/line.h"
#include "core/dialects/codex/agent.h"
#include "core/session/names.h"
#include "core/show/rows.h"
#include "tests/unit/dialect_test.h"

#define ID "019ca8f0-0000-7000-8000-00000000000"
#define ROLLOUT "rollout-2026-03-01T10-00-00-"
#define HOME "/h/"
#define DAY HOME "sessions/2026/03/01/"

static void check_names(void)
{
	static const struct {
		const char *path, *rollout, *thread, *home;
	} rows[] = {
		{ DAY ROLLOUT ID "1.jsonl", ID "1", ID "1", HOME },
		/* After a revert. */
		{ DAY ROLLOUT ID "1_" ID "2.jsonl", ID "2", ID "1", HOME },
		{ HOME "archived_sessions/" ROLLOUT ID "1.jsonl", ID "1",
		  ID "1", HOME },
		{ "/elsewhere/" ROLLOUT ID "1.jsonl", ID "1", ID "1", "" },
		{ "/sessions/26/03/01/" ROLLOUT ID "1.jsonl", ID "1", ID "1",
		  "" },
		{ DAY ROLLOUT ID "1.json", "", ID "1", HOME },
		{ DAY "copy.jsonl", "", "", HOME },
		{ DAY "rollout-" ID "1.jsonl", ID "1", "", HOME },
		{ DAY ROLLOUT "019ca8f0-0000-7000-8000.jsonl", "", "", HOME },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct span path = span_of(rows[i].path);
		test_row = rows[i].path;
		CHECK_SPAN(codex_rollout_id(path), span_of(rows[i].rollout));
		CHECK_SPAN(codex_thread_id(path), span_of(rows[i].thread));
		CHECK_SPAN(codex_home_of(path), span_of(rows[i].home));
	}
	test_row = NULL;
}

static void make_home(void)
{
	static const char *const folders[] = { "sessions",
					       "sessions/2026",
					       "sessions/2026/03",
					       "sessions/2026/03/01",
					       "sessions/2026/03/02",
					       "archived_sessions",
					       "thread-writer-locks" };
	for (size_t i = 0; i < COUNT(folders); i++)
		test_need(mkdir(test_path(folders[i]), 0755) == 0, folders[i]);
}

/* The id has the time: 2026-03-01T10:27:10Z. */
static void check_find(void)
{
	static const struct {
		const char *from, *at;
	} rows[] = {
		{ "sessions/2026/03/02/" ROLLOUT ID "2.jsonl",
		  "sessions/2026/03/01/" ROLLOUT ID "1.jsonl" },
		{ "archived_sessions/" ROLLOUT ID "3.jsonl",
		  "sessions/2026/03/01/" ROLLOUT ID "1.jsonl" },
		/* The next day, west of Greenwich. */
		{ "sessions/2026/03/01/" ROLLOUT ID "1.jsonl",
		  "sessions/2026/03/02/" ROLLOUT ID "2.jsonl" },
		{ "sessions/2026/03/01/" ROLLOUT ID "1.jsonl",
		  "archived_sessions/" ROLLOUT ID "3.jsonl" },
		{ "sessions/2026/03/01/" ROLLOUT ID "1.jsonl",
		  "sessions/2026/03/01/" ROLLOUT ID "1_" ID "4.jsonl" },
	};
	struct buf found = { 0 };
	struct versions searched = { 0 };
	const struct finding how = { .searched = &searched };
	for (size_t i = 0; i < COUNT(rows); i++)
		test_file(rows[i].at, "");
	/* Not one of the agent's, but beside the first one. */
	test_file("sessions/2026/03/02/a-copy-" ID "1.jsonl", "");
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *want = test_path(rows[i].at);
		test_row = rows[i].at;
		CHECK_INT(codex_bases.find_file(test_path(rows[i].from),
						codex_rollout_id(span_of(want)),
						&how, &found),
			  1);
		CHECK_BUF(&found, want);
	}
	test_row = NULL;
	CHECK_INT(codex_bases.find_file(test_path(rows[0].from), SPAN(ID "9"),
					&how, &found),
		  0);
	CHECK_INT(codex_bases.find_file(test_path(rows[0].from), SPAN("../x"),
					&how, &found),
		  0);
	buf_free(&found);
	versions_free(&searched);
}

/* What has a name, and which. */
static void check_index(void)
{
	struct names names = { 0 };
	struct buf name = { 0 };
	const char *rollout =
		test_path("sessions/2026/03/01/" ROLLOUT ID "1.jsonl");
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s", rollout);
	test_file("session_index.jsonl",
		  "{'id':'" ID "1','thread_name':'old'}\n"
		  "{'id':'" ID "2','thread_name':'two'}\n"
		  "{'id':5,'thread_name':'x'}\n[]\n{'id':'" ID "1'}\n"
		  "{'id':'" ID "1','thread_name':' new '}\n{'id':'" ID "1'");
	for (int i = 0; i < 2; i++) {
		CHECK_INT(names_look_up(&names, &dialect_registry, path, &name),
			  1);
		CHECK_BUF(&name, "new");
	}
	CHECK_INT(names_look_up(&names, &dialect_registry,
				test_path("sessions/2026/03/01/" ROLLOUT ID
					  "9.jsonl"),
				&name),
		  1);
	CHECK_BUF(&name, "");
	CHECK_INT(names_look_up(&names, &dialect_registry, "/x.jsonl", &name),
		  0);
	names_free(&names);
	buf_free(&name);
}

/*
 * A filesystem whose locks have another device. The links to what a process has
 * open are read, and not followed.
 */
static void check_other_device(const char *path, const char *lock)
{
	struct stat st;
	struct buf line = { 0 };
	const char *proc = test_path("proc");
	const char *link = test_path("proc/77/fd/3");
	test_need(mkdir(proc, 0755) == 0 &&
			  mkdir(test_path("proc/77"), 0755) == 0 &&
			  mkdir(test_path("proc/77/fd"), 0755) == 0,
		  proc);
	test_need(stat(lock, &st) == 0, lock);
	buf_addf(&line, "1: FLOCK  ADVISORY  WRITE 77 fff:ff:%ju 0 EOF\n",
		 (uintmax_t)st.st_ino);
	test_file("proc/locks", buf_cstr(&line));
	CHECK_INT(codex_process_with(NULL, proc, path), 0);
	test_need(symlink(lock, test_path("proc/alias")) == 0, "alias");
	test_need(symlink("../../alias", link) == 0, link);
	CHECK_INT(codex_process_with(NULL, proc, path), 0);
	test_need(unlink(link) == 0 && symlink(lock, link) == 0, link);
	CHECK_INT(codex_process_with(NULL, proc, path), 77);
	buf_free(&line);
}

/* An id may have escapes. */
static void check_escaped_name(void)
{
	struct buf name = { 0 };
	struct buf file = test_quoted("{'id':'a\\u0062c','thread_name':'N'}\n"
				      "{'id':'xyz','thread_name':'X'}\n");
	CHECK_INT(
		names_find(&dialect_codex, buf_span(&file), SPAN("abc"), &name),
		0);
	CHECK_BUF(&name, "N");
	buf_free(&name);
	buf_free(&file);
}

/* This process plays the agent. */
static void check_running(void)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s",
		 test_path("sessions/2026/03/01/" ROLLOUT ID "1.jsonl"));
	CHECK_INT(codex_agent.process(NULL, path), 0);
	const char *lock = test_file("thread-writer-locks/" ID "1.lock", "");
	CHECK_INT(codex_agent.process(NULL, path), 0);
	int fd = open(lock, O_RDWR | O_CLOEXEC);
	test_need(fd >= 0 && flock(fd, LOCK_EX) == 0, lock);
	CHECK_INT(codex_agent.process(NULL, path), getpid());
	CHECK_INT(codex_process_with(NULL, test_path("none"), path), 0);
	close(fd);
	CHECK_INT(codex_agent.process(NULL, path), 0);
	check_other_device(path, lock);
}

/* What lines are, and which of them the agent skips. */
static void check_lines(void)
{
	enum { NO_LINE = -1 };
	static const struct {
		const char *rest;
		int kind;
		bool skipped;
	} rows[] = {
		/* Whether it is skipped or not. */
		{ "'type':'none','payload':{}", CODEX_UNKNOWN, false },
		{ "'type':'response_item','payload':{'type':'message','role':"
		  "'user','content':[]}",
		  CODEX_ITEM, false },
		{ "'ordinal':5,'type':'response_item','payload':{'type':"
		  "'message','role':'user','content':[]}",
		  CODEX_ITEM, false },
		{ "'ordinal':5.0,'type':'response_item','payload':{'type':"
		  "'message','role':'user','content':[]}",
		  CODEX_ITEM, true },
		{ "'metadata':5,'type':'response_item','payload':{'type':"
		  "'message','role':'user','content':[]}",
		  CODEX_ITEM, true },
		{ "'type':'response_item','payload':{'role':'user'}", NO_LINE,
		  true },
		{ "'type':'response_item','payload':{'type':'message','role':"
		  "'user','content':'text'}",
		  CODEX_ITEM, true },
		{ "'type':'response_item','payload':{'type':'message','role':"
		  "'user','content':[],'phase':'new'}",
		  CODEX_ITEM, true },
		{ "'type':'response_item','payload':{'type':'function_call',"
		  "'name':'f','arguments':{},'call_id':'c'}",
		  CODEX_ITEM, true },
		{ "'type':'inter_agent_communication','payload':{'author':'/"
		  "new','content':[]}",
		  CODEX_AGENT, true },
		{ "'type':'compacted','payload':{'message':''}",
		  CODEX_COMPACTED, false },
		{ "'type':'compacted','payload':{'message':'','"
		  "replacement_history':[{'type':'message'}]}",
		  CODEX_COMPACTED, true },
		{ "'type':'session_meta','payload':{'id':5}", NO_LINE, true },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct codex_line l;
		struct json json;
		struct buf text = test_quoted(rows[i].rest);
		struct buf line = { 0 };
		buf_adds(&line, "{\"timestamp\":\"t\",");
		buf_add(&line, buf_span(&text));
		buf_addc(&line, '}');
		test_row = rows[i].rest;
		CHECK_INT(json_check(buf_span(&line), &json), 0);
		bool read = codex_line_read(json, &l);
		CHECK_INT(read ? (int)l.kind : NO_LINE, rows[i].kind);
		CHECK_INT(!read || !codex_line_decodes(json, &l),
			  rows[i].skipped);
		buf_free(&text);
		buf_free(&line);
	}
	test_row = NULL;
}

#define META(rest)                                                            \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'session_meta','payload'" \
	":{'id':'" ID "1','timestamp':'2026-03-01T10:00:00Z','cwd':'/w'"      \
	",'originator':'x','cli_version':'0.171.0'" rest "}}\n"
#define SAID_START(id, role)                                                  \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'response_item','payload" \
	"':{'type':'message','id':'" id "','role':'" role "','content':[{'"   \
	"type':'input_text','text':'"
#define SAID_END "'}]}}\n"
#define SAID(id, role, text) SAID_START(id, role) text SAID_END
#define EVENT(rest)                                                        \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'event_msg','payload'" \
	":{" rest "}}\n"
#define STARTED EVENT("'type':'task_started','turn_id':'t'")
#define COMPACTED                                                          \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'compacted','payload'" \
	":{'message':'S'}}\n"
#define ROLLBACK(n) EVENT("'type':'thread_rolled_back','num_turns':" n)

#define BARE(rest)                                                            \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'session_meta','payload'" \
	":{'timestamp':'2026-03-01T10:00:00Z'," rest "}}\n"
#define DEMANDED "'cwd':'/w','originator':'x','cli_version':'0.171.0'"
#define NUMBERED(n, type, payload)                                          \
	"{'timestamp':'2026-03-01T10:00:00Z','ordinal':" n ",'type':'" type \
	"','payload':{" payload "}}\n"
#define PAGED META(",'history_mode':'paginated'")
#define TYPED NUMBERED("1", "event_msg", "'type':'user_message'")

/* What 0.171.0 said of such a rollout when it was to resume it. */
static void check_unopened(void)
{
	static const struct {
		const char *lines;
		const char *why; /* NULL: it opens it */
		uint32_t line;
	} rows[] = {
		{ META(""), NULL, 0 },
		{ META(",'session_id':'s','source':'tv','model_provider':null,"
		       "'history_mode':'legacy'"),
		  NULL, 0 },
		{ META(",'source':{'custom':'x'}"), NULL, 0 },
		{ "\n \n" META(""), NULL, 0 },
		{ "\xEF\xBB\xBF" META(""), "a byte order mark", 0 },
		{ "null\n" META(""), "late header", 0 },
		{ SAID("a_1", "user", "u0"), "no header", 0 },
		{ BARE(DEMANDED ",'id':'x'"),
		  "a session_meta whose id is no UUID", 0 },
		{ BARE("'id':'" ID "1'"), "a session_meta without cwd", 0 },
		{ BARE("'id':'" ID "1','cwd':'/w'"),
		  "a session_meta without originator", 0 },
		{ BARE("'id':'" ID "1','cwd':'/w','originator':'x'"),
		  "a session_meta without cli_version", 0 },
		{ META(",'session_id':null"),
		  "a session_meta whose session_id is no text", 0 },
		{ META(",'source':null"),
		  "a session_meta whose source is unknown", 0 },
		{ META(",'source':{}"),
		  "a session_meta whose source is unknown", 0 },
		{ META(",'model_provider':7"),
		  "a session_meta whose model_provider is no text", 0 },
		{ META(",'history_mode':'future'"),
		  "a session_meta whose history_mode is unknown", 0 },
		{ META(",'history_mode':null"),
		  "a session_meta whose history_mode is unknown", 0 },
		/* A legacy thread is read as a text. */
		{ META("") SAID("a_1", "user", "u\xFF"),
		  "bytes that are not UTF-8", 2 },
		{ META("") "x\xFF\n" SAID("a_1", "user", "u"),
		  "bytes that are not UTF-8", 2 },
		{ META("") SAID("a_1", "user", "u") "{\xE2\x82",
		  "bytes that are not UTF-8", 3 },
		{ META("") SAID("a_1", "user", "u") "{'timest", NULL, 0 },
		{ PAGED TYPED "x\xFF\n", NULL, 0 },
		{ PAGED TYPED SAID("a_1", "user", "u\xFF"), NULL, 0 },
		{ PAGED TYPED "{\xE2\x82", NULL, 0 },
		/* The last record of a paginated one has an ordinal. */
		{ PAGED, "no ordinal in the last line", 1 },
		{ PAGED TYPED, NULL, 0 },
		{ PAGED EVENT("'type':'user_message'") TYPED, NULL, 0 },
		{ PAGED TYPED EVENT("'type':'user_message'"),
		  "no ordinal in the last line", 3 },
		{ PAGED TYPED EVENT("'type':'token_count'"),
		  "no ordinal in the last line", 3 },
		{ PAGED TYPED NUMBERED("null", "event_msg", "'type':'error'"),
		  "no ordinal in the last line", 3 },
		{ PAGED TYPED SAID("a_1", "user", "u") "\nx\n{}\nnull\n",
		  "no ordinal in the last line", 3 },
		{ PAGED TYPED SAID("a_1", "user", "u")
			  NUMBERED("7", "new_thing", ""),
		  "no ordinal in the last line", 3 },
		{ PAGED TYPED "x\n{}\nnull\n", NULL, 0 },
		{ PAGED TYPED EVENT("'type':'new_event'"), NULL, 0 },
		{ PAGED TYPED SAID("a_1','phase':'new", "user", "u"), NULL, 0 },
		{ PAGED TYPED NUMBERED("'6'", "event_msg",
				       "'type':'user_message'"),
		  NULL, 0 },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].lines;
		struct session *s = dialect_session("codex", rows[i].lines);
		struct unopened u = session_unopened(s);
		CHECK_SPAN(span_of(u.why ? u.why : ""),
			   span_of(rows[i].why ? rows[i].why : ""));
		CHECK_INT(u.line, rows[i].line);
		CHECK_INT(session_writable(s), rows[i].why ? -EROFS : 0);
		session_leave(s);
		session_free(s);
	}
	test_row = NULL;
}

/* A message between two agents. */
#define AGENT(rest)                                                  \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'"               \
	"inter_agent_communication','payload':{'author':'/root/a','" \
	"recipient':'/root','trigger_turn':false," rest "}}\n"

#define NOTE(id) SAID(id, "developer", "<permissions instructions>x")
#define LISTED(list)                                                       \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'compacted','payload'" \
	":{'message':'S','replacement_history':[" list "]}}\n"
#define TURN "{'type':'message','role':'user','content':[]}"

/* A rollback hangs what follows on the entry before the turn. */
static void check_rollbacks(void)
{
	static const struct {
		const char *lines;
		const char *tree;
	} rows[] = {
		{ SAID("a_1", "user", "u0") STARTED SAID("a_2", "user", "u1")
			  SAID("a_3", "assistant", "x") ROLLBACK("1")
				  SAID("a_4", "user", "u2"),
		  "a_1<- a_2<a_1 a_3<a_2 L6<a_1 a_4<L6" },
		/* The agent's own notes before a turn go with it. */
		{ SAID("a_1", "user", "u0") NOTE("a_2") SAID("a_3", "user", "u")
			  ROLLBACK("1") SAID("a_4", "user", "u2"),
		  "a_1<- a_2<a_1 a_3<a_2 L5<a_1 a_4<L5" },
		/* But not before the first. */
		{ NOTE("a_1") SAID("a_2", "user", "u") ROLLBACK("9"),
		  "a_1<- a_2<a_1 L4<a_1" },
		/* Nor if something stands between. */
		{ SAID("a_1", "user", "u") NOTE("a_2")
			  SAID("a_3", "assistant", "x") SAID("a_4", "user", "u")
				  ROLLBACK("1"),
		  "a_1<- a_2<a_1 a_3<a_2 a_4<a_3 L6<a_3" },
		/* The turn above is the same for two, and gone for the third.
		 */
		{ SAID("a_1", "user", "u") SAID("a_2", "user", "u")
			  ROLLBACK("1") NOTE("a_3") SAID("a_4", "user", "u")
				  ROLLBACK("1") ROLLBACK("1") NOTE("a_5") SAID(
					  "a_6", "user", "u") ROLLBACK("1"),
		  "a_1<- a_2<a_1 L4<a_1 a_3<L4 a_4<a_3 L7<L4 L8<- a_5<L8 "
		  "a_6<a_5 L11<a_5" },
		{ SAID("a_1", "user", "u") ROLLBACK("0"), "a_1<- L3<a_1" },
		/* Messages of other agents, and compactions without a list. */
		{ SAID("a_1", "user", "u") AGENT("'content':'hello'")
			  ROLLBACK("1"),
		  "a_1<- L3<a_1 L4<a_1" },
		{ SAID("a_1", "user", "u") COMPACTED SAID("a_2", "user", "u")
			  ROLLBACK("1") ROLLBACK("1"),
		  "a_1<- L3<a_1 a_2<L3 L5<L3 L6<a_1" },
		/* One with a list begins the conversation. */
		{ SAID("a_1", "user", "u") LISTED("") NOTE("a_2")
			  SAID("a_3", "user", "u") ROLLBACK("1"),
		  "a_1<- L3<a_1 a_2<L3 a_3<a_2 L6<a_2" },
		{ SAID("a_1", "user", "u") LISTED(TURN) NOTE("a_2")
			  SAID("a_3", "user", "u") ROLLBACK("1"),
		  "a_1<- L3<a_1 a_2<L3 a_3<a_2 L6<L3" },
		/* It is taken back with the turns after it. */
		{ SAID("a_1", "user", "u") SAID("a_2", "user", "u") LISTED(TURN)
			  SAID("a_3", "user", "u") ROLLBACK("2"),
		  "a_1<- a_2<a_1 L4<a_2 a_3<L4 L6<a_1" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf lines = { 0 };
		buf_adds(&lines, META(""));
		buf_adds(&lines, rows[i].lines);
		test_row = rows[i].lines;
		struct session *s = dialect_session("codex", buf_cstr(&lines));
		dialect_check_tree(s, rows[i].tree);
		session_leave(s);
		session_free(s);
		buf_free(&lines);
	}
	test_row = NULL;
}

/* Messages of the agent's own, as 0.171.0 itself took or did not take them. */
static void check_fragments(void)
{
#define INTERNAL(start) "<codex_internal_context" start "x" INTERNAL_END
#define INTERNAL_END "</codex_internal_context>"
	static const struct {
		const char *role;
		const char *text;
		bool is;
	} rows[] = {
		{ "user", "<recommended_plugins>x</recommended_plugins>",
		  true },
		{ "user", " <Recommended_Plugins>x</recommended_plugins>\n",
		  true },
		{ "user", "<recommended_plugins>x", false },
		{ "user",
		  "<agent_message_board_notification>x"
		  "</agent_message_board_notification>",
		  true },
		{ "user", INTERNAL(" source=\"goal\">"), true },
		{ "user", " " INTERNAL(" source=\"goal_2\">") "\n", true },
		{ "user",
		  "<codex_internal_context source=\"goal\">" INTERNAL_END,
		  true },
		{ "user", INTERNAL(">"), false },
		{ "user", INTERNAL(" source=\"\">"), false },
		{ "user", INTERNAL(" source=\"2goal\">"), false },
		{ "user", INTERNAL(" source=\"Goal\">"), false },
		{ "user", INTERNAL("  source=\"goal\">"), false },
		{ "user", INTERNAL(" source=\"goal\" a=\"b\">"), false },
		{ "user", "<codex_internal_context source=\"goal\">x", false },
		{ "user", "<codex_internal_context source=\"goal" INTERNAL_END,
		  false },
		{ "user", "<goal_context>x</goal_context>", true },
		{ "user", "<GOAL_context>x</goal_context>", false },
		{ "user",
		  "Warning: The maximum number of unified exec processes you "
		  "can keep open is",
		  true },
		{ "user",
		  "WARNING: The maximum number of unified exec processes you "
		  "can keep open is 60",
		  false },
		{ "user",
		  "Warning: apply_patch was requested via x. Use the "
		  "apply_patch tool instead of exec_command.",
		  true },
		{ "user", "Warning: apply_patch was requested via x", false },
		{ "user", "Approved command prefix saved:x", false },
		{ "user",
		  "<managed_developer_instructions>x"
		  "</managed_developer_instructions>",
		  false },
		{ "developer", " <Managed_Developer_Instructions>x", true },
		{ "developer", "Approved command prefix saved:x", true },
		{ "developer",
		  "<catalog_apps_instructions>x</catalog_apps_instructions>",
		  true },
		{ "developer", "\n<Catalog_Apps_Instructions>", true },
		{ "user", "<catalog_apps_instructions>x", false },
		{ "developer", "<recommended_plugins>x</recommended_plugins>",
		  false },
	};
#undef INTERNAL
#undef INTERNAL_END
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf text = { 0 };
		struct json item;
		struct json_writer w = { .out = &text };
		test_row = rows[i].text;
		json_begin_object(&w, NULL);
		json_write_word(&w, "type", "message");
		json_write_word(&w, "role", rows[i].role);
		json_begin_array(&w, "content");
		codex_write_text(&w, span_of(rows[i].text));
		json_end_array(&w);
		json_end_object(&w);
		CHECK_INT(json_check(buf_span(&text), &item), 0);
		CHECK_INT(codex_is_users_context(item) ||
				  codex_is_developers_context(item),
			  rows[i].is);
		buf_free(&text);
	}
	test_row = NULL;
}

static void add_repeated(struct buf *b, const char *text, size_t n)
{
	while (n-- > 0)
		buf_adds(b, text);
}

/*
 * A compaction without a list leaves 20,000 tokens of the user's messages, of
 * four bytes each: half of them from the start, half from the end. No character
 * is cut, wherever these end.
 */
static void check_cut(void)
{
	static const struct {
		const char *around;
		size_t kept; /* characters of three bytes, on both sides */
		unsigned tokens;
	} rows[] = {
		{ "", 13333, 2500 },
		{ "x", 13333, 2501 },
		{ "xx", 13332, 2501 },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *around = rows[i].around;
		struct buf lines = { 0 };
		struct buf want = { 0 };
		test_row = around;
		buf_addf(&lines, META("") SAID_START("a_1", "user") "%s",
			 around);
		add_repeated(&lines, "€", 30000);
		buf_addf(&lines, "%s" SAID_END COMPACTED, around);
		struct session *s = dialect_session("codex", buf_cstr(&lines));
		buf_addf(&want, "[User]: %s", around);
		add_repeated(&want, "€", rows[i].kept);
		buf_addf(&want, "…%u tokens truncated…", rows[i].tokens);
		add_repeated(&want, "€", rows[i].kept);
		buf_addf(&want, "%s|[User]: S", around);
		dialect_check_text(s, "L3", buf_cstr(&want));
		test_close(s);
		buf_free(&lines);
		buf_free(&want);
	}
	test_row = NULL;
}

#define SENT(id, role, text)                            \
	"{'type':'message','id':'" id "','role':'" role \
	"','content':[{'type':'input_text','text':'" text "'}]}"
/* What is sent up to the last entry. */
static void check_contexts(void)
{
	static const struct {
		const char *lines;
		const char *leaf;
		const char *json;
	} rows[] = {
		{ META("") SAID("a_1", "user", "u0")
			  SAID("a_2", "assistant", "x"),
		  "a_2",
		  "[\n" SENT("a_1", "user", "u0") ",\n" SENT("a_2", "assistant",
							     "x") "\n]\n" },
		/* An event that says nothing is no entry. */
		{ META("") SAID("a_1", "user", "u0") EVENT("'type':'x'"), "a_1",
		  "[\n" SENT("a_1", "user", "u0") "\n]\n" },
		/* In a fork the copied thread's entries are not above it. */
		{ META(",'history_mode':'paginated'") SAID("a_1", "user", "u0")
			  META("") SAID("a_2", "user", "u1"),
		  "a_2", "[\n" SENT("a_2", "user", "u1") "\n]\n" },
		{ META("") SAID("a_1", "user", "u0") META("")
			  SAID("a_2", "user", "u1"),
		  "a_2",
		  "[\n" SENT("a_1", "user", "u0") ",\n" SENT("a_2", "user",
							     "u1") "\n]\n" },
		{ META("") AGENT("'content':'hello'"), "L2",
		  "[\n{'type':'agent_message','author':'/root/a','recipient':'/"
		  "root','content':[{'type':'input_text','text':'hello'}]}\n]"
		  "\n" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf got = { 0 };
		struct buf want = test_quoted(rows[i].json);
		test_row = rows[i].lines;
		struct session *s = dialect_session("codex", rows[i].lines);
		CHECK_ID(s, s->now.leaf, rows[i].leaf);
		CHECK_INT(context_add(s, s->now.leaf, MESSAGE_FORM_JSON, &got),
			  0);
		CHECK_SPAN(buf_span(&got), buf_span(&want));
		buf_free(&got);
		buf_free(&want);
		test_close(s);
	}
	test_row = NULL;
}

#define LINE(type, payload)                                              \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'" type "','payload" \
	"':{" payload "}}\n"
#define ITEM(type, rest) LINE("response_item", "'type':'" type "'" rest)

/* Each row, its role and its content. */
static void check_rows(void)
{
	static const struct {
		const char *line;
		const char *role;
		const char *content;
	} rows[] = {
		{ ITEM("message", ",'role':'r','content':[1]"), "r", "[1]" },
		{ ITEM("reasoning", ",'summary':[1],'content':[2]"),
		  "assistant", "[1]" },
		{ ITEM("function_call", ""), "assistant",
		  "{'type':'function_call'}" },
		{ ITEM("custom_tool_call", ""), "assistant",
		  "{'type':'custom_tool_call'}" },
		{ ITEM("local_shell_call", ""), "assistant",
		  "{'type':'local_shell_call'}" },
		{ ITEM("tool_search_call", ""), "assistant",
		  "{'type':'tool_search_call'}" },
		{ ITEM("web_search_call", ""), "assistant",
		  "{'type':'web_search_call'}" },
		{ ITEM("image_generation_call", ""), "assistant",
		  "{'type':'image_generation_call'}" },
		{ ITEM("function_call_output", ",'output':'o'"), "toolResult",
		  "'o'" },
		{ ITEM("custom_tool_call_output", ",'output':[3]"),
		  "toolResult", "[3]" },
		{ ITEM("tool_search_output", ",'output':'o'"), "toolResult",
		  "" },
		{ ITEM("agent_message", ",'content':[4]"), "agent", "[4]" },
		{ ITEM("compaction", ",'content':[4]"), "compaction", "" },
		{ ITEM("compaction_summary", ""), "compaction", "" },
		{ ITEM("context_compaction", ""), "compaction", "" },
		{ ITEM("newer", ",'content':[4]"), "newer", "" },
		{ LINE("inter_agent_communication", "'content':'c'"), "agent",
		  "'c'" },
		{ LINE("compacted", "'message':'S'"), "compaction", "'S'" },
		{ LINE("turn_context", "'model':'m'"), "turn_context", "" },
		{ EVENT("'type':'thread_rolled_back','num_turns':0"),
		  "thread_rolled_back", "" },
		{ EVENT("'type':'error','message':'m'"), "error", "'m'" },
	};
	static const char reasoned[] =
		ITEM("reasoning", ",'summary':[],'content':[2]");
	const struct line_row *row = codex_showing.rows->list;
	struct json json;
	for (size_t i = 0; i < COUNT(rows); i++, row++) {
		struct buf line = test_quoted(rows[i].line);
		struct buf want = test_quoted(rows[i].content);
		struct buf role = { 0 };
		struct buf lines = { 0 };
		test_row = rows[i].line;
		CHECK_INT(json_check(buf_span(&line), &json), 0);
		CHECK(rows_find(codex_showing.rows, json) == row);
		rows_add_role(dialect_codex.showing, &role, json);
		CHECK_BUF(&role, rows[i].role);
		CHECK_SPAN(rows_content(dialect_codex.showing, json).raw,
			   buf_span(&want));
		/* The index keeps it as the row says. */
		buf_addf(&lines, META("") "%s", rows[i].line);
		struct session *s = dialect_session("codex", buf_cstr(&lines));
		CHECK_INT(s->now.index.n, 1);
		CHECK_INT(session_entry(s, 0)->type, row->entry);
		session_leave(s);
		session_free(s);
		buf_free(&lines);
		buf_free(&role);
		buf_free(&want);
		buf_free(&line);
	}
	test_row = NULL;
	CHECK(!row[-1].type);
	struct buf line = test_quoted(reasoned);
	CHECK_INT(json_check(buf_span(&line), &json), 0);
	CHECK_SPAN(rows_content(dialect_codex.showing, json).raw, SPAN("[2]"));
	buf_free(&line);
}

static void check_found(void)
{
	dialect_check_found(META(""), "codex");
	dialect_check_found(META(",'history_mode':'paginated'"), "codex");
	dialect_check_found("{'type':'session_meta'}\n", NULL);
	/* The first line is torn, or lost. */
	dialect_check_found(
		"{'timestamp':'2026-03-01T10:00:00Z','ty\n" STARTED SAID(
			"a_1", "user", "u0"),
		"codex");
	dialect_check_found(SAID("a_1", "user", "u0"), "codex");
	dialect_check_found(COMPACTED, "codex");
	dialect_check_found(AGENT("'content':'hello'"), "codex");
	/* Of others. */
	dialect_check_found(LINE("session_meta", "'video':'v1'"), NULL);
	dialect_check_found(LINE("response_item", "'type':'invoice'"), NULL);
	dialect_check_found(LINE("response_item", "'type':'message'"), NULL);
	dialect_check_found(LINE("compacted", "'bytes':5"), NULL);
	dialect_check_found(LINE("event_msg", "'type':'user_message'"), NULL);
	dialect_check_found(LINE("turn_context", "'model':'m'"), NULL);
	dialect_check_found(
		"{'timestamp':'now','type':'compacted','payload':{'message':'"
		"S'}}\n",
		NULL);
}

static void check_pictures(void)
{
	static const struct {
		const char *url, *bytes;
	} rows[] = {
		{ "'data:image/png;base64,YWJj'", "abc" },
		{ "'DATA:image/png;x=1;BASE64,YWJj'", "abc" },
		{ "'data:base64;x,YWJj'", "abc" },
		{ "'data:;base64,YWI='", "ab" },
		{ "'https://x/;base64,YWI='", NULL },
		{ "'data:image/png,YWI='", NULL },
		{ "5", NULL },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf url = test_quoted(rows[i].url);
		struct buf got = { 0 };
		test_row = rows[i].url;
		CHECK_INT(codex_picture(&got,
					(struct json){ .raw = buf_span(&url) }),
			  rows[i].bytes != NULL);
		CHECK_BUF(&got, rows[i].bytes ? rows[i].bytes : "");
		buf_free(&got);
		buf_free(&url);
	}
	test_row = NULL;
}

/* Names that can't be read hold up no session. */
static void check_unread_names(void)
{
	struct rlimit was;
	struct session *s =
		test_open(test_file("sessions/2026/03/01/" ROLLOUT ID "1.jsonl",
				    META("") SAID("a_1", "user", "u0")));
	test_file("session_index.jsonl",
		  "{'id':'" ID "1','thread_name':'newer'}\n");
	test_need(getrlimit(RLIMIT_NOFILE, &was) == 0, "getrlimit");
	const struct rlimit none = { 0, was.rlim_max };
	test_need(setrlimit(RLIMIT_NOFILE, &none) == 0, "setrlimit");
	CHECK_INT(session_enter(s), 0);
	CHECK_SPAN(buf_span(&s->now.name), SPAN("new"));
	session_leave(s);
	test_need(setrlimit(RLIMIT_NOFILE, &was) == 0, "setrlimit");
	CHECK_INT(session_enter(s), 0);
	CHECK_SPAN(buf_span(&s->now.name), SPAN("newer"));
	session_leave(s);
	session_free(s);
}

int main(void)
{
	make_home();
	check_names();
	check_find();
	check_index();
	check_escaped_name();
	check_running();
	check_lines();
	check_unopened();
	check_rollbacks();
	check_fragments();
	check_cut();
	check_contexts();
	check_rows();
	check_found();
	check_pictures();
	check_unread_names();
	return test_done("codex");
}
