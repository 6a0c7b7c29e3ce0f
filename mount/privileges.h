/*
 * After mounting, the daemon keeps only the privileges that it needs.
 *
 * Root's daemon drops all capabilities, in every set, except these. For each
 * there is a test in tests/commands/privileges.md or tests/commands/omp.md that
 * fails without it:
 *
 *   CAP_DAC_OVERRIDE  read and write sessions of others, as root may
 *   CAP_CHOWN         keep the owner of a file that is replaced
 *   CAP_FOWNER        keep its mode, and replace it in a sticky folder
 *   CAP_SYS_ADMIN     umount2(2) after a signal
 *   CAP_SYS_PTRACE    see in /proc which sessions the agents of other users,
 *                     and root's own with their privileges, have open
 *
 * An ordinary user's daemon has none. fusermount3, which unmounts for it, is
 * setuid: PR_SET_NO_NEW_PRIVS or a smaller bounding set would break it.
 */
#ifndef SESSFS_PRIVILEGES_H
#define SESSFS_PRIVILEGES_H

/*
 * Drop the others. Each thread has its own capabilities, so call this before
 * starting a second one. Returns 0 or -errno.
 */
int privileges_drop(void);

#endif
