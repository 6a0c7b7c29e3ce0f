#include "core/session/index.h"

#include "core/json/timestamp.h"
#include "tests/unit/no_memory.h"
#include "tests/unit/tables.h"

#define MANY 200000

/*
 * Add a line "id parent"; the line's number is counted. Capitals keep books.
 */
static void add(struct index *x, const char *id, const char *parent)
{
	static uint32_t line;
	uint32_t entry;
	bool again;
	line++;
	struct index_line l = { .id = span_of(id),
				.parent = span_of(parent),
				.offset = 100u * line,
				.length = 99,
				.line = line,
				.time = TIMESTAMP_NONE,
				.bookkeeping = id[0] >= 'A' && id[0] <= 'Z' };
	uint32_t before = index_find(x, l.id);
	CHECK_INT(index_add(x, &l, &entry, &again), 0);
	CHECK_INT(again, before != INDEX_NONE);
	CHECK(before == INDEX_NONE || before == entry);
	CHECK_INT(x->entries[entry].line, line);
}

/*
 * Add lines: ids of one letter, each followed by its parent's or "-"; a space
 * between two, and "|" ends a batch. "ab b- |ca" has two batches.
 */
static void add_all(struct index *x, const char *lines)
{
	for (; *lines; lines++) {
		char id[] = { lines[0], '\0' };
		char parent[] = { '\0', '\0' };
		if (*lines == ' ')
			continue;
		if (*lines == '|') {
			CHECK_INT(index_link(x), 0);
			continue;
		}
		if (lines[1] != '-')
			parent[0] = lines[1];
		add(x, id, parent);
		lines++;
	}
	CHECK_INT(index_link(x), 0);
}

/* index_child_from() at every position against the whole list. */
static void check_resuming(const struct index *x)
{
	for (uint32_t p = 0; p <= x->n; p++) {
		uint32_t parent = p == x->n ? INDEX_NONE : p;
		uint32_t last = INDEX_NONE;
		for (uint32_t from = x->n + 1; from-- > 0;) {
			if (from < x->n && x->entries[from].parent == parent)
				last = from;
			CHECK_INT(index_child_from(x, parent, from), last);
		}
	}
}

/* Random lines in random batches against the rules, spelled out. */
static void check_random(void)
{
	for (int round = 0; round < 4000; round++) {
		struct index x;
		char parent_of[8] = { 0 }; /* by number; as last said */
		char id_of[8] = { 0 };
		uint32_t n = 0;
		index_init(&x);
		for (uint32_t k = 1 + test_random() % 12; k > 0; k--) {
			char id[] = { (char)('a' + test_random() % 7), 0 };
			char parent[] = { (char)('a' + test_random() % 9), 0 };
			if (parent[0] == 'i')
				parent[0] = 0;
			add(&x, id, parent);
			uint32_t i = index_find(&x, span_of(id));
			n += i == n;
			if (!CHECK(i < n))
				break;
			id_of[i] = id[0];
			parent_of[i] = parent[0];
			if (test_random() % 3 == 0)
				CHECK_INT(index_link(&x), 0);
		}
		CHECK_INT(index_link(&x), 0);
		CHECK_INT(x.n, n);
		uint32_t up[8];
		for (uint32_t i = 0; i < n; i++) {
			up[i] = INDEX_NONE;
			for (uint32_t k = 0; k < n; k++)
				up[i] = id_of[k] == parent_of[i] ? k : up[i];
		}
		uint32_t orphans = 0;
		uint32_t cycles = 0;
		for (uint32_t i = 0; i < n; i++) {
			/* In a cycle, and its first? */
			uint32_t at = up[i];
			bool first = true;
			uint32_t steps = 0;
			while (at != INDEX_NONE && at != i && steps++ < n) {
				first = first && at > i;
				at = up[at];
			}
			bool cut = at == i && first;
			bool orphan = up[i] == INDEX_NONE && parent_of[i];
			CHECK_INT(x.entries[i].cut, cut);
			CHECK_INT(x.entries[i].orphan, orphan);
			CHECK_INT(x.entries[i].parent,
				  cut ? INDEX_NONE : up[i]);
			orphans += orphan;
			cycles += cut;
		}
		CHECK_INT(x.orphans, orphans);
		CHECK_INT(x.cycles, cycles);
		check_resuming(&x);
		index_free(&x);
	}
}

