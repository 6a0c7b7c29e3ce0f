#include "core/show/page.h"

#include <errno.h>

#include "core/base/base64.h"
#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"
#include "core/session/tree_walk.h"
#include "core/show/content.h"
#include "core/show/meta.h"
#include "core/show/preview.h"

/* Where the data goes, in the template and nowhere else in it. */
#define PLACE SPAN(">SESSION<")

#define KIND_COLUMNS 22
#define PREVIEW_COLUMNS 160

/* core/show/page/page.S */
extern const char page_template[] __attribute__((visibility("hidden")));
extern const uint32_t page_template_size __attribute__((visibility("hidden")));

struct page {
	const struct session *s;
	struct buf *out;
	struct columns columns;
	uint32_t head; /* the step of HEAD's entry, or TREE_STEP_NONE */
	struct buf line;
	struct buf text;
	struct buf quoted;
};

/* What stands for the character at the start of s; NULL: it may stand. */
static const char *escape_of(struct span s)
{
	if (s.p[0] == '<')
		return "\\u003c";
	if (span_starts(s, SPAN("\xE2\x80\xA8")))
		return "\\u2028";
	return span_starts(s, SPAN("\xE2\x80\xA9")) ? "\\u2029" : NULL;
}

/* A JSON string of UTF-8 in which nothing is markup or ends a line. */
static void add_quoted(struct page *p, struct span text)
{
	struct buf *q = &p->quoted;
	size_t from = 0;
	buf_clear(q);
	js_quote(q, text);
	for (size_t i = 0; i < q->len; i++) {
		if (q->data[i] != '<' && q->data[i] != '\xE2')
			continue;
		const char *escape =
			escape_of((struct span){ q->data + i, q->len - i });
		if (!escape)
			continue;
		buf_add(p->out, (struct span){ q->data + from, i - from });
		buf_adds(p->out, escape);
		i += q->data[i] == '<' ? 0 : 2;
		from = i + 1;
	}
	buf_add(p->out, (struct span){ q->data + from, q->len - from });
	p->out->failed = p->out->failed || q->failed;
}

/* A member, if there is something to say. */
static void add_member(struct page *p, const char *key, struct span text)
{
	if (text.n == 0)
		return;
	buf_addf(p->out, ",\"%s\":", key);
	add_quoted(p, text);
}

/* The same of what is in p->text, which is WTF-8 and empty afterwards. */
static void add_text(struct page *p, const char *key)
{
	text_finish(&p->text, 0);
	add_member(p, key, buf_span(&p->text));
	p->out->failed = p->out->failed || p->text.failed;
	buf_clear(&p->text);
}

static void add_session(struct page *p)
{
	const struct session *s = p->s;
	buf_adds(p->out, "{\"session\":{\"dialect\":");
	add_quoted(p, span_of(s->dialect->name));
	text_add_utf8(&p->text, span_last_part(span_of(s->log.path)));
	add_text(p, "file");
	session_id(s, &p->text);
	add_text(p, "id");
	buf_add(&p->text, buf_span(&s->now.name));
	add_text(p, "name");
	json_decode(&p->text, session_header(s, "cwd"));
	add_text(p, "cwd");
	buf_addf(p->out, ",\"labels\":%u}", s->now.labels.n_set);
}

static void add_place(struct page *p, const struct tree_step *step)
{
	const struct index *x = &p->s->now.index;
	struct span id = index_id(x, step->entry);
	struct buf name = { 0 };
	buf_adds(p->out, step->number == 0 ? "\n{\"id\":" : ",\n{\"id\":");
	buf_add(&p->text, id);
	text_finish(&p->text, 0);
	add_quoted(p, buf_span(&p->text));
	buf_clear(&p->text);
	index_add_name(x, &name, step->entry);
	if (!span_eq(buf_span(&name), id))
		add_member(p, "name", buf_span(&name));
	p->out->failed = p->out->failed || name.failed;
	buf_free(&name);
	if (step->parent != TREE_STEP_NONE)
		buf_addf(p->out, ",\"parent\":%u", step->parent);
	if (step->depth > 0)
		buf_addf(p->out, ",\"depth\":%u", step->depth);
	if (step->branch)
		buf_addf(p->out, ",\"branch\":%u", 1 + step->last);
	if (step->bookkeeping)
		buf_adds(p->out, ",\"books\":1");
}

