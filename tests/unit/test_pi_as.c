/* Other agents' conversations for Pi and oh-my-pi, and oh-my-pi's for others.
 */
#include "core/as/form.h"
#include "core/dialects/omp/omp.h"
#include "tests/unit/dialect_test.h"

#define LINE(type, id, parent, content)                                      \
	"{'type':'" type "','uuid':'" id "','parentUuid':" parent            \
	",'isSidechain':false,'sessionId':'5e55f500-0000-4000-8000-00000000" \
	"0001','timestamp':'2026-03-01T10:00:01.000Z','cwd':'/w','message':" \
	"{'id':'m" id "','model':'opus','content':" content "}}\n"
#define PNG "iVBORw0KGgo="
#define PICTURE(mime, data)                                                   \
	"{'type':'image','source':{'type':'base64','media_type':'" mime "','" \
	"data':'" data "'}}"

static const char claude[] = LINE(
	"user", "a", "null",
	"[{'type':'text','text':'see'}," PICTURE("image/jpeg", PNG) "," PICTURE(
		"image/svg+xml",
		"AAAA") ",{'type':'image','source"
			"':{'type':'url','url':'https://x/y'}}]")
	LINE("assistant", "b", "'a'",
	     "[{'type':'tool_use','id':'t','name':'R\\u00e9','input':{\n}}]")
		LINE("user", "c", "'b'",
		     "[{'type':'tool_result','tool_use_id':'t','is_error':true,"
		     "'co"
		     "ntent':[" PICTURE("image/png", PNG) "]}]")
			LINE("assistant", "d", "'c'",
			     "[{'type':'text','text':'done'}]");

#define TIMED(more) "'timestamp':1772359201000" more "}"
#define IMAGE "{'type':'image','data':'" PNG "','mimeType':'image/png'}"
#define MODEL                                                                 \
	",'api':'unknown','provider':'anthropic','model':'opus','usage':{'in" \
	"put':0,'output':0,'cacheRead':0,'cacheWrite':0,'totalTokens':0,'cos" \
	"t':{'input':0,'output':0,'cacheRead':0,'cacheWrite':0,'total':0}},'" \
	"stopReason':"
#define MESSAGES(user, agent)                                                  \
	"[{'role':'user','content':[{'type':'text','text':'see'}," IMAGE       \
	",{'type':'text','text':'[picture image/svg+xml 3 bytes]\\n[pict"      \
	"ure https://x/y]'}]," user TIMED(                                     \
		"") ",{'role':'assistant','content':[{'type':'toolCall','id':" \
		    "'t','name"                                                \
		    "':'R\\u00e9','arguments':{ }}]" MODEL "'toolUse'," TIMED( \
			    "") ",{'role':'toolResult','toolCallId':'t','"     \
				"toolName':'R\\u00e9','con"                    \
				"tent':[" IMAGE                                \
				"],'isError':true," agent TIMED(               \
					"") ",{'role':'assistant','content':[" \
					    "{'type':'text','text':'done'}"    \
					    "]" MODEL "'stop'," TIMED("") "]"

/* Append a form of a session at an entry, and at its head. */
static void add_form_at(const struct session *s, const char *name,
			uint32_t entry, struct buf *out)
{
	unsigned form = 0;
	CHECK_INT(as_form_find(&dialect_registry, span_of(name), &form), 0);
	CHECK_INT(as_form_add(s, form, entry, 1, out), 0);
}

static void add_form(const struct session *s, const char *name, struct buf *out)
{
	add_form_at(s, name, session_at_leaf(s), out);
}

/* A context as JSON, without newlines. */
static void add_context(const struct session *s, struct buf *out)
{
	struct buf whole = { 0 };
	CHECK_INT(context_add(s, session_at_leaf(s), MESSAGE_FORM_JSON, &whole),
		  0);
	for (size_t i = 0; i < whole.len; i++) {
		if (whole.data[i] != '\n')
			buf_addc(out, whole.data[i]);
	}
	buf_free(&whole);
}

/* The file of a form is a session of the agent with the same messages. */
static void check_received(const char *name, const char *form,
			   const char *lines, const char *messages)
{
	struct session *s = dialect_session("claude", lines);
	struct buf file = { 0 };
	struct buf again = { 0 };
	struct buf got = { 0 };
	struct buf want = test_quoted(messages);
	test_row = form;
	add_form(s, form, &file);
	add_form(s, form, &again);
	CHECK_SPAN(buf_span(&file), buf_span(&again));
	test_put(test_path("r.jsonl"), O_TRUNC, buf_span(&file));
	session_leave(s);
	session_free(s);
	s = dialect_open("r.jsonl", NULL);
	CHECK_SPAN(span_of(s->dialect->name), span_of(name));
	dialect_check_problems(s, "");
	add_context(s, &got);
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	CHECK_INT(buf_span(&s->now.name).n > 0, 1);
	CHECK_INT(json_is(session_header(s, "cwd"), SPAN("/w")), 1);
	buf_free(&file);
	buf_free(&again);
	buf_free(&got);
	buf_free(&want);
	session_leave(s);
	session_free(s);
	test_row = NULL;
}

