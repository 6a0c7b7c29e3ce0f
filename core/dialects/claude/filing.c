#include <ctype.h>

#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/state.h"
#include "core/dialects/kit/backups.h"
#include "core/files/edits.h"
#include "core/json/js.h"

/* -- edits */

/* One replacement, in a text whose ends of lines are LF. */
struct edit {
	struct buf old;
	struct buf new;
	bool all;
};

static bool replace(struct file_text *t, struct edit *e)
{
	/* The file was empty, but for a mark. */
	if (e->old.len == 0) {
		bool bom = span_starts(buf_span(&t->text), SPAN(EDITS_BOM));
		size_t from = bom ? 3 : 0;
		file_text_splice(t, from, t->text.len - from,
				 buf_span(&e->new));
		return true;
	}
	edits_take_line_end(&e->old, buf_span(&e->new), buf_span(&t->text));
	return edits_replace(t, buf_span(&e->old), buf_span(&e->new), e->all);
}

/* Are most of the ends of lines at the start of a text CRLF? */
static bool is_mostly_crlf(struct span text)
{
	size_t lf = 0;
	size_t crlf = 0;
	for (size_t i = 0; i < text.n && i < 4096; i++) {
		bool is = text.p[i] == '\n';
		bool cr = is && i > 0 && text.p[i - 1] == '\r';
		crlf += cr;
		lf += is && !cr;
	}
	return crlf > lf;
}

/* The same in any text: it is read with LF, and written as it was. */
static bool replace_any(struct file_text *t, struct edit *e)
{
	struct span text = buf_span(&t->text);
	struct file_text lf = { .state = FILE_IS_KNOWN };
	if (!edits_has(text, "\r\n"))
		return replace(t, e);
	edits_add_lf(&lf.text, text);
	bool fits = replace(&lf, e);
	if (fits)
		edits_write_lf(t, buf_span(&lf.text), is_mostly_crlf(text));
	buf_free_into(&lf.text, &t->text);
	return fits;
}

/*
 * A text that was seen without its mark of byte order, and with LF for CRLF, is
 * the one that is known if that would be seen so, too. 1: it is; 0 or -errno.
 */
static int see(struct file_text *t, struct span text)
{
	int same = t->state == FILE_IS_KNOWN
			   ? edits_same_lf(buf_span(&t->text), text)
			   : 0;
	if (same == 0)
		edits_see(t, text);
	return same;
}

/* What the file was before the call, if the result says so. */
static int see_before(struct file_text *t, struct json original)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	if (!json_is_string(original))
		return 0;
	edits_decode(&text, original);
	int same = see(t, buf_span(&text));
	bool bom = span_starts(buf_span(&text), SPAN(EDITS_BOM));
	bool had = span_starts(buf_span(&t->text), SPAN(EDITS_BOM));
	/* Reads do not show it, and this does. */
	if (same > 0 && bom != had)
		file_text_splice(t, 0, had ? 3 : 0,
				 bom ? SPAN(EDITS_BOM) : SPAN(""));
	return same < 0 ? same : 0;
}

static struct json first_of(struct json a, struct json b)
{
	return json_type(a) != JSON_ABSENT ? a : b;
}

/* The result has what was found, and what the user has made of it. */
static int edit(const struct filed *call, struct json told, struct file_text *t)
{
	JSON_FIELDS(a, call->arguments, old_string, new_string, replace_all,
		    old_str, new_str, replace_name);
	JSON_FIELDS(r, told, oldString, newString, originalFile, replaceAll,
		    staged);
	struct json asked = first_of(a.old_string, a.old_str);
	struct json all =
		first_of(r.replaceAll, first_of(a.replace_all, a.replace_name));
	struct json new =
		first_of(r.newString, first_of(a.new_string, a.new_str));
	struct edit e = { .all = json_truthy(all) };
	struct buf model BUF_SCOPED = BUF_INTO(&t->text);
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	if (json_truthy(r.staged)) {
		edits_part(t);
		return 0;
	}
	if (!json_is_string(new)) {
		file_text_lose(t, FILE_IS_UNKNOWN);
		return 0;
	}
	int err = see_before(t, r.originalFile);
	edits_decode(&model, asked);
	edits_decode(&e.old, first_of(r.oldString, asked));
	edits_decode(&text, new);
	found_add_new(&e.new, buf_span(&model), buf_span(&e.old),
		      buf_span(&text));
	if (e.old.len == 0 && t->state != FILE_IS_KNOWN)
		file_text_write(t, (struct span){ 0 });
	if (edits_can(t) && !replace_any(t, &e))
		file_text_lose(t, FILE_IS_UNFIT);
	buf_free_into(&e.old, &t->text);
	buf_free_into(&e.new, &t->text);
	return err;
}

/* MultiEdit, of older versions: one after the other. */
static int edit_many(const struct filed *call, struct json edits,
		     struct json told, struct file_text *t)
{
	int err = see_before(t, json_get(told, "originalFile"));
	JSON_EACH_WHILE(!err, one, edits) {
		struct filed part = *call;
		part.arguments = one;
		err = edit(&part, (struct json){ 0 }, t);
	}
	return err;
}

/* -- reads and writes */

/*
 * The lines of a result without their numbers, "1<TAB>text" or "     1→text";
 * false if they do not begin with the first one.
 */
