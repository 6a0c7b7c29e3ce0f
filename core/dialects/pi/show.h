/*
 * How entries of the Pi family are shown: role or type, content and `meta`. For
 * the contracts of the functions see struct dialect (dialect.h).
 */
#ifndef SESSFS_PI_SHOW_H
#define SESSFS_PI_SHOW_H

#include "core/session/dialect.h"

extern const char *const pi_envelope[];

/* What pi_text() adds to the lines of commands, and of system prompts. */
#define PI_ADDING_ROWS                                                      \
	{ .words = "Ran Command command output cancelled exited with code", \
	  .marker = "bashExecution" },                                      \
	{                                                                   \
		.words = "section removed tools added", .marker = "system"  \
	}
extern const struct dialect_adding pi_adding;

struct json pi_blocks(struct json entry);
bool pi_text(struct buf *out, struct json entry);
struct block pi_result(struct json entry);
struct block pi_message_result(struct json message);
void pi_preview(struct buf *out, struct json entry);

/*
 * All but what an extension hides from people, and a user's message that is
 * nothing but the text of a skill.
 */
bool pi_is_said(struct json entry);

/* A user's message, but for that. */
bool pi_is_typed(struct json entry);

/* All but the text of a skill, which Pi puts in place of its call. */
enum typed pi_typed(struct buf *out, struct span text);

/* With what only oh-my-pi writes. */
extern const struct meta_row pi_meta[];

/*
 * What Pi counts in /session: also summaries' and tools' own usage. It adds the
 * four counts and not totalTokens, which the row of `meta` is. A usage with
 * nothing but totalTokens counts nothing.
 */
void pi_usage(struct json line, struct used *used);

/* Append a template: {a.b} is that value of an object, as JavaScript's `${}`.
 */
void pi_add_template(struct buf *out, struct json of, const char *template);

/* Templates of what was executed, of its output, and of how it ended. */
struct pi_execution {
	const char *executed;
	const char *output;
	const char *cancelled;
	const char *failed;
};

extern const struct pi_execution pi_bash;

/* Append the text of an execution. */
void pi_add_execution(struct buf *out, const struct pi_execution *e,
		      struct json message);

/* Append the text that Pi sends for a bashExecution message. */
void pi_add_bash(struct buf *out, struct json message);

/* Append the model that an entry sets as PROVIDER/MODEL; else nothing. */
void pi_model(struct buf *out, struct json entry);

#endif
