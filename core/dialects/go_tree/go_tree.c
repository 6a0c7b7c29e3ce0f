/*
 * Go trees: a log without a header, whose entries have an id, a kind, a time
 * and any payload. The head is in a sidecar only: without one there is no head.
 *
 * Payloads are interpreted for the package's own kinds, and for labels, whose
 * kind is sessfs's (custom.label).
 */
#include <errno.h>

#include "core/dialects/go_tree/go_tree.h"
#include "core/dialects/kit/compacted.h"
#include "core/dialects/kit/ingest.h"
#include "core/dialects/kit/line.h"
#include "core/json/timestamp.h"
#include "core/show/meta.h"

#define LABEL_KIND "custom.label"

/* The package's kinds, and the role of their messages. */
static const struct kind {
	struct span name;
	enum entry_type type;
	enum message_role role;
	const char *role_name;
} kinds[] = {
	{ SPAN("turn.user"), ENTRY_MESSAGE, MESSAGE_USER, "user" },
	{ SPAN("turn.assistant"), ENTRY_MESSAGE, MESSAGE_ASSISTANT,
	  "assistant" },
	{ SPAN("turn.tool_result"), ENTRY_MESSAGE, MESSAGE_TOOL_RESULT,
	  "toolResult" },
	{ SPAN("system.prompt"), ENTRY_MESSAGE, MESSAGE_SYSTEM, "system" },
	{ SPAN("compaction"), ENTRY_COMPACTION, MESSAGE_SUMMARY, NULL },
	{ SPAN("branch_summary"), ENTRY_BRANCH_SUMMARY, MESSAGE_SUMMARY, NULL },
	{ SPAN(LABEL_KIND), ENTRY_LABEL, MESSAGE_SUMMARY, NULL },
};

/* NULL for other kinds. */
static const struct kind *kind_of(const struct go_entry *e)
{
	return JSON_ROW(e->kind, kinds);
}

/* Decode an entry of the session, which is valid. */
static struct go_entry decoded(struct json entry)
{
	struct go_entry e;
	if (go_decode(entry, &e) < 0)
		e = (struct go_entry){ .time = TIMESTAMP_NONE };
	return e;
}

/* The package's ids are ULIDs. Other logs of events have short ids and UUIDs.
 */
static bool is_ulid(struct json id)
{
	static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	return json_is_string(id) && id.raw.n == 26 + 2 &&
	       strspn(id.raw.p + 1, digits) == 26;
}

/* Harness v4 (section 8) has objects of some kind too, and numbers them. */
static const char *claims(struct json line)
{
	struct go_entry e;
	bool is_ours = json_type(json_get(line, "type")) == JSON_ABSENT &&
		       json_type(json_get(line, "v")) == JSON_ABSENT &&
		       json_type(line) == JSON_OBJECT &&
		       go_decode(line, &e) == 0 && is_ulid(e.id) &&
		       json_is_string(e.kind) && e.time != TIMESTAMP_NONE &&
		       json_type(e.payload) == JSON_OBJECT;
	return is_ours ? "an entry with id, kind, ts and payload" : NULL;
}

/* -- reading */

static int add_entry(struct session *s, const struct go_entry *e,
		     const struct line_place *at)
{
	const struct kind *kind = kind_of(e);
	struct index_line l = { .time = e->time,
				.type = kind ? kind->type : ENTRY_OTHER };
	uint32_t entry;
	int err = ingest_named_entry(s, e->id, e->parent, &l, at, &entry);
	if (!err && entry != INDEX_NONE && l.type == ENTRY_LABEL)
		err = ingest_label(s, json_get(e->payload, "targetId"),
				   json_get(e->payload, "label"), l.time, at);
	return err;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	struct go_entry e;
	/* To the package, a byte order mark is not JSON. */
	bool marked = at->number == 1 && at->offset > 0;
	bool object = json_type(line) == JSON_OBJECT;
	if (object && (marked || go_decode(line, &e) < 0))
		problems_note(&s->now.problems, PROBLEM_JSON, at->number);
	else if (object && json_truthy(e.id))
		return add_entry(s, &e, at);
	else if (json_type(line) != JSON_ABSENT)
		ingest_no_entry(s, at);
	return 0;
}

