#include "core/session/bookkeeping.h"
#include "core/show/page.h"

#include <cjson/cJSON.h>

#include "core/base/text.h"
#include "core/show/content.h"
#include "core/show/meta.h"
#include "tests/unit/test.h"

#define DATA_BEGINS "<script type=\"application/json\" id=\"session\">"
#define DATA_ENDS "</script>"

/* The text between two others; the program ends if it is not there. */
static struct span between(struct span s, const char *before,
			   const char *behind)
{
	const char *from = memmem(s.p, s.n, before, strlen(before));
	test_need(from != NULL, before);
	from += strlen(before);
	const char *to = memmem(from, (size_t)(s.p + s.n - from), behind,
				strlen(behind));
	test_need(to != NULL, behind);
	return (struct span){ from, (size_t)(to - from) };
}

/* The data of a session's page. */
static cJSON *read_page(const struct session *s)
{
	struct buf page = { 0 };
	CHECK_INT(page_add(s, &page), 0);
	CHECK(text_is_utf8(buf_span(&page)));
	CHECK(memmem(page.data, page.len, "<img", 4) == NULL);
	struct span data = between(buf_span(&page), DATA_BEGINS, DATA_ENDS);
	/* No byte of it can end the element, or begin another. */
	CHECK(memchr(data.p, '<', data.n) == NULL);
	CHECK(memmem(data.p, data.n, "\xE2\x80\xA8", 3) == NULL);
	CHECK(memmem(data.p, data.n, "\xE2\x80\xA9", 3) == NULL);
	cJSON *json = cJSON_ParseWithLength(data.p, data.n);
	CHECK(json != NULL);
	buf_free(&page);
	return json;
}

static const cJSON *entry_at(const cJSON *json, int i)
{
	return cJSON_GetArrayItem(cJSON_GetObjectItem(json, "entries"), i);
}

/* A member that is a string; "" if there is none. */
static struct span member(const cJSON *o, const char *key)
{
	const char *text =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
	return span_of(text ? text : "");
}

/* A member that is a number; -1 if there is none. */
static int number(const cJSON *o, const char *key)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, key);
	return cJSON_IsNumber(n) ? n->valueint : -1;
}

#define CHECK_MEMBER(o, key, want) CHECK_SPAN(member(o, key), span_of(want))

/*
 * Every entry is there, with what its files say, behind its parent.
 * Rules: P1
 */
static void check_whole(const struct session *s, const cJSON *json)
{
	const struct index *x = &s->now.index;
	const cJSON *entries = cJSON_GetObjectItem(json, "entries");
	struct buf b = { 0 };
	CHECK_INT(cJSON_GetArraySize(entries), x->n);
	int at = 0;
	for (const cJSON *e = entries->child; e; e = e->next, at++) {
		uint32_t i = index_find(x, member(e, "id"));
		if (!CHECK(i != INDEX_NONE))
			continue;
		CHECK_INT(content_add(s, i, &b), 0);
		CHECK_SPAN(member(e, "content"), buf_span(&b));
		buf_clear(&b);
		CHECK_INT(meta_add(s, i, &b), 0);
		CHECK_SPAN(member(e, "meta"), buf_span(&b));
		buf_clear(&b);
		int parent = number(e, "parent");
		CHECK(parent < at);
		CHECK_INT(parent < 0,
			  bookkeeping_shown_parent(x, i) == INDEX_NONE);
		CHECK_INT(number(json, "head") == at, session_head(s) == i);
	}
	buf_free(&b);
}

static void check_tree(void)
{
	struct session *s = test_session(
		HEADER USER("a", "null", "root") USER("b", "'a'", "old branch")
			USER("c", "'b'", "its end")
				ASSISTANT("d", "'a'", "new branch")
					ENTRY("label", "l", "'d'",
					      ",'targetId':'b'"
					      ",'label':'x'"));
	cJSON *json = read_page(s);
	check_whole(s, json);
	const cJSON *session = cJSON_GetObjectItem(json, "session");
	CHECK_MEMBER(session, "dialect", "pi");
	CHECK_MEMBER(session, "file", "s.jsonl");
	CHECK_MEMBER(session, "cwd", "/work/demo");
	CHECK_INT(number(session, "labels"), 1);
	CHECK(cJSON_GetObjectItem(session, "name") == NULL);
	/* Without a name it is called by what a person typed first. */
	CHECK_MEMBER(session, "words", "root");
	const cJSON *e = entry_at(json, 1);
	CHECK_MEMBER(e, "id", "b");
	CHECK_MEMBER(e, "kind", "user");
	CHECK_MEMBER(e, "preview", "old branch");
	CHECK_MEMBER(e, "label", "x");
	CHECK_INT(number(e, "parent"), 0);
	CHECK_INT(number(e, "depth"), 1);
	CHECK_INT(number(e, "branch"), 1);
	CHECK_MEMBER(entry_at(json, 2), "id", "c");
	CHECK_INT(number(entry_at(json, 2), "parent"), 1);
	CHECK_INT(number(entry_at(json, 2), "branch"), -1);
	CHECK_INT(number(entry_at(json, 3), "branch"), 2);
	CHECK_INT(number(json, "head"), 3);
	CHECK_MEMBER(entry_at(json, 4), "id", "l");
	CHECK_INT(number(entry_at(json, 4), "books"), 1);
	cJSON_Delete(json);
	test_close(s);
}

