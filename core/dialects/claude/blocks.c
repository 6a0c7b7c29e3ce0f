/*
 * What a block of the API's messages is. Contents are strings, or arrays of
 * blocks; a walk over a string has no blocks.
 */
#include "core/dialects/claude/claude.h"

#include "core/json/writer.h"

bool claude_has_block(struct json content, const char *type)
{
	JSON_EACH(block, content) {
		if (json_is(json_get(block, "type"), span_of(type)))
			return true;
	}
	return false;
}

void claude_write_with(struct json_writer *w, struct json block,
		       const char *key, struct buf *value)
{
	const struct json_change change = { key, buf_span(value) };
	struct buf *out = json_begin_value(w, NULL);
	json_splice(out, block, &change, 1);
	buf_free_into(value, out);
}
