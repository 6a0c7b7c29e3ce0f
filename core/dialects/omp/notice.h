/*
 * What oh-my-pi adds behind the output of a command that was cut short or
 * drew diagnostics (pi-coding-agent, tools/output-meta.ts, formatOutputNotice;
 * 18.2.0). `meta` is the message's member of that name; any JSON will do.
 */
#ifndef SESSFS_OMP_NOTICE_H
#define SESSFS_OMP_NOTICE_H

#include "core/json/json.h"

void omp_notice_add(struct buf *out, struct json meta);

#endif
