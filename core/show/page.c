#include "core/show/page.h"

#include <errno.h>
#include <stddef.h>

#include "core/base/base64.h"
#include "core/base/text.h"
#include "core/json/writer.h"
#include "core/session/dialect.h"
#include "core/session/short_ids.h"
#include "core/session/tree_walk.h"
#include "core/show/content.h"
#include "core/show/meta.h"
#include "core/show/note_runs.h"
#include "core/show/rows.h"
#include "core/show/session_title.h"
#include "core/show/usage.h"
#include "core/show/words.h"

/* The places of the parts in the template, each once and in this order. */
#define LICENCES SPAN("LICENCES\n")
#define LIBRARY SPAN(">LIBRARY<")
#define SESSION SPAN(">SESSION<")

#define TITLE_COLUMNS 100
#define KIND_COLUMNS 22
#define WORDS_COLUMNS 160

/* core/show/page/page.S */
extern const char page_template[] __attribute__((visibility("hidden")));
extern const uint32_t page_template_size __attribute__((visibility("hidden")));
extern const char page_library[] __attribute__((visibility("hidden")));
extern const uint32_t page_library_size __attribute__((visibility("hidden")));
extern const char page_licences[] __attribute__((visibility("hidden")));
extern const uint32_t page_licences_size __attribute__((visibility("hidden")));

struct page {
	const struct session *s;
	/* The rows of tree.txt up to the next run of notes. */
	struct note_walk notes;
	struct note_row run; /* n is 0: there are no more */
	struct json_writer json;
	struct words words;
	struct calls calls; /* only for their arguments */
	struct short_ids ids;
	uint32_t head; /* the step of HEAD's entry, or TREE_STEP_NONE */
	struct buf line;
	struct buf text;
	/* Of the content that is being rendered into `text`: its blocks. */
	struct content_blocks to;
	struct buf parts; /* JSON */
	size_t n_parts;
	bool plain;	/* the last one is text, and in no result */
	bool result;	/* all of it is in a result */
	size_t counted; /* bytes of `text`, and */
	size_t length;	/* their length in JavaScript */
};

/* A member of p->text, which is WTF-8, unless it is empty; it is afterwards. */
static void add_text(struct page *p, const char *key)
{
	text_finish(&p->text, 0);
	buf_inherit(p->json.out, &p->text);
	if (p->text.len > 0)
		json_write_string_buf(&p->json, key, &p->text);
	buf_clear(&p->text);
}

static int add_session(struct page *p)
{
	const struct session *s = p->s;
	struct usage sum;
	int err = 0;
	json_begin_object(&p->json, "session");
	json_write_word(&p->json, "dialect", s->dialect->name);
	text_add_utf8(&p->text, span_last_part(span_of(s->log.path)));
	add_text(p, "file");
	session_id(s, &p->text);
	add_text(p, "id");
	buf_add(&p->text, buf_span(&s->now.name));
	bool named = p->text.len > 0;
	if (!named)
		err = session_title_add(s, TITLE_COLUMNS, &p->text);
	add_text(p, named ? "name" : "words");
	json_decode(&p->text, session_header(s, "cwd"));
	add_text(p, "cwd");
	json_write_number(&p->json, "labels", s->now.labels.n_set);
	if (!err)
		err = usage_total(s, &sum);
	if (!err)
		usage_add_lines(&p->text, "session", &sum);
	add_text(p, "usage");
	json_end_object(&p->json);
	return err;
}

/* The same, unless it is the id. */
static void add_unless(struct page *p, const char *key, struct span id)
{
	if (span_eq(buf_span(&p->text), id))
		buf_clear(&p->text);
	add_text(p, key);
}

static void add_place(struct page *p, const struct tree_step *step)
{
	const struct index *x = &p->s->now.index;
	struct span id = index_id(x, step->entry);
	buf_add(&p->text, id);
	add_text(p, "id");
	index_add_name(x, &p->text, step->entry);
	add_unless(p, "name", id);
	short_ids_add(&p->ids, &p->text, step->entry);
	add_unless(p, "short", id);
	if (step->parent != TREE_STEP_NONE)
		json_write_number(&p->json, "parent", step->parent);
	if (step->depth > 0)
		json_write_number(&p->json, "depth", step->depth);
	if (step->branch)
		json_write_number(&p->json, "branch", 1 + step->last);
	if (step->bookkeeping)
		json_write_number(&p->json, "books", 1);
}

