/*
 * Pi's sessions: the facets that stand beside their functions, and
 * what small files have for the others.
 */
#ifndef SESSFS_PI_H
#define SESSFS_PI_H

#include "core/dialects/kit/branch.h"
#include "core/json/writer.h"
#include "core/session/dialect.h"

extern const struct dialect dialect_pi;

extern const struct dialect_bases pi_bases;
extern const struct dialect_home pi_home;
extern const struct dialect_receiving pi_receiving;

/* Lines of oh-my-pi are mostly Pi's, and the drafts have its tools. */
extern const struct line_rows pi_rows;
extern const struct dialect_touching pi_touching;
extern const struct dialect_filing pi_filing;

/* oh-my-pi's sessions are rescued with the same functions. */
extern const struct dialect_rescue pi_rescue;
bool pi_is_line(struct json object);
bool pi_is_header(struct json object);
void pi_make_header(struct buf *out, const struct json facts[HEADER_FACTS],
		    bool has_ids);

/* system.c */

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

/* context.c */

/* The first entry that a compaction keeps; INDEX_NONE if it keeps none. */
uint32_t pi_first_kept(const struct session *s, uint32_t entry,
		       struct json compaction);

int pi_context(const struct session *s, const struct path *p,
	       struct messages *to);

/*
 * A part of pi_context(), for the drafts: convertToLlm() of one message of any
 * role. `time`: that of its entry. `fill`: content that is null or missing
 * becomes empty. `edit`: the context edit of its entry, or absent.
 */
void pi_add_message(const struct session *s, struct messages *to,
		    struct json message, struct json time, bool fill,
		    struct json edit);

/* The last model and the last thinking level that are set on the path. */
extern const struct dialect_telling pi_telling;

/* branch.c */

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

/* required_members.c */

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

#endif