/* Batches that only append link only what they append. */
static void check_relinks(void)
{
	struct index x;
	index_init(&x);
	add_all(&x, "a- ba | ca | dx | ed");
	CHECK_INT(x.relinks, 0);
	add_all(&x, "x-");
	CHECK_INT(x.relinks, 1);
	add_all(&x, "fx | gf");
	CHECK_INT(x.relinks, 1);
	index_free(&x);
}

static void check_names(void)
{
	struct index x;
	struct buf b = { 0 };
	index_init(&x);
	add(&x, "ab12", "");
	add(&x, "ab123", "");
	add(&x, "abzz", "");
	add(&x, "content", "");
	add(&x, "x/y", "");
	add(&x, "%63ontent", "");
	CHECK_INT(index_link(&x), 0);

	static const struct {
		const char *name;
		uint32_t by_id;
		uint32_t by_name;
	} rows[] = {
		{ "ab12", 0, 0 },
		{ "content", 3, INDEX_NONE },
		{ "%63ontent", 5, 3 },
		{ "x/y", 4, INDEX_NONE },
		{ "x%2Fy", INDEX_NONE, 4 },
		{ "%2563ontent", INDEX_NONE, 5 },
		{ "ab1", INDEX_NONE, INDEX_NONE },
		{ "", INDEX_NONE, INDEX_NONE },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct span s = span_of(rows[i].name);
		test_row = rows[i].name;
		CHECK_INT(index_find(&x, s), rows[i].by_id);
		CHECK_INT(index_find_name(&x, s), rows[i].by_name);
	}
	for (uint32_t i = 0; i < x.n; i++) {
		index_add_name(&x, &b, i);
		CHECK_INT(index_find_name(&x, buf_span(&b)), i);
		buf_clear(&b);
	}

	static const struct {
		const char *prefix;
		uint32_t entry;
		int err;
	} prefixes[] = {
		{ "abz", 2, 0 },	 { "ab123", 1, 0 },
		{ "ab12", 0, -EINVAL },	 { "ab", 0, -EINVAL },
		{ "b12", 0, -ENOENT },	 { "x%2", 4, 0 },
		{ "%63", 3, 0 },	 { "abzzz", 0, -ENOENT },
		{ "conte", 0, -ENOENT },
	};
	for (size_t i = 0; i < COUNT(prefixes); i++) {
		test_row = prefixes[i].prefix;
		uint32_t found = INDEX_NONE;
		CHECK_INT(index_find_prefix(&x, span_of(prefixes[i].prefix),
					    &found),
			  prefixes[i].err);
		if (!prefixes[i].err)
			CHECK_INT(found, prefixes[i].entry);
	}
	test_row = NULL;
	buf_free(&b);
	index_free(&x);
}

/* Ids are bytes: NUL counts, and so does the length. */
static void check_bytes(void)
{
	struct index x;
	uint32_t entry;
	bool again;
	index_init(&x);
	static const struct span ids[] = { SPAN("a"), SPAN("a\0"),
					   SPAN("a\0b") };
	for (uint32_t i = 0; i < COUNT(ids); i++) {
		struct index_line l = { .id = ids[i], .line = i + 1 };
		if (i > 0)
			l.parent = ids[i - 1];
		CHECK_INT(index_add(&x, &l, &entry, &again), 0);
		CHECK_INT(entry, i);
		CHECK(!again);
	}
	CHECK_INT(index_link(&x), 0);
	CHECK_INT(x.entries[2].parent, 1);
	struct index_line huge = { .id = SPAN("h"), .length = UINT32_MAX };
	CHECK_INT(index_add(&x, &huge, &entry, &again), -EFBIG);
	CHECK_INT(x.n, 3);
	index_free(&x);
}

