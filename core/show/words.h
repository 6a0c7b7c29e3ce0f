/*
 * The kind and the words of an entry: what tree.txt, tree.html, path/,
 * sessions.txt and the commands show of it on one line.
 *
 *     user        Write a word counter in C
 *     assistant   I'll compile it. [bash: cc -o wc wc.c]
 *     toolResult  [bash: cc -o wc wc.c] error: wc.c:3: expected ';'
 *     compaction  [12,345 tokens] The user wants a word counter.
 *
 * Words are the start of the text, of what a person typed if there is any. A
 * tool call is shown with the argument that
 * tells most, and so is the call that a result answers. Words that have to be
 * cut end with "…" and keep the names of the tools.
 *
 * A struct words belongs to one thread. It remembers calls, so that a caller
 * that goes down a branch hardly reads a line twice. Each call is looked for in
 * a bounded number of lines above its result.
 */
#ifndef SESSFS_WORDS_H
#define SESSFS_WORDS_H

#include "core/base/columns.h"
#include "core/session/dialect.h"
#include "core/show/calls.h"

struct words {
	bool failed; /* words_add() was last given a result that failed */
	/* private */
	const struct session *s;
	struct calls calls;
};

/* Begin with a session that is entered, and end before it is left. */
void words_begin(struct words *w, const struct session *s);
void words_end(struct words *w);

/*
 * Append a text on one line, without escape sequences. Runs of spaces and
 * unprintable characters become a space.
 */
void words_add_plain(struct buf *out, struct span text);

/*
 * Append as much of it, of WTF-8, as fits in so many columns. Returns whether
 * that is all.
 */
bool words_add_fit(struct buf *out, struct span text, size_t most);

/*
 * Make of WTF-8 the same one line, trimmed, of at most so many bytes.
 */
void words_make_plain(struct buf *text, size_t most);

/*
 * Append the kind: the role, else the type. `json` is the entry's line. Both
 * this and words_add() append UTF-8 of at most `most` columns, without control
 * characters.
 */
void words_add_kind(struct words *w, struct buf *out, struct json json,
		    size_t most);

/*
 * How a terminal shows a kind and words, as parameters of SGR (ECMA-48): a
 * result that failed and what nobody said or did as a whole, else the kind.
 */
#define WORDS_FAILED_COLOR "31"
#define WORDS_UNSAID_COLOR "2"
const char *words_kind_color(struct span kind);

/*
 * Append the words, which may be empty. `json` is the entry's line. 0, or the
 * error of reading another line: then the words lack a call.
 */
int words_add(struct words *w, struct buf *out, uint32_t entry,
	      struct json json, size_t most);

/*
 * Append what a person typed of an entry, as the title of a session: of its
 * texts alone, unless it has none. *typed is what that is, and the rest is as
 * with words_add().
 */
int words_add_title(struct words *w, struct buf *out, uint32_t entry,
		    struct json json, size_t most, enum typed *typed);

/*
 * Append the file `words` of an entry: "KIND  WORDS" and a newline. Neither has
 * two spaces in a row. 0 or -errno. words_add_row() is for a caller that goes
 * from entry to entry, and has its line.
 */
#define WORDS_LINE_COLUMNS 200
int words_add_row(struct words *w, struct buf *out, uint32_t entry,
		  struct json json);
int words_add_line(const struct session *s, uint32_t entry, struct buf *out);

/*
 * words_fit.c: append calls and a text in at most `most` columns. Both are
 * shown in part if both together do not fit. Of a call the name is kept
 * longest; short arguments leave their room to long ones. Calls without room
 * for their names are counted: " +2". Those that are answered come before the
 * text, with "error" where they failed, others after it.
 */
void words_fit(struct buf *out, const struct call_list *l, bool answered,
	       struct span text, size_t most);

#endif
