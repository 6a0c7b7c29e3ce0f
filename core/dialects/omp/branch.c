/* Branches of oh-my-pi's sessions as files. */
#include "core/dialects/omp/omp.h"

#include "core/dialects/kit/line.h"
#include "core/dialects/pi/pi.h"

/* A time of the usual length, which leaves the usual room for a title. */
static struct json slot_time(struct json time)
{
	static const struct json epoch = {
		.raw = SPAN("\"1970-01-01T00:00:00.000Z\"")
	};
	return time.raw.n == epoch.raw.n ? time : epoch;
}

/*
 * Append the title slot, and Pi's header with more members. A title that is too
 * long for the slot is cut in the slot only, as in the agent.
 */
static void add_titled(const struct session *s, struct buf *out,
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
	omp_add_slot(out, buf_span(&name), source,
		     slot_time(json_get(pi_header, "timestamp")));
	const struct json_change added[] = {
		{ "title", name.len > 0 ? title.raw : none.raw },
		{ "titleSource", source.raw },
		{ "additionalDirectories", folders.raw },
	};
	line_add_changed(out, pi_header, added, 3);
	buf_free(&name);
}

static int add_header(struct branch *b, uint32_t tip)
{
	struct buf *out = b->out;
	struct buf line = { 0 };
	struct json header = { 0 };
	b->out = &line;
	struct json_writer w = pi_branch_header(b, tip);
	int err = line_end(&w);
	b->out = out;
	if (!err)
		err = json_check(buf_span(&line), &header);
	if (!err)
		add_titled(b->s, out, header);
	buf_free(&line);
	return err ? err : buf_error(out);
}

int omp_branch(const struct session *s, uint32_t entry, unsigned nth,
	       struct buf *out)
{
	return pi_branch_below(s, entry, nth, add_header, out);
}
