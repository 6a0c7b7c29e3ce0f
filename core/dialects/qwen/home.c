/*
 * Where Qwen Code keeps chats: projects/NAME/chats/ID.jsonl in its own folder,
 * with a name for each working directory. Beside chats/ is subagents/ID/. It
 * resumes a chat by its id, from the directory that the first line names.
 */
#include "core/dialects/kit/copy.h"
#include "core/dialects/kit/home.h"
#include "core/dialects/qwen/qwen.h"

#define JSONL ".jsonl"

static void add_folder(struct buf *out)
{
	const char *runtime = home_variable("QWEN_RUNTIME_DIR");
	if (runtime)
		home_add_path(out, span_of(runtime));
	else
		home_add_variable(out, "QWEN_HOME", ".qwen");
}

static int find(const struct home_search *h)
{
	return home_find_projects(h, add_folder, "/chats", SIZE_MAX);
}

const struct dialect_home qwen_home = {
	.agent = "Qwen Code",
	.find = find,
	.add_folder = add_folder,
	.subagents = "agent-",
};

/* What a chat's file is called, without its ending. */
static struct span name_of(struct span file)
{
	if (span_ends(file, SPAN(JSONL)))
		file.n -= SPAN(JSONL).n;
	return file;
}

/* Take the last part off a path, and return it. */
static struct span take_part(struct span *path)
{
	struct span part = span_last_part(*path);
	path->n = (size_t)(part.p - path->p);
	return part;
}

/* Is the chat in the folder of another directory than its first line's? */
static bool is_elsewhere(const struct session *s)
{
	struct span path = span_of(s->log.path);
	struct buf cwd BUF_SCOPED = { 0 };
	struct buf name BUF_SCOPED = { 0 };
	take_part(&path);
	bool chats = span_eq(take_part(&path), SPAN("chats"));
	struct span folder = take_part(&path);
	bool projects = span_eq(take_part(&path), SPAN("projects"));
	json_decode(&cwd, session_header(s, "cwd"));
	home_add_letters(&name, buf_span(&cwd));
	bool differs = !name.failed && !span_eq(buf_span(&name), folder);
	return chats && projects && differs;
}

static struct unopened unopened(const struct session *s)
{
	const struct qwen *q = s->now.state;
	struct unopened u = { 0 };
	if (s->now.index.n == 0)
		u.why = "no conversation";
	else if (q->other_id > 0)
		u = (struct unopened){ .why = "another session's id",
				       .line = q->other_id };
	else if (json_type(session_header(s, "cwd")) == JSON_ABSENT)
		u.why = "no working directory in the first line";
	else if (is_elsewhere(s))
		u.why = "another directory in the first line";
	return u;
}

const struct dialect_agent qwen_agent = {
	.unopened = unopened,
	.depth = 3, /* projects/NAME/chats/ID.jsonl */
	.refuses = "Qwen Code has this session open and would go on from its "
		   "own place: quit it, or mount with -o force",
};

static void add_name(const struct session *s, const char *const *folders,
		     struct buf *out)
{
	struct span path = span_of(s->log.path);
	struct span id = name_of(span_last_part(path));
	if (span_ends(path, SPAN(JSONL)) &&
	    json_is(session_header(s, "id"), id) &&
	    copy_is_in_one(s->log.path, folders))
		buf_add(out, id);
}

const struct dialect_resuming qwen_resuming = {
	.program = "qwen",
	.opens = "--resume",
	.add_name = add_name,
	.find_copy = copy_find_by_id,
};

/* Of projects/NAME/chats/ID.jsonl that is projects/NAME/subagents/ID. */
static void add_subagents(const char *session, struct buf *out)
{
	struct span path = span_of(session);
	struct span name = take_part(&path);
	take_part(&path);
	buf_add(out, path);
	buf_adds(out, "subagents/");
	buf_add(out, name_of(name));
}

const struct dialect_subagents qwen_subagents = {
	.folder = "subagents",
	.add_folder = add_subagents,
};
