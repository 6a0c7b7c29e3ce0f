#include "core/dialects/claude/context.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/response.h"
#include "core/json/writer.h"

struct building {
	const struct session *s;
	const struct path *path;
	uint32_t from; /* the first place after the boundary */
	/* The entries that a boundary preserves, and the one that they follow.
	 */
	struct path kept;
	uint32_t anchor;
	bool *listed; /* by entry: it is sent already */
	struct buf line;
	struct buf body;
};

static void keep(struct building *b, uint32_t entry)
{
	if (entry == INDEX_NONE || b->listed[entry])
		return;
	b->listed[entry] = true;
	b->kept.list[b->kept.n++] = entry;
}

/* Keep the chain from `head` down to `tail`, if there is one. */
static void keep_segment(struct building *b, uint32_t head, uint32_t tail)
{
	uint32_t i = tail;
	while (i != INDEX_NONE && i != head)
		i = session_entry(b->s, i)->parent;
	if (i == INDEX_NONE)
		return;
	for (i = tail; i != head; i = session_entry(b->s, i)->parent)
		keep(b, i);
	keep(b, head);
	for (uint32_t k = 0; k < b->kept.n / 2; k++) {
		uint32_t *list = b->kept.list;
		uint32_t last = b->kept.n - 1 - k;
		uint32_t entry = list[k];
		list[k] = list[last];
		list[last] = entry;
	}
}

/* Keep the entries that the boundary preserves: a list, or part of a chain. */
static void keep_preserved(struct building *b, struct json boundary)
{
	static const char *const ends[] = { "headUuid", "tailUuid",
					    "anchorUuid" };
	struct json metadata = json_get(boundary, "compactMetadata");
	struct json list = json_get(metadata, "preservedMessages");
	struct json uuids = json_get(list, "uuids");
	struct json f[3];
	if (json_type(uuids) == JSON_ARRAY) {
		struct json_walk w = json_walk(uuids);
		struct json uuid;
		while (json_next_element(&w, &uuid))
			keep(b, ingest_find_id(b->s, uuid));
		b->anchor = ingest_find_id(b->s, json_get(list, "anchorUuid"));
		return;
	}
	json_get_all(json_get(metadata, "preservedSegment"), 3, ends, f);
	keep_segment(b, ingest_find_id(b->s, f[0]), ingest_find_id(b->s, f[1]));
	b->anchor = ingest_find_id(b->s, f[2]);
}

/* Cut the path at its last boundary, which may preserve entries. */
static int cut(struct building *b)
{
	const uint32_t *list = b->path->list;
	struct json json;
	b->from = b->path->n;
	while (b->from > 0 &&
	       claude_entry(b->s, list[b->from - 1])->part != CLAUDE_BOUNDARY)
		b->from--;
	if (b->from == 0)
		return 0;
	size_t n = b->s->now.index.n;
	b->listed = calloc(n, sizeof(*b->listed));
	b->kept.list = malloc(n * sizeof(*b->kept.list));
	if (!b->listed || !b->kept.list)
		return -ENOMEM;
	for (uint32_t i = b->from - 1; i < b->path->n; i++)
		b->listed[list[i]] = true;
	int err = session_read(b->s, list[b->from - 1], &b->line, &json);
	if (!err)
		keep_preserved(b, json);
	return err;
}

/* List the entries that are sent, with the kept ones after their anchor. */
static int select_entries(const struct building *b, struct path *p)
{
	const uint32_t *list = b->path->list;
	*p = (struct path){ 0 };
	p->list = malloc((b->path->n + b->kept.n + 1) * sizeof(*p->list));
	if (!p->list)
		return -ENOMEM;
	/* The boundary itself may be the anchor. */
	for (uint32_t i = b->from > 0 ? b->from - 1 : 0; i < b->path->n; i++) {
		if (i >= b->from)
			p->list[p->n++] = list[i];
		if (list[i] != b->anchor)
			continue;
		for (uint32_t k = 0; k < b->kept.n; k++)
			p->list[p->n++] = b->kept.list[k];
	}
	return 0;
}

static int read_content(struct building *b, uint32_t entry,
			struct json *content)
{
	struct json json;
	int err = session_read(b->s, entry, &b->line, &json);
	if (!err)
		*content = json_get(json_get(json, "message"), "content");
	return err;
}

