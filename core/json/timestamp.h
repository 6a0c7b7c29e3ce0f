/*
 * Times in sessions: milliseconds since 1970 in UTC, as JavaScript's Date.
 */
#ifndef SESSFS_TIMESTAMP_H
#define SESSFS_TIMESTAMP_H

#include <stdint.h>
#include <time.h>

#include "core/json/json.h"

/* The value of a timestamp that is missing or unreadable. */
#define TIMESTAMP_NONE INT64_MIN

/*
 * new Date(v).getTime(): ISO 8601 strings (a date alone is UTC, a time without
 * a zone is local), numbers, null (0) and booleans. The many other spellings
 * that JavaScript engines guess at are TIMESTAMP_NONE.
 */
int64_t timestamp_parse(struct json v);

/* 2026-03-01T10:00:00.000Z; nothing for TIMESTAMP_NONE. */
void timestamp_add(struct buf *out, int64_t ms);

/* How much of a local time is written. */
enum timestamp_form {
	TIMESTAMP_DAY,	  /* 2026-03-01 */
	TIMESTAMP_MINUTE, /* 2026-03-01 10:00 */
	TIMESTAMP_SECOND, /* 2026-03-01 10:00:00 +0100 */
	TIMESTAMP_SHORT,  /* 03-01 10:00 */
	TIMESTAMP_CLOCK,  /* 1000 */
};

/* Nothing for TIMESTAMP_NONE. */
void timestamp_add_local(struct buf *out, int64_t ms, enum timestamp_form form);

/* As a struct timespec. */
struct timespec timestamp_spec(int64_t ms);

/* The number of milliseconds, as JSON: null for TIMESTAMP_NONE. */
void timestamp_add_ms(struct buf *out, int64_t ms);

/* Now, from the system's clock. */
int64_t timestamp_now(void);

/* Milliseconds of a clock that is never set, for measuring waits. */
int64_t timestamp_monotonic(void);

#endif
