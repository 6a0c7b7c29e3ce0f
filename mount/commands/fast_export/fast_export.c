#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/file/whole.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "core/show/content.h"
#include "core/show/meta.h"
#include "core/show/words.h"
#include "mount/cli/status.h"
#include "mount/commands/commands.h"
#include "mount/commands/fast_export/fast_export.h"
#include "mount/operands/target.h"

/* So many bytes are written at once, or an entry. */
#define CHUNK ((size_t)256 << 10)

#define NAME_COLUMNS 60
#define LABEL_COLUMNS 1024

struct fast_export_options {
	int files;
};

/*
 * The place of an entry in the history, which is the session's entries without
 * bookkeeping, each after its parent, with the branch that each is on.
 *
 * Of the children of an entry, the first goes on with the entry's branch, and
 * each other one begins a branch, as roots do. So each tip of the session ends
 * one branch. While the session grows in one epoch, no entry changes its place,
 * its branch or its date.
 *
 * A history costs 28 bytes of memory an entry.
 */
struct place {
	uint32_t number; /* on the way from its root, from 1; 0: bookkeeping */
	uint32_t branch; /* its first entry */
	uint32_t tip;	 /* of the branch that begins here: its last entry */
	/* In seconds since 1970, of the entry; never before its parent's. */
	int64_t date;
};

struct stream {
	const struct session *s;
	struct words words;
	uint32_t *order; /* the entries of the history */
	uint32_t n;
	struct place *places; /* by entry */
	bool files;	      /* with what tools wrote */
	struct buf line;      /* an entry's */
	struct buf out;	      /* not written yet */
	bool broken;	      /* an error is that of writing it */
};

/* git's name of no object: a branch that is reset to it goes. */
#define NO_COMMIT "0000000000000000000000000000000000000000"

/* -- the history */

/*
 * The nearest second that git keeps: none is before 1970, and git 2.47 takes
 * its own commit-graph file for damaged if two commits have one time of over 32
 * bits.
 */
static int64_t git_seconds(int64_t ms)
{
	int64_t most = UINT32_MAX;
	return ms < 0 ? 0 : ms / 1000 < most ? ms / 1000 : most;
}

/* Append an entry, whose parent has its place. */
static void add_to_history(struct stream *x, uint32_t entry)
{
	uint32_t parent = bookkeeping_shown_parent(&x->s->now.index, entry);
	int64_t date = git_seconds(session_entry(x->s, entry)->time);
	struct place place = { 1, entry, entry, date };
	if (parent != INDEX_NONE) {
		const struct place *up = &x->places[parent];
		place.number = up->number + 1;
		place.date = date > up->date ? date : up->date;
		if (x->places[up->branch].tip == parent)
			place.branch = up->branch;
	}
	x->places[entry] = place;
	x->places[place.branch].tip = entry;
	x->order[x->n++] = entry;
}

static int make_history(struct stream *x)
{
	const struct index *all = &x->s->now.index;
	const size_t n = (size_t)all->n + 1;
	uint32_t *above = malloc(n * sizeof(*above));
	x->order = malloc(n * sizeof(*x->order));
	x->places = calloc(n, sizeof(*x->places));
	int err = above && x->order && x->places ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < all->n && !err; i++) {
		uint32_t waiting = 0;
		uint32_t entry = all->entries[i].bookkeeping ? INDEX_NONE : i;
		/* A parent may come later in the file. */
		while (entry != INDEX_NONE && !x->places[entry].number) {
			above[waiting++] = entry;
			entry = bookkeeping_shown_parent(all, entry);
		}
		while (waiting > 0)
			add_to_history(x, above[--waiting]);
	}
	free(above);
	return err;
}

/* -- parts of a command */

/* git's mark of an entry's commit: 0 is none. */
static uint32_t mark_of(uint32_t entry)
{
	return entry + 1;
}

/* git appends ".lock" to a ref's name while it writes the ref. */
#define NAME_MOST (FILE_NAME_LIMIT - sizeof(".lock") + 1)

static bool is_refused(struct span name, size_t i)
{
	unsigned char c = (unsigned char)name.p[i];
	struct span rest = span_from(name, i);
	if (c == '.')
		return rest.n == 1 || span_eq(rest, SPAN(".lock")) ||
		       (i > 0 && name.p[i - 1] == '.');
	return c <= ' ' || c == 0x7F || strchr("~^:?*[\\/", c) != NULL ||
	       span_starts(rest, SPAN("@{"));
}

void refs_add(struct buf *out, struct span file_name)
{
	struct buf name BUF_SCOPED = BUF_INTO(out);
	/* Git would take it for something else. */
	bool reserved = span_starts(file_name, SPAN("-")) ||
			span_eq(file_name, SPAN("@")) ||
			span_eq(file_name, SPAN("HEAD"));
	for (size_t i = 0; i < file_name.n; i++) {
		if ((i == 0 && reserved) || is_refused(file_name, i))
			buf_addf(&name, "%%%02X",
				 (unsigned char)file_name.p[i]);
		else
			buf_addc(&name, file_name.p[i]);
	}
	if (name.len > NAME_MOST)
		name.len = file_name_cut(name.data, NAME_MOST, file_name);
	buf_add(out, buf_span(&name));
}

