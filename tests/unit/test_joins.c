#include "mount/commands/rescue/rescue.h"

#include "core/json/timestamp.h"
#include "tests/unit/dialect_test.h"

#define ROUNDS 1000
#define LINES 16
#define MANY 20000

/* The conversation of an entry: that of its id's first letter. */
static uint32_t side_of(const struct session *s, uint32_t entry)
{
	return (unsigned char)*index_id(&s->now.index, entry).p;
}

/* A line of two conversations: few ids and times, or no time. */
static void add_line(struct buf *out)
{
	static const char *const ids[] = { "a1", "a2", "a3", "a4", "a5",
					   "b1", "b2", "b3", "b4", "b5" };
	uint32_t parent = test_random() % 14;
	buf_addf(out, "{'type':'custom','id':'%s','parentId':",
		 ids[test_random() % COUNT(ids)]);
	if (parent < COUNT(ids))
		buf_addf(out, "'%s'", ids[parent]);
	else
		buf_adds(out, parent < 13 ? "'gone'" : "null");
	if (test_random() % 5)
		buf_addf(out, ",'timestamp':'2026-01-01T10:00:0%uZ'",
			 test_random() % 4);
	buf_adds(out, "}\n");
}

/* The entries in the order of their lines. */
static void sort_by_line(const struct session *s, uint32_t *order)
{
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		uint32_t k = i;
		for (; k > 0 && session_entry(s, order[k - 1])->line >
					session_entry(s, i)->line;
		     k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

/* Without a time it is that of the line before, or else the first there is. */
static void find_times(const struct session *s, int64_t *times)
{
	uint32_t order[LINES];
	int64_t time = TIMESTAMP_NONE;
	uint32_t n = s->now.index.n;
	sort_by_line(s, order);
	for (uint32_t i = n; i-- > 0;) {
		if (session_entry(s, order[i])->time != TIMESTAMP_NONE)
			time = session_entry(s, order[i])->time;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (session_entry(s, order[i])->time != TIMESTAMP_NONE)
			time = session_entry(s, order[i])->time;
		times[order[i]] = time;
	}
}

static bool is_before(const struct session *s, const int64_t *times, uint32_t a,
		      uint32_t b)
{
	if (times[a] != times[b])
		return times[a] < times[b];
	return session_entry(s, a)->line < session_entry(s, b)->line;
}

static uint32_t root_of(const uint32_t *parents, uint32_t i)
{
	while (parents[i] != INDEX_NONE)
		i = parents[i];
	return i;
}

/* The rule of rescue.h, without a shortcut. */
static uint32_t expected(const struct session *s, const int64_t *times,
			 const uint32_t *parents, uint32_t root)
{
	uint32_t best = INDEX_NONE;
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		if (side_of(s, i) == side_of(s, root) &&
		    is_before(s, times, i, root) &&
		    root_of(parents, i) != root &&
		    (best == INDEX_NONE || is_before(s, times, best, i)))
			best = i;
	}
	return best;
}

static void check_joined(const struct session *s)
{
	uint32_t parents[LINES];
	int64_t times[LINES];
	struct joins j;
	CHECK_INT(joins_find(&j, s, side_of), 0);
	find_times(s, times);
	for (uint32_t i = 0; i < s->now.index.n; i++)
		parents[i] = session_entry(s, i)->parent;
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		const struct entry *e = session_entry(s, i);
		bool broken = e->orphan || e->cut;
		if (broken)
			parents[i] = expected(s, times, parents, i);
		CHECK_INT(j.to[i], broken ? parents[i] : JOINS_NOT);
		CHECK_INT(j.time[i], times[i]);
	}
	joins_free(&j);
}

TEST(check_random)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct buf lines = { 0 };
		buf_adds(&lines, HEADER);
		for (uint32_t i = 0; i < LINES; i++)
			add_line(&lines);
		test_row = buf_cstr(&lines);
		struct session *s = dialect_session("pi", test_row);
		check_joined(s);
		test_close(s);
		buf_free(&lines);
	}
	test_row = NULL;
}

/* Each orphan is joined to the last entry of the trees before it. */
TEST(check_many)
{
	struct buf lines = { 0 };
	struct joins j;
	buf_adds(&lines, HEADER);
	for (uint32_t i = 0; i < MANY; i++)
		buf_addf(&lines,
			 "{'type':'custom','id':'%u','parentId':'x%u'}\n", i,
			 i);
	struct session *s = dialect_session("pi", buf_cstr(&lines));
	CHECK_INT(joins_find(&j, s, NULL), 0);
	CHECK_INT(j.to[0], INDEX_NONE);
	for (uint32_t i = 1; i < MANY; i++)
		CHECK_INT(j.to[i], i - 1);
	joins_free(&j);
	test_close(s);
	buf_free(&lines);
}

RUN_TESTS("joins")
