/*
 * Claude Code's sessions: the facets that stand beside their functions, and
 * what small files have for the others.
 */
#ifndef SESSFS_CLAUDE_H
#define SESSFS_CLAUDE_H

#include "core/session/dialect.h"

extern const struct dialect dialect_claude;

extern const struct dialect_adding claude_adding;
extern const struct dialect_bases claude_bases;
extern const struct dialect_home claude_home;
extern const struct dialect_outside claude_outside;
extern const struct dialect_reading claude_reading;
extern const struct dialect_receiving claude_receiving;
extern const struct dialect_resuming claude_resuming;
extern const struct dialect_showing claude_showing;
extern const struct dialect_subagents claude_subagents;
extern const struct dialect_writing claude_writing;

/* What its tools make of files. */
extern const struct dialect_filing claude_filing;

/* claims.c */

/* As struct dialect has it. */
const char *claude_claims(struct json line);
/* See dialect_rescue.is_line. In a transcript, more is a line than tells one.
 */
bool claude_is_line(struct json object);

/*
 * The session from which a line was copied when this one was forked off, as a
 * string; absent if it does not say. /branch says so in each line, and
 * --fork-session in those of the assistant. Given are its members forkedFrom,
 * requestSessionId and sessionId.
 */
struct json claude_origin_of(struct json forked_from, struct json request,
			     struct json session);

/* subagents.c */

/*
 * Ingest the line of an entry with results: add the subagent that it names, if
 * any. 0 or -ENOMEM.
 */
int claude_ingest_subagent(struct session *s, struct json line);

/* home.c */

/* Append the folder of the folders. */
void claude_add_projects(struct buf *out);

/* blocks.c */

/* Is it of one of these types? BLOCK_IS(block, "image", "document") */
#define BLOCK_IS(block, ...) JSON_IS(json_get(block, "type"), __VA_ARGS__)

/* Is a string nothing but white space? True for values of other types. */
bool claude_is_blank(struct json text);

/* typed.c */

/* See dialect_showing.typed. */
enum typed claude_typed(struct buf *out, struct span text);

/* taken.c */

/*
 * Append a content without the reminders before and after its texts and
 * results, or nothing if there are none. Returns false if nothing else is in
 * it, or if it is the agent's caveat before the commands that a person ran.
 */
bool claude_take(struct json content, struct buf *out);

/* Append a content with the text in reminders, without the tags. */
void claude_take_bare(struct json content, struct buf *out);

/* found.c */

/* Append it: of a text that was asked for, the one that was found, a new one.
 */
void found_add_new(struct buf *out, struct span asked, struct span found,
		   struct span new);

/* saved.c */

/* See dialect_filing.saved. */
int claude_saved(const struct session *s, struct json line,
		 struct saved_files *to);

/* context.c */

int claude_context(const struct session *s, const struct path *p,
		   struct messages *to);

/* branch.c */

int claude_branch(const struct session *s, uint32_t entry, unsigned nth,
		  struct buf *out);

#endif
