/*
 * How sessions of Pi are rescued (struct dialect_rescue), and what
 * oh-my-pi's share with them.
 */
#ifndef SESSFS_PI_RESCUE_H
#define SESSFS_PI_RESCUE_H

#include "core/session/dialect.h"

extern const struct dialect_rescue pi_rescue;

bool pi_is_line(struct json object);
bool pi_is_header(struct json object);
void pi_make_header(struct buf *out, const struct json facts[HEADER_FACTS],
		    bool has_ids);

#endif
