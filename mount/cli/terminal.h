/*
 * The user's terminal: whether output goes to one, its colors, and the pager.
 */
#ifndef SESSFS_TERMINAL_H
#define SESSFS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Does a file (STDOUT_FILENO, ...) lead to a terminal? */
bool terminal_is(int fd);

/* The columns and rows of the one that a file leads to; 0: not known. */
size_t terminal_columns(int fd);
size_t terminal_rows(int fd);

/* Can it only show line after line? $TERM is "dumb", empty or not set then. */
bool terminal_is_dumb(void);

/* Is it one that shows colors, and does the user want them? */
bool terminal_has_colors(int fd);

/* The program that standard output goes through. Zeroed: none. */
struct pager {
	pid_t pid; /* of its shell; 0: there is none */
	int out;   /* the descriptor that standard output was; private */
};

/*
 * On a terminal, have what is written to standard output shown by $PAGER, or by
 * less -R, as git does. less has git's options if $LESS is not set, and ends on
 * an interrupt, as the program does. 0 or -errno.
 */
int pager_begin(struct pager *p);

/*
 * Wait for the user to quit it. Returns `err`, that of what was written, or
 * another one; 0 if nobody reads on, as who quits a pager has seen enough.
 */
int pager_end(struct pager *p, int err);

#endif
