/*
 * Opening the one session that a command wants.
 *
 * It is a FILE; or a folder in a mount, or the name of a session that was
 * printed, which stand for that session (target.h); or a pipe, as of
 * `sessfs check <(zstd -dc x.zst)` or /dev/stdin. Sessions are read anywhere
 * and again, so a pipe's bytes are copied to a file in $TMPDIR (/tmp), which
 * only the user can read. It is left there if the program is killed.
 *
 * What can't be opened is reported in one sentence, the same for all commands.
 *
 *     struct session_file f = { .name = name };
 *     int err = session_file_open(&f);
 *     int status = err ? session_file_fail(&f, err) : work(f.session);
 *     session_file_close(&f);
 */
#ifndef SESSFS_SESSION_FILE_H
#define SESSFS_SESSION_FILE_H

#include "core/session/session.h"

struct session_file {
	/* The caller sets these, and zeroes the others. */
	const char *name;	    /* as it was typed */
	struct session_opening how; /* but for dialects and progress */

	char *path; /* absolute, without symlinks; of the copy of a pipe */
	struct session *session; /* entered */
	const char *reason;	 /* after an error: why, if errno does not say;
				    the format is not known for -EPROTO */

	/* private */
	char *folder;	/* that was made for the copy */
	const char *at; /* what an error is about: the name, or $TMPDIR */
};

/* Find the file, so that it has a path: 0 or -errno. */
int session_file_find(struct session_file *f);

/* Find it if that was not done, read it with a progress bar, and enter it. */
int session_file_open(struct session_file *f);

/*
 * Report an error of these. Returns STATUS_USAGE for a folder, where a session
 * is wanted, and STATUS_FAILED for what can't be read.
 */
int session_file_fail(const struct session_file *f, int err);

/* Is it a pipe, of which the copy goes? */
static inline bool session_file_is_pipe(const struct session_file *f)
{
	return f->folder != NULL;
}

/* Leave the session, and free it; the path and the copy stay. */
void session_file_leave(struct session_file *f);

/* The same, and remove the copy of a pipe. */
void session_file_close(struct session_file *f);

/*
 * Which session it is, on one line, as the headings of `sessfs grep` and the
 * first line of `sessfs log` have it:
 *
 *     pi ~/work/wc 2026-03-01 "The name of the session"
 *
 * and what commands say of one that nobody named (target_tell()). That is its
 * agent, its working directory (the end of a long one), the day of
 * its newest entry, and its name or else the start of what a person typed
 * first.
 *
 * Append it, for people: in so many columns at most, but with some of the title
 * in any case. The session is entered. 0 or -ENOMEM.
 */
int session_line_add(const struct session *s, size_t columns, struct buf *out);

/*
 * Append a directory as it stands there: "~" for the home directory, and of one
 * with more bytes the last folders, one in any case.
 */
void session_line_add_directory(struct buf *out, struct span dir,
				const char *home, size_t most);

/* Where the columns of a terminal are not known. */
#define SESSION_LINE_COLUMNS 100

#endif
