/*
 * Which files a patch is of. Agents have two forms of patches. Both may be
 * between "*** Begin Patch" and "*** End Patch".
 *
 *     *** Add File: PATH          Codex's apply_patch, and oh-my-pi
 *     *** Delete File: PATH
 *     *** Update File: PATH
 *     *** Move to: PATH           after that
 *
 *     [PATH#TAG]                  oh-my-pi; then lines that change the file, or
 *     REM                         it is deleted, or
 *     MV PATH                     moved
 */
#ifndef SESSFS_PATCH_H
#define SESSFS_PATCH_H

#include "core/session/dialect/tools.h"

/* One file of a patch. All spans are parts of the patch. */
struct patch_file {
	enum file_act act;
	struct span path;
	struct span to;	  /* of a file that is moved; else empty */
	struct span body; /* the lines that follow its head */
};

/* Take the next file off a patch; false if there is none. */
bool patch_next(struct span *patch, struct patch_file *f);

#endif
