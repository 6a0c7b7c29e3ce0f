#include "core/dialects/claude/links.h"

#include <stdlib.h>

#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/kept.h"

/* Is a line behind a speaker? Other such lines may be between. */
static bool is_behind(const struct session *s, uint32_t line, uint32_t speaker)
{
	const struct claude_entry *e = claude_entry(s, line);
	return e->speaker == speaker && !claude_speaks(e);
}

/* The line after `at` (INDEX_NONE: the first) of those behind a speaker. */
static uint32_t next_link(const struct session *s, uint32_t speaker,
			  uint32_t at)
{
	const struct index *x = &s->now.index;
	uint32_t i = at == INDEX_NONE ? x->entries[speaker].first_child
				      : index_next_below(x, speaker, at, true);
	while (i != INDEX_NONE && !is_behind(s, i, speaker))
		i = index_next_below(x, speaker, i, false);
	return i;
}

bool claude_is_newer(const struct session *s, uint32_t a, uint32_t b)
{
	if (b == INDEX_NONE)
		return true;
	const struct entry *x = session_entry(s, a);
	const struct entry *y = session_entry(s, b);
	return x->time != y->time ? x->time > y->time : x->line > y->line;
}

static int by_time(const void *a, const void *b, void *session)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return claude_is_newer(session, x, y) ? 1 : -1;
}

uint32_t claude_links(const struct session *s, uint32_t speaker, bool all,
		      uint32_t *list)
{
	uint32_t n = 0;
	for (uint32_t i = next_link(s, speaker, INDEX_NONE); i != INDEX_NONE;
	     i = next_link(s, speaker, i)) {
		if (all || !claude_is_forgotten(s, i))
			list[n++] = i;
	}
	qsort_r(list, n, sizeof(*list), by_time, (void *)s);
	return n;
}

uint32_t claude_newest_link(const struct session *s, uint32_t line)
{
	uint32_t speaker = claude_entry(s, line)->speaker;
	uint32_t newest = INDEX_NONE;
	if (speaker == INDEX_NONE)
		return INDEX_NONE;
	for (uint32_t i = next_link(s, speaker, INDEX_NONE); i != INDEX_NONE;
	     i = next_link(s, speaker, i)) {
		if (claude_is_main(claude_entry(s, i)) &&
		    claude_is_newer(s, i, newest))
			newest = i;
	}
	return newest != INDEX_NONE ? newest : speaker;
}
