#include "fs/kernel/timeouts.h"

#include "core/json/timestamp.h"
#include "fs/kernel/notify.h"
#include "fs/tree/fresh.h"
#include "fs/tree/ino.h"

/* A year. The kernel has no value for "no limit". */
#define UNLIMITED (365 * 86400.0)

/* Of what every path walk asks for, so that the request notices changes. */
static double trust(struct fs *fs, const struct node *n)
{
	struct attached *a = attached_to(n->place);
	bool outside = node_is_outside(n);
	bool is_prompt;
	if (!outside)
		is_prompt = notify_is_prompt(n->place);
	else /* sessions.txt is read anew. */
		is_prompt = !(node_kinds[n->kind].changes_with & FRESH_BELOW) &&
			    !watch_polls(&fs->watch) &&
			    (n->kind != KIND_ROOT || watch_mark(n->place) > 0);
	struct burst *b = outside ? &a->outside : &a->burst;
	return is_prompt && burst_count(b, timestamp_monotonic()) ? BURST_TRUST
								  : 0;
}

double timeout_of_attr(struct fs *fs, const struct node *n)
{
	if (n->kind == KIND_ROOT || node_is_outside(n))
		return trust(fs, n);
	enum fresh_lasts lasts = fresh_lasts(n);
	if (lasts == FRESH_PROMPT) {
		const struct line_edit *edit =
			line_edits_lock(&fs->edit.lines, ino_of(n));
		/* While it is edited, the next open must send a GETATTR. */
		if (!notify_is_prompt(n->place) || (edit && !edit->ended))
			lasts = FRESH_ASKED;
		line_edits_unlock(&fs->edit.lines, edit);
	}
	return lasts == FRESH_ASKED ? 0 : UNLIMITED;
}

double timeout_of_name(struct fs *fs, const struct node *n)
{
	const struct node_kind_row *k = &node_kinds[n->kind];
	if (k->changes_with & FRESH_VIEW || node_is_outside(n))
		return trust(fs, n);
	return !(k->traits & NODE_UNLISTED) && node_kind_has_entry(n->kind) &&
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
