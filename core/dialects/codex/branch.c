/*
 * A branch of a Codex thread as a rollout of its own, of a new thread, which
 * `codex resume` opens.
 *
 * In a paginated thread that is one line: a session_meta whose history_base is
 * the rollout that has the entry, up to the entry's line. That rollout has to
 * stay. In a legacy thread, in a file whose name has no rollout's id, in one
 * that the agent has deleted (kept.h), and at a last line without a newline,
 * behind which the agent would make no cut, it is all lines up to the entry's
 * that are JSON, with a session_meta of the new thread.
 *
 * The new thread's id is derived from the old one's and the entry's id, so that
 * it is the same each time.
 */
#include "core/dialects/codex/codex.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/text.h"
#include "core/dialects/kit/line.h"
#include "core/file/feed.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/session/kept.h"

/* -- all threads that are made here and not by the agent */

void codex_new_id(const struct id_space *space, struct span name, int64_t time,
		  struct buf *id)
{
	uint64_t ms = time == TIMESTAMP_NONE || time < 0 ? 0 : (uint64_t)time;
	size_t from = id->len;
	struct buf start BUF_SCOPED = BUF_INTO(id);
	ids_derive_uuid(space, id, name);
	buf_addf(&start, "%08x-%04x-7", (unsigned)(ms >> 16),
		 (unsigned)(ms & 0xffff));
	if (!id->failed && !start.failed)
		memcpy(id->data + from, start.data, start.len);
}

void codex_write_meta(struct json_writer *w, struct span id, struct span from,
		      struct json time, struct json cwd)
{
	json_write_string(w, "id", id);
	json_write_string(w, "session_id", id);
	if (text_is_uuid(from))
		json_write_string(w, "forked_from_id", from);
	json_write_value(w, "timestamp", time);
	json_write_value(w, "cwd", cwd);
	json_write_word(w, "originator", "sessfs");
	json_write_word(w, "cli_version", CODEX_VERSION);
	json_write_word(w, "source", "cli");
	json_write_word(w, "history_mode", "paginated");
}

/* -- branches */

/*
 * Where a branch ends: behind the lines that say once more what the entry is,
 * and that its turn is over. The agent shows a thread by these.
 */
struct end {
	bool is_user;	  /* the entry is a message of the user */
	uint64_t offset;  /* of what follows */
	uint64_t ordinal; /* the next one */
};

static void take_line(struct end *e, struct json line, struct span text,
		      uint64_t offset)
{
	uint64_t n;
	e->offset = offset + text.n + 1;
	if (codex_integer(json_get(line, "ordinal"), &n) && n < UINT64_MAX)
		e->ordinal = n + 1;
}

static int pass_line(void *data, struct span text, uint64_t offset)
{
	struct end *e = data;
	struct json line;
	struct codex_line l;
	int err = json_check(text, &line);
	if (err)
		return err == -EBADMSG ? 1 : err;
	if (!codex_line_read(line, &l) || l.kind >= CODEX_META ||
	    !json_is(l.type, SPAN("event_msg")) ||
	    JSON_IS(l.own_type, "task_started", "turn_started") ||
	    (!e->is_user && json_is(l.own_type, SPAN("user_message"))))
		return 1;
	take_line(e, line, text, offset);
	return 0;
}

static int find_end(const struct session *s, uint32_t entry, struct json line,
		    struct end *e)
{
	const struct codex *c = s->now.state;
	const struct entry *at = session_entry(s, entry);
	struct feed feed = { .offset = at->offset + at->length + 1,
			     .step = 4096 };
	*e = (struct end){ .ordinal = c->next };
	e->is_user = json_is(json_at(line, SPAN("payload.role")), SPAN("user"));
	take_line(e, line, (struct span){ line.raw.p, at->length }, at->offset);
	int err = feed_file(&s->log, &feed, log_size(&s->log), pass_line, e);
	buf_free(&feed.chunk);
	return err < 0 ? err : 0;
}

static void write_integer(struct json_writer *w, const char *key, uint64_t n)
{
	buf_addf(json_begin_value(w, key), "%" PRIu64, n);
}

