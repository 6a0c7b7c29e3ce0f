/*
 * The lines that sessfs writes into sessions of oh-my-pi, which are Pi's
 * (pi/write.c); branches, and conversations of other agents (pi/receive.c), as
 * sessions of it.
 */
#include "core/dialects/omp/omp.h"

#include <errno.h>

#include "core/as/conversation.h"
#include "core/base/text.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/pi/pi.h"
#include "core/json/timestamp.h"

/* Who has given a title. */
static const struct json user = { .raw = SPAN("\"user\"") };

/*
 * The same as Pi's. After a broken line another head mark is written first: if
 * a line breaks off before a value, the agent's parser takes the next line for
 * a part of it and drops both (Bun 1.3.14 and 1.4.5).
 */
static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	int err = omp_is_broken_off(s) ? pi_move_head(s, target, c) : 0;
	return err ? err : pi_move_head(s, target, c);
}

static int set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c)
{
	int err = omp_is_broken_off(s) ? pi_move_head(s, s->now.leaf, c) : 0;
	return err ? err : pi_set_label(s, entry, text, c);
}

static int add_entry(const struct session *s, struct json line,
		     struct change *c, const char **reason)
{
	const struct pi_entry_form form = pi_form(PI_OWNER_OMP, PI_FROM_PARENT);
	int err = omp_is_broken_off(s) ? pi_move_head(s, s->now.leaf, c) : 0;
	return err ? err : pi_entry_add(s, &form, line, c, reason);
}

static void add_slot(struct buf *out, struct span title, struct json source,
		     int64_t time, size_t padding)
{
	struct json_writer w = line_begin(out, "title");
	json_write_number(&w, "v", 1);
	json_write_string(&w, "title", title);
	json_write_value(&w, "source", source);
	line_add_time(&w, "updatedAt", time);
	buf_addc(json_begin_value(&w, "pad"), '"');
	buf_fill(out, ' ', padding);
	buf_addc(out, '"');
	line_end(&w);
}

/* How many bytes a slot with that title leaves for padding. */
static size_t room_of(struct buf *out, struct span title, struct json source,
		      int64_t time)
{
	struct buf slot BUF_SCOPED = BUF_INTO(out);
	add_slot(&slot, title, source, time, 0);
	size_t used = slot.len;
	return used < OMP_SLOT_BYTES ? OMP_SLOT_BYTES - used : 0;
}

void omp_add_slot(struct buf *out, struct span title, struct json source,
		  int64_t time)
{
	struct span fits = { title.p, 0 };
	struct buf quoted BUF_SCOPED = BUF_INTO(out);
	size_t room = room_of(out, SPAN(""), source, time);
	while (fits.n < title.n) {
		struct span rest = span_from(title, fits.n);
		size_t len;
		text_code_point(rest, &len);
		buf_clear(&quoted);
		json_quote(&quoted, (struct span){ rest.p, len });
		if (quoted.failed || quoted.len - 2 > room)
			break;
		room -= quoted.len - 2;
		fits.n += len;
	}
	add_slot(out, fits, source, time, room_of(out, fits, source, time));
}

static int add_title_change(const struct session *s, struct span title,
			    int64_t now, struct change *c)
{
	struct span before = buf_span(&s->now.name);
	int err = omp_is_broken_off(s) ? pi_move_head(s, s->now.leaf, c) : 0;
	if (err)
		return err;
	struct json_writer w = line_begin(&c->lines, "title_change");
	pi_add_envelope(&w, s, s->now.leaf, now);
	json_write_string(&w, "title", title);
	json_write_word(&w, "source", "user");
	if (before.n > 0)
		json_write_string(&w, "previousTitle", before);
	return line_end(&w);
}

/* Append the bytes that the new slot replaces: the old one, or a byte order
 * mark. */
