#include "core/dialects/omp/context.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/omp/compaction.h"
#include "core/dialects/omp/calls.h"
#include "core/dialects/omp/blobs.h"
#include "core/dialects/omp/message.h"
#include "core/dialects/omp/assistant.h"
#include "core/dialects/pi/state.h"
#include "core/json/splice.h"

#define NOWHERE OMP_NOWHERE

/* The kinds of items in the list of messages. */
enum item_kind {
	ITEM_MESSAGE,
	ITEM_COMPACTION,
	ITEM_NOTES,
};

/*
 * Building a context. First the messages are listed, for which each entry is
 * read. Then the list is cleaned up. Then the entries that are left are read
 * again, and printed.
 */
struct building {
	const struct session *s;
	const struct path *path;
	uint32_t compaction; /* its place, or path->n */
	uint32_t reset;	     /* the place after the last reset_boundary */
	uint32_t notes;	     /* a place, or path->n */
	bool has_notes;	     /* the notes are not empty */
	struct omp_list list;
	struct buf line;
	struct buf resolved;
	uint64_t room; /* for the bytes of further blobs */
};

static int read_place(struct building *b, uint32_t place, struct json *entry)
{
	return session_read(b->s, b->path->list[place], &b->line, entry);
}

static enum entry_type type_at(const struct building *b, uint32_t place)
{
	return session_entry(b->s, b->path->list[place])->type;
}

/* Find the last reset, compaction and notes on the path. */
static int find_marks(struct building *b)
{
	b->notes = b->path->n;
	b->compaction = b->path->n;
	for (uint32_t i = b->path->n; i-- > 0 && b->reset == 0;) {
		struct json entry;
		enum entry_type type = type_at(b, i);
		if (type == ENTRY_COMPACTION && b->compaction == b->path->n)
			b->compaction = i;
		if (type != ENTRY_OTHER)
			continue;
		int err = read_place(b, i, &entry);
		if (err)
			return err;
		JSON_FIELDS(f, entry, type, customType, data);
		if (json_is(f.type, SPAN("reset_boundary"))) {
			b->reset = i + 1;
		} else if (b->notes == b->path->n &&
			   json_is(f.type, SPAN("custom")) &&
			   json_is(f.customType,
				   SPAN("experimental_context_notes")) &&
			   omp_is_notes(f.data)) {
			b->notes = i;
			b->has_notes = json_truthy(json_get(f.data, "text"));
		}
	}
	return 0;
}

/* Listing. */

static int list_assistant(struct building *b, struct json message,
			  struct omp_item item)
{
	struct json stop = json_get(message, "stopReason");
	struct buf sanitized = { 0 };
	int err = 0;
	if (omp_assistant_sanitize(&sanitized, message))
		message = (struct json){ .raw = buf_span(&sanitized) };
	if (sanitized.failed) {
		err = -ENOMEM;
	} else if (!json_truthy(json_get(message, "retryRecovery")) &&
		   !omp_assistant_is_empty_error(message)) {
		item.failed = JSON_IS(stop, "aborted", "error");
		err = omp_list_add_turn(&b->list, item, message);
	}
	buf_free(&sanitized);
	return err;
}

static bool is_custom(const struct session *s, struct json role)
{
	return json_is(role, SPAN("custom")) ||
	       (s->now.version < 3 && json_is(role, SPAN("hookMessage")));
}

static int list_message(struct building *b, struct json message,
			struct omp_item item)
{
	JSON_FIELDS(f, message, role, toolCallId, customType);
	if (json_is(f.role, SPAN("assistant")))
		return list_assistant(b, message, item);
	if (json_is(f.role, SPAN("toolResult")))
		return omp_list_add_result(&b->list, item, f.toolCallId);
	if (is_custom(b->s, f.role) &&
	    json_is(f.customType, SPAN("interrupted-thinking")))
		item.role = OMP_INTERRUPTED;
	return omp_list_add(&b->list, item);
}

