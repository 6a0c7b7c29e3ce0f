/* The rules of conversations: core/as/conversation.h. */
#include "core/as/form.h"
#include "core/as/parts.h"
#include "core/as/settle.h"
#include "tests/unit/dialect_test.h"

#define CALL(id, rest) "{'type':'toolCall','id':" id rest "}"
#define LS(id) CALL("'" id "'", ",'name':'ls','arguments':{}")
#define TEXT(text) "{'type':'text','text':'" text "'}"
#define PICTURE "{'type':'image','data':'iVBORw0K','mimeType':'image/png'}"
#define SAYS(id, parent, blocks) \
	MESSAGE(id, parent, "assistant", ",'content':[" blocks "]")
#define RESULT(id, parent, call, rest) \
	MESSAGE(id, parent, "toolResult", ",'toolCallId':" call rest)
#define ANSWER(id, parent, call, text) \
	RESULT(id, parent, "'" call "'", ",'content':'" text "'")
#define ASKS(id, parent, blocks) \
	MESSAGE(id, parent, "user", ",'content':[" blocks "]")

/*
 * The entries of a session of Pi, and its conversation: U, A and R for turns, R
 * with its call's id, and ! if it failed.
 */
static const struct {
	const char *rule;
	const char *lines;
	const char *id;
	const char *want;
} rows[] = {
	{ "1: results behind their calls, in the order of these",
	  USER("a", "null", "q") SAYS("b", "'a'", LS("x") "," LS("y"))
		  ANSWER("c", "'b'", "y", "2") ANSWER("d", "'c'", "x", "1"),
	  "d", "U q|A ls#x{} ls#y{}|R#x 1|R#y 2" },
	{ "1: one that came later is moved",
	  SAYS("a", "null", LS("x")) USER("b", "'a'", "q")
		  ANSWER("c", "'b'", "x", "1"),
	  "c", "A ls#x{}|R#x 1|U q" },
	{ "1: a call without a result",
	  SAYS("a", "null", LS("x")) USER("b", "'a'", "q"), "b",
	  "A ls#x{}|R#x! No result was recorded.|U q" },
	{ "1: results without a call, before it, and a second one",
	  ANSWER("a", "null", "x", "early") SAYS("b", "'a'", LS("x"))
		  ANSWER("c", "'b'", "x", "1") ANSWER("d", "'c'", "x", "2")
			  ANSWER("e", "'d'", "z", "3"),
	  "e", "U early|A ls#x{}|R#x 1|U 2|U 3" },
	{ "1: a result that failed, and one that says nothing",
	  SAYS("a", "null", LS("x") "," LS("y"))
		  RESULT("b", "'a'", "'x'", ",'content':'no','isError':true")
			  RESULT("c", "'b'", "'y'", ",'content':[]"),
	  "c", "A ls#x{} ls#y{}|R#x! no|R#y" },
	{ "1 and 3: a late result parts no turns; what follows a result does",
	  SAYS("a", "null", LS("x") "," LS("y")) ANSWER("b", "'a'", "x", "1")
		  SAYS("c", "'b'", TEXT("c")) ANSWER("d", "'c'", "y", "2")
			  SAYS("e", "'d'", TEXT("e")),
	  "e", "A ls#x{} ls#y{}|R#x 1|R#y 2|A c e" },
	{ "2: ids that repeat, are empty, or have other characters",
	  SAYS("a", "null", LS("x")) ANSWER("b", "'a'", "x", "1")
		  SAYS("c", "'b'",
		       LS("x") "," LS("") "," LS("\xC3\xBC") "," LS("call_2"))
			  ANSWER("d", "'c'", "\xC3\xBC", "3")
				  ANSWER("e", "'d'", "", "2")
					  ANSWER("f", "'e'", "x", "1"),
	  "f",
	  "A ls#x{}|R#x 1|A ls#call_1{} ls#call_2{} ls#call_3{} ls#call_4{}|"
	  "R#call_1 1|R#call_2 2|R#call_3 3|"
	  "R#call_4! No result was recorded." },
	{ "2: of two calls with one id the newest has the next result",
	  SAYS("a", "null", LS("x") "," LS("x")) ANSWER("b", "'a'", "x", "1"),
	  "b", "A ls#x{} ls#call_1{}|R#x! No result was recorded.|R#call_1 1" },
	{ "3: turns side by side",
	  SAYS("a", "null", TEXT("1")) SAYS("b", "'a'", "")
		  SAYS("c", "'b'", TEXT("2") "," LS("x"))
			  SAYS("d", "'c'", LS("y")) ANSWER("e", "'d'", "x", "r")
				  USER("f", "'e'", "3") USER("g", "'f'", "4"),
	  "g",
	  "A 1 2 ls#x{} ls#y{}|R#x r|R#y! No result was recorded.|U 3|U 4" },
	{ "4: blank texts",
	  USER("a", "null", " \\n\\u3000") ASKS("b", "'a'", TEXT(""))
		  SAYS("c", "'b'", TEXT(" ") "," TEXT("x")),
	  "c", "A x" },
	{ "5: thinking",
	  SAYS("a", "null",
	       "{'type':'thinking','thinking':'hm','thinkingSignature':'s'},"
	       "{'type':'redactedThinking','data':'z'}," TEXT("x")),
	  "a", "A hm x" },
	{ "6: pictures of the assistant are the user's, behind its results",
	  SAYS("a", "null", PICTURE "," TEXT("x") "," LS("y"))
		  ANSWER("b", "'a'", "y", "1") SAYS("c", "'b'", PICTURE),
	  "c",
	  "A x ls#y{}|R#y 1|U <image/png iVBORw0K>|U <image/png iVBORw0K>" },
	{ "6: URLs, and pictures that are none",
	  ASKS("a", "null",
	       "{'type':'image','data':'data:image/gif;base64,AA=='},"
	       "{'type':'image','data':'https://e.org/a'},"
	       "{'type':'image','data':'','mimeType':'m'},"
	       "{'type':'image','data':'AA=='}"),
	  "a",
	  "U <image/gif AA==> <\"https://e.org/a\"> "
	  "type: image/data:/mimeType: m < AA==>" },
	{ "7: names and arguments",
	  SAYS("a", "null",
	       CALL("'a'", "") "," CALL("'b'", ",'name':'','arguments':null") "," CALL(
		       "'c'",
		       ",'name':5,'arguments':'a text'") "," CALL("'d'",
								  ",'name':'n',"
								  "'arguments':"
								  "[1]") "," CALL("'e'",
										  ",'name':'n','arguments':' '")),
	  "a",
	  "A unknown#a{} unknown#b{} unknown#c\"a text\" n#d{\"input\":[1]} "
	  "n#e{}|R#a! No result was recorded.|R#b! No result was recorded.|"
	  "R#c! No result was recorded.|R#d! No result was recorded.|"
	  "R#e! No result was recorded." },
	{ "8: other blocks, and calls that are none",
	  SAYS("a", "null",
	       "{'type':'odd','a':[{'signature':'S','b':1}],"
	       "'encrypted_content':'E'},null,7,{},"
	       "{'type':'toolCall','name':'n'}") ASKS("b", "'a'", LS("x")),
	  "b",
	  "A type: odd/a[0].b: 1 type: toolCall/name: n|"
	  "U type: toolCall/id: x/name: ls/arguments: {}" },
	{ "9: halves of pairs, and other bytes",
	  USER("a", "null", "\\ud800x\xFF") SAYS(
		  "b", "'a'",
		  CALL("'x'", ",'name':'\\udc00','arguments':{'\\ud800':1}")),
	  "b",
	  "U \xEF\xBF\xBDx\xEF\xBF\xBD|A \xEF\xBF\xBD#x{\"\xEF\xBF\xBD\":1}|"
	  "R#x! No result was recorded." },
	{ "left out: the system's messages",
	  MESSAGE("a", "null", "system", ",'content':'rules'")
		  USER("b", "'a'", "q"),
	  "b", "U q" },
};