static bool add_numbered(struct buf *out, struct span text)
{
	static const struct span arrow = SPAN("\xE2\x86\x92");
	uint64_t number = 0;
	while (text.n > 0) {
		struct span line = span_next(&text, '\n');
		size_t i = 0;
		uint64_t n = 0;
		while (i < line.n && line.p[i] == ' ')
			i++;
		for (; i < line.n && isdigit((unsigned char)line.p[i]); i++)
			n = n * 10 + (uint64_t)(line.p[i] - '0');
		struct span rest = span_from(line, i);
		size_t mark = span_starts(rest, arrow)	      ? arrow.n
			      : span_starts(rest, SPAN("\t")) ? 1
							      : 0;
		if (mark == 0 || n != number + 1)
			break;
		if (number++ > 0)
			buf_addc(out, '\n');
		buf_add(out, span_from(rest, mark));
	}
	return number > 0;
}

/* A result without the members that tell more: of subagents, for example. */
static int read_block(const struct filed *call, struct file_text *t)
{
	JSON_FIELDS(f, call->arguments, offset, limit, pages);
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	struct buf lines BUF_SCOPED = BUF_INTO(&t->text);
	bool all = edits_output(call, &text);
	bool part = !js_is_nullish(f.offset) || !js_is_nullish(f.limit) ||
		    !js_is_nullish(f.pages) ||
		    edits_has(buf_span(&text), "[Truncated: ");
	int err = 0;
	if (!all)
		edits_no_text(t);
	else if (part || !add_numbered(&lines, buf_span(&text)))
		edits_part(t);
	else
		err = see(t, buf_span(&lines));
	return err;
}

static int read(const struct filed *call, struct json told, struct file_text *t)
{
	JSON_FIELDS(f, json_get(told, "file"), content, numLines, startLine,
		    totalLines, truncatedByTokenCap);
	struct json type = json_get(told, "type");
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	int err = 0;
	if (!json_is_string(type))
		return read_block(call, t);
	if (json_is(type, SPAN("file_unchanged"))) {
		edits_part(t);
		return 0;
	}
	if (!json_is_string(f.content)) {
		edits_no_text(t);
		return 0;
	}
	edits_decode(&text, f.content);
	if (json_number(f.startLine) > 1 ||
	    json_truthy(f.truncatedByTokenCap) ||
	    json_number(f.numLines) < json_number(f.totalLines))
		edits_part(t);
	else
		err = see(t, buf_span(&text));
	return err;
}

/* Some stored results lack the text that the call has. */
static void write(const struct filed *call, struct json told,
		  struct file_text *t)
{
	JSON_FIELDS(a, call->arguments, content, file_text, file_content);
	JSON_FIELDS(r, told, content, structuredPatch, staged);
	struct json asked =
		first_of(a.content, first_of(a.file_text, a.file_content));
	bool slim = json_is(r.content, SPAN("")) &&
		    json_has_members(r.structuredPatch);
	if (json_truthy(r.staged)) {
		edits_part(t);
		return;
	}
	struct json text = slim ? asked : first_of(r.content, asked);
	if (json_is_string(text))
		edits_write(t, text);
	else
		file_text_lose(t, FILE_IS_UNKNOWN);
}

/* A notebook as it is afterwards; it is written with the ends that it had. */
static void write_notebook(struct json text, struct file_text *t)
{
	bool crlf =
		t->state == FILE_IS_KNOWN && is_mostly_crlf(buf_span(&t->text));
	struct buf lf BUF_SCOPED = BUF_INTO(&t->text);
	edits_decode(&lf, text);
	edits_write_lf(t, buf_span(&lf), crlf);
}

static int apply(const struct filed *call, struct file_text *t)
{
	struct json told = json_get(call->line, "toolUseResult");
	struct json edits = json_get(call->arguments, "edits");
	struct json notebook = json_get(told, "updated_file");
	if (json_type(told) != JSON_OBJECT)
		told = (struct json){ 0 };
	if (call->act == FILE_READ) {
		int seen = read(call, told, t);
		return seen < 0 ? seen : 0;
	}
	if (call->act == FILE_WRITE)
		write(call, told, t);
	else if (json_truthy(notebook))
		write_notebook(notebook, t);
	else if (json_type(edits) == JSON_ARRAY)
		return edit_many(call, edits, told, t);
	else
		return edit(call, told, t);
	return 0;
}

static uint32_t answer(const struct session *s, uint32_t entry)
{
	return claude_entry(s, entry)->response;
}

/*
 * Lines that tell of files which Claude Code has saved (kit/backups.h).
 *
 *     file-history-snapshot    the files that it had saved so far, as they were
 *                              when a prompt began
 *     file-history-delta       one more, just before its first edit
 *
 * Both name an entry, the prompt or the one with the call. A second snapshot of
 * a prompt repeats the first one, and is passed over.
 */
static int saved(const struct session *s, struct json line,
		 struct saved_files *to)
{
	JSON_FIELDS(f, line, type, messageId, snapshot, isSnapshotUpdate,
		    trackingPath, backup);
	struct json all = json_get(f.snapshot, "trackedFileBackups");
	int err = 0;
	to->about = f.messageId;
	if (json_is(f.type, SPAN("file-history-delta")))
		return backups_tell(s, f.trackingPath, f.backup, to);
	if (json_truthy(f.isSnapshotUpdate))
		return 0;
	JSON_EACH_MEMBER_WHILE(!err, path, backup, all)
		err = backups_tell(s, path, backup, to);
	return err;
}

const struct dialect_filing claude_filing = {
	.apply = apply,
	.answer = answer,
	.saved = saved,
};
