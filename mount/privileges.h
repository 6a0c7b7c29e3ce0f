/*
 * Once mounted, the daemon keeps no more than it needs.
 *
 * Root's capabilities go, in every set, but these, each of which a test in
 * tests/privileges.bats or omp.bats misses if it is not there:
 *
 *   CAP_DAC_OVERRIDE  read and write sessions of others, as root may
 *   CAP_CHOWN         a file made anew keeps its owner
 *   CAP_FOWNER        and its mode; and takes the old one's place in a sticky
 *                     folder
 *   CAP_SYS_ADMIN     umount2(2), when a signal asks for the end
 *   CAP_SYS_PTRACE    see in /proc which sessions the agents of other users,
 *                     and root's own with their privileges, have open
 *
 * An ordinary user has none, and gains none. What unmounts for them is
 * fusermount3, which is setuid: so neither PR_SET_NO_NEW_PRIVS nor a smaller
 * bounding set for them, with which it could not.
 */
#ifndef SESSFS_PRIVILEGES_H
#define SESSFS_PRIVILEGES_H

/*
 * Drop the others. Capabilities are a thread's own: to be called before there
 * is a second one. -errno.
 */
int privileges_drop(void);

#endif
