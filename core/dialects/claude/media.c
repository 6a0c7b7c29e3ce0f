/*
 * Pictures and documents in a context of Claude Code. Of more than 600, or 100
 * for models before claude-opus-4-7, the oldest are left out, 21 at a time. In
 * a result a text takes the place of each. So does one text in the place of a
 * turn of the user with nothing else.
 */
#include "core/dialects/claude/claude.h"

#include <stdio.h>

/* At most so many are sent; above that, so many at a time are left out. */
#define MOST 600
#define MOST_OLD 100 /* for older and unknown models */
#define STEP 21
#define REMOVED                                                                \
	"[media removed: request limit. You have already seen this, and what " \
	"you concluded from it still stands. It made room for newer images "   \
	"and documents. Re-reading pushes out others and re-sends "            \
	"everything, so don't re-read them all.]"

/* Models since claude-opus-4-7 take MOST. */
size_t claude_media_too_many(size_t n, struct span model)
{
	char name[32] = "";
	char family[8];
	unsigned major = 0;
	unsigned minor = 0;
	memcpy(name, model.p, model.n < sizeof(name) ? model.n : 31);
	int got =
		sscanf(name, "claude-%7[a-z]-%2u-%2u", family, &major, &minor);
	/* A date, which begins with 20, is no version. */
	bool new = got >= 2 &&
		   (major >= 5 || (major == 4 && minor >= 7 && minor < 20));
	size_t most = new ? MOST : MOST_OLD;
	return n > most ? (n - most + STEP - 1) / STEP * STEP : 0;
}

static bool is_medium(struct json block)
{
	return BLOCK_IS(block, "image", "document");
}

/* How many have the blocks of a content, and of the results in it? */
static size_t count(struct json content, bool in_results)
{
	size_t n = 0;
	JSON_EACH(block, content) {
		n += is_medium(block);
		if (in_results && BLOCK_IS(block, "tool_result"))
			n += count(json_get(block, "content"), false);
	}
	return n;
}

/*
 * Append a content without its first media; in a result, a text takes the place
 * of each. Is any of it left?
 */
static bool add_fewer(struct claude_media *m, struct json content,
		      bool in_result, struct buf *out)
{
	struct json_writer w = { .out = out };
	bool any = false;
	json_begin_array(&w, NULL);
	JSON_EACH(block, content) {
		struct json inner = json_get(block, "content");
		struct buf made = { 0 };
		if (m->left_out > 0 && is_medium(block)) {
			m->left_out--;
			if (in_result)
				block_write_text(&w, SPAN(REMOVED));
			continue;
		}
		any = true;
		if (m->left_out > 0 && !in_result &&
		    BLOCK_IS(block, "tool_result") && count(inner, false) > 0) {
			add_fewer(m, inner, true, &made);
			claude_write_with(&w, block, "content", &made);
		} else {
			json_write_value(&w, NULL, block);
		}
	}
	json_end_array(&w);
	return any;
}

static void send(struct claude_media *m, struct messages *to,
		 enum message_role role, struct json content)
{
	const struct message message = { .role = role,
					 .when = m->when,
					 .how = CONTENT_JSON,
					 .content = content,
					 .by_line = true };
	messages_add(to, &message);
}

void claude_media_end(struct claude_media *m, struct messages *to)
{
	static const struct json removed = {
		.raw = SPAN("[{\"type\":\"text\",\"text\":\"" REMOVED "\"}]")
	};
	if (m->emptied && !m->any)
		send(m, to, MESSAGE_USER, removed);
	m->emptied = false;
	m->any = false;
	buf_inherit(to->out, &m->body);
}

void claude_media_send(struct claude_media *m, struct messages *to,
		       enum message_role role, struct json content)
{
	size_t n = count(content, true);
	m->n += n;
	if (role != MESSAGE_USER)
		claude_media_end(m, to);
	if (m->left_out > 0 && n > 0) {
		buf_clear(&m->body);
		if (!add_fewer(m, content, false, &m->body)) {
			m->emptied = true;
			return;
		}
		content.raw = buf_span(&m->body);
	}
	m->any = m->any || role == MESSAGE_USER;
	send(m, to, role, content);
}