static int add_old_start(const struct session *s, struct buf *out)
{
	char mark[3];
	size_t n = omp_slot_end(s);
	if (n == 0 && log_read(&s->log, 0, mark, sizeof(mark)) == 0)
		n = sizeof(mark) -
		    log_skip_bom((struct span){ mark, sizeof(mark) }).n;
	char *to = buf_reserve(out, n);
	int err = to ? log_read(&s->log, 0, to, n) : -ENOMEM;
	out->len += err ? 0 : n;
	return err;
}

/*
 * The same as setSessionName with a title of the user: a `title_change` entry,
 * and the title slot, which is overwritten in place. A file without a slot is
 * rewritten to have one. The agent reads the slot only. An empty name, which
 * the agent refuses, empties the slot and adds no entry.
 */
static int set_name(const struct session *s, struct span name, struct change *c)
{
	int64_t now = timestamp_now();
	struct buf title BUF_SCOPED = { 0 };
	name = text_trim(name);
	/* The agent replaces runs of spaces by one. */
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] != ' ' || name.p[i - 1] != ' ')
			buf_addc(&title, name.p[i]);
	}
	int err = buf_error(&title);
	if (!err && title.len > 0)
		err = add_title_change(s, buf_span(&title), now, c);
	if (!err)
		err = add_old_start(s, &c->old_start);
	omp_add_slot(&c->start, buf_span(&title),
		     title.len > 0 ? user : (struct json){ 0 }, now);
	return err;
}

const struct dialect_writing omp_writing = {
	.needs_folder = true,
	.migration = &pi_migration,
	.move_head = move_head,
	.set_label = set_label,
	.add_entry = add_entry,
	.set_name = set_name,
};

/* -- branches */

/* Times from here up to there, in ms, have years of four digits. */
#define YEAR_0 (-62167219200000)
#define YEAR_10000 253402300800000

/*
 * A title slot, and Pi's header with more members. A title that is too long for
 * the slot is cut in the slot only, as in the agent. A time of the usual length
 * leaves the usual room for it.
 */
static int add_header(struct branch *b, uint32_t tip)
{
	static const struct json none = { 0 };
	const struct session *s = b->s;
	struct json slot = omp_slot(s);
	bool has_slot = json_type(slot) != JSON_ABSENT;
	struct json title =
		has_slot ? json_get(slot, "title") : session_header(s, "title");
	struct json source = has_slot ? json_get(slot, "source")
				      : session_header(s, "titleSource");
	struct json folders = session_header(s, "additionalDirectories");
	int64_t time = pi_branch_time(s, tip);
	struct buf name BUF_SCOPED = BUF_INTO(b->out);
	json_decode(&name, title);
	if (time < YEAR_0 || time >= YEAR_10000)
		time = 0;
	if (!JSON_IS(source, "auto", "user"))
		source = none;
	omp_add_slot(b->out, buf_span(&name), source, time);
	struct json_writer w = pi_branch_header(b, tip);
	json_write_value(&w, "title", name.len > 0 ? title : none);
	json_write_value(&w, "titleSource", source);
	if (json_type(folders) == JSON_ARRAY)
		json_write_value(&w, "additionalDirectories", folders);
	return line_end(&w);
}

int omp_branch(const struct session *s, uint32_t entry, unsigned nth,
	       struct buf *out)
{
	return pi_branch_below(s, entry, nth, add_header, out);
}

/* -- conversations of other agents */

/* The title stands in the slot, and in the header. */
static void begin(struct pi_receiving *x)
{
	struct span title = buf_span(&x->c->title);
	omp_add_slot(x->out, title, user, x->c->begun);
	struct json_writer w = pi_receive_header(x);
	json_write_string(&w, "title", title);
	json_write_value(&w, "titleSource", user);
	line_end(&w);
}

static int receive(const struct conversation *c, struct buf *out)
{
	return pi_receive_as(c, true, begin, out);
}

const struct dialect_receiving omp_receiving = {
	.window = PI_WINDOW,
	.write = receive,
};
