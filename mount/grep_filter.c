#include "mount/grep_filter.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"

/* The next entry below `top` in a walk that visits parents first. */
static uint32_t next_below(const struct index *x, uint32_t top, uint32_t at)
{
	const struct entry *e = &x->entries[at];
	if (e->first_child != INDEX_NONE)
		return e->first_child;
	while (at != top && x->entries[at].next_sibling == INDEX_NONE)
		at = x->entries[at].parent;
	return at == top ? INDEX_NONE : x->entries[at].next_sibling;
}

static int add_subtree(struct bits *b, const struct index *x, uint32_t top)
{
	int err = 0;
	for (uint32_t i = top; i != INDEX_NONE && !err;
	     i = next_below(x, top, i))
		err = bits_add(b, i);
	return err;
}

int grep_filter_begin(struct grep_filter *f, const struct grep_options *how,
		      const struct session *s)
{
	const struct index *x = &s->now.index;
	*f = (struct grep_filter){ .how = how, .entry = INDEX_NONE };
	f->passes_agent =
		!how->agent || strcmp(how->agent, s->dialect->name) == 0;
	if (how->entry)
		f->entry = index_find_name(x, span_of(how->entry));
	return how->subtree
		       ? add_subtree(&f->subtree, x,
				     index_find_name(x, span_of(how->subtree)))
		       : 0;
}

void grep_filter_end(struct grep_filter *f)
{
	bits_free(&f->subtree);
	*f = (struct grep_filter){ 0 };
}

static bool is_text(struct buf *text, const char *wanted)
{
	text_finish(text, 0);
	bool is = span_eq(buf_span(text), span_of(wanted));
	buf_clear(text);
	return is;
}

static bool has_role(const struct session *s, struct json json,
		     const char *role, struct buf *scratch)
{
	s->dialect->role_or_type(scratch, json);
	return is_text(scratch, role);
}

/* Is it a call of the tool? */
static bool calls(const struct session *s, struct json json, const char *tool,
		  struct buf *scratch)
{
	struct json blocks = s->dialect->blocks(json);
	struct block_walk w = block_walk(s->dialect->read_block, blocks);
	struct block b;
	struct json raw;
	while (block_next(&w, &b, &raw)) {
		if (b.type != BLOCK_CALL)
			continue;
		js_to_string(scratch, b.name);
		if (is_text(scratch, tool))
			return true;
	}
	return false;
}

/* Is it a result that names the tool? */
static bool answers(const struct session *s, struct json json, const char *tool,
		    struct buf *scratch)
{
	const struct dialect *d = s->dialect;
	for (size_t i = 0; i < d->n_meta; i++) {
		if (strcmp(d->meta[i].key, "tool") != 0)
			continue;
		d->meta[i].add(scratch, json);
		return is_text(scratch, tool);
	}
	return false;
}

static bool passes_line(const struct grep_filter *f, const struct session *s,
			struct json json, struct buf *scratch)
{
	const struct grep_options *how = f->how;
	return (!how->role || has_role(s, json, how->role, scratch)) &&
	       (!how->tool || calls(s, json, how->tool, scratch) ||
		answers(s, json, how->tool, scratch));
}

int grep_filter_entry(const struct grep_filter *f, const struct session *s,
		      uint32_t entry, bool *passes)
{
	const struct grep_options *how = f->how;
	*passes = f->passes_agent && (!how->entry || entry == f->entry) &&
		  (!how->subtree || bits_has(&f->subtree, entry));
	if (!*passes || (!how->role && !how->tool))
		return 0;
	struct buf line = { 0 };
	struct buf scratch = { 0 };
	struct json json;
	int err = session_read(s, entry, &line, &json);
	if (!err) {
		*passes = passes_line(f, s, json, &scratch);
		err = buf_error(&scratch);
	}
	buf_free(&line);
	buf_free(&scratch);
	return err;
}
