#include "core/dialects/codex/open.h"

#include "core/base/text.h"
#include "core/dialects/codex/home.h"
#include "core/dialects/codex/ingest.h"
#include "core/dialects/kit/ingest.h"
#include "core/json/js.h"

/* An incomplete last line that is longer counts as text. */
#define TAIL_LIMIT ((uint64_t)1 << 20)

static bool is_string(struct json v)
{
	return json_type(v) == JSON_STRING;
}

/* A word, or an object that names one. */
static bool is_source(struct json v)
{
	return is_string(v) ||
	       (json_type(v) == JSON_OBJECT && json_has_members(v));
}

const char *codex_meta_fault(struct json payload)
{
	enum { ID, CWD, ORIGINATOR, CLI, SESSION, SOURCE, PROVIDER, MODE, N };
	static const char *const names[N] = {
		[ID] = "id",
		[CWD] = "cwd",
		[ORIGINATOR] = "originator",
		[CLI] = "cli_version",
		[SESSION] = "session_id",
		[SOURCE] = "source",
		[PROVIDER] = "model_provider",
		[MODE] = "history_mode",
	};
	struct json f[N];
	json_get_all(payload, N, names, f);
	struct span id = f[ID].raw;
	bool absent[N];
	for (int i = 0; i < N; i++)
		absent[i] = json_type(f[i]) == JSON_ABSENT;
	if (!is_string(f[ID]) ||
	    !text_is_uuid((struct span){ id.p + 1, id.n - 2 }))
		return "a session_meta whose id is no UUID";
	if (!is_string(f[CWD]))
		return "a session_meta without cwd";
	if (!is_string(f[ORIGINATOR]))
		return "a session_meta without originator";
	if (!is_string(f[CLI]))
		return "a session_meta without cli_version";
	if (!absent[SESSION] && !is_string(f[SESSION]))
		return "a session_meta whose session_id is no text";
	if (!absent[SOURCE] && !is_source(f[SOURCE]))
		return "a session_meta whose source is unknown";
	if (!js_is_nullish(f[PROVIDER]) && !is_string(f[PROVIDER]))
		return "a session_meta whose model_provider is no text";
	if (!absent[MODE] && !json_is(f[MODE], SPAN("legacy")) &&
	    !json_is(f[MODE], SPAN("paginated")))
		return "a session_meta whose history_mode is unknown";
	return NULL;
}

/* Has the session the id that its file is named after? */
static bool has_id_of_name(const struct session *s)
{
	struct span id = codex_thread_id(span_of(s->log.path));
	return id.n == 0 || json_is(session_header(s, "id"), id);
}

/* The number of an incomplete last line that is not UTF-8; 0: it is. */
static uint32_t unended_no_text(const struct session *s)
{
	uint64_t n = log_size(&s->log) - s->now.indexed;
	struct buf tail = { 0 };
	bool text = true;
	if (n == 0 || n > TAIL_LIMIT)
		return 0;
	char *to = buf_reserve(&tail, (size_t)n);
	if (to && log_read(&s->log, s->now.indexed, to, (size_t)n) == 0)
		text = text_is_utf8((struct span){ to, (size_t)n });
	buf_free(&tail);
	return text ? 0 : s->now.lines + 1;
}

struct unopened codex_unopened(const struct session *s)
{
	const struct codex *c = s->now.state;
	const struct lineage *before = &s->log.before;
	struct unopened u = ingest_lacks_header(s);
	if (u.why)
		return u;
	if (s->now.bom)
		u.why = "a byte order mark";
	else if (c->meta_fault)
		u.why = c->meta_fault;
	else if (!has_id_of_name(s))
		u.why = "the session_meta of another thread";
	if (!u.why && before->fault && !before->agent_reads) {
		u.why = before->fault;
		u.base = buf_span(&before->fault_name);
	}
	if (u.why)
		return u;
	u.line = c->paginated	  ? c->unnumbered
		 : c->no_text > 0 ? c->no_text
				  : unended_no_text(s);
	if (u.line > 0)
		u.why = c->paginated ? "no ordinal in the last line"
				     : "bytes that are not UTF-8";
	return u;
}
