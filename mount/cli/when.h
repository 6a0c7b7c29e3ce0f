/*
 * Times as people write them on a command line.
 */
#ifndef SESSFS_WHEN_H
#define SESSFS_WHEN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parse how long ago a time was, a number and one of m, h, d and w (minutes to
 * weeks), as "3d"; or a local time: 2026-03-01, 2026-03-01 10:00 (or T between
 * both) or with seconds. Of a time that is not exact *ms is its beginning, or
 * with `end` the beginning of what follows it. Returns false after reporting
 * that it is none, with the option's name.
 */
bool when_parse(const char *option, const char *text, bool end, int64_t *ms);

#endif