static void add_ref(struct stream *x, const char *before, struct buf *file_name)
{
	buf_adds(&x->out, before);
	refs_add(&x->out, buf_span(file_name));
	buf_addc(&x->out, '\n');
	buf_free_into(file_name, &x->out);
}

/* A branch is called as in branches/, after its tip. */
static void add_branch(struct stream *x, const char *command, uint32_t tip)
{
	struct buf name = { 0 };
	index_add_name(&x->s->now.index, &name, tip);
	buf_adds(&x->out, command);
	add_ref(x, " refs/heads/", &name);
}

static uint32_t tip_of(const struct stream *x, uint32_t entry)
{
	return x->places[x->places[entry].branch].tip;
}

static void add_from(struct stream *x, uint32_t entry)
{
	buf_addf(&x->out, "from :%u\n", mark_of(entry));
}

/* A name that git takes: no line, and none of the signs around an address. */
static void add_name(struct buf *out, struct span text)
{
	struct buf name BUF_SCOPED = BUF_INTO(out);
	words_add_fit(&name, text, NAME_COLUMNS);
	for (size_t i = 0; i < name.len; i++) {
		if (name.data[i] == '<' || name.data[i] == '>')
			name.data[i] = '_';
	}
	struct span trimmed = text_trim(buf_span(&name));
	buf_add(out, trimmed.n > 0 ? trimmed : SPAN("unknown"));
}

/* -- a commit */

/* "NAME <KIND> ": the model, the tool, or else the kind as a name. */
static void make_person(struct stream *x, struct json json, struct buf *out)
{
	const struct dialect *d = x->s->dialect;
	struct buf kind BUF_SCOPED = BUF_INTO(out);
	struct buf name BUF_SCOPED = BUF_INTO(out);
	words_add_kind(&x->words, &kind, json, NAME_COLUMNS);
	meta_add_row(d, "model", &name, json);
	if (name.len == 0)
		meta_add_row(d, "tool", &name, json);
	add_name(out, buf_span(name.len > 0 ? &name : &kind));
	buf_adds(out, " <");
	add_name(out, buf_span(&kind));
	buf_adds(out, "> ");
}

/* An entry without a time has that of its parent. */
static void add_people(struct stream *x, uint32_t entry, struct json json)
{
	int64_t ms = session_entry(x->s, entry)->time;
	int64_t date = x->places[entry].date;
	int64_t own = ms == TIMESTAMP_NONE ? date : git_seconds(ms);
	struct buf person BUF_SCOPED = BUF_INTO(&x->out);
	make_person(x, json, &person);
	buf_adds(&x->out, "author ");
	buf_add(&x->out, buf_span(&person));
	buf_addf(&x->out, "%" PRId64 " +0000\ncommitter ", own);
	buf_add(&x->out, buf_span(&person));
	buf_addf(&x->out, "%" PRId64 " +0000\n", date);
}

/* The row of the entry, and its name in by-id/. */
static int add_message(struct stream *x, uint32_t entry, struct json json)
{
	size_t from = stream_begin_data(&x->out);
	int err = words_add_row(&x->words, &x->out, entry, json);
	buf_adds(&x->out, "\nEntry: ");
	index_add_name(&x->s->now.index, &x->out, entry);
	buf_addc(&x->out, '\n');
	stream_end_data(&x->out, from);
	return err;
}

/*
 * Append "M 100644 inline PATH" with the number of the entry on its way, in
 * folders of two digits: with all in one folder, git would write a tree as long
 * as the way for each commit.
 */
static void add_path(struct stream *x, uint32_t entry, const char *file)
{
	char digits[16];
	int n = snprintf(digits, sizeof(digits), "%04u",
			 x->places[entry].number);
	buf_adds(&x->out, "M 100644 inline path/");
	if (n % 2 == 1)
		buf_addc(&x->out, '0');
	for (int i = 0; i < n; i++) {
		buf_addc(&x->out, digits[i]);
		if ((n - i) % 2 == 1)
			buf_addc(&x->out, '/');
	}
	buf_adds(&x->out, file);
	buf_addc(&x->out, '\n');
}

static int add_file(struct stream *x, uint32_t entry, const char *file,
		    int (*add)(const struct session *s, uint32_t entry,
			       struct buf *out))
{
	add_path(x, entry, file);
	size_t from = stream_begin_data(&x->out);
	int err = add(x->s, entry, &x->out);
	stream_end_data(&x->out, from);
	return err;
}

