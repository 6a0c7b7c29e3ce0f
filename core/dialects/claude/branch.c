/*
 * A branch of a Claude Code session as a session of its own, which the agent
 * can resume, and from which it sends the entry's context (claude/context.c).
 *
 * It has the agent's chain to the entry (claude/chain.h), with all responses on
 * it completed (claude/response.c), so that each call is followed by its
 * results. If the entry is in the middle of a response, the rest of that
 * response follows it. Before the chain stands the history that its boundary
 * cuts off. The lines are one chain, each the child of the one before it. So
 * the last line is the leaf by every rule of claude/leaf.c. It is also pinned,
 * by an explicit last-prompt.
 *
 * A record over several lines is put on one. A line keeps its bytes, except for
 *
 *     sessionId        a new id, derived from the old one and the entry's id
 *     parentUuid       if the parent changes, and null at the first line
 *                      (logicalParentUuid if that joins the tree; then a
 *                      missing one stays)
 *     isSidechain      false: the agent goes on from no sidechain
 *     compactMetadata  without what the boundary keeps: that is on the chain
 *     forkedFrom       the origin of the line, as in the agent's own forks
 */
#include "core/dialects/claude/claude.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/claude/chain.h"
#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"

struct branching {
	const struct session *s;
	struct buf id; /* of the new session, as JSON */
	struct buf line;
	struct buf *out;
	uint32_t last; /* line that was added, or INDEX_NONE */
};

/* Append an entry's line. Bytes change only where the branch differs. */
static int add_line(struct branching *b, uint32_t entry)
{
	/* What a boundary kept is on the chain itself now. */
	static const struct json_change forget[] = {
		{ "preservedSegment", { 0 } },
		{ "preservedMessages", { 0 } },
	};
	const struct claude_entry *own = claude_entry(b->s, entry);
	const struct entry *e = session_entry(b->s, entry);
	struct line_changes c = { 0 };
	struct json json;
	int err = session_read(b->s, entry, &b->line, &json);
	if (err)
		return err;
	JSON_FIELDS(f, json, parentUuid, isSidechain, compactMetadata);
	bool joins = claude_joins(own->part, f.parentUuid);
	buf_add(line_change(&c, "sessionId"), buf_span(&b->id));
	if (e->parent != b->last || e->cut || e->bridged ||
	    (e->orphan && !joins))
		line_quote_id(line_change(&c, joins ? "logicalParentUuid"
						    : "parentUuid"),
			      b->s, b->last);
	/* The agent goes on from no sidechain. */
	if (json_truthy(f.isSidechain))
		buf_adds(line_change(&c, "isSidechain"), "false");
	if (json_type(session_header(b->s, "id")) != JSON_ABSENT)
		line_quote_origin(line_change(&c, "forkedFrom"), b->s, entry);
	if (own->keeps)
		json_rewrite(line_change(&c, "compactMetadata"),
			     f.compactMetadata, forget, 2);
	line_add_spliced(b->out, json, &c);
	return buf_error(b->out);
}

/*
 * Add the lines of a path but those that are `known`, each the child of the one
 * before it.
 */
static int add_lines(struct branching *b, const struct path *p,
		     const bool *known)
{
	int err = 0;
	for (uint32_t i = 0; i < p->n && !err; i++) {
		if (known && known[p->list[i]])
			continue;
		err = add_line(b, p->list[i]);
		b->last = p->list[i];
	}
	return err;
}

/* Before the chain, the history that its boundary cuts off. */
static int add_history(struct branching *b, uint32_t boundary,
		       const struct path *chain)
{
	bool *on_chain = calloc(b->s->now.index.n + 1, sizeof(*on_chain));
	struct path history = { 0 };
	int err = on_chain ? path_load(&history, b->s, boundary) : -ENOMEM;
	for (uint32_t i = 0; i < chain->n && !err; i++)
		on_chain[chain->list[i]] = true;
	if (!err)
		err = add_lines(b, &history, on_chain);
	path_free(&history);
	free(on_chain);
	return err;
}

/* What ends the branch below what was said last: a boundary and its notes. */
static int add_end(struct branching *b, uint32_t entry)
{
	uint32_t said = claude_last_said(b->s, entry);
	struct path path = { 0 };
	int err = path_load(&path, b->s, entry);
	uint32_t from = path.n;
	while (from > 0 && path.list[from - 1] != said)
		from--;
	const struct path end = { .list = path.list + from,
				  .n = path.n - from };
	if (!err)
		err = add_lines(b, &end, NULL);
	path_free(&path);
	return err;
}

/* The session's titles: the last of each kind, but no summary. */
static void add_titles(const struct branching *b)
{
	const struct claude *c = b->s->now.state;
	for (int i = 0; i < CLAUDE_SUMMARY; i++) {
		if (c->titles[i].len == 0)
			continue;
		struct json_writer w =
			line_begin(b->out, claude_titles[i].type.p);
		json_write_buf(&w, claude_titles[i].member, &c->titles[i]);
		json_write_buf(&w, "sessionId", &b->id);
		line_end(&w);
	}
}

int claude_branch(const struct session *s, uint32_t entry, unsigned nth,
		  struct buf *out)
{
	struct branching b = { .s = s, .out = out, .last = INDEX_NONE };
	struct path whole;
	uint32_t boundary;
	struct buf last BUF_SCOPED = { 0 };
	struct buf id BUF_SCOPED = BUF_INTO(&b.id);
	ids_derive_branch(&id, s, entry, nth);
	json_quote(&b.id, buf_span(&id));
	int err = claude_complete(s, entry, &whole, &boundary);
	if (!err)
		err = buf_error(&b.id);
	if (!err)
		err = add_history(&b, boundary, &whole);
	if (!err)
		err = add_lines(&b, &whole, NULL);
	if (!err)
		err = add_end(&b, entry);
	line_quote_id(&last, s, b.last);
	if (!err)
		add_titles(&b);
	if (!err)
		err = claude_add_pin(out, &last, &b.id);
	path_free(&whole);
	buf_free(&b.id);
	buf_free(&b.line);
	return err;
}
