/*
 * Standard output of commands that print much.
 */
#ifndef SESSFS_OUTPUT_H
#define SESSFS_OUTPUT_H

/* Let a pipe hold more, so that its reader is woken less often. */
void output_begin(void);

/*
 * Report an error of writing, unless it is that the reader of a pipe has ended.
 * Returns STATUS_FAILED.
 */
int output_fail(int err);

#endif
