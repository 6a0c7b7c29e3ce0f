/*
 * oh-my-pi's sessions: the facets that stand beside their functions, and
 * what small files have for the others.
 */
#ifndef SESSFS_OMP_H
#define SESSFS_OMP_H

#include "core/dialects/kit/sending.h"
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

/* -- home.c */

/* The folder that all profiles share: ~/.omp. */
void omp_add_config_root(struct buf *out);

/* The folder of the profile's data: ~/.omp/agent. */
void omp_add_data_folder(struct buf *out);

/* -- blobs.c */

#define OMP_BLOB_PREFIX SPAN("blob:sha256:")

/* The largest file that is a blob, in bytes. */
#define OMP_BLOB_LIMIT (1 << 30)

/* Append the path of the folder. */
void omp_blobs_folder(struct buf *out);

/* Does v begin like a reference to a blob? */
bool omp_blob_is_named(struct json v);

/*
 * Append the bytes of the blob that v refers to. 0 or -errno: -ENOENT if there
 * is no such blob, or v is not a reference.
 */
int omp_blob_read(struct buf *out, struct json v);

/* The size of the blob that v refers to, in bytes. 0, or -errno as above. */
int omp_blob_size(struct json v, uint64_t *size);

/* Does v refer to a blob that can be opened? */
bool omp_blob_exists(struct json v);

/* How many bytes of blobs a context may hold. */
#define OMP_RESOLVE_LIMIT ((uint64_t)1 << 30)

/*
 * Append a copy of an entry with the blobs in place of their references, as the
 * agent loads it (session-loader.ts, resolvePersistedBlobRefs): of the
 * pictures in `content` and `images`, of the results of image generation, and
 * of data URLs in image_url. A reference to a blob that can't be read stays,
 * and so do those of an archive's frames, of which few are sent (archive.c).
 *
 * Returns 1; 0, and appends nothing, if the entry has no references; -ENOMEM;
 * or -EFBIG if the blobs have more than *room bytes together, because a short
 * line may name a large blob many times. *room is reduced by their bytes.
 */
int omp_resolve_blobs(struct buf *out, struct json entry, uint64_t *room);

/* -- show.c */

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

/* -- prompt.c */

/* The length of the run of JavaScript's white space that s starts with. */
size_t omp_space_run(struct span s);

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

/* -- notice.c */

/* d.toFixed(1) */
void omp_add_fixed(struct buf *out, double d);

/* d.toLocaleString() of a whole number: 1,234,567. Others are not grouped. */
void omp_add_grouped(struct buf *out, double d);

/* The words of a notice, with numbers that are infinite. */
#define OMP_NOTICE_WORDS                                                    \
	"Full Read Showing Some Use and artifact bytes chars completely "   \
	"continue elided failed for full head limit line lines matches "    \
	"middle more not output partial reached report results saved tail " \
	"truncated was infGB InfinityB"

void omp_notice_add(struct buf *out, struct json meta);

/* -- archive.c */

/* Write an archive's blocks as an array; nothing if it has none. */
void omp_archive_write(struct json_writer *w, const char *key,
		       struct json archive);

/* -- data_url.c */

/* Append a text, WTF-8, without data URLs. Takes linear time. */
void omp_add_without_data_urls(struct buf *out, struct span text);

/* -- context.c */

int omp_context(const struct session *s, const struct path *p,
		struct messages *to);

/* -- write.c */

/*
 * Append a title slot with its LF. A title, in WTF-8, that does not fit is cut
 * at a whole character. `source` is a JSON string, or absent.
 */
void omp_add_slot(struct buf *out, struct span title, struct json source,
		  int64_t time);

/*
 * The same as createBranchedSession: a title slot, and a header with the title
 * and the folders of the session. Unlike there, an entry whose parent is a
 * label gets the entry before that label as its parent, as in Pi.
 */
int omp_branch(const struct session *s, uint32_t entry, unsigned nth,
	       struct buf *out);

/* -- assistant.c */

/* Does it end with an error, without any text? */
bool omp_assistant_is_empty_error(struct json message);

/*
 * Append a copy without the members that are valid only for the connection that
 * it was received on. Returns false, and appends nothing, if there are none.
 */
bool omp_assistant_sanitize(struct buf *out, struct json message);

/*
 * Append a copy of a turn without the tool calls that have no result, and
 * without redacted thinking and signatures, which are valid in the unchanged
 * message only. It may have more calls than when it was listed.
 */
