/* Any JSONL file, line by line. */
#ifndef SESSFS_LINES_H
#define SESSFS_LINES_H

#include "core/session/dialect.h"

extern const struct dialect dialect_lines;

#endif
