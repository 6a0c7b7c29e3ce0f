#include "core/dialects/claude/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/session/bridge.h"

/* -- what compactions keep */

/* The agent skips the start of a larger file. */
#define LOADED_AS_A_WHOLE (5 << 20)

/* Keep the messages with these ids. 1 if all are known, 0 or -ENOMEM. */
static int keep_messages(const struct session *s, struct json uuids,
			 struct claude_kept *k)
{
	size_t cap = 0;
	bool known = json_type(uuids) == JSON_ARRAY;
	int err = 0;
	JSON_EACH_WHILE(known && !err, uuid, uuids) {
		const struct claude_kept_place place = {
			.entry = ingest_find_id(s, uuid)
		};
		known = place.entry != INDEX_NONE;
		err = array_add(&k->places, &cap, &k->n, place);
	}
	return err ? err : known;
}

/* Keep the chain from `head` down to `tail`. 1 if there is one, 0 or -ENOMEM.
 */
static int keep_segment(const struct session *s, uint32_t head, uint32_t tail,
			struct claude_kept *k)
{
	uint32_t n = 1;
	uint32_t i = tail;
	for (; i != INDEX_NONE && i != head; i = session_entry(s, i)->parent)
		n++;
	if (i == INDEX_NONE)
		return 0;
	k->places = malloc(n * sizeof(*k->places));
	if (!k->places)
		return -ENOMEM;
	k->n = n;
	for (i = tail; n > 0; i = session_entry(s, i)->parent)
		k->places[--n].entry = i;
	return 1;
}

static int by_entry(const void *a, const void *b)
{
	uint32_t x = ((const struct claude_kept_place *)a)->entry;
	uint32_t y = ((const struct claude_kept_place *)b)->entry;
	return x < y ? -1 : x > y;
}

/*
 * What a boundary with this metadata keeps. 1; 0 if not all that it names is
 * known: then nothing is kept; or -ENOMEM. The caller frees kept->places.
 */
static int find_kept(const struct session *s, uint32_t boundary,
		     struct json metadata, struct claude_kept *kept)
{
	*kept = (struct claude_kept){ .boundary = boundary,
				      .last = INDEX_NONE };
	struct json list = json_get(metadata, "preservedMessages");
	bool listed = json_type(list) == JSON_OBJECT;
	JSON_FIELDS(f, listed ? list : json_get(metadata, "preservedSegment"),
		    uuids, headUuid, tailUuid, anchorUuid);
	kept->anchor = ingest_find_id(s, f.anchorUuid);
	int known = listed ? keep_messages(s, f.uuids, kept)
			   : keep_segment(s, ingest_find_id(s, f.headUuid),
					  ingest_find_id(s, f.tailUuid), kept);
	if (known <= 0)
		kept->n = 0;
	for (uint32_t i = 0; i < kept->n; i++) {
		kept->places[i].parent = i > 0 ? kept->last : kept->anchor;
		kept->last = kept->places[i].entry;
	}
	if (kept->n > 1)
		qsort(kept->places, kept->n, sizeof(*kept->places), by_entry);
	return known;
}

/* The same of a boundary, or INDEX_NONE, whose line is read. 0 or -errno. */
static int load_kept(const struct session *s, uint32_t boundary,
		     struct claude_kept *kept)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json = { 0 };
	int err = 0;
	if (boundary != INDEX_NONE && claude_entry(s, boundary)->keeps)
		err = session_read(s, boundary, &line, &json);
	int known =
		find_kept(s, boundary, json_get(json, "compactMetadata"), kept);
	return err ? err : known < 0 ? known : 0;
}

static void mark_kept(struct claude *c, bool kept)
{
	for (uint32_t i = 0; i < c->kept.n; i++)
		c->entries[c->kept.places[i].entry].kept = kept;
}

static bool is_large(const struct session *s)
{
	return s->log.st.st_size > LOADED_AS_A_WHOLE;
}

/*
 * What was to be kept may have been written only now, and so may its anchor:
 * the summary comes behind the boundary.
 */
static bool may_have_changed(const struct session *s)
{
	const struct claude *c = s->now.state;
	bool waits = c->keeper != INDEX_NONE && c->leaf.settled < c->n;
	bool floats = c->kept.n > 0 && c->kept.anchor == INDEX_NONE;
	return c->kept.boundary != c->boundary ||
	       (c->boundary != INDEX_NONE && !c->prunes && is_large(s)) ||
	       (c->boundary != INDEX_NONE && (!c->prunes || floats) && waits);
}

int claude_kept_settle(struct session *s, bool again)
{
	struct claude *c = s->now.state;
	struct json metadata = { 0 };
	struct claude_kept kept;
	if (!again && !may_have_changed(s))
		return 0;
	if (c->keeper != INDEX_NONE && c->keeper == c->boundary)
		metadata.raw = buf_span(&c->keeping);
	int known = find_kept(s, c->boundary, metadata, &kept);
	if (known < 0) {
		free(kept.places);
		return known;
	}
	mark_kept(c, false);
	free(c->kept.places);
	c->kept = kept;
	bool kept_before = c->keeper != INDEX_NONE && c->keeper != c->boundary;
	c->prunes = c->boundary != INDEX_NONE &&
		    (known > 0 || kept_before || is_large(s));
	mark_kept(c, true);
	return 0;
}

