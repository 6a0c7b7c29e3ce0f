#include "core/dialects/claude/resume.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/dialects/claude/state.h"
#include "core/dialects/claude/write.h"
#include "core/dialects/kit/copy.h"

/* An id as the agent writes it, in lower case. */
static bool is_id(struct span id)
{
	for (size_t i = 0; i < id.n; i++) {
		if (id.p[i] != span_lower(id.p[i]))
			return false;
	}
	return text_is_uuid(id);
}

void claude_add_name(const struct session *s, const char *const *folders,
		     struct buf *out)
{
	static const struct span suffix = SPAN(".jsonl");
	struct span path = span_of(s->log.path);
	struct span id = span_last_part(path);
	struct buf folder = { 0 };
	bool found = false;
	buf_add(&folder, (struct span){ path.p, path.n - id.n });
	const char *at = buf_cstr(&folder);
	if (span_ends(id, suffix))
		id.n -= suffix.n;
	for (; at && *folders && !found; folders++)
		found = copy_is_same_folder(at, *folders);
	if (found && is_id(id))
		buf_add(out, id);
	buf_free_into(&folder, out);
}

bool claude_sees_head(const struct session *s, uint32_t entry)
{
	const struct claude *c = s->now.state;
	if (!c)
		return false;
	return claude_pins(s, entry == INDEX_NONE) ||
	       (entry == session_head(s) &&
		json_type(c->sidecar.head) == JSON_ABSENT);
}

int claude_find_copy(const struct session *s, struct resuming_copy *c)
{
	struct json line = copy_line_with(c->branch, "sessionId");
	(void)s;
	if (json_type(line) == JSON_ABSENT)
		return -EBADMSG;
	json_decode(&c->name, json_get(line, "sessionId"));
	buf_addf(&c->path, "%s/", c->folders[0]);
	buf_add(&c->path, buf_span(&c->name));
	buf_adds(&c->path, ".jsonl");
	buf_inherit(&c->path, &c->name);
	return buf_error(&c->path);
}
