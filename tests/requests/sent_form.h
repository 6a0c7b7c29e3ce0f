/*
 * Messages of the API in the one form in which what was sent can be compared
 * (requests.h): lines, one for each block, and one for each note.
 */
#ifndef SESSFS_TESTS_SENT_FORM_H
#define SESSFS_TESTS_SENT_FORM_H

#include "core/json/json.h"

struct sent_form {
	struct buf
		blocks;	  /* the role, and the block's members by their names */
	struct buf notes; /* as JSON strings */
};

void sent_form_add(struct sent_form *f, struct json message);
void sent_form_free(struct sent_form *f);

/* 0, or -ENOMEM if anything could not be added. */
int sent_form_error(const struct sent_form *f);

/* SHA-256 in hexadecimal digits, and a NUL. */
#define SENT_HASH_SIZE 65

/*
 * The agent's name for n messages of one role that it has sent as one: the hash
 * of its text with sorted members and a content of blocks. 0 or -ENOMEM.
 */
int sent_form_hash(const struct json *messages, size_t n,
		   char hash[SENT_HASH_SIZE]);

/* Is a line of `blocks` thinking? */
bool sent_form_is_thinking(struct span line);

/* Append compact JSON, with the members of all objects sorted. */
void sent_form_add_sorted(struct buf *out, struct json v);

#endif
