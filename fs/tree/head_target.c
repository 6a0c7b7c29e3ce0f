#include "fs/tree/head_target.h"

#include <errno.h>
#include <stdlib.h>

#include "core/session/file_name.h"
#include "core/session/short_ids.h"
#include "core/show/step_name.h"
#include "fs/tree/views.h"

struct parts {
	struct span *list;
	size_t n;
	bool absolute;
};

/* Split a path, without ".", "a/.." and leading "..". */
static int split(struct parts *p, struct span path)
{
	*p = (struct parts){ .absolute = path.n > 0 && path.p[0] == '/' };
	p->list = calloc(path.n / 2 + 1, sizeof(*p->list));
	if (!p->list)
		return -ENOMEM;
	while (path.n > 0) {
		struct span part = span_next(&path, '/');
		if (span_eq(part, SPAN(".."))) {
			if (p->n > 0)
				p->n--;
		} else if (part.n > 0 && !span_eq(part, SPAN("."))) {
			p->list[p->n++] = part;
		}
	}
	return 0;
}

/* Follow the rest of the path from an entry, down or up. */
static int follow(const struct session *s, uint32_t at, const struct span *rest,
		  size_t n, uint32_t *entry)
{
	const struct index *x = &s->now.index;
	for (size_t i = 0; i < n; i++) {
		bool is_last = i + 1 == n;
		if (is_last && span_eq(rest[i], SPAN(FILE_NAME_CONTENT)) &&
		    at != INDEX_NONE)
			break;
		uint32_t next = INDEX_NONE;
		if (!span_eq(rest[i], SPAN(FILE_NAME_PARENT))) {
			next = index_find_name(x, rest[i]);
			if (next == INDEX_NONE || x->entries[next].parent != at)
				return -ENOENT;
		} else if (at != INDEX_NONE) {
			next = x->entries[at].parent;
			/* As "tree": before the first entry. */
			if (is_last && next == INDEX_NONE &&
			    !x->entries[at].orphan && !x->entries[at].cut) {
				at = next;
				break;
			}
		}
		if (next == INDEX_NONE)
			return -ENOENT;
		at = next;
	}
	*entry = at;
	return 0;
}

/*
 * By name or, without by-id/ before it, by an id that is no name as it is. One
 * that the target ends with may be a prefix of an id.
 */
static int find_id(const struct session *s, const struct span *p, size_t n,
		   bool bare, uint32_t *entry)
{
	const struct index *x = &s->now.index;
	bool last = true; /* but for the way up, and a content */
	for (size_t i = 1; i < n; i++)
		last = last &&
		       (span_eq(p[i], SPAN(FILE_NAME_PARENT)) ||
			(i + 1 == n && span_eq(p[i], SPAN(FILE_NAME_CONTENT))));
	*entry = index_find_name(x, p[0]);
	if (*entry == INDEX_NONE && bare)
		*entry = index_find(x, p[0]);
	if (*entry != INDEX_NONE)
		return 0;
	return last && p[0].n >= SHORT_ID_TYPED
		       ? index_find_prefix(x, p[0], entry)
		       : -ENOENT;
}

/* By the entry at the tip, the branch's name, or the start of the tip's id. */
static int find_branch(const struct session *s, const struct span *p, size_t n,
		       uint32_t *tip)
{
	const struct index *x = &s->now.index;
	const struct named_head *head = heads_find(&s->now.heads, p[0]);
	*tip = index_find_name(x, p[0]);
	if (*tip != INDEX_NONE && bookkeeping_is_tip(x, *tip))
		return 0;
	if (head) {
		*tip = bookkeeping_shown_parent(x, head->entry);
		return *tip == INDEX_NONE ? -ENOENT : 0;
	}
	int err = find_id(s, p, n, false, tip);
	return err || bookkeeping_is_tip(x, *tip) ? err : -ENOENT;
}

/* The entry that the first *used parts name. */
static int find_start(const struct session *s, const struct span *p, size_t n,
		      uint32_t *at, size_t *used)
{
	*used = 2;
	*at = INDEX_NONE;
	if (span_eq(p[0], SPAN("HEAD"))) {
		*used = 1;
		*at = session_head(s);
		return *at == INDEX_NONE && n > 1 ? -ENOENT : 0;
	}
	if (span_eq(p[0], SPAN("tree"))) {
		*used = 1;
		return 0;
	}
	if (span_eq(p[0], SPAN("path")) && n > 1) {
		bool whole;
		return head_path_entry(s, step_name_number(p[1], &whole), at);
	}
	if (span_eq(p[0], SPAN("by-file")) && n > 1) {
		int err = file_links_resolve(s, p + 1, n - 1, at, used);
		++*used;
		return err;
	}
	if (span_eq(p[0], SPAN("by-id")) && n > 1)
		return find_id(s, p + 1, n - 1, false, at);
	if (span_eq(p[0], SPAN("branches")) && n > 1)
		return find_branch(s, p + 1, n - 1, at);
	if (span_eq(p[0], SPAN("by-label")) && n > 1) {
		const struct label *label =
			labels_find_name(&s->now.labels, p[1]);
		*at = label ? label->entry : INDEX_NONE;
	} else {
		*used = 1;
		return find_id(s, p, n, true, at);
	}
	return *at == INDEX_NONE ? -ENOENT : 0;
}

static int resolve(const struct session *s, const struct span *p, size_t n,
		   uint32_t *entry)
{
	uint32_t at;
	size_t used;
	if (n == 0)
		return -ENOENT;
	int err = find_start(s, p, n, &at, &used);
	if (err)
		return err;
	return follow(s, at, p + used, n - used, entry);
}

static bool same_parts(const struct span *a, const struct span *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!span_eq(a[i], b[i]))
			return false;
	}
	return true;
}

static int resolve_parts(const struct session *s, const struct parts *p,
			 const struct parts *root, uint32_t *entry)
{
	if (p->absolute) {
		if (p->n < root->n || !same_parts(p->list, root->list, root->n))
			return -ENOENT;
		return resolve(s, p->list + root->n, p->n - root->n, entry);
	}
	int err = resolve(s, p->list, p->n, entry);
	/* Relative from outside: skip the last parts of the session's path. */
	for (size_t k = 1; err == -ENOENT && k <= root->n && k < p->n; k++) {
		if (same_parts(p->list, root->list + root->n - k, k))
			err = resolve(s, p->list + k, p->n - k, entry);
	}
	return err;
}

int target_resolve_below(const struct session *s, struct span target,
			 struct span root, uint32_t *entry)
{
	struct parts p = { 0 };
	struct parts r = { 0 };
	int err = split(&p, target);
	if (!err)
		err = split(&r, root);
	if (!err)
		err = resolve_parts(s, &p, &r, entry);
	free(p.list);
	free(r.list);
	return err;
}

int target_resolve(const struct tree *t, const struct place *at,
		   struct span target, uint32_t *entry)
{
	const char *const mountpoints[] = { t->mountpoint, t->spelled };
	int err = -ENOENT;
	for (size_t i = 0; i < 2 && err == -ENOENT; i++) {
		struct buf root BUF_SCOPED = { 0 };
		buf_addf(&root, "%s/%s", mountpoints[i], at->mount_path);
		err = buf_error(&root);
		if (!err)
			err = target_resolve_below(at->session, target,
						   buf_span(&root), entry);
	}
	return err;
}

void target_add_head(const struct session *s, struct buf *out)
{
	uint32_t head = session_head(s);
	buf_adds(out, head == INDEX_NONE ? "tree" : "by-id/");
	if (head != INDEX_NONE)
		index_add_name(&s->now.index, out, head);
}
