/*
 * Detecting the dialect of a file by its lines.
 *
 * The first line decides that a dialect claims, or that a program writes whose
 * files are known not to be sessions (dialect_registry.foreign). If several
 * dialects claim it, the first row of the registry does.
 *
 * A claim may be tentative: dialect.confirms() is asked about the lines after
 * it, until one confirms or refutes it. A file that ends before that is of the
 * dialect, unless it refuses the lone line: an agent may have written no more
 * than a header yet.
 *
 * A relative of that dialect begins with the same lines. The file becomes the
 * relative's at the first line that it marks, however late in the file that is.
 */
#ifndef SESSFS_DETECT_H
#define SESSFS_DETECT_H

#include "core/file/feed.h"
#include "core/session/dialect.h"

/*
 * The dialect of a file, the reason, and the line that decided (or 0), which is
 * the claimed one if a later line confirmed it.
 */
struct verdict {
	const struct dialect *dialect; /* NULL: no dialect claims the file */
	const char *reason; /* without a dialect: what it is, or NULL */
	uint32_t line;
	uint32_t lines; /* read; without a last one that may become JSON */
	bool final;	/* later lines cannot change it */
};

/* Why a file with this verdict is refused, or NULL. An empty one is not. */
const char *verdict_refusal(const struct verdict *v);

/* The first line decides nearly always, so little is to be read at once. */
#define DETECT_STEP ((size_t)16 << 10)

/*
 * Read lines, up to a limit, until one that is JSON decides. 0 or -errno. The
 * feed is at the start of the log, and stays there: what was read is in
 * f->rest, for a caller that goes on to read the log. The caller frees f->chunk
 * in any case.
 */
int dialect_detect(const struct dialect_registry *dialects,
		   const struct log *log, struct feed *f, struct verdict *v);

/* The dialect of that name, or NULL. */
const struct dialect *dialect_in(const struct dialect_registry *r,
				 struct span name);

#endif
