/*
 * The responses on a path, made whole (FORMATS.md, section 6.2).
 *
 * One response of the model stands on several lines, its fragments, which share
 * message.id; the results of its tools hang on whichever fragment called them.
 * So a path leads past some of them. Here they come back: all fragments of the
 * response in the path's order, then all its results; those off the path at
 * their places in file order. A result between two fragments does not end a
 * response, and links (which stay behind the line that they follow) do not
 * either.
 *
 * What belongs to a response is found below its lines on the path, through
 * links, results and its own fragments, and on the same side (sidechain or
 * not). Another branch's fragments with the same message.id are not below it.
 */
#ifndef SESSFS_CLAUDE_RESPONSE_H
#define SESSFS_CLAUDE_RESPONSE_H

#include "core/session/path.h"

/*
 * `path` lists different entries, each below the one before it; `whole` gets
 * the list for path_free(). Costs the index once, however many there are. 0 or
 * -ENOMEM.
 */
int claude_complete(const struct session *s, const struct path *path,
		    struct path *whole);

/* Are these two lines of one response? */
bool claude_same_response(const struct session *s, uint32_t a, uint32_t b);

#endif
