/*
 * Contexts of oh-my-pi's sessions: the messages of a path that the agent would
 * send (session-context.ts, context-notes.ts; 18.3.4). message.h prints them.
 *
 *   - The latest compaction is first, then the messages that it keeps, then
 *     those after it. A compaction with its provider's own history keeps no
 *     messages. A rollover also keeps the user's last request.
 *   - Messages before a later reset_boundary are not sent.
 *   - The latest notes precede everything else.
 *   - Not sent either: empty errors and retries of the assistant; tool calls
 *     without a result; turns that failed or were aborted, with the results of
 *     their calls, unless a note of their interrupted thinking follows.
 *
 * What other agents take of it (MESSAGE_FORM_TAKEN) is the same as if there
 * were no compactions with OpenAI's own history, which only its service can
 * read. So does the agent when it goes on with another provider: it makes a
 * summary of the messages before them.
 */
#include "core/dialects/omp/omp.h"

#include "core/dialects/pi/pi.h"
#include "core/json/writer.h"

/*
 * sending.own. Each entry is read twice: to list it, and to write it. Its JSON
 * is not kept meanwhile.
 */
struct marks {
	uint32_t reset;	      /* the place after the last reset_boundary */
	uint32_t compaction;  /* its place, or path->n */
	uint32_t notes;	      /* the entry of the latest, or INDEX_NONE */
	int64_t rewritten_at; /* by the compaction */
	struct buf line;
	struct buf resolved;
	uint64_t room; /* for the bytes of further blobs */
};

static int read_entry(struct sending *x, uint32_t entry, struct json *json)
{
	struct marks *m = x->own;
	return session_read(x->s, entry, &m->line, json);
}

/* Note a compaction, unless the next agent could not read what it says. */
static int mark_compaction(struct sending *x, uint32_t place)
{
	struct marks *m = x->own;
	struct json json = { 0 };
	int err = 0;
	if (x->to->form == MESSAGE_FORM_TAKEN)
		err = read_entry(x, x->path->list[place], &json);
	if (!err && !omp_compaction_is_opaque(json))
		m->compaction = place;
	return err;
}

/* Find the last reset, and the last compaction and notes after it. */
static int find_marks(struct sending *x)
{
	struct marks *m = x->own;
	bool found = false;
	m->compaction = x->path->n;
	for (uint32_t i = x->path->n; i-- > 0 && m->reset == 0;) {
		uint32_t entry = x->path->list[i];
		enum entry_type type = session_entry(x->s, entry)->type;
		struct json json;
		int err = 0;
		if (type == ENTRY_COMPACTION && m->compaction == x->path->n)
			err = mark_compaction(x, i);
		else if (type == ENTRY_OTHER)
			err = read_entry(x, entry, &json);
		if (err)
			return err;
		if (type != ENTRY_OTHER)
			continue;
		JSON_FIELDS(f, json, type, customType, data);
		if (json_is(f.type, SPAN("reset_boundary")))
			m->reset = i + 1;
		if (found || !json_is(f.type, SPAN("custom")) ||
		    !json_is(f.customType,
			     SPAN("experimental_context_notes")) ||
		    !omp_is_notes(f.data))
			continue;
		found = true;
		if (json_truthy(json_get(f.data, "text")))
			m->notes = entry;
	}
	return 0;
}

static bool is_custom(const struct session *s, struct json role)
{
	return json_is(role, SPAN("custom")) || pi_is_hook(s, role);
}

/*
 * A message as the agent loads it: without what was valid for one connection
 * only, and with today's role. If it differs from the file's, `copy` has it.
 */
static struct json loaded(const struct session *s, struct buf *copy,
			  struct json message)
{
	static const struct json_change custom = { "role", SPAN("\"custom\"") };
	struct json role = json_get(message, "role");
	if (json_is(role, SPAN("assistant"))) {
		if (!omp_assistant_sanitize(copy, message))
			return message;
	} else if (pi_is_hook(s, role)) {
		json_rewrite(copy, message, &custom, 1);
	} else {
		return message;
	}
	return (struct json){ .raw = buf_span(copy) };
}

static int list_message(struct sending *x, struct piece p, struct json message)
{
	JSON_FIELDS(f, message, role, toolCallId, customType, stopReason,
		    retryRecovery);
	if (json_is(f.role, SPAN("toolResult")))
		return omp_add_result(x, p, f.toolCallId);
	if (is_custom(x->s, f.role) &&
	    json_is(f.customType, SPAN("interrupted-thinking")))
		p.kind = OMP_INTERRUPTED;
	if (!json_is(f.role, SPAN("assistant")))
		return sending_add(x, p);
	struct buf copy BUF_SCOPED = { 0 };
	message = loaded(x->s, &copy, message);
	int err = buf_error(&copy);
	if (JSON_IS(f.stopReason, "aborted", "error"))
		p.flags = OMP_FAILED;
	if (!err && !json_truthy(f.retryRecovery) &&
	    !omp_assistant_is_empty_error(message))
		err = omp_add_turn(x, p, message);
	return err;
}

static int list_entry(struct sending *x, uint32_t entry, struct json json)
{
	struct piece p = { .entry = entry };
	JSON_FIELDS(f, json, message, customType, content, summary);
	switch (session_entry(x->s, entry)->type) {
	case ENTRY_MESSAGE:
		return list_message(x, p, f.message);
	case ENTRY_CUSTOM_MESSAGE:
		/* The agent does not send its own plans and modes. */
		if (JSON_IS(f.customType, "prewalk-plan",
			    "vibe-mode-context") ||
		    !block_is_content(f.content))
			return 0;
		if (json_is(f.customType, SPAN("interrupted-thinking")))
			p.kind = OMP_INTERRUPTED;
		return sending_add(x, p);
	case ENTRY_BRANCH_SUMMARY:
		return json_truthy(f.summary) ? sending_add(x, p) : 0;
	default:
		return 0;
	}
}

