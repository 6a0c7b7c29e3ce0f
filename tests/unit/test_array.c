#include "core/base/array.h"

#include <stdint.h>

#include "tests/unit/test.h"

struct item {
	uint64_t a[3];
};

TEST(check_append)
{
	struct item *items = NULL;
	size_t cap = 0;
	size_t grown = 0;
	for (size_t n = 0; n < 10000; n++) {
		size_t before = cap;
		CHECK_INT(array_reserve(&items, &cap, n, 1), 0);
		grown += cap != before;
		items[n].a[2] = n;
	}
	uint64_t sum = 0;
	for (size_t i = 0; i < 10000; i++)
		sum += items[i].a[2];
	CHECK_INT(sum, 49995000);
	CHECK(cap >= 10000 && cap < 15000);
	CHECK(grown < 25);
	free(items);
}

/* More than half as much again, and none at all. */
TEST(check_sizes)
{
	char *bytes = NULL;
	size_t cap = 0;
	CHECK_INT(array_reserve(&bytes, &cap, 0, 0), 0);
	CHECK(bytes && cap >= 8);
	CHECK_INT(array_reserve(&bytes, &cap, 4, 100000), 0);
	CHECK_INT(cap, 100004);
	CHECK_INT(array_reserve(&bytes, &cap, 100004, 0), 0);
	CHECK_INT(cap, 100004);
	free(bytes);
}

TEST(check_overflow)
{
	struct item *items = NULL;
	size_t cap = 0;
	CHECK_INT(array_reserve(&items, &cap, 0, 1), 0);
	struct item *same = items;
	size_t same_cap = cap;
	CHECK_INT(array_reserve(&items, &cap, 1, SIZE_MAX), -ENOMEM);
	CHECK_INT(array_reserve(&items, &cap, 1, SIZE_MAX / 24), -ENOMEM);
	CHECK_INT(array_reserve(&items, &cap, SIZE_MAX, 1), -ENOMEM);
	CHECK(items == same && cap == same_cap);
	free(items);
}

TEST(check_extend)
{
	int *list = NULL;
	size_t cap = 0;
	size_t n = 0;
	for (size_t to = 0; to < 100; to += 7) {
		CHECK_INT(array_extend(&list, &cap, &n, to), 0);
		CHECK_INT(n, to);
		for (size_t i = 0; i < n; i++)
			CHECK_INT(list[i], i + 7 < to ? 1 : 0);
		for (size_t i = 0; i < n; i++)
			list[i] = 1;
	}
	CHECK_INT(array_extend(&list, &cap, &n, 3), 0);
	CHECK_INT(n, 98);
	CHECK_INT(array_extend(&list, &cap, &n, SIZE_MAX), -ENOMEM);
	CHECK_INT(n, 98);
	free(list);
}

static bool number_before(const void *list, size_t i, const void *key)
{
	return ((const int *)list)[i] < *(const int *)key;
}

TEST(check_search)
{
	static const int list[] = { 1, 3, 3, 3, 7 };
	static const size_t want[] = { 0, 0, 1, 1, 4, 4, 4, 4, 5 };
	for (int key = 0; key < 9; key++) {
		CHECK_INT(array_search(list, 5, number_before, &key),
			  want[key]);
		CHECK_INT(array_search(list, 1, number_before, &key), key > 1);
		CHECK_INT(array_search(NULL, 0, number_before, &key), 0);
	}
}

TEST(check_sort)
{
	uint32_t list[] = { UINT32_MAX, 3, 0, 3, 1U << 31 };
	static const uint32_t want[] = { 0, 3, 3, 1U << 31, UINT32_MAX };
	array_sort_numbers(list, 5);
	for (size_t i = 0; i < 5; i++)
		CHECK_INT(list[i], want[i]);
	array_sort_numbers(NULL, 0);
}

RUN_TESTS("array")
