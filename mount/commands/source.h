/*
 * Opening SOURCE, a session file or a folder of them.
 */
#ifndef SESSFS_SOURCE_H
#define SESSFS_SOURCE_H

#include "core/places/places.h"
#include "mount/commands/commands.h"

/*
 * Open the SOURCE with a name. A single session is read, with a progress bar.
 * Returns an exit status after reporting errors. The caller calls places_free()
 * in either case. Commands that take several open them in turn.
 */
int source_open(const struct options *o, const char *name,
		const struct places_attachment *attachment, struct places *p);

#endif
