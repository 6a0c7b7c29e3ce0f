#include "mount/commands/grep/search.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/escape.h"
#include "core/dialects/registry.h"
#include "core/file/whole.h"
#include "core/places/agents.h"
#include "core/session/dialect.h"
#include "core/show/content.h"
#include "core/show/rows.h"
#include "fs/tree/head_target.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"

/* Of session files, which make a batch. */
#define BATCH_BYTES ((uint64_t)1 << 20)

/*
 * Which entries of a piece are searched: those that pass all of --since,
 * --until, --role, --tool and --file (mount/operands/entries.h), and the entry
 * or subtree of a PATH.
 */
struct filter {
	bool is_begun;	 /* an entry was asked for */
	bool has_chosen; /* the entry or the top of the subtree is there */
	uint32_t entry;	 /* the only one; INDEX_NONE: none */
	const struct bits *subtree; /* the entries of it */
	struct bits own;	    /* the same, unless they are shared */
	struct entry_filter entries;
};

/* A batch that is being searched, piece by piece. */
struct searching {
	struct grep_search *s;
	struct grep_printer to;
	struct grep_seek seek;
	struct piece *piece;
	struct filter filter;
	struct buf line;    /* that was looked at for `skip` */
	struct buf content; /* of an entry */
	struct piece_file file;
	uint64_t selected; /* lines of the piece */
	uint64_t rest;	   /* the same, of what nobody said */
	/* Before the piece: */
	size_t printed;
	struct pieced *last_of;
};

/* -- the filter */

static int add_subtree(struct bits *b, const struct index *x, uint32_t top)
{
	if (top == INDEX_NONE)
		return 0;
	int err = bits_add(b, top);
	for (uint32_t i = x->entries[top].first_child; i != INDEX_NONE && !err;
	     i = index_next_below(x, top, i, true))
		err = bits_add(b, i);
	return err;
}

/* The entry of an id, or of the start of one; INDEX_NONE: there is none. */
static int find_entry(const struct session *s, const char *name,
		      uint32_t *entry)
{
	struct buf target BUF_SCOPED = { 0 };
	buf_addf(&target, "by-id/%s", name);
	int err = buf_error(&target);
	if (!err)
		err = target_resolve_below(s, buf_span(&target), SPAN(""),
					   entry);
	if (!err)
		return 0;
	*entry = INDEX_NONE;
	return err == -ENOMEM ? err : 0;
}

/* A session that is split has its subtree found once. */
static int begin_filter(struct searching *w, const struct session *s)
{
	const struct grep_options *how = w->s->how;
	const struct index *x = &s->now.index;
	struct filter *f = &w->filter;
	struct chosen *chosen = &w->piece->of->chosen;
	bool split = w->piece->to != INDEX_NONE;
	uint32_t top = INDEX_NONE;
	*f = (struct filter){ .is_begun = true,
			      .entry = INDEX_NONE,
			      .subtree = split ? &chosen->entries : &f->own,
			      .entries = { .o = &how->entries,
					   .file = &how->touched,
					   .by = &how->by } };
	int err = how->entry ? find_entry(s, how->entry, &f->entry) : 0;
	if (err)
		return err;
	f->has_chosen = f->entry != INDEX_NONE;
	if (how->subtree) {
		top = index_find_name(x, span_of(how->subtree));
		f->has_chosen =
			top != INDEX_NONE && (!how->entry || f->has_chosen);
	}
	if (!split)
		return add_subtree(&f->own, x, top);
	/* Threads that do it at once add the same entries. */
	if (__atomic_load_n(&chosen->known, __ATOMIC_ACQUIRE))
		return 0;
	err = add_subtree(&chosen->entries, x, top);
	if (!err)
		__atomic_store_n(&chosen->known, true, __ATOMIC_RELEASE);
	return err;
}

