#include <stdlib.h>

#include "core/base/array.h"
#include "core/dialects/pi/pi.h"
#include "core/files/edits.h"
#include "core/json/js.h"

/* -- edits */

/* One of the replacements of a call, and where it is in the text. */
struct edit {
	struct buf old;
	struct buf new;
	size_t at;
};

struct edits {
	struct edit *list;
	size_t n;
	size_t cap;
};

/* Append a text with LF in place of CRLF, and of CR. */
static void add_lf(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.n; i++) {
		bool cr = text.p[i] == '\r';
		if (!cr || i + 1 == text.n || text.p[i + 1] != '\n')
			buf_addc(out, cr ? '\n' : text.p[i]);
	}
}

static void add_side(struct buf *out, struct json v)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	edits_decode(&text, v);
	add_lf(out, buf_span(&text));
}

static int add_edit(struct edits *e, struct json edit)
{
	JSON_FIELDS(f, edit, oldText, newText);
	if (!json_is_string(f.oldText))
		return 0;
	int err = array_reserve(&e->list, &e->cap, e->n, 1);
	if (err)
		return err;
	struct edit *add = &e->list[e->n++];
	*add = (struct edit){ 0 };
	add_side(&add->old, f.oldText);
	add_side(&add->new, f.newText);
	err = buf_error(&add->old);
	return err ? err : buf_error(&add->new);
}

/* The list may be JSON in a string, and a replacement beside it counts, too. */
static int load_edits(struct edits *e, struct json arguments)
{
	struct json list = json_get(arguments, "edits");
	struct buf text BUF_SCOPED = { 0 };
	if (json_is_string(list)) {
		json_decode(&text, list);
		if (json_check(buf_span(&text), &list))
			list = (struct json){ 0 };
	}
	int err = json_type(list) == JSON_OBJECT ? add_edit(e, list) : 0;
	JSON_EACH_WHILE(!err, edit, list)
		err = add_edit(e, edit);
	return err ? err : add_edit(e, arguments);
}

