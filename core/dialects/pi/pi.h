/*
 * Pi's sessions: the facets that stand beside their functions, and
 * what small files have for the others.
 */
#ifndef SESSFS_PI_H
#define SESSFS_PI_H

#include "core/session/dialect.h"

extern const struct dialect dialect_pi;

extern const struct dialect_bases pi_bases;
extern const struct dialect_home pi_home;
extern const struct dialect_receiving pi_receiving;

/* Lines of oh-my-pi are mostly Pi's, and the drafts have its tools. */
extern const struct line_rows pi_rows;
extern const struct dialect_touching pi_touching;
extern const struct dialect_filing pi_filing;

/* oh-my-pi's sessions are resumed and rescued with the same functions. */
int pi_find_copy(const struct session *s, struct resuming_copy *c);
extern const struct dialect_rescue pi_rescue;
bool pi_is_line(struct json object);
bool pi_is_header(struct json object);
void pi_make_header(struct buf *out, const struct json facts[HEADER_FACTS],
		    bool has_ids);

/* system.c */

/* Is it a system message with more than its content? */
bool pi_is_system(struct json message);

/*
 * Append the text of such a message: content and sections as
 * getSystemMessageText() in pi-ai joins them, then
 *
 *     [section removed] NAME      a line for each
 *     [tools added] NAME, NAME
 *     [tools removed] NAME
 */
void pi_add_system(struct buf *out, struct json message);

#endif
