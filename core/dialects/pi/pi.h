/*
 * Sessions of the Pi family: the facets that stand beside their functions, and
 * what its files have for the others, for oh-my-pi and for the drafts.
 */
#ifndef SESSFS_PI_H
#define SESSFS_PI_H

#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/ingest.h"
#include "core/dialects/kit/line.h"
#include "core/session/dialect.h"
#include "core/session/path.h"

struct conversation;

extern const struct dialect dialect_pi;

extern const struct dialect_agent pi_agent;
extern const struct dialect_bases pi_bases;
extern const struct dialect_home pi_home;
extern const struct dialect_reading pi_reading;
extern const struct dialect_receiving pi_receiving;
extern const struct dialect_sending pi_sending;
extern const struct dialect_showing pi_showing;
extern const struct dialect_writing pi_writing;

/* Lines of oh-my-pi are mostly Pi's, and the drafts have its tools. */
extern const struct line_rows pi_rows;
extern const struct dialect_touching pi_touching;
extern const struct dialect_filing pi_filing;

/* oh-my-pi's sessions are rescued with the same functions. */
bool pi_is_line(struct json object);
bool pi_is_header(struct json object);
void pi_make_header(struct buf *out, const struct json facts[HEADER_FACTS],
		    bool has_ids);

/* -- ingest.c */

#define PI_VERSION 3

/* The members of a line that are ingested, in the order of their names there.
 */
struct pi_line {
	struct json type, id, parentId, timestamp, targetId, label, name,
		customType;
};

void pi_line_read(struct json line, struct pi_line *f);

/*
 * dialect.claims(): a header, or an entry of a file without one.
 * dialect.confirms(): other programs write objects like a header, such as the
 * records of an auth store, and `pi --mode json` prints the header itself. The
 * next object must be an entry, and there must be one, unless the header has
 * all that Pi writes.
 */
const char *pi_claims(struct json line);
int pi_confirms(struct json claimed, struct json next);

/* Is a string the type of an entry of the Pi family? */
bool pi_knows_type(struct json type);

/* The type of an entry, from its member `type`. */
enum entry_type pi_type(const struct pi_line *f);

/* ingest_header(), and remember the id that others are derived from. */
int pi_note_header(struct session *s, struct json line,
		   const struct line_place *at);

/*
 * The steps of ingesting. The caller calls pi_count() once for each value,
 * after it was ingested. A header is skipped, as it is no entry.
 */
int pi_ingest_header(struct session *s, struct json line,
		     const struct line_place *at);

/*
 * A line that is no header: an entry if it is an object with an id, or in
 * version 1 any object. Else it is skipped, and *entry is INDEX_NONE. Turns to
 * a relative that the line marks.
 */
int pi_ingest_line(struct session *s, struct json line, const struct pi_line *f,
		   enum entry_type type, const struct line_place *at,
		   uint32_t *entry);

/* dialect_agent.unopened() of an agent that reads over a byte order mark. */
struct unopened pi_lacks_header(const struct session *s);

/*
 * The agent goes on from the last value. If that is no entry, it has no
 * history, and the next entry would begin anew.
 */
void pi_note_stray(const struct session *s, struct unopened *u);

/* The header's version as JavaScript compares it with a number; 1 if absent. */
double pi_version(struct json v);

/* -- v1.c */

/*
 * The Pi family's own part of the contents, now.state. A dialect of the family
 * that needs more has it as the first member of its own state.
 */
struct pi_state {
	uint32_t values; /* lines that the agent parses */
	/* The positions that are no entries, ascending. */
	uint32_t *skipped;
	uint32_t n_skipped;
	size_t cap_skipped;
	bool has_space;
	struct id_space space; /* the header's id */
};

void pi_state_clear(void *state);

/* The lines that the agent parses, so far. */
uint32_t pi_values(const struct session *s);

/* ids_space() of the session, from memory once there is a header. */
struct id_space pi_id_space(const struct session *s);

/* Count a value that is no entry as skipped; pi_count() follows. */
int pi_skip(struct session *s);
void pi_count(struct session *s);

/*
 * Would the value be the first entry of a linear session? pi_note_linear() sets
 * now.linear by it, before a line is ingested that may be the first entry.
 */
bool pi_begins_linear(const struct session *s, struct json line);
void pi_note_linear(struct session *s, struct json line);

/* ingest_entry() with a derived id and parent. */
int pi_ingest_linear(struct session *s, struct index_line *l,
		     const struct line_place *at, uint32_t *entry);

