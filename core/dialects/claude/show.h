/*
 * The kind, content and `meta` of entries in Claude Code sessions. The
 * functions are those of struct dialect (dialect.h).
 */
#ifndef SESSFS_CLAUDE_SHOW_H
#define SESSFS_CLAUDE_SHOW_H

#include "core/session/dialect.h"

extern const char *const claude_envelope[];
extern const struct line_rows claude_lines;
extern const struct meta_row claude_meta[];

void claude_role_or_type(struct buf *out, struct json entry);
bool claude_is_typed(struct json entry);
bool claude_is_said(struct json entry);
/* What is sent for an attachment. */
bool claude_text(const struct session *s, struct buf *out, struct json entry);
void claude_preview(struct buf *out, struct json entry);

/* All tokens of the API, once a response. Old versions noted the cost. */
void claude_usage(struct json line, struct used *used);

#endif