static int add_user(struct building *b, uint32_t entry, struct messages *to)
{
	struct message m = { .role = MESSAGE_USER, .how = CONTENT_JSON };
	int err = read_content(b, entry, &m.content);
	if (!err && block_is_content(m.content))
		messages_add(to, &m);
	return err;
}

/* Write the blocks of a fragment. A string is a text block. */
static void add_blocks(struct json_writer *w, struct json content)
{
	if (json_type(content) == JSON_STRING)
		block_write_text_value(w, content);
	else
		json_write_elements(w, content);
}

/* Write the content of n fragments. *any: at least one has content. */
static int join_fragments(struct building *b, const uint32_t *list, uint32_t n,
			  struct json_writer *w, bool *any)
{
	struct json content;
	int err = 0;
	json_begin_array(w, NULL);
	for (uint32_t i = 0; i < n && !err; i++) {
		err = read_content(b, list[i], &content);
		if (err || !block_is_content(content))
			continue;
		*any = true;
		add_blocks(w, content);
	}
	json_end_array(w);
	return err;
}

/* Send a response. Its content is unchanged if it has one fragment. */
static int add_response(struct building *b, const uint32_t *list, uint32_t n,
			struct messages *to)
{
	struct json_writer w = { .out = &b->body };
	struct json content;
	bool any = false;
	int err;
	buf_clear(&b->body);
	if (n > 1) {
		err = join_fragments(b, list, n, &w, &any);
		content = (struct json){ .raw = buf_span(&b->body) };
	} else {
		err = read_content(b, list[0], &content);
		any = !err && block_is_content(content);
	}
	if (!err)
		err = buf_error(&b->body);
	if (err || !any)
		return err;
	const struct message m = { .role = MESSAGE_ASSISTANT,
				   .how = CONTENT_JSON,
				   .content = content };
	messages_add(to, &m);
	return 0;
}

/* Keep users' and assistants' lines; those of sidechains only for one. */
static void drop_unsent(const struct session *s, struct path *p, bool sidechain)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct claude_entry *e = claude_entry(s, p->list[i]);
		if (claude_speaks(e) && (sidechain || !e->sidechain))
			p->list[n++] = p->list[i];
	}
	p->n = n;
}

static int add_all(struct building *b, const struct path *p,
		   struct messages *to)
{
	int err = 0;
	for (uint32_t i = 0; i < p->n && !err;) {
		const uint32_t *list = p->list + i;
		uint32_t n = 1;
		if (claude_entry(b->s, list[0])->part != CLAUDE_ASSISTANT) {
			err = add_user(b, list[0], to);
		} else {
			while (i + n < p->n &&
			       claude_same_response(b->s, list[0], list[n]))
				n++;
			err = add_response(b, list, n, to);
		}
		i += n;
	}
	return err;
}

int claude_context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	struct building b = { .s = s, .path = p, .anchor = INDEX_NONE };
	struct path selected = { 0 };
	struct path whole = { 0 };
	if (p->n == 0)
		return 0;
	int err = cut(&b);
	if (!err)
		err = select_entries(&b, &selected);
	if (!err)
		err = claude_complete(s, &selected, &whole);
	if (!err) {
		drop_unsent(s, &whole,
			    claude_entry(s, p->list[p->n - 1])->sidechain);
		err = add_all(&b, &whole, to);
	}
	path_free(&selected);
	path_free(&whole);
	path_free(&b.kept);
	free(b.listed);
	buf_free(&b.line);
	buf_free(&b.body);
	return err ? err : buf_error(to->out);
}

int claude_settings(const struct session *s, uint32_t leaf, struct buf *model,
		    struct buf *thinking)
{
	struct buf line = { 0 };
	int err = 0;
	(void)thinking;
	for (uint32_t i = leaf; i != INDEX_NONE && !err && model->len == 0;
	     i = session_entry(s, i)->parent) {
		struct json json;
		if (claude_entry(s, i)->part != CLAUDE_ASSISTANT)
			continue;
		err = session_read(s, i, &line, &json);
		if (err)
			break;
		struct json v = json_get(json_get(json, "message"), "model");
		if (!json_is(v, SPAN("<synthetic>")))
			json_decode(model, v);
	}
	buf_free(&line);
	return err;
}
