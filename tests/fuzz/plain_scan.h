/*
 * core/json/scan.c as it is where there are no vectors, with plain_ before its
 * names: machines that have vectors test it too.
 */
#ifndef SESSFS_PLAIN_SCAN_H
#define SESSFS_PLAIN_SCAN_H

#include "core/json/scan.h"

/* What the twins have, to be held against each other. */
struct scanner {
	int (*check)(struct span, struct span *, struct scan_ends *);
	const char *(*string)(const char *, const char *);
	const char *(*past_string)(const char *, const char *);
	const char *(*past_value)(const char *, const char *);
};

int plain_scan_check(struct span text, struct span *value,
		     struct scan_ends *ends);
const char *plain_scan_past_value(const char *p, const char *end);
const char *plain_scan_past_string(const char *p, const char *end);
const char *plain_scan_string_part(const char *p, const char *end,
				   bool *in_string, bool *escaped);
const char *plain_scan_string(const char *p, const char *end);

#endif