void omp_assistant_strip_calls(struct buf *out, struct json message,
			       const struct sending *x, const struct piece *p);

/*
 * Append a copy without the unfinished thinking at its end. Returns false, and
 * appends nothing, if there is none.
 */
bool omp_assistant_strip_thinking(struct buf *out, struct json message);

/* -- failed_turns.c */

/* piece.kind */
enum omp_kind {
	OMP_OTHER,
	OMP_ASSISTANT,
	OMP_RESULT,
	OMP_INTERRUPTED, /* a note of interrupted thinking */
	OMP_COMPACTION,
};

/* piece.flags of an assistant's turn */
#define OMP_FAILED 1   /* with an error, or aborted */
#define OMP_SAYS 2     /* it has more than calls */
#define OMP_STRIPPED 4 /* some of its calls have no result */
#define OMP_NOTED 8    /* a note of interrupted thinking follows */

/* Add a turn, or the result of a call. 0 or -errno. */
int omp_add_turn(struct sending *x, struct piece p, struct json message);
int omp_add_result(struct sending *x, struct piece p, struct json call);

/* Has the n-th call of a turn a result? */
bool omp_is_answered(const struct sending *x, const struct piece *turn,
		     uint32_t n);

/* Passes. */
sending_pass omp_strip_unanswered_calls;
sending_pass omp_take_off_failed_turns;
sending_pass omp_find_interrupted_turns;

/* -- message.c */

/*
 * Print a message as it is sent. `interrupted`: it is the assistant's, and a
 * note of its interrupted thinking follows. Returns 0 or -ENOMEM.
 */
int omp_message_send(struct messages *to, struct json message,
		     bool interrupted);

/*
 * Append the message that the agent makes of a custom_message, of a custom
 * entry with notes, or of a branch_summary. Times are those of the entry.
 */
void omp_message_of(struct buf *out, struct json entry);

/*
 * Is it the data of a custom entry that holds notes: {"version":1,"text":…},
 * without other members, of a size that the agent reads?
 */
bool omp_is_notes(struct json data);

/* Is a custom message the user's call of a skill? */
bool omp_is_skill_call(struct json custom_type, struct json attribution);

/* -- ingest.c */

#define OMP_SLOT_BYTES 256

/*
 * Is a line a title slot? The agent tests its members, not its length, and only
 * those of the first line.
 */
bool omp_is_slot(struct json line);

/*
 * See dialect.h. The agent reads a title slot of any length, but writes only
 * slots of 256 bytes: a header or an entry must come after any other one.
 */
const char *omp_claims(struct json line);
int omp_confirms(struct json claimed, struct json next);
const char *omp_marks(struct json line);

/* The agent reads over a byte order mark, but fails at a line that is null. */
struct unopened omp_unopened(const struct session *s);

/* The title slot, or absent. Valid while the session is entered. */
struct json omp_slot(const struct session *s);

/* The offset of the byte after the slot and its LF; 0 without a slot. */
size_t omp_slot_end(const struct session *s);

/* Is the last line, with a newline or without, not JSON? */
bool omp_is_broken_off(const struct session *s);

/* -- compaction.c */

/* No place on the path. */
#define OMP_NOWHERE UINT32_MAX

/*
 * Has it OpenAI's own history, which only its maker can read? Its summary says
 * nothing then.
 */
bool omp_compaction_is_opaque(struct json entry);

/*
 * Where the messages that a compaction keeps begin: after what its provider
 * replays, or at the entry that it names, whose place is *named. Both may be
 * OMP_NOWHERE. `place` is its own place on the path.
 *
 * *rewritten_at is when it rewrote the history, in ms. One that Anthropic
 * replays says just before the next message, whose thinking would be dropped
 * otherwise.
 */
uint32_t omp_compaction_kept(const struct session *s, const struct path *p,
			     uint32_t place, struct json entry, uint32_t *named,
			     int64_t *rewritten_at);

/*
 * Append its message: the summary, the blocks of its archive (archive.c), and
 * the payload for the provider, which is OpenAI's own history in place of the
 * messages, or Anthropic's own compaction.
 */
void omp_compaction_message(struct buf *out, struct json entry,
			    int64_t rewritten_at);

/* -- agent.c */

/*
 * The pid of an oh-my-pi that has the session at `path` open; 0 if none is
 * found; -errno (proc.h). `cwd` is the session's directory, or "". `proc` is
 * "/proc", except in tests.
 */
pid_t omp_process_with(struct gate *g, const char *proc, const char *path,
		       const char *cwd);

#endif
