#include "core/session/file_name.h"

#include "core/base/idtable.h"
#include "tests/unit/tables.h"

/* An entry's folder has these besides its children (sessfs-mount(7)). */
static const char *const taken[] = {
	"content",     "label",	       "meta",	       "parent",
	"context.txt", "context.json", "branch.jsonl", "raw.json",
	"words",       "as",	       "1.png",	       "12.jpg",
	"32767.bin",   "2.svg",	       "agent",	       "agent-2",
};

TABLE(check_id, "file_name/ids")
{
	file_name_add(made, row_field(r, 0), FILE_NAME_IN_ENTRY);
	CHECK_INT(file_name_is_plain(row_field(r, 0), FILE_NAME_IN_ENTRY),
		  span_eq(row_field(r, 0), row_field(r, 1)));
}

/* In by-file/: what could be a link or a folder of its own. */
TABLE(check_part, "file_name/parts")
{
	file_name_add(made, row_field(r, 0), FILE_NAME_IN_FILES);
	CHECK_INT(file_name_is_plain(row_field(r, 0), FILE_NAME_IN_FILES),
		  span_eq(row_field(r, 0), row_field(r, 1)));
}

TEST(check_taken)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(taken); i++) {
		test_row = taken[i];
		CHECK(!file_name_is_plain(span_of(taken[i]),
					  FILE_NAME_IN_ENTRY));
		file_name_add(&b, span_of(taken[i]), FILE_NAME_IN_ENTRY);
		CHECK(!span_eq(buf_span(&b), span_of(taken[i])));
		buf_clear(&b);
		/* A label may be called so. */
		CHECK(file_name_is_plain(span_of(taken[i]), FILE_NAME_ALONE));
		file_name_add(&b, span_of(taken[i]), FILE_NAME_ALONE);
		CHECK_BUF(&b, taken[i]);
	}
	test_row = NULL;
	buf_free(&b);
}

TEST(check_touches)
{
	struct buf b = { 0 };
	file_name_add_touch(&b, 7, FILE_MOVE, true);
	CHECK_INT(file_name_touch_number(buf_span(&b)), 7);
	CHECK_BUF(&b, "0007-move-failed");
	file_name_add_touch(&b, UINT32_MAX, FILE_READ, false);
	CHECK_INT(file_name_touch_number(buf_span(&b)), UINT32_MAX);
	CHECK_BUF(&b, "4294967295-read");
	buf_free(&b);
}

TEST(check_long)
{
	struct buf id = { 0 };
	struct buf a = { 0 };
	struct buf b = { 0 };
	buf_fill(&id, 'x', FILE_NAME_LIMIT);
	CHECK(file_name_is_plain(buf_span(&id), FILE_NAME_IN_ENTRY));
	file_name_add(&a, buf_span(&id), FILE_NAME_IN_ENTRY);
	CHECK_SPAN(buf_span(&a), buf_span(&id));

	/* Ids of which only the last byte differs. */
	buf_clear(&a);
	buf_fill(&id, 'x', 1000);
	CHECK(!file_name_is_plain(buf_span(&id), FILE_NAME_IN_ENTRY));
	file_name_add(&a, buf_span(&id), FILE_NAME_IN_ENTRY);
	id.data[id.len - 1] = 'y';
	file_name_add(&b, buf_span(&id), FILE_NAME_IN_ENTRY);
	CHECK(a.len <= FILE_NAME_LIMIT && b.len <= FILE_NAME_LIMIT);
	CHECK(!span_eq(buf_span(&a), buf_span(&b)));
	CHECK(span_starts(buf_span(&a), SPAN("xxxxxxxxxxxxxxxx")));

	/* The name of a long id is another id's own; that one is escaped. */
	buf_clear(&b);
	CHECK(!file_name_is_plain(buf_span(&a), FILE_NAME_IN_ENTRY));
	file_name_add(&b, buf_span(&a), FILE_NAME_IN_ENTRY);
	CHECK(!span_eq(buf_span(&a), buf_span(&b)));

	/* No character is cut in two. */
	for (int lead = 0; lead < 4; lead++) {
		buf_clear(&id);
		buf_clear(&a);
		buf_fill(&id, 'x', (size_t)lead);
		for (int i = 0; i < 100; i++)
			buf_adds(&id, "\xF0\x9F\x98\x80");
		file_name_add(&a, buf_span(&id), FILE_NAME_IN_ENTRY);
		const char *mark = memchr(a.data, '%', a.len);
		CHECK(a.len <= FILE_NAME_LIMIT && mark &&
		      (size_t)(mark - a.data) % 4 == (size_t)lead);
	}
	/* Nor is an escape. */
	for (int lead = 0; lead < 4; lead++) {
		buf_clear(&id);
		buf_clear(&a);
		buf_fill(&id, 'x', (size_t)lead);
		buf_fill(&id, '/', 100);
		file_name_add(&a, buf_span(&id), FILE_NAME_IN_ENTRY);
		size_t i = (size_t)lead;
		while (i + 3 <= a.len && memcmp(a.data + i, "%2F", 3) == 0)
			i += 3;
		CHECK(a.len <= FILE_NAME_LIMIT && a.len == i + 34);
		CHECK(i + 2 <= a.len && memcmp(a.data + i, "%-", 2) == 0);
	}
	buf_free(&id);
	buf_free(&a);
	buf_free(&b);
}

