/*
 * The rollouts of Codex CLI (sessfs-formats(5)), and the facets that stand
 * beside their functions.
 */
#ifndef SESSFS_CODEX_H
#define SESSFS_CODEX_H

#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/own_file.h"
#include "core/dialects/kit/sending.h"
#include "core/json/writer.h"
#include "core/session/dialect.h"

extern const struct dialect dialect_codex;

extern const struct dialect_adding codex_adding;
extern const struct dialect_agent codex_agent;
extern const struct dialect_bases codex_bases;
extern const struct dialect_home codex_home;
extern const struct dialect_reading codex_reading;
extern const struct dialect_receiving codex_receiving;
extern const struct dialect_resuming codex_resuming;
extern const struct dialect_showing codex_showing;
extern const struct dialect_telling codex_telling;
extern const struct dialect_touching codex_touching;

/* What its tools make of files. */
extern const struct dialect_filing codex_filing;

/* Functions of other facets. */
const char *codex_claims(struct json line);
int codex_context(const struct session *s, const struct path *p,
		  struct messages *to);
int codex_branch(const struct session *s, uint32_t entry, unsigned nth,
		 struct buf *out);

/* -- line.c */

/* The version whose rules are followed. */
#define CODEX_VERSION "0.171.0"

enum codex_kind {
	CODEX_UNKNOWN, /* of no entry, and perhaps skipped by the agent */
	CODEX_INERT,   /* of no entry: it repeats another line, or counts */
	CODEX_META,    /* session_meta */
	CODEX_ITEM,    /* response_item: item.c */
	CODEX_AGENT,   /* inter_agent_communication */
	CODEX_COMPACTED,
	CODEX_TURN,	/* turn_context: the settings of a turn */
	CODEX_ROLLBACK, /* event_msg, thread_rolled_back */
	CODEX_NOTICE,	/* event_msg, one that repeats no other line */
};

struct codex_line {
	enum codex_kind kind;
	struct json type;
	struct json own_type; /* of the payload */
	struct json own_id;
	struct json payload;
	struct json timestamp;
	struct json ordinal; /* absent, or an integer from 0 on */
};

/*
 * False if it is no line of a rollout, or a session_meta that the agent can't
 * decode.
 */
bool codex_line_read(struct json line, struct codex_line *l);

/* Does the agent decode a line that was read? Else it skips it. */
bool codex_line_decodes(struct json line, const struct codex_line *l);

/* The number of a JSON integer from 0 on; false for other values. */
bool codex_integer(struct json v, uint64_t *n);

/* Has the compaction a list that replaces all before it? */
bool codex_has_list(struct json compacted);

/* -- item.c */

enum codex_item_type {
	CODEX_NO_ITEM, /* it says none */
	CODEX_OTHER,   /* of a type that it does not know, or never sends */
	CODEX_MESSAGE,
	CODEX_AGENT_MESSAGE,
	CODEX_REASONING,
	CODEX_SHELL_CALL,
	CODEX_FUNCTION_CALL,
	CODEX_SEARCH_CALL,
	CODEX_CUSTOM_CALL,
	CODEX_FUNCTION_OUTPUT,
	CODEX_SEARCH_OUTPUT,
	CODEX_CUSTOM_OUTPUT,
	CODEX_WEB_SEARCH,
	CODEX_IMAGE,
	CODEX_COMPACTION,
	CODEX_CONTEXT_COMPACTION,
	CODEX_TOOLS,
};

/* The type that a value says it has; CODEX_NO_ITEM if it says none. */
enum codex_item_type codex_item_type(struct json item);

/* Whose message it is; the system's if nobody says it. */
enum message_role codex_role(struct json item);

/* Has it all that the agent's decoder asks of an item of its type? */
bool codex_item_decodes(struct json item);

/*
 * Write an item that the agent decodes. One of CODEX_OTHER is written as
 * the agent posts it where it is in a list. `listed`: it is in one.
 */
void codex_item_write(struct json_writer *w, struct json item, bool listed);

/* Write a text, or a string, as a part of a message's content. */
void codex_write_text(struct json_writer *w, struct span text);
void codex_write_quoted(struct json_writer *w, struct json text);

/* -- home.c */

#define CODEX_ID_SIZE 36

/* The id of the rollout at a path; empty if its name has none. */
struct span codex_rollout_id(struct span path);

/* The same of its thread, which follows the time. */
struct span codex_thread_id(struct span path);

/*
 * $CODEX_HOME, with a slash at its end, as a part of the path of a rollout;
 * empty if the rollout is in none of the folders in home.c.
 */
struct span codex_home_of(struct span path);

/* Threads that are unnamed are not in session_index.jsonl. */
void codex_names_path(const char *session, struct buf *out);
bool codex_read_name(struct json line, struct json *id, struct json *name);

/* -- ingest.c */

