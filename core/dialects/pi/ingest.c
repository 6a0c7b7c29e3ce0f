/* Ingesting lines of the Pi family: headers, entries, labels, names. */
#include "core/dialects/pi/pi.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/json/timestamp.h"
#include "core/show/rows.h"

bool pi_knows_type(struct json type)
{
	/* Of Pi and oh-my-pi. */
	return JSON_IS(type, "message", "custom_message", "custom",
		       "compaction", "label", "context_edit", "branch_summary",
		       "model_change", "thinking_level_change", "usage",
		       "session_info", "title_change", "mode_change",
		       "reset_boundary", "ttsr_injection", "credential_pin",
		       "service_tier_change", "session_init", "model_usage");
}

/* Other programs have messages below `message`, but without a time in it. */
static bool is_message(struct json message)
{
	JSON_FIELDS(f, message, role, timestamp);
	return json_type(f.timestamp) == JSON_NUMBER &&
	       JSON_IS(f.role, "system", "user", "assistant", "toolResult",
		       "bashExecution", "custom", "hookMessage",
		       "branchSummary", "developer", "compactionSummary",
		       "pythonExecution", "fileMention");
}

/* An entry in a file that has lost its header. */
static bool is_own_entry(struct json line, struct json type, struct json parent)
{
	JSON_FIELDS(f, line, timestamp, message, customType, summary, targetId);
	bool has_parent =
		json_is_string(parent) || json_type(parent) == JSON_NULL;
	if (!pi_knows_type(type) || !has_parent || !json_is_string(f.timestamp))
		return false;
	if (json_is(type, SPAN("message")))
		return is_message(f.message);
	if (JSON_IS(type, "custom_message", "custom"))
		return json_is_string(f.customType);
	if (json_is(type, SPAN("compaction")))
		return json_is_string(f.summary);
	return !JSON_IS(type, "label", "context_edit") ||
	       json_is_string(f.targetId);
}

const char *pi_claims(struct json line)
{
	JSON_FIELDS(f, line, type, id, uuid, kind, parent, parentId, cwd,
		    version);
	if (!json_is_string(f.type) || !json_is_string(f.id))
		return NULL;
	if (json_is(f.type, SPAN("session"))) {
		bool uuid = json_has_text(f.uuid);
		bool versioned = json_type(f.version) != JSON_ABSENT;
		bool position =
			json_type(f.parent) == JSON_NUMBER && !versioned;
		bool says_more = versioned || json_is_string(f.cwd);
		return uuid || position || !says_more ? NULL
						      : "a header with an id";
	}
	if (json_type(f.kind) == JSON_ABSENT &&
	    is_own_entry(line, f.type, f.parentId))
		return "an entry with id and parentId";
	return NULL;
}

/* Does a header have all that Pi writes into it? */
static bool is_whole_header(struct json header)
{
	JSON_FIELDS(f, header, timestamp, cwd);
	return json_is_string(f.timestamp) && json_is_string(f.cwd);
}

int pi_confirms(struct json claimed, struct json next)
{
	if (!json_is(json_get(claimed, "type"), SPAN("session")))
		return 1;
	JSON_FIELDS(f, next, type, id, parentId);
	if (json_type(next) == JSON_ABSENT)
		return is_whole_header(claimed) ? 0 : -1;
	if (json_type(next) != JSON_OBJECT)
		return 0;
	bool known = pi_knows_type(f.type) &&
		     (!json_is(f.type, SPAN("message")) ||
		      json_type(json_get(next, "message")) == JSON_OBJECT);
	bool linear = pi_version(json_get(claimed, "version")) < 2;
	bool linked = !json_is(f.type, SPAN("session")) &&
		      json_is_string(f.id) && json_is_string(f.type) &&
		      json_type(f.parentId) != JSON_ABSENT;
	if (linked || (known && (linear || json_is_string(f.id))))
		return 1;
	return is_whole_header(claimed) ? 0 : -1;
}

double pi_version(struct json v)
{
	switch (json_type(v)) {
	case JSON_NUMBER:
		return json_number(v);
	case JSON_STRING: {
		struct buf text BUF_SCOPED = { 0 };
		json_decode(&text, v);
		const char *s = buf_cstr(&text);
		char *end = NULL;
		double d = s ? strtod(s, &end) : NAN;
		bool number = s && end != s && *end == '\0';
		return number ? d : PI_VERSION;
	}
	case JSON_ABSENT:
	case JSON_NULL:
	case JSON_TRUE:
		return 1;
	case JSON_FALSE:
		return 0;
	default:
		return PI_VERSION;
	}
}

