#include "core/dialects/claude/branch.h"

#include <errno.h>

#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/response.h"
#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"

struct branching {
	const struct session *s;
	bool sidechain;	 /* the entry itself is on a sidechain, or a subagent's
			  */
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
	return e->parent != before || e->cut || (e->orphan && !joins);
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
	struct json_change changes[4];
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
	if (b->sidechain && json_truthy(json_get(json, "isSidechain")))
		changes[n++] =
			(struct json_change){ "isSidechain", SPAN("false") };
	if (b->from.len > 0) {
		add_origin(&origin, b, entry);
		changes[n++] =
			(struct json_change){ "forkedFrom", buf_span(&origin) };
	}
	json_splice(b->out, json, changes, n, NULL);
	buf_addc(b->out, '\n');
	err = parent.failed || origin.failed ? -ENOMEM : buf_error(b->out);
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

int claude_branch(const struct session *s, uint32_t entry, struct buf *out)
{
	struct branching b = { .s = s,
			       .sidechain = claude_entry(s, entry)->sidechain ||
					    claude_is_subagent(s),
			       .out = out };
	struct path path = { 0 };
	struct path whole = { 0 };
	uint32_t last = INDEX_NONE;
	int err = path_load(&path, s, entry);
	if (!err)
		err = claude_complete(s, &path, &whole);
	if (!err)
		err = begin(&b, entry);
	for (uint32_t i = 0; i < whole.n && !err; i++) {
		err = add_line(&b, whole.list[i], last);
		last = whole.list[i];
	}
	if (!err)
		err = add_pin(&b, last);
	path_free(&path);
	path_free(&whole);
	buf_free(&b.id);
	buf_free(&b.from);
	buf_free(&b.line);
	return err;
}