/* The first entry that a compaction of a linear session keeps. */
uint32_t pi_linear_first_kept(const struct session *s, uint32_t entry,
			      struct json compaction);

/* Is it the role of a message that later became `custom`? */
bool pi_is_hook(const struct session *s, struct json role);

/* Change the role of an entry's message to `custom` if it is hookMessage. */
void pi_change_hook(struct line_changes *c, struct json line);

/*
 * Change a linear entry's line to one of version 3. Fails as session_read() of
 * the later entry whose position a compaction has for the first that it keeps.
 */
int pi_change_linear(struct line_changes *c, const struct session *s,
		     uint32_t entry, struct json line, uint32_t parent,
		     uint32_t first_kept);

/*
 * Append the rewritten line, with its LF. `entry` is the entry of the line in a
 * linear session, else INDEX_NONE.
 */
typedef int line_rewriter(const struct session *s, uint32_t entry,
			  struct json line, struct buf *out);

/*
 * Append all lines of the file, without its byte order mark, each rewritten by
 * `line`. Lines that are not JSON stay as they are. -ESTALE if the entries of
 * the file are not those of the index; -EOPNOTSUPP if a line is no entry of a
 * known type, because the file may then be another program's.
 */
int pi_rewrite_file(const struct session *s, line_rewriter *line,
		    struct buf *out);

/*
 * Version 1 is migrated before a line is appended: its entries have no ids that
 * a head or label could refer to, and Pi gives new ids even to those that have
 * one. They get the ids that the mount shows. oh-my-pi does the same.
 */
extern const struct dialect_migration pi_migration;

/* -- show.c */

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

/* -- system.c */

/* Is it a system message with more than its content? */
bool pi_is_system(struct json message);

/*
 * Append the text of such a message: content and sections as
 * getSystemMessageText() in pi-ai joins them, then
 *
 *     [section removed] NAME      a line for each
 *     [tools added] NAME, NAME
 *     [tools removed] NAME
 */
void pi_add_system(struct buf *out, struct json message);

/* -- context.c */

/* The first entry that a compaction keeps; INDEX_NONE if it keeps none. */
uint32_t pi_first_kept(const struct session *s, uint32_t entry,
		       struct json compaction);

/*
 * For the drafts: convertToLlm() of one message of any role. `time`: that of
 * its entry. `fill`: content that is null or missing becomes empty. `edit`: the
 * context edit of its entry, or absent.
 */
void pi_add_message(const struct session *s, struct messages *to,
		    struct json message, struct json time, bool fill,
		    struct json edit);

/* The last model and the last thinking level that are set on the path. */
extern const struct dialect_telling pi_telling;

/* -- branch.c */

/*
 * A branch as a session file of its own, of which a dialect writes each line.
 * Positions are those of lines in the new file, the header being 0.
 */
struct branch {
	const struct session *s;
	unsigned nth;	   /* branch of its entry */
	uint32_t position; /* of the line that is written */
	struct buf above;  /* the id of the line before it */
	struct buf *out;

	struct path path; /* without labels */
	bool has_header;  /* its first entry is the header */
	uint32_t *places; /* by entry: see branch_place() */
	bool *on;	  /* by entry: it is in the branch */
};

struct branch_rules {
	/* A header on the path is an entry, and header() replaces it. */
	bool header_is_entry;
	/*
	 * Each appends a line to b->out. header() and label() set `above` to
	 * its id, if lines name those before them.
	 */
	int (*header)(struct branch *b, uint32_t tip);
	int (*entry)(struct branch *b, uint32_t entry, struct json line);
	int (*label)(struct branch *b, const struct label *l);
};

int branch_write(const struct session *s, uint32_t entry, unsigned nth,
		 const struct branch_rules *rules, struct buf *out);

/* For header() and label(). */
void branch_set_above(struct branch *b, struct span id);

/*
 * The position of an entry; of a label, that of the next one on the path;
 * INDEX_NONE if the entry is not on the path.
 */
uint32_t branch_place(const struct branch *b, uint32_t entry);

/* The entry before the one that is written; INDEX_NONE: it is the first. */
uint32_t branch_parent(const struct branch *b);

/*
 * The entry that a compaction names as the first it keeps, or in place of a
 * label the next one, at most the compaction itself.
 */
uint32_t branch_anchor(const struct branch *b, uint32_t anchor);

