/*
 * What a Codex rollout's entries show: the content of a message is its parts,
 * that of a call the call, and that of an output what the tool has said.
 */
#ifndef SESSFS_CODEX_SHOW_H
#define SESSFS_CODEX_SHOW_H

#include "core/session/dialect.h"

/* The functions are those of struct dialect (dialect.h). */
extern const char *const codex_envelope[];
extern const struct dialect_adding codex_adding;
extern const struct line_rows codex_rows;

bool codex_is_typed(struct json entry);

/* Without what an editor or a program has said before a person's request. */
enum typed codex_typed(struct buf *out, struct span text);

bool codex_is_said(struct json entry);
block_reader codex_read_block;
struct block codex_result(struct json entry);
/* The same of an item, which is BLOCK_OTHER if it is no output. */
struct block codex_item_result(struct json item);
void codex_usage(struct json line, struct used *used);
int codex_settings(const struct session *s, uint32_t leaf, struct buf *model,
		   struct buf *thinking);

extern const struct meta_row codex_meta[];

#endif
