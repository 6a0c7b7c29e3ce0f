#include "core/dialects/claude/attachment_note.h"

#include "core/json/js.h"

#define HIDDEN_TAG                                                             \
	"Note: {/filename} is not shown exactly as it is on disk. Each "       \
	"closing system-reminder tag in it starts with `<` on disk and is "    \
	"shown above with `&lt;` instead, so that it cannot end the reminder " \
	"around the text."

/* Begin the call of a tool; the caller writes its input. */
static struct json_writer begin_call(struct claude_making *m, const char *tool)
{
	struct json_writer w = { .out = &m->text };
	buf_addf(&m->text,
		 "Called the %s tool with the following input: ", tool);
	json_begin_object(&w, NULL);
	return w;
}

static void end_call(struct claude_making *m, struct json_writer *w)
{
	json_end_object(w);
	claude_note_add(m, CLAUDE_GUARD_CLOSE);
}

/* As a word of the shell: in quotes, if it has other than these characters. */
static void add_word(struct buf *out, struct span word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:=@+,-";
	size_t i = 0;
	while (i < word.n && memchr(plain, word.p[i], sizeof(plain) - 1))
		i++;
	if (i > 0 && i == word.n) {
		buf_add(out, word);
		return;
	}
	buf_addc(out, '\'');
	for (i = 0; i < word.n; i++) {
		if (word.p[i] == '\'')
			buf_adds(out, "'\"'\"'");
		else
			buf_addc(out, word.p[i]);
	}
	buf_addc(out, '\'');
}