/* Ids of many entries are all there once, and make one chain. */
static void check_ids(void)
{
	struct buf lines = { 0 };
	struct buf file = { 0 };
	enum { MANY = 3000 };
	for (int i = 0; i < MANY; i++) {
		struct buf parent = { 0 };
		buf_addf(&parent, i > 0 ? "'%d'" : "null", i - 1);
		buf_addf(&lines,
			 "{'type':'user','uuid':'%d','parentUuid':%s,'isSide"
			 "chain':false,'sessionId':'5e55f500-0000-4000-8000-"
			 "000000000001','message':{'content':'x'}}\n",
			 i, buf_cstr(&parent));
		buf_free(&parent);
	}
	struct session *s = dialect_session("claude", buf_cstr(&lines));
	add_form(s, "pi.jsonl", &file);
	test_put(test_path("r.jsonl"), O_TRUNC, buf_span(&file));
	session_leave(s);
	session_free(s);
	s = dialect_open("r.jsonl", NULL);
	dialect_check_problems(s, "");
	CHECK_INT(s->now.index.n, MANY + 1);
	for (uint32_t i = 1; i < s->now.index.n; i++) {
		if (!CHECK_INT(session_entry(s, i)->parent, i - 1))
			break;
	}
	buf_free(&lines);
	buf_free(&file);
	session_leave(s);
	session_free(s);
}

static void check_notes(void)
{
	static const struct {
		const char *content;
		bool note;
	} rows[] = {
		{ "'<system-reminder>\\nx'", true },
		{ "[{'type':'text','text':'<system-warning>x'}]", true },
		{ "'<system-injection>x'", true },
		{ "'<system-interrupt reason=\\'x\\'>'", true },
		{ "'<context-window-reminder>'", true },
		{ "'<system-notice>\\nBackground job 1 has completed.'",
		  false },
		{ "'x <system-reminder>'", false },
		{ "[{'type':'image','data':'<system-reminder>'}]", false },
		{ "[]", false },
		{ "null", false },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf line = test_quoted(rows[i].content);
		struct json v;
		test_row = rows[i].content;
		if (CHECK_INT(json_check(buf_span(&line), &v), 0) == true)
			CHECK_INT(omp_is_note(v), rows[i].note);
		buf_free(&line);
	}
	test_row = NULL;
}

#define OMP(id, parent, message)                             \
	"{'type':'message','id':'" id "','parentId':" parent \
	",'timestamp':'2026-03-01T10:00:00.000Z','message':{" message "}}\n"
static bool has(const struct buf *b, const char *text)
{
	return memmem(b->data, b->len, text, strlen(text)) != NULL;
}

/* What oh-my-pi sends as a developer's is said, but for notes. */
static void check_taken(void)
{
	struct session *s = dialect_session(
		"omp",
		OMP_HEADER OMP(
			"00000001", "null",
			"'role':'developer','content':'<system-reminder>x'")
			OMP("00000002", "'00000001'",
			    "'role':'fileMention','files':[{'path':'a','conten"
			    "t':'b'}]")
				OMP("00000003", "'00000002'",
				    "'role':'custom','customType':'n','content"
				    "':'news'"));
	struct buf got = { 0 };
	add_form(s, "anthropic.json", &got);
	CHECK_INT(has(&got, "reminder"), false);
	CHECK_INT(has(&got, "</file>"), true);
	CHECK_INT(has(&got, "news"), true);
	buf_free(&got);
	session_leave(s);
	session_free(s);
}

/* What only OpenAI can read takes the place of nothing for other agents. */
static void check_opaque(void)
{
	struct session *s = dialect_session(
		"omp",
		OMP_HEADER OMP("00000001", "null",
			       "'role':'user','content':'asked'")
			ENTRY("compaction", "00000002", "'00000001'",
			      ",'summary':'readable','tokensBefore':1,'firstK"
			      "eptEntryId':'00000002'")
				OMP("00000003", "'00000002'",
				    "'role':'user','content':'and more'")
					ENTRY("compaction", "00000004",
					      "'00000003'",
					      ",'summary':'placeholder','toke"
					      "nsBefore':1,'firstKeptEntryId'"
					      ":'00000004','preserveData':{'o"
					      "penaiRemoteCompaction':{'provi"
					      "der':'openai','replacementHist"
					      "ory':[]}}"));
	struct buf got = { 0 };
	add_form(s, "anthropic.json", &got);
	CHECK_INT(has(&got, "placeholder"), false);
	CHECK_INT(has(&got, "and more"), true);
	CHECK_INT(has(&got, "readable"), true);
	CHECK_INT(has(&got, "asked"), false);
	buf_clear(&got);
	add_context(s, &got);
	CHECK_INT(has(&got, "placeholder"), true);
	CHECK_INT(has(&got, "and more"), false);
	buf_free(&got);
	session_leave(s);
	session_free(s);
}

/* White space may not end the last message. A result without text is one. */
static void check_last_text(void)
{
	struct session *s = dialect_session(
		"omp",
		OMP_HEADER OMP("00000001", "null",
			       "'role':'assistant','content':[{'type':'toolCal"
			       "l','id':'c','name':'n','arguments':{}},{'type'"
			       ":'text','text':'said '}]")
			OMP("00000002", "'00000001'",
			    "'role':'toolResult','toolCallId':'c','content':[]")
				OMP("00000003", "'00000002'",
				    "'role':'assistant','content':[{'type':'tex"
				    "t','text':'at last '}]"));
	struct buf got = { 0 };
	add_form_at(s, "anthropic.json", test_find(s, "00000002"), &got);
	CHECK_INT(has(&got, "\"said \""), true);
	buf_clear(&got);
	add_form(s, "anthropic.json", &got);
	CHECK_INT(has(&got, "\"said \""), true);
	CHECK_INT(has(&got, "\"at last\""), true);
	buf_free(&got);
	session_leave(s);
	session_free(s);
}

int main(void)
{
	check_received("pi", "pi.jsonl", claude, MESSAGES("", ""));
	check_received(
		"omp", "omp.jsonl", claude,
		MESSAGES("'attribution':'user',", "'attribution':'agent',"));
	check_ids();
	check_notes();
	check_taken();
	check_opaque();
	check_last_text();
	return test_done("pi_as");
}
