#include "core/dialects/pi/v1.h"

#include <errno.h>

#include "core/dialects/pi/ingest.h"
#include "core/dialects/pi/state.h"
#include "core/file/feed.h"

struct rewriting {
	const struct session *s;
	line_rewriter *line;
	uint32_t next; /* the entry that comes next, in a linear log */
	struct buf *out;
};

/*
 * Does the agent write lines like this one, or ignore it? The header and
 * entries are its own, of the drafts too; `title` is oh-my-pi's title slot.
 */
static bool is_own(struct json line)
{
	struct json type = json_get(line, "type");
	return json_type(line) != JSON_OBJECT || pi_knows_type(type) ||
	       JSON_IS(type, "session", "title", "stack_summary", "head");
}

static int rewrite_line(void *data, struct span text, uint64_t offset)
{
	struct rewriting *m = data;
	const struct contents *c = &m->s->now;
	struct json json;
	if (offset == 0) {
		size_t n = text.n;
		text = log_skip_bom(text);
		offset += n - text.n;
	}
	int err = json_check(text, &json);
	if (err && err != -EBADMSG)
		return err;
	if (err) {
		buf_add(m->out, text);
		buf_addc(m->out, '\n');
		return 0;
	}
	if (!is_own(json))
		return -EOPNOTSUPP;
	uint32_t entry = INDEX_NONE;
	if (m->s->now.linear && m->next < c->index.n &&
	    session_entry(m->s, m->next)->offset == offset)
		entry = m->next++;
	m->line(m->s, entry, json, m->out);
	return 0;
}

int rewrite_file(const struct session *s, line_rewriter *line, struct buf *out)
{
	struct rewriting m = { .s = s, .line = line, .out = out };
	struct feed f = { 0 };
	uint64_t size = (uint64_t)s->log.st.st_size;
	int err = feed_file(&s->log, &f, size, rewrite_line, &m);
	if (!err && f.rest.n > 0)
		err = rewrite_line(&m, f.rest, f.offset);
	buf_free(&f.chunk);
	/* An entry of the index is not in the file any more. */
	if (!err && s->now.linear && m.next != s->now.index.n)
		err = -ESTALE;
	return err ? err : buf_error(out);
}
