/*
 * A file of sessfs's own beside a session, NAME.sessfs.json, for a format that
 * has no lines for HEAD and labels:
 *
 *     {"head": ID or null, "leaf": ID or null, "labels": {ID: TEXT}}
 *
 * `head` null is the place before the first entry; without `head`, HEAD was not
 * moved. `leaf` is the session's own leaf at the time of the move. If it
 * differs from the current one, the agent has written since, and the move is
 * void; without `leaf` it stays valid. Other members are kept.
 *
 * A file that is not such an object is damaged: it is ignored, and never
 * overwritten (-EIO). A file larger than SIDECAR_LIMIT is not written (-EFBIG).
 */
#ifndef SESSFS_OWN_FILE_H
#define SESSFS_OWN_FILE_H

#include "core/session/dialect.h"

/* The functions for dialect_reading.beside. */
void own_file_path(const char *session, struct buf *out);
int own_file_ingest(struct session *s, struct span bytes, bool there);

/*
 * Make the head that the file has the session's leaf, if it still counts where
 * the session's own leaf is `leaf`. 0 or -ENOMEM.
 */
int own_file_apply_head(struct session *s, uint32_t leaf);

/* Has HEAD been moved in the file? */
bool own_file_has_head(const struct session *s);

/*
 * Changes of the file. At the session's own leaf HEAD follows that leaf again.
 * The second is for dialect_writing.
 */
int own_file_move_head(const struct session *s, uint32_t leaf, uint32_t target,
		       struct change *c);
int own_file_set_label(const struct session *s, uint32_t entry,
		       struct span text, struct change *c);

/* Remove a head from the file. The change is empty if it has none. */
int own_file_drop_head(const struct session *s, struct change *c);

#endif