static void add_part(struct buf *out, const struct part *p)
{
	struct buf text = { 0 };
	if (p->type == PART_TEXT) {
		json_decode(&text, p->text);
		for (size_t i = 0; i < text.len; i++)
			buf_addc(out,
				 text.data[i] == '\n' ? '/' : text.data[i]);
	} else if (p->type == PART_CALL) {
		json_decode(out, p->name);
		buf_addc(out, '#');
		buf_add(out, p->id);
		buf_add(out, p->arguments.raw);
	} else {
		buf_addc(out, '<');
		buf_add(out, p->mime);
		buf_adds(out, p->data.n > 0 ? " " : "");
		buf_add(out, p->data);
		buf_add(out, p->url.raw);
		buf_addc(out, '>');
	}
	buf_free(&text);
}

static void add_turns(struct buf *out, const struct conversation *c)
{
	static const char letters[] = {
		[TURN_USER] = 'U', [TURN_ASSISTANT] = 'A', [TURN_RESULT] = 'R'
	};
	for (uint32_t i = 0; i < c->n_turns; i++) {
		const struct turn *t = &c->turns[i];
		buf_adds(out, i > 0 ? "|" : "");
		buf_addc(out, letters[t->role]);
		if (t->role == TURN_RESULT) {
			buf_addc(out, '#');
			buf_add(out, t->call);
			buf_adds(out, t->failed ? "!" : "");
		}
		for (uint32_t k = 0; k < t->n; k++) {
			buf_addc(out, ' ');
			add_part(out, &c->parts[t->first + k]);
		}
	}
}

static void check_rules(void)
{
	struct buf lines = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct conversation c;
		struct buf got = { 0 };
		test_row = rows[i].rule;
		buf_clear(&lines);
		buf_addf(&lines, "%s%s", HEADER, rows[i].lines);
		struct session *s = dialect_session("pi", buf_cstr(&lines));
		CHECK_INT(conversation_load(&c, s, test_find(s, rows[i].id)),
			  0);
		add_turns(&got, &c);
		CHECK_BUF(&got, rows[i].want);
		buf_free(&got);
		conversation_free(&c);
		session_leave(s);
		session_free(s);
	}
	test_row = NULL;
	buf_free(&lines);
}

