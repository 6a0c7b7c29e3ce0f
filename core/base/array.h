/*
 * Growable arrays, and searching in sorted ones.
 *
 * A growable array is a pointer, its capacity in elements, and the number of
 * elements in use, which the caller counts:
 *
 *     struct line *lines = NULL;
 *     size_t cap = 0;
 *     size_t n = 0;
 *     int err = array_add(&lines, &cap, &n, line);
 *
 * The capacity grows by half, so appending takes amortized constant time. The
 * caller calls free().
 */
#ifndef SESSFS_ARRAY_H
#define SESSFS_ARRAY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Make room for `more` elements after the first n. Returns 0; *list is not NULL
 * then, and elements from the old *cap on are uninitialized. Returns -ENOMEM
 * and changes nothing if there is no memory or the size overflows.
 */
#define array_reserve(list, cap, n, more) \
	array_reserve_sized((list), (cap), (n), (more), sizeof(**(list)))

/* The same for elements of this size; `list` points to the array's pointer. */
int array_reserve_sized(void *list, size_t *cap, size_t n, size_t more,
			size_t size);

/* Append an element, and count it in *n. Results as above. */
#define array_add(list, cap, n, ...)               \
	(array_reserve((list), (cap), *(n), 1) < 0 \
		 ? -ENOMEM                         \
		 : ((*(list))[(*(n))++] = (__VA_ARGS__), 0))

/*
 * Make it at least `to` elements long: *n counts them, new ones are zeroed.
 * Errors as for array_reserve().
 */
#define array_extend(list, cap, n, to) \
	array_extend_sized((list), (cap), (n), (to), sizeof(**(list)))

int array_extend_sized(void *list, size_t *cap, size_t *n, size_t to,
		       size_t size);

/* Sort numbers; `list` may be NULL if there are none. */
void array_sort_numbers(uint32_t *list, size_t n);

/* Does element i come before the key? */
typedef bool array_before_fn(const void *list, size_t i, const void *key);

/*
 * Binary search in n sorted elements: the index of the first one that does not
 * come before the key, or n.
 */
static inline size_t array_search(const void *list, size_t n,
				  array_before_fn *before, const void *key)
{
	size_t low = 0;
	while (low < n) {
		size_t mid = low + (n - low) / 2;
		if (before(list, mid, key))
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/*
 * The same in elements that are sorted by a member of the type uint32_t, or are
 * such numbers themselves: the index of the first that is not below `number`.
 */
#define array_search_by(list, n, member, number)          \
	array_search_number((list), (n), sizeof(*(list)), \
			    offsetof(__typeof__(*(list)), member), number)
#define array_search_numbers(list, n, number) \
	array_search_number((list), (n), sizeof(*(list)), 0, number)

static inline size_t array_search_number(const void *list, size_t n,
					 size_t size, size_t offset,
					 uint32_t number)
{
	const char *numbers = (const char *)list + (n > 0 ? offset : 0);
	size_t low = 0;
	while (low < n) {
		size_t mid = low + (n - low) / 2;
		if (*(const uint32_t *)(numbers + mid * size) < number)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

#endif
