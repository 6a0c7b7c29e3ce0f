#include "core/base/text.h"
#include "core/dialects/kit/backups.h"
#include "core/dialects/qwen/qwen.h"
#include "core/files/edits.h"
#include "core/json/timestamp.h"

/* Write a text that is given with LF: if any line ended with CRLF, all do. */
static void write(struct file_text *t, struct span text, bool crlf)
{
	edits_write_lf(t, text, crlf || edits_has(buf_span(&t->text), "\r\n"));
}

/* Has it the text, but for ends of lines? True, too, without memory. */
static bool has_same_lf(struct file_text *t, const struct buf *text)
{
	struct buf lf BUF_SCOPED = BUF_INTO(&t->text);
	edits_add_lf(&lf, buf_span(text));
	int same = edits_same_lf(buf_span(&t->text), buf_span(&lf));
	if (same < 0)
		buf_fail(&t->text);
	return same || lf.failed;
}

/* What the file was before the call. An empty text may be no file. */
static void see_before(struct file_text *t, struct json original)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	if (!json_has_text(original) || t->state != FILE_IS_KNOWN)
		return;
	edits_decode(&text, original);
	if (!has_same_lf(t, &text))
		edits_see(t, buf_span(&text));
}

/* An edit whose result is cut: literally. */
static void follow(const struct filed *call, struct file_text *t)
{
	JSON_FIELDS(f, call->arguments, old_string, new_string, replace_all);
	struct file_text lf = { .state = FILE_IS_KNOWN };
	struct buf old BUF_SCOPED = BUF_INTO(&t->text);
	struct buf new BUF_SCOPED = BUF_INTO(&t->text);
	if (!edits_can(t))
		return;
	edits_decode(&old, f.old_string);
	edits_decode(&new, f.new_string);
	edits_add_lf(&lf.text, edits_after_bom(buf_span(&t->text)));
	edits_take_line_end(&old, buf_span(&new), buf_span(&lf.text));
	if (edits_replace(&lf, buf_span(&old), buf_span(&new),
			  json_truthy(f.replace_all)))
		write(t, buf_span(&lf.text), false);
	else
		file_text_lose(t, FILE_IS_UNFIT);
	buf_free_into(&lf.text, &t->text);
}

/* The result has the whole text, with LF, unless it was long. */
static void edit(const struct filed *call, struct json told,
		 struct file_text *t)
{
	JSON_FIELDS(f, told, originalContent, newContent,
		    originalContentTruncated, newContentTruncated);
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	if (!json_truthy(f.originalContentTruncated))
		see_before(t, f.originalContent);
	if (!json_is_string(f.newContent) ||
	    json_truthy(f.newContentTruncated)) {
		follow(call, t);
		return;
	}
	edits_decode(&text, f.newContent);
	write(t, buf_span(&text), false);
}

static void write_file(const struct filed *call, struct json told,
		       struct file_text *t)
{
	struct json content = json_get(call->arguments, "content");
	struct json original = json_get(told, "originalContent");
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	struct buf old BUF_SCOPED = BUF_INTO(&t->text);
	if (!json_is_string(content)) {
		file_text_lose(t, FILE_IS_UNKNOWN);
		return;
	}
	edits_decode(&text, content);
	edits_decode(&old, original);
	bool crlf = edits_has(buf_span(&old), "\r\n");
	/* It was there, and may not be what is known. */
	bool cut = json_truthy(json_get(told, "originalContentTruncated"));
	if (t->state == FILE_IS_KNOWN && !cut && !has_same_lf(t, &old))
		file_text_lose(t, FILE_IS_PART);
	write(t, buf_span(&text), crlf);
}

/* Append a text as reads show it: without white space at the ends of lines. */
static void add_trimmed(struct buf *out, struct span text)
{
	text = edits_after_bom(text);
	while (text.n > 0) {
		struct span line = span_next_line(&text);
		bool ends = line.p + line.n < text.p;
		buf_add(out, text_trim_end(line));
		buf_adds(out, ends ? "\n" : "");
	}
}

static void read(const struct filed *call, struct json told,
		 struct file_text *t)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	struct buf known BUF_SCOPED = BUF_INTO(&t->text);
	bool all = edits_output(call, &text);
	if (t->state == FILE_IS_KNOWN)
		add_trimmed(&known, buf_span(&t->text));
	bool same = t->state == FILE_IS_KNOWN &&
		    span_eq(buf_span(&known), buf_span(&text));
	if (!all)
		edits_no_text(t);
	else if (!json_is(told, SPAN("")))
		edits_part(t);
	else if (!same)
		edits_see(t, buf_span(&text));
}

static int apply(const struct filed *call, struct file_text *t)
{
	struct json told =
		json_at(call->line, SPAN("toolCallResult.resultDisplay"));
	if (call->act == FILE_READ)
		read(call, told, t);
	else if (call->act == FILE_WRITE)
		write_file(call, told, t);
	else
		edit(call, told, t);
	return 0;
}

/* -- files that were saved */

static bool is_record(struct json line)
{
	return json_is(json_get(line, "subtype"),
		       SPAN("file_history_snapshot"));
}

/* When the last record before an entry in the file was written. */
static int find_before(const struct session *s, uint32_t entry, int64_t *time)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = 0;
	*time = TIMESTAMP_NONE;
	while (!err && *time == TIMESTAMP_NONE && entry-- > 0) {
		const struct entry *e = session_entry(s, entry);
		if (e->type != ENTRY_SILENT)
			continue;
		err = session_peek(s, entry, &line, NULL, &json);
		if (!err && is_record(json))
			*time = e->time;
	}
	return err;
}

/* Records repeat those before them, also of branches: what is new was saved
 * since the last one. */
static int saved(const struct session *s, struct json line,
		 struct saved_files *to)
{
	struct json last = { 0 };
	int64_t before;
	/* That of the last prompt. */
	JSON_EACH(snapshot, json_at(line, SPAN("systemPayload.snapshots")))
		last = snapshot;
	struct json files = json_get(last, "trackedFileBackups");
	if (!is_record(line) || json_type(files) != JSON_OBJECT)
		return 0;
	int err = find_before(s, to->entry, &before);
	JSON_EACH_MEMBER_WHILE(!err, path, backup, files) {
		int64_t time = timestamp_parse(json_get(backup, "backupTime"));
		if (time != TIMESTAMP_NONE &&
		    (before == TIMESTAMP_NONE || time > before))
			err = backups_tell(s, path, backup, to);
	}
	return err;
}

const struct dialect_filing qwen_filing = {
	.apply = apply,
	.saved = saved,
	.saved_types = ENTRY_BIT(ENTRY_SILENT),
};
