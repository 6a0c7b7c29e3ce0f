/*
 * What the steps of a rescue share: rescue.c reads the damaged file, and writes
 * the new one; remake.c makes the lines in between.
 */
#ifndef SESSFS_RESCUE_H
#define SESSFS_RESCUE_H

#include "core/file/newfile.h"
#include "core/session/session.h"
#include "mount/commands/rescue/joins.h"
#include "mount/commands/rescue/salvage.h"
#include "mount/operands/session_file.h"

struct rescue {
	struct session_file damaged;
	const char *file; /* as it was named */
	const char *out_name;
	const char *at;	   /* of these, the one that an error is about */
	struct buf reason; /* of an error; empty: as errno says */
	struct buf shown;  /* the file's name, on one line */
	struct buf path;   /* of the new file; absolute */
	struct log log;
	const struct dialect *dialect;
	struct buf id;	 /* of the new session */
	struct buf leaf; /* of the file as it is */
	struct salvage salvage;
	struct newfile draft;	  /* the salvaged text, */
	struct session_file made; /* read as a session */
	struct session *s;	  /* of the draft */
	struct joins joins;
	uint32_t *entries; /* by line of the text: its entry, or INDEX_NONE */
	struct buf last;   /* the line that comes last */
	struct buf out;
	struct rescue_report report;
};

/*
 * Make the lines of the new session (r->out) from the draft, with `leaf` as its
 * leaf, and report each change. 0 or -errno.
 */
int rescue_make_session(struct rescue *r, uint32_t leaf);

/* The line of the file that an entry of the draft is from. */
uint32_t rescue_line_of(const struct rescue *r, uint32_t entry);

/* Report an entry by its name. */
void rescue_report_entry(struct rescue *r, uint32_t entry);

#endif
