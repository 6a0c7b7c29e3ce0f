#include "core/session/bridge.h"

#include <stdlib.h>

#include "core/json/timestamp.h"
#include "tests/unit/test.h"

#define RANDOM_TREES 3000
#define RANDOM_ENTRIES 12
#define MANY 60000

/* Add a line. Its parent may be a number that no line has. */
static void add_line(struct index *x, uint32_t id, uint32_t parent,
		     int64_t time, bool bridges)
{
	static uint32_t line;
	char names[2][16];
	uint32_t entry;
	bool again;
	line++;
	snprintf(names[0], sizeof(names[0]), "%u", id);
	snprintf(names[1], sizeof(names[1]), "%u", parent);
	struct index_line l = { .id = span_of(names[0]),
				.parent = span_of(names[1]),
				.length = 1,
				.line = line,
				.time = time,
				.hangs = bridges,
				.carries = bridges };
	CHECK_INT(index_add(x, &l, &entry, &again), 0);
}

static void add(struct index *x, uint32_t id, uint32_t parent, int64_t time)
{
	add_line(x, id, parent, time, true);
}

static uint32_t root_of(const uint32_t *parents, uint32_t i)
{
	while (parents[i] != INDEX_NONE)
		i = parents[i];
	return i;
}

/*
 * The rule of bridge.h, without a shortcut: the first of the newest time, and
 * of the orphan's own time the first that is not below it.
 */
static uint32_t expected(const struct index *x, const uint32_t *parents,
			 uint32_t orphan)
{
	int64_t time = x->entries[orphan].time;
	uint32_t older = INDEX_NONE;
	for (uint32_t i = 0; i < x->n; i++) {
		int64_t t = x->entries[i].time;
		if (t + BRIDGE_MS < time)
			continue;
		if (t == time && root_of(parents, i) != orphan)
			return i;
		if (t < time &&
		    (older == INDEX_NONE || t > x->entries[older].time))
			older = i;
	}
	if (older == INDEX_NONE || root_of(parents, older) == orphan)
		return INDEX_NONE;
	return older;
}

/* Few times and many orphans, so that trees of one time are merged. */
TEST(check_random)
{
	uint32_t ids[RANDOM_ENTRIES];
	uint32_t parents[RANDOM_ENTRIES];
	struct index x;
	struct index unbridged;
	for (unsigned seed = 0; seed < RANDOM_TREES; seed++) {
		srand(seed);
		index_init(&x);
		index_init(&unbridged);
		for (uint32_t i = 0; i < RANDOM_ENTRIES; i++) {
			ids[i] = (uint32_t)rand() % 20;
			/* A later number, so that there are no cycles. */
			uint32_t parent = ids[i] + 1 + (uint32_t)rand() % 20;
			int64_t time = rand() % 3 * 4000;
			add(&x, ids[i], parent, time);
			add_line(&unbridged, ids[i], parent, time, false);
		}
		CHECK_INT(index_link(&unbridged), 0);
		for (uint32_t i = 0; i < x.n; i++)
			parents[i] = unbridged.entries[i].parent;
		for (uint32_t i = x.n; i-- > 0;) {
			if (parents[i] == INDEX_NONE)
				parents[i] = expected(&x, parents, i);
		}
		CHECK_INT(index_link(&x), 0);
		for (uint32_t i = 0; i < x.n; i++)
			CHECK_INT(x.entries[i].parent, parents[i]);
		index_free(&x);
		index_free(&unbridged);
	}
}

/*
 * Entries of one time: MANY are below the last orphan, and one is below each
 * other. Each orphan hangs on the entry of the one before it in the file, so
 * that all that was passed over for one orphan is passed over for the next.
 */