/* The first of a run of notes tells how many they are. */
static void check_runs(void)
{
	static const int runs[] = { -1, -1, -1, 2, -1, -1, -1 };
	struct session *s = test_session(
		HEADER USER("a", "null", "x") ENTRY("custom", "b", "'a'", "")
			USER("c", "'b'", "y") ENTRY("custom", "d", "'c'", "")
				ENTRY("label", "l", "'d'", ",'targetId':'a'")
					ENTRY("custom", "e", "'l'", "")
						USER("f", "'e'", "z"));
	cJSON *json = read_page(s);
	check_whole(s, json);
	for (size_t i = 0; i < COUNT(runs); i++)
		CHECK_INT(number(entry_at(json, (int)i), "run"), runs[i]);
	CHECK_MEMBER(entry_at(json, 3), "id", "d");
	cJSON_Delete(json);
	test_close(s);
}

/* Ids as they can be typed, where those are shorter, or no ids. */
static void check_short(void)
{
	struct session *s = test_session(
		HEADER USER("aaaaaaaa1", "null", "x")
			USER("aaaaaaaa2x", "'aaaaaaaa1'", "y")
				USER("bbbbbbbb1", "'aaaaaaaa1'", "z")
					USER("c/d", "'aaaaaaaa1'", "w"));
	static const char *const want[] = { "", "aaaaaaaa2", "bbbbbbbb",
					    "c%2Fd" };
	cJSON *json = read_page(s);
	for (size_t i = 0; i < COUNT(want); i++)
		CHECK_MEMBER(entry_at(json, (int)i), "short", want[i]);
	cJSON_Delete(json);
	test_close(s);
}

/* Bookkeeping comes right behind what it is of, and changes nothing else. */
static void check_books(void)
{
	struct session *s = test_session(
		HEADER ENTRY("session_info", "n", "null",
			     ",'name':'x'") USER("a", "'n'", "root")
			ENTRY("label", "1", "'a'",
			      ",'targetId':'a'") ENTRY("label", "2", "'1'", "")
				USER("b", "'2'", "one") USER("c", "'a'", "two")
					ENTRY("label", "3", "'c'", ""));
	static const struct {
		const char *id;
		int parent, depth, branch, books;
	} want[] = {
		{ "n", -1, -1, -1, 1 }, { "a", -1, -1, -1, -1 },
		{ "1", 1, -1, -1, 1 },	{ "2", 1, -1, -1, 1 },
		{ "b", 1, 1, 1, -1 },	{ "c", 1, 1, 2, -1 },
		{ "3", 5, 2, -1, 1 },
	};
	cJSON *json = read_page(s);
	const cJSON *session = cJSON_GetObjectItem(json, "session");
	check_whole(s, json);
	CHECK_MEMBER(session, "name", "x");
	CHECK(cJSON_GetObjectItem(session, "words") == NULL);
	for (size_t i = 0; i < COUNT(want); i++) {
		const cJSON *e = entry_at(json, (int)i);
		CHECK_MEMBER(e, "id", want[i].id);
		CHECK_INT(number(e, "parent"), want[i].parent);
		CHECK_INT(number(e, "depth"), want[i].depth);
		CHECK_INT(number(e, "branch"), want[i].branch);
		CHECK_INT(number(e, "books"), want[i].books);
	}
	CHECK_INT(number(json, "head"), 5);
	cJSON_Delete(json);
	test_close(s);
}

/*
 * What would be markup, or no UTF-8, or is no name for a member.
 * Rules: P2
 */
static void check_hostile(void)
{
	struct session *s = test_session(
		"{'type':'session','version':3,'id':'</script>',"
		"'timestamp':'2026-03-01T10:00:00.000Z','cwd':'\xFF</"
		"title><img>'}\n" USER(
			"__proto__", "null",
			"</script><!-- <script>\\u2028\xE2\x80\xA9\\u0000 & "
			"]]>")
			USER("\\ud83d", "'__proto__'", "\\udc00 \xFF\xC3 ok")
				USER("../a b%20", "'\\ud83d'",
				     "\\ud83d\\ude00 \\\\ \\\" </SCRIPT>"));
	cJSON *json = read_page(s);
	const cJSON *e = entry_at(json, 0);
	CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(json, "entries")), 3);
	CHECK_MEMBER(cJSON_GetObjectItem(json, "session"), "id", "</script>");
	CHECK_MEMBER(cJSON_GetObjectItem(json, "session"), "cwd",
		     "\xEF\xBF\xBD</title><img>");
	CHECK_MEMBER(e, "id", "__proto__");
	/* cJSON ends a string at its first NUL. */
	CHECK_MEMBER(e, "content",
		     "</script><!-- <script>\xE2\x80\xA8\xE2\x80\xA9");
	e = entry_at(json, 1);
	CHECK_MEMBER(e, "id", "\xEF\xBF\xBD");
	CHECK_MEMBER(e, "name", "%ED%A0%BD");
	CHECK_MEMBER(e, "content",
		     "\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD ok\n");
	e = entry_at(json, 2);
	CHECK_MEMBER(e, "id", "../a b%20");
	CHECK_MEMBER(e, "name", "%2E.%2Fa b%2520");
	CHECK_MEMBER(e, "content", "\xF0\x9F\x98\x80 \\ \" </SCRIPT>\n");
	cJSON_Delete(json);
	test_close(s);
}