/* now.state is the head's id, as a struct buf. */
static void clear_state(void *state)
{
	buf_free(state);
}

static void add_head_path(const char *session, struct buf *out)
{
	sidecar_add_path(out, session, ".head.json");
}

static int ingest_sidecar(struct session *s, struct span bytes, bool there)
{
	struct buf *head = s->now.state;
	struct json json;
	buf_reset(head);
	s->now.sidecar_fault = NULL;
	if (!there)
		return 0;
	int err = json_check(bytes, &json);
	if (!err)
		json_decode(head, go_field(json, "head"));
	else if (err == -EBADMSG && bytes.n > 0)
		s->now.sidecar_fault = "damaged and ignored";
	return err == -EBADMSG ? 0 : err ? err : buf_error(head);
}

static int find_leaf(struct session *s)
{
	static const char unknown[] = "its head is not an entry";
	const struct buf *head = s->now.state;
	s->now.leaf = index_find(&s->now.index, buf_span(head));
	if (head->len > 0)
		s->now.sidecar_fault =
			s->now.leaf == INDEX_NONE ? unknown : NULL;
	return 0;
}

/* -- what entries show */

static struct json entry_kind(struct json entry)
{
	return go_field(entry, "kind");
}

static void role_or_type(struct buf *out, struct json entry)
{
	struct json name = entry_kind(entry);
	if (json_truthy(name))
		json_decode(out, name);
	else
		buf_adds(out, "unknown");
}

static bool is_typed(struct json entry)
{
	return json_is(entry_kind(entry), SPAN("turn.user"));
}

static bool is_said(struct json entry)
{
	return !json_is(entry_kind(entry), SPAN("system.prompt"));
}

static bool says_something(struct json v)
{
	return json_type(v) == JSON_ARRAY || json_has_text(v);
}

/* The text of a summary, or of another kind; it may be blocks. */
static struct json blocks(struct json entry)
{
	struct go_entry e = decoded(entry);
	const struct kind *k = kind_of(&e);
	bool sums_up = k && (k->type == ENTRY_COMPACTION ||
			     k->type == ENTRY_BRANCH_SUMMARY);
	JSON_FIELDS(f, e.payload, summary, text, content);
	if (sums_up && says_something(f.summary))
		return f.summary;
	if (!says_something(f.text) && says_something(f.content))
		return f.content;
	/* A text may be empty, unless there is none. */
	if (!says_something(f.text) && !json_is_string(f.text))
		f.text = (struct json){ 0 };
	return f.text;
}

static void preview(struct buf *out, struct json entry)
{
	meta_add_at(out, entry, "payload.label|payload.targetId|payload.name");
}

static void meta_role(struct buf *out, struct json entry)
{
	struct go_entry e = decoded(entry);
	const struct kind *k = kind_of(&e);
	if (k && k->role_name)
		buf_adds(out, k->role_name);
}

static const struct meta_row meta[] = {
	{ "role", .add = meta_role },
	{ "model", .at = "payload.model" },
	{ "target", .at = "payload.targetId" },
	{ "first-kept", .at = "payload.firstKeptEntryId" },
	{ "tokens-before", .at = "payload.tokensBefore" },
	{ "tokens-after", .at = "payload.tokensAfter" },
	{ 0 },
};

/* -- contexts */

static uint32_t first_kept(const struct session *s, uint32_t entry,
			   struct json compaction)
{
	(void)entry;
	return ingest_find_id(
		s, json_get(decoded(compaction).payload, "firstKeptEntryId"));
}

static int messages(const struct session *s, struct json entry,
		    struct json edit, bool kept, struct messages *to)
{
	struct go_entry e = decoded(entry);
	const struct kind *k = kind_of(&e);
	struct json content = blocks(entry);
	bool text = json_is_string(content);
	(void)s;
	(void)edit;
	(void)kept;
	if (!k || json_type(content) == JSON_ABSENT)
		return 0;
	JSON_FIELDS(f, e.payload, toolCallId, toolName, isError);
	const struct message m = { .role = k->role,
				   .result = { .type = BLOCK_RESULT,
					       .id = f.toolCallId,
					       .name = f.toolName,
					       .error = f.isError },
				   .how = text ? CONTENT_BLOCK : CONTENT_JSON,
				   .content = content,
				   .time = e.time,
				   .has_time = e.time != TIMESTAMP_NONE };
	if (k->role == MESSAGE_SUMMARY && text)
		messages_add_summary(to, content, e.time);
	else
		messages_add(to, &m);
	return buf_error(to->out);
}

