#include "mount/commands/log_show.h"

#include <stdint.h>
#include <unistd.h>

#include "core/base/columns.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/file/whole.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/content.h"
#include "core/show/meta.h"
#include "core/show/note_runs.h"
#include "core/show/rows.h"
#include "core/show/words.h"
#include "mount/operands/session_file.h"

/* The lines of a content that are shown, and the bytes of each. */
#define LINES 10
#define LINE_BYTES 1000

/* The same if one of them is looked for, and how many before it. */
#define LINES_AROUND 30
#define LINES_BEFORE 2

#define CUT "…"

/* Words that have fewer are cut together with a label. */
#define WORDS_LEAST 20

static void paint(const struct log_show *l, struct buf *out, const char *color,
		  struct span text)
{
	if (l->colors)
		buf_addf(out, "\033[%sm", color);
	buf_add(out, text);
	if (l->colors)
		buf_adds(out, "\033[m");
}

static int show_session(const struct log_show *l, struct buf *out)
{
	struct buf line BUF_SCOPED = BUF_INTO(out);
	buf_adds(&line, "session ");
	size_t columns = SESSION_LINE_COLUMNS;
	if (l->columns > line.len && l->columns < columns + line.len)
		columns = l->columns - line.len;
	int err = session_line_add(l->s, columns, &line);
	paint(l, out, "1", buf_span(&line));
	buf_addc(out, '\n');
	return err ? err : buf_error(out);
}

void log_show_dim(const struct log_show *l, struct span text, struct buf *out)
{
	paint(l, out, "2", text);
	buf_addc(out, '\n');
}

/* " (HEAD, LABEL)", or nothing. */
static void add_decoration(const struct log_show *l, uint32_t entry,
			   struct buf *out)
{
	bool is_head = !l->follows && entry == session_head(l->s);
	struct span label = session_label(l->s, entry);
	if (!is_head && label.n == 0)
		return;
	buf_adds(out, is_head ? " (HEAD" : " (");
	buf_adds(out, is_head && label.n > 0 ? ", " : "");
	size_t from = out->len;
	escape_add_plain(out, label);
	text_finish(out, from);
	buf_addc(out, ')');
}

/* Its kind and its words, from the file `words`. */
struct said {
	struct buf line;
	struct span kind;
	struct span words;
	const char *color; /* of both; NULL: the kind has its own */
};

static int read_words(const struct session *s, uint32_t entry, struct json json,
		      struct said *to)
{
	static const struct span gap = SPAN("  ");
	struct words w;
	words_begin(&w, s);
	int err = words_add_row(&w, &to->line, entry, json);
	if (w.failed)
		to->color = WORDS_FAILED_COLOR;
	else if (!rows_is_said(s->dialect->showing, json))
		to->color = WORDS_UNSAID_COLOR;
	words_end(&w);
	struct span rest = buf_span(&to->line);
	struct span line = span_next_line(&rest);
	const char *at =
		line.n > 0 ? memmem(line.p, line.n, gap.p, gap.n) : NULL;
	to->kind = (struct span){ line.p, at ? (size_t)(at - line.p) : line.n };
	if (at)
		to->words = (struct span){ at + gap.n,
					   line.n - to->kind.n - gap.n };
	return err;
}

/* Append a part of it, in the color of all, or in its own. */
static void paint_said(const struct log_show *l, struct buf *out,
		       const struct said *said, struct span part,
		       const char *color)
{
	if (said->color || color)
		paint(l, out, said->color ? said->color : color, part);
	else
		buf_add(out, part);
}

/* The start of a content, and how much of it that is. */
struct start {
	struct buf lines; /* each with its indentation */
	struct buf text;  /* the lines alone, for repeats() */
	bool cut;
};

static void add_line(struct start *to, struct span given, bool is_found)
{
	struct buf line BUF_SCOPED = BUF_INTO(&to->lines);
	escape_add_plain(&line, given);
	struct span shown = text_start(buf_span(&line), LINE_BYTES);
	if (shown.n > 0 || is_found)
		buf_adds(&to->lines, is_found ? "  > " : "    ");
	buf_add(&to->lines, shown);
	buf_adds(&to->lines, shown.n < line.len ? CUT "\n" : "\n");
	buf_add(&to->text, shown);
	buf_addc(&to->text, ' ');
}