static void check_pictures(void)
{
	struct session *s = test_session(HEADER MESSAGE(
		"a", "null", "user",
		",'content':[{'type':'image','data':'iVBO Rw0K','mimeType':"
		"'image/png'},{'type':'image','mimeType':'image/png'},"
		"{'type':'image','data':'/9j_','mimeType':'image/jpeg'}]"));
	cJSON *json = read_page(s);
	const cJSON *list = cJSON_GetObjectItem(entry_at(json, 0), "pictures");
	CHECK_INT(cJSON_GetArraySize(list), 2);
	CHECK_MEMBER(cJSON_GetArrayItem(list, 0), "name", "1.png");
	CHECK_MEMBER(cJSON_GetArrayItem(list, 0), "data", "iVBORw0K");
	CHECK_MEMBER(cJSON_GetArrayItem(list, 1), "name", "2.jpg");
	CHECK_MEMBER(cJSON_GetArrayItem(list, 1), "data", "/9j/");
	cJSON_Delete(json);
	test_close(s);
}

/* The parts of a content as "type name at+n", those in a result after a '>'. */
static void add_parts(struct buf *out, const cJSON *entry)
{
	const cJSON *parts = cJSON_GetObjectItem(entry, "parts");
	const cJSON *p;
	cJSON_ArrayForEach(p, parts)
	{
		struct span type = member(p, "type");
		struct span name = member(p, "name");
		buf_adds(out, number(p, "inner") == 1 ? " >" : " ");
		buf_add(out, type);
		if (name.n > 0)
			buf_adds(out, "=");
		buf_add(out, name);
		buf_adds(out, member(p, "id").n > 0 ? "#" : "");
		buf_add(out, member(p, "id"));
		buf_adds(out, number(p, "failed") == 1 ? "!" : "");
		buf_adds(out, member(p, "telling").n > 0 ? ":" : "");
		buf_add(out, member(p, "telling"));
		buf_addf(out, " %d+%d", number(p, "at"), number(p, "n"));
	}
}

/* Where what begins, as JavaScript counts. */
static void check_parts(void)
{
	struct session *s = test_session(
		HEADER USER("t", "null", "one text") USER("e", "'t'", "")
			MESSAGE("m", "'e'", "assistant",
				",'content':[{'type':'thinking','thinking':"
				"'\\ud83d\\ude00'},{'type':'text','text':"
				"'\xFF\\u20ac'},{'type':'text','text':"
				"'\\ud83d'},{'type':'toolCall','id':'c1',"
				"'name':'ls','arguments':{'path':"
				"'/work/demo/src'}},{'type':'odd'}]")
				ENTRY("odd", "o", "'m'", ",'x':1")
					MESSAGE("r", "'o'", "toolResult",
						",'toolName':'ls','isError':1,"
						"'toolCallId':'c1','content':'"
						"no'"));
	static const char *const want[] = { "", "",
					    (" thinking 0+13 text 15+2 text "
					     "18+1 call=ls#c1:src 21+36 json "
					     "58+19"),
					    " json 0+12",
					    " result=ls#c1! 0+-1 >text 0+2" };
	cJSON *json = read_page(s);
	struct buf got = { 0 };
	check_whole(s, json);
	for (size_t i = 0; i < COUNT(want); i++) {
		add_parts(&got, entry_at(json, (int)i));
		CHECK_BUF(&got, want[i]);
		CHECK_INT(number(entry_at(json, (int)i), "failed"),
			  i == 4 ? 1 : -1);
	}
	buf_free(&got);
	cJSON_Delete(json);
	test_close(s);
}

static void check_empty(void)
{
	struct session *s = test_session("");
	cJSON *json = read_page(s);
	CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(json, "entries")), 0);
	CHECK_INT(number(json, "head"), -1);
	cJSON_Delete(json);
	test_close(s);
}

static void check_chain(void)
{
	enum { N = 20000 };
	struct buf b = { 0 };
	buf_adds(&b, HEADER USER("n0", "null", "0"));
	for (int i = 1; i < N; i++)
		buf_addf(&b, USER("n%d", "'n%d'", "x"), i, i - 1);
	struct session *s = test_session(buf_cstr(&b));
	cJSON *json = read_page(s);
	check_whole(s, json);
	cJSON_Delete(json);
	test_close(s);
	buf_free(&b);
}

int main(void)
{
	check_empty();
	check_tree();
	check_runs();
	check_short();
	check_books();
	check_hostile();
	check_pictures();
	check_parts();
	check_chain();
	return test_done("page");
}
