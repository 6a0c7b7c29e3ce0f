#include "fs/kernel/timeouts.h"

#include "core/json/timestamp.h"
#include "fs/kernel/attached.h"
#include "fs/kernel/notify.h"
#include "fs/tree/agents.h"
#include "fs/tree/ino.h"

/* A year. The kernel has no value for "no limit". */
#define UNLIMITED (365 * 86400.0)

/* Its links come and go with files that nobody watches. */
static bool has_agents(const struct node *n)
{
	return n->kind == KIND_ID_ENTRY &&
	       agents_has_any(n->place->session, n->entry);
}

/* Can it change within the epoch, and is that to be expected soon? */
static bool is_volatile(const struct node *n)
{
	return ((node_is_entry_folder(n) || n->kind == KIND_LABEL) &&
		notify_is_volatile(n)) ||
	       has_agents(n);
}

/* It can change, but is invalidated when it does. */
static bool is_invalidated(struct fs *fs, const struct node *n)
{
	if (!notify_is_prompt(n->place))
		return false;
	return n->kind == KIND_BY_ID || n->kind == KIND_TREE ||
	       (n->kind == KIND_LABEL &&
		!line_edits_is_active(&fs->edit.lines, ino_of(n)));
}

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
	if (n->kind == KIND_SESSIONS || marks_polls(&fs->watch.marks) ||
	    (n->kind == KIND_ROOT && !marks_is_watched(n->place)))
		return 0;
	return timeout_in(&attached_to(n->place)->outside);
}

double timeout_of_attr(struct fs *fs, const struct node *n)
{
	if (node_is_outside(n))
		return trust_outside(fs, n);
	if (is_volatile(n))
		return 0;
	if (n->kind == KIND_ROOT)
		return trust(n);
	return node_is_immutable(n) || is_invalidated(fs, n) ? UNLIMITED : 0;
}

double timeout_of_name(struct fs *fs, const struct node *n)
{
	const struct node_kind_row *k = &node_kinds[n->kind];
	if (node_is_outside(n))
		return trust_outside(fs, n);
	if (n->kind == KIND_BY_ID || n->kind == KIND_TREE)
		return trust(n);
	bool unlimited = k->immutable || n->kind == KIND_LABEL;
	return k->listed && unlimited ? UNLIMITED : 0;
}

double timeout_of_absence(const struct node *dir, struct span name)
{
	bool entries = node_is_entry_folder(dir) || dir->kind == KIND_BY_ID ||
		       dir->kind == KIND_TREE;
	return entries && span_starts(name, span_of(".")) ? UNLIMITED : 0;
}
