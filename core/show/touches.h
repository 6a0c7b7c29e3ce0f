/*
 * Which entries read, wrote or edited which file, on any branch: a table of
 * touches, for by-file/ and the commands `files` and `log --file`.
 *
 * A touch is a call of a tool that names a file (tools.h says how, and
 * core/show/touch_path.h which file that is). It fails if the result of the
 * call says so. Commands of shells are not parsed. Of those that the agent has
 * parsed itself, and noted, the files count that they read.
 *
 * Files are in folders, as their paths are: a folder is a number, from 0 for
 * by-file/ itself, and every file is one, too, since it has its touches in it.
 * What is not below the working directory is below the folder "@", and the
 * agent's home is "@/~". Folders, and touches in them, are in the order of
 * their lines.
 *
 * Nothing is read before the first question, and then every line once. What was
 * read is kept (derived.h), so that an append costs what it appends. Numbers
 * stay as long as entries keep theirs. Costs some 60 bytes of memory a touch,
 * as much for each folder, and 40 for each call of a tool.
 *
 * As long as the session is entered, it has the same entries, and so the table
 * does not change.
 *
 * Functions return -ENOMEM, or the error of reading; -ESTALE if the file was
 * rewritten.
 */
#ifndef SESSFS_TOUCHES_H
#define SESSFS_TOUCHES_H

#include "core/session/dialect/tools.h"
#include "core/session/session.h"

/* by-file/ itself. */
#define TOUCH_ROOT 0

/* More touches of an entry, and more folders, are left out. */
#define TOUCHES_OF_ENTRY ((uint32_t)1 << 14)
#define TOUCH_FOLDERS ((uint32_t)1 << 26)

struct touch {
	uint32_t entry;	 /* the call's */
	uint32_t nth;	 /* of the entry's touches, from 0 */
	uint32_t folder; /* of the file */
	uint32_t number; /* of the folder's touches, from 1 */
	enum file_act act;
	bool failed;
	bool noted; /* by a note, which came later */
};

/* A file, or a folder of files. */
#define TOUCH_NONE UINT32_MAX
struct touch_folder {
	uint32_t around; /* itself for the first */
	uint32_t depth;
	uint32_t name;	/* of the part of the path, in texts */
	bool is_own;	/* of a root: depth is its enum touch_root */
	uint32_t first; /* of the folders in it, or TOUCH_NONE */
	uint32_t last;
	uint32_t next;	  /* after it in the one around it, or TOUCH_NONE */
	uint32_t touches; /* in it */
	uint32_t dir;	  /* see touches_dir_folder(); or TOUCH_NONE */
};

/* The result of a call that has touches. */
struct touch_result {
	uint32_t entry; /* from which it counts */
	uint32_t line;	/* the entry that has the result: mostly that one */
	uint32_t block; /* of its blocks, or TOUCH_WHOLE_LINE */
	uint32_t call;	/* the entry that has the call */
	uint32_t call_block; /* of its blocks */
	uint32_t nth;	     /* the first of the call's touches */
	uint32_t touches;    /* how many there are */
	uint32_t note;	     /* 1 + the number of a note of it; 0: none */
	bool noted;	     /* the touches are the note's, not the call's */
	bool failed;
};
#define TOUCH_WHOLE_LINE UINT32_MAX

/* The tables of the session (touching.h), until it is left. 0 or -errno. */
struct touching;
int touches_now(const struct session *s, const struct touching **t);

/* A touch by its place among all of them: 1, or 0 at the end. */
int touches_get(const struct session *s, uint32_t i, struct touch *t);

/* The n-th touch of an entry: 0 or -ENOENT. */
int touches_of_entry(const struct session *s, uint32_t entry, uint32_t nth,
		     struct touch *t);

/* Find a touch in a folder, or a folder in it, by its name: 0 or -ENOENT. */
int touches_find(const struct session *s, uint32_t folder, struct span name,
		 struct touch *t);
int touches_find_folder(const struct session *s, uint32_t folder,
			struct span name, uint32_t *found);

/*
 * The next touch in a folder, or the next folder in it. *at is the position,
 * from 0, which stays valid: 1 with its name appended and *at after it, or 0.
 */
int touches_next(const struct session *s, uint32_t folder, uint32_t *at,
		 struct buf *name, struct touch *t);
int touches_next_folder(const struct session *s, uint32_t folder, uint32_t *at,
			struct buf *name, uint32_t *found);

/* What a folder is: 0, or -ENOENT if there is no such folder. */
int touches_folder(const struct session *s, uint32_t folder,
		   struct touch_folder *f);

/*
 * Folders that have others in them have numbers of their own, from 0 for the
 * first, below TOUCH_DIRS; further ones have none: 0 or -ENOENT.
 */
#define TOUCH_DIRS ((uint32_t)1 << 14)
int touches_dir_folder(const struct session *s, uint32_t dir, uint32_t *folder);

/* The folder of a path in its one spelling: 0, or -ENOENT if it has none. */
int touches_find_path(const struct session *s, struct span path,
		      uint32_t *folder);

/*
 * Append the one spelling (touch_path.h) of a path that a person has typed, as
 * seen from the session's working directory, or from `dir`: 1, or 0 if it
 * names no file.
 */
int touches_spell(const struct session *s, struct span dir, struct span path,
		  struct buf *out);

/*
 * Is the session's working directory in a path, in that spelling? 1, 0 or
 * -errno.
 */
int touches_is_around(const struct session *s, struct span path);

/*
 * Append the path of a folder's file, as touch_path.h has it; or as one line of
 * text, "." for the working directory.
 */
int touches_add_path(const struct session *s, uint32_t folder, struct buf *out);
int touches_add_line(const struct session *s, uint32_t folder, struct buf *out);

#endif