/* After the last entry, or before all of them are visited again. */
static void end_filter(struct filter *f)
{
	bits_free(&f->own);
	entry_filter_end(&f->entries);
	f->is_begun = false;
}

/* Does an entry of the piece's session, which is entered, pass? 0 or -errno. */
static int filter_entry(struct searching *w, const struct session *s,
			uint32_t entry, bool *passes)
{
	const struct grep_options *how = w->s->how;
	struct filter *f = &w->filter;
	int err = f->is_begun ? 0 : begin_filter(w, s);
	if (err)
		return err;
	*passes = (!how->entry || entry == f->entry) &&
		  (!how->subtree || bits_has(f->subtree, entry));
	return *passes ? entry_filter_has(&f->entries, s, entry, passes) : 0;
}

/* -- an entry */

static int is_said(const struct session *s, uint32_t entry, bool *yes)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = session_peek(s, entry, &line, NULL, &json);
	*yes = !err && rows_is_said(s->dialect->showing, json);
	return err;
}

/*
 * Is the entry to be searched? Of one that nobody said hits may be counted, but
 * are not shown. The filter has to see the first entry that is visited.
 */
static int passes(struct searching *w, const struct session *s, uint32_t entry,
		  bool *yes, bool *is_rest)
{
	const struct grep_options *how = w->s->how;
	bool said = true;
	struct span text;
	int err = 0;
	*yes = true;
	if (w->s->skip && w->filter.is_begun) {
		err = session_peek_text(s, entry, &w->line, &text);
		*yes = !err && skip_may_match(w->s->skip, text);
	}
	if (!err && *yes)
		err = filter_entry(w, s, entry, yes);
	if (!err && *yes && how->only_said) {
		err = is_said(s, entry, &said);
		*yes = said || how->counts_rest;
	}
	*is_rest = !said;
	return err;
}

/* Where a pattern has failed, once for all threads. */
static void report_failed(struct searching *w)
{
	struct buf reason = { 0 };
	if (__atomic_exchange_n(&w->s->failed, 1, __ATOMIC_RELAXED))
		return;
	matcher_add_error(w->to.matcher, &reason);
	buf_adds(&reason, ", in ");
	grep_print_add_path(&w->to, &reason);
	buf_addf(&reason, ":%llu", (unsigned long long)w->seek.line);
	(void)status_fail_made("grep", &reason);
}

static void search_content(struct searching *w, bool is_rest)
{
	const struct grep_options *how = w->s->how;
	struct span content = buf_span(&w->content);
	bool one = how->quiet || how->list || how->without;
	int failed;
	if (is_rest || how->tells)
		failed = grep_seek_count(&w->seek, content,
					 one && !is_rest ? how->most > 0
					 : how->count	 ? how->most
							 : UINT64_MAX);
	else
		failed = grep_seek_print(&w->seek, content);
	if (failed)
		report_failed(w);
	if (is_rest)
		w->rest += w->seek.selected;
	else
		w->selected += w->seek.selected;
}

/* Is there nothing more to be known of the session, or of all? */
static bool is_over(const struct searching *w)
{
	const struct grep_search *s = w->s;
	const struct grep_options *how = s->how;
	return __atomic_load_n(&s->failed, __ATOMIC_RELAXED) ||
	       (how->quiet && __atomic_load_n(&s->found, __ATOMIC_RELAXED)) ||
	       (how->list &&
		__atomic_load_n(&w->piece->of->marked, __ATOMIC_RELAXED));
}

static int search_entry(void *data, const struct session *s, uint32_t entry)
{
	struct searching *w = data;
	bool yes = false;
	bool is_rest = false;
	if (is_over(w))
		return 0;
	int err = passes(w, s, entry, &yes, &is_rest);
	if (err || !yes)
		return err;
	buf_clear(&w->content);
	err = content_add(s, entry, &w->content);
	/* Without escape sequences. Lines stay. */
	if (!err && w->s->how->plain) {
		struct buf plain = { 0 };
		escape_add_plain(&plain, buf_span(&w->content));
		buf_free_into(&w->content, &plain);
		w->content = plain;
	}
	if (!err)
		err = buf_error(&w->content);
	if (err)
		return err;
	grep_print_begin(&w->to, w->piece->of, s, entry);
	search_content(w, is_rest);
	return 0;
}

