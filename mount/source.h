/*
 * Opening what is to be shown.
 */
#ifndef SESSFS_SOURCE_H
#define SESSFS_SOURCE_H

#include "core/places/places.h"
#include "mount/options.h"

/*
 * Open o->source; a session is read, which a terminal is shown. An exit status;
 * what is wrong is said. Either way places_free() them.
 */
int source_open(const struct options *o,
		const struct places_attachment *attachment, struct places *p);

#endif
