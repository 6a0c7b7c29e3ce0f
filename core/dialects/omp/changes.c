#include "core/dialects/omp/changes.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/omp/ingest.h"
#include "core/dialects/omp/lock.h"
#include "core/dialects/omp/title.h"
#include "core/dialects/pi/branch.h"
#include "core/dialects/pi/write.h"
#include "core/json/timestamp.h"

int omp_move_head(const struct session *s, uint32_t target, struct change *c)
{
	int err = omp_is_broken_off(s) ? pi_move_head(s, target, c) : 0;
	return err ? err : pi_move_head(s, target, c);
}

int omp_set_label(const struct session *s, uint32_t entry, struct span text,
		  struct change *c)
{
	int err = omp_is_broken_off(s) ? pi_move_head(s, s->now.leaf, c) : 0;
	return err ? err : pi_set_label(s, entry, text, c);
}

int omp_add_entry(const struct session *s, struct json line, struct change *c,
		  const char **reason)
{
	const struct pi_entry_form form = pi_form(PI_OWNER_OMP, PI_FROM_PARENT);
	int err = omp_is_broken_off(s) ? pi_move_head(s, s->now.leaf, c) : 0;
	return err ? err : pi_entry_add(s, &form, line, c, reason);
}

/* Append a title. The agent replaces runs of spaces by one. */
static void add_title(struct buf *out, struct span name)
{
	name = text_trim(name);
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] != ' ' || name.p[i - 1] != ' ')
			buf_addc(out, name.p[i]);
	}
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

int omp_set_name(const struct session *s, struct span name, struct change *c)
{
	static const struct json user = { .raw = SPAN("\"user\"") };
	int64_t now = timestamp_now();
	struct buf time = { 0 };
	struct buf title = { 0 };
	add_title(&title, name);
	line_quote_time(&time, now);
	int err = title.failed || time.failed ? -ENOMEM : 0;
	if (!err && title.len > 0)
		err = add_title_change(s, buf_span(&title), now, c);
	if (!err)
		err = add_old_start(s, &c->old_start);
	omp_title_add_slot(&c->start, buf_span(&title),
			   title.len > 0 ? user : (struct json){ 0 },
			   (struct json){ .raw = buf_span(&time) });
	buf_free(&time);
	buf_free(&title);
	return err;
}

/* A time of the usual length, which leaves the usual room for a title. */
static struct json slot_time(struct json time)
{
	static const struct json epoch = {
		.raw = SPAN("\"1970-01-01T00:00:00.000Z\"")
	};
	return time.raw.n == epoch.raw.n ? time : epoch;
}

/*
 * Append the title slot, and the header with the other members of `pi_header`.
 * A title that is too long for the slot is cut in the slot only, as in the
 * agent.
 */
static void add_start(const struct session *s, struct buf *out,
		      struct json pi_header)
{
	struct json none = { 0 };
	struct json slot = omp_slot(s);
	bool has_slot = json_type(slot) != JSON_ABSENT;
	struct json title =
		has_slot ? json_get(slot, "title") : session_header(s, "title");
	struct json source = has_slot ? json_get(slot, "source")
				      : session_header(s, "titleSource");
	struct json folders = session_header(s, "additionalDirectories");
	if (json_type(folders) != JSON_ARRAY)
		folders = none;
	struct buf name = { 0 };
	json_decode(&name, title);
	if (!json_is(source, SPAN("auto")) && !json_is(source, SPAN("user")))
		source = none;
	buf_inherit(out, &name);
	omp_title_add_slot(out, buf_span(&name), source,
			   slot_time(json_get(pi_header, "timestamp")));
	const struct json_change added[] = {
		{ "title", name.len > 0 ? title.raw : none.raw },
		{ "titleSource", source.raw },
		{ "additionalDirectories", folders.raw },
	};
	line_add_changed(out, pi_header, added, 3);
	buf_free(&name);
}

int omp_branch(const struct session *s, uint32_t entry, struct buf *out)
{
	struct buf branch = { 0 };
	struct json header;
	int err = pi_branch(s, entry, &branch);
	if (!err) {
		struct span all = buf_span(&branch);
		const char *lf = memchr(all.p, '\n', all.n);
		size_t n = lf ? (size_t)(lf - all.p) : all.n;
		err = json_check((struct span){ all.p, n }, &header);
		if (!err) {
			add_start(s, out, header);
			buf_add(out,
				(struct span){ all.p + n + 1, all.n - n - 1 });
			err = buf_error(out);
		}
	}
	buf_free(&branch);
	return err;
}

int omp_lock_session(const char *path, void **held)
{
	struct omp_lock *lock = malloc(sizeof(*lock));
	if (!lock)
		return -ENOMEM;
	int err = omp_lock_acquire(lock, path);
	if (err)
		free(lock);
	else
		*held = lock;
	return err;
}

void omp_unlock_session(void *held)
{
	omp_lock_release(held);
	free(held);
}
