/* Branches of oh-my-pi's sessions as files. */
#include "core/dialects/omp/omp.h"

#include "core/dialects/kit/line.h"
#include "core/dialects/pi/pi.h"
#include "core/json/timestamp.h"

/*
 * A title slot, and Pi's header with more members. A title that is too long for
 * the slot is cut in the slot only, as in the agent. A time of the usual length
 * leaves the usual room for it.
 */
static int add_header(struct branch *b, uint32_t tip)
{
	static const struct json none = { 0 };
	static const struct json epoch = {
		.raw = SPAN("\"1970-01-01T00:00:00.000Z\"")
	};
	const struct session *s = b->s;
	struct json slot = omp_slot(s);
	bool has_slot = json_type(slot) != JSON_ABSENT;
	struct json title =
		has_slot ? json_get(slot, "title") : session_header(s, "title");
	struct json source = has_slot ? json_get(slot, "source")
				      : session_header(s, "titleSource");
	struct json folders = session_header(s, "additionalDirectories");
	int64_t when = pi_branch_time(s, tip);
	struct buf name = { 0 };
	struct buf time = { 0 };
	json_decode(&name, title);
	if (when != TIMESTAMP_NONE)
		line_quote_time(&time, when);
	struct json begun = epoch;
	if (time.len == epoch.raw.n)
		begun.raw = buf_span(&time);
	if (!JSON_IS(source, "auto", "user"))
		source = none;
	omp_add_slot(b->out, buf_span(&name), source, begun);
	struct json_writer w = pi_branch_header(b, tip);
	json_write_value(&w, "title", name.len > 0 ? title : none);
	json_write_value(&w, "titleSource", source);
	if (json_type(folders) == JSON_ARRAY)
		json_write_value(&w, "additionalDirectories", folders);
	buf_free_into(&name, b->out);
	buf_free_into(&time, b->out);
	return line_end(&w);
}

int omp_branch(const struct session *s, uint32_t entry, unsigned nth,
	       struct buf *out)
{
	return pi_branch_below(s, entry, nth, add_header, out);
}
