#include "core/dialects/codex/ingest.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/dialects/codex/agent.h"
#include "core/dialects/codex/fragment.h"
#include "core/dialects/codex/item.h"
#include "core/dialects/codex/line.h"
#include "core/dialects/kit/ingest.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/json/writer.h"

/* A place that a rollback may lead to: what a message of the user began. */
struct turn {
	uint32_t as_first;   /* the entry that it hangs on */
	uint32_t before;     /* that its notes hang on */
	uint32_t before_all; /* the same, of notes before compactions, too */
	uint32_t compaction; /* one without a list: it has made messages */
	uint64_t makes;	     /* at most so many */
	uint64_t drops;	     /* so many of these are gone */
};

/* What the agent did from one task_started to the next. */
struct task {
	uint32_t first; /* its entries have this number, or a higher one */
	bool has_user;
	bool is_void; /* rolled back, but going on */
};

struct codex_turns {
	struct turn *list;
	size_t n;
	size_t cap;
	struct task *tasks;
	size_t n_tasks;
	size_t cap_tasks;
	bool task_is_open;
	/* The compactions with a list that are not void. */
	struct listed {
		uint32_t entry;
		size_t n_before; /* so many turns, which it replaces */
		bool has_turn;
	} * listed;
	size_t n_listed;
	size_t cap_listed;
	/* The entry before a run of the harness's notes that is going on. */
	uint32_t before_notes;
	uint32_t before_all;
	bool in_notes;
	bool in_all; /* compactions with a list may be in this run */
};

void *codex_state_new(void)
{
	struct codex *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->tip = INDEX_NONE;
	c->base = INDEX_NONE;
	c->turns = calloc(1, sizeof(*c->turns));
	if (c->turns)
		return c;
	free(c);
	return NULL;
}

void codex_state_free(void *state)
{
	struct codex *c = state;
	own_file_free(&c->own);
	free(c->rollbacks);
	free(c->voids);
	free(c->turns->list);
	free(c->turns->tasks);
	free(c->turns->listed);
	free(c->turns);
	free(c);
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
	    (l.kind == CODEX_META &&
	     (json_type(json_get(l.payload, "id")) != JSON_STRING ||
	      json_type(json_get(l.payload, "timestamp")) != JSON_STRING)))
		return NULL;
	return reasons[l.kind];
}