static int compare(const void *a, const void *b)
{
	const struct edit *x = a;
	const struct edit *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

/* Find all in a text with LF as it was before. False if one is nowhere. */
static bool find_all(struct edits *e, struct span lf)
{
	for (size_t i = 0; i < e->n; i++) {
		struct edit *one = &e->list[i];
		one->at = one->old.len > 0
				  ? edits_find(lf, buf_span(&one->old), 0)
				  : EDITS_NOWHERE;
		if (one->at == EDITS_NOWHERE)
			return false;
	}
	if (e->n > 0)
		qsort(e->list, e->n, sizeof(e->list[0]), compare);
	for (size_t i = 1; i < e->n; i++) {
		if (e->list[i - 1].at + e->list[i - 1].old.len > e->list[i].at)
			return false;
	}
	return e->n > 0;
}

/* A place in a text: that in the same text with LF, from a known one on. */
struct place_of {
	size_t in_text;
	size_t in_lf;
};

static void go_to(struct place_of *at, struct span text, size_t in_lf)
{
	for (; at->in_lf < in_lf && at->in_text < text.n; at->in_lf++) {
		bool both = text.p[at->in_text] == '\r' &&
			    at->in_text + 1 < text.n &&
			    text.p[at->in_text + 1] == '\n';
		at->in_text += both ? 2 : 1;
	}
}

/* How the line ends that a place is in; else the one before it. */
static const char *end_of_line(struct span text, size_t at)
{
	const char *lf =
		at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
	if (!lf && at > 0)
		lf = memrchr(text.p, '\n', at);
	if (!lf)
		return "\r";
	return lf > text.p && lf[-1] == '\r' ? "\r\n" : "\n";
}

static void add_new(struct buf *out, struct span text, size_t at,
		    struct span new)
{
	const char *end = end_of_line(text, at);
	/* A CR that is kept must not become part of another end. */
	if (at > 0 && text.p[at - 1] == '\r' && new.n > 0 && new.p[0] == '\n' &&
	    end[0] == '\n')
		buf_addc(out, '\n');
	for (size_t i = 0; i < new.n; i++) {
		if (new.p[i] == '\n')
			buf_adds(out, end);
		else
			buf_addc(out, new.p[i]);
	}
}

/* Replace in a text that has a CR what was found in the same with LF. */
static void replace_between(struct file_text *t, const struct edits *e)
{
	struct span text = buf_span(&t->text);
	struct place_of at = { 0, 0 };
	struct buf made BUF_SCOPED = BUF_INTO(&t->text);
	for (size_t i = 0; i < e->n; i++) {
		const struct edit *one = &e->list[i];
		size_t from = at.in_text;
		go_to(&at, text, one->at);
		buf_add(&made,
			(struct span){ text.p + from, at.in_text - from });
		add_new(&made, text, at.in_text, buf_span(&one->new));
		go_to(&at, text, one->at + one->old.len);
	}
	buf_add(&made, span_from(text, at.in_text));
	file_text_write(t, buf_span(&made));
}

/* False if one is nowhere. */
static bool replace_all(struct file_text *t, struct edits *e,
			enum line_ends ends)
{
	struct buf lf BUF_SCOPED = BUF_INTO(&t->text);
	if (ends != LINE_ENDS_NONE)
		add_lf(&lf, buf_span(&t->text));
	bool found = find_all(e, ends != LINE_ENDS_NONE ? buf_span(&lf)
							: buf_span(&t->text));
	if (found && ends != LINE_ENDS_NONE) {
		replace_between(t, e);
	} else if (found) {
		for (size_t i = e->n; i-- > 0;)
			file_text_splice(t, e->list[i].at, e->list[i].old.len,
					 buf_span(&e->list[i].new));
	}
	return found;
}

/*
 * A text that is not there as it was given was found by what it looks like. The
 * diff in the result says where, with LF at the ends of lines.
 */
static bool follow_patch(struct file_text *t, struct json line,
			 enum line_ends ends)
{
	struct json patch = json_at(line, SPAN("message.details.patch"));
	struct file_text lf = { .state = FILE_IS_KNOWN };
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	if (!json_is_string(patch))
		return false;
	edits_decode(&text, patch);
	edits_add_lf(&lf.text, edits_after_bom(buf_span(&t->text)));
	bool fits = edits_unified(&lf, buf_span(&text), false);
	if (fits)
		edits_write_lf(t, buf_span(&lf.text), ends == LINE_ENDS_CRLF);
	buf_free_into(&lf.text, &t->text);
	return fits;
}

static int edit(const struct filed *call, struct file_text *t)
{
	struct edits e = { 0 };
	if (!edits_can(t))
		return 0;
	enum line_ends ends = edits_line_ends(buf_span(&t->text));
	int err = load_edits(&e, call->arguments);
	if (!err && !replace_all(t, &e, ends)) {
		if (ends == LINE_ENDS_MIXED)
			file_text_lose(t, FILE_IS_UNKNOWN);
		else if (!follow_patch(t, call->line, ends))
			file_text_lose(t, FILE_IS_UNFIT);
	}
	for (size_t i = 0; i < e.n; i++) {
		buf_free(&e.list[i].old);
		buf_free(&e.list[i].new);
	}
	free(e.list);
	return err;
}

/* -- reads and writes */

/* The rest of a file that was read in part. */
static bool says_more(struct span text)
{
	static const struct span end = SPAN(" to continue.]");
	const char *last = text.n > 0 ? memrchr(text.p, '\n', text.n) : NULL;
	struct span line =
		last ? span_from(text, (size_t)(last + 1 - text.p)) : text;
	return span_starts(line, SPAN("[")) && span_ends(line, end);
}

/*
 * The text of a file is the result as it is. A picture is described in words,
 * too, if it could not be shown.
 */
static void read(const struct filed *call, struct file_text *t)
{
	JSON_FIELDS(f, call->arguments, offset, limit);
	struct json cut =
		json_at(call->line, SPAN("message.details.truncation"));
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	bool begins = js_is_nullish(f.offset) || json_number(f.offset) <= 1;
	/* From another agent: the result may have numbers of lines. */
	bool copied = json_is(json_at(call->caller, SPAN("message.api")),
			      SPAN("unknown"));
	bool all = edits_output(call, &text);
	if (!all || span_starts(buf_span(&text), SPAN("Read image file [")))
		edits_no_text(t);
	else if (copied || json_truthy(cut) || !begins ||
		 (!js_is_nullish(f.limit) && says_more(buf_span(&text))))
		edits_part(t);
	else
		edits_see(t, buf_span(&text));
}

/* A value that is no string was made one. */
static void write(const struct filed *call, struct file_text *t)
{
	struct json content = json_get(call->arguments, "content");
	if (json_is_string(content))
		edits_write(t, content);
	else if (json_type(content) == JSON_ABSENT || json_has_members(content))
		file_text_lose(t, FILE_IS_UNKNOWN);
	else
		file_text_write(t, content.raw);
}

static int apply(const struct filed *call, struct file_text *t)
{
	switch (call->act) {
	case FILE_READ:
		read(call, t);
		return 0;
	case FILE_WRITE:
		write(call, t);
		return 0;
	default:
		return edit(call, t);
	}
}

/* One that was stopped may have written already. */
static bool half_done(const struct filed *call)
{
	struct buf text BUF_SCOPED = { 0 };
	edits_output(call, &text);
	return call->act != FILE_READ &&
	       span_starts(buf_span(&text), SPAN("Operation aborted"));
}

const struct dialect_filing pi_filing = {
	.apply = apply,
	.half_done = half_done,
	.at_once = true,
};
