#include "core/base/forest.h"

uint32_t forest_top(uint32_t *forest, uint32_t i)
{
	while (forest[i] != i) {
		forest[i] = forest[forest[i]];
		i = forest[i];
	}
	return i;
}