static int context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	static const struct compaction_rules rules = {
		.first_kept = first_kept,
		.messages = messages,
	};
	return compacted_context(s, p, &rules, to);
}

/* The lines of the path, as the package's Replay returns them. */
static int branch(const struct session *s, uint32_t entry, unsigned nth,
		  struct buf *out)
{
	struct path path;
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = path_load(&path, s, entry);
	(void)nth;
	for (uint32_t i = 0; i < path.n && !err; i++) {
		err = session_read(s, path.list[i], &line, &json);
		buf_add(out, buf_span(&line));
		buf_addc(out, '\n');
	}
	path_free(&path);
	return err ? err : buf_error(out);
}

/* -- writing */

static void point_head_at(struct change *c, struct span id)
{
	struct json_writer w = { .out = &c->sidecar };
	json_begin_object(&w, NULL);
	json_write_string(&w, "head", id);
	json_end_object(&w);
}

/* The sidecar can't hold an empty head, and Replay must not fail. */
static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	if (target == INDEX_NONE)
		return -EOPNOTSUPP;
	if (go_path_is_broken(s, target))
		return -EINVAL;
	point_head_at(c, index_id(&s->now.index, target));
	return 0;
}

static int set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c)
{
	int64_t now = timestamp_now();
	struct buf id BUF_SCOPED = { 0 };
	struct json_writer w = { .out = &c->lines };
	go_add_ulid(&id, s, now);
	json_begin_object(&w, NULL);
	json_write_string_buf(&w, "id", &id);
	if (s->now.leaf != INDEX_NONE)
		line_add_id(&w, "parentId", s, s->now.leaf);
	json_write_word(&w, "kind", LABEL_KIND);
	line_add_time(&w, "ts", now);
	json_begin_object(&w, "payload");
	line_add_id(&w, "targetId", s, entry);
	if (text.n > 0)
		json_write_string(&w, "label", text);
	json_end_object(&w);
	return line_end(&w);
}

const char *go_kind_for(struct json role)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].role_name &&
		    json_is(role, span_of(kinds[i].role_name)))
			return kinds[i].name.p;
	}
	return NULL;
}

static int add_line(const struct session *s, struct json line, struct change *c,
		    const char **reason)
{
	struct buf id BUF_SCOPED = { 0 };
	bool label = json_is(entry_kind(line), SPAN(LABEL_KIND));
	struct json target = json_get(decoded(line).payload, "targetId");
	if (label && ingest_find_id(s, target) == INDEX_NONE) {
		*reason = "the label's target is not an entry of this session";
		return -EINVAL;
	}
	int err = go_entry_add(s, line, &c->lines, &id, reason);
	/* Labels are children of the head, and do not move it. */
	if (!err && !label)
		point_head_at(c, buf_span(&id));
	return err;
}

static const char *const envelope[] = { "id", "parentId", "kind", "ts", NULL };

static const struct dialect_reading reading = {
	.ingest = ingest,
	.state_size = sizeof(struct buf),
	.clear_state = clear_state,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL),
	.find_leaf = find_leaf,
	.beside[BESIDE_OWN] = { add_head_path, ingest_sidecar },
};

static const struct dialect_showing showing = {
	.type = entry_kind,
	.envelope = envelope,
	.role_or_type = role_or_type,
	.is_typed = is_typed,
	.is_said = is_said,
	.read_block = block_read_api,
	.blocks = blocks,
	.preview = preview,
	.meta = meta,
};

static const struct dialect_sending sending = {
	.context = context,
	.branch = branch,
};

static const struct dialect_writing writing = {
	.move_head = move_head,
	.set_label = set_label,
	.add_entry = add_line,
};

static const struct dialect_adding adding = { 0 };

const struct dialect dialect_go_tree = {
	.name = "go-tree",
	.claims = claims,
	.reading = &reading,
	.showing = &showing,
	.sending = &sending,
	.writing = &writing,
	.adding = &adding,
};