/* The length of the text up to an offset, of which more was never asked. */
static size_t length_to(struct page *p, size_t at)
{
	struct span more = { p->text.data + p->counted, at - p->counted };
	p->length += text_js_length(more);
	p->counted = at;
	return p->length;
}

static void add_name(struct json_writer *w, const char *key, struct json name)
{
	struct buf text BUF_SCOPED = { 0 };
	if (!json_is_string(name))
		return;
	json_decode(&text, name);
	text_finish(&text, 0);
	json_write_string_buf(w, key, &text);
}

/* The argument of a call that tells most. */
static void add_telling(struct page *p, struct json_writer *w,
			const struct block *call)
{
	struct call_list list = { 0 };
	struct call c = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(&p->text);
	calls_add_block(&p->calls, &list, call);
	struct span rest = buf_span(&list.bytes);
	calls_next(&rest, &c);
	words_add_fit(&text, c.argument, WORDS_COLUMNS);
	if (text.len > 0)
		json_write_string_buf(w, "telling", &text);
	buf_free_into(&list.bytes, &p->text);
}

static void add_part(struct content_blocks *to, const struct block *b,
		     size_t at)
{
	static const char *const types[] = {
		[BLOCK_OTHER] = "json",	   [BLOCK_TEXT] = "text",
		[BLOCK_CALL] = "call",	   [BLOCK_THINKING] = "thinking",
		[BLOCK_RESULT] = "result", [BLOCK_PICTURE] = "picture",
	};
	struct page *p =
		(struct page *)((char *)to - offsetof(struct page, to));
	struct json_writer w = { .out = &p->parts, .for_script = true };
	if (p->text.failed)
		return;
	buf_adds(&p->parts, p->n_parts++ > 0 ? "," : "[");
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", types[b->type]);
	if (b->inner || p->result)
		json_write_number(&w, "inner", 1);
	add_name(&w, "id", b->id);
	add_name(&w, "name", b->name);
	if (b->type == BLOCK_CALL)
		add_telling(p, &w, b);
	if (json_truthy(b->error))
		json_write_number(&w, "failed", 1);
	size_t from = length_to(p, at);
	json_write_number(&w, "at", (double)from);
	size_t n = length_to(p, p->text.len) - from;
	if (n > 0)
		json_write_number(&w, "n", (double)n);
	json_end_object(&w);
	p->plain = b->type == BLOCK_TEXT && !b->inner && !p->result;
}

/* The content, and what its parts are unless all of it is one text. */
static int add_content(struct page *p, uint32_t entry, struct json json)
{
	const struct dialect_showing *d = p->s->dialect->showing;
	struct block whole = { .type = BLOCK_OTHER };
	p->n_parts = 0;
	p->counted = 0;
	p->length = 0;
	p->result = false;
	if (d->result)
		whole = d->result(json);
	if (whole.type == BLOCK_RESULT) {
		add_part(&p->to, &whole, 0);
		p->result = true;
	}
	int err = content_add_blocks(p->s, entry, &p->text, &p->to);
	add_text(p, "content");
	if (p->n_parts > 1 || (p->n_parts == 1 && !p->plain)) {
		buf_addc(&p->parts, ']');
		json_write_buf(&p->json, "parts", &p->parts);
	}
	buf_clear(&p->parts);
	return err;
}

/* The texts that are rendered from the entry's line. */
static int add_texts(struct page *p, uint32_t entry)
{
	struct json json;
	int err = session_read(p->s, entry, &p->line, &json);
	if (err)
		return err;
	if (!rows_is_said(p->s->dialect->showing, json))
		json_write_number(&p->json, "unsaid", 1);
	words_add_kind(&p->words, &p->text, json, KIND_COLUMNS);
	add_text(p, "kind");
	err = words_add(&p->words, &p->text, entry, json, WORDS_COLUMNS);
	add_text(p, "preview");
	if (err)
		return err;
	if (p->words.failed)
		json_write_number(&p->json, "failed", 1);
	buf_add(&p->text, session_label(p->s, entry));
	add_text(p, "label");
	err = meta_add(p->s, entry, &p->text);
	add_text(p, "meta");
	if (!err)
		err = add_content(p, entry, json);
	return err;
}

