/*
 * A message in the making, as Qwen Code posts it, with its parts as they stand
 * in records for those who print or take it (core/session/message.h).
 */
#ifndef SESSFS_QWEN_DRAFT_H
#define SESSFS_QWEN_DRAFT_H

#include "core/dialects/kit/sending.h"

/* Zeroed, then begun. */
struct qwen_draft {
	struct json_writer w;	 /* the message's members */
	struct json_writer list; /* its parts */
	/* private */
	struct buf json;
	struct buf parts;
};

void qwen_begin(struct qwen_draft *d, const char *role);
void qwen_drop(struct qwen_draft *d);

/* Add it, as of an entry. 0 or -errno; it is empty again in either case. */
int qwen_end(struct qwen_draft *d, const struct sending *x, uint32_t entry,
	     enum message_role role, struct block result);

/* A call as it is posted; a picture or another medium. */
void qwen_write_call(struct json_writer *w, struct json part);
void qwen_write_medium(struct json_writer *w, struct json part);

#endif