/* Ids and their names, to find the ids that share one. */
struct pairs {
	struct buf ids[40000];
	struct buf names[40000];
	uint32_t n;
	struct idtable by_id;
	struct idtable by_name;
};

static struct span key_id(const void *owner, uint32_t i,
			  struct idtable_scratch *scratch)
{
	(void)scratch;
	return buf_span(&((const struct pairs *)owner)->ids[i]);
}

static struct span key_name(const void *owner, uint32_t i,
			    struct idtable_scratch *scratch)
{
	(void)scratch;
	return buf_span(&((const struct pairs *)owner)->names[i]);
}

static bool is_file_name(struct span s)
{
	bool ok = s.n > 0 && s.n <= FILE_NAME_LIMIT && s.p[0] != '.';
	for (size_t i = 0; i < s.n; i++)
		ok = ok && (unsigned char)s.p[i] >= 0x20 && s.p[i] != '/' &&
		     s.p[i] != 0x7F;
	for (size_t i = 0; i < COUNT(taken); i++)
		ok = ok && !span_eq(s, span_of(taken[i]));
	return ok;
}

static void random_id(struct buf *id)
{
	static const char *const pieces[] = {
		"%",	"%-",	"2",	"F",	   "2F",   "25",
		"-",	".",	"/",	"a",	   "63",   "4",
		"1",	"png",	"\n",	"content", "\x7F", "\xED",
		"\xA0", "\x80", "\xC3", "label",   "%6C",  "\xFF",
	};
	uint32_t n = test_random() % 7;
	if (test_random() % 4 == 0)
		n += 60 + test_random() % 240;
	for (; n > 0; n--) {
		if (test_random() % 8 == 0)
			buf_addc(id, (char)test_random());
		else
			buf_adds(id, pieces[test_random() % COUNT(pieces)]);
	}
}

/* Different ids have different names, and names are file names. */
TEST(check_one_to_one)
{
	struct pairs *p = calloc(1, sizeof(*p));
	test_need(p != NULL, "memory");
	idtable_init(&p->by_id, key_id);
	idtable_init(&p->by_name, key_name);
	for (int i = 0; i < 40000; i++) {
		struct buf *id = &p->ids[p->n];
		struct buf *name = &p->names[p->n];
		buf_clear(id);
		buf_clear(name);
		random_id(id);
		struct span key = buf_span(id);
		if (idtable_find(&p->by_id, p, key) != IDTABLE_NONE)
			continue;
		file_name_add(name, key, FILE_NAME_IN_ENTRY);
		CHECK(is_file_name(buf_span(name)));
		CHECK_INT(file_name_is_plain(key, FILE_NAME_IN_ENTRY),
			  span_eq(key, buf_span(name)));
		CHECK_INT(idtable_find(&p->by_name, p, buf_span(name)),
			  IDTABLE_NONE);
		idtable_add(&p->by_id, key, p->n);
		idtable_add(&p->by_name, buf_span(name), p->n);
		p->n++;
	}
	CHECK(p->n > 15000);
	for (uint32_t i = 0; i < 40000; i++) {
		buf_free(&p->ids[i]);
		buf_free(&p->names[i]);
	}
	idtable_free(&p->by_id);
	idtable_free(&p->by_name);
	free(p);
}

RUN_TESTS("file_name")
