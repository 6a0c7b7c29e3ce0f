/*
 * The kinds of files in the tree, and a table with everything that the
 * operations need to know of each. Which folder has which kinds is in
 * fs/tree/dir.c.
 *
 * The kernel caches the target of a symlink for as long as it has the inode. So
 * kind, entry and nth of a symlink's node determine its target: a symlink that
 * gets another target becomes another node (node_head(), fs/edit/staged.h).
 */
#ifndef SESSFS_NODE_KINDS_H
#define SESSFS_NODE_KINDS_H

#include <sys/stat.h>

#include "core/session/session.h"
#include "fs/tree/fresh.h"

enum node_kind {
	KIND_NONE,
	KIND_ROOT,	   /* a session's root: must be 1, the kernel's number
			      for / */
	KIND_FOLDER,	   /* a folder of sessions */
	KIND_BY_PROJECT,   /* by-project/ in the root of a set: groups.h */
	KIND_BY_DAY,	   /* by-day/ there */
	KIND_GROUP,	   /* by-project/NAME/ or by-day/DAY/ */
	KIND_SESSION_LINK, /* a link in one or in forks/; here node.entry is no
			      entry */
	KIND_SESSIONS,	   /* sessions.txt in such a folder, not listed */
	KIND_GITIGNORE,	   /* .gitignore, not listed: node_kinds.c */
	KIND_IGNORE,	   /* .ignore, not listed; the last one in a folder */
	KIND_HEAD,	   /* HEAD */
	KIND_CONTEXT,	   /* context.txt */
	KIND_CONTEXT_JSON, /* context.json, not listed */
	KIND_OUTLINE,	   /* tree.txt */
	KIND_PAGE,	   /* tree.html, not listed */
	KIND_LINES,  /* lines.txt, not listed; of its parts the entry is set */
	KIND_INFO,   /* info */
	KIND_NAME,   /* name */
	KIND_APPEND, /* append, not listed (fs/edit/append_stream.h); entry and
			nth number the opening, 0 for none */
	KIND_PARENT_SESSION, /* parent-session: agents.h */
	KIND_FORKS,	     /* forks/: groups.h */
	KIND_AS,	     /* as/, not listed: views.h */
	KIND_PATH,	     /* path/ */
	KIND_TREE,	     /* tree/ */
	KIND_BY_ID,	     /* by-id/ */
	KIND_BY_LABEL,	     /* by-label/ */
	KIND_BY_FILE,	     /* by-file/: views.h */
	KIND_FILES,	     /* files/, and folders in it: files.c */
	KIND_FILES_TABLE,    /* files.txt, not listed */
	KIND_BRANCHES,	     /* branches/ */
	KIND_AS_FILE,	     /* as/FORM; nth is the form */
	KIND_FILE_FOLDER,    /* by-file/PATH/; the entry numbers it */
	KIND_STAGED,	     /* a symlink that is overlaid (fs/tree/tree.h) */

	/* From here on node.entry is an entry: node_kind_has_entry(). */
	KIND_PATH_LINK,	   /* path/NNNN-KIND-WORDS */
	KIND_LABEL_LINK,   /* by-label/NAME */
	KIND_SHORT_LINK,   /* by-id/START, not listed */
	KIND_BRANCH_LINK,  /* branches/ID */
	KIND_NAMED_BRANCH, /* branches/NAME; the entry names the branch */
	KIND_FILE_LINK,	   /* by-file/PATH/NNNN-WHAT; nth of the entry's */
	KIND_FILE_AT_HEAD, /* files/PATH; the entry from which it counts */
	KIND_TREE_ENTRY,   /* tree/…/ID/ */
	KIND_ID_ENTRY,	   /* by-id/ID/ */
	KIND_PARENT_LINK,  /* by-id/ID/parent */
	KIND_CHILD_LINK,   /* by-id/ID/CHILD; the entry is the child */
	KIND_AGENT_LINK,   /* by-id/ID/agent and so on, into subagents/ */
	KIND_BESIDE_LINK,  /* the same, to a session beside this one */

