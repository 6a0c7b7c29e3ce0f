/*
 * What Codex notes of the files of calls, in lines that are no entries: which
 * files a patch has changed, and which ones a command has read, as the agent
 * itself has parsed it.
 */
#include "core/dialects/codex/codex.h"

#include "core/dialects/kit/ingest.h"

/*
 * The events, the newest first; those of older versions are the items
 * themselves. Of "item_completed" the item's type decides.
 */
static const struct note_row {
	struct span type;
	const char *item; /* NULL: the payload */
	const char *id;
	const char *list;  /* commands, as the agent has parsed them */
	const char *files; /* that were changed: an object */
} rows[] = {
	{ SPAN("CommandExecution"), "item", "id", "parsed_cmd", NULL },
	{ SPAN("FileChange"), "item", "id", NULL, "changes" },
	{ SPAN("exec_command_end"), NULL, "call_id", "parsed_cmd", NULL },
	{ SPAN("patch_apply_end"), NULL, "call_id", NULL, "changes" },
};

static const struct note_row *row_of(struct json payload)
{
	struct json type = json_get(payload, "type");
	if (json_is(type, SPAN("item_completed")))
		type = json_at(payload, SPAN("item.type"));
	return JSON_ROW(type, rows);
}

static bool reads(struct json command)
{
	return json_is(json_get(command, "type"), SPAN("read"));
}

static struct json item_of(const struct note_row *row, struct json payload)
{
	return row->item ? json_get(payload, row->item) : payload;
}

int codex_keep_note(struct session *s, const struct codex_line *l,
		    const struct line_place *at)
{
	const struct note_row *row = NULL;
	if (json_is(l->type, SPAN("event_msg")))
		row = row_of(l->payload);
	if (!row)
		return 0;
	if (row->files)
		return ingest_note(s, at);
	/* Most commands read no file. */
	bool tells = false;
	struct json item = item_of(row, l->payload);
	JSON_EACH_WHILE(!tells, command, json_get(item, row->list))
		tells = reads(command);
	return tells ? ingest_note(s, at) : 0;
}

static int add_commands(struct call_note *to, struct json list)
{
	int err = 0;
	JSON_EACH_WHILE(!err, command, list) {
		to->change = command;
		if (reads(command))
			err = to->add(to, FILE_READ, json_get(command, "path"));
	}
	return err;
}

static int add_change(struct call_note *to, struct json path,
		      struct json change)
{
	JSON_FIELDS(f, change, type, move_path);
	to->change = change;
	if (json_is(f.type, SPAN("add")))
		return to->add(to, FILE_WRITE, path);
	if (json_is(f.type, SPAN("delete")))
		return to->add(to, FILE_DELETE, path);
	if (!json_is_string(f.move_path))
		return to->add(to, FILE_EDIT, path);
	int err = to->add(to, FILE_MOVE, path);
	return err ? err : to->add(to, FILE_MOVE, f.move_path);
}

static int read_note(struct json line, struct call_note *to)
{
	struct json payload = json_get(line, "payload");
	const struct note_row *row = row_of(payload);
	if (!row)
		return 0;
	struct json item = item_of(row, payload);
	JSON_FIELDS(f, item, cwd, status, success, exit_code);
	to->call = json_get(item, row->id);
	to->dir = f.cwd;
	to->failed = JSON_IS(f.status, "failed", "declined") ||
		     json_type(f.success) == JSON_FALSE ||
		     (json_type(f.exit_code) == JSON_NUMBER &&
		      json_truthy(f.exit_code));
	if (row->list)
		return add_commands(to, json_get(item, row->list));
	struct json changes = json_get(item, row->files);
	int err = 0;
	JSON_EACH_MEMBER_WHILE(!err, path, change, changes)
		err = add_change(to, path, change);
	return err;
}

const struct dialect_touching codex_touching = {
	.dir = "payload.cwd",
	.read_note = read_note,
};
