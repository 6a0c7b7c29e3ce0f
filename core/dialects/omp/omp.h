/*
 * oh-my-pi's sessions: the facets that stand beside their functions, and
 * what small files have for the others.
 */
#ifndef SESSFS_OMP_H
#define SESSFS_OMP_H

#include "core/json/writer.h"
#include "core/session/dialect.h"

extern const struct dialect dialect_omp;

extern const struct dialect_adding omp_adding;
extern const struct dialect_agent omp_agent;
extern const struct dialect_home omp_home;
extern const struct dialect_reading omp_reading;
extern const struct dialect_receiving omp_receiving;
extern const struct dialect_showing omp_showing;
extern const struct dialect_telling omp_telling;
extern const struct dialect_writing omp_writing;

/* What its tools make of files. */
extern const struct dialect_filing omp_filing;

/* home.c */

/* The folder that all profiles share: ~/.omp. */
void omp_add_config_root(struct buf *out);

/* The folder of the profile's data: ~/.omp/agent. */
void omp_add_data_folder(struct buf *out);

/* show.c */

/*
 * Append the text of a bashExecution, a pythonExecution or a fileMention (with
 * all its files). Returns false for any other role.
 */
bool omp_message_text(struct buf *out, struct json message);

enum omp_files {
	OMP_FILES_ALL,
	OMP_FILES_TEXT,	 /* without a picture */
	OMP_FILES_IMAGE, /* with one */
};

/* Append the files of a mention as text; false if there are none. */
bool omp_add_files(struct buf *out, struct json files, enum omp_files which);

/* text.c */

/* String.prototype.trimEnd(). */
struct span omp_trim_end(struct span s);

/* The length of the run of white space that s starts with. */
size_t omp_space_run(struct span s);

/* d.toFixed(1) */
void omp_add_fixed(struct buf *out, double d);

/* d.toLocaleString() of a whole number: 1,234,567. Others are not grouped. */
void omp_add_grouped(struct buf *out, double d);

/* prompt.c */

enum omp_prompt {
	OMP_PROMPT_COMPACTION,
	OMP_PROMPT_HANDOFF,
	OMP_PROMPT_BRANCH,
	OMP_PROMPT_NOTES,
};

/* Append the prompt around a text, formatted. */
void omp_prompt_add(struct buf *out, enum omp_prompt prompt, struct span text);

/* Append a text, formatted. */
void omp_format(struct buf *out, struct span text);

/* notice.c */

/* The words of a notice, with numbers that are infinite. */
#define OMP_NOTICE_WORDS                                                    \
	"Full Read Showing Some Use and artifact bytes chars completely "   \
	"continue elided failed for full head limit line lines matches "    \
	"middle more not output partial reached report results saved tail " \
	"truncated was infGB InfinityB"

void omp_notice_add(struct buf *out, struct json meta);

/* note.c */

/*
 * Is the content a note (message.note): a reminder, or that a turn went wrong?
 * News such as results of background jobs (<system-notice>) are none, nor is a
 * prompt of the program's that a turn began with.
 */
bool omp_is_note(struct json content);

/* archive.c */

/* Write an archive's blocks as an array; nothing if it has none. */
void omp_archive_write(struct json_writer *w, const char *key,
		       struct json archive);

/* data_url.c */

/* Append a text, WTF-8, without data URLs. Takes linear time. */
void omp_add_without_data_urls(struct buf *out, struct span text);

/* context.c */

int omp_context(const struct session *s, const struct path *p,
		struct messages *to);

/* branch.c */

/*
 * The same as createBranchedSession: a title slot, and a header with the title
 * and the folders of the session. Unlike there, an entry whose parent is a
 * label gets the entry before that label as its parent, as in Pi.
 */
int omp_branch(const struct session *s, uint32_t entry, unsigned nth,
	       struct buf *out);

/* write.c */

/*
 * Append a title slot with its LF. A title, in WTF-8, that does not fit is cut
 * at a whole character. `source` and `time` are JSON strings; `source` may be
 * absent.
 */
void omp_add_slot(struct buf *out, struct span title, struct json source,
		  struct json time);

#endif
