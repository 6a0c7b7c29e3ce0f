#include "core/dialects/omp/omp.h"

#include "core/base/text.h"
#include "core/files/edits.h"

/* Is it the path of the call's file? Without memory the text fails. */
static bool is_path(const struct filed *call, struct json path,
		    struct file_text *t)
{
	int is = edits_is_path(call, path);
	if (is < 0)
		buf_fail(&t->text);
	return is > 0;
}

/* What the result says of the call's file; absent if it does not. */
static struct json find_file(const struct filed *call, struct json details,
			     struct file_text *t)
{
	struct json all = json_get(details, "perFileResults");
	/* Of one file, whatever the call has named it. */
	if (json_type(all) != JSON_ARRAY)
		return details;
	JSON_EACH(one, all) {
		if (is_path(call, json_get(one, "path"), t) ||
		    is_path(call, json_get(one, "sourcePath"), t))
			return one;
	}
	return (struct json){ 0 };
}

/* The result has the text before and after, unless it was long. */
static void edit(const struct filed *call, struct json details,
		 struct file_text *t)
{
	struct json file = find_file(call, details, t);
	JSON_FIELDS(f, file, op, oldText, newText);
	struct buf old BUF_SCOPED = BUF_INTO(&t->text);
	if (json_is_string(f.oldText) && t->state == FILE_IS_KNOWN) {
		edits_decode(&old, f.oldText);
		edits_see(t, buf_span(&old));
	}
	bool outside = t->outside;
	if (json_is(f.op, SPAN("delete"))) {
		file_text_lose(t, FILE_IS_DELETED);
	} else if (json_is_string(f.newText)) {
		edits_write(t, f.newText);
		t->outside = outside;
	} else if (edits_can(t)) {
		file_text_lose(t, FILE_IS_UNKNOWN);
	}
}

/*
 * Did the agent write the text as the call has it? The result says
 * "Successfully wrote N bytes", and has a note if line numbers were stripped.
 * N counts bytes since 18.3.0, and UTF-16 units before. A formatter changes N.
 * A stripped text may have as many bytes as the call's has units.
 */
static bool is_written(struct span said, struct span text)
{
	static const struct span words = SPAN("Successfully wrote ");
	const char *p =
		said.n > 0 ? memmem(said.p, said.n, words.p, words.n) : NULL;
	size_t n = 0;
	if (!p)
		return true;
	for (p += words.n; p < said.p + said.n && *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (size_t)(*p - '0');
	return n == text.n || (n == text_js_length(text) &&
			       !edits_has(said, "\nNote: auto-stripped "));
}

static void write(const struct filed *call, struct json details,
		  struct file_text *t)
{
	struct json content = json_get(call->arguments, "content");
	struct json path = json_get(details, "resolvedPath");
	struct buf said BUF_SCOPED = BUF_INTO(&t->text);
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	edits_output(call, &said);
	if (json_is_string(content))
		edits_decode(&text, content);
	else
		buf_add(&text, content.raw);
	bool is = json_type(content) != JSON_ABSENT && is_path(call, path, t) &&
		  is_written(buf_span(&said), buf_span(&text));
	if (is)
		file_text_write(t, buf_span(&text));
	else
		file_text_lose(t, FILE_IS_UNKNOWN);
	if (is && json_truthy(json_get(details, "madeExecutable")))
		t->executable = true;
}

/*
 * The lines of a text that the agent counts. If a Markdown file has a CR alone,
 * it shows the last line once more.
 */
static struct span counted_lines(struct span text, double count)
{
	double n = 0;
	for (size_t i = 0; i < text.n; i++) {
		n += text.p[i] == '\n';
		if (n >= count)
			return (struct span){ text.p, i };
	}
	return text;
}

/*
 * Does a read show each line that the agent counts, in order? Of several
 * ranges, or of one and the brackets around it, "…" stands for the lines
 * between, which may have as many bytes.
 */
static bool has_no_gap(struct json numbers, double count)
{
	double at = 0;
	JSON_EACH_WHILE(!(at >= count), number, numbers) {
		if (json_number(number) != ++at)
			return false;
	}
	return true;
}

/* What is shown lacks an end of the last line, and the size tells of it. */
static void read(struct json details, struct file_text *t)
{
	JSON_FIELDS(f, details, displayContent, fileSize, totalLines,
		    truncation, summary, meta);
	JSON_FIELDS(shown, f.displayContent, text, startLine, lineNumbers);
	struct json cut = json_at(f.meta, SPAN("limits.columnTruncated"));
	double size = json_number(f.fileSize);
	double count = json_number(f.totalLines);
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	if (!json_is_string(shown.text)) {
		edits_no_text(t);
		return;
	}
	edits_decode(&text, shown.text);
	text.len = counted_lines(buf_span(&text), count).n;
	bool whole = json_number(shown.startLine) == 1 &&
		     has_no_gap(shown.lineNumbers, count) &&
		     !json_truthy(f.truncation) && !json_truthy(f.summary) &&
		     !json_truthy(cut);
	if (whole && (double)text.len + 1 == size)
		buf_addc(&text, '\n');
	if (whole && (double)text.len == size)
		edits_see(t, buf_span(&text));
	else
		edits_part(t);
}

static int apply(const struct filed *call, struct file_text *t)
{
	struct json details = json_at(call->line, SPAN("message.details"));
	if (call->act == FILE_READ)
		read(details, t);
	else if (call->act == FILE_WRITE &&
		 json_type(json_get(call->arguments, "content")) != JSON_ABSENT)
		write(call, details, t);
	else
		edit(call, details, t);
	return 0;
}

/* A file that the same answer has moved is found under its new path. */
static struct json path(const struct filed *call)
{
	return json_at(call->line, SPAN("message.details.path"));
}

const struct dialect_filing omp_filing = { .apply = apply, .path = path };