/* The session's now.state. */
struct codex {
	bool paginated; /* by the file's first line */
	uint32_t tip;	/* the entry that the next one hangs on */
	uint32_t base;	/* that of the file's first entry */
	uint64_t next;	/* after the highest ordinal */
	/* What agent.c asks for. Of lines: the number, 0 for none. */
	const char *meta_fault; /* of the file's first line; or NULL */
	uint32_t no_text;	/* the first that is not UTF-8 */
	uint32_t unnumbered;	/* the last that it decodes, without an ordinal,
				   if no later one has an ordinal */
	/* rollback.c's, or INDEX_NONE: a turn at or above the tip, and an entry
	   there with no turn at or above it, up to the root or a list. */
	uint32_t turn;
	uint32_t bare;
	bool bare_below_list;
};

/*
 * Is the line at an offset the first of a file, an ancestor's or its own, that
 * is not blank?
 */
bool codex_begins_file(const struct session *s, uint64_t offset);

/* -- filing.c */

/* Keep the place of a line, if it is a note. 0 or -ENOMEM. */
int codex_keep_note(struct session *s, const struct codex_line *l,
		    const struct line_place *at);

/* -- show.c */

/* The result that an item is, which is BLOCK_OTHER if it is no output. */
struct block codex_item_result(struct json item);

/* -- rollback.c */

/* Take back n turns: sets the tip (struct codex). Reads them. 0 or -errno. */
int codex_roll_back(struct session *s, uint64_t n);

/* -- context.c */

/*
 * Read the line of an entry if it may be sent: a message or a compaction. Else,
 * and if the agent can't decode it, its kind is CODEX_UNKNOWN. 0 or -errno.
 */
int codex_read_sent(const struct session *s, uint32_t entry, struct buf *line,
		    struct codex_line *l);

/* -- calls.c */

sending_pass codex_note_calls; /* for the other passes */
sending_pass codex_drop_orphan_outputs;

/*
 * Write the output that a call lacks. 1; 0 if the piece is no call or has its
 * output; or -errno.
 */
int codex_write_missing_output(const struct sending *x,
			       const struct piece *call, struct json_writer *w);

/* -- local_compaction.c */

/*
 * Replace the list that is there, and the entries from place `from` of the path
 * up to the one at `to`, a compaction without a list. 0 or -errno.
 */
int codex_compact(struct sending *x, uint32_t from, uint32_t to);

/* -- branch.c */

/*
 * Append an id that is derived from a name, and so is the same each time. It
 * has the form of the agent's own, UUIDs of version 7: by their time a rollout
 * is found in the folder of its day (home.c). The time is in ms.
 */
void codex_new_id(const struct id_space *space, struct span name, int64_t time,
		  struct buf *id);

/*
 * Write the members that the agent insists on in the session_meta of a
 * paginated thread, and the session that it was made from, if that id is one
 * that a thread can have. Time and cwd are values of JSON.
 */
void codex_write_meta(struct json_writer *w, struct span id, struct span from,
		      struct json time, struct json cwd);

/* -- fragment.c */

/* Is it a message of the user of which a part is such a text? */
bool codex_is_users_context(struct json item);

/*
 * Has a message of the user a part that is no such text, or one that tells what
 * a person or another agent did? Also if it has no parts.
 */
bool codex_is_users_own(struct json item);

/* Or one of the developer that is dropped with the turn that it precedes? */
bool codex_is_developers_context(struct json item);

/*
 * Does the item begin a turn: a message of the user that is none of these, or
 * one from another agent?
 */
bool codex_begins_turn(struct json item);

/*
 * Is a text such a one that says what another agent would say itself: where it
 * runs, its instructions, warnings? Skills, goals and what hooks have said are
 * no notes: without them the conversation could not be understood.
 */
bool codex_is_note(struct span text);

/* -- medium.c */

/* Write an input_image or input_audio as the agent posts it. */
void codex_write_picture(struct json_writer *w, struct json part);
void codex_write_sound(struct json_writer *w, struct json part);

/* Is a part a sound that is a file of the API? */
bool codex_is_sound_file(struct json part);

/*
 * Append the bytes of a picture: the value is a data URL in base64, as a JSON
 * string. False for other URLs.
 */
bool codex_picture(struct buf *out, struct json url);

/*
 * Is it a data URL? The media type of the picture in it, as JSON, is that of
 * its bytes, else the one that the URL names. It stays as it was for others
 * than PNG, JPEG, GIF and WebP.
 */
bool codex_read_data_url(struct json url, struct json *mime);

/* -- agent.c */

/* What the decoder misses in a session_meta's payload, for people; or NULL. */
const char *codex_meta_fault(struct json payload);

/* dialect_agent.process(); another `proc` is read in tests. */
pid_t codex_process_with(struct gate *g, const char *proc, const char *path);

#endif