void claude_note_directory(struct claude_making *m)
{
	struct buf path BUF_SCOPED = BUF_INTO(&m->text);
	struct buf text BUF_SCOPED = BUF_INTO(&m->text);
	struct json_writer w = begin_call(m, "Bash");
	json_decode(&path, claude_note_get(m, "path"));
	buf_adds(&text, "ls ");
	add_word(&text, buf_span(&path));
	json_write_string_buf(&w, "command", &text);
	buf_clear(&text);
	buf_adds(&text, "Lists files in ");
	buf_add(&text, buf_span(&path));
	json_write_string_buf(&w, "description", &text);
	end_call(m, &w);
	buf_adds(&m->text, "Result of calling the Bash tool:\n");
	json_decode(&m->text, claude_note_get(m, "content"));
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

static void add_numbered(struct buf *out, struct span s, double number)
{
	for (bool ends = true; ends;) {
		size_t n = s.n;
		struct span line = span_next_line(&s);
		ends = line.n < n;
		if (ends && span_ends(line, SPAN("\r")))
			line.n--;
		js_add_number(out, number++);
		buf_addc(out, '\t');
		buf_add(out, line);
		buf_adds(out, ends ? "\n" : "");
	}
}

static void add_no_lines(struct claude_making *m, struct json file)
{
	double lines = json_number(json_get(file, "numLines"));
	double total = json_number(json_get(file, "totalLines"));
	const char *text =
		CLAUDE_OPEN_TAG "Warning: the file exists but is shorter than "
				"the provided offset ({startLine}). The file "
				"has {totalLines} lines." CLAUDE_CLOSE_TAG;
	if (lines >= 1 && total > 1)
		text = "{startLine}\t";
	else if (lines >= 1 || total == 0)
		text = CLAUDE_OPEN_TAG
			"Warning: the file exists but the contents are "
			"empty." CLAUDE_CLOSE_TAG;
	claude_note_format(m, file, text);
}

static void add_file_text(struct claude_making *m, struct json file)
{
	struct buf content BUF_SCOPED = BUF_INTO(&m->text);
	struct buf guarded BUF_SCOPED = BUF_INTO(&m->text);
	json_decode(&content, json_get(file, "content"));
	claude_add_guarded(&guarded, buf_span(&content), CLAUDE_GUARD_CLOSE);
	buf_adds(&m->text, "Result of calling the Read tool:\n");
	if (content.len > 0)
		add_numbered(&m->text, buf_span(&guarded),
			     json_number(json_get(file, "startLine")));
	else
		add_no_lines(m, file);
	claude_note_add(m, CLAUDE_GUARD_NONE);
	if (guarded.len != content.len) {
		claude_note_format(m, m->attachment, HIDDEN_TAG);
		claude_note_add(m, CLAUDE_GUARD_NONE);
	}
	if (!json_truthy(claude_note_get(m, "truncated")))
		return;
	claude_note_format(
		m, m->attachment,
		"Note: The file {/filename} was too large and has been "
		"truncated to the first 2000 lines. No need to mention the "
		"truncation. Use Read to read more of the file if you need.");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

static void add_picture(struct claude_making *m, struct json file)
{
	claude_note_begin(m);
	m->texts = false;
	json_begin_object(&m->w, NULL);
	json_write_word(&m->w, "type", "image");
	json_begin_object(&m->w, "source");
	json_write_word(&m->w, "type", "base64");
	json_write_value(&m->w, "data", json_get(file, "base64"));
	json_write_value(&m->w, "media_type", json_get(file, "type"));
	json_end_object(&m->w);
	json_end_object(&m->w);
	claude_note_end(m);
}

bool claude_note_shows_file(const struct claude_making *m)
{
	struct json type = json_at(m->attachment, SPAN("content.type"));
	return JSON_IS(type, "image", "text");
}

void claude_note_file(struct claude_making *m)
{
	struct json content = claude_note_get(m, "content");
	struct buf name BUF_SCOPED = { 0 };
	struct json_writer w = begin_call(m, "Read");
	json_decode(&name, claude_note_get(m, "filename"));
	json_write_string_buf(&w, "file_path", &name);
	end_call(m, &w);
	if (json_is(json_get(content, "type"), SPAN("image")))
		add_picture(m, json_get(content, "file"));
	else
		add_file_text(m, json_get(content, "file"));
}

void claude_note_edited(struct claude_making *m)
{
	struct buf snippet BUF_SCOPED = BUF_INTO(&m->text);
	struct buf guarded BUF_SCOPED = BUF_INTO(&m->text);
	json_decode(&snippet, claude_note_get(m, "snippet"));
	claude_add_guarded(&guarded, buf_span(&snippet), CLAUDE_GUARD_CLOSE);
	claude_note_format(
		m, m->attachment,
		"Note: {/filename} changed on disk since you last read it. "
		"That's usually deliberate, so take it as the current state "
		"rather than reverting it; if the change looks wrong, say so "
		"rather than undoing it yourself \u2014 otherwise no need to "
		"call it out. ");
	buf_adds(&m->text,
		 snippet.len == 0
			 ? "The changes are not shown here; use Read if you "
			   "need the current content."
			 : "Here are the relevant changes (shown with line "
			   "numbers):\n");
	buf_add(&m->text, buf_span(&guarded));
	if (guarded.len != snippet.len)
		claude_note_format(m, m->attachment, "\n" HIDDEN_TAG);
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

/* Write the blocks of a part of a resource; false if there are none. */
static bool write_resource(struct claude_making *m, struct json part)
{
	JSON_FIELDS(f, part, text, mimeType, blob);
	if (json_is_string(f.text)) {
		buf_adds(&m->text, "Full contents of resource:");
		claude_note_write(m, CLAUDE_GUARD_NONE);
		json_decode(&m->text, f.text);
		claude_note_write(m, CLAUDE_GUARD_WHOLE);
		buf_adds(&m->text, "Do NOT read this resource again unless you "
				   "think it may have changed, since you "
				   "already have the full contents.");
		claude_note_write(m, CLAUDE_GUARD_NONE);
		return true;
	}
	if (json_type(f.blob) == JSON_ABSENT)
		return false;
	claude_note_format(m, part,
			   json_type(f.mimeType) == JSON_ABSENT
				   ? "[Binary content: "
				     "application/octet-stream]"
				   : "[Binary content: {/mimeType}]");
	claude_note_write(m, CLAUDE_GUARD_NONE);
	return true;
}

void claude_note_resource(struct claude_making *m)
{
	struct json contents = json_at(m->attachment, SPAN("content.contents"));
	bool any = false;
	claude_note_begin(m);
	JSON_EACH(part, contents)
		any = write_resource(m, part) || any;
	if (any) {
		claude_note_end(m);
		return;
	}
	m->to->json.len = m->from;
	claude_note_format(m, m->attachment,
			   "<mcp-resource server=\"{\"server}\" "
			   "uri=\"{\"uri}\">(");
	buf_adds(&m->text, json_has_elements(contents)
				   ? "No displayable content"
				   : "No content");
	buf_adds(&m->text, ")</mcp-resource>");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}
