/*
 * What oh-my-pi's program says in a developer's message, of itself or of how a
 * turn went (prompts/system/; 18.3.4). It is known by the tag at its start.
 */
#ifndef SESSFS_OMP_NOTE_H
#define SESSFS_OMP_NOTE_H

#include "core/json/json.h"

/*
 * Is the content a note (message.note): a reminder, or that a turn went wrong?
 * News such as results of background jobs (<system-notice>) are none, nor is a
 * prompt of the program's that a turn began with.
 */
bool omp_is_note(struct json content);

#endif
