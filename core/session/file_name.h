/*
 * File names: of the files in an entry's folder, and for ids, labels and the
 * parts of paths.
 *
 * An id is its own name where it can be. Bytes that a name cannot have are
 * percent-escaped, so that different ids have different names:
 *
 *     "/", NUL, control bytes, DEL, halves of surrogate pairs   %2F, %00, …
 *     a leading dot                                             %2E
 *     the first byte of a name from the list below              %63ontent
 *     the same in by-file/: "@", "~" and names of links         %40
 *     "%" before two hex digits or "-"                          %25
 *     the empty text                                            %-
 *
 * An id longer than 255 bytes is cut off and ends with "%-" and 32 hex digits:
 * a name-based UUID (SHA-1) of the whole id.
 */
#ifndef SESSFS_FILE_NAME_H
#define SESSFS_FILE_NAME_H

#include "core/base/buf.h"
#include "core/session/dialect/tools.h"

#define FILE_NAME_LIMIT 255

/*
 * The files in an entry's folder besides its children and its pictures, whose
 * names are N.EXTENSION.
 */
#define FILE_NAME_CONTENT "content"
#define FILE_NAME_LABEL "label"
#define FILE_NAME_META "meta"
#define FILE_NAME_PARENT "parent"
#define FILE_NAME_CONTEXT "context.txt"
#define FILE_NAME_CONTEXT_JSON "context.json"
#define FILE_NAME_BRANCH "branch.jsonl"
#define FILE_NAME_RAW "raw.json"
#define FILE_NAME_WORDS "words"
#define FILE_NAME_AS "as"
#define FILE_NAME_FILES "files"
#define FILE_NAME_FILES_TABLE "files.txt"
/* All of them, as spans. The links to subagents are besides. */
#define FILE_NAME_ENTRY_FILES                                                 \
	SPAN(FILE_NAME_CONTENT), SPAN(FILE_NAME_LABEL), SPAN(FILE_NAME_META), \
		SPAN(FILE_NAME_PARENT), SPAN(FILE_NAME_CONTEXT),              \
		SPAN(FILE_NAME_CONTEXT_JSON), SPAN(FILE_NAME_BRANCH),         \
		SPAN(FILE_NAME_RAW), SPAN(FILE_NAME_WORDS),                   \
		SPAN(FILE_NAME_AS), SPAN(FILE_NAME_FILES),                    \
		SPAN(FILE_NAME_FILES_TABLE)
/* And "agent-2" and so on. */
#define FILE_NAME_AGENT "agent"

/* The folder that a name is in, and so what it may not be. */
enum file_name_in {
	FILE_NAME_ALONE, /* by-label/ and so on: anything */
	FILE_NAME_IN_ENTRY,
	FILE_NAME_IN_FILES, /* by-file/, and the folders in it */
};

/* Is the text its own name? */
bool file_name_is_plain(struct span text, enum file_name_in in);

/*
 * Make the file name of an id, label or part of a path (WTF-8), or append it.
 * file_name_make() allocates nothing. It returns the length, which is never 0.
 */
size_t file_name_make(char out[FILE_NAME_LIMIT], struct span text,
		      enum file_name_in in);
void file_name_add(struct buf *out, struct span text, enum file_name_in in);

/*
 * The name of a link in by-file/: "0012-edit", or "0012-edit-failed". The
 * number that such a name has, of four digits or more; 0 for other names.
 */
void file_name_add_touch(struct buf *out, uint32_t number, enum file_act act,
			 bool failed);
uint32_t file_name_touch_number(struct span name);

/*
 * Cut a longer name of a text so that it has at most `most` bytes, of up to
 * FILE_NAME_LIMIT, and ends with the digest. Returns its length.
 */
size_t file_name_cut(char *name, size_t most, struct span text);

#endif
