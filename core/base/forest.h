/*
 * Sets of numbers that are only ever merged, as a forest: an array with a
 * number above each, or the number itself at the top of its set. To merge two
 * sets, set the top of one to a number of the other.
 */
#ifndef SESSFS_FOREST_H
#define SESSFS_FOREST_H

#include <stdint.h>

/*
 * The top above i. Shortens the way for later searches, so that n of them take
 * n log n steps.
 */
uint32_t forest_top(uint32_t *forest, uint32_t i);

#endif
