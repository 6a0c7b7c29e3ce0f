/*
 * What agents' tools have in common, for dialect_filing: texts in sessions, and
 * edits of texts.
 */
#ifndef SESSFS_EDITS_H
#define SESSFS_EDITS_H

#include "core/files/file_text.h"
#include "core/session/dialect/filing.h"

#define EDITS_NOWHERE SIZE_MAX

/* Append a string as an agent writes it to a file: halves of surrogate pairs
 * are U+FFFD. */
void edits_decode(struct buf *out, struct json v);

/* Append the text of a call's result. False if it has anything else. */
bool edits_output(const struct filed *call, struct buf *out);

/*
 * The file was written, or seen, with a string as its text. U+FFFD in what was
 * seen may be bytes that are no UTF-8: then its text is not known.
 */
void edits_write(struct file_text *t, struct json text);
void edits_see(struct file_text *t, struct span text);

/* A part of the file was read; or what is no text of it, such as a picture. */
void edits_part(struct file_text *t);
void edits_no_text(struct file_text *t);

/* Can an edit be followed? If not, the text is lost. */
bool edits_can(struct file_text *t);

/* Where `what`, which is not empty, begins first, from a place on. */
size_t edits_find(struct span text, struct span what, size_t from);

/* Put `new` in the place of one `old`, or of all; false if there is none. */
bool edits_replace(struct file_text *t, struct span old, struct span new,
		   bool all);

/* A line that is deleted goes with its end, if the text has that. */
void edits_take_line_end(struct buf *old, struct span new, struct span text);

/* Is a path in a result that of the call's file? 1, 0 or -errno. */
int edits_is_path(const struct filed *call, struct json path);

bool edits_has(struct span text, const char *what);

/* -- ends of lines */

enum line_ends {
	LINE_ENDS_NONE, /* there is no CR */
	LINE_ENDS_CRLF, /* all are */
	LINE_ENDS_MIXED,
};
enum line_ends edits_line_ends(struct span text);

/* Append a text with each CRLF as LF; or then with each LF as CRLF. */
void edits_add_lf(struct buf *out, struct span text);
void edits_add_crlf(struct buf *out, struct span text);

/*
 * The file was written with a text that has LF: with CRLF, if it is to be so,
 * and behind its mark of byte order, if it has one.
 */
void edits_write_lf(struct file_text *t, struct span text, bool crlf);

/* A mark of byte order is before some texts. */
#define EDITS_BOM "\xEF\xBB\xBF"
struct span edits_after_bom(struct span text);

/*
 * Is a text the same as another one without such a mark, with LF for CRLF?
 * 1, 0 or -ENOMEM.
 */
int edits_same_lf(struct span text, struct span lf);

/*
 * Append a text as agents show one that they read: without a mark, and without
 * blanks and CR at the ends of lines; or then such a text with the mark and the
 * ends of lines that another one has.
 */
void edits_add_shown(struct buf *out, struct span text);
void edits_add_like(struct buf *out, struct span other, struct span shown);

/* -- unified diffs */

/*
 * Follow one, by its numbers of lines; false if it does not fit, with anything
 * changed. `cr`: a CR alone ends a line.
 */
bool edits_unified(struct file_text *t, struct span diff, bool cr);

/*
 * Append the whole new text, if a diff whose hunks have one line of context
 * tells it: false if not.
 */
bool edits_unified_whole(struct span diff, struct buf *out);

#endif