/* List the messages of the entries from one place up to another. */
static int list_range(struct sending *x, uint32_t from, uint32_t to)
{
	int err = 0;
	for (uint32_t i = from; i < to && !err; i++) {
		uint32_t entry = x->path->list[i];
		enum entry_type type = session_entry(x->s, entry)->type;
		struct json json;
		if (type != ENTRY_MESSAGE && type != ENTRY_CUSTOM_MESSAGE &&
		    type != ENTRY_BRANCH_SUMMARY)
			continue;
		err = read_entry(x, entry, &json);
		if (!err)
			err = list_entry(x, entry, json);
	}
	return err;
}

static int list_notes(struct sending *x)
{
	const struct marks *m = x->own;
	const struct piece p = { .entry = m->notes };
	return m->notes == INDEX_NONE ? 0 : sending_add(x, p);
}

/* Is the entry a request of the user? */
static bool is_request(const struct session *s, uint32_t entry,
		       struct json json)
{
	bool message = session_entry(s, entry)->type == ENTRY_MESSAGE;
	JSON_FIELDS(f, message ? json_get(json, "message") : json, customType,
		    attribution, content, role);
	bool custom =
		message ? is_custom(s, f.role) : block_is_content(f.content);
	return (message && json_is(f.role, SPAN("user"))) ||
	       (custom && omp_is_skill_call(f.customType, f.attribution));
}

/*
 * A rollover has no summary. The user's last request before it is sent, even if
 * it is not among the kept messages, which begin at a place.
 */
static int list_request(struct sending *x, uint32_t kept)
{
	const struct marks *m = x->own;
	for (uint32_t i = m->compaction; i-- > m->reset;) {
		uint32_t entry = x->path->list[i];
		enum entry_type type = session_entry(x->s, entry)->type;
		struct json json;
		if (type != ENTRY_MESSAGE && type != ENTRY_CUSTOM_MESSAGE)
			continue;
		int err = read_entry(x, entry, &json);
		if (err)
			return err;
		if (!is_request(x->s, entry, json))
			continue;
		return kept != OMP_NOWHERE && i < kept
			       ? list_entry(x, entry, json)
			       : 0;
	}
	return 0;
}

/* List the compaction, and the messages that it keeps. */
static int list_kept(struct sending *x)
{
	struct marks *m = x->own;
	struct json entry;
	if (m->compaction == x->path->n)
		return 0;
	struct piece p = { .entry = x->path->list[m->compaction],
			   .kind = OMP_COMPACTION };
	int err = read_entry(x, p.entry, &entry);
	if (!err)
		err = sending_add(x, p);
	if (err)
		return err;
	uint32_t named;
	uint32_t from = omp_compaction_kept(x->s, x->path, m->compaction, entry,
					    &named, &m->rewritten_at);
	if (json_is(json_at(entry, SPAN("details.kind")),
		    SPAN("experimental-context-rollover")))
		err = list_request(x, named);
	return err ? err : list_range(x, from, m->compaction);
}

static int list_rest(struct sending *x)
{
	const struct marks *m = x->own;
	bool compacted = m->compaction < x->path->n;
	return list_range(x, compacted ? m->compaction + 1 : m->reset,
			  x->path->n);
}

/* Write a message, or that which the agent makes of another entry. */
static int write_piece(struct sending *x, const struct piece *p)
{
	struct marks *m = x->own;
	struct buf copy BUF_SCOPED = BUF_INTO(x->to->out);
	struct buf stripped BUF_SCOPED = BUF_INTO(x->to->out);
	struct json entry;
	int err = read_entry(x, p->entry, &entry);
	if (err)
		return err;
	buf_clear(&m->resolved);
	int resolved = omp_resolve_blobs(&m->resolved, entry, &m->room);
	if (resolved < 0)
		return resolved;
	if (resolved)
		entry = (struct json){ .raw = buf_span(&m->resolved) };
	struct json message = json_get(entry, "message");
	bool made = session_entry(x->s, p->entry)->type != ENTRY_MESSAGE;
	if (!made)
		message = loaded(x->s, &copy, message);
	else if (p->kind == OMP_COMPACTION)
		omp_compaction_message(&copy, entry, m->rewritten_at);
	else
		omp_message_of(&copy, entry);
	if (made)
		message = (struct json){ .raw = buf_span(&copy) };
	if (!copy.failed && p->flags & OMP_STRIPPED) {
		omp_assistant_strip_calls(&stripped, message, x, p);
		message = (struct json){ .raw = buf_span(&stripped) };
	}
	err = buf_error(x->to->out);
	return err ? err
		   : omp_message_send(x->to, message, p->flags & OMP_NOTED);
}

static int write_as_sent(struct sending *x)
{
	int err = 0;
	for (uint32_t i = 0; i < x->n && !err; i++) {
		if (!x->list[i].dropped)
			err = write_piece(x, &x->list[i]);
	}
	return err;
}

int omp_context(const struct session *s, const struct path *p,
		struct messages *to)
{
	static sending_pass *const passes[] = {
		find_marks,
		list_notes,
		list_kept,
		list_rest,
		omp_strip_unanswered_calls,
		omp_take_off_failed_turns,
		omp_find_interrupted_turns,
		write_as_sent,
		NULL,
	};
	struct marks m = { .notes = INDEX_NONE, .room = OMP_RESOLVE_LIMIT };
	struct sending x = { .s = s, .path = p, .to = to, .own = &m };
	int err = sending_run(&x, passes);
	buf_free(&m.line);
	buf_free(&m.resolved);
	return err;
}
