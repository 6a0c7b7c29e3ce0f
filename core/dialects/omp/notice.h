/*
 * The notice that oh-my-pi adds after the output of a command that was cut
 * short (pi-tui, tools/output-meta.ts, formatOutputNotice; 18.3.4).
 * `meta` is the message's member of that name, of any type. The diagnostics
 * that formatOutputNotice prints too are not in sessions: neither
 * bash-runner.ts nor eval-runner.ts stores any with a command.
 */
#ifndef SESSFS_OMP_NOTICE_H
#define SESSFS_OMP_NOTICE_H

#include "core/json/json.h"

void omp_notice_add(struct buf *out, struct json meta);

#endif
