#include "mount/cli/when.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/json/timestamp.h"

/* Larger numbers of anything are before all sessions. */
#define MOST_UNITS 1000000

/* A number of units ago; false: it is something else. */
static bool parse_ago(const char *text, int64_t *ms)
{
	static const struct {
		char letter;
		int64_t ms;
	} units[] = { { 'm', 60000 },
		      { 'h', 3600000 },
		      { 'd', 86400000 },
		      { 'w', 604800000 } };
	char *end;
	if (!isdigit((unsigned char)text[0]))
		return false;
	unsigned long n = strtoul(text, &end, 10);
	if (!*end || end[1])
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].letter != *end)
			continue;
		if (n > MOST_UNITS)
			n = MOST_UNITS;
		*ms = timestamp_now() - (int64_t)n * units[i].ms;
		return true;
	}
	return false;
}

/* A day by its name, from its midnight on, or up to the next. */
static bool parse_day(const char *text, bool end, int64_t *ms)
{
	static const char *const days[] = { "today", "yesterday" };
	for (int i = 0; i < 2; i++) {
		time_t now = (time_t)(timestamp_now() / 1000);
		struct tm tm;
		if (strcmp(text, days[i]) != 0 || !localtime_r(&now, &tm))
			continue;
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_mday += end - i;
		tm.tm_isdst = -1;
		*ms = (int64_t)mktime(&tm) * 1000;
		return true;
	}
	return false;
}

/* A local time, and what is the first after it in ms. */
static bool parse_time(const char *text, bool end, int64_t *ms)
{
	static const char *const forms[] = {
		"%Y-%m-%d",	     "%Y-%m-%d %H:%M",	  "%Y-%m-%dT%H:%M",
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm = { .tm_isdst = -1 };
		const char *rest = strptime(text, forms[i], &tm);
		if (!rest || *rest)
			continue;
		/* Of 30 February it would make 2 March. */
		struct tm day = tm;
		if (mktime(&day) == (time_t)-1 || day.tm_mday != tm.tm_mday)
			return false;
		tm.tm_mday += end && i == 0;
		tm.tm_min += end && (i == 1 || i == 2);
		tm.tm_sec += end && i > 2;
		time_t t = mktime(&tm);
		*ms = (int64_t)t * 1000;
		return t != (time_t)-1;
	}
	return false;
}

bool when_parse(const char *option, const char *text, bool end, int64_t *ms)
{
	if (parse_ago(text, ms) || parse_day(text, end, ms) ||
	    parse_time(text, end, ms))
		return true;
	fprintf(stderr,
		"sessfs: %s=%s: must be as 3d, 12h, today, yesterday, "
		"2026-03-01 or 2026-03-01T10:00\n",
		option, text);
	return false;
}
