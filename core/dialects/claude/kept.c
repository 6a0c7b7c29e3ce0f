#include "core/dialects/claude/kept.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

/* The agent skips the start of a larger file. */
#define LOADED_AS_A_WHOLE (5 << 20)

struct loading {
	const struct session *s;
	struct claude_kept *kept;
	size_t cap;
};

static int keep_messages(struct loading *l, struct json uuids, bool *valid)
{
	struct claude_kept *k = l->kept;
	*valid = json_type(uuids) == JSON_ARRAY;
	JSON_EACH_WHILE(*valid, uuid, uuids) {
		if (array_reserve(&k->places, &l->cap, k->n, 1) < 0)
			return -ENOMEM;
		uint32_t entry = ingest_find_id(l->s, uuid);
		k->places[k->n++].entry = entry;
		*valid = entry != INDEX_NONE;
	}
	return 0;
}

/* Keep the chain from `head` down to `tail`, if there is one. */
static int keep_segment(struct loading *l, uint32_t head, uint32_t tail,
			bool *valid)
{
	struct claude_kept *k = l->kept;
	uint32_t n = 1;
	uint32_t i = tail;
	for (; i != INDEX_NONE && i != head; i = session_entry(l->s, i)->parent)
		n++;
	*valid = i != INDEX_NONE;
	if (!*valid)
		return 0;
	if (array_reserve(&k->places, &l->cap, 0, n) < 0)
		return -ENOMEM;
	k->n = n;
	for (i = tail; n > 0; i = session_entry(l->s, i)->parent)
		k->places[--n].entry = i;
	return 0;
}

static int load_metadata(struct loading *l, struct json metadata, bool *valid)
{
	struct json list = json_get(metadata, "preservedMessages");
	if (json_type(list) == JSON_OBJECT) {
		l->kept->anchor =
			ingest_find_id(l->s, json_get(list, "anchorUuid"));
		return keep_messages(l, json_get(list, "uuids"), valid);
	}
	JSON_FIELDS(f, json_get(metadata, "preservedSegment"), headUuid,
		    tailUuid, anchorUuid);
	l->kept->anchor = ingest_find_id(l->s, f.anchorUuid);
	return keep_segment(l, ingest_find_id(l->s, f.headUuid),
			    ingest_find_id(l->s, f.tailUuid), valid);
}

static int by_entry(const void *a, const void *b)
{
	uint32_t x = ((const struct claude_kept_place *)a)->entry;
	uint32_t y = ((const struct claude_kept_place *)b)->entry;
	return x < y ? -1 : x > y;
}

/* Nothing is kept unless all is known. */
static int load(const struct session *s, uint32_t boundary,
		struct json metadata, struct claude_kept *kept, bool *valid)
{
	struct loading l = { .s = s, .kept = kept };
	*kept = (struct claude_kept){ .boundary = boundary,
				      .anchor = INDEX_NONE,
				      .last = INDEX_NONE };
	*valid = false;
	if (json_type(metadata) != JSON_OBJECT)
		return 0;
	int err = load_metadata(&l, metadata, valid);
	if (err || !*valid)
		kept->n = 0;
	for (uint32_t i = 0; i < kept->n; i++) {
		kept->places[i].parent = i > 0 ? kept->last : kept->anchor;
		kept->last = kept->places[i].entry;
	}
	if (kept->n > 1)
		qsort(kept->places, kept->n, sizeof(*kept->places), by_entry);
	return err;
}

int claude_kept_load(const struct session *s, uint32_t boundary,
		     struct claude_kept *kept)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json = { 0 };
	bool valid;
	int err = 0;
	if (boundary != INDEX_NONE && claude_entry(s, boundary)->keeps)
		err = session_read(s, boundary, &line, &json);
	int failed = load(s, boundary, json_get(json, "compactMetadata"), kept,
			  &valid);
	return err ? err : failed;
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
	bool valid;
	if (!again && !may_have_changed(s))
		return 0;
	if (c->keeper != INDEX_NONE && c->keeper == c->boundary)
		metadata.raw = buf_span(&c->keeping);
	int err = load(s, c->boundary, metadata, &kept, &valid);
	if (err) {
		free(kept.places);
		return err;
	}
	mark_kept(c, false);
	free(c->kept.places);
	c->kept = kept;
	bool kept_before = c->keeper != INDEX_NONE && c->keeper != c->boundary;
	c->prunes = c->boundary != INDEX_NONE &&
		    (valid || kept_before || is_large(s));
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

uint32_t claude_kept_parent(const struct claude_kept *kept, uint32_t entry)
{
	size_t i = array_search_by(kept->places, kept->n, entry, entry);
	return i < kept->n && kept->places[i].entry == entry
		       ? kept->places[i].parent
		       : INDEX_NONE;
}
