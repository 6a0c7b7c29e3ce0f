#include "core/base/idset.h"
#include "tests/unit/test.h"

static uint32_t add(struct idset *set, struct span id)
{
	uint32_t number = IDSET_NONE;
	CHECK_INT(idset_add(set, id, &number), 0);
	return number;
}

int main(void)
{
	struct idset set = { 0 };
	struct buf id = { 0 };
	unsigned wrong = 0;

	CHECK_INT(idset_find(&set, SPAN("a")), IDSET_NONE);
	CHECK_INT(add(&set, SPAN("a")), 0);
	CHECK_INT(add(&set, SPAN("")), 1);
	CHECK_INT(add(&set, SPAN("a\0b")), 2);
	CHECK_INT(add(&set, SPAN("a")), 0);
	CHECK_INT(set.n, 3);
	CHECK_SPAN(idset_get(&set, 2), SPAN("a\0b"));
	CHECK_INT(idset_find(&set, SPAN("")), 1);
	CHECK_INT(idset_find(&set, SPAN("b")), IDSET_NONE);

	for (uint32_t i = 0; i < 20000; i++) {
		buf_clear(&id);
		buf_addf(&id, "call_%u", i % 10000);
		wrong += add(&set, buf_span(&id)) != 3 + i % 10000;
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(set.n, 10003);
	idset_free(&set);
	CHECK_INT(add(&set, SPAN("b")), 0);
	idset_free(&set);
	buf_free(&id);
	return test_done("idset");
}
