#include "fs/tree/fresh.h"

#include "core/base/hash.h"
#include "core/files/files_at.h"
#include "core/json/timestamp.h"
#include "core/places/bases.h"
#include "core/session/dialect.h"
#include "core/show/content.h"
#include "core/show/info.h"
#include "fs/tree/agents.h"
#include "fs/tree/groups.h"
#include "fs/tree/tree.h"
#include "fs/tree/views.h"

#define NS_OF_MS 1000000
#define NS_OF_SECOND 1000000000

/* The values of the sources, each of a node whose kind has it. */

static uint64_t children(const struct node *n)
{
	const struct session *s = n->place->session;
	uint32_t last = session_entry(s, n->entry)->last_child;
	if (last == INDEX_NONE || last < s->epoch_entries)
		return 0;
	return 1 + (last - s->epoch_entries) % (NS_OF_MS - 1);
}

static const struct label *label_of(const struct node *n)
{
	const struct session *s = n->place->session;
	return labels_of(&s->now.labels, index_id(&s->now.index, n->entry));
}

/* Several lines that set it may carry the same millisecond. */
static uint64_t label(const struct node *n)
{
	const struct label *l = label_of(n);
	return l && l->at.time != TIMESTAMP_NONE ? l->at.version % NS_OF_MS : 0;
}

static uint64_t agents(const struct node *n)
{
	return agents_version(n) % NS_OF_MS;
}

static bool has_outside(const struct node *n)
{
	return content_is_outside(n->place->session, n->entry);
}

static uint64_t outside(const struct node *n)
{
	return content_outside(n->place->session, n->entry);
}

static uint64_t outside_all(const struct node *n)
{
	const struct session *s = n->place->session;
	return s->dialect->outside ? s->dialect->outside->of_all(s) : 0;
}

static bool may_migrate(const struct node *n)
{
	return n->place->session->now.linear;
}

static uint64_t migration(const struct node *n)
{
	return may_migrate(n);
}

static bool has_context(const struct node *n)
{
	return n->place->session->dialect->sending->context_grows;
}

static uint64_t scan(const struct node *n)
{
	return __atomic_load_n(&n->place->changes, __ATOMIC_RELAXED);
}

/* The folder of its subagents, parent-session, and HEAD unless it is hidden. */
static uint64_t names(const struct tree *t, const struct node *n)
{
	struct place *at = n->place;
	struct buf base BUF_SCOPED = { 0 };
	const struct node head = { .kind = KIND_HEAD, .place = at };
	const char *subagents = node_is_outside(n)
					? place_subagents(at)
					: agents_folder(n->place->session);
	bool has_base = bases_path(at, &base) == 0;
	return (uint64_t)agents_has_folder(at, subagents) +
	       2 * (uint64_t)has_base + 4 * (uint64_t)tree_hides(t, &head);
}

static uint64_t process(const struct node *n)
{
	pid_t pid = info_process(n->place->session);
	return pid ? hash_number((uint64_t)pid) : 0;
}

static uint64_t lookups(const struct tree *t, const struct node *n)
{
	(void)n;
	return t->stats.on ? __atomic_load_n(&t->stats.info_lookups,
					     __ATOMIC_RELAXED)
			   : 0;
}

static uint64_t groups(const struct tree *t, const struct node *n)
{
	return groups_version(t, n) % NS_OF_MS;
}

/*
 * The others are always present. They are in the base time, or have no version.
 */
static const struct source {
	enum fresh_source source;
	bool (*is_present)(const struct node *n); /* NULL: always */
	uint64_t (*value)(const struct node *n);
	/* In place of that, what is known of the tree; or neither. */
	uint64_t (*of_tree)(const struct tree *t, const struct node *n);
} sources[] = {
	{ FRESH_CHILDREN, .value = children },
	{ FRESH_LABEL, .value = label },
	{ FRESH_AGENTS, agents_has_any, .value = agents },
	{ FRESH_OUTSIDE, has_outside, .value = outside },
	{ FRESH_OUTSIDE_ALL, .value = outside_all },
	{ FRESH_MIGRATION, may_migrate, .value = migration },
	{ FRESH_CONTEXT, .is_present = has_context },
	{ FRESH_SCAN, .value = scan },
	{ FRESH_GROUPS, .of_tree = groups },
	{ FRESH_NAMES, .of_tree = names },
	{ FRESH_PROCESS, .value = process },
	{ FRESH_LOOKUPS, .of_tree = lookups },
};

#define N_SOURCES (sizeof(sources) / sizeof(sources[0]))

/* The sources of a file among some: those of its kind that are present. */
static unsigned sources_of(const struct node *n, unsigned among)
{
	unsigned has = node_kinds[n->kind].changes_with & among;
	for (size_t i = 0; i < N_SOURCES; i++) {
		const struct source *s = &sources[i];
		if (has & s->source && s->is_present && !s->is_present(n))
			has &= ~(unsigned)s->source;
	}
	return has;
}

static struct timespec base_time(const struct node *n)
{
	const struct session *s = n->place->session;
	const struct node_kind_row *k = &node_kinds[n->kind];
	if (!node_kind_has_entry(n->kind) || sources_of(n, FRESH_STAMPED))
		return s->stamp;
	const struct label *l =
		k->changes_with & FRESH_LABEL ? label_of(n) : NULL;
	if (l)
		return l->at.time != TIMESTAMP_NONE ? timestamp_spec(l->at.time)
						    : s->stamp;
	struct file_at f = { .call = n->entry };
	if (files_is_file(n) && files_describe(n, &f))
		return s->since;
	int64_t own = session_entry(s, f.call)->time;
	return own != TIMESTAMP_NONE ? timestamp_spec(own) : s->since;
}

void fresh_mix(const struct tree *t, const struct node *n,
	       struct timespec *time)
{
	uint64_t sum = (uint64_t)time->tv_nsec;
	for (size_t i = 0; i < N_SOURCES; i++) {
		const struct source *s = &sources[i];
		if (!(node_kinds[n->kind].changes_with & s->source))
			continue;
		sum += s->value	    ? s->value(n)
		       : s->of_tree ? s->of_tree(t, n)
				    : 0;
	}
	time->tv_nsec = (long)(sum % NS_OF_SECOND);
}

struct timespec fresh_time(const struct tree *t, const struct node *n)
{
	struct timespec time = base_time(n);
	fresh_mix(t, n, &time);
	return time;
}

uint64_t fresh_version(const struct tree *t, const struct node *n)
{
	if (node_is_outside(n))
		return 0;
	struct timespec time = fresh_time(t, n);
	return (uint64_t)time.tv_sec * NS_OF_SECOND + (uint64_t)time.tv_nsec;
}

enum fresh_lasts fresh_lasts(const struct node *n)
{
	const struct session *s = n->place->session;
	const unsigned has = sources_of(n, ~0u);
	if (has & ~FRESH_NOTIFIED)
		return FRESH_ASKED;
	if (has & FRESH_EXPECTED &&
	    (n->entry == s->now.leaf || n->entry == session_head(s)))
		return FRESH_ASKED;
	return has & (FRESH_LABEL | FRESH_VIEW) ? FRESH_PROMPT : FRESH_KEPT;
}
