/*
 * A session in one line, as in sessions.txt and `list`:
 *
 *     TIME PATH DIALECT ENTRIES TIPS TOKENS COST CWD WORDS
 *
 * A tab separates the columns. TIME is that of the last entry that is no
 * bookkeeping (index.h), else that of the header, in ISO 8601. TOKENS and
 * COST (in dollars) are those of the session itself (own_usage()). WORDS are
 * the session's name, or else the start of the first text that a person typed
 * (a command only if there is nothing else); where it is below the session that
 * it goes on from, "└ " comes before them, and two spaces more for each that is
 * above that. What a session does not have is empty. Control characters in a
 * path are escaped (text_add_one_line()), elsewhere they become spaces.
 */
#ifndef SESSFS_SUMMARY_H
#define SESSFS_SUMMARY_H

#include "core/session/names.h"
#include "core/session/session.h"

/* The columns of WORDS at most. */
#define SUMMARY_WORDS 100

/*
 * Changes whenever the bytes of the same session would be others, or other
 * files are sessions.
 */
#define SUMMARY_VERSION 13

struct summary {
	int64_t time;	  /* in ms, or TIMESTAMP_NONE */
	bool resumable;	  /* its agent would open it, and find an entry */
	bool lacks_base;  /* so TOKENS and COST count what it may have of it */
	bool subagent;	  /* a subagent wrote it (session_is_subagent()) */
	unsigned depth;	  /* below its base in a list (families.c) */
	struct buf given; /* in place of its WORDS: summary_rename() */
	/*
	 * Its bytes, to keep for this version of the file: they are of use only
	 * if the lineage is settled (lineage_is_settled()), and as long as the
	 * summary is current. What follows is in them.
	 */
	struct buf packed;
	struct span row;     /* the columns after PATH, each after its tab */
	struct span base;    /* the id of what it goes on from, or empty */
	struct span copied;  /* its path, if TOKENS and COST depend on it */
	struct span lineage; /* lineage_pack() */
};

/*
 * Make the summary of a session that is entered, in a zeroed struct. 0,
 * -ENOMEM, or an error of fault_is_shortage(). Reads a few lines; if they have
 * changed, WORDS is empty. The caller calls summary_free() after an error, too.
 */
int summary_make(const struct session *s, struct summary *out);
void summary_free(struct summary *s);

/*
 * Let WORDS be the name that a file of names has for the session at a path, if
 * there is one. Such a name is in no summary: it may change while the session
 * does not. `names` is the caller's. 0 or -ENOMEM.
 */
int summary_rename(struct summary *s, struct names *names,
		   const struct dialect_registry *dialects, const char *path);

/* Make `packed` of the rest, which is elsewhere until then. 0 or -ENOMEM. */
int summary_pack(struct summary *s);

/*
 * Are the files of its lineage as they were, and is the file there whose
 * answers are left out? Changes of that are not looked at: an agent appends to
 * it, and what a fork has copied stays.
 */
bool summary_is_current(struct gate *g, const struct summary *s);

/* A column of those after PATH. */
enum summary_column {
	SUMMARY_DIALECT,
	SUMMARY_ENTRIES,
	SUMMARY_TIPS,
	SUMMARY_TOKENS,
	SUMMARY_COST,
	SUMMARY_CWD,
	SUMMARY_LAST_COLUMN, /* WORDS */
};
struct span summary_column(const struct summary *s, enum summary_column column);

/* Append WORDS as drawn at its depth. */
void summary_add_drawn(const struct summary *s, struct buf *out);

/* Append its line with a path. */
void summary_add_line(const struct summary *s, struct span path,
		      struct buf *out);

/*
 * The summary with these bytes, which are copied. False if they are none, or
 * the summary is not current: the struct is empty then.
 */
bool summary_unpack(struct gate *g, struct span bytes, struct summary *out);

/* The order of lines: the newest first, then by path, as qsort() wants it. */
int summary_compare(const struct summary *a, struct span a_path,
		    const struct summary *b, struct span b_path);

#endif
