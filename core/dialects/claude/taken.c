/*
 * What is taken of a user's line for other agents (MESSAGE_FORM_TAKEN).
 */
#include "core/dialects/claude/attachment_note.h"

struct taking {
	bool bare; /* reminders stay, but without their tags */
	bool cut;  /* something was left out */
	bool rest; /* something is left */
};

/* Append a string without its reminders, or their tags. */
static void add_text(struct taking *x, struct json text, struct buf *out)
{
	struct buf decoded BUF_SCOPED = BUF_INTO(out);
	struct buf bare BUF_SCOPED = BUF_INTO(out);
	json_decode(&decoded, text);
	struct span rest = buf_span(&decoded);
	if (x->bare) {
		claude_add_bare(&bare, rest);
		json_quote(out, claude_note_typed(buf_span(&bare)));
	} else if (claude_cut_reminders(&rest)) {
		json_quote(out, rest);
		x->cut = true;
	} else {
		buf_add(out, text.raw);
	}
	x->rest = x->rest || rest.n > 0;
}

/* Append a content with such texts; nothing if there is none. */
static void add_content(struct taking *x, struct json content, bool in_result,
			struct buf *out)
{
	struct json_writer w = { .out = out };
	if (json_is_string(content))
		add_text(x, content, out);
	if (json_type(content) != JSON_ARRAY)
		return;
	json_begin_array(&w, NULL);
	JSON_EACH(block, content) {
		struct buf made = { 0 };
		bool text = BLOCK_IS(block, "text");
		if (text)
			add_text(x, json_get(block, "text"), &made);
		else if (BLOCK_IS(block, "tool_result") && !x->bare &&
			 !in_result)
			add_content(x, json_get(block, "content"), true, &made);
		x->rest = x->rest || !text;
		if (made.len > 0 || made.failed)
			claude_write_with(&w, block, text ? "text" : "content",
					  &made);
		else
			json_write_value(&w, NULL, block);
	}
	json_end_array(&w);
}

/* Before the commands that a person ran. */
static bool is_caveat(struct json content)
{
	return span_starts(content.raw, SPAN("\"<local-command-caveat>")) ||
	       span_starts(content.raw, SPAN("\"Caveat: The messages below "));
}

bool claude_take(struct json content, struct buf *out)
{
	static const struct span tag = SPAN(CLAUDE_CLOSE_TAG);
	struct taking x = { .cut = false };
	size_t from = out->len;
	if (is_caveat(content))
		return false;
	if (!memmem(content.raw.p, content.raw.n, tag.p, tag.n))
		return true;
	add_content(&x, content, false, out);
	if (!x.cut)
		out->len = from;
	return x.rest || !x.cut;
}

void claude_take_bare(struct json content, struct buf *out)
{
	struct taking x = { .bare = true };
	add_content(&x, content, false, out);
}
