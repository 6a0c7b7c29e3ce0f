#include "core/session/heads.h"

#include "tests/unit/no_memory.h"
#include "tests/unit/tables.h"

TABLE(check_name, "heads")
{
	struct heads h = { 0 };
	CHECK_INT(heads_set(&h, row_field(r, 0), 7), 0);
	heads_add_file_name(&h, made, &h.list[0]);
	CHECK(heads_find(&h, row_field(r, 1)) == &h.list[0]);
	CHECK_INT(h.list[0].entry, 7);
	heads_free(&h);
}

/* The last entry that says a name is where it is, at the name's first place. */
TEST(check_moves)
{
	struct heads h = { 0 };
	CHECK(heads_find(&h, SPAN("main")) == NULL);
	CHECK_INT(heads_set(&h, SPAN("main"), 3), 0);
	CHECK_INT(heads_set(&h, SPAN("b"), 4), 0);
	CHECK_INT(heads_set(&h, SPAN("main"), 9), 0);
	CHECK_INT(h.n, 2);
	CHECK_INT(h.list[0].entry, 9);
	CHECK_INT(h.list[1].entry, 4);
	heads_free(&h);
}

TEST(check_many)
{
	struct heads h = { 0 };
	struct buf name = { 0 };
	unsigned wrong = 0;
	for (uint32_t i = 0; i < 5000; i++) {
		buf_clear(&name);
		buf_addf(&name, "branch %u", i);
		wrong += heads_set(&h, buf_span(&name), i) != 0;
	}
	for (uint32_t i = 0; i < 5000; i++) {
		buf_clear(&name);
		buf_addf(&name, "branch %u", i);
		const struct named_head *at = heads_find(&h, buf_span(&name));
		wrong += !at || at->entry != i;
	}
	CHECK_INT(wrong, 0);
	buf_free(&name);
	heads_free(&h);
}

/* Without memory a head is still found, and not added a second time. */
TEST(check_no_memory)
{
	struct heads h = { 0 };
	CHECK_INT(heads_set(&h, SPAN("12"), 1), 0);
	no_memory = true;
	CHECK(heads_find(&h, SPAN("%312")) != NULL);
	CHECK_INT(heads_set(&h, SPAN("12"), 2), 0);
	no_memory = false;
	CHECK_INT(h.n, 1);
	heads_free(&h);
}

RUN_TESTS("heads")
