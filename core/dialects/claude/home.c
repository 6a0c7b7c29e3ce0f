/*
 * Where Claude Code keeps transcripts: a folder for each working directory in
 * ~/.claude/projects (CLAUDE_CONFIG_DIR). Several directories may have one.
 *
 * How Claude Code finds a session to resume: by its id, ID.jsonl in the folder
 * for its working directory, or else the only one in all folders (2.1.332;
 * older versions looked in the first place only). It takes any file with
 * --fork-session.
 */
#include <glob.h>
#include <string.h>

#include "core/base/text.h"
#include "core/dialects/claude/state.h"
#include "core/dialects/kit/copy.h"
#include "core/dialects/kit/home.h"

/* A longer name is cut, and ends with a hash. */
#define NAME_LIMIT 200

static void add_folder(struct buf *out)
{
	home_add_plain_variable(out, "CLAUDE_CONFIG_DIR", ".claude");
}

static int find(const struct home_search *h)
{
	return home_find_projects(h, add_folder, "", NAME_LIMIT);
}

const struct dialect_home claude_home = {
	.agent = "Claude Code",
	.find = find,
	.add_folder = add_folder,
	.subagents = "agent-",
};

#define JSONL ".jsonl"

/* An id as the agent writes it, in lower case. */
static bool is_id(struct span id)
{
	for (size_t i = 0; i < id.n; i++) {
		if (id.p[i] != span_lower(id.p[i]))
			return false;
	}
	return text_is_uuid(id);
}

/* Is it the only transcript of its id? Of several in other folders than that of
   the working directory the agent takes none. */
static bool is_only(const char *path, struct span id)
{
	struct buf folder BUF_SCOPED = { 0 };
	struct buf pattern BUF_SCOPED = { 0 };
	glob_t found = { 0 };
	add_folder(&folder);
	buf_inherit(&pattern, &folder);
	copy_add_literal(&pattern, buf_span(&folder));
	buf_adds(&pattern, "/projects/*/");
	buf_add(&pattern, id);
	buf_adds(&pattern, JSONL);
	const char *text = buf_cstr(&pattern);
	bool only = text && glob(text, GLOB_NOSORT, NULL, &found) == 0 &&
		    found.gl_pathc == 1 &&
		    copy_is_same(found.gl_pathv[0], path);
	globfree(&found);
	return only;
}

static void add_name(const struct session *s, const char *const *folders,
		     struct buf *out)
{
	const char *path = s->log.path;
	struct span id = span_last_part(span_of(path));
	if (!span_ends(id, SPAN(JSONL)))
		return;
	id.n -= strlen(JSONL);
	if (is_id(id) && (copy_is_in_one(path, folders) || is_only(path, id)))
		buf_add(out, id);
}

static bool sees_head(const struct session *s, uint32_t entry)
{
	const struct claude *c = s->now.state;
	if (!c)
		return false;
	return claude_pins(s, entry == INDEX_NONE) ||
	       (entry == session_at_leaf(s) && !own_file_has_head(s));
}

const struct dialect_resuming claude_resuming = {
	.program = "claude",
	.opens = "--resume",
	.forks = "--resume",
	.forks_with = "--fork-session",
	.add_name = add_name,
	.sees_head = sees_head,
	.find_copy = copy_find_by_id,
};
