/*
 * A context in the making: one list of what the agent will send, which passes
 * change one after the other.
 *
 *     static sending_pass *const passes[] = { add_items, drop_orphan_outputs,
 *                                             write_as_posted, NULL };
 *     struct sending x = { .s = s, .path = path, .to = to };
 *     int err = sending_run(&x, passes);
 *
 * A format's array of passes reads as the agent's rules in the order in which
 * they act. A pass is a function; what it needs beyond the list is in `own`.
 * All passes take time proportional to the list.
 *
 * The list has its pieces in the order of the path. A piece that is not sent is
 * dropped, not removed, so that places in the list stay; a pass that moves
 * pieces precedes all that keep places. Their JSON is kept, or read again from
 * their entries, as the format chooses.
 */
#ifndef SESSFS_SENDING_H
#define SESSFS_SENDING_H

#include "core/base/idset.h"
#include "core/session/message.h"
#include "core/session/path.h"

/* A message, an item, a block or a line, whatever the agent has lists of. */
struct piece {
	uint32_t entry; /* INDEX_NONE: the agent makes it up */
	uint8_t kind;	/* the format's */
	uint8_t flags;	/* the format's bits */
	bool dropped;
	size_t from; /* its JSON in sending.json */
	size_t to;
	uint32_t first_call; /* its calls in sending.calls */
	uint32_t n_calls;
};

/* A call of a tool. */
struct sent_call {
	uint32_t id;   /* in sending.ids */
	bool repeated; /* an earlier call has the same id */
};

/* What is known of an id. */
struct sent_id {
	bool called;	/* some call has it */
	uint8_t flags;	/* the format's bits */
	uint32_t own;	/* the format's; 0 at first */
	uint32_t other; /* the same */
};

struct sending {
	const struct session *s;
	const struct path *path;
	struct messages *to;
	struct piece *list;
	uint32_t n;
	struct buf json;
	struct sent_call *calls;
	uint32_t n_calls;
	struct idset ids;      /* of calls, and of results */
	struct sent_id *known; /* by number */
	void *own;	       /* the format's */
	/* private: */
	size_t cap;
	size_t cap_calls;
	size_t cap_known;
};

/* Returns 0 or -errno. */
typedef int sending_pass(struct sending *x);

/*
 * Run the passes, up to a NULL, until one fails. The list is freed at the end;
 * `own` is the caller's. Returns 0 or -errno.
 */
int sending_run(struct sending *x, sending_pass *const *passes);

/*
 * Add a piece. Its JSON is what the caller has appended to x->json from p.from
 * on; nothing if the format reads it again. 0 or -ENOMEM.
 */
int sending_add(struct sending *x, struct piece p);

/* Forget all pieces and their JSON; ids stay. */
void sending_clear(struct sending *x);

/* The JSON of a piece, valid until more is appended to x->json. */
struct json sending_json(const struct sending *x, const struct piece *p);

/*
 * The number of an id, which is a string in JSON, and is added if it is new. 0,
 * -ENOMEM or -EFBIG.
 */
int sending_id(struct sending *x, struct json id, uint32_t *number);

/* The number of an id, IDSET_NONE if it is not there. 0 or -ENOMEM. */
int sending_find_id(const struct sending *x, struct json id, uint32_t *number);

/* Add a call to the piece that was added last. The same errors. */
int sending_add_call(struct sending *x, struct json id);

/* What is known of the id of the n-th call of a piece. */
static inline struct sent_id *sending_known(const struct sending *x,
					    const struct piece *p, uint32_t n)
{
	return &x->known[x->calls[p->first_call + n].id];
}

/* For message.when: the time of an entry, or of INDEX_NONE, which has none. */
int64_t sending_time(const struct sending *x, uint32_t entry);

#endif
