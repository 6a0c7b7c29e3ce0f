/*
 * Sessions of Pi's agent library (pi-agent-core 0.82.0; sessfs-formats(5)).
 * They begin like Pi's of version 3 and are read as Pi's (pi.c), except for
 * these rules, in the order in which they act:
 *
 *   ingest     A line that only the library writes marks the file. After the
 *              header, a `session` line with a parent is an entry. Labels are
 *              trimmed. The library refuses a file with any bad line; sessfs
 *              shows the others.
 *   leaf       A `leaf` line, if it is the last entry, makes its targetId the
 *              leaf; null is before the first entry.
 *   context    Context and settings come from a path that is cut: at the last
 *              compaction with a retainedTail, whose messages replace all
 *              before it, or at the first entry that a compaction keeps.
 *   branch     Leaf lines are left out, as labels are, unless a compaction
 *              names one.
 *   write      HEAD is moved by a `leaf` line.
 */
#include <stdlib.h>

#include "core/base/text.h"
#include "core/dialects/kit/compacted.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/pi/branch.h"
#include "core/dialects/pi/context.h"
#include "core/dialects/pi/ingest.h"
#include "core/dialects/pi/pi.h"
#include "core/dialects/pi/show.h"
#include "core/dialects/pi/write.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"

/* Detection and ingest. */

static const char *claims(struct json line)
{
	(void)line;
	return NULL;
}

static const char *marks(struct json line)
{
	JSON_FIELDS(f, line, type, metadata, retainedTail);
	if (json_is(f.type, SPAN("leaf")))
		return "a leaf entry";
	if (json_is(f.type, SPAN("active_tools_change")))
		return "an active_tools_change entry";
	if (json_is(f.type, SPAN("session")) &&
	    json_type(f.metadata) == JSON_OBJECT)
		return "a header with metadata";
	if (json_is(f.type, SPAN("compaction")) &&
	    !js_is_nullish(f.retainedTail))
		return "a compaction with retainedTail";
	return NULL;
}

/* The last `leaf` line. */
struct leaf_line {
	bool pending;	   /* there is one, and no entry came after it */
	bool none;	   /* it names null */
	struct buf target; /* else this id, which may come later */
	uint32_t before;   /* the leaf without it */
};

/* now.state */
struct harness_state {
	struct pi_state pi;
	struct leaf_line leaf;
};

static void *new_state(void)
{
	return calloc(1, sizeof(struct harness_state));
}

static void free_state(void *state)
{
	struct harness_state *h = state;
	pi_state_clear(&h->pi);
	buf_free(&h->leaf.target);
	free(h);
}

static struct leaf_line *leaf_line(struct session *s)
{
	struct harness_state *h = s->now.state;
	return &h->leaf;
}

/* The leaf by that line; the one before it if its target is unknown. */
static uint32_t named_leaf(const struct session *s, const struct leaf_line *l)
{
	if (l->none)
		return INDEX_NONE;
	uint32_t at = index_find(&s->now.index, buf_span(&l->target));
	return at == INDEX_NONE ? l->before : at;
}

static int ingest_leaf_line(struct session *s, struct json target,
			    uint32_t leaf_before)
{
	struct leaf_line *l = leaf_line(s);
	l->before = l->pending ? named_leaf(s, l) : leaf_before;
	l->pending = true;
	l->none = json_type(target) == JSON_NULL;
	buf_clear(&l->target);
	json_decode(&l->target, target);
	return buf_error(&l->target);
}

static int find_leaf(struct session *s)
{
	const struct leaf_line *l = leaf_line(s);
	if (l->pending)
		s->now.leaf = named_leaf(s, l);
	return 0;
}

/* Pi's types, except those that the library does not know. */
static enum entry_type type_of(const struct json f[PI_FIELDS])
{
	if (json_is(f[PI_TYPE], SPAN("leaf")))
		return ENTRY_HEAD;
	enum entry_type type = pi_type(f);
	return type == ENTRY_CONTEXT_EDIT ? ENTRY_OTHER : type;
}

