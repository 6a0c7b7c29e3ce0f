#include "core/dialects/claude/attachment_note.h"

#include <errno.h>

#include "core/json/js.h"

static void add_call(struct claude_making *m, const char *tool,
		     struct buf *input)
{
	buf_adds(&m->text, "Called the ");
	buf_adds(&m->text, tool);
	buf_adds(&m->text, " tool with the following input: ");
	buf_add(&m->text, buf_span(input));
	if (buf_error(input))
		m->err = -ENOMEM;
	claude_note_add(m, CLAUDE_GUARD_CLOSE);
}

static void add_read(struct claude_making *m)
{
	struct buf input = { 0 };
	struct buf name = { 0 };
	struct json_writer w = { .out = &input };
	json_decode(&name, claude_note_get(m, "filename"));
	json_begin_object(&w, NULL);
	json_write_string_buf(&w, "file_path", &name);
	json_end_object(&w);
	add_call(m, "Read", &input);
	buf_free(&name);
	buf_free(&input);
}

static bool is_plain(char c)
{
	char low = span_lower(c);
	return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_./:=@+,-", c));
}

/* As a word of the shell: in quotes, if it has other than these characters. */
static void add_word(struct buf *out, struct span word)
{
	bool plain = word.n > 0;
	for (size_t i = 0; i < word.n; i++)
		plain = plain && is_plain(word.p[i]);
	if (plain) {
		buf_add(out, word);
		return;
	}
	buf_addc(out, '\'');
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '\'')
			buf_adds(out, "'\"'\"'");
		else
			buf_addc(out, word.p[i]);
	}
	buf_addc(out, '\'');
}

void claude_note_directory(struct claude_making *m)
{
	struct buf input = { 0 };
	struct buf path = { 0 };
	struct buf text = { 0 };
	struct json_writer w = { .out = &input };
	json_decode(&path, claude_note_get(m, "path"));
	json_begin_object(&w, NULL);
	buf_adds(&text, "ls ");
	add_word(&text, buf_span(&path));
	json_write_string_buf(&w, "command", &text);
	buf_clear(&text);
	buf_adds(&text, "Lists files in ");
	buf_add(&text, buf_span(&path));
	json_write_string_buf(&w, "description", &text);
	json_end_object(&w);
	add_call(m, "Bash", &input);
	buf_adds(&m->text, "Result of calling the Bash tool:\n");
	json_decode(&m->text, claude_note_get(m, "content"));
	claude_note_add(m, CLAUDE_GUARD_NONE);
	buf_free(&text);
	buf_free(&path);
	buf_free(&input);
}

static void add_numbered(struct buf *out, struct span s, double number)
{
	while (true) {
		const char *end = s.n > 0 ? memchr(s.p, '\n', s.n) : NULL;
		struct span line = { s.p, end ? (size_t)(end - s.p) : s.n };
		size_t skip = line.n + 1;
		if (end && line.n > 0 && line.p[line.n - 1] == '\r')
			line.n--;
		js_add_number(out, number++);
		buf_addc(out, '\t');
		buf_add(out, line);
		if (!end)
			break;
		buf_addc(out, '\n');
		s = (struct span){ s.p + skip, s.n - skip };
	}
}

static void add_no_lines(struct claude_making *m, struct json file)
{
	double lines = json_number(json_get(file, "numLines"));
	double total = json_number(json_get(file, "totalLines"));
	if (lines >= 1 && total > 1) {
		js_to_string(&m->text, json_get(file, "startLine"));
		buf_addc(&m->text, '\t');
	} else if (lines >= 1 || total == 0) {
		buf_adds(&m->text, CLAUDE_OPEN_TAG
			 "Warning: the file exists but the contents "
			 "are empty." CLAUDE_CLOSE_TAG);
	} else {
		buf_adds(&m->text, CLAUDE_OPEN_TAG
			 "Warning: the file exists but is shorter "
			 "than the provided offset (");
		js_to_string(&m->text, json_get(file, "startLine"));
		buf_adds(&m->text, "). The file has ");
		js_to_string(&m->text, json_get(file, "totalLines"));
		buf_adds(&m->text, " lines." CLAUDE_CLOSE_TAG);
	}
}

static void add_hidden_tag_note(struct claude_making *m)
{
	claude_note_format(
		m, "Note: {/filename} is not shown exactly as it is on "
		   "disk. Each closing system-reminder tag in it starts "
		   "with `<` on disk and is shown above with `&lt;` "
		   "instead, so that it cannot end the reminder around "
		   "the text.");
}

static void add_file_text(struct claude_making *m, struct json file)
{
	struct buf content = { 0 };
	struct buf guarded = { 0 };
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
		add_hidden_tag_note(m);
		claude_note_add(m, CLAUDE_GUARD_NONE);
	}
	if (buf_error(&content) || buf_error(&guarded))
		m->err = -ENOMEM;
	buf_free(&guarded);
	buf_free(&content);
	if (!json_truthy(claude_note_get(m, "truncated")))
		return;
	claude_note_format(
		m, "Note: The file {/filename} was too large and has been "
		   "truncated to the first 2000 lines. No need to mention "
		   "the truncation. Use Read to read more of the file if "
		   "you need.");
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
	struct json content = claude_note_get(m, "content");
	return JSON_IS(json_get(content, "type"), "image", "text");
}

void claude_note_file(struct claude_making *m)
{
	struct json content = claude_note_get(m, "content");
	struct json file = json_get(content, "file");
	if (!claude_note_shows_file(m))
		return;
	add_read(m);
	if (json_is(json_get(content, "type"), SPAN("image")))
		add_picture(m, file);
	else
		add_file_text(m, file);
}

void claude_note_edited(struct claude_making *m)
{
	struct buf snippet = { 0 };
	struct buf guarded = { 0 };
	json_decode(&snippet, claude_note_get(m, "snippet"));
	claude_add_guarded(&guarded, buf_span(&snippet), CLAUDE_GUARD_CLOSE);
	claude_note_format(
		m, "Note: {/filename} changed on disk since you last read "
		   "it. That's usually deliberate, so take it as the "
		   "current state rather than reverting it; if the change "
		   "looks wrong, say so rather than undoing it yourself "
		   "\u2014 otherwise no need to call it out. ");
	if (snippet.len == 0) {
		buf_adds(&m->text, "The changes are not shown here; use Read "
				   "if you need the current content.");
	} else {
		buf_adds(&m->text, "Here are the relevant changes (shown with "
				   "line numbers):\n");
		buf_add(&m->text, buf_span(&guarded));
	}
	if (guarded.len != snippet.len) {
		buf_addc(&m->text, '\n');
		add_hidden_tag_note(m);
	}
	if (buf_error(&snippet) || buf_error(&guarded))
		m->err = -ENOMEM;
	claude_note_add(m, CLAUDE_GUARD_NONE);
	buf_free(&guarded);
	buf_free(&snippet);
}
