/*
 * The lines of a chain that Claude Code sends to the model, and their contents
 * (FORMATS 6.1 and 6.2). core/dialects/claude/context.h makes messages of them.
 *
 * Not sent are
 *
 *   - lines of other types than user, assistant, attachment and local_command,
 *   - errors of the API (isApiErrorMessage),
 *   - lines that have only blank texts, unless a turn of the user has no other,
 *   - lines with calls of tools none of which has a result on the chain, unless
 *     they follow the user's last words, and so does nothing but responses and
 *     results, the last response with a call,
 *   - responses that have only thinking and blank texts.
 *
 * Attachments between the lines of a response are behind it.
 *
 * A line of the user with a result that has a tool_reference gets one more text
 * block, "Tool loaded.", unless one of its own begins so. The only text of a
 * line with isMeta and ownNote is sent in a reminder. So is that of one with
 * isMeta and hookText, behind its hookTextLead.
 */
#ifndef SESSFS_CLAUDE_SENT_H
#define SESSFS_CLAUDE_SENT_H

#include "core/base/idtable.h"
#include "core/session/path.h"

/* A line that is sent. */
struct claude_piece {
	uint32_t entry;
	uint32_t response; /* of an assistant; 0: none */
	bool assistant;
	bool note;    /* an attachment: of the user, but not typed */
	bool loads;   /* its last block says so */
	bool foreign; /* by another model: its thinking is not sent */
	bool mute;    /* it has only thinking and blank texts */
	bool dropped;
	size_t from; /* its content in claude_sent.text, as JSON; of a note the
			whole line */
	size_t to;
	/* The calls of an assistant in claude_sent.calls. */
	uint32_t first_call;
	uint32_t n_calls;
};

/* A call of a tool. */
struct claude_call {
	uint32_t id;   /* in claude_sent.ids: a 32-bit length and the bytes */
	bool answered; /* some line on the chain has its result */
	bool again;    /* an earlier call has the same id */
	bool met;      /* for claude/context.c: its result was seen, */
	bool written;  /* and was written */
};

struct claude_sent {
	struct claude_piece *list;
	size_t n;
	size_t cap;
	struct buf text;
	struct claude_call *calls;
	size_t n_calls;
	size_t cap_calls;
	struct buf ids;
	struct idtable table; /* calls by id */
	bool failed;	      /* there was no memory */
	/* The calls of the server's tools that the response that begins at a
	   piece has results of, by id; SIZE_MAX: none was asked for. */
	struct idtable served;
	size_t server;
	/* The last response begins here, and is not answered by a user's words;
	   or the number of pieces. */
	size_t tip;
};

/*
 * Read the lines of a chain (completed, claude/response.h) for the model, which
 * may be empty. The caller frees *sent, also on error. Returns 0 or -errno.
 */
int claude_sent_load(const struct session *s, const struct path *chain,
		     struct span model, struct claude_sent *sent);
void claude_sent_free(struct claude_sent *sent);

/* The content of a piece: a string or an array. */
struct json claude_piece_content(const struct claude_sent *sent,
				 const struct claude_piece *p);

/* The piece after the response that begins at a piece, or after that piece. */
size_t claude_pieces_end(const struct claude_sent *sent, size_t from);

/* The call with an id (a string in JSON), or NULL. It may set `failed`. */
struct claude_call *claude_find_call(struct claude_sent *sent, struct json id);

/*
 * Has the response that begins at a piece a result of a call with this id (a
 * string in JSON)? Those are of the server's tools. Constant time, but for the
 * first time in a response. Returns 0 or -errno.
 */
int claude_is_served(struct claude_sent *sent, size_t response, struct json id,
		     bool *served);

/* The id of a call. */
struct span claude_call_id(const struct claude_sent *sent,
			   const struct claude_call *call);

#endif
