/*
 * What a line of a transcript says by itself: that it is Claude Code's, an
 * entry, or a record that the agent keeps among them (the types are those that
 * 2.1.332 names); and which session it was copied from.
 */
#ifndef SESSFS_CLAUDE_CLAIMS_H
#define SESSFS_CLAUDE_CLAIMS_H

#include "core/json/json.h"

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

#endif
