/*
 * Going on in the agent from an entry: `sessfs resume`, and what others print
 * or run for it. By the rules of the session's dialect (dialect/resuming.h) the
 * agent gets the session itself, with HEAD moved to the entry, or a copy of the
 * entry's branch: one that it makes itself, or one that is put where it and
 * `sessfs open` find it.
 *
 * A session that is not mounted is mounted as by `sessfs open`, if a file of
 * the mount is needed. A line that is printed has `sessfs resume -x` do that,
 * or move HEAD, as it has it make copies: printing mounts nothing.
 */
#ifndef SESSFS_RESUME_H
#define SESSFS_RESUME_H

struct target;

/*
 * With an entry in the target (target_entry()): print a line for a shell, which
 * continues from there. Returns an exit status after reporting errors.
 */
int resume_print(struct target *t);

#endif
