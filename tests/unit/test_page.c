/* That the page of a large session is whole; the data are in the corpus,
 * page-*. */
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
	check_chain();
	return test_done("page");
}
