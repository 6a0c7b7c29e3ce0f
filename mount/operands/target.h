/*
 * What a PATH or an ENTRY names that the user has typed: a session, mounted or
 * not, or a folder of sessions, and an entry in it.
 *
 * A PATH is anything in a mounted session, a mounted folder of sessions, a
 * session file, a folder of them, a printed SESSION/by-id/ID, or the id of a
 * session in place of its path. An ENTRY is an
 * id or the start of one, of 4 characters or more, a label, a branch, HEAD,
 * HEAD/parent or another path from the root of a session, "tree" (before the
 * first entry), or a PATH; there a session stands for its HEAD.
 *
 * Functions return an exit status, after reporting an error in one line. The
 * caller calls target_free() in any case.
 */
#ifndef SESSFS_TARGET_H
#define SESSFS_TARGET_H

#include "mount/operands/session_file.h"

struct target {
	char *source; /* the session file, or the folder of them */
	bool is_folder;
	bool is_set; /* a mount of several sources, which `source` is then */
	char *shown; /* as the user would write it, before by-id/; may be "" */
	char *root;  /* of the session in its mount, or NULL */
	/*
	 * The entry's file name in by-id/; "": before the first entry. NULL:
	 * none was named. One of a session that is not mounted is as it was
	 * typed until target_open(), which looks for it.
	 */
	char *entry;
	bool is_remembered; /* as target_here() finds it elsewhere */
	char *subtree;	 /* a folder in tree/ was named: this one and below */
	bool is_session; /* the ENTRY was one, which stands for its HEAD */
	/* After target_open(): the session, entered, and the entry. */
	struct session *session;
	uint32_t at;
	/* Of that session; file.how is before, too, as its mount was told. */
	struct session_file file;
};

/* Find what a PATH is. target_look() reports nothing: 0 or -errno. */
int target_find(struct target *t, const char *path);
int target_look(struct target *t, const char *path);

/*
 * The same of what may also be an agent's session by its id (selection.h), or
 * ID/by-id/ENTRY. Where nothing of this name is, all sessions are listed.
 */
int target_look_wide(struct target *t, const char *path);

/*
 * Does a word that may also be that of a file of a project name one session, by
 * its path, by one into it, or by its id?
 */
bool target_names_session(const char *word);
/* The same of a word for which target_look_wide() has found this. */
bool target_is_one(const struct target *t, const char *word);

/*
 * Find the session that the working directory is in, or else the one that
 * `sessfs open` printed last for it, or for the nearest directory above it in
 * the same project: at or below the directory whose sessions --here has.
 */
int target_here(struct target *t);

/* Open the session that a path is, or is in; NULL: that of target_here(). */
int target_session(struct target *t, const char *path);

/*
 * Find an ENTRY in the session that a path is, or is in; NULL: in that of
 * target_here(), if there is one. The session is open then. Without an ENTRY,
 * which is NULL then: target_session().
 */
int target_entry(struct target *t, const char *entry, const char *path);

/* Open and enter the session, and find its entry: by default HEAD. */
int target_open(struct target *t);

/*
 * For a command that is about to act on the session, or shows it without its
 * name: if nobody named it, and the working directory is not in it, say on
 * standard error which one it is, if that is a terminal, or `always`. The
 * session is open then.
 */
int target_tell(struct target *t, bool always);

/*
 * Find another ENTRY of the session that is open. A path must lead into the
 * same session.
 */
int target_other(struct target *t, const char *entry, uint32_t *at);

/*
 * Change the session that is open, as a mount of it would: by the same writer,
 * under the same locks (core/session/writer.h), and not if the mount that was
 * named is read-only. It is durable on return. What the session says against it
 * is reported. t->at and other numbers of entries may be none then.
 *
 * target_move_head(): to an entry, INDEX_NONE: before the first. Where HEAD was
 * is remembered (mounts.h).
 * target_append(): a line becomes an entry.
 */
int target_move_head(struct target *t, uint32_t at);
int target_append(struct target *t, struct span line);

void target_free(struct target *t);

#endif
