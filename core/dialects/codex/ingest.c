/*
 * Reading a Codex rollout: which lines are entries, and how they hang together.
 *
 * Entries are the items, messages between agents, compactions, the settings of
 * turns, rollbacks, and the events that no other line repeats (line.c). All
 * other lines are inert: they are in no listing, and only their usage is
 * counted.
 *
 * Each entry is the child of the one before it. Two lines change that:
 *
 *   thread_rolled_back  (legacy threads) What follows hangs on the entry before
 *                       the n-th last turn (rollback.c). The line itself is
 *                       bookkeeping.
 *   session_meta        (paginated threads) One that is not the first line of
 *                       its file begins the file anew.
 *
 * An entry's id is that of its payload, if no earlier entry has it. Otherwise
 * it is the line's ordinal, or in legacy threads "L" and the line's number. An
 * ordinal that another entry has is followed by "~" and the line's number.
 */
#include "core/dialects/codex/codex.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/dialects/kit/ingest.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/session/names.h"
#include "core/show/rows.h"

static void begin_state(void *state)
{
	struct codex *c = state;
	c->tip = INDEX_NONE;
	c->base = INDEX_NONE;
	c->turn = INDEX_NONE;
	c->bare = INDEX_NONE;
}

/*
 * Any line tells that the agent has written and could read, of the kinds that
 * have members of its own: the first one may be damaged.
 */
const char *codex_claims(struct json line)
{
	static const char *const reasons[] = {
		[CODEX_META] = "a session_meta with a payload",
		[CODEX_ITEM] = "a response_item with a payload",
		[CODEX_AGENT] = "a message between agents with a payload",
		[CODEX_COMPACTED] = "a compaction with a payload",
	};
	struct codex_line l;
	if (!codex_line_read(line, &l) ||
	    l.kind >= sizeof(reasons) / sizeof(reasons[0]) ||
	    timestamp_parse(l.timestamp) == TIMESTAMP_NONE ||
	    (l.kind == CODEX_ITEM &&
	     codex_item_type(l.payload) == CODEX_OTHER) ||
	    !codex_line_decodes(line, &l))
		return NULL;
	return reasons[l.kind];
}

static int set_header(struct session *s, struct json payload)
{
	static const char *const names[] = {
		"id",		"cwd", "timestamp", "source", "model_provider",
		"parentSession"
	};
	struct json f[6];
	json_get_all(payload, 5, names, f);
	f[5] = json_get(payload, "forked_from_id");
	if (js_is_nullish(f[5]))
		f[5] = json_at(payload, SPAN("history_base.thread_id"));
	for (size_t i = 0; i < 6; i++) {
		if (js_is_nullish(f[i]))
			f[i] = (struct json){ 0 };
	}
	return ingest_made_header(s, 6, names, f);
}

/* The agent writes no blank lines, but opens a file that begins with some. */
bool codex_begins_file(const struct session *s, uint64_t offset)
{
	char before[512];
	uint64_t start;
	log_file_at(&s->log, offset, &start);
	size_t n = (size_t)(offset - start);
	if (offset - start > sizeof(before) ||
	    log_read(&s->log, start, before, n) < 0)
		return false;
	return text_trim((struct span){ before, n }).n == 0;
}

/*
 * The first line of a file is its thread's. The rollout of an agent that
 * another one has started goes on with the other's session_meta, and a copy of
 * its lines.
 */
static int ingest_meta(struct session *s, struct json payload,
		       const struct line_place *at)
{
	struct codex *c = s->now.state;
	bool begins = codex_begins_file(s, at->offset);
	if (!begins && s->now.header.len > 0) {
		if (c->paginated) {
			c->tip = c->base;
			c->turn = INDEX_NONE;
			c->bare = INDEX_NONE;
		}
		return 0;
	}
	c->base = c->tip;
	c->paginated =
		json_is(json_get(payload, "history_mode"), SPAN("paginated"));
	s->now.header_first = begins;
	c->meta_fault = codex_meta_fault(payload);
	return set_header(s, payload);
}

static bool is_free(const struct session *s, struct span id)
{
	return id.n > 0 && index_find(&s->now.index, id) == INDEX_NONE;
}