/* The agent does not send its own plans and modes. */
static bool is_unsent(struct json custom_type)
{
	return JSON_IS(custom_type, "prewalk-plan", "vibe-mode-context");
}

static int list_entry(struct building *b, uint32_t place, struct json entry)
{
	struct omp_item item = { .place = place };
	JSON_FIELDS(f, entry, message, customType, content, summary);
	switch (type_at(b, place)) {
	case ENTRY_MESSAGE:
		return list_message(b, f.message, item);
	case ENTRY_CUSTOM_MESSAGE:
		if (is_unsent(f.customType) || !block_is_content(f.content))
			return 0;
		if (json_is(f.customType, SPAN("interrupted-thinking")))
			item.role = OMP_INTERRUPTED;
		return omp_list_add(&b->list, item);
	case ENTRY_BRANCH_SUMMARY:
		return json_truthy(f.summary) ? omp_list_add(&b->list, item)
					      : 0;
	default:
		return 0;
	}
}

/* List the messages of the entries from one place up to another. */
static int list_range(struct building *b, uint32_t from, uint32_t to)
{
	int err = 0;
	for (uint32_t i = from; i < to && !err; i++) {
		struct json entry;
		enum entry_type type = type_at(b, i);
		if (type != ENTRY_MESSAGE && type != ENTRY_CUSTOM_MESSAGE &&
		    type != ENTRY_BRANCH_SUMMARY)
			continue;
		err = read_place(b, i, &entry);
		if (!err)
			err = list_entry(b, i, entry);
	}
	return err;
}

/* Is the entry a request of the user? */
static bool is_request(const struct building *b, uint32_t place,
		       struct json entry)
{
	bool message = type_at(b, place) == ENTRY_MESSAGE;
	JSON_FIELDS(f, message ? json_get(entry, "message") : entry, customType,
		    attribution, content, role);
	if (message && json_is(f.role, SPAN("user")))
		return true;
	bool custom =
		message ? is_custom(b->s, f.role) : block_is_content(f.content);
	return custom && omp_is_skill_call(f.customType, f.attribution);
}

/*
 * A rollover has no summary. The user's last request before it is sent, even if
 * it is not among the kept messages.
 */
static int list_request(struct building *b, uint32_t kept)
{
	for (uint32_t i = b->compaction; i-- > b->reset;) {
		enum entry_type type = type_at(b, i);
		struct json entry;
		if (type != ENTRY_MESSAGE && type != ENTRY_CUSTOM_MESSAGE)
			continue;
		int err = read_place(b, i, &entry);
		if (err)
			return err;
		if (is_request(b, i, entry))
			return kept != NOWHERE && i < kept
				       ? list_entry(b, i, entry)
				       : 0;
	}
	return 0;
}

/* List the messages that a compaction keeps. */
static int list_kept(struct building *b)
{
	struct json entry;
	int err = read_place(b, b->compaction, &entry);
	if (err)
		return err;
	struct omp_kept k =
		omp_compaction_kept(b->s, b->path, b->compaction, entry);
	if (json_is(json_at(entry, SPAN("details.kind")),
		    SPAN("experimental-context-rollover")))
		err = list_request(b, k.named);
	return err ? err : list_range(b, k.from, b->compaction);
}

static int list_all(struct building *b)
{
	int err = 0;
	uint32_t from = b->reset;
	if (b->has_notes)
		err = omp_list_add(&b->list,
				   (struct omp_item){ .place = b->notes,
						      .kind = ITEM_NOTES });
	/* find_marks() finds no compaction before the reset. */
	if (!err && b->compaction < b->path->n) {
		from = b->compaction + 1;
		err = omp_list_add(
			&b->list, (struct omp_item){ .place = b->compaction,
						     .kind = ITEM_COMPACTION });
		if (!err)
			err = list_kept(b);
	}
	return err ? err : list_range(b, from, b->path->n);
}

/* Printing. */

