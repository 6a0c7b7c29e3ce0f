/*
 * Sessions in groups (fs/tree/groups.h): what the table has of one scan, and
 * how it is made of rows of the catalogue.
 *
 * Groups have numbers that stay for as long as the mount, whether a session is
 * in them or not; forks of a session have that of its row. The names of
 * sessions end with the end of their id (core/catalogue/session_name.h); those
 * in a group that would be alike, as of a copy of a file, have "=" and a hash
 * of their path behind that.
 *
 * A name that was given means its session for as long as that is there: one
 * that is not in the table is taken for the session that was seen first with
 * this id, and is still a fork of the same one.
 */
#ifndef SESSFS_GROUPS_TABLE_H
#define SESSFS_GROUPS_TABLE_H

#include "core/base/idtable.h"
#include "core/catalogue/catalogue.h"
#include "fs/tree/tree.h"

/* nth of the nodes of a view. */
enum groups_view {
	GROUPS_BY_PROJECT,
	GROUPS_BY_DAY,
	GROUPS_KEPT,		    /* the views above have groups_keys */
	GROUPS_FORKS = GROUPS_KEPT, /* of those that go on from another */
	GROUPS_VIEWS,
};

/* What groups are of: working directories, or days; each has a number. */
struct groups_keys {
	struct idtable table;
	struct buf texts;
	uint32_t *at; /* in the texts, by number */
	uint32_t n;
	size_t cap;
};

struct grouped_session {
	uint32_t number; /* of its row */
	uint32_t id;	 /* the end of its id, one of the texts */
	/* In each view that it is in. The name is one of the texts. */
	uint32_t group[GROUPS_VIEWS];
	uint32_t name[GROUPS_VIEWS];
	int64_t time;
};

struct group {
	uint32_t number;
	uint32_t name; /* one of the texts; of forks, where their base is shown
			*/
	int64_t time;  /* of the newest session in it */
	uint64_t sum;  /* of the names in it */
};

struct groups_order {
	struct group *groups; /* by number */
	size_t n;
	uint64_t sum;	  /* of their names, and in forks of those in them */
	uint32_t *listed; /* sessions by group, then by number */
	uint32_t *named;  /* by group, then by name */
	size_t n_sessions;
};

struct groups_table {
	struct buf texts;
	struct grouped_session *sessions; /* by number */
	size_t n;
	struct groups_order views[GROUPS_VIEWS];
};

void groups_keys_init(struct groups_keys *keys);
void groups_keys_free(struct groups_keys *keys);

/*
 * Make a table of rows in a zeroed struct. 0, -ENOMEM or -EFBIG. The caller
 * frees it in either case.
 */
int groups_table_make(struct groups_table *t,
		      struct groups_keys keys[GROUPS_KEPT],
		      const struct session_rows *rows);
void groups_table_free(struct groups_table *t);

/* The group with a number, or with a name; NULL: none. */
const struct group *groups_table_number(const struct groups_table *t,
					enum groups_view view, uint32_t number);
const struct group *groups_table_group(const struct groups_table *t,
				       enum groups_view view, struct span name);

/*
 * The session with a name in a group, or that had it before; or with a number.
 * NULL: none.
 */
const struct grouped_session *groups_table_session(const struct groups_table *t,
						   enum groups_view view,
						   uint32_t group,
						   struct span name);
const struct grouped_session *
groups_table_numbered(const struct groups_table *t, uint32_t number);

/* The first session of a group whose number is at least this; NULL: none. */
const struct grouped_session *groups_table_next(const struct groups_table *t,
						enum groups_view view,
						uint32_t group,
						uint32_t number);

#endif