/* The header of a session, as its other dialects have it. */
static int set_header(struct session *s, struct json payload)
{
	static const char *const names[] = { "id", "cwd", "timestamp",
					     "model_provider" };
	struct json f[4];
	struct json parent = json_get(payload, "forked_from_id");
	json_get_all(payload, 4, names, f);
	if (js_is_nullish(parent))
		parent = json_at(payload, SPAN("history_base.thread_id"));
	buf_clear(&s->now.header);
	struct json_writer w = { .out = &s->now.header };
	json_begin_object(&w, NULL);
	for (size_t i = 0; i < 4; i++) {
		if (!js_is_nullish(f[i]))
			json_write_value(&w, names[i], f[i]);
	}
	if (!js_is_nullish(parent))
		json_write_value(&w, "parentSession", parent);
	json_end_object(&w);
	return buf_error(&s->now.header);
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
			c->turns->n = 0;
			c->turns->n_tasks = 0;
			c->turns->n_listed = 0;
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

/* The open task; a line outside of one opens one. */
static struct task *open_task(struct session *s)
{
	const struct codex *c = s->now.state;
	struct codex_turns *t = c->turns;
	if (!t->task_is_open || t->n_tasks == 0) {
		if (array_reserve(&t->tasks, &t->cap_tasks, t->n_tasks, 1) < 0)
			return NULL;
		t->tasks[t->n_tasks++] =
			(struct task){ s->now.index.n, false, false };
		t->task_is_open = true;
	}
	return &t->tasks[t->n_tasks - 1];
}

/* The messages of the user that a compaction may leave; its own is one more. */
static uint64_t count_messages(const struct codex_turns *t)
{
	uint64_t n = 0;
	for (size_t i = t->n; i-- > 0;) {
		const struct turn *turn = &t->list[i];
		if (turn->compaction == INDEX_NONE)
			n++;
		else
			return n + turn->makes -
			       (turn->drops < turn->makes ? turn->drops
							  : turn->makes);
	}
	return n;
}

/* A turn begins after an entry; it is a compaction, or that is INDEX_NONE. */
static int push_turn(struct codex_turns *t, uint32_t tip, uint32_t compaction)
{
	if (array_reserve(&t->list, &t->cap, t->n, 1) < 0)
		return -ENOMEM;
	struct turn turn = {
		.as_first = tip,
		.before = t->in_notes ? t->before_notes : tip,
		.before_all = t->in_all ? t->before_all : tip,
		.compaction = compaction,
	};
	if (compaction != INDEX_NONE)
		turn.makes = count_messages(t) + 1;
	t->list[t->n++] = turn;
	t->in_notes = false;
	t->in_all = false;
	return 0;
}

/* Has the conversation no turns before the n-th, or none any more? */
static bool is_first(const struct codex_turns *t, size_t n)
{
	const struct turn *last = n > 0 ? &t->list[n - 1] : NULL;
	const struct listed *l =
		t->n_listed > 0 ? &t->listed[t->n_listed - 1] : NULL;
	if (l && n <= l->n_before)
		return !l->has_turn;
	return !last ||
	       (last->compaction != INDEX_NONE && last->drops >= last->makes);
}

/* Note what an item that is about to be an entry means for rollbacks. */
static int note_item(struct session *s, struct json item)
{
	const struct codex *c = s->now.state;
	struct codex_turns *t = c->turns;
	struct task *task = open_task(s);
	if (!task)
		return -ENOMEM;
	if (codex_begins_turn(item)) {
		task->has_user = true;
		return push_turn(t, c->tip, INDEX_NONE);
	}
	bool note = codex_is_users_context(item) ||
		    codex_is_developers_context(item);
	if (note && !t->in_notes)
		t->before_notes = c->tip;
	if (note && !t->in_all)
		t->before_all = c->tip;
	t->in_notes = note;
	t->in_all = note;
	return 0;
}

/* The same for a message from another agent, and for a compaction. */
static int note_agent(struct session *s)
{
	const struct codex *c = s->now.state;
	struct task *task = open_task(s);
	if (!task)
		return -ENOMEM;
	task->has_user = true;
	return push_turn(c->turns, c->tip, INDEX_NONE);
}

/* Note a compaction that is about to be an entry, and replaces all turns. */
static int note_list(const struct session *s, struct json list)
{
	const struct codex *c = s->now.state;
	struct codex_turns *t = c->turns;
	struct json_walk w = json_walk(list);
	struct json item;
	struct listed l = { s->now.index.n, t->n, false };
	while (!l.has_turn && json_next_element(&w, &item))
		l.has_turn = codex_begins_turn(item);
	if (array_reserve(&t->listed, &t->cap_listed, t->n_listed, 1) < 0)
		return -ENOMEM;
	t->listed[t->n_listed++] = l;
	t->in_notes = false;
	return 0;
}

static int note_compacted(struct session *s, struct json payload)
{
	struct codex *c = s->now.state;
	const struct task *task = open_task(s);
	if (!task)
		return -ENOMEM;
	if (!codex_has_list(payload))
		return push_turn(c->turns, c->tip, s->now.index.n);
	if (!task->is_void)
		return note_list(s, json_get(payload, "replacement_history"));
	if (array_reserve(&c->voids, &c->cap_voids, c->n_voids, 1) < 0)
		return -ENOMEM;
	c->voids[c->n_voids++] = s->now.index.n;
	return 0;
}

/* Where the compactions begin that a rollback of n turns makes void. */
static uint32_t pop_tasks(struct codex_turns *t, uint64_t n)
{
	uint32_t from = INDEX_NONE;
	struct task open = { 0 };
	if (n > 0 && t->task_is_open && t->n_tasks > 0) {
		open = t->tasks[--t->n_tasks];
		/* It may be rolled back more than once. */
		n -= open.has_user && !open.is_void;
		from = open.first;
		open.is_void = true;
	}
	while (n > 0 && t->n_tasks > 0) {
		const struct task *task = &t->tasks[--t->n_tasks];
		n -= task->has_user;
		from = task->first;
	}
	/* There is room: it was there before. */
	if (open.is_void)
		t->tasks[t->n_tasks++] = open;
	return from;
}

/* A task ends, and one that was rolled back is gone. */
static void end_task(struct codex_turns *t)
{
	if (t->task_is_open && t->n_tasks > 0 &&
	    t->tasks[t->n_tasks - 1].is_void)
		t->n_tasks--;
	t->task_is_open = false;
}

/* The entry that a rollback of the last turn leads to. */
static uint32_t before_last(const struct codex_turns *t)
{
	const struct turn *last = &t->list[t->n - 1];
	const struct listed *l =
		t->n_listed > 0 ? &t->listed[t->n_listed - 1] : NULL;
	if (is_first(t, t->n - 1))
		return last->as_first;
	/* What is before such a compaction is not in the conversation. */
	bool in_run = l && (last->before_all == INDEX_NONE ||
			    l->entry > last->before_all);
	return in_run ? last->before : last->before_all;
}

/* Take back n turns. *drops: of a compaction that the tip is then. */
static uint32_t pop_turns(struct codex_turns *t, uint64_t n, uint32_t tip,
			  uint64_t *drops)
{
	while (n > 0 && !is_first(t, t->n)) {
		struct turn *last = &t->list[t->n - 1];
		if (last->compaction != INDEX_NONE) {
			if (__builtin_add_overflow(last->drops, n,
						   &last->drops))
				last->drops = UINT64_MAX;
			*drops = last->drops;
			return last->compaction;
		}
		tip = before_last(t);
		t->n--;
		n--;
	}
	return tip;
}

static int note_rollback(struct session *s, struct json payload)
{
	struct codex *c = s->now.state;
	struct codex_turns *t = c->turns;
	struct codex_rollback r = { .entry = s->now.index.n };
	uint64_t n = 0;
	codex_integer(json_get(payload, "num_turns"), &n);
	if (array_reserve(&c->rollbacks, &c->cap_rollbacks, c->n_rollbacks, 1) <
	    0)
		return -ENOMEM;
	r.voids_from = pop_tasks(t, n);
	while (t->n_listed > 0 &&
	       t->listed[t->n_listed - 1].entry >= r.voids_from)
		t->n_listed--;
	c->tip = pop_turns(t, n, c->tip, &r.drops);
	t->in_notes = false;
	t->in_all = false;
	c->rollbacks[c->n_rollbacks++] = r;
	return 0;
}

static int note_line(struct session *s, const struct codex_line *l)
{
	switch (l->kind) {
	case CODEX_ITEM:
		return note_item(s, l->payload);
	case CODEX_AGENT:
		return note_agent(s);
	case CODEX_COMPACTED:
		return note_compacted(s, l->payload);
	case CODEX_ROLLBACK:
		return note_rollback(s, l->payload);
	default:
		return 0;
	}
}

static bool is_free(const struct session *s, struct span id)
{
	return id.n > 0 && index_find(&s->now.index, id) == INDEX_NONE;
}

static void choose_id(const struct session *s, const struct codex_line *l,
		      const struct line_place *at, struct buf *id)
{
	json_decode(id, json_get(l->payload, "id"));
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

static enum entry_type entry_type(const struct codex_line *l)
{
	switch (l->kind) {
	case CODEX_ITEM:
	case CODEX_AGENT:
	case CODEX_NEWER:
		return ENTRY_MESSAGE;
	case CODEX_COMPACTED:
		return ENTRY_COMPACTION;
	case CODEX_TURN:
		return ENTRY_MODEL;
	case CODEX_ROLLBACK:
		return ENTRY_HEAD;
	default:
		return ENTRY_OTHER;
	}
}

static int add_entry(struct session *s, const struct codex_line *l,
		     const struct line_place *at)
{
	struct codex *c = s->now.state;
	struct buf id = { 0 };
	struct buf parent = { 0 };
	uint32_t entry = INDEX_NONE;
	int err = note_line(s, l);
	choose_id(s, l, at, &id);
	/* The index may move its ids when it grows. */
	if (c->tip != INDEX_NONE)
		buf_add(&parent, index_id(&s->now.index, c->tip));
	struct index_line line = { .id = buf_span(&id),
				   .parent = buf_span(&parent),
				   .time = timestamp_parse(l->timestamp),
				   .type = entry_type(l) };
	if (!err && (id.failed || parent.failed))
		err = -ENOMEM;
	if (!err)
		err = ingest_entry(s, &line, at, &entry);
	if (!err && entry != INDEX_NONE)
		c->tip = entry;
	buf_free(&id);
	buf_free(&parent);
	return err;
}

static void count_ordinal(struct codex *c, const struct codex_line *l)
{
	uint64_t n;
	if (codex_integer(l->ordinal, &n) && n >= c->next && n < UINT64_MAX)
		c->next = n + 1;
}

/* Note a line that the agent skips: it may still be why it opens no file. */
static void note_skipped(struct codex *c, struct span text,
			 const struct line_place *at)
{
	if (c->no_text == 0 && !text_is_utf8(text))
		c->no_text = at->number;
}

static int ingest_invalid(struct session *s, const struct line_place *at)
{
	struct codex *c = s->now.state;
	struct buf line = { 0 };
	/* Only legacy threads are read as a whole. */
	if (c->paginated || c->no_text > 0)
		return 0;
	char *to = buf_reserve(&line, at->length);
	int err = to ? log_read(&s->log, at->offset, to, at->length) : -ENOMEM;
	if (!err)
		note_skipped(c, (struct span){ to, at->length }, at);
	buf_free(&line);
	return err;
}

int codex_ingest(struct session *s, struct json line,
		 const struct line_place *at)
{
	struct codex *c = s->now.state;
	struct codex_line l;
	if (json_type(line) == JSON_ABSENT)
		return ingest_invalid(s, at);
	if (json_type(line) != JSON_OBJECT || !codex_line_read(line, &l)) {
		note_skipped(c, line.raw, at);
		ingest_no_entry(s, at);
		return 0;
	}
	if (l.kind != CODEX_UNKNOWN && l.kind != CODEX_NEWER)
		c->unnumbered =
			json_type(l.ordinal) == JSON_ABSENT ? at->number : 0;
	count_ordinal(c, &l);
	switch (l.kind) {
	case CODEX_UNKNOWN:
	case CODEX_INERT:
		return 0;
	case CODEX_META:
		return ingest_meta(s, l.payload, at);
	case CODEX_STARTED:
		end_task(c->turns);
		return 0;
	case CODEX_SAID: {
		struct task *task = open_task(s);
		if (!task)
			return -ENOMEM;
		task->has_user = true;
		return 0;
	}
	default:
		return add_entry(s, &l, at);
	}
}

int codex_ingest_sidecar(struct session *s, struct span bytes, bool there)
{
	struct codex *c = s->now.state;
	return own_file_ingest(s, &c->own, bytes, there);
}

int codex_find_leaf(struct session *s)
{
	const struct codex *c = s->now.state;
	s->now.leaf = c->tip;
	return own_file_apply_head(s, &c->own, c->tip);
}

static bool is_before(const void *list, size_t i, const void *key)
{
	const struct codex_rollback *r = list;
	return r[i].entry < *(const uint32_t *)key;
}

const struct codex_rollback *codex_rollback_at(const struct session *s,
					       uint32_t entry)
{
	const struct codex *c = s->now.state;
	size_t i =
		array_search(c->rollbacks, c->n_rollbacks, is_before, &entry);
	return i < c->n_rollbacks && c->rollbacks[i].entry == entry
		       ? &c->rollbacks[i]
		       : NULL;
}

static bool is_less(const void *list, size_t i, const void *key)
{
	return ((const uint32_t *)list)[i] < *(const uint32_t *)key;
}

struct codex_voids codex_voids_for(const struct session *s, uint32_t leaf)
{
	const struct codex *c = s->now.state;
	uint32_t after = leaf + 1;
	size_t n =
		array_search(c->rollbacks, c->n_rollbacks, is_before, &after);
	return (struct codex_voids){ c, n, INDEX_NONE };
}

bool codex_is_void(struct codex_voids *v, uint32_t entry)
{
	const struct codex *c = v->of;
	size_t i = array_search(c->voids, c->n_voids, is_less, &entry);
	if (i < c->n_voids && c->voids[i] == entry)
		return true;
	while (v->rollbacks > 0 &&
	       c->rollbacks[v->rollbacks - 1].entry >= entry) {
		uint32_t from = c->rollbacks[--v->rollbacks].voids_from;
		if (from < v->from)
			v->from = from;
	}
	return v->from <= entry;
}