static void choose_id(const struct session *s, const struct codex_line *l,
		      const struct line_place *at, struct buf *id)
{
	json_decode(id, l->own_id);
	if (is_free(s, buf_span(id)))
		return;
	buf_clear(id);
	if (json_type(l->ordinal) != JSON_ABSENT)
		buf_add(id, l->ordinal.raw);
	else
		buf_addf(id, "L%u", at->number);
	if (!id->failed && !is_free(s, buf_span(id)))
		buf_addf(id, "~%u", at->number);
	while (!id->failed && !is_free(s, buf_span(id)))
		buf_addc(id, '~');
}

static int add_entry(struct session *s, const struct codex_line *l,
		     const struct line_place *at)
{
	struct codex *c = s->now.state;
	struct buf id BUF_SCOPED = { 0 };
	struct buf parent BUF_SCOPED = { 0 };
	uint32_t entry = INDEX_NONE;
	choose_id(s, l, at, &id);
	/* The index may move its ids when it grows. */
	if (c->tip != INDEX_NONE)
		buf_add(&parent, index_id(&s->now.index, c->tip));
	struct index_line line = {
		.id = buf_span(&id),
		.parent = buf_span(&parent),
		.time = timestamp_parse(l->timestamp),
		.type = rows_of(codex_showing.rows, l->type, l->own_type)->entry
	};
	int err = id.failed || parent.failed ? -ENOMEM : 0;
	if (!err)
		err = ingest_entry(s, &line, at, &entry);
	if (!err && entry != INDEX_NONE)
		c->tip = entry;
	/* It begins the conversation. */
	if (l->kind == CODEX_COMPACTED && codex_has_list(l->payload))
		c->turn = INDEX_NONE;
	return err;
}

/* Only legacy threads are read as a whole. */
static void note_text(struct codex *c, struct span text,
		      const struct line_place *at)
{
	if (!c->paginated && c->no_text == 0 && !text_is_utf8(text))
		c->no_text = at->number;
}

static int ingest_invalid(struct session *s, const struct line_place *at)
{
	struct codex *c = s->now.state;
	struct buf line BUF_SCOPED = { 0 };
	if (c->paginated || c->no_text > 0)
		return 0;
	char *to = buf_reserve(&line, at->length);
	int err = to ? log_read(&s->log, at->offset, to, at->length) : -ENOMEM;
	if (!err)
		note_text(c, (struct span){ to, at->length }, at);
	return err;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	struct codex *c = s->now.state;
	struct codex_line l;
	uint64_t n;
	int err = 0;
	if (json_type(line) == JSON_ABSENT)
		return ingest_invalid(s, at);
	note_text(c, line.raw, at);
	if (!codex_line_read(line, &l)) {
		ingest_no_entry(s, at);
		return 0;
	}
	if (l.kind == CODEX_META)
		err = ingest_meta(s, l.payload, at);
	else if (l.kind == CODEX_ROLLBACK &&
		 codex_integer(json_get(l.payload, "num_turns"), &n))
		err = codex_roll_back(s, n);
	else if (l.kind == CODEX_UNKNOWN)
		err = codex_keep_note(s, &l, at);
	if (!err && l.kind > CODEX_META)
		err = add_entry(s, &l, at);
	bool has = codex_integer(l.ordinal, &n);
	if (has && n >= c->next && n < UINT64_MAX)
		c->next = n + 1;
	/* Decoding costs more than all else, and few lines have no ordinal. */
	if (c->paginated && l.kind != CODEX_UNKNOWN &&
	    (!has || c->unnumbered > 0) && codex_line_decodes(line, &l))
		c->unnumbered = has ? 0 : at->number;
	return err;
}

static int find_leaf(struct session *s)
{
	const struct codex *c = s->now.state;
	s->now.leaf = c->tip;
	return own_file_apply_head(s, c->tip);
}

const struct dialect_reading codex_reading = {
	.ingest = ingest,
	.state_size = sizeof(struct codex),
	.begin_state = begin_state,
	.bookkeeping = ENTRY_BIT(ENTRY_MODEL) | ENTRY_BIT(ENTRY_HEAD),
	.find_leaf = find_leaf,
	.beside = { { own_file_path, own_file_ingest },
		    { codex_names_path, names_ingest } },
	.name_id = codex_thread_id,
	.read_name = codex_read_name,
};
