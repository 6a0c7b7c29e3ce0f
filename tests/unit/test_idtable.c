#include "core/base/idtable.h"
#include "tests/unit/test.h"

/* A value stands for the decimal digits of its thousandth part. */
static struct span key_of(const void *owner, uint32_t value,
			  struct idtable_scratch *scratch)
{
	(void)owner;
	int n = snprintf(scratch->name, sizeof(scratch->name), "%u",
			 value / 1000);
	return (struct span){ scratch->name, (size_t)n };
}

static void check_many(struct idtable *t)
{
	struct buf key = { 0 };
	for (uint32_t i = 0; i < 20000; i++) {
		buf_clear(&key);
		buf_addf(&key, "%u", i);
		CHECK_INT(idtable_find(t, NULL, buf_span(&key)), IDTABLE_NONE);
		CHECK_INT(idtable_add(t, buf_span(&key), i * 1000), 0);
	}
	unsigned wrong = 0;
	for (uint32_t i = 0; i < 20000; i++) {
		buf_clear(&key);
		buf_addf(&key, "%u", i);
		wrong += idtable_find(t, NULL, buf_span(&key)) != i * 1000;
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(idtable_find(t, NULL, SPAN("20000")), IDTABLE_NONE);
	CHECK_INT(idtable_find(t, NULL, SPAN("")), IDTABLE_NONE);
	CHECK_INT(idtable_find(t, NULL, SPAN("1\0")), IDTABLE_NONE);
	buf_free(&key);
}

/* All values of a key are walked, once each. */
static void check_equal_keys(struct idtable *t)
{
	for (uint32_t i = 0; i < 500; i++) {
		CHECK_INT(idtable_add(t, SPAN("7"), 7000 + i), 0);
		CHECK_INT(idtable_add(t, SPAN("8"), 8000 + i), 0);
	}
	bool seen[500] = { 0 };
	uint32_t v;
	size_t at = 0;
	unsigned n = 0;
	while ((v = idtable_next(t, NULL, SPAN("7"), &at)) != IDTABLE_NONE) {
		if (!CHECK(v >= 7000 && v < 7500 && !seen[v - 7000]))
			break;
		seen[v - 7000] = true;
		n++;
	}
	CHECK_INT(n, 500);
}

int main(void)
{
	struct idtable t;
	idtable_init(&t, key_of);
	CHECK_INT(idtable_find(&t, NULL, SPAN("1")), IDTABLE_NONE);
	check_many(&t);
	idtable_free(&t);
	CHECK_INT(idtable_find(&t, NULL, SPAN("1")), IDTABLE_NONE);
	check_equal_keys(&t);
	idtable_free(&t);
	return test_done("idtable");
}