static int ingest_trimmed_label(struct session *s,
				const struct json f[PI_FIELDS],
				const struct line_place *at)
{
	struct buf text = { 0 };
	json_decode(&text, f[PI_LABEL]);
	int err = buf_error(&text);
	if (!err)
		err = ingest_label_text(s, f[PI_TARGET],
					text_trim(buf_span(&text)),
					timestamp_parse(f[PI_TIMESTAMP]), at);
	buf_free(&text);
	return err;
}

static int ingest_value(struct session *s, struct json line,
			const struct line_place *at)
{
	struct json f[PI_FIELDS];
	pi_fields(line, f);
	/* After the header, a `session` line with a parent is an entry. */
	bool header = json_is(f[PI_TYPE], SPAN("session")) &&
		      (s->now.header.len == 0 ||
		       json_type(f[PI_PARENT]) == JSON_ABSENT);
	if (header)
		return pi_ingest_header(s, line, at);
	pi_note_linear(s, line);
	if (!pi_is_entry(s, line, f)) {
		ingest_no_entry(s, at);
		return pi_skip(s);
	}
	uint32_t before = s->now.leaf;
	uint32_t entry;
	int err = pi_ingest_entry(s, f, type_of(f), at, &entry);
	if (err || entry == INDEX_NONE)
		return err;
	if (json_is(f[PI_TYPE], SPAN("leaf")))
		return ingest_leaf_line(s, f[PI_TARGET], before);
	leaf_line(s)->pending = false;
	if (json_is(f[PI_TYPE], SPAN("label")))
		return ingest_trimmed_label(s, f, at);
	return json_is(f[PI_TYPE], SPAN("session_info"))
		       ? ingest_name(s, f[PI_NAME])
		       : 0;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	if (ingest_skips(s, line, at))
		return 0;
	int err = ingest_value(s, line, at);
	pi_count(s);
	return err;
}

/* Contexts. */

/*
 * Cut a path: ascend to the first entry that the topmost compaction so far
 * keeps, or to a compaction with a retainedTail. The part after the cut borrows
 * the path.
 */
static int cut(const struct session *s, const struct path *p,
	       struct path *after)
{
	struct buf line = { 0 };
	uint32_t stop = INDEX_NONE;
	uint32_t i = p->n;
	bool over = false;
	int err = 0;
	while (i > 0 && !over && !err) {
		uint32_t at = p->list[--i];
		struct json json;
		over = at == stop;
		if (over || session_entry(s, at)->type != ENTRY_COMPACTION)
			continue;
		err = session_read(s, at, &line, &json);
		if (err)
			break;
		over = json_truthy(json_get(json, "retainedTail"));
		stop = pi_first_kept(s, at, json);
	}
	buf_free(&line);
	*after = (struct path){ p->n > 0 ? p->list + i : NULL, p->n - i };
	return err;
}

/* The tail replaces all before it. */
static uint32_t first_kept(const struct session *s, uint32_t entry,
			   struct json compaction)
{
	return json_truthy(json_get(compaction, "retainedTail"))
		       ? INDEX_NONE
		       : pi_first_kept(s, entry, compaction);
}

/* The library does not know system messages. */
static void add_message(const struct session *s, struct messages *to,
			struct json message, struct json time)
{
	if (!json_is(json_get(message, "role"), SPAN("system")))
		pi_add_message(s, to, message, time, false, (struct json){ 0 });
}