static int add_commit(struct stream *x, uint32_t entry)
{
	uint32_t parent = bookkeeping_shown_parent(&x->s->now.index, entry);
	struct json json;
	int err = session_read(x->s, entry, &x->line, &json);
	if (err)
		return err;
	add_branch(x, "commit", tip_of(x, entry));
	buf_addf(&x->out, "mark :%u\n", mark_of(entry));
	add_people(x, entry, json);
	err = add_message(x, entry, json);
	/* Else it goes on from the last commit of its branch. */
	if (parent != INDEX_NONE &&
	    x->places[parent].branch != x->places[entry].branch)
		add_from(x, parent);
	if (!err)
		err = add_file(x, entry, FILE_NAME_CONTENT, content_add);
	if (!err)
		err = add_file(x, entry, FILE_NAME_META, meta_add);
	if (!err && x->files)
		err = files_add(x->s, entry, &x->out);
	return err ? err : buf_error(&x->out);
}

/* -- refs */

/* Only a tag with a message can move without a parent below the old one. */
static void add_tag(struct stream *x, const struct label *label)
{
	struct buf name = { 0 };
	uint32_t entry = session_entry(x->s, label->entry)->stands_for;
	if (entry == INDEX_NONE)
		return;
	label_add_name(&x->s->now.labels, &name, label);
	add_ref(x, "tag ", &name);
	add_from(x, entry);
	buf_addf(&x->out, "tagger user <label> %" PRId64 " +0000\n",
		 git_seconds(label->at.time));
	size_t from = stream_begin_data(&x->out);
	words_add_fit(&x->out, label_text(&x->s->now.labels, label),
		      LABEL_COLUMNS);
	buf_addc(&x->out, '\n');
	stream_end_data(&x->out, from);
}

static void add_named_branches(struct stream *x)
{
	const struct heads *h = &x->s->now.heads;
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t tip = bookkeeping_shown_parent(&x->s->now.index,
							h->list[i].entry);
		struct buf name = { 0 };
		if (tip == INDEX_NONE)
			continue;
		heads_add_file_name(h, &name, &h->list[i]);
		add_ref(x, "reset refs/heads/", &name);
		add_from(x, tip);
	}
}

static void add_refs(struct stream *x)
{
	const struct labels *l = &x->s->now.labels;
	uint32_t head = session_head(x->s);
	/* One that is no tip any more may have been one at an import before. */
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t entry = x->order[i];
		if (tip_of(x, entry) == entry)
			continue;
		add_branch(x, "reset", entry);
		buf_adds(&x->out, "from " NO_COMMIT "\n");
	}
	add_named_branches(x);
	for (uint32_t i = labels_next(l, 0); i != INDEX_NONE;
	     i = labels_next(l, i + 1))
		add_tag(x, labels_of(l, index_id(&x->s->now.index, i)));
	if (head != INDEX_NONE) {
		buf_adds(&x->out, "reset HEAD\n");
		add_from(x, head);
	}
}

/* -- the stream */

static int write_out(struct stream *x, size_t least)
{
	if (x->out.len < least)
		return 0;
	int err = whole_write(STDOUT_FILENO, buf_span(&x->out));
	x->broken = err < 0;
	if (x->out.cap > 4 * CHUNK)
		buf_free(&x->out);
	buf_clear(&x->out);
	return err;
}

/* Without its last line git takes nothing. */
static int write_stream(struct stream *x)
{
	int err = make_history(x);
	buf_adds(&x->out, "feature done\nfeature force\n");
	for (uint32_t i = 0; i < x->n && !err; i++) {
		err = add_commit(x, x->order[i]);
		if (!err)
			err = write_out(x, CHUNK);
	}
	if (!err) {
		add_refs(x);
		buf_adds(&x->out, "done\n");
		err = buf_error(&x->out);
	}
	if (!err && !session_is_whole(x->s))
		err = -ESTALE;
	return err ? err : write_out(x, 0);
}

static int fast_export(const struct options *o)
{
	const struct fast_export_options *own = o->own;
	struct stream x = { .files = own->files > 0 };
	struct target t;
	int err = 0;
	int status = o->source ? target_find(&t, o->source) : target_here(&t);
	if (o->dialect)
		t.file.how.forced = o->dialect;
	if (!status)
		status = target_open(&t);
	if (!status) {
		x.s = t.session;
		words_begin(&x.words, x.s);
		err = write_stream(&x);
		words_end(&x.words);
	}
	if (err)
		status = x.broken ? status_output(err)
				  : status_unread(t.source, err);
	free(x.order);
	free(x.places);
	buf_free(&x.line);
	buf_free(&x.out);
	target_free(&t);
	return status;
}

static const struct option_row rows[] = {
	{ 0, "files", OPTION_FLAG, offsetof(struct fast_export_options, files),
	  NULL,
	  "the files that tools wrote, as far as they are known\n"
	  "whole, in files/" },
	OPTION_ROW_SESSION,
	{ 0 },
};

const struct command command_fast_export = {
	.name = "fast-export",
	.usage = "[PATH]",
	.help = "Print a session as a stream for git fast-import.",
	.options = rows,
	.size = sizeof(struct fast_export_options),
	.most = 1,
	.run = fast_export,
};
