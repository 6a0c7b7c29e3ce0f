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

/* The words of a notice, with numbers that are infinite. */
#define OMP_NOTICE_WORDS                                                    \
	"Full Read Showing Some Use and artifact bytes chars completely "   \
	"continue elided failed for full head limit line lines matches "    \
	"middle more not output partial reached report results saved tail " \
	"truncated was infGB InfinityB"

void omp_notice_add(struct buf *out, struct json meta);

#endif
