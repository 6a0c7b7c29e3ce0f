/*
 * Bursts: a program that walks by full paths, such as rg or cat
 * by-id/x/content, looks the same names up again and again.
 *
 * Each walk looks up `by-id` or `tree` in a session's root, and the kernel
 * checks the permissions of the root. These requests are how a change of the
 * session file is noticed, so their replies normally may not be cached. In a
 * burst they may, for BURST_TRUST seconds. A burst begins with BURST_REPLIES
 * such replies within BURST_SPAN ms. It lasts as long as the next one follows
 * within BURST_GAP ms: the kernel rounds a timeout up to ticks, of which the
 * longest are 10 ms.
 *
 * The number is so high that a program which opens some files, changes the
 * session and looks at once does not make a burst by itself.
 *
 * A change of the session ends the burst, and for BURST_QUIET ms none begins.
 * So a program that appends and looks, again and again, is never trusted; one
 * that looks for the first time during a burst may see labels and listings as
 * they were before. inotify shortens that (fs/kernel/watch.h).
 *
 * In a folder of sessions, walks look up the folders and sessions on the way as
 * well. These replies are counted apart: a walk makes two of them, for a name
 * and its permissions.
 *
 * Times are from timestamp_monotonic(), and above 0. Thread-safe, without a
 * lock.
 */
#ifndef SESSFS_BURST_H
#define SESSFS_BURST_H

#include <stdbool.h>
#include <stdint.h>

#define BURST_REPLIES 200
#define BURST_SPAN 100
#define BURST_GAP 20
#define BURST_QUIET 1000
#define BURST_TRUST 0.004

/* Zeroed: no burst. All members are accessed atomically. */
struct burst {
	/*
	 * The replies counted so far, up to BURST_REPLIES, in the lowest 8
	 * bits. Above them the time of the first of these replies or, in a
	 * burst, of the last one.
	 */
	uint64_t replies;
	int64_t trusted; /* when a reply last belonged to a burst; 0: never */
	int64_t changed; /* when the session last changed; 0: not yet */
};

/* Count a reply. True if it belongs to a burst. */
bool burst_count(struct burst *b, int64_t now);

/* May the kernel still have a reply of a burst cached? */
bool burst_is_cached(const struct burst *b, int64_t now);

/* The session has changed. */
void burst_end(struct burst *b, int64_t now);

#endif