/* Times never go back; a message without one has its entry's. */
static void check_times(void)
{
	struct conversation c;
	struct session *s = dialect_session(
		"pi", HEADER MESSAGE("a", "null", "user", ",'content':'1'")
			      USER("b", "'a'", "2")
				      MESSAGE("c", "'b'", "assistant",
					      ",'content':'3','timestamp':"
					      "1900000000000"));
	CHECK_INT(conversation_load(&c, s, test_find(s, "c")), 0);
	if (CHECK_INT(c.n_turns, 3)) {
		CHECK_INT(c.begun, 1772359200000);
		CHECK_INT(c.turns[0].time, 1772359201000);
		CHECK_INT(c.turns[1].time, 1772359201000);
		CHECK_INT(c.turns[2].time, 1900000000000);
	}
	conversation_free(&c);
	session_leave(s);
	session_free(s);
}

/* Of a fork, what was said before it has its own time. */
static void check_forked(void)
{
	struct conversation c;
	struct session *s = dialect_session(
		"pi", HEADER MESSAGE("a", "null", "user",
				     ",'content':'1','timestamp':"
				     "1700000000000")
			      MESSAGE("b", "'a'", "user", ",'content':'2'"));
	CHECK_INT(conversation_load(&c, s, test_find(s, "b")), 0);
	if (CHECK_INT(c.n_turns, 2)) {
		CHECK_INT(c.begun, 1700000000000);
		CHECK_INT(c.turns[0].time, 1700000000000);
		CHECK_INT(c.turns[1].time, 1772359201000);
	}
	conversation_free(&c);
	session_leave(s);
	session_free(s);
}

#define MANY 100000

static void add_call(struct conversation *c, const char *id)
{
	struct part p = { .type = PART_CALL,
			  .id = span_of(id),
			  .name.raw = SPAN("\"ls\""),
			  .arguments.raw = SPAN("{}") };
	CHECK_INT(arena_keep(&c->kept, &p.id), 0);
	CHECK_INT(conversation_add_part(c, p), 0);
}

static void add_result(struct conversation *c, const char *id)
{
	struct turn t = { .role = TURN_RESULT, .call = span_of(id) };
	CHECK_INT(arena_keep(&c->kept, &t.call), 0);
	CHECK_INT(conversation_add_turn(c, t), 0);
}

/*
 * So many turns would take minutes if any step depended on their number: ids
 * that sessfs would give are taken, all others are the same, and each result
 * comes last.
 */
static void check_many(void)
{
	struct conversation c = { 0 };
	char id[32];
	uint32_t failed = 0;
	for (unsigned i = 0; i < MANY; i++) {
		CHECK_INT(conversation_add_turn(
				  &c, (struct turn){ .role = TURN_ASSISTANT }),
			  0);
		snprintf(id, sizeof(id), "call_%u", i);
		add_call(&c, i < MANY / 2 ? id : "same");
	}
	for (unsigned i = 0; i < MANY / 2; i++) {
		snprintf(id, sizeof(id), "call_%u", i);
		add_result(&c, id);
	}
	CHECK_INT(conversation_settle(&c), 0);
	CHECK_INT(c.n_turns, MANY + 1);
	for (uint32_t i = 1; i < c.n_turns; i++)
		failed += c.turns[i].failed;
	CHECK_INT(failed, MANY / 2);
	conversation_free(&c);
}

/* A long text, many calls of one turn, and what makes a form of nothing. */
static void check_sizes(void)
{
	struct buf lines = { 0 };
	struct buf out = { 0 };
	struct conversation c;
	buf_adds(&lines, HEADER "{'type':'message','id':'a','parentId':null,"
				"'message':{'role':'assistant','content':["
				"{'type':'text','text':'");
	buf_fill(&lines, 'x', 1 << 20);
	buf_adds(&lines, "'}");
	for (int i = 0; i < 300; i++)
		buf_addf(&lines,
			 ",{'type':'toolCall','id':'%0500d','name':'n',"
			 "'arguments':{}}",
			 i);
	buf_adds(&lines, "]}}\n");
	struct session *s = dialect_session("pi", buf_cstr(&lines));
	CHECK_INT(conversation_load(&c, s, test_find(s, "a")), 0);
	CHECK_INT(c.n_turns, 301);
	CHECK_INT(c.tokens > 1 << 18, 1);
	CHECK_SPAN(c.turns[300].call, SPAN("call_300"));
	conversation_free(&c);
	for (unsigned i = 0; i < as_form_count(&dialect_registry); i++) {
		CHECK_INT(as_form_add(s, i, test_find(s, "a"), 1, &out), 0);
		CHECK_INT(as_form_add(s, i, INDEX_NONE, 1, &out), 0);
	}
	CHECK_INT(buf_error(&out), 0);
	session_leave(s);
	session_free(s);
	buf_free(&lines);
	buf_free(&out);
}

int main(void)
{
	check_rules();
	check_times();
	check_forked();
	check_many();
	check_sizes();
	return test_done("as");
}
