/* Sessions of the Go agent that keeps a tree in one file. */
#ifndef SESSFS_GO_TREE_H
#define SESSFS_GO_TREE_H

#include "core/session/dialect.h"

extern const struct dialect dialect_go_tree;

#endif
