/*
 * sessfs --export DIR SOURCE: the files that a mount of SOURCE shows, as plain
 * files.
 *
 * An export walks the same tree as a mount (fs/tree/): the names, bytes, modes
 * and times are the same, except that the exporting user, who owns them, may
 * write to folders. tree/ is left out: it has the files of by-id/ again, and is
 * too deep for many programs. Files at a session's root that are not listed in
 * a mount are exported too.
 *
 * A session is entered once, so all of its files show it as of that moment. A
 * session that is rewritten meanwhile is given up; the rest of a folder is
 * exported all the same.
 */
#ifndef SESSFS_EXPORT_H
#define SESSFS_EXPORT_H

#include "core/places/places.h"
#include "mount/commands/options.h"

/*
 * Write o->source, which `places` have opened, to o->folder, which is created
 * or must be empty. Returns the exit status after reporting errors. SIGINT,
 * SIGTERM and SIGHUP end the process between two files.
 */
int export_source(const struct options *o, struct places *places);

#endif
