#include "mount/commands/commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/parallel.h"
#include "core/file/whole.h"
#include "core/show/lines.h"
#include "mount/commands/output.h"
#include "mount/commands/pieces.h"

/* Large enough to keep a thread busy, and to be written at once. */
#define BATCH_BYTES ((uint64_t)256 << 10)

/* A session that is rewritten is tried again: nothing was written of it. */
#define TRIES 3

struct printing {
	struct span prefix;
	struct buf *out;
};

static int add_entry(void *data, const struct session *s, uint32_t entry)
{
	const struct printing *p = data;
	return lines_add(s, entry, p->prefix, p->out);
}

static int add_piece(const struct piece *piece, struct buf *out)
{
	struct printing p = { buf_span(&piece->of->prefix), out };
	size_t from = out->len;
	int err = -ESTALE;
	for (int tries = 0; err == -ESTALE && tries < TRIES; tries++) {
		out->len = from;
		err = piece_visit(piece, add_entry, &p);
	}
	return err;
}

static bool next_batch(void *data, void **task)
{
	*task = pieces_next(data);
	return *task != NULL;
}

static void add_batch(void *data, void *task, struct buf *out)
{
	struct batch *b = task;
	for (size_t i = 0; i < b->n; i++) {
		int err = add_piece(&b->list[i], out);
		if (err)
			piece_fail(data, &b->list[i], err);
	}
	batch_free(b);
}

static int write_batch(void *data, const struct buf *out)
{
	(void)data;
	return whole_write(STDOUT_FILENO, buf_span(out));
}

int lines_print(const struct options *o)
{
	struct pieces p = { .o = o, .bytes = BATCH_BYTES };
	const struct sweep sweep = { .data = &p,
				     .next = next_batch,
				     .work = add_batch,
				     .emit = write_batch };
	output_begin();
	int err = sweep_run(&sweep);
	pieces_end(&p);
	return err ? output_fail(err) : p.status;
}
