/*
 * What is beside Codex's rollouts, and what a large one comes to. The rules of
 * their lines are cases of tests/corpus/codex: sessfs-formats(5).
 */
#include <sys/file.h>

#include "core/dialects/codex/codex.h"
#include "core/session/names.h"
#include "tests/unit/dialect_test.h"
#include "tests/unit/tables.h"

#define ID "019ca8f0-0000-7000-8000-00000000000"
#define ROLLOUT "rollout-2026-03-01T10-00-00-"

TABLE(check_name, "codex")
{
	struct span path = row_field(r, 0);
	CHECK_SPAN(codex_rollout_id(path), row_field(r, 1));
	CHECK_SPAN(codex_thread_id(path), row_field(r, 2));
	buf_add(made, codex_home_of(path));
}

TEST(make_home)
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
TEST(check_find)
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
TEST(check_index)
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
TEST(check_escaped_name)
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
TEST(check_running)
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
#define COMPACTED                                                          \
	"{'timestamp':'2026-03-01T10:00:00Z','type':'compacted','payload'" \
	":{'message':'S'}}\n"

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
TEST(check_cut)
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

/* Names that can't be read hold up no session. */
TEST(check_unread_names)
{
	struct session *s =
		test_open(test_file("sessions/2026/03/01/" ROLLOUT ID "1.jsonl",
				    META("") SAID("a_1", "user", "u0")));
	test_file("session_index.jsonl",
		  "{'id':'" ID "1','thread_name':'newer'}\n");
	test_limit_files(0);
	CHECK_INT(session_enter(s), 0);
	CHECK_SPAN(buf_span(&s->now.name), SPAN("new"));
	session_leave(s);
	test_limit_files(-1);
	CHECK_INT(session_enter(s), 0);
	CHECK_SPAN(buf_span(&s->now.name), SPAN("newer"));
	session_leave(s);
	session_free(s);
}

RUN_TESTS("codex")
