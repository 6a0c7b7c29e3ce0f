/*
 * The lines of a chain that Claude Code sends to the model (sessfs-formats(5)),
 * as the list of a context (kit/sending.h). A piece is a line. Its kind
 * is its enum claude_part (state.h), and its JSON the content of its message:
 * a string, or an array of blocks. That of an attachment is the whole line.
 *
 * Not read are
 *
 *   - lines of other types than user, assistant, attachment and local_command,
 *   - errors of the API (isApiErrorMessage).
 *
 * Three contents are changed. One that tells of a task, and one with isMeta and
 * ownNote or hookText, are reminders (claude/reminder.c); that of a hook comes
 * after its hookTextLead. A line with a result that has a tool_reference gets a
 * last block "Tool loaded.", unless one of its own begins so.
 */
#ifndef SESSFS_CLAUDE_SENT_H
#define SESSFS_CLAUDE_SENT_H

#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/turn.h"
#include "core/dialects/kit/sending.h"

/* Flags of pieces. */
enum {
	CLAUDE_WORDLESS = 1,	 /* it has only thinking and blank texts */
	CLAUDE_OTHER_MODEL = 2,	 /* its thinking is not sent to this model */
	CLAUDE_ONLY_RESULTS = 4, /* a user's line without words of the user */
	CLAUDE_NOT_TAKEN = 8,	 /* it is not for other agents (taken.c) */
};

/* What a context has beyond the list: sending.own. */
struct claude_sent {
	struct span model; /* that it is sent to; may be empty */
	/* For calls.c: */
	uint32_t last_response; /* it begins here, if no words of the user
				   follow it; else the number of pieces */
	uint32_t first;		/* the pieces of the response that was sent */
	uint32_t end;		/* last; 0: none was */
	bool knows_server_results;
	/* For context.c: */
	struct buf body; /* the content that is being written */
	struct json_writer w;
	bool changed; /* it is not that of its line */
	bool lost;    /* a call or result was left out */
	struct claude_turn turn;
	struct claude_notes notes;
	struct buf system;
	struct claude_media media;
	struct messages start; /* as they were before the first message */
	size_t start_len;
};

/* Passes. Attachments between the lines of a response move after it. */
sending_pass claude_read_lines, claude_move_attachments;

/* Drop lines that have only blank texts. */
sending_pass claude_drop_blank_lines;

/* Drop responses that have only thinking, blank texts or "(no content)". */
sending_pass claude_drop_wordless_responses;

/*
 * Of a turn of the user with only blank lines, send the first: a text as it is
 * if it is alone, else "(no content)".
 */
sending_pass claude_keep_blank_turns;

/* The piece after the response that begins at a piece, or after that piece. */
uint32_t claude_response_pieces(const struct sending *x, uint32_t from);

/* Is it a line of the user's, and not an attachment? */
bool claude_is_users(const struct piece *p);

/* -- calls.c: functions without an error let x->json fail */

/* Add the calls of the piece that was added last. 0 or -errno. */
int claude_add_calls(struct sending *x);

/* Passes. The first finds which calls have results, and the last response. */
sending_pass claude_match_results, claude_drop_unanswered_calls;

/*
 * Note the results in a turn of the user, the pieces from `from` to `end`, of
 * the last response's calls. Must the lines become one message?
 */
bool claude_note_results(struct sending *x, uint32_t from, uint32_t end);

/*
 * Add results for its calls without one to the turn. Returns whether there are
 * any.
 */
bool claude_make_up_results(struct sending *x);

/* Is a result sent, now? Call it once for each, after claude_note_results(). */
bool claude_sends_result(struct sending *x, struct json block);

/* Forget which results were noted and sent, to send all messages again. */
void claude_forget_results(struct sending *x);

/* Has the response a result of the server's tool with this id? */
bool claude_has_server_result(struct sending *x, struct json id);

#endif
