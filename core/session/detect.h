/*
 * Detecting the dialect of a file by its lines.
 *
 * The first line that a dialect claims decides; if several claim it, the first
 * row of the registry. A relative of that dialect begins with the same lines.
 * The file becomes the relative's at the first line that it marks, however late
 * in the file that is.
 */
#ifndef SESSFS_DETECT_H
#define SESSFS_DETECT_H

#include "core/session/dialect.h"

/* The dialect of a file, the reason, and the line that decided (or 0). */
struct verdict {
	const struct dialect *dialect; /* NULL: no dialect claims the file */
	const char *reason;
	uint32_t line;
	uint32_t lines; /* read; without a last one that may become JSON */
	bool final;	/* later lines cannot change it */
};

/*
 * Read lines, up to a limit, until a dialect claims one that is JSON. 0 or
 * -errno.
 */
int dialect_detect(const struct dialect_registry *dialects,
		   const struct log *log, struct verdict *v);

/*
 * The relative of a dialect that a line marks, with the reason in *reason; NULL
 * if it marks none.
 */
const struct dialect *dialect_marked(const struct dialect_registry *dialects,
				     const struct dialect *of, struct json line,
				     const char **reason);

#endif
