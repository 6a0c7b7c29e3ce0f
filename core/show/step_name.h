/*
 * The names in path/: NNNN-KIND[-WORDS].
 *
 *     0002-user-Write-a-word-counter-in-C
 *     0003-assistant-bash-cc-o-wc-wc-c
 *
 * NNNN is the entry's number on the way to HEAD (head_path_entry()), of
 * four digits or more, so that names sort in order. KIND and WORDS are those of
 * tree.txt (core/show/words.h). Of the words the first STEP_NAME_LETTERS
 * letters are kept: letters and digits of any script, by the locale C.UTF-8,
 * each with its combining marks. Everything between them becomes one "-", which
 * counts as a letter. A name is UTF-8 of at most FILE_NAME_LIMIT bytes; it is
 * cut between letters.
 */
#ifndef SESSFS_STEP_NAME_H
#define SESSFS_STEP_NAME_H

#include "core/base/columns.h"
#include "core/session/session.h"

#define STEP_NAME_LETTERS 40

/*
 * Append the name of an entry with a number. Reads the entry's line, and may
 * read others for its words. 0 or -errno.
 */
int step_name_add(const struct session *s, uint32_t number, uint32_t entry,
		  struct buf *out);

/*
 * The number that a name begins with: *whole if nothing follows it, and false
 * otherwise if a "-" does. 0 if the name begins with no number.
 */
uint32_t step_name_number(struct span name, bool *whole);

/*
 * For tests. Append the letters and digits of UTF-8, with the characters in
 * `kept`, as above: at most so many letters, and only while *out has at most
 * `limit` bytes.
 */
void step_name_squeeze(struct buf *out, struct span text, const char *kept,
		       size_t letters, size_t limit);

/*
 * head_path.c: the way from the root to HEAD, for path/: the entries that are
 * no bookkeeping (index.h), numbered from 1 at the root.
 *
 * The list is made when it is first asked for. When HEAD has moved since, only
 * the entries that are new on the way are visited: one after an append, however
 * long the way is. Numbers below the entry that both ways share stay. The list
 * is kept as derived.h says, and costs 8 bytes of memory an entry.
 *
 * The entry with a number: 0, -ENOENT if there is none, or -ENOMEM.
 */
int head_path_entry(const struct session *s, uint32_t number, uint32_t *entry);

#endif
