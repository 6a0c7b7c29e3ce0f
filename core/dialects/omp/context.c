#include "core/dialects/omp/context.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/kit/ingest.h"
#include "core/dialects/omp/entry_messages.h"
#include "core/dialects/omp/list.h"
#include "core/dialects/omp/message.h"
#include "core/dialects/omp/resolve.h"
#include "core/dialects/omp/turn.h"
#include "core/dialects/pi/context.h"
#include "core/dialects/pi/v1.h"
#include "core/json/splice.h"
#include "core/json/timestamp.h"

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

/* The place of an entry on the path, or NOWHERE. */
static uint32_t place_of(const struct building *b, uint32_t entry)
{
	for (uint32_t i = 0; i < b->path->n && entry != INDEX_NONE; i++) {
		if (b->path->list[i] == entry)
			return i;
	}
	return NOWHERE;
}

/* The place of an id on the path, or NOWHERE. */
static uint32_t place_of_id(const struct building *b, struct json id)
{
	return b->s->now.linear ? NOWHERE
				: place_of(b, ingest_find_id(b->s, id));
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
	if (omp_turn_sanitize(&sanitized, message))
		message = (struct json){ .raw = buf_span(&sanitized) };
	if (sanitized.failed) {
		err = -ENOMEM;
	} else if (!json_truthy(json_get(message, "retryRecovery")) &&
		   !omp_turn_is_empty_error(message)) {
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
	return custom && omp_begins_turn(f.customType, f.attribution);
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

/* Where the messages that a compaction keeps may begin; each may be NOWHERE. */
struct kept {
	uint32_t first;	    /* the first that it names, maybe after it */
	uint32_t openai;    /* after what OpenAI replays */
	uint32_t anthropic; /* after what Anthropic replays */
	bool by_openai;
	bool by_anthropic;
};

static struct kept read_kept(const struct building *b, struct json entry)
{
	JSON_FIELDS(f, entry, preserveData, firstKeptEntryId,
		    providerReplayThroughEntryId);
	uint32_t through = place_of_id(b, f.providerReplayThroughEntryId);
	uint32_t after = through < b->compaction ? through + 1 : NOWHERE;
	struct kept k = {
		.first = place_of(b, pi_first_kept(b->s,
						   b->path->list[b->compaction],
						   entry)),
		.by_openai = json_type(omp_remote_history(f.preserveData)) !=
			     JSON_ABSENT,
		.by_anthropic = omp_is_replayed_by_anthropic(f.preserveData),
	};
	/* Anthropic's counts only if no entry is named as the first. */
	bool unnamed = json_is(f.firstKeptEntryId, SPAN(""));
	k.openai = k.by_openai ? after : NOWHERE;
	k.anthropic = k.by_anthropic && unnamed ? after : NOWHERE;
	return k;
}

/* List the messages that a compaction keeps. */
static int list_kept(struct building *b)
{
	struct json entry;
	int err = read_place(b, b->compaction, &entry);
	if (err)
		return err;
	struct kept k = read_kept(b, entry);
	uint32_t from = k.by_openai		  ? k.openai
			: k.first < b->compaction ? k.first
						  : k.anthropic;
	if (json_is(json_at(entry, SPAN("details.kind")),
		    SPAN("experimental-context-rollover")))
		err = list_request(b, k.first);
	return err ? err : list_range(b, from, b->compaction);
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

/*
 * When a compaction rewrote the history. One that Anthropic replays says just
 * before the next message, whose thinking would be dropped otherwise.
 */
static int64_t rewrite_time(const struct building *b, struct json entry)
{
	struct kept k = read_kept(b, entry);
	uint32_t next = k.first < b->compaction	      ? k.first
			: k.anthropic < b->compaction ? k.anthropic
						      : b->compaction + 1;
	int64_t at = k.by_anthropic && next < b->path->n
			     ? session_entry(b->s, b->path->list[next])->time
			     : TIMESTAMP_NONE;
	return at == TIMESTAMP_NONE
		       ? timestamp_parse(json_get(entry, "timestamp"))
		       : at - 1;
}

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
		if (!omp_turn_sanitize(copy, message))
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
	omp_turn_strip_calls(out, message, answered, item->n_calls);
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
	int err;
	if (item->kind == ITEM_NOTES)
		err = omp_send_notes_entry(to, entry);
	else if (item->kind == ITEM_COMPACTION)
		err = omp_send_compaction_entry(to, entry,
						rewrite_time(b, entry));
	else if (type_at(b, item->place) == ENTRY_CUSTOM_MESSAGE)
		err = omp_send_custom_entry(to, entry);
	else
		err = omp_send_branch_summary_entry(to, entry);
	return err ? err : buf_error(to->out);
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
