/*
 * A list of diagnostics ("path:line:column text") grouped by file, under a
 * tree of folders in which chains are folded (pi-coding-agent, lsp/utils.ts,
 * formatGroupedDiagnosticMessages; 18.2.0). What has no place follows behind.
 *
 *     # src/a/
 *     ## b.c
 *       3:1 error: …
 *
 * `messages` is a JSON array. The cost is linear in the text and what comes of
 * it; nothing recurses, however deep the paths are.
 */
#ifndef SESSFS_OMP_DIAGNOSTICS_H
#define SESSFS_OMP_DIAGNOSTICS_H

#include "core/json/json.h"

void omp_diagnostics_add(struct buf *out, struct json messages);

#endif