TEST(check_many)
{
	struct index x;
	index_init(&x);
	for (uint32_t i = 0; i < MANY; i++)
		add(&x, 3 * MANY + i, MANY - 1, 0);
	for (uint32_t i = MANY - 1; i-- > 0;)
		add(&x, 2 * MANY + i, i, 0);
	for (uint32_t i = 0; i < MANY; i++)
		add(&x, i, 4 * MANY + i, 0);
	CHECK_INT(index_link(&x), 0);
	CHECK_INT(x.bridged, MANY - 1);
	CHECK_INT(x.orphans, 1);
	CHECK_INT(x.entries[3 * MANY - 2].parent, MANY);
	CHECK_INT(x.entries[3 * MANY - 3].parent, MANY + 1);
	index_free(&x);
}

/* Add a random line: the same for the same numbers. Its id may be known. */
static void add_random(struct index *x, unsigned seed, uint32_t line)
{
	char names[2][16];
	srand(seed * 100 + line);
	uint32_t id = rand() % 12 ? line : (uint32_t)rand() % (line + 1);
	uint32_t parent = rand() % 3 ? line - 1 : (uint32_t)rand() % (line + 1);
	uint32_t entry;
	bool again;
	if (rand() % 6 == 0)
		parent = 1000 + (uint32_t)rand() % 3;
	snprintf(names[0], sizeof(names[0]), "%u", id);
	snprintf(names[1], sizeof(names[1]), "%u", parent);
	struct index_line l = {
		.id = span_of(names[0]),
		.parent = span_of(line > 0 && rand() % 20 ? names[1] : ""),
		.length = 1,
		.line = line + 1,
		.time = 1000 * (rand() % 6 ? (int64_t)line * 2 : rand() % 60),
		.bookkeeping = rand() % 5 == 0,
		.hangs = rand() % 8 > 0,
		.carries = rand() % 8 > 0
	};
	CHECK_INT(index_add(x, &l, &entry, &again), 0);
}

static void check_same(const struct index *x, const struct index *y)
{
	CHECK_INT(x->n, y->n);
	CHECK_INT(x->orphans, y->orphans);
	CHECK_INT(x->bridged, y->bridged);
	CHECK_INT(x->first_root, y->first_root);
	CHECK_INT(x->last_root, y->last_root);
	for (uint32_t i = 0; i < x->n; i++) {
		const struct entry *a = &x->entries[i];
		const struct entry *b = &y->entries[i];
		CHECK_INT(a->parent, b->parent);
		CHECK_INT(a->first_child, b->first_child);
		CHECK_INT(a->last_child, b->last_child);
		CHECK_INT(a->next_sibling, b->next_sibling);
		CHECK_INT(a->stands_for, b->stands_for);
		CHECK_INT(a->continues, b->continues);
		CHECK_INT(a->orphan, b->orphan);
		CHECK_INT(a->bridged, b->bridged);
	}
}

/* Line by line all is as if it had been read at once. */
TEST(check_growing)
{
	for (unsigned seed = 0; seed < RANDOM_TREES; seed++) {
		struct index x;
		index_init(&x);
		for (uint32_t n = 1; n <= 2 * RANDOM_ENTRIES; n++) {
			struct index y;
			index_init(&y);
			for (uint32_t i = 0; i < n; i++)
				add_random(&y, seed, i);
			add_random(&x, seed, n - 1);
			CHECK_INT(index_link(&y), 0);
			if (rand() % 4 || n == 2 * RANDOM_ENTRIES) {
				CHECK_INT(index_link(&x), 0);
				check_same(&x, &y);
			}
			index_free(&y);
		}
		index_free(&x);
	}
}

/* Lines concern no orphan that is in the future: none is linked again. */
TEST(check_future)
{
	for (int below = 0; below < 2; below++) {
		struct index x;
		index_init(&x);
		add(&x, 0, 0, 0);
		add(&x, 1, 9 * MANY, INT64_MAX);
		CHECK_INT(index_link(&x), 0);
		uint32_t relinks = x.relinks;
		for (uint32_t i = 2; i < MANY; i++) {
			add(&x, i, i == 2 && !below ? 0 : i - 1, i);
			CHECK_INT(index_link(&x), 0);
		}
		CHECK_INT(x.entries[1].parent, INDEX_NONE);
		CHECK_INT(x.relinks, relinks);
		index_free(&x);
	}
}

RUN_TESTS("bridge")
