/*
 * Completing the responses on a path.
 *
 * A response of the model is on several lines, its fragments, which share a
 * message.id. The result of a tool is a child of the fragment that called it.
 * So a path misses some fragments and results. They are added: first all
 * fragments of the response, then all its results. Those off the path are
 * inserted in file order. A result or a link between two fragments does not end
 * the response; links stay after the line that they follow.
 *
 * The lines of a response are found below those on the path, through links,
 * results and its own fragments, on the same side (sidechain or not). Fragments
 * of another branch with the same message.id are not below them.
 */
#ifndef SESSFS_CLAUDE_RESPONSE_H
#define SESSFS_CLAUDE_RESPONSE_H

#include "core/session/path.h"

/*
 * Complete the responses on `path`, whose entries are all different, each below
 * the one before it. The caller frees `whole` with path_free(). Takes time
 * linear in the index. Returns 0 or -ENOMEM.
 */
int claude_complete(const struct session *s, const struct path *path,
		    struct path *whole);

/* Are these two lines of one response? */
bool claude_same_response(const struct session *s, uint32_t a, uint32_t b);

#endif
