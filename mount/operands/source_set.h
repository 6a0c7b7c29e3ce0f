/*
 * Several SOURCEs in one mount: which they are, and what they are called there.
 *
 * The folders of an agent have its name; a second one, such as Codex' archive,
 * has its own name after that. What the user names has the last part of its
 * path (core/base/path_names.h).
 *
 * Functions return an exit status after reporting errors. The caller calls
 * set_free() on the zeroed set in either case.
 */
#ifndef SESSFS_SOURCE_SET_H
#define SESSFS_SOURCE_SET_H

#include "core/catalogue/row.h"
#include "core/places/set.h"
#include "mount/cli/command.h"

/* The folders of all agents, those that do not exist yet included. */
int source_set_agents(struct source_set *set);

/* The first n operands. Sessions among them are read once, to report errors. */
int source_set_named(struct source_set *set, const struct options *o, size_t n);

/* The rows of a selection. */
int source_set_selected(struct source_set *set,
			const struct session_rows *rows);

/* Those of a mount of several (MOUNTED_SET) that are there. */
int source_set_mounted(struct source_set *set, const char *root);

#endif
