#include "core/base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first room: this many elements, or bytes if that is more. */
#define FIRST_ELEMENTS 8
#define FIRST_BYTES 64

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

int array_reserve_sized(void *list, size_t *cap, size_t n, size_t more,
			size_t size)
{
	if (*cap > 0 && n <= *cap && more <= *cap - n)
		return 0;
	if (more > SIZE_MAX - n)
		return -ENOMEM;
	size_t first = larger(FIRST_ELEMENTS, FIRST_BYTES / size);
	size_t room = larger(larger(n + more, first), *cap + *cap / 2);
	if (room > PTRDIFF_MAX / size)
		return -ENOMEM;
	void *old;
	memcpy(&old, list, sizeof(old));
	void *grown = realloc(old, room * size);
	if (!grown)
		return -ENOMEM;
	memcpy(list, &grown, sizeof(grown));
	*cap = room;
	/* cppcheck-suppress memleak ; *list has it */
	return 0;
}

int array_extend_sized(void *list, size_t *cap, size_t *n, size_t to,
		       size_t size)
{
	char *elements;
	if (to <= *n)
		return 0;
	if (array_reserve_sized(list, cap, *n, to - *n, size) < 0)
		return -ENOMEM;
	memcpy(&elements, list, sizeof(elements));
	memset(elements + *n * size, 0, (to - *n) * size);
	*n = to;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

void array_sort_numbers(uint32_t *list, size_t n)
{
	if (n > 1)
		qsort(list, n, sizeof(*list), by_number);
}