/* The tree as people see it, drawn as draw() does, its tips with a "!". */
static void draw_shown(const struct index *x, uint32_t top, struct buf *out)
{
	uint32_t i = INDEX_NONE;
	bool any = false;
	while ((i = bookkeeping_next_below(x, top, i)) != INDEX_NONE) {
		CHECK_INT(bookkeeping_shown_parent(x, i), top);
		CHECK_INT(x->entries[i].stands_for,
			  x->entries[i].bookkeeping ? top : i);
		if (x->entries[i].bookkeeping) {
			CHECK(!bookkeeping_is_tip(x, i));
			continue;
		}
		if (!any && top != INDEX_NONE)
			buf_addc(out, '(');
		any = true;
		buf_add(out, index_id(x, i));
		if (bookkeeping_is_tip(x, i))
			buf_addc(out, '!');
		draw_shown(x, i, out);
	}
	if (any && top != INDEX_NONE)
		buf_addc(out, ')');
}

static void check_shown(struct row *r, struct buf *made)
{
	struct index x;
	index_init(&x);
	add_all(&x, row_text(r, 0));
	draw_shown(&x, INDEX_NONE, made);
	index_free(&x);
}

/* A line that says of a known id that it keeps books now, or does no more. */
static void check_turned(void)
{
	struct index x;
	struct buf b = { 0 };
	uint32_t entry;
	bool again;
	struct index_line l = { .id = SPAN("b"),
				.parent = SPAN("a"),
				.line = 1000,
				.bookkeeping = true };
	index_init(&x);
	add_all(&x, "a- ba cb");
	CHECK_INT(index_add(&x, &l, &entry, &again), 0);
	CHECK_INT(index_link(&x), 0);
	draw_shown(&x, INDEX_NONE, &b);
	CHECK_BUF(&b, "a(c!)");
	buf_clear(&b);
	l.bookkeeping = false;
	l.line++;
	CHECK_INT(index_add(&x, &l, &entry, &again), 0);
	CHECK_INT(index_link(&x), 0);
	draw_shown(&x, INDEX_NONE, &b);
	CHECK_BUF(&b, "a(b(c!))");
	buf_free(&b);
	index_free(&x);
}

static void add_numbered(struct index *x, uint32_t i, uint32_t parent,
			 bool books)
{
	char id[16];
	char up[16] = "";
	snprintf(id, sizeof(id), "%08x", i);
	if (parent != INDEX_NONE)
		snprintf(up, sizeof(up), "%08x", parent);
	struct index_line l = { .id = span_of(id),
				.parent = span_of(up),
				.line = i + 1,
				.bookkeeping = books };
	uint32_t entry;
	bool again;
	if (index_add(x, &l, &entry, &again) != 0 || again)
		CHECK(false);
}

static void add_number(struct index *x, uint32_t i, uint32_t parent)
{
	add_numbered(x, i, parent, false);
}

/*
 * A chain of bookkeeping, appended one by one or all backwards, with an entry
 * that keeps none on each: every step of it must not be walked from each.
 */
static void check_many_books(bool backward)
{
	struct index x;
	uint32_t tips = 0;
	uint32_t below = 0;
	index_init(&x);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t up = backward ? i + 2 : i - 2;
		if (up >= MANY)
			up = INDEX_NONE;
		if (i % 2)
			up = i - 1;
		add_numbered(&x, i, up, i % 2 == 0);
		if (!backward)
			CHECK_INT(index_link(&x), 0);
	}
	CHECK_INT(index_link(&x), 0);
	for (uint32_t i = 0; i < MANY; i++)
		tips += bookkeeping_is_tip(&x, i);
	CHECK_INT(tips, MANY / 2);
	for (uint32_t i = INDEX_NONE;
	     (i = bookkeeping_next_below(&x, INDEX_NONE, i)) != INDEX_NONE;)
		below++;
	CHECK_INT(below, MANY);
	CHECK_INT(x.relinks, backward);
	index_free(&x);
}

