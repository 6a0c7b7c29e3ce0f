/* Sessions of a Go package: a tree of entries, with its head in a sidecar. */
#ifndef SESSFS_GO_TREE_H
#define SESSFS_GO_TREE_H

#include "core/session/dialect.h"

extern const struct dialect dialect_go_tree;

#endif