static int messages(const struct session *s, struct json entry,
		    struct json edit, bool kept, struct messages *to)
{
	JSON_FIELDS(f, entry, type, message, timestamp, content, retainedTail);
	(void)edit;
	(void)kept;
	if (json_is(f.type, SPAN("message"))) {
		add_message(s, to, f.message, f.timestamp);
	} else if (json_is(f.type, SPAN("custom_message"))) {
		struct message m = { .role = MESSAGE_USER,
				     .time = timestamp_parse(f.timestamp),
				     .has_time = true };
		pi_set_content(&m, f.content, true);
		messages_add(to, &m);
	} else {
		struct json_walk tail = json_walk(f.retainedTail);
		struct json message;
		pi_add_summary(to, entry);
		while (json_is(f.type, SPAN("compaction")) &&
		       json_type(f.retainedTail) == JSON_ARRAY &&
		       json_next_element(&tail, &message))
			add_message(s, to, message, f.timestamp);
	}
	return buf_error(to->out);
}

static int context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	static const struct compaction_rules rules = {
		.first_kept = first_kept,
		.messages = messages,
		.sends_older = true,
	};
	struct path after;
	int err = cut(s, p, &after);
	return err ? err : compacted_context(s, &after, &rules, to);
}

/* From the cut path only, unlike in Pi. */
static int settings(const struct session *s, uint32_t leaf, struct buf *model,
		    struct buf *thinking)
{
	struct path p;
	struct path after = { 0 };
	int err = path_load(&p, s, leaf);
	if (!err)
		err = cut(s, &p, &after);
	uint32_t top = after.n > 0 ? after.list[0] : INDEX_NONE;
	if (!err)
		err = pi_settings_below(s, leaf, top, model, thinking);
	path_free(&p);
	return err;
}

/* Branches and writing. */

/* The new header has the metadata of the old one. */
static int branch_header(struct branch *b, uint32_t tip)
{
	struct json metadata = session_header(b->s, "metadata");
	struct json_writer w = pi_branch_header(b, tip);
	if (json_type(metadata) == JSON_OBJECT)
		json_write_value(&w, "metadata", metadata);
	return line_end(&w);
}

static int branch(const struct session *s, uint32_t entry, unsigned nth,
		  struct buf *out)
{
	static const struct branch_rules rules = {
		.left_out = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD),
		.anchor = pi_first_kept,
		.header = branch_header,
		.entry = pi_branch_entry,
		.label = pi_branch_label,
	};
	return branch_write(s, entry, nth, &rules, out);
}

/*
 * The target is the parent, too, so that agents which do not know `leaf`
 * continue there as well.
 */
static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	struct json_writer w = line_begin(&c->lines, "leaf");
	pi_add_envelope(&w, s, target, timestamp_now());
	line_add_id(&w, "targetId", s, target);
	return line_end(&w);
}

/* Versions before this one can't be opened by the library. */
static struct unopened unopened(const struct session *s)
{
	struct unopened u = pi_unopened(s);
	if (!u.why && s->now.version != PI_VERSION)
		u.why = "a version other than 3";
	return u;
}

static int add_line(const struct session *s, struct json line, struct change *c,
		    const char **reason)
{
	const struct pi_entry_form form =
		pi_form(PI_OWNER_HARNESS, PI_FROM_PARENT);
	return pi_entry_add(s, &form, line, c, reason);
}

static const struct dialect_reading reading = {
	.ingest = ingest,
	.new_state = new_state,
	.free_state = free_state,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD) |
		       ENTRY_BIT(ENTRY_NAME),
	.find_leaf = find_leaf,
};

static const struct dialect_sending sending = {
	.context = context,
	.branch = branch,
};

static const struct dialect_telling telling = {
	.has_version = true,
	.settings = settings,
};

static const struct dialect_writing writing = {
	.move_head = move_head,
	.set_label = pi_set_label,
	.add_entry = add_line,
	.set_name = pi_set_name,
};

static const struct dialect_agent agent = {
	.unopened = unopened,
};

const struct dialect dialect_harness = {
	.name = "pi-harness",
	.claims = claims,
	.relative_of = &dialect_pi,
	.marks = marks,
	.reading = &reading,
	.showing = &pi_showing,
	.sending = &sending,
	.telling = &telling,
	.writing = &writing,
	.agent = &agent,
	.adding = &pi_adding,
	.tools = pi_tools,
	.touching = &pi_touching,
};