/* What is in its line: a word, a few words, and all that it says. */
static int add_texts(struct page *p, uint32_t entry)
{
	struct json json;
	int err = session_read(p->s, entry, &p->line, &json);
	if (err)
		return err;
	preview_add_kind(p->s, &p->text, json, &p->columns, KIND_COLUMNS);
	add_text(p, "kind");
	preview_add(p->s, &p->text, json, 4 * PREVIEW_COLUMNS);
	p->text.len =
		columns_fit(&p->columns, buf_span(&p->text), PREVIEW_COLUMNS).n;
	add_text(p, "preview");
	buf_add(&p->text, session_label(p->s, entry));
	add_text(p, "label");
	err = meta_add(p->s, entry, &p->text);
	add_text(p, "meta");
	if (!err)
		err = content_add(p->s, entry, &p->text);
	add_text(p, "content");
	return err;
}

static int add_picture(struct page *p, uint32_t entry, unsigned n, bool first)
{
	buf_clear(&p->text);
	buf_clear(&p->line);
	int err = content_picture_name(p->s, entry, n, &p->text);
	if (!err)
		err = content_add_picture(p->s, entry, n, &p->line);
	if (!err) {
		buf_adds(p->out, first ? "{\"name\":" : ",{\"name\":");
		add_quoted(p, buf_span(&p->text));
		buf_adds(p->out, ",\"data\":\"");
		base64_encode(p->out, buf_span(&p->line));
		buf_adds(p->out, "\"}");
	}
	return err;
}

static int add_pictures(struct page *p, uint32_t entry)
{
	unsigned have;
	bool first = true;
	int err = content_pictures(p->s, entry, &have);
	if (err || have == 0)
		return err;
	buf_adds(p->out, ",\"pictures\":[");
	for (unsigned n = 1; n <= have && !err; n++) {
		err = add_picture(p, entry, n, first);
		first = first && err;
		/* Files outside of the session go when they like. */
		if (err == -ENOENT || err == -ESTALE)
			err = 0;
	}
	buf_addc(p->out, ']');
	buf_clear(&p->text);
	return err;
}

static int add_entry(struct page *p, const struct tree_step *step)
{
	if (step->entry == session_head(p->s))
		p->head = step->number;
	add_place(p, step);
	int err = add_texts(p, step->entry);
	if (!err)
		err = add_pictures(p, step->entry);
	buf_addc(p->out, '}');
	return err;
}

static int add_entries(struct page *p)
{
	struct tree_walk w;
	struct tree_step step;
	buf_adds(p->out, ",\"entries\":[");
	int err = tree_walk_begin(&w, p->s, true);
	while (!err && (err = tree_walk_next(&w, &step)) > 0)
		err = add_entry(p, &step);
	tree_walk_end(&w);
	buf_addc(p->out, ']');
	return err;
}

int page_add(const struct session *s, struct buf *out)
{
	struct page p = { .s = s, .out = out, .head = TREE_STEP_NONE };
	struct span t = { page_template, page_template_size };
	const char *at = memmem(t.p, t.n, PLACE.p, PLACE.n);
	if (!at)
		return -EINVAL;
	size_t before = (size_t)(at - t.p) + 1;
	size_t behind = before + PLACE.n - 2;
	buf_add(out, (struct span){ t.p, before });
	columns_begin(&p.columns);
	add_session(&p);
	int err = add_entries(&p);
	columns_end(&p.columns);
	if (p.head != TREE_STEP_NONE)
		buf_addf(out, ",\"head\":%u", p.head);
	buf_adds(out, "}");
	buf_add(out, (struct span){ t.p + behind, t.n - behind });
	buf_free(&p.line);
	buf_free(&p.text);
	buf_free(&p.quoted);
	return err ? err : buf_error(out);
}
