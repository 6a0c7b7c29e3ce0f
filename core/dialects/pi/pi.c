/*
 * Pi's sessions, versions 1 to 3 (Pi 1.6.0; sessfs-formats(5)).
 *
 * In the order in which the rules act:
 *
 *   ingest.c   A line that is not JSON, or not an object with an id, is
 *              skipped. The first `session` line is the header. A line that
 *              only oh-my-pi writes makes the file its own.
 *   v1.c       Version 1 has no ids. Its entries get ids when they are read,
 *              and the file is rewritten before a line is appended. In version
 *              2 the role `custom` is hookMessage.
 *   HEAD       Needs no file: the last entry is the leaf, and a line below
 *              another entry moves it there.
 *   show.c     Of an entry: content, meta and usage; system.c: of a system
 *              message.
 *   context.c  What is sent: the last compaction of the path first, what it
 *              keeps, and all after it; context edits replace or remove. The
 *              walk is kit/compacted.c.
 *   write.c    What is appended: HEAD, labels, the name, and lines that are
 *              written to `append`, if they have the members that Pi needs
 *              (required_members.c).
 *   branch.c   A path as a file of its own.
 *   receive.c  What another agent's conversation becomes.
 */
#include "core/dialects/kit/copy.h"
#include "core/dialects/pi/pi.h"

static const struct line_row rows[] = {
	{ "message", .entry = ENTRY_MESSAGE, .content = "message.content",
	  .role = "message.role" },
	{ "custom_message", .entry = ENTRY_CUSTOM_MESSAGE,
	  .content = "content" },
	{ "branch_summary", .entry = ENTRY_BRANCH_SUMMARY,
	  .content = "summary" },
	{ "compaction", .entry = ENTRY_COMPACTION, .content = "summary" },
	{ "context_edit", .entry = ENTRY_CONTEXT_EDIT },
	{ "model_change", .entry = ENTRY_MODEL },
	{ "thinking_level_change", .entry = ENTRY_THINKING },
	{ "label", .entry = ENTRY_LABEL },
	{ "session_info", .entry = ENTRY_NAME },
	{ "custom", .kind = "sessfs.head", .entry = ENTRY_HEAD },
	{ 0 },
};

const struct line_rows pi_rows = {
	.type = "type",
	.kind = "customType",
	.list = rows,
};

/* Pi copies the lines of an old version as they are, and migrates none. */
static bool fork_loses(const struct session *s)
{
	return s->now.version < PI_VERSION;
}

static const struct dialect_resuming resuming = {
	.program = "pi",
	.opens = "--session",
	.forks = "--fork",
	.fork_loses = fork_loses,
	.find_copy = copy_find_by_time,
};

bool pi_is_header(struct json object)
{
	return json_is(json_get(object, "type"), SPAN("session"));
}

/* Parts of entries have no parent, and no ISO timestamp. */
bool pi_is_line(struct json object)
{
	struct pi_line f;
	pi_line_read(object, &f);
	enum json_type time = json_type(f.timestamp);
	bool known =
		pi_type(&f) != ENTRY_OTHER || json_is(f.type, SPAN("custom"));
	/* Entries of version 1 have no ids, and only these types. */
	if (!json_is_string(f.id))
		return time == JSON_STRING &&
		       JSON_IS(f.type, "message", "compaction", "model_change",
			       "thinking_level_change");
	return time == JSON_STRING || (known && time != JSON_ABSENT) ||
	       json_type(f.parentId) != JSON_ABSENT || pi_is_header(object);
}

void pi_make_header(struct buf *out, const struct json facts[HEADER_FACTS],
		    bool has_ids)
{
	struct json version = facts[HEADER_VERSION];
	struct json_writer w = line_begin(out, "session");
	if (json_type(version) == JSON_NUMBER)
		json_write_value(&w, "version", version);
	else
		json_write_number(&w, "version", has_ids ? PI_VERSION : 1);
	json_write_value(&w, "id", facts[HEADER_ID]);
	json_write_value(&w, "timestamp", facts[HEADER_TIME]);
	json_write_value(&w, "cwd", facts[HEADER_CWD]);
	json_end_object(&w);
}

static const struct dialect_rescue rescue = {
	.opens = "pi --session ",
	.id = "id",
	.parent = "parentId",
	.time = "timestamp",
	.leaf_is_last = true,
	.is_line = pi_is_line,
	.is_header = pi_is_header,
	.make_header = pi_make_header,
};

const struct dialect_touching pi_touching = { .spelling = PATH_AT };

const struct dialect dialect_pi = {
	.name = "pi",
	.claims = pi_claims,
	.confirms = pi_confirms,
	.reading = &pi_reading,
	.showing = &pi_showing,
	.sending = &pi_sending,
	.telling = &pi_telling,
	.writing = &pi_writing,
	.agent = &pi_agent,
	.home = &pi_home,
	.bases = &pi_bases,
	.adding = &pi_adding,
	.rescue = &rescue,
	.touching = &pi_touching,
	.filing = &pi_filing,
	.resuming = &resuming,
	.receiving = &pi_receiving,
};
