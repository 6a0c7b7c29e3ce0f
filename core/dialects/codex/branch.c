#include "core/dialects/codex/branch.h"

#include <errno.h>
#include <inttypes.h>

#include "core/dialects/codex/home.h"
#include "core/dialects/codex/ingest.h"
#include "core/dialects/codex/line.h"
#include "core/dialects/codex/new_thread.h"
#include "core/dialects/kit/line.h"
#include "core/file/feed.h"
#include "core/json/js.h"

/* The ordinal after an entry's. */
static uint64_t ordinal_after(const struct session *s, struct json line)
{
	const struct codex *c = s->now.state;
	uint64_t n;
	return codex_integer(json_get(line, "ordinal"), &n) && n < UINT64_MAX
		       ? n + 1
		       : c->next;
}

static void write_integer(struct json_writer *w, const char *key, uint64_t n)
{
	buf_addf(json_begin_value(w, key), "%" PRIu64, n);
}

static void add_fork_meta(const struct session *s, uint32_t entry,
			  struct json line, struct span id, struct buf *out)
{
	const struct entry *e = session_entry(s, entry);
	uint64_t start;
	struct span file = span_of(log_file_at(&s->log, e->offset, &start));
	uint64_t next = ordinal_after(s, line);
	struct json time = json_get(line, "timestamp");
	if (json_type(time) != JSON_STRING)
		time = session_header(s, "timestamp");
	struct json provider = session_header(s, "model_provider");
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_value(&w, "timestamp", time);
	write_integer(&w, "ordinal", next);
	json_write_word(&w, "type", "session_meta");
	json_begin_object(&w, "payload");
	struct buf from = { 0 };
	session_id(s, &from);
	codex_write_meta(&w, id, buf_span(&from), time,
			 session_header(s, "cwd"));
	/* Without it the agent asks for the provider named "". */
	if (!js_is_nullish(provider))
		json_write_value(&w, "model_provider", provider);
	json_begin_object(&w, "history_base");
	json_write_string(&w, "thread_id", codex_rollout_id(file));
	write_integer(&w, "end_ordinal_exclusive", next);
	write_integer(&w, "end_byte_offset", e->offset - start + e->length + 1);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	buf_addc(out, '\n');
	buf_free_into(&from, out);
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
	struct buf id = { 0 };
	struct buf payload = { 0 };
	struct json meta = json_get(line, "payload");
	json_quote(&id, c->id);
	const struct json_change changes[] = {
		{ "id", buf_span(&id) },
		{ "session_id", buf_span(&id) },
		{ "forked_from_id", json_get(meta, "id").raw },
		{ "history_base", SPAN("") },
	};
	json_rewrite(&payload, meta, changes, 4);
	const struct json_change change = { "payload", buf_span(&payload) };
	line_add_changed(c->out, line, &change, 1);
	buf_free_into(&id, c->out);
	buf_free_into(&payload, c->out);
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

static int copy_lines(const struct session *s, uint32_t entry, struct span id,
		      struct buf *out)
{
	const struct entry *e = session_entry(s, entry);
	struct copy c = { s, id, out, e->offset + e->length };
	struct feed feed = { 0 };
	int err = feed_file(&s->log, &feed, c.end, copy_line, &c);
	if (!err && feed.rest.n > 0)
		err = copy_line(&c, feed.rest, feed.offset);
	buf_free(&feed.chunk);
	return err < 0 ? err : 0;
}

int codex_branch(const struct session *s, uint32_t entry, unsigned nth,
		 struct buf *out)
{
	const struct codex *c = s->now.state;
	const struct entry *e = session_entry(s, entry);
	struct buf name = { 0 };
	struct buf id = { 0 };
	struct buf line = { 0 };
	struct json json;
	uint64_t start;
	int err = c ? session_read(s, entry, &line, &json) : -EIO;
	const char *file = log_file_at(&s->log, e->offset, &start);
	bool has_id = codex_rollout_id(span_of(file)).n > 0;
	bool ended = e->offset + e->length < log_size(&s->log);
	struct id_space space = ids_space(s);
	ids_name_branch(&name, s, entry, nth);
	codex_new_id(&space, buf_span(&name), e->time, &id);
	if (!err && (id.failed || name.failed))
		err = -ENOMEM;
	if (!err && c->paginated && has_id && ended)
		add_fork_meta(s, entry, json, buf_span(&id), out);
	else if (!err)
		err = copy_lines(s, entry, buf_span(&id), out);
	buf_free(&name);
	buf_free(&id);
	buf_free(&line);
	return err ? err : buf_error(out);
}
