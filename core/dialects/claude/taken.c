/*
 * What is taken of a user's line for other agents (MESSAGE_FORM_TAKEN).
 */
#include "core/dialects/claude/attachment_note.h"

struct taking {
	bool cut;  /* something was left out */
	bool rest; /* something is left */
};

/* Append a string without its reminders. */
static void add_text(struct taking *x, struct json text, struct buf *out)
{
	struct buf decoded = { 0 };
	json_decode(&decoded, text);
	struct span rest = buf_span(&decoded);
	if (claude_cut_reminders(&rest)) {
		json_quote(out, rest);
		x->cut = true;
	} else {
		buf_add(out, text.raw);
	}
	x->rest = x->rest || rest.n > 0;
	buf_free_into(&decoded, out);
}

static void write_text(struct taking *x, struct json_writer *w,
		       struct json block)
{
	struct buf text = { 0 };
	add_text(x, json_get(block, "text"), &text);
	claude_write_with(w, block, "text", &text);
}

static void write_result(struct taking *x, struct json_writer *w,
			 struct json block)
{
	struct json content = json_get(block, "content");
	struct buf made = { 0 };
	struct json_writer parts = { .out = &made };
	if (json_is_string(content)) {
		add_text(x, content, &made);
	} else if (json_type(content) == JSON_ARRAY) {
		json_begin_array(&parts, NULL);
		JSON_EACH(part, content) {
			if (BLOCK_IS(part, "text"))
				write_text(x, &parts, part);
			else
				json_write_value(&parts, NULL, part);
		}
		json_end_array(&parts);
	}
	x->rest = true;
	if (made.len > 0)
		claude_write_with(w, block, "content", &made);
	else
		json_write_value(w, NULL, block);
}

static void add_content(struct taking *x, struct json content, struct buf *out)
{
	struct json_writer w = { .out = out };
	if (json_is_string(content)) {
		add_text(x, content, out);
		return;
	}
	json_begin_array(&w, NULL);
	JSON_EACH(block, content) {
		if (BLOCK_IS(block, "text")) {
			write_text(x, &w, block);
		} else if (BLOCK_IS(block, "tool_result")) {
			write_result(x, &w, block);
		} else {
			json_write_value(&w, NULL, block);
			x->rest = true;
		}
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
	add_content(&x, content, out);
	if (!x.cut)
		out->len = from;
	return x.rest || !x.cut;
}

static void add_bare(struct json text, struct buf *out)
{
	struct buf decoded = { 0 };
	struct buf bare = { 0 };
	json_decode(&decoded, text);
	claude_add_bare(&bare, buf_span(&decoded));
	json_quote(out, claude_note_typed(buf_span(&bare)));
	buf_free_into(&decoded, out);
	buf_free_into(&bare, out);
}

void claude_take_bare(struct json content, struct buf *out)
{
	struct json_writer w = { .out = out };
	if (json_is_string(content)) {
		add_bare(content, out);
		return;
	}
	json_begin_array(&w, NULL);
	JSON_EACH(block, content) {
		struct buf text = { 0 };
		if (BLOCK_IS(block, "text"))
			add_bare(json_get(block, "text"), &text);
		if (text.len > 0)
			claude_write_with(&w, block, "text", &text);
		else
			json_write_value(&w, NULL, block);
	}
	json_end_array(&w);
}
