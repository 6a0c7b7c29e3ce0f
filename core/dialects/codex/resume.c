/*
 * How Codex finds a thread to resume: by its id, in $CODEX_HOME/sessions. Of
 * several rollouts of a thread it takes the newest, and goes on from its end.
 * It opens none that another Codex has open. A branch is a thread of its own,
 * in the folder of the day that its id tells.
 */
#include <errno.h>
#include <glob.h>

#include "core/dialects/codex/codex.h"
#include "core/dialects/kit/copy.h"

/* Of YYYY-MM-DDTHH:MM:SS. */
#define TIME_SIZE 19

/* Is the rollout in the home of which that is the sessions/ folder? */
static bool is_in_home(const struct session *s, const char *sessions)
{
	struct buf home BUF_SCOPED = { 0 };
	struct buf parent BUF_SCOPED = { 0 };
	buf_add(&home, codex_home_of(span_of(s->log.path)));
	buf_addf(&parent, "%s/..", sessions);
	const char *a = buf_cstr(&home);
	const char *b = buf_cstr(&parent);
	return a && b && home.len > 0 &&
	       codex_thread_id(span_of(s->log.path)).n > 0 &&
	       copy_is_same(a, b);
}

/* Is it the newest one of its thread? Archived ones are not resumed. */
static bool is_newest(const struct session *s, const char *sessions)
{
	struct span path = span_of(s->log.path);
	struct span name = span_last_part(path);
	struct buf pattern BUF_SCOPED = { 0 };
	struct span newest = { "", 0 };
	glob_t found = { 0 };
	copy_add_literal(&pattern, span_of(sessions));
	buf_adds(&pattern, "/*/*/*/rollout-*-");
	buf_add(&pattern, codex_thread_id(path));
	buf_adds(&pattern, "*.jsonl");
	const char *text = buf_cstr(&pattern);
	/* Days and times are in the paths, which have the same length. */
	if (text && glob(text, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct span at = span_of(found.gl_pathv[i]);
			if (span_compare(at, newest) > 0)
				newest = at;
		}
	}
	bool is = newest.n > 0 && span_eq(span_last_part(newest), name);
	globfree(&found);
	return is;
}

/* The first folder is sessions/. */
static void add_name(const struct session *s, const char *const *folders,
		     struct buf *out)
{
	if (folders[0] && is_in_home(s, folders[0]) &&
	    is_newest(s, folders[0]) &&
	    codex_agent.process(s->log.gate, s->log.path) <= 0)
		buf_add(out, codex_thread_id(span_of(s->log.path)));
}

static bool sees_head(const struct session *s, uint32_t entry)
{
	const struct codex *c = s->now.state;
	return c && entry == session_at_leaf(s) && !own_file_has_head(s);
}

static int find_copy(const struct session *s, struct resuming_copy *c)
{
	struct json line = copy_line_with(c->branch, "type");
	struct json meta = json_get(line, "payload");
	struct buf time BUF_SCOPED = BUF_INTO(&c->path);
	if (json_type(json_get(meta, "id")) != JSON_STRING)
		return -EBADMSG;
	if (json_type(json_get(meta, "history_base")) == JSON_OBJECT &&
	    (!s || !is_in_home(s, c->folders[0])))
		return -ENOENT;
	json_decode(&c->name, json_get(meta, "id"));
	copy_add_time(&time, json_get(line, "timestamp"), TIME_SIZE);
	if (!time.failed)
		buf_addf(&c->path, "%s/%.4s/%.2s/%.2s/rollout-%.19s-",
			 c->folders[0], time.data, time.data + 5, time.data + 8,
			 time.data);
	buf_add(&c->path, buf_span(&c->name));
	buf_adds(&c->path, ".jsonl");
	buf_inherit(&c->path, &c->name);
	return buf_error(&c->path);
}

const struct dialect_resuming codex_resuming = {
	.program = "codex",
	.opens = "resume",
	.add_name = add_name,
	.sees_head = sees_head,
	.find_copy = find_copy,
};