static int add_picture(struct page *p, uint32_t entry, unsigned n)
{
	buf_clear(&p->text);
	buf_clear(&p->line);
	int err = content_picture_name(p->s, entry, n, &p->text);
	if (!err)
		err = content_add_picture(p->s, entry, n, &p->line);
	if (err)
		return err;
	json_begin_object(&p->json, NULL);
	json_write_string_buf(&p->json, "name", &p->text);
	struct buf *out = json_begin_value(&p->json, "data");
	buf_addc(out, '"');
	base64_encode(out, buf_span(&p->line));
	buf_addc(out, '"');
	json_end_object(&p->json);
	return 0;
}

static int add_pictures(struct page *p, uint32_t entry)
{
	unsigned have;
	int err = content_pictures(p->s, entry, &have);
	if (err || have == 0)
		return err;
	json_begin_array(&p->json, "pictures");
	for (unsigned n = 1; n <= have && !err; n++) {
		err = add_picture(p, entry, n);
		/* The agent may delete blobs, which are files of their own. */
		if (err == -ENOENT || err == -ESTALE)
			err = 0;
	}
	json_end_array(&p->json);
	buf_clear(&p->text);
	return err;
}

static int find_run(struct page *p)
{
	int got;
	do
		got = note_walk_next(&p->notes, &p->run);
	while (got > 0 && p->run.n < 2);
	if (got == 0)
		p->run.n = 0;
	return got < 0 ? got : 0;
}

static int add_entry(struct page *p, const struct tree_step *step)
{
	if (step->entry == session_head(p->s))
		p->head = step->number;
	json_begin_line(&p->json);
	json_begin_object(&p->json, NULL);
	add_place(p, step);
	int err = 0;
	if (p->run.n > 0 && step->entry == p->run.step.entry) {
		json_write_number(&p->json, "run", p->run.n);
		err = find_run(p);
	}
	if (!err)
		err = add_texts(p, step->entry);
	if (!err)
		err = add_pictures(p, step->entry);
	json_end_object(&p->json);
	return err;
}

static int add_entries(struct page *p)
{
	struct tree_walk w = { 0 };
	struct tree_step step;
	json_begin_array(&p->json, "entries");
	int err = note_walk_begin(&p->notes, p->s);
	if (!err)
		err = find_run(p);
	if (!err)
		err = tree_walk_begin(&w, p->s, true);
	while (!err && (err = tree_walk_next(&w, &step)) > 0)
		err = add_entry(p, &step);
	tree_walk_end(&w);
	note_walk_end(&p->notes);
	json_end_array(&p->json);
	return err;
}

/*
 * Append the template up to a place, and leave what follows it. The brackets of
 * a place are the template's. False if it is not there.
 */
static bool add_to(struct buf *out, struct span *template, struct span place)
{
	const char *at = memmem(template->p, template->n, place.p, place.n);
	if (!at)
		return false;
	size_t bracket = place.p[0] == '>';
	size_t n = (size_t)(at - template->p) + bracket;
	size_t gone = n + place.n - 2 * bracket;
	buf_add(out, (struct span){ template->p, n });
	*template = span_from(*template, gone);
	return true;
}

int page_add(const struct session *s, struct buf *out)
{
	struct page p = { .s = s,
			  .json = { .out = out, .for_script = true },
			  .head = TREE_STEP_NONE,
			  .to = { add_part } };
	struct span t = { page_template, page_template_size };
	if (!add_to(out, &t, LICENCES))
		return -EINVAL;
	buf_add(out, (struct span){ page_licences, page_licences_size });
	if (!add_to(out, &t, LIBRARY))
		return -EINVAL;
	buf_add(out, (struct span){ page_library, page_library_size });
	if (!add_to(out, &t, SESSION))
		return -EINVAL;
	json_begin_object(&p.json, NULL);
	int err = add_session(&p);
	words_begin(&p.words, s);
	calls_begin(&p.calls, s);
	if (!err)
		err = short_ids_begin(&p.ids, &s->now.index);
	if (!err)
		err = add_entries(&p);
	if (p.head != TREE_STEP_NONE)
		json_write_number(&p.json, "head", p.head);
	json_end_object(&p.json);
	short_ids_end(&p.ids);
	calls_end(&p.calls);
	words_end(&p.words);
	buf_add(out, t);
	buf_free(&p.line);
	buf_free(&p.text);
	buf_free(&p.parts);
	return err ? err : buf_error(out);
}