	/* The same files in both folders of an entry, up to the last kind. */
	KIND_CONTENT,	    /* …/ID/content */
	KIND_LABEL,	    /* …/ID/label */
	KIND_META,	    /* …/ID/meta */
	KIND_PICTURE,	    /* …/ID/N.ext */
	KIND_ENTRY_CONTEXT, /* …/ID/context.txt, not listed; these too: */
	KIND_ENTRY_CONTEXT_JSON, /* …/ID/context.json */
	KIND_BRANCH,		 /* …/ID/branch.jsonl */
	KIND_RAW,		 /* …/ID/raw.json */
	KIND_WORDS,		 /* …/ID/words */
	KIND_ENTRY_AS,		 /* …/ID/as/; in tree/ nth is NODE_AS_TREE */
	KIND_ENTRY_AS_FILE,	 /* …/ID/as/FORM */
	KIND_ENTRY_FILES,	 /* by-id/ID/files/, and folders in it */
	KIND_TREE_FILES,	 /* tree/…/ID/files/, the same */
	KIND_ENTRY_FILES_TABLE,	 /* …/ID/files.txt, not listed */
	KIND_FILE_AT,		 /* …/ID/files/PATH */
	KIND_COUNT
};

struct node;

/*
 * A file that may be too large to be held in memory. It is rendered in parts,
 * one for each entry, as far as they are read.
 */
struct node_parts {
	/* The part that has an offset, and where it begins; or the end. */
	int (*find)(const struct session *s, uint64_t offset, uint32_t *entry,
		    uint64_t *start);
	int (*size)(const struct session *s, uint32_t entry, uint64_t *size);
	int (*render)(const struct session *s, uint32_t entry, struct buf *out);
};

/* node_kind_row.traits */
enum {
	NODE_UNLISTED = 1 << 0, /* is found by its name alone */
	/* Copies the source's write bits even when it is read-only: cp keeps
	   them, and write(2) gives a better errno than open(2). */
	NODE_COPIES_WRITE_BITS = 1 << 1,
	NODE_WRITE_ONLY = 1 << 2, /* lacks the source's read bits */
	/* Rendered from memory: rendering again is cheaper than caching. */
	NODE_FROM_INDEX = 1 << 3,
	/* Rendered from several lines of the session file. */
	NODE_SEVERAL_LINES = 1 << 4,
};

struct node_kind_row {
	const char *name; /* NULL: named after its entry, or "N.ext" */
	mode_t type;	  /* S_IFDIR, S_IFREG or S_IFLNK */
	/* Its sources (fs/tree/fresh.h); 0: none, while the epoch lasts. */
	unsigned changes_with;
	unsigned traits;
	/*
	 * Can it be written? Then it has the source's write bits. NULL: never.
	 */
	int (*writable)(const struct session *s);
	/* What node_render() calls: one of these; none of a link to an entry.
	 */
	int (*of_session)(const struct session *s, struct buf *out);
	int (*of_entry)(const struct session *s, uint32_t entry,
			struct buf *out);
	int (*of_node)(const struct session *s, const struct node *n,
		       struct buf *out);
	/* In place of those; NULL for most kinds. */
	const struct node_parts *parts;
};

extern const struct node_kind_row node_kinds[KIND_COUNT];

static inline bool node_kind_has_entry(enum node_kind kind)
{
	return kind >= KIND_PATH_LINK;
}

/*
 * Append the bytes of a file, or the target of a symlink; not of sessions.txt,
 * a file in parts or a symlink that is overlaid. The session is entered. 0 or
 * -errno.
 */
int node_render(const struct node *n, struct buf *out);

/* The session's line that `name` or a `label` shows; empty: it has none. */
struct span node_line(const struct session *s, const struct node *n);

/* The kind with that name among [first, last], or KIND_NONE. */
enum node_kind node_kind_named(enum node_kind first, enum node_kind last,
			       struct span name);

#endif
