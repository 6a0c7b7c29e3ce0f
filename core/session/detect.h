/*
 * Which dialect a file is of, by its lines.
 *
 * The first lines decide: the first row of the registry that claims one of
 * them. A relative of that dialect begins with the same lines, and takes the
 * file over at the first line that it marks, however late that comes.
 */
#ifndef SESSFS_DETECT_H
#define SESSFS_DETECT_H

#include "core/session/dialect.h"

/* The dialect of a file, why, and the line that decided (0: none did). */
struct verdict {
	const struct dialect *dialect; /* NULL: no dialect claims the file */
	const char *reason;
	uint32_t line;
	uint32_t lines; /* read; without a last one that may become JSON */
	bool final;	/* later lines cannot change it */
};

/*
 * Read the first lines that parse, up to a limit, and ask each dialect for
 * them. 0 or -errno.
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
