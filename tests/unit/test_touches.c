#include "core/show/touching.h"

#include "core/session/file_name.h"
#include "tests/unit/dialect_test.h"

/* "PATH:NAME=ID" of each touch, as a walk over the folders finds them. */
static void walk(const struct session *s, uint32_t folder, struct buf *out)
{
	struct buf name = { 0 };
	struct touch t;
	struct touch same;
	uint32_t at = 0;
	uint32_t found;
	uint32_t again;
	while (touches_next(s, folder, &at, &name, &t) == 1) {
		touches_add_path(s, folder, out);
		buf_addc(out, ':');
		buf_add(out, buf_span(&name));
		buf_addc(out, '=');
		buf_add(out, test_id(s, t.entry));
		buf_addc(out, '\n');
		CHECK_INT(touches_find(s, folder, buf_span(&name), &same), 0);
		CHECK_INT(same.entry, t.entry);
		CHECK_INT(touches_of_entry(s, t.entry, t.nth, &same), 0);
		CHECK_INT(same.folder, folder);
		CHECK_INT(same.number, t.number);
		buf_clear(&name);
	}
	at = 0;
	while (touches_next_folder(s, folder, &at, &name, &found) == 1) {
		CHECK_INT(
			touches_find_folder(s, folder, buf_span(&name), &again),
			0);
		CHECK_INT(again, found);
		CHECK_INT(touches_find(s, folder, buf_span(&name), &t),
			  -ENOENT);
		buf_clear(&name);
		walk(s, found, out);
	}
	buf_free(&name);
}

static void check(const struct session *s, const char *want)
{
	struct buf got = { 0 };
	struct touch t;
	uint32_t n = 0;
	size_t lines = 0;
	walk(s, TOUCH_ROOT, &got);
	for (size_t i = 0; i < got.len; i++)
		lines += got.data[i] == '\n';
	CHECK_BUF(&got, want);
	while (touches_get(s, n, &t) == 1)
		n++;
	CHECK_INT(n, lines);
	buf_free(&got);
}

/* A session of Pi: the header has the cwd "/w". */
#define PI_HEADER                                                            \
	"{'type':'session','version':3,'id':'s','timestamp':'2026-01-02T03:" \
	"04:05.000Z','cwd':'/w'}\n"
#define CALL(id, name, arguments)                              \
	"{'type':'toolCall','id':'" id "','name':'" name "','" \
	"arguments':" arguments "}"
#define CALLS(id, parent, calls) \
	MESSAGE(id, parent, "assistant", ",'content':[" calls "]")
#define RESULT(id, parent, call, failed)                                    \
	MESSAGE(id, parent, "toolResult",                                   \
		",'toolCallId':'" call "','toolName':'x','isError':" failed \
		",'content':[]")

/* Calls that all have one id: the newest is kept, so that none is searched. */
TEST(check_same_ids)
{
	struct session *s = dialect_session(
		"pi",
		PI_HEADER CALLS("b", "null", CALL("1", "read", "{'path':'b'}"))
			RESULT("c", "'b'", "1", "false") CALLS(
				"d", "'c'", CALL("1", "read", "{'path':'d'}"))
				RESULT("e", "'d'", "1", "true") CALLS(
					"f", "'e'",
					CALL("2", "read", "{'path':'f'}"))
					RESULT("g", "'f'", "2", "false"));
	/* The last one names no file, and fails. */
	session_leave(s);
	test_append("s.jsonl",
		    CALLS("h", "'g'", CALL("2", "bash", "{'command':'false'}"))
			    RESULT("i", "'h'", "2", "true"));
	CHECK_INT(session_enter(s), 0);
	struct touching t = { 0 };
	check(s, "b:0001-read=b\n"
		 "d:0001-read-failed=d\n"
		 "f:0001-read=f\n");
	CHECK_INT(touching_begin(&t, s), 0);
	for (uint32_t i = 0; i < s->now.index.n; i++)
		CHECK_INT(touching_add_entry(&t, s, i), 0);
	CHECK_INT(t.n_calls, 2);
	touching_free(&t);
	test_close(s);
}

#define CLAUDE(uuid, parent, role, cwd, content)                              \
	"{'parentUuid':" parent ",'isSidechain':false,'userType':'external'," \
	"'cwd':'" cwd "','sessionId':'s','version':'2.1.0','type':'" role     \
	"','message':{'role':'" role "','content':[" content                  \
	"]},'uuid':'" uuid "','timestamp':'2026-01-02T03:04:05.000Z'}\n"
#define TOOL_USE(id, name, input)                              \
	"{'type':'tool_use','id':'" id "','name':'" name "','" \
	"input':" input "}"

/* Lines that do not say the directory come first. */
TEST(check_late_cwd)
{
	static const char call[] =
		CLAUDE("a", "null", "assistant", "/w",
		       TOOL_USE("1", "Read", "{'file_path':'/w/a'}"));
	struct session *s = dialect_session(
		"claude", "{'type':'summary','summary':'x','leafUuid':'u'}\n");
	uint32_t epoch = s->epoch;
	check(s, "");
	session_leave(s);
	test_append("s.jsonl", call);
	CHECK_INT(session_enter(s), 0);
	check(s, "a:0001-read=a\n");
	CHECK_INT(s->epoch, epoch);
	test_close(s);
	/* Folders get other numbers, so that their epoch ends. */
	s = dialect_session(
		"pi", CALLS("b", "null", CALL("1", "read", "{'path':'/w/a'}")));
	epoch = s->epoch;
	check(s, "/w/a:0001-read=b\n");
	session_leave(s);
	test_append("s.jsonl", PI_HEADER);
	CHECK_INT(session_enter(s), 0);
	check(s, "a:0001-read=b\n");
	CHECK(s->epoch != epoch);
	test_close(s);
}

RUN_TESTS("touches")