/* Append a copy with the role custom in place of hookMessage. */
static void add_migrated(struct buf *out, struct json message)
{
	static const struct json_change role = { "role", SPAN("\"custom\"") };
	json_rewrite(out, message, &role, 1);
}

/*
 * An entry's message as the agent loads it. If it differs from the file's,
 * `copy` holds it.
 */
static struct json loaded(const struct building *b, struct buf *copy,
			  struct json message)
{
	struct json role = json_get(message, "role");
	if (json_is(role, SPAN("assistant"))) {
		if (!omp_assistant_sanitize(copy, message))
			return message;
	} else if (is_custom(b->s, role) && !json_is(role, SPAN("custom"))) {
		add_migrated(copy, message);
	} else {
		return message;
	}
	return (struct json){ .raw = buf_span(copy) };
}

/* The message may have more calls than when they were listed. */
static int strip_turn(const struct building *b, const struct omp_item *item,
		      struct buf *out, struct json message)
{
	bool *answered = calloc(item->n_calls + 1, sizeof(*answered));
	if (!answered)
		return -ENOMEM;
	for (uint32_t n = 0; n < item->n_calls; n++)
		answered[n] = omp_list_is_answered(&b->list, item, n);
	omp_assistant_strip_calls(out, message, answered, item->n_calls);
	free(answered);
	return buf_error(out);
}

static int send_message(struct building *b, const struct omp_item *item,
			struct json message, struct messages *to)
{
	struct buf copy = { 0 };
	struct buf stripped = { 0 };
	bool interrupted = item->role == OMP_ASSISTANT &&
			   omp_list_has_note(&b->list, item);
	message = loaded(b, &copy, message);
	int err = buf_error(&copy);
	if (!err && item->stripped) {
		err = strip_turn(b, item, &stripped, message);
		message = (struct json){ .raw = buf_span(&stripped) };
	}
	if (!err)
		err = omp_message_send(to, message, interrupted);
	buf_free(&copy);
	buf_free(&stripped);
	return err;
}

/* An item that is not a message in the session. */
static int send_other(const struct building *b, const struct omp_item *item,
		      struct json entry, struct messages *to)
{
	struct buf message = { 0 };
	if (item->kind == ITEM_COMPACTION) {
		struct omp_kept k = omp_compaction_kept(b->s, b->path,
							b->compaction, entry);
		omp_compaction_message(&message, entry, k.rewritten_at);
	} else {
		omp_message_of(&message, entry);
	}
	int err = buf_error(&message);
	if (!err)
		err = omp_message_send(
			to, (struct json){ .raw = buf_span(&message) }, false);
	buf_free(&message);
	return err;
}

static int send_item(struct building *b, const struct omp_item *item,
		     struct messages *to)
{
	struct json entry;
	int err = read_place(b, item->place, &entry);
	if (err)
		return err;
	buf_clear(&b->resolved);
	int resolved = omp_resolve_blobs(&b->resolved, entry, &b->room);
	if (resolved < 0)
		return resolved;
	if (resolved)
		entry = (struct json){ .raw = buf_span(&b->resolved) };
	if (item->kind == ITEM_MESSAGE &&
	    type_at(b, item->place) == ENTRY_MESSAGE)
		return send_message(b, item, json_get(entry, "message"), to);
	return send_other(b, item, entry, to);
}

int omp_context(const struct session *s, const struct path *p,
		struct messages *to)
{
	struct building b = { .s = s, .path = p, .room = OMP_RESOLVE_LIMIT };
	omp_list_init(&b.list);
	int err = find_marks(&b);
	if (!err)
		err = list_all(&b);
	if (!err)
		omp_list_clean(&b.list);
	const struct omp_item *item = omp_list_first(&b.list);
	for (; item && !err; item = omp_list_next(&b.list, item))
		err = send_item(&b, item, to);
	omp_list_free(&b.list);
	buf_free(&b.line);
	buf_free(&b.resolved);
	return err;
}
