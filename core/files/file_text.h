/*
 * The text of a file while calls change it, and what has changed: all that is
 * between a start and an end that stayed the same.
 */
#ifndef SESSFS_FILE_TEXT_H
#define SESSFS_FILE_TEXT_H

#include "core/base/buf.h"

/* What is known of a file. */
enum file_state {
	FILE_IS_UNTOUCHED,
	FILE_IS_KNOWN,	 /* its whole text */
	FILE_IS_NAMED,	 /* it was searched, or named for no known purpose */
	FILE_IS_PENDING, /* a call has no result yet */
	FILE_IS_FAILED,	 /* all calls failed */
	FILE_IS_PART,	 /* it was read in part */
	FILE_IS_UNSEEN,	 /* it was edited, and its text was not known */
	FILE_IS_NO_TEXT, /* a picture, or bytes that are not in the session */
	FILE_IS_DELETED,
	FILE_IS_MOVED,	 /* it has another path */
	FILE_IS_FOLDER,	 /* a file below it is known */
	FILE_IS_UNFIT,	 /* an edit does not fit what was computed */
	FILE_IS_UNKNOWN, /* a tool did what is not known */
	FILE_STATES
};

/* What people read in files.txt: "read in part". */
const char *file_state_name(enum file_state state);

/* A zeroed struct is an untouched file. */
struct file_text {
	enum file_state state;
	struct buf text; /* if it is known; else empty */
	bool outside;	 /* something else was found than was computed */
	bool executable; /* as far as the session tells */
	bool created;	 /* nothing tells of a file before, or that was told */
	bool seen;	 /* and not known before, so that it was so already */
	bool told;	 /* something was told since file_text_begin() */
	uint32_t note;	 /* 1 + that of the last call that told, or 0 */
	struct buf before; /* the text that was seen, if it was changed since */
	/* private: how many bytes at the start and the end are as they were */
	size_t start;
	size_t end;
};

/* From here on changes count, until file_text_free(). */
void file_text_begin(struct file_text *t);

/* Put a text in the place of n bytes of a known one. */
void file_text_splice(struct file_text *t, size_t at, size_t n,
		      struct span with);

void file_text_free(struct file_text *t);

/* The file was written: this is its text. */
void file_text_write(struct file_text *t, struct span text);

/* The file was seen: this is its text, whoever has made it. */
void file_text_see(struct file_text *t, struct span text);

/* Its text is not known: any state but the first two. */
void file_text_lose(struct file_text *t, enum file_state state);

#endif
