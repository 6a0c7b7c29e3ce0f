#include "core/places/private.h"

#include "tests/unit/test.h"

static struct place a;
static struct place b;

static uint32_t assign(struct numbers *l, struct place *owner)
{
	uint32_t number = UINT32_MAX;
	CHECK_INT(numbers_assign(l, owner, &number), 0);
	return number;
}

TEST(check_owners)
{
	struct numbers l = { 0 };
	CHECK(!numbers_owner(&l, 0));
	CHECK_INT(numbers_next(&l, 0), NUMBERS_LIMIT);
	CHECK_INT(assign(&l, &a), 0);
	CHECK_INT(assign(&l, &b), 1);
	CHECK_INT(assign(&l, &a), 2);
	CHECK(numbers_owner(&l, 0) == &a && numbers_owner(&l, 1) == &b);
	CHECK(!numbers_owner(&l, 3) && !numbers_owner(&l, UINT32_MAX));
	numbers_release(&l, 1);
	CHECK(!numbers_owner(&l, 1));
	CHECK_INT(numbers_next(&l, 0), 2);
	CHECK_INT(numbers_next(&l, 2), NUMBERS_LIMIT);
	numbers_free(&l);
	CHECK(!numbers_owner(&l, 0));
}

/* A number that was released comes again after all others, and only then. */
TEST(check_turn)
{
	struct numbers l = { 0 };
	unsigned wrong = 0;
	for (uint32_t i = 0; i < 100; i++)
		wrong += assign(&l, &a) != i;
	numbers_release(&l, 5);
	numbers_release(&l, 99);
	for (uint32_t i = 100; i < NUMBERS_LIMIT; i++)
		wrong += assign(&l, &b) != i;
	CHECK_INT(wrong, 0);
	CHECK_INT(assign(&l, &b), 5);
	CHECK_INT(assign(&l, &b), 99);
	uint32_t number = 7;
	CHECK_INT(numbers_assign(&l, &b, &number), -ENFILE);
	CHECK_INT(number, 7);
	numbers_release(&l, 1000);
	CHECK_INT(assign(&l, &a), 1000);
	CHECK(numbers_owner(&l, 1000) == &a);
	numbers_free(&l);
}

RUN_TESTS("numbers")
