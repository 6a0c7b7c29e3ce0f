/*
 * Versions of files: each is another one's text with one range changed, so that
 * what is kept is what was changed. They are numbered from 1 on.
 *
 * A few texts are kept as a whole, those that were used last.
 */
#ifndef SESSFS_TEXTS_H
#define SESSFS_TEXTS_H

#include "core/files/file_text.h"

struct text_version {
	uint32_t before; /* the one before it; 0: none */
	uint32_t base;	 /* the same, if its text is needed; else 0 */
	uint32_t folder; /* the file's (core/show/touches.h) */
	uint32_t entry;	 /* from which it counts, and its place there */
	uint32_t nth;
	uint32_t call;	/* the entry that has made it */
	uint32_t depth; /* of the entry from which it counts */
	enum file_state state;
	bool outside;
	bool executable;
	bool created;
	bool seen;     /* it was so before */
	uint32_t note; /* as in struct file_text */
	/* Of the base's text, at its start and its end; and what is between. */
	uint64_t start;
	uint64_t end;
	uint64_t bytes; /* in texts.bytes */
	uint64_t size;	/* of the text */
};

#define TEXTS_HELD 8
/* Of texts that are kept as a whole, besides the newest. */
#define TEXTS_BYTES ((size_t)4 << 20)

struct texts {
	struct text_version *list;
	uint32_t n;
	size_t cap;
	struct buf bytes;
	struct held_text {
		uint32_t version; /* 0: none */
		struct buf text;
	} held[TEXTS_HELD]; /* the newest first */
};

static inline const struct text_version *texts_get(const struct texts *v,
						   uint32_t number)
{
	return &v->list[number - 1];
}

/* Append the text of a version, which is known. 0 or -ENOMEM. */
int texts_add(struct texts *v, uint32_t number, struct buf *out);

/* The text of a version, or of an untouched file for 0; begun. 0 or -ENOMEM. */
int texts_load(struct texts *v, uint32_t number, struct file_text *t);

/*
 * Add a version with a text that was loaded from new->before, unless nothing
 * has changed: then *number is that one. Frees the text. *new has what says
 * where it counts. 0, -ENOMEM or -EFBIG.
 */
int texts_put(struct texts *v, const struct text_version *new,
	      struct file_text *t, uint32_t *number);

void texts_free(struct texts *v);

#endif
