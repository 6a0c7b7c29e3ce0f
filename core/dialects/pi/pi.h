/* Pi's sessions, and those of its agent library. */
#ifndef SESSFS_PI_H
#define SESSFS_PI_H

#include "core/session/dialect.h"

extern const struct dialect dialect_harness;
extern const struct dialect dialect_pi;

/* Entries of both say the same, and lines of oh-my-pi are mostly Pi's. */
extern const struct line_rows pi_rows;
extern const struct tool_row pi_tools[];
extern const struct dialect_touching pi_touching;
extern const struct dialect_showing pi_showing;

/* oh-my-pi's sessions are rescued with the same functions. */
extern const struct dialect_rescue pi_rescue;
bool pi_is_line(struct json object);
bool pi_is_header(struct json object);
void pi_make_header(struct buf *out, const struct json facts[HEADER_FACTS],
		    bool has_ids);

#endif