static void drop(void *data)
{
	struct searching *w = data;
	w->to.out->len = w->printed;
	w->to.last_of = w->last_of;
	w->selected = w->rest = 0;
	grep_print_leave(&w->to);
	end_filter(&w->filter);
}

/* -- a piece, and a batch of them */

static void search_piece(struct searching *w, struct pieces *p)
{
	const struct grep_options *how = w->s->how;
	const struct piece_visitor v = { w, search_entry, drop, &w->file };
	w->filter = (struct filter){ 0 };
	w->selected = w->rest = 0;
	w->printed = w->to.out->len;
	w->last_of = w->to.last_of;
	piece_visit(p, w->piece, &v);
	if (w->filter.has_chosen)
		__atomic_store_n(&w->s->chosen, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&w->s->rest, w->rest, __ATOMIC_RELAXED);
	if (how->count || how->without) {
		w->piece->is_counted = w->filter.is_begun;
		w->piece->count = w->selected;
	} else if (w->selected > 0) {
		__atomic_store_n(&w->s->found, 1, __ATOMIC_RELAXED);
		if (how->list && !how->quiet &&
		    !__atomic_exchange_n(&w->piece->of->marked, 1,
					 __ATOMIC_RELAXED)) {
			grep_print_session(&w->to, w->piece->of);
			buf_addc(w->to.out, '\n');
		}
	}
	grep_print_leave(&w->to);
	end_filter(&w->filter);
}

static void search_batch(struct pieces *p, struct batch *b, struct buf *out)
{
	struct grep_search *s = p->data;
	struct searching w = { .s = s };
	struct matcher *m = matcher_new(s->patterns);
	if (!m)
		buf_fail(out);
	w.to = (struct grep_printer){
		.how = s->how, .matcher = m, .batch = b, .out = out
	};
	w.seek = (struct grep_seek){ .skip = s->skip, .to = &w.to };
	for (size_t i = 0; i < b->n && m; i++) {
		w.piece = &b->list[i];
		search_piece(&w, p);
	}
	grep_print_end(&w.to);
	matcher_free(m);
	buf_free(&w.line);
	buf_free(&w.content);
	buf_free(&w.file.bytes);
}

static bool wants(const struct pieces *p, int fd, struct piece_file *f)
{
	const struct grep_search *s = p->data;
	return skip_may_match_file(s->skip, fd, f);
}

/* -- writing */

/* Print the sessions of which all was counted. */
static int emit_counted(struct grep_search *s, const struct batch *b)
{
	const struct grep_options *how = s->how;
	struct buf out BUF_SCOPED = { 0 };
	const struct grep_printer to = { .how = how, .out = &out };
	for (size_t i = 0; i < b->n; i++) {
		const struct piece *piece = &b->list[i];
		const struct pieced *of = piece->of;
		if (!piece->is_counted)
			continue;
		if (of->number != s->session)
			s->count = 0;
		s->count += piece->count;
		s->session = of->number;
		bool is_last = piece->to >= of->n;
		if (!is_last || (s->count > 0) == (how->without > 0))
			continue;
		s->found = 1;
		grep_print_session(&to, of);
		if (how->count && !how->without)
			buf_addf(&out, ":%llu", (unsigned long long)s->count);
		buf_addc(&out, '\n');
	}
	s->printed = s->printed || out.len > 0;
	int err = buf_error(&out);
	if (!err && !s->how->quiet)
		err = whole_write(STDOUT_FILENO, buf_span(&out));
	return err;
}