enum entry_type pi_type(const struct pi_line *f)
{
	return rows_of(&pi_rows, f->type, f->customType)->entry;
}

void pi_line_read(struct json line, struct pi_line *f)
{
	static const char *const names[] = { "type",	 "id",
					     "parentId", "timestamp",
					     "targetId", "label",
					     "name",	 "customType" };
	json_get_all(line, sizeof(*f) / sizeof(struct json), names,
		     (struct json *)f);
}

struct unopened pi_lacks_header(const struct session *s)
{
	struct unopened u = ingest_lacks_header(s);
	if (!u.why && json_type(session_header(s, "id")) != JSON_STRING)
		u.why = "a header without an id";
	return u;
}

void pi_note_stray(const struct session *s, struct unopened *u)
{
	if (u->why || s->now.stray_line == 0 || s->now.index.n == 0 ||
	    s->now.version < 2)
		return;
	u->why = "the last line is no entry";
	u->happens = s->dialect->agent->faults.last_line;
	u->line = s->now.stray_line;
}

/* A line that a byte order mark precedes is dropped: with it the header. */
static struct unopened unopened(const struct session *s)
{
	struct unopened u = pi_lacks_header(s);
	if (!u.why && s->now.bom)
		u.why = "a byte order mark";
	pi_note_stray(s, &u);
	return u;
}

const struct dialect_agent pi_agent = {
	.faults = {
		.null_line = "Pi 0.73.1 can't open the file",
		.last_line = "Pi resumes with an empty history",
		.cycle = "Pi hangs or runs out of memory",
	},
	.unopened = unopened,
};

int pi_note_header(struct session *s, struct json line,
		   const struct line_place *at)
{
	struct pi_state *p = s->now.state;
	int err = ingest_header(s, line, p->values == 0, at);
	if (!err && !p->has_space) {
		p->space = ids_space(s);
		p->has_space = true;
		err = p->space.failed ? -ENOMEM : 0;
	}
	return err;
}

int pi_ingest_header(struct session *s, struct json line,
		     const struct line_place *at)
{
	struct contents *c = &s->now;
	bool another = c->header.len > 0;
	int err = pi_note_header(s, line, at);
	if (!another)
		c->version = pi_version(json_get(line, "version"));
	return err ? err : pi_skip(s);
}

int pi_ingest_line(struct session *s, struct json line, const struct pi_line *f,
		   enum entry_type type, const struct line_place *at,
		   uint32_t *entry)
{
	struct index_line l = { .time = timestamp_parse(f->timestamp),
				.type = type };
	bool has_id = json_has_text(f->id);
	int err = 0;
	*entry = INDEX_NONE;
	pi_note_linear(s, line);
	if (json_type(line) != JSON_OBJECT || !(has_id || s->now.linear)) {
		ingest_no_entry(s, at);
		return pi_skip(s);
	}
	/* Those that may be of a relative. */
	if (type == ENTRY_OTHER || type == ENTRY_MODEL ||
	    type == ENTRY_COMPACTION)
		err = session_turn(s, line, at);
	if (!err)
		err = s->now.linear ? pi_ingest_linear(s, &l, at, entry)
				    : ingest_named_entry(s, f->id, f->parentId,
							 &l, at, entry);
	if (err || *entry == INDEX_NONE || type != ENTRY_LABEL)
		return err;
	return ingest_label(s, f->targetId, f->label, l.time, at);
}

static int ingest_value(struct session *s, struct json line,
			const struct line_place *at)
{
	struct pi_line f;
	uint32_t entry;
	pi_line_read(line, &f);
	if (json_is(f.type, SPAN("session"))) {
		int turned = session_turn(s, line, at);
		return turned ? turned : pi_ingest_header(s, line, at);
	}
	enum entry_type type = pi_type(&f);
	int err = pi_ingest_line(s, line, &f, type, at, &entry);
	return err || entry == INDEX_NONE || type != ENTRY_NAME
		       ? err
		       : ingest_name(s, f.name);
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

const struct dialect_reading pi_reading = {
	.ingest = ingest,
	.state_size = sizeof(struct pi_state),
	.clear_state = pi_state_clear,
	.has_version = true,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD) |
		       ENTRY_BIT(ENTRY_NAME),
};
