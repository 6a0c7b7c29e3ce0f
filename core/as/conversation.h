/*
 * A conversation: the context of an entry in words that all agents and APIs
 * have, whatever agent had it. A user and an assistant take turns; the
 * assistant calls tools, and their results are turns too.
 *
 * It is made of the messages that the agent would send with the entry as the
 * leaf (dialect_sending.context), so compactions are applied, and other
 * branches are not in it. Left out are prompts of the system, and notes of the
 * agent's program (message.note), such as prompts of developers: the next agent
 * has its own.
 *
 * What holds of every conversation, so that no writer need look after it:
 *
 *   1. Behind a turn of the assistant with calls stand their results, one for
 *      each call, in the order of the calls. Results that came later are moved
 *      there. A call without a result gets one that failed and says so. A
 *      result without a call is a text of the user.
 *   2. Ids of calls are unique, and of 1 to CALL_ID_LIMIT letters, digits, "_"
 *      and "-", which all APIs take. An agent's own id is kept if it is so.
 *   3. No two turns of the assistant stand side by side: they are one.
 *   4. No text is blank, and only a result has no parts.
 *   5. Thinking is text of the assistant.
 *   6. Pictures are the user's, or in results: those that the assistant has
 *      made are a turn of the user behind its results. They have a URL of the
 *      web, or else their data, which may be damaged, and a media type, which
 *      may be empty or wrong. One that has neither is another block (8).
 *   7. A call has a name, "unknown" for want of one, and arguments: an object,
 *      or a text. None are {}, and {"input": V} any other value V.
 *   8. Other blocks, such as those of a server's tools, and calls without an id
 *      or by another one than the assistant are a text: a line for each member
 *      (core/json/flat.h). A document is its text, or a few words about it.
 *   9. Everything is UTF-8, and half of a surrogate pair is U+FFFD.
 *
 * Lost is what only the model that it is from can read: the signatures of
 * thinking, and what is encrypted.
 *
 * Texts, names and arguments are values of JSON, as they stand in the session:
 * writers copy them without decoding. They and all spans are the
 * conversation's, until it is freed.
 */
#ifndef SESSFS_CONVERSATION_H
#define SESSFS_CONVERSATION_H

#include "core/session/session.h"

#define CALL_ID_LIMIT 40
#define BYTES_A_TOKEN 4

enum part_type {
	PART_TEXT,
	PART_PICTURE,
	PART_CALL, /* of the assistant */
};

/* The members that the type has; the others are empty. */
struct part {
	enum part_type type;
	struct json text;     /* a string */
	struct json document; /* that it stands for, as Anthropic's API has
				 it; mostly absent */

	struct span mime; /* of a picture: "image/png" */
	struct span data; /* base64; empty: it has a URL */
	struct json url;  /* a string */

	struct span id;	  /* of a call */
	struct json name; /* a string */
	/* An object, or a string of a tool that takes a text. */
	struct json arguments;
	uint32_t result; /* private: its turn, while turns are ordered */
};

enum turn_role { TURN_USER, TURN_ASSISTANT, TURN_RESULT };

struct turn {
	enum turn_role role;
	int64_t time; /* in ms; never before that of the turn above */
	/* Of a result: its call, and whether it failed. */
	struct span call;
	struct json name; /* of the tool, a string */
	bool failed;
	bool of_text;	/* its call had a text for arguments */
	uint32_t first; /* its parts in conversation.parts */
	uint32_t n;
	bool paired; /* private: a result that a call has */
};

struct conversation {
	struct turn *turns;
	uint32_t n_turns;
	struct part *parts;
	uint32_t n_parts;

	/*
	 * The same for the same entry of the same session, and for no other:
	 * what ids are derived from. as_form_add() adds the agent that it is
	 * for, and of the nth copy the number.
	 */
	struct buf key;
	const char *agent; /* that had it: its dialect's name */
	const char *file;  /* in which it is; the session's */
	struct buf id;	   /* of that session; may be empty */
	struct buf cwd;	   /* may be empty, and so may these two */
	struct buf title;  /* one line that also says where it is from */
	struct buf model;
	int64_t begun;	 /* 0, as are all times then: nothing says when */
	uint64_t tokens; /* that it takes, as a guess: its bytes by
			    BYTES_A_TOKEN, and 1,500 for a picture */

	/* private */
	char **kept; /* copies of bytes */
	size_t n_kept;
	size_t cap_kept;
	size_t cap_turns;
	size_t cap_parts;
};

/*
 * Make the conversation of an entry of a session that is entered (INDEX_NONE:
 * an empty one). 0 or -errno; the caller frees it in either case.
 */
int conversation_load(struct conversation *c, const struct session *s,
		      uint32_t entry);
void conversation_free(struct conversation *c);

/*
 * Write a call's arguments as an object, for those that take no text: that is
 * {"input": "..."} then.
 */
struct json_writer;
void conversation_write_object(struct json_writer *w, const char *key,
			       struct json arguments);

#endif