static int emit_hits(struct grep_search *s, const struct batch *b,
		     struct span text)
{
	const struct grep_options *how = s->how;
	bool headings = how->heading && !how->tells;
	struct buf between = { 0 };
	const struct grep_printer to = { .how = how, .out = &between };
	if ((headings || (how->contexts && !how->tells)) && s->printed)
		grep_print_separator(&to, how->heading);
	int err = whole_write_end(STDOUT_FILENO, &between);
	/* It goes on with the session of the batch before. */
	if (headings && b->first == s->session)
		text = span_from(text, b->heading);
	s->session = b->last;
	s->printed = true;
	return err ? err : whole_write(STDOUT_FILENO, text);
}

static int emit(struct pieces *p, const struct batch *b, const struct buf *out)
{
	struct grep_search *s = p->data;
	const struct grep_options *how = s->how;
	int err = buf_error(out);
	if (how->quiet && __atomic_load_n(&s->found, __ATOMIC_RELAXED))
		return -ECANCELED;
	if (!err && how->table) {
		buf_add(&s->rows, buf_span(out));
		err = buf_error(&s->rows);
	} else if (!err && (how->count || how->without)) {
		err = emit_counted(s, b);
	} else if (!err && out->len > 0) {
		err = emit_hits(s, b, buf_span(out));
	}
	if (!err && __atomic_load_n(&s->failed, __ATOMIC_RELAXED))
		err = -ECANCELED;
	return err;
}

/* -- all */

static enum grep_status report_no_folders(const struct select_by *by)
{
	struct buf line BUF_SCOPED = { 0 };
	buf_adds(&line, "there are no sessions of ");
	for (size_t i = 0; i < by->n_agents; i++)
		buf_addf(&line, "%s%s", i > 0 ? " or " : "",
			 by->agents[i]->name);
	if (by->n_agents == 0)
		agent_add_names(&dialect_registry, true, "or", &line);
	const char *text = buf_cstr(&line);
	fprintf(stderr, "sessfs: %s\n", text ? text : strerror(ENOMEM));
	return GREP_FAILED;
}

/* What is wrong with the search as a whole is reported. */
static enum grep_status status_of(const struct grep_search *s,
				  const struct pieces *p, int err)
{
	const struct grep_options *how = s->how;
	const char *chosen = how->entry ? how->entry : how->subtree;
	if (how->quiet && s->found)
		return GREP_FOUND;
	if (s->failed)
		return GREP_FAILED;
	/* Who quits a pager has seen enough. */
	if (err == -ECANCELED || err == -EPIPE)
		return GREP_FOUND;
	if (err)
		status_output(err);
	if (err || p->status)
		return GREP_FAILED;
	if (chosen && !s->chosen)
		return (enum grep_status)status_trouble(chosen,
							"no such entry");
	if (p->n_paths == 0 && !p->has_folders)
		return report_no_folders(p->by);
	if (how->shows_path && !p->has_sessions &&
	    path_type_is(p->paths[0], S_IFDIR))
		return (enum grep_status)status_trouble(
			p->paths[0], "no sessions in this folder (--here "
				     "searches those of a directory)");
	return s->found ? GREP_FOUND : GREP_NOT_FOUND;
}

enum grep_status grep_search_run(struct grep_search *s,
				 const struct select_by *by, char *const *paths,
				 size_t n)
{
	const struct grep_options *how = s->how;
	struct pieces p = { .by = by,
			    .paths = paths,
			    .n_paths = n,
			    .bytes = BATCH_BYTES,
			    .data = s,
			    .work = search_batch,
			    .emit = emit };
	/* Whether an entry is there shows only in a session that is read. */
	if (s->skip && !how->entry && !how->subtree && !how->without)
		p.wants = wants;
	s->found = s->chosen = 0;
	s->session = 0;
	int err = pieces_run(&p);
	s->selected = s->selected || p.has_selected;
	return status_of(s, &p, err);
}
