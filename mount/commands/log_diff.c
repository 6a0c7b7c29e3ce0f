#include "mount/commands/log_show.h"

#include <errno.h>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/session/dialect.h"
#include "core/show/call_files.h"
#include "mount/cli/terminal.h"

/* Lines that stay, before and after those that change. */
#define AROUND 3

/* The members of calls with what is replaced, and by what. */
static const struct {
	const char *old;
	const char *new;
} replaced[] = {
	{ "old_string", "new_string" }, /* Claude Code, oh-my-pi */
	{ "oldText", "newText" },	/* Pi */
	{ "old_text", "new_text" },	{ NULL, "content" }, /* a whole file */
	{ NULL, "new_source" },		{ NULL, "diff" },
};
#define N_REPLACED (sizeof(replaced) / sizeof(replaced[0]))

struct showing {
	const struct log_show *l;
	uint32_t entry;
	uint32_t nth;
	struct buf *out;
	struct touch touch; /* the last one */
};

static void add_line(const struct showing *w, const char *sign,
		     struct span line)
{
	char c = *sign ? *sign : line.n > 0 ? line.p[0] : ' ';
	const char *color = w->l->colors ? text_diff_color(c) : NULL;
	buf_adds(w->out, "    ");
	if (color)
		buf_addf(w->out, "\033[%sm", color);
	buf_adds(w->out, sign);
	escape_add_plain(w->out, line);
	buf_adds(w->out, color ? "\033[m\n" : "\n");
}

static void add_lines(const struct showing *w, const char *sign,
		      struct span text)
{
	while (text.n > 0)
		add_line(w, sign, span_next_line(&text));
}

/* Take the lines off both that they begin with; what they are is returned. */
static struct span take_same_start(struct span *a, struct span *b)
{
	struct span same = { a->p, 0 };
	while (a->n > 0 && b->n > 0) {
		struct span x = *a;
		struct span y = *b;
		if (!span_eq(span_next_line(&x), span_next_line(&y)))
			break;
		same.n += a->n - x.n;
		*a = x;
		*b = y;
	}
	return same;
}

/* Where the last line of a text begins. */
static size_t last_line(struct span text)
{
	size_t n = text.n > 0 ? text.n - 1 : 0;
	const char *end = n > 0 ? memrchr(text.p, '\n', n) : NULL;
	return end ? (size_t)(end - text.p) + 1 : 0;
}

/* The same with the lines that they end with. */
static struct span take_same_end(struct span *a, struct span *b)
{
	struct span same = { a->p + a->n, 0 };
	while (a->n > 0 && b->n > 0) {
		size_t i = last_line(*a);
		size_t k = last_line(*b);
		if (!span_eq(span_from(*a, i), span_from(*b, k)))
			break;
		same = (struct span){ a->p + i, same.n + a->n - i };
		a->n = i;
		b->n = k;
	}
	return same;
}

/* The last AROUND lines of a text, or the first. */
static struct span near_end(struct span text)
{
	struct span rest = text;
	for (int i = 0; i < AROUND; i++)
		rest.n = last_line(rest);
	return span_from(text, rest.n);
}

static struct span near_start(struct span text)
{
	struct span rest = text;
	for (int i = 0; i < AROUND && rest.n > 0; i++)
		span_next_line(&rest);
	return (struct span){ text.p, text.n - rest.n };
}

static void add_change(const struct showing *w, struct json old,
		       struct json new)
{
	struct buf a BUF_SCOPED = BUF_INTO(w->out);
	struct buf b BUF_SCOPED = BUF_INTO(w->out);
	json_decode(&a, old);
	json_decode(&b, new);
	text_finish(&a, 0);
	text_finish(&b, 0);
	struct span x = buf_span(&a);
	struct span y = buf_span(&b);
	struct span start = take_same_start(&x, &y);
	struct span end = take_same_end(&x, &y);
	add_lines(w, " ", near_end(start));
	add_lines(w, "-", x);
	add_lines(w, "+", y);
	add_lines(w, " ", near_start(end));
}

static bool is_text(struct json v)
{
	return json_type(v) == JSON_STRING;
}

/* What an object says that is put in place of what. */
static bool add_changes(const struct showing *w, struct json of)
{
	for (size_t i = 0; i < N_REPLACED; i++) {
		struct json new = json_get(of, replaced[i].new);
		struct json old = { 0 };
		if (replaced[i].old)
			old = json_get(of, replaced[i].old);
		if (!is_text(new) || (replaced[i].old && !is_text(old)))
			continue;
		add_change(w, old, new);
		return true;
	}
	return false;
}

/* Several, one, or a string of JSON with them: Pi takes all of these. */
static void add_edits(const struct showing *w, struct json edits)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	if (is_text(edits)) {
		json_decode(&text, edits);
		if (json_check(buf_span(&text), &edits) < 0)
			edits = (struct json){ 0 };
	}
	if (json_type(edits) == JSON_OBJECT)
		add_changes(w, edits);
	JSON_EACH(edit, edits) {
		add_lines(w, "", SPAN("@@"));
		add_changes(w, edit);
	}
}

static void add_diff(const struct showing *w, const struct call_file *f)
{
	if (f->body.n > 0)
		add_lines(w, "", f->body);
	else if (f->act >= FILE_WRITE && !add_changes(w, f->arguments))
		add_edits(w, json_get(f->arguments, "edits"));
}

/* The next touch of the entry, if it is one of l->file. */
static int next_touch(struct showing *w, bool *is)
{
	struct touch *t = &w->touch;
	int err = touches_of_entry(w->l->s, w->entry, w->nth++, t);
	int has = err ? err : touched_has(w->l->file, w->l->s, t->folder);
	*is = has > 0;
	if (has <= 0)
		return has;
	buf_adds(w->out, "\n    ");
	file_act_add(w->out, t->act, t->failed);
	buf_addc(w->out, ' ');
	err = touches_add_line(w->l->s, t->folder, w->out);
	buf_addc(w->out, '\n');
	return err;
}

static int show_file(void *data, const struct call_file *f)
{
	struct showing *w = data;
	struct buf path BUF_SCOPED = { 0 };
	bool is = false;
	int got = touches_spell(w->l->s, (struct span){ 0 }, f->path, &path);
	if (got <= 0)
		return got;
	int err = next_touch(w, &is);
	if (!err && is)
		add_diff(w, f);
	return err == -ENOENT ? 0 : err;
}

/* The part of a command's patch that is of the last touch: 1, 0 or -errno. */
static int show_noted(void *data, const struct call_file *f)
{
	const struct showing *w = data;
	struct buf path BUF_SCOPED = { 0 };
	uint32_t folder;
	int is = touches_spell(w->l->s, (struct span){ 0 }, f->path, &path);
	if (is > 0)
		is = touches_find_path(w->l->s, buf_span(&path), &folder) ==
			     0 &&
		     folder == w->touch.folder;
	if (is > 0)
		add_lines(w, "", f->body);
	return is;
}

int log_diff_add(const struct log_show *l, uint32_t entry, struct json json,
		 struct buf *out)
{
	struct showing w = { .l = l, .entry = entry, .out = out };
	bool is;
	int err = call_files_of_line(l->s->dialect, json, show_file, &w);
	/* Those that only a note tells of. */
	while (!err) {
		err = next_touch(&w, &is);
		int got = !err && is
				  ? call_files_of_commands(l->s->dialect, json,
							   show_noted, &w)
				  : 0;
		if (got < 0)
			err = got;
	}
	return err == -ENOENT ? buf_error(out) : err;
}
