/* Conversations of other agents as sessions of oh-my-pi: see pi/receive.h. */
#include "core/dialects/kit/line.h"
#include "core/dialects/omp/omp.h"
#include "core/dialects/pi/receive.h"

/* The title stands in the slot, and in the header. */
static void begin(struct pi_receiving *x)
{
	static const struct json user = { .raw = SPAN("\"user\"") };
	struct buf time = { 0 };
	struct span title = buf_span(&x->c->title);
	line_quote_time(&time, x->c->begun);
	omp_add_slot(x->out, title, user,
		     (struct json){ .raw = buf_span(&time) });
	buf_free_into(&time, x->out);
	struct json_writer w = pi_receive_header(x);
	json_write_string(&w, "title", title);
	json_write_value(&w, "titleSource", user);
	line_end(&w);
}

static int receive(const struct conversation *c, struct buf *out)
{
	static const struct pi_receiver how = { .begin = begin,
						.attributed = true };
	return pi_receive_as(c, &how, out);
}

const struct dialect_receiving omp_receiving = {
	.window = PI_WINDOW,
	.write = receive,
};