bool claude_is_forgotten(const struct session *s, uint32_t entry)
{
	const struct claude *c = s->now.state;
	return c->prunes && !c->entries[entry].kept &&
	       session_entry(s, entry)->line <
		       session_entry(s, c->kept.boundary)->line;
}

/* -- chains */

struct climbing {
	const struct session *s;
	const struct claude_kept *kept;
	bool forgets; /* the agent does not see entries before kept->boundary */
	uint32_t *parents; /* without the forgotten ones; NULL until needed */
	int err;
};

static bool is_boundary(const struct session *s, uint32_t entry)
{
	return claude_entry(s, entry)->part == CLAUDE_BOUNDARY;
}

static uint32_t last_boundary(const struct session *s, uint32_t entry)
{
	while (entry != INDEX_NONE && !is_boundary(s, entry))
		entry = session_entry(s, entry)->parent;
	return entry;
}

uint32_t claude_last_said(const struct session *s, uint32_t entry)
{
	uint32_t said = entry;
	while (said != INDEX_NONE &&
	       claude_entry(s, said)->speaker == INDEX_NONE) {
		uint32_t boundary = last_boundary(s, said);
		if (boundary == INDEX_NONE)
			break;
		said = session_entry(s, boundary)->parent;
	}
	bool alone = said == INDEX_NONE && !is_boundary(s, entry);
	return alone ? entry : said;
}

static int load_parents(struct climbing *c)
{
	uint32_t n = c->s->now.index.n;
	bool *gone = malloc(n * sizeof(*gone));
	c->parents = malloc(n * sizeof(*c->parents));
	int err = gone && c->parents ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !err; i++)
		gone[i] = claude_is_forgotten(c->s, i);
	if (!err)
		err = bridge_without(&c->s->now.index, gone, c->parents);
	free(gone);
	return err;
}

static uint32_t parent_of(struct climbing *c, uint32_t entry)
{
	const struct claude_kept *k = c->kept;
	uint32_t parent = session_entry(c->s, entry)->parent;
	size_t i = array_search_by(k->places, k->n, entry, entry);
	if (i < k->n && k->places[i].entry == entry &&
	    k->places[i].parent != INDEX_NONE)
		return k->places[i].parent;
	if (parent == INDEX_NONE)
		return INDEX_NONE;
	if (!c->forgets || !claude_is_forgotten(c->s, parent))
		return parent == k->anchor && k->n > 0 ? k->last : parent;
	if (k->n > 0 && !session_entry(c->s, entry)->bridged)
		return k->last;
	if (!c->parents && !c->err)
		c->err = load_parents(c);
	return c->err ? INDEX_NONE : c->parents[entry];
}

/* What is kept may have been listed so that it closes a cycle. */
static int climb(struct climbing *c, uint32_t entry, struct claude_chain *chain)
{
	size_t n = c->s->now.index.n;
	struct path *p = &chain->path;
	bool *seen = calloc(n + 1, sizeof(*seen));
	p->list = calloc(n + 1, sizeof(*p->list));
	if (!seen || !p->list) {
		free(seen);
		return -ENOMEM;
	}
	uint32_t at = entry;
	for (; at != INDEX_NONE && !seen[at] && !is_boundary(c->s, at);
	     at = parent_of(c, at)) {
		seen[at] = true;
		p->list[n - p->n++] = at;
	}
	memmove(p->list, p->list + n + 1 - p->n, p->n * sizeof(*p->list));
	if (at != INDEX_NONE && is_boundary(c->s, at))
		chain->boundary = at;
	free(seen);
	return c->err;
}

int claude_chain_load(const struct session *s, uint32_t entry,
		      struct claude_chain *chain)
{
	const struct claude *c = s->now.state;
	struct claude_kept own = { .n = 0 }; /* no more is looked at */
	struct climbing climbing = { .s = s, .kept = &own };
	int err = 0;
	*chain = (struct claude_chain){ .boundary = INDEX_NONE };
	uint32_t said = claude_last_said(s, entry);
	if (said == INDEX_NONE)
		return 0;
	if (!claude_is_forgotten(s, said) || claude_is_forgotten(s, entry))
		entry = said;
	chain->forgotten = claude_is_forgotten(s, entry);
	if (chain->forgotten) {
		err = load_kept(s, last_boundary(s, entry), &own);
	} else if (c->prunes) {
		climbing.kept = &c->kept;
		climbing.forgets = true;
	}
	if (!err)
		err = climb(&climbing, entry, chain);
	if (err)
		path_free(&chain->path);
	free(climbing.parents);
	free(own.places);
	return err;
}

/* The line after `at` (INDEX_NONE: the first) of those behind a speaker. */
static uint32_t next_link(const struct session *s, uint32_t speaker,
			  uint32_t at)
{
	const struct index *x = &s->now.index;
	uint32_t i = at == INDEX_NONE ? x->entries[speaker].first_child
				      : index_next_below(x, speaker, at, true);
	/* Other such lines may be between a line and its speaker. */
	while (i != INDEX_NONE && (claude_entry(s, i)->speaker != speaker ||
				   claude_speaks(claude_entry(s, i))))
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
