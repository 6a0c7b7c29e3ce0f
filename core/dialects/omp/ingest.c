/*
 * The lines of oh-my-pi's sessions (18.3.4): Pi's lines after a title slot,
 * which is a first line of 256 bytes with the session's title that the agent
 * overwrites in place (session-title-slot.ts). A header that is not the first
 * is an entry. The session's name is the title in the slot, or in the header if
 * there is no slot.
 */
#include "core/dialects/omp/omp.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/dialects/pi/pi.h"

bool omp_is_slot(struct json line)
{
	JSON_FIELDS(f, line, type, v, title, updatedAt, pad, source);
	if (!json_is(f.type, SPAN("title")) || json_number(f.v) != 1)
		return false;
	bool source = json_type(f.source) == JSON_ABSENT ||
		      JSON_IS(f.source, "auto", "user");
	return source && json_is_string(f.title) &&
	       json_is_string(f.updatedAt) && json_is_string(f.pad);
}

const char *omp_claims(struct json line)
{
	return omp_is_slot(line) ? "a title slot" : NULL;
}

int omp_confirms(struct json claimed, struct json next)
{
	if (claimed.raw.n + 1 == OMP_SLOT_BYTES)
		return 1;
	if (json_type(next) == JSON_ABSENT)
		return -1;
	if (json_type(next) != JSON_OBJECT)
		return 0;
	return pi_claims(next) ? 1 : -1;
}

static const char *mark_of_header(struct json line)
{
	static const struct mark {
		const char *member;
		const char *reason;
	} marks[] = {
		{ "title", "a header with a title" },
		{ "titleSource", "a header with titleSource" },
		{ "additionalDirectories",
		  "a header with additionalDirectories" },
		{ "previousSessionFiles",
		  "a header with previousSessionFiles" },
		{ "providerPromptCacheKey",
		  "a header with providerPromptCacheKey" },
	};
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (json_type(json_get(line, marks[i].member)) != JSON_ABSENT)
			return marks[i].reason;
	}
	return NULL;
}

const char *omp_marks(struct json line)
{
	static const struct mark {
		struct span type;
		const char *reason;
	} marks[] = {
		{ SPAN("reset_boundary"), "a reset_boundary entry" },
		{ SPAN("mode_change"), "a mode_change entry" },
		{ SPAN("title_change"), "a title_change entry" },
		{ SPAN("ttsr_injection"), "a ttsr_injection entry" },
		{ SPAN("credential_pin"), "a credential_pin entry" },
		{ SPAN("service_tier_change"), "a service_tier_change entry" },
		{ SPAN("session_init"), "a session_init entry" },
		{ SPAN("model_usage"), "a model_usage entry" },
	};
	JSON_FIELDS(f, line, type, model);
	if (json_is(f.type, SPAN("session")))
		return mark_of_header(line);
	if (json_is(f.type, SPAN("model_change")) &&
	    json_type(f.model) != JSON_ABSENT)
		return "a model_change entry with `model`";
	const struct mark *mark = JSON_ROW(f.type, marks);
	return mark ? mark->reason : NULL;
}

/* Set the name to the title, unchanged. */
static int ingest_title(struct session *s, struct json title)
{
	buf_reset(&s->now.name);
	json_decode(&s->now.name, title);
	text_finish(&s->now.name, 0);
	return buf_error(&s->now.name);
}

/* now.state */
struct omp_state {
	struct pi_state pi;
	struct buf slot; /* the line of the title slot; empty without one */
	size_t slot_end; /* the offset of the next line */
	bool broken;	 /* the last line that is not blank is not JSON */
};

static void clear_state(void *state)
{
	struct omp_state *o = state;
	pi_state_clear(&o->pi);
	buf_free(&o->slot);
}

struct json omp_slot(const struct session *s)
{
	const struct omp_state *o = s->now.state;
	struct json slot;
	if (!o || json_check(buf_span(&o->slot), &slot) < 0)
		return (struct json){ 0 };
	return slot;
}

size_t omp_slot_end(const struct session *s)
{
	const struct omp_state *o = s->now.state;
	return o ? o->slot_end : 0;
}

bool omp_is_broken_off(const struct session *s)
{
	const struct omp_state *o = s->now.state;
	return s->now.indexed < (uint64_t)s->log.st.st_size || (o && o->broken);
}

struct unopened omp_unopened(const struct session *s)
{
	struct unopened u = pi_lacks_header(s);
	if (!u.why && s->now.null_line > 0)
		u = (struct unopened){ .why = "null",
				       .line = s->now.null_line };
	pi_note_stray(s, &u);
	return u;
}

/*
 * Types of Pi that oh-my-pi does not have are ENTRY_OTHER. The name is in the
 * title slot, so title_change and Pi's session_info are bookkeeping only.
 */
static enum entry_type type_of(const struct pi_line *f)
{
	enum entry_type type = pi_type(f);
	if (json_is(f->type, SPAN("title_change")))
		return ENTRY_NAME;
	return type == ENTRY_CONTEXT_EDIT ? ENTRY_OTHER : type;
}

static int ingest_value(struct session *s, struct json line,
			const struct line_place *at)
{
	struct pi_line f;
	pi_line_read(line, &f);
	bool header = json_is(f.type, SPAN("session"));
	uint32_t entry;
	bool first = s->now.header.len == 0;
	int err = 0;
	/* Migration does not make an entry of another one. */
	if (header && (first || s->now.version < 2)) {
		err = pi_ingest_header(s, line, at);
		if (!err && first && json_type(omp_slot(s)) == JSON_ABSENT)
			err = ingest_title(s, json_get(line, "title"));
		return err;
	}
	err = pi_ingest_line(s, line, &f, type_of(&f), at, &entry);
	if (header && json_has_text(f.id))
		problems_note(&s->now.problems, PROBLEM_HEADER, at->number);
	return err;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	struct omp_state *o = s->now.state;
	o->broken = ingest_skips(s, line, at);
	if (o->broken)
		return 0;
	if (at->number == 1 && omp_is_slot(line)) {
		o->slot_end = (size_t)(at->offset + at->length) + 1;
		buf_add(&o->slot, line.raw);
		return o->slot.failed
			       ? -ENOMEM
			       : ingest_title(s, json_get(line, "title"));
	}
	int err = ingest_value(s, line, at);
	pi_count(s);
	return err;
}

/*
 * The agent's parser reads values (Bun 1.3.14 and 1.4.5). Migration rewrites
 * whole lines.
 */
static bool takes_record(const struct session *s, struct json value)
{
	return !s->now.linear && !pi_begins_linear(s, value);
}

const struct dialect_reading omp_reading = {
	.ingest = ingest,
	.state_size = sizeof(struct omp_state),
	.clear_state = clear_state,
	.has_version = true,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD) |
		       ENTRY_BIT(ENTRY_NAME),
	.takes_record = takes_record,
};
