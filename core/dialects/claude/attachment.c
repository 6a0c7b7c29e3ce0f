#include "core/dialects/claude/attachment.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/claude/attachment_note.h"
#include "core/session/block.h"

static bool always(const struct claude_making *m)
{
	(void)m;
	return true;
}

static const struct maker {
	struct span type;
	void (*add)(struct claude_making *m);
	/* Does add() make a note? NULL: it has to be tried, and the text is
	 * short. */
	bool (*adds)(const struct claude_making *m);
} makers[] = {
	{ SPAN("async_hook_response"), claude_note_async_hook, NULL },
	{ SPAN("diagnostics"), claude_note_diagnostics, NULL },
	{ SPAN("directory"), claude_note_directory, always },
	{ SPAN("edited_text_file"), claude_note_edited, always },
	{ SPAN("file"), claude_note_file, claude_note_shows_file },
	{ SPAN("mcp_resource"), claude_note_resource, NULL },
	{ SPAN("output_style"), claude_note_output_style, NULL },
	{ SPAN("plan_file_reference"), claude_note_plan_file, NULL },
	{ SPAN("plan_mode_exit"), claude_note_plan_exit, NULL },
	{ SPAN("queued_command"), claude_note_queued, NULL },
	{ SPAN("relevant_memories"), claude_note_memories, NULL },
	{ SPAN("selected_lines_in_diff"), claude_note_diff_lines, NULL },
	{ SPAN("selected_lines_in_ide"), claude_note_ide_lines, NULL },
	{ SPAN("task_status"), claude_note_task, NULL },
};

static void add_by_type(struct claude_making *m)
{
	const struct maker *maker = JSON_ROW(m->type, makers);
	if (maker)
		maker->add(m);
	else
		claude_note_texts(m);
}

static bool is_rendered_text(struct json block)
{
	struct json text = json_get(block, "text");
	return claude_note_is_block(block, SPAN("text")) &&
	       json_type(text) == JSON_STRING && json_truthy(text);
}

static bool is_rendered(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	if (!claude_note_is_filled(content))
		return false;
	if (json_type(content) == JSON_STRING)
		return true;
	while (json_next_element(&w, &block)) {
		if (!is_rendered_text(block))
			return false;
	}
	return true;
}

static bool all_rendered(struct json rendered)
{
	struct json_walk w = json_walk(rendered);
	struct json element;
	if (json_type(rendered) != JSON_ARRAY || !json_has_members(rendered))
		return false;
	while (json_next_element(&w, &element)) {
		if (!is_rendered(json_get(element, "content")))
			return false;
	}
	return true;
}

static void add_rendered(struct claude_making *m, struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	claude_note_begin(m);
	if (json_type(content) == JSON_STRING)
		block_write_text_value(&m->w, content);
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block))
		block_write_text_value(&m->w, json_get(block, "text"));
	claude_note_end(m);
}

/* Does the agent set these files and hooks apart from the result? */
static bool stays_block(const struct claude_making *m)
{
	struct json hook = claude_note_get(m, "hookName");
	if (claude_note_is_type(m, SPAN("hook_additional_context")))
		return JSON_IS(hook, "prompt.submit", "prompt.mention");
	return claude_note_is_type(m, SPAN("file")) ||
	       claude_note_is_type(m, SPAN("directory")) ||
	       claude_note_is_type(m, SPAN("nested_memory"));
}

static void set_role(struct claude_making *m)
{
	struct json role = json_get(m->line, "renderedRole");
	bool user_role = json_is(role, SPAN("user"));
	if (!user_role && !json_is(role, SPAN("system")))
		m->to->as_system = !claude_note_is_type(m, SPAN("plugin_note"));
	else
		m->to->as_system = !user_role;
	m->to->as_block = user_role && stays_block(m);
}

/* Does the agent answer it in a turn of its own, as what a user says? */
static bool is_own(const struct claude_making *m)
{
	return claude_note_is_type(m, SPAN("queued_command")) &&
	       json_type(claude_note_get(m, "hostsOwnTurn")) == JSON_TRUE &&
	       !json_truthy(claude_note_get(m, "isMeta")) &&
	       json_type(claude_note_get(m, "origin")) == JSON_ABSENT &&
	       m->to->n == 1;
}

int claude_attachment(struct json line, struct claude_notes *to)
{
	struct claude_making m = { .to = to,
				   .line = line,
				   .attachment = json_get(line, "attachment") };
	struct json rendered = json_get(line, "rendered");
	struct json_walk w = json_walk(rendered);
	struct json element;
	to->n = 0;
	to->own_words = false;
	buf_clear(&to->json);
	m.type = json_get(m.attachment, "type");
	if (json_type(m.type) != JSON_STRING)
		return 0;
	set_role(&m);
	if (all_rendered(rendered)) {
		while (json_next_element(&w, &element))
			add_rendered(&m, json_get(element, "content"));
	} else {
		add_by_type(&m);
	}
	to->own_words = is_own(&m);
	buf_free(&m.text);
	buf_free(&m.guarded);
	return m.err ? m.err : buf_error(&to->json);
}

int claude_attachment_is_sent(struct json line, bool *sent)
{
	struct claude_making m = { .attachment = json_get(line, "attachment") };
	struct claude_notes notes = { 0 };
	int err = 0;
	m.type = json_get(m.attachment, "type");
	const struct maker *maker = JSON_ROW(m.type, makers);
	if (all_rendered(json_get(line, "rendered"))) {
		*sent = json_type(m.type) == JSON_STRING;
	} else if (!maker) {
		*sent = claude_note_has_text(&m);
	} else if (maker->adds) {
		*sent = maker->adds(&m);
	} else {
		err = claude_attachment(line, &notes);
		*sent = notes.n > 0;
	}
	claude_notes_free(&notes);
	return err;
}

void claude_notes_free(struct claude_notes *notes)
{
	free(notes->list);
	buf_free(&notes->json);
	*notes = (struct claude_notes){ 0 };
}

struct json claude_note_blocks(const struct claude_notes *notes, size_t i)
{
	const struct claude_note *note = &notes->list[i];
	return (struct json){ .raw = { notes->json.data + note->from,
				       note->to - note->from } };
}

static void add_bare_texts(struct buf *out, struct json blocks, bool *first)
{
	struct json_walk w = json_walk(blocks);
	struct json block;
	struct buf text = { 0 };
	while (json_next_element(&w, &block)) {
		buf_clear(&text);
		json_decode(&text, json_get(block, "text"));
		if (!*first)
			buf_addc(out, '\n');
		*first = false;
		claude_add_bare(out, buf_span(&text));
		if (text.failed)
			out->failed = true;
	}
	buf_free(&text);
}

bool claude_notes_add_bare(const struct claude_notes *notes, struct buf *out)
{
	bool first = true;
	for (size_t i = 0; i < notes->n; i++) {
		if (!notes->list[i].texts)
			return false;
	}
	for (size_t i = 0; i < notes->n; i++)
		add_bare_texts(out, claude_note_blocks(notes, i), &first);
	return true;
}

bool claude_attachment_text(struct json line, struct buf *out)
{
	struct claude_notes notes = { 0 };
	bool failed = claude_attachment(line, &notes) < 0;
	bool any = !failed && notes.n > 0 && claude_notes_add_bare(&notes, out);
	if (failed)
		out->failed = true;
	claude_notes_free(&notes);
	return any || failed;
}
