/* Conversations: core/as/conversation.h. Their rules are cases of the corpus.
 */
#include "core/as/form.h"
#include "core/as/parts.h"
#include "tests/unit/dialect_test.h"

#define MANY 100000

static void add_call(struct conversation *c, const char *id)
{
	struct part p = { .type = PART_CALL,
			  .id = span_of(id),
			  .name.raw = SPAN("\"ls\""),
			  .arguments.raw = SPAN("{}") };
	CHECK_INT(conversation_keep(c, &p.id), 0);
	CHECK_INT(conversation_add_part(c, p), 0);
}

static void add_result(struct conversation *c, const char *id)
{
	struct turn t = { .role = TURN_RESULT, .call = span_of(id) };
	CHECK_INT(conversation_keep(c, &t.call), 0);
	CHECK_INT(conversation_add_turn(c, t), 0);
}

/*
 * So many turns would take minutes if any step depended on their number: ids
 * that sessfs would give are taken, all others are the same, and each result
 * comes last.
 */
TEST(check_many)
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
TEST(check_sizes)
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

/* Ids of many entries are all there once, and make one chain. */
TEST(check_ids)
{
	struct buf lines = { 0 };
	struct buf file = { 0 };
	unsigned form = 0;
	enum { ENTRIES = 3000 };
	for (int i = 0; i < ENTRIES; i++) {
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
	CHECK_INT(as_form_find(&dialect_registry, SPAN("pi.jsonl"), &form), 0);
	CHECK_INT(as_form_add(s, form, session_at_leaf(s), 1, &file), 0);
	test_put(test_path("r.jsonl"), O_TRUNC, buf_span(&file));
	session_leave(s);
	session_free(s);
	s = dialect_open("r.jsonl", NULL);
	dialect_check_problems(s, "");
	CHECK_INT(s->now.index.n, ENTRIES + 1);
	for (uint32_t i = 1; i < s->now.index.n; i++) {
		if (!CHECK_INT(session_entry(s, i)->parent, i - 1))
			break;
	}
	buf_free(&lines);
	buf_free(&file);
	session_leave(s);
	session_free(s);
}

RUN_TESTS("as")
