/*
 * What a block of the API's messages is. Contents are strings, or arrays of
 * blocks; a walk over a string has no blocks.
 */
#include "core/dialects/claude/claude.h"

#include "core/base/text.h"
#include "core/dialects/kit/ingest.h"
#include "core/json/splice.h"

bool claude_is_blank(struct json text)
{
	struct buf scratch = { 0 };
	/* Nearly all texts begin with a letter. */
	if (!json_is_string(text) ||
	    (text.raw.n > 2 && text.raw.p[1] > ' ' && text.raw.p[1] != '\\'))
		return !json_is_string(text);
	bool blank = text_trim(ingest_string(&scratch, text)).n == 0 &&
		     !scratch.failed;
	buf_free(&scratch);
	return blank;
}

void claude_write_with(struct json_writer *w, struct json block,
		       const char *key, struct buf *value)
{
	const struct json_change change = { key, buf_span(value) };
	struct buf *out = json_begin_value(w, NULL);
	json_splice(out, block, &change, 1);
	buf_free_into(value, out);
}
