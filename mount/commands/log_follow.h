/*
 * `sessfs log -f`: the entries of a list, and then those that are appended, in
 * the order in which they are. One that does not go on from the one before it
 * follows a dim line that says from which it does.
 */
#ifndef SESSFS_LOG_FOLLOW_H
#define SESSFS_LOG_FOLLOW_H

#include "mount/commands/log_show.h"

/*
 * Print the last `most` entries of the list, oldest first, and follow the
 * session, which is entered on return as well. Ends when the session's file is
 * removed, or nobody reads what is printed: 0 then. Else -errno.
 */
int log_follow(struct log_show *l, struct session *s, struct log_list *e,
	       unsigned most);

#endif
