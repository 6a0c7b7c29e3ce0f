#include "core/dialects/claude/branch.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/response.h"
#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"

struct branching {
	const struct session *s;
	struct buf id;	 /* of the new session, as JSON */
	struct buf from; /* of the old one, as JSON; empty if it has none */
	struct buf line;
	struct buf *out;
};

/* Does the entry need another parent than its line names? */
static bool has_new_parent(const struct branching *b, uint32_t entry,
			   uint32_t before, bool joins)
{
	const struct entry *e = session_entry(b->s, entry);
	return e->parent != before || e->cut || e->bridged ||
	       (e->orphan && !joins);
}

/* What a boundary kept is on the chain itself now. */
static void add_metadata(struct buf *out, struct json boundary)
{
	static const struct json_change forget[] = {
		{ "preservedSegment", { 0 } },
		{ "preservedMessages", { 0 } },
	};
	json_rewrite(out, json_get(boundary, "compactMetadata"), forget, 2);
}

static void add_origin(struct buf *out, const struct branching *b,
		       uint32_t entry)
{
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_buf(&w, "sessionId", &b->from);
	line_add_id(&w, "messageUuid", b->s, entry);
	json_end_object(&w);
}

/* Append an entry's line. Bytes change only where the branch differs. */
static int add_line(struct branching *b, uint32_t entry, uint32_t before)
{
	struct json json;
	struct json_change changes[5];
	struct buf metadata = { 0 };
	struct buf parent = { 0 };
	struct buf origin = { 0 };
	size_t n = 0;
	int err = session_read(b->s, entry, &b->line, &json);
	if (err)
		return err;
	bool joins =
		claude_joins((enum claude_part)claude_entry(b->s, entry)->part,
			     json_get(json, "parentUuid"));
	changes[n++] = (struct json_change){ "sessionId", buf_span(&b->id) };
	if (has_new_parent(b, entry, before, joins)) {
		line_quote_id(&parent, b->s, before);
		changes[n++] = (struct json_change){ joins ? "logicalParentUuid"
							   : "parentUuid",
						     buf_span(&parent) };
	}
	/* The agent goes on from no sidechain. */
	if (json_truthy(json_get(json, "isSidechain")))
		changes[n++] =
			(struct json_change){ "isSidechain", SPAN("false") };
	if (b->from.len > 0) {
		add_origin(&origin, b, entry);
		changes[n++] =
			(struct json_change){ "forkedFrom", buf_span(&origin) };
	}
	if (claude_entry(b->s, entry)->keeps) {
		add_metadata(&metadata, json);
		changes[n++] = (struct json_change){ "compactMetadata",
						     buf_span(&metadata) };
	}
	json_splice(b->out, json, changes, n);
	buf_addc(b->out, '\n');
	err = buf_error(b->out);
	if (parent.failed || origin.failed || metadata.failed)
		err = -ENOMEM;
	buf_free(&metadata);
	buf_free(&parent);
	buf_free(&origin);
	return err;
}

/* The ids of the two sessions. */
static int begin(struct branching *b, uint32_t entry)
{
	struct buf name = { 0 };
	struct buf id = { 0 };
	const struct id_space space = ids_space(b->s);
	buf_adds(&name, "branch ");
	buf_add(&name, index_id(&b->s->now.index, entry));
	ids_derive_uuid(&space, &id, buf_span(&name));
	json_quote(&b->id, buf_span(&id));
	buf_add(&b->from, session_header(b->s, "id").raw);
	bool failed =
		name.failed || id.failed || b->id.failed || b->from.failed;
	buf_free(&name);
	buf_free(&id);
	return failed ? -ENOMEM : 0;
}

static int add_pin(struct branching *b, uint32_t leaf)
{
	struct json_writer w = line_begin(b->out, "last-prompt");
	line_add_id(&w, "leafUuid", b->s, leaf);
	json_write_bool(&w, "explicit", true);
	json_write_buf(&w, "sessionId", &b->id);
	return line_end(&w);
}

/* The history above a chain, without the lines that are on it. */
static int load_history(const struct session *s, uint32_t boundary,
			const struct path *chain, struct path *history)
{
	bool *on_chain = calloc(s->now.index.n + 1, sizeof(*on_chain));
	uint32_t n = 0;
	int err = path_load(history, s, boundary);
	if (!err && !on_chain)
		err = -ENOMEM;
	if (err) {
		free(on_chain);
		return err;
	}
	for (uint32_t i = 0; i < chain->n; i++)
		on_chain[chain->list[i]] = true;
	for (uint32_t i = 0; i < history->n; i++) {
		if (!on_chain[history->list[i]])
			history->list[n++] = history->list[i];
	}
	history->n = n;
	free(on_chain);
	return 0;
}

/* Add the lines of a path, each the child of the one before it. */
static int add_lines(struct branching *b, const struct path *p, uint32_t *last)
{
	int err = 0;
	for (uint32_t i = 0; i < p->n && !err; i++) {
		err = add_line(b, p->list[i], *last);
		*last = p->list[i];
	}
	return err;
}

/* What ends the branch below what was said last: a boundary and its notes. */
static int load_end(const struct session *s, uint32_t entry, struct path *end)
{
	uint32_t said = claude_last_said(s, entry);
	uint32_t n = 0;
	int err = path_load(end, s, entry);
	if (err)
		return err;
	while (n < end->n && end->list[end->n - n - 1] != said)
		n++;
	memmove(end->list, end->list + end->n - n, n * sizeof(*end->list));
	end->n = n;
	return 0;
}

int claude_branch(const struct session *s, uint32_t entry, struct buf *out)
{
	struct branching b = { .s = s, .out = out };
	struct claude_chain chain;
	struct path history = { 0 };
	struct path whole = { 0 };
	struct path end = { 0 };
	uint32_t last = INDEX_NONE;
	int err = claude_chain_load(s, entry, &chain);
	if (!err)
		err = claude_complete(s, &chain, &whole);
	if (!err)
		err = load_history(s, chain.boundary, &whole, &history);
	if (!err)
		err = load_end(s, entry, &end);
	if (!err)
		err = begin(&b, entry);
	if (!err)
		err = add_lines(&b, &history, &last);
	if (!err)
		err = add_lines(&b, &whole, &last);
	if (!err)
		err = add_lines(&b, &end, &last);
	if (!err)
		err = add_pin(&b, last);
	path_free(&chain.path);
	path_free(&history);
	path_free(&whole);
	path_free(&end);
	buf_free(&b.id);
	buf_free(&b.from);
	buf_free(&b.line);
	return err;
}
