/*
 * The kinds of files in a mount, in one place.
 *
 * Every file is a kind in a place (core/places/places.h) and, for most kinds,
 * an entry. An inode number packs the three (fs/tree/ino.h), so nothing is
 * looked up by path. The table below says of each kind all that the operations
 * need to know.
 */
#ifndef SESSFS_NODE_KINDS_H
#define SESSFS_NODE_KINDS_H

#include <sys/stat.h>

#include "core/places/places.h"
#include "core/session/session.h"

enum node_kind {
	KIND_NONE,
	KIND_ROOT,	   /* a session's root: must be 1, the kernel's number
			      for / */
	KIND_FOLDER,	   /* a folder of sessions */
	KIND_HEAD,	   /* HEAD */
	KIND_CONTEXT,	   /* context.txt */
	KIND_CONTEXT_JSON, /* context.json, not listed */
	KIND_OUTLINE,	   /* tree.txt */
	KIND_PAGE,	   /* tree.html, not listed */
	KIND_INFO,	   /* info */
	KIND_NAME,	   /* name */
	KIND_APPEND, /* append, not listed (fs/edit/append_stream.h); entry and
			nth are which opening of it, 0 for none */
	KIND_TREE,   /* tree/ */
	KIND_BY_ID,  /* by-id/ */
	KIND_BY_LABEL,	   /* by-label/ */
	KIND_BRANCHES,	   /* branches/ */
	KIND_LABEL_LINK,   /* by-label/NAME */
	KIND_BRANCH_LINK,  /* branches/ID */
	KIND_NAMED_BRANCH, /* branches/NAME; the entry is the one that says so
			    */
	KIND_STAGED,	   /* a symlink on its way to HEAD (fs/edit/head.h) */
	KIND_TREE_ENTRY,   /* tree/…/ID/ */
	KIND_ID_ENTRY,	   /* by-id/ID/ */
	KIND_PARENT_LINK,  /* by-id/ID/parent */
	KIND_CHILD_LINK,   /* by-id/ID/CHILD; the entry is the child */

	/* In both folders of an entry, the same files. */
	KIND_CONTENT,	    /* …/ID/content */
	KIND_LABEL,	    /* …/ID/label */
	KIND_META,	    /* …/ID/meta */
	KIND_PICTURE,	    /* …/ID/N.ext */
	KIND_ENTRY_CONTEXT, /* …/ID/context.txt, not listed; these too: */
	KIND_ENTRY_CONTEXT_JSON, /* …/ID/context.json */
	KIND_BRANCH,		 /* …/ID/branch.jsonl */
	KIND_RAW,		 /* …/ID/raw.json */
	KIND_COUNT
};

/* A file: what an inode number stands for. */
struct node {
	enum node_kind kind;
	uint32_t entry;	     /* 0 where the kind has none */
	uint32_t nth;	     /* of a picture, from 1 */
	struct place *place; /* that it is in; pinned by who made the node */
};

struct node_kind_row {
	const char *name; /* NULL: named after its entry, or "N.ext" */
	mode_t type;	  /* S_IFDIR, S_IFREG or S_IFLNK */
	bool listed;
	bool writable; /* the source's write bits count where it can be */
	/*
	 * They count in any case: for what cp makes of it, or because writing
	 * says better than opening could why it can't be.
	 */
	bool as_source;
	bool write_only; /* its read bits do not */
	bool per_entry;	 /* node.entry is an entry */
	/*
	 * What it shows does not change while the session's epoch lasts: the
	 * kernel may keep it. Everything else is asked for every time.
	 */
	bool steady;
	/* It is made of what is in memory: sooner made again than kept. */
	bool indexed;
	/* It is made of several pieces of the file, of no line by itself. */
	bool pieced;
	/* What a file holds, or where a symlink points. */
	int (*render)(const struct session *s, const struct node *n,
		      struct buf *out);
};

extern const struct node_kind_row node_kinds[KIND_COUNT];

/* The kind of that name among [first, last], or KIND_NONE. */
enum node_kind node_kind_named(enum node_kind first, enum node_kind last,
			       struct span name);

#endif