/* The first lines, or those around the line `at`. */
static int read_start(const struct session *s, uint32_t entry, unsigned at,
		      struct start *to)
{
	struct buf content BUF_SCOPED = BUF_INTO(&to->lines);
	int err = content_add(s, entry, &content);
	struct span rest = buf_span(&content);
	unsigned first = at > LINES_BEFORE ? at - LINES_BEFORE : 1;
	unsigned end = first + (at ? LINES_AROUND : LINES);
	for (unsigned n = 1; n < end && rest.n > 0; n++) {
		struct span line = span_next_line(&rest);
		if (n >= first)
			add_line(to, line, n == at);
	}
	to->cut = rest.n > 0;
	buf_adds(&to->lines, to->cut ? "    " CUT "\n" : "");
	return err;
}

/* Do the words only repeat the start of the content? */
static bool repeats(struct start *content, struct span words)
{
	words_make_plain(&content->text, SIZE_MAX - 1);
	struct span text = buf_span(&content->text);
	if (span_ends(words, SPAN(CUT)))
		words.n -= strlen(CUT);
	return span_starts(text, words) ||
	       (content->cut && span_starts(words, text));
}

static int add_whole(const struct log_show *l, uint32_t entry, struct json json,
		     struct buf *out)
{
	const struct index *x = &l->s->now.index;
	struct said said = { 0 };
	struct start content = { 0 };
	struct buf head BUF_SCOPED = BUF_INTO(out);
	struct buf id BUF_SCOPED = BUF_INTO(out);
	struct buf model BUF_SCOPED = BUF_INTO(out);
	int err = read_words(l->s, entry, json, &said);
	if (!err)
		err = read_start(l->s, entry, l->at, &content);
	short_ids_add(&l->ids, &id, entry);
	buf_adds(&head, "entry ");
	escape_add_plain(&head, buf_span(&id));
	add_decoration(l, entry, &head);
	paint(l, out, "33", buf_span(&head));
	buf_adds(out, "\nKind:  ");
	paint_said(l, out, &said, said.kind, words_kind_color(said.kind));
	meta_add_row(l->s->dialect, "model", &model, json);
	buf_adds(out, model.len > 0 ? " " : "");
	words_add_plain(out, buf_span(&model));
	buf_addc(out, '\n');
	if (l->file || (!l->at && !repeats(&content, said.words))) {
		buf_adds(out, "Words: ");
		paint_said(l, out, &said, said.words, NULL);
		buf_addc(out, '\n');
	}
	if (x->entries[entry].time != TIMESTAMP_NONE) {
		buf_adds(out, "Date:  ");
		timestamp_add_local(out, x->entries[entry].time,
				    TIMESTAMP_SECOND);
		buf_addc(out, '\n');
	}
	if (l->file && !err) {
		err = log_diff_add(l, entry, json, out);
	} else {
		buf_adds(out, content.lines.len > 0 ? "\n" : "");
		buf_add(out, buf_span(&content.lines));
	}
	buf_free_into(&said.line, out);
	buf_free_into(&content.lines, out);
	buf_free_into(&content.text, out);
	return err;
}

/* Of an id, words and what is said of the entry, as many as fit. */
static void add_row(const struct log_show *l, const struct buf *id,
		    const struct said *said, const struct buf *decoration,
		    struct buf *out)
{
	struct buf words BUF_SCOPED = BUF_INTO(out);
	struct buf row BUF_SCOPED = BUF_INTO(out);
	size_t room = l->columns > 0 ? l->columns : SIZE_MAX;
	size_t n = columns_of(buf_span(id)) + 1;
	room = room > n ? room - n : 0;
	n = columns_of(buf_span(decoration));
	bool has_room = room >= n + WORDS_LEAST;
	buf_add(&words, said->kind);
	buf_adds(&words, said->words.n > 0 ? "  " : "");
	buf_add(&words, said->words);
	if (!has_room)
		buf_add(&words, buf_span(decoration));
	columns_add_cut(&row, buf_span(&words), has_room ? room - n : room);
	paint(l, out, "33", buf_span(id));
	buf_addc(out, ' ');
	/* The end of both may be cut off. */
	struct span rest = buf_span(&row);
	struct span kind =
		span_take(&rest, said->kind.n < rest.n ? said->kind.n : rest.n);
	paint_said(l, out, said, kind, words_kind_color(said->kind));
	if (rest.n > 0)
		paint_said(l, out, said, rest, NULL);
	if (has_room)
		buf_add(out, buf_span(decoration));
	buf_addc(out, '\n');
}

