#include "fs/kernel/timeouts.h"

#include "core/json/timestamp.h"
#include "fs/kernel/notify.h"
#include "fs/tree/fresh.h"
#include "fs/tree/ino.h"

/* A year. The kernel has no value for "no limit". */
#define UNLIMITED (365 * 86400.0)

static double timeout_in(struct burst *b)
{
	return burst_count(b, timestamp_monotonic()) ? BURST_TRUST : 0;
}

/* Of what every path walk asks for, so that the request notices changes. */
static double trust(const struct node *n)
{
	return notify_is_prompt(n->place)
		       ? timeout_in(&attached_to(n->place)->burst)
		       : 0;
}

/* Of a folder of sessions, or a session in one; sessions.txt is read anew. */
static double trust_outside(struct fs *fs, const struct node *n)
{
	if (node_kinds[n->kind].changes_with & FRESH_BELOW ||
	    watch_polls(&fs->watch) ||
	    (n->kind == KIND_ROOT && watch_mark(n->place) <= 0))
		return 0;
	return timeout_in(&attached_to(n->place)->outside);
}

/* If so, the next open must send a GETATTR. */
static bool is_edited(struct fs *fs, const struct node *n)
{
	const struct line_edit *edit =
		line_edits_lock(&fs->edit.lines, ino_of(n));
	bool is = edit && !edit->ended;
	line_edits_unlock(&fs->edit.lines, edit);
	return is;
}

double timeout_of_attr(struct fs *fs, const struct node *n)
{
	if (node_is_outside(n))
		return trust_outside(fs, n);
	if (n->kind == KIND_ROOT)
		return trust(n);
	enum fresh_lasts lasts = fresh_lasts(n);
	if (lasts == FRESH_PROMPT &&
	    (!notify_is_prompt(n->place) || is_edited(fs, n)))
		lasts = FRESH_ASKED;
	return lasts == FRESH_ASKED ? 0 : UNLIMITED;
}

double timeout_of_name(struct fs *fs, const struct node *n)
{
	const struct node_kind_row *k = &node_kinds[n->kind];
	if (node_is_outside(n))
		return trust_outside(fs, n);
	if (k->changes_with & FRESH_VIEW)
		return trust(n);
	return !k->unlisted && node_kind_has_entry(n->kind) &&
			       !(k->changes_with & FRESH_PRESENCE)
		       ? UNLIMITED
		       : 0;
}

double timeout_of_absence(const struct node *dir, struct span name)
{
	bool entries = node_is_entry_folder(dir) || dir->kind == KIND_BY_ID ||
		       dir->kind == KIND_TREE;
	return entries && span_starts(name, span_of(".")) ? UNLIMITED : 0;
}