enum shape { CHAIN, ROOTS, FAN, BACKWARD, SHAPES };

/* Sizes at which anything quadratic would not end. */
static void check_many(enum shape shape)
{
	struct index x;
	index_init(&x);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t parent = shape == ROOTS || i == 0 ? INDEX_NONE
				  : shape == FAN	   ? 0
							   : i - 1;
		if (shape == BACKWARD)
			parent = i + 1 < MANY ? i + 1 : INDEX_NONE;
		add_number(&x, i, parent);
		/* Some of them one by one, as an agent appends. */
		if (i % 1000 < 3 && shape != BACKWARD)
			CHECK_INT(index_link(&x), 0);
	}
	CHECK_INT(index_link(&x), 0);
	CHECK_INT(x.n, MANY);
	CHECK_INT(x.orphans, 0);
	uint32_t parent = shape == FAN ? 0 : INDEX_NONE;
	uint32_t children = 0;
	for (uint32_t i = index_child_from(&x, parent, 0); i != INDEX_NONE;
	     i = index_child_from(&x, parent, i + 1))
		children++;
	CHECK_INT(children, shape == ROOTS ? MANY
			    : shape == FAN ? MANY - 1
					   : 1);
	unsigned wrong = 0;
	for (uint32_t i = 1; i + 1 < MANY; i++) {
		uint32_t want = shape == CHAIN	    ? i - 1
				: shape == BACKWARD ? i + 1
				: shape == FAN	    ? 0
						    : INDEX_NONE;
		wrong += x.entries[i].parent != want;
	}
	CHECK_INT(wrong, 0);
	index_free(&x);
}

/*
 * Entries without a parent that is there, appended one by one, as an agent
 * does: each costs what it appends. Half of them miss the same one.
 */
static void check_many_orphans(void)
{
	struct index x;
	index_init(&x);
	for (uint32_t i = 0; i < MANY; i++) {
		add_number(&x, i, i % 2 ? MANY : MANY + 1 + i);
		CHECK_INT(index_link(&x), 0);
	}
	CHECK_INT(x.orphans, MANY);
	CHECK_INT(x.relinks, 0);
	add_number(&x, MANY, INDEX_NONE);
	CHECK_INT(index_link(&x), 0);
	CHECK_INT(x.orphans, MANY / 2);
	CHECK_INT(x.relinks, 1);
	CHECK_INT(x.entries[7].parent, MANY);
	CHECK_INT(index_child_from(&x, MANY, 8), 9);
	CHECK(x.entries[8].orphan && !x.entries[9].orphan);
	index_free(&x);
}

/* Without memory an entry is still found by a name that is not its id. */
static void check_no_memory(void)
{
	struct index x;
	struct index_line l = { .id = SPAN("a/b"), .line = 1 };
	uint32_t entry;
	bool again;
	index_init(&x);
	CHECK_INT(index_add(&x, &l, &entry, &again), 0);
	no_memory = true;
	CHECK_INT(index_find_name(&x, SPAN("a%2Fb")), entry);
	CHECK_INT(index_find_name(&x, SPAN("a/b")), INDEX_NONE);
	no_memory = false;
	index_free(&x);
}

int main(void)
{
	check_no_memory();
	check_random();
	check_relinks();
	rows_check("index", check_shown);
	check_turned();
	check_many_books(false);
	check_many_books(true);
	check_names();
	check_bytes();
	for (int shape = CHAIN; shape < SHAPES; shape++)
		check_many((enum shape)shape);
	check_many_orphans();
	return test_done("index");
}