static int add_short(const struct log_show *l, uint32_t entry, struct json json,
		     struct buf *out)
{
	struct said said = { 0 };
	struct buf id BUF_SCOPED = BUF_INTO(out);
	struct buf decoration BUF_SCOPED = BUF_INTO(out);
	int err = read_words(l->s, entry, json, &said);
	short_ids_add(&l->ids, &id, entry);
	add_decoration(l, entry, &decoration);
	add_row(l, &id, &said, &decoration, out);
	buf_free_into(&said.line, out);
	return err;
}

static int find_run(const struct log_show *l, const uint32_t *list, size_t n,
		    size_t *run)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = 0;
	for (*run = 0; *run < n; ++*run) {
		err = session_read(l->s, list[*run], &line, &json);
		if (err || !note_can_fold(l->s, list[*run], json))
			break;
	}
	return err;
}

static int show_run(const struct log_show *l, uint32_t last, size_t n,
		    struct buf *out)
{
	struct buf id BUF_SCOPED = BUF_INTO(out);
	struct buf row BUF_SCOPED = BUF_INTO(out);
	short_ids_add(&l->ids, &id, last);
	buf_adds(&row, l->oneline ? "" : "entry ");
	escape_add_plain(&row, buf_span(&id));
	buf_addc(&row, ' ');
	note_run_add_kind(&row, (uint32_t)n);
	log_show_dim(l, buf_span(&row), out);
	return buf_error(out);
}

static int show_entry(const struct log_show *l, uint32_t entry, struct buf *out)
{
	struct buf line BUF_SCOPED = BUF_INTO(out);
	struct json json;
	int err = session_read(l->s, entry, &line, &json);
	if (!err && (!l->said || rows_is_said(l->s->dialect->showing, json)))
		err = l->oneline ? add_short(l, entry, json, out)
				 : add_whole(l, entry, json, out);
	return err ? err : buf_error(out);
}

/* Append the entries from *at on that have one row, and go on behind them. */
static int show_next(const struct log_show *l, const struct log_list *e,
		     size_t *at, struct buf *out)
{
	const uint32_t *list = e->list + *at;
	size_t run = 0;
	int err = 0;
	if (*at >= e->unfolded)
		err = find_run(l, list, e->n - *at, &run);
	if (err)
		return err;
	*at += run > 1 ? run : 1;
	return run > 1 ? show_run(l, list[e->oldest_first ? run - 1 : 0], run,
				  out)
		       : show_entry(l, list[0], out);
}

int log_show_write(struct log_show *l, struct buf *out)
{
	int err = buf_error(out);
	if (!err) {
		err = whole_write(STDOUT_FILENO, buf_span(out));
		l->unwritten = err != 0;
	}
	buf_clear(out);
	return err;
}

int log_show_list(struct log_show *l, const struct log_list *e, unsigned most,
		  unsigned *shown)
{
	struct buf out BUF_SCOPED = { 0 };
	int err = 0;
	for (size_t i = 0; i < e->n && *shown < most && !err;) {
		struct buf entry BUF_SCOPED = BUF_INTO(&out);
		err = show_next(l, e, &i, &entry);
		if (entry.len > 0 && (*shown)++ == 0 && !err)
			err = show_session(l, &out);
		if (entry.len > 0 && !l->oneline)
			buf_addc(&out, '\n');
		buf_add(&out, buf_span(&entry));
		l->at = 0;
		if (!err)
			err = log_show_write(l, &out);
	}
	return err;
}