int pi_branch(const struct session *s, uint32_t entry, unsigned nth,
	      struct buf *out);

/* The same below a header of another kind (branch_rules). */
int pi_branch_below(const struct session *s, uint32_t entry, unsigned nth,
		    int (*header)(struct branch *b, uint32_t tip),
		    struct buf *out);

/* Begin a header of version 3; the caller ends the line. */
struct json_writer pi_branch_header(struct branch *b, uint32_t tip);

/* When it begins: the time of the entry, else of the header. */
int64_t pi_branch_time(const struct session *s, uint32_t entry);

/*
 * Write the members of a branch's header: a new id, that time, cwd,
 * parentSession.
 */
void pi_add_fork(struct json_writer *w, const struct session *s, uint32_t entry,
		 unsigned nth);

/* Append an id derived from these: a short one, or a whole UUID. */
void pi_derive(struct buf *out, const struct session *s, const char *what,
	       struct span of, bool whole);

/* -- required_members.c */

/* The agent whose rules they are; a rule may be of several. */
enum pi_owner {
	PI_OWNER_PI = 1,
	PI_OWNER_OMP = 2,
	PI_OWNER_DRAFT = 4,
};

/*
 * The first rule that an entry, or a single message, breaks, in words for
 * people; NULL if it breaks none. References to other entries are not checked.
 */
const char *pi_entry_fault(struct json entry, enum pi_owner owner);
const char *pi_message_fault(struct json message, enum pi_owner owner);

/* -- write.c */

/*
 * Appends a `custom` entry below the target, which agents keep and ignore. For
 * INDEX_NONE its parent is null.
 */
int pi_move_head(const struct session *s, uint32_t target, struct change *c);

/* Appends a `label` entry below the leaf; it clears without a `label`. */
int pi_set_label(const struct session *s, uint32_t entry, struct span text,
		 struct change *c);

/* Write the members of every entry: a new id, its parent, a time in ms. */
void pi_add_envelope(struct json_writer *w, const struct session *s,
		     uint32_t parent, int64_t time);

/* The `fromId` of a branch_summary whose line has none. */
enum pi_from {
	PI_FROM_NONE,
	PI_FROM_LEAF,	/* the entry that is left (Pi) */
	PI_FROM_PARENT, /* the one that is returned to (omp) */
};

/* How the entries of a dialect refer to each other. */
struct pi_entry_form {
	enum pi_owner owner;
	enum pi_from from;
	const char *id; /* NULL: entries have none */
	const char *parent;
	const char *anchor;
	const char *target;
	void (*new_id)(const struct session *s, struct buf *out);
	/* The entry that a value refers to, or INDEX_NONE. */
	uint32_t (*find)(const struct session *s, struct json ref);
	/* Is a value the parent of a root? */
	bool (*is_root)(struct json parent);
	/* Append a reference as JSON; for INDEX_NONE that of a root. */
	void (*quote)(struct buf *out, const struct session *s, uint32_t entry);
	/* Optional: may an entry have this parent? 0 or -errno. */
	int (*check)(const struct session *s, uint32_t parent);
	/* Optional: the parent of a line without one; else the leaf. */
	uint32_t (*parent_of)(const struct session *s, struct json line);
};

int pi_entry_add(const struct session *s, const struct pi_entry_form *form,
		 struct json line, struct change *c, const char **reason);

/* The form of a dialect whose entries refer to each other as Pi's do. */
struct pi_entry_form pi_form(enum pi_owner owner, enum pi_from from);

/* -- receive.c */

/* A file that is being written. */
struct pi_receiving {
	const struct conversation *c;
	bool attributed; /* messages say whether they are a user's or not */
	struct id_space ids;
	uint32_t first_id; /* entries' ids are made of this and their number */
	uint32_t n;	   /* entries */
	struct buf *out;
};

/*
 * Append the file. begin() appends what stands before the messages, with
 * pi_receive_header(). 0 or -errno.
 */
int pi_receive_as(const struct conversation *c, bool attributed,
		  void (*begin)(struct pi_receiving *x), struct buf *out);

/* Begin the header, with what both have. The caller ends it. */
struct json_writer pi_receive_header(struct pi_receiving *x);

/*
 * What each of the models takes that Pi 1.6.0 begins with, whatever provider a
 * user has: OpenAI's take least, Anthropic's and Google's a million. The same
 * is said of oh-my-pi, which has the same providers.
 */
#define PI_WINDOW 272000

#endif