static void add_fork_meta(const struct session *s, uint32_t entry,
			  struct json line, const struct end *end,
			  struct span id, struct buf *out)
{
	const struct entry *e = session_entry(s, entry);
	uint64_t start;
	struct span file = span_of(log_file_at(&s->log, e->offset, &start));
	struct json time = json_get(line, "timestamp");
	if (timestamp_parse(time) == TIMESTAMP_NONE)
		time = session_header(s, "timestamp");
	struct json provider = session_header(s, "model_provider");
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_value(&w, "timestamp", time);
	write_integer(&w, "ordinal", end->ordinal);
	json_write_word(&w, "type", "session_meta");
	json_begin_object(&w, "payload");
	struct buf from BUF_SCOPED = BUF_INTO(out);
	session_id(s, &from);
	codex_write_meta(&w, id, buf_span(&from), time,
			 session_header(s, "cwd"));
	/* Without it the agent asks for the provider named "". */
	if (!js_is_nullish(provider))
		json_write_value(&w, "model_provider", provider);
	json_begin_object(&w, "history_base");
	json_write_string(&w, "thread_id", codex_rollout_id(file));
	write_integer(&w, "end_ordinal_exclusive", end->ordinal);
	write_integer(&w, "end_byte_offset", end->offset - start);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	buf_addc(out, '\n');
}

/* A copy of lines, up to an offset. */
struct copy {
	const struct session *s;
	struct span id;
	struct buf *out;
	uint64_t end;
};

static void add_meta(const struct copy *c, struct json line)
{
	struct buf id BUF_SCOPED = BUF_INTO(c->out);
	struct line_changes l = { 0 };
	struct json meta = json_get(line, "payload");
	json_quote(&id, c->id);
	const struct json_change changes[] = {
		{ "id", buf_span(&id) },
		{ "session_id", buf_span(&id) },
		{ "forked_from_id", json_get(meta, "id").raw },
		{ "history_base", SPAN("") },
	};
	json_rewrite(line_change(&l, "payload"), meta, changes, 4);
	line_add_rewritten(c->out, line, &l);
}

static int copy_line(void *data, struct span text, uint64_t offset)
{
	struct copy *c = data;
	struct codex_line l;
	struct json line;
	if (offset >= c->end)
		return 1;
	int err = json_check(text, &line);
	if (err && err != -EBADMSG)
		return err;
	if (!err && codex_line_read(line, &l) && l.kind == CODEX_META) {
		/* Of the files that follow, it would begin the thread anew. */
		if (offset == 0 || !codex_begins_file(c->s, offset))
			add_meta(c, line);
		return 0;
	}
	if (!err)
		line_add(c->out, line);
	return 0;
}

int codex_branch(const struct session *s, uint32_t entry, unsigned nth,
		 struct buf *out)
{
	const struct codex *c = s->now.state;
	const struct entry *e = session_entry(s, entry);
	struct buf name BUF_SCOPED = { 0 };
	struct buf id BUF_SCOPED = { 0 };
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	uint64_t start;
	struct end end = { 0 };
	int err = c ? session_read(s, entry, &line, &json) : -EIO;
	if (!err)
		err = find_end(s, entry, json, &end);
	const char *file = log_file_at(&s->log, e->offset, &start);
	/* One that the agent has deleted is no base to it. */
	bool is_base = codex_rollout_id(span_of(file)).n > 0 &&
		       !kept_has(s->dialect, file);
	bool ended = end.offset <= log_size(&s->log);
	struct id_space space = ids_space(s);
	ids_name_branch(&name, s, entry, nth);
	codex_new_id(&space, buf_span(&name), e->time, &id);
	if (!err && (id.failed || name.failed))
		err = -ENOMEM;
	if (!err && c->paginated && is_base && ended) {
		add_fork_meta(s, entry, json, &end, buf_span(&id), out);
	} else if (!err) {
		uint64_t size = log_size(&s->log);
		struct copy copy = { s, buf_span(&id), out,
				     ended ? end.offset : size };
		err = feed_lines(&s->log, 0, copy.end, copy_line, &copy);
	}
	return err < 0 ? err : buf_error(out);
}
