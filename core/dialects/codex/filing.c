/*
 * What calls do to files. Codex itself notes that, in lines that are no
 * entries: which files a patch has changed, and which ones a command has read,
 * as the agent has parsed it.
 */
#include "core/base/text.h"
#include "core/dialects/codex/codex.h"
#include "core/dialects/kit/ingest.h"
#include "core/files/edits.h"

/* -- notes */

/* What a note is about: an item, or in older versions the event itself. */
static struct json noted(struct json payload)
{
	JSON_FIELDS(f, payload, type, item);
	return json_is(f.type, SPAN("item_completed")) ? f.item : payload;
}

static struct json note_of(struct json line)
{
	return noted(json_get(line, "payload"));
}

/* The newest first. */
static const struct note_row {
	struct span type;
	const char *id;
	const char *told;
	bool changes; /* told are files that were changed, an object; else
			 commands, as the agent has parsed them */
} rows[] = {
	{ SPAN("CommandExecution"), "id", "parsed_cmd", false },
	{ SPAN("FileChange"), "id", "changes", true },
	{ SPAN("exec_command_end"), "call_id", "parsed_cmd", false },
	{ SPAN("patch_apply_end"), "call_id", "changes", true },
};

static bool reads(struct json command)
{
	return json_is(json_get(command, "type"), SPAN("read"));
}

int codex_keep_note(struct session *s, const struct codex_line *l,
		    const struct line_place *at)
{
	struct json item = noted(l->payload);
	const struct note_row *row = JSON_ROW(json_get(item, "type"), rows);
	if (!row || !json_is(l->type, SPAN("event_msg")))
		return 0;
	if (row->changes)
		return ingest_note(s, at);
	JSON_EACH(command, json_get(item, row->told)) {
		/* Most commands read no file. */
		if (reads(command))
			return ingest_note(s, at);
	}
	return 0;
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
	struct json item = note_of(line);
	const struct note_row *row = JSON_ROW(json_get(item, "type"), rows);
	if (!row)
		return 0;
	JSON_FIELDS(f, item, cwd, status, success, exit_code);
	to->call = json_get(item, row->id);
	to->dir = f.cwd;
	to->failed = JSON_IS(f.status, "failed", "declined") ||
		     json_type(f.success) == JSON_FALSE ||
		     (json_type(f.exit_code) == JSON_NUMBER &&
		      json_truthy(f.exit_code));
	int err = 0;
	struct json told = json_get(item, row->told);
	JSON_EACH_WHILE(!err && !row->changes, command, told) {
		to->change = command;
		if (reads(command))
			err = to->add(to, FILE_READ, json_get(command, "path"));
	}
	JSON_EACH_MEMBER_WHILE(!err && row->changes, path, change, told)
		err = add_change(to, path, change);
	return err;
}

const struct dialect_touching codex_touching = {
	.dir = "payload.cwd",
	.read_note = read_note,
};

/* -- patches */

/* Of the call's file, if the note's paths are not those of the touches. */
static int find_change(const struct filed *call, struct json *change)
{
	struct json changes = json_get(note_of(call->note), "changes");
	int err = 0;
	*change = call->change;
	if (json_type(*change) != JSON_ABSENT ||
	    json_type(changes) != JSON_OBJECT)
		return 0;
	JSON_EACH_MEMBER_WHILE(!err, key, value, changes) {
		int got = edits_is_path(call, key);
		if (got > 0)
			*change = value;
		err = got < 0 ? got : 0;
	}
	return err;
}

static void update(struct json diff, struct file_text *t)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	struct buf whole BUF_SCOPED = BUF_INTO(&t->text);
	edits_decode(&text, diff);
	if (t->state == FILE_IS_KNOWN) {
		if (!edits_unified(t, buf_span(&text), true))
			file_text_lose(t, FILE_IS_UNFIT);
	} else if (edits_unified_whole(buf_span(&text), &whole)) {
		file_text_write(t, buf_span(&whole));
	} else {
		edits_can(t);
	}
}

/* The lines that a patch adds to a new file. */
static void add_file(struct span body, struct file_text *t)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	while (body.n > 0) {
		struct span line = span_next_line(&body);
		while (line.n > 1 && line.p[line.n - 1] == '\r')
			line.n--;
		if (line.n == 0 || line.p[0] != '+')
			break;
		buf_add(&text, span_from(line, 1));
		buf_addc(&text, '\n');
	}
	text_finish(&text, 0);
	file_text_write(t, buf_span(&text));
}

/* What was stopped, and is not noted, may have been done, or not. */
static bool was_stopped(const struct filed *call)
{
	static const struct span words = SPAN("aborted by user");
	struct buf text BUF_SCOPED = { 0 };
	edits_output(call, &text);
	struct span rest = buf_span(&text);
	if (span_starts(rest, SPAN("Wall time: ")))
		span_next_line(&rest);
	return json_type(call->note) == JSON_ABSENT && span_starts(rest, words);
}

/*
 * From another agent (receive.c), of whose results nothing tells whether they
 * failed: its tools name the file.
 */
static bool is_copied(const struct filed *call)
{
	JSON_FIELDS(f, call->arguments, path, file_path, notebook_path);
	return json_type(f.path) != JSON_ABSENT ||
	       json_type(f.file_path) != JSON_ABSENT ||
	       json_type(f.notebook_path) != JSON_ABSENT;
}

static int change(const struct filed *call, struct file_text *t)
{
	struct json told;
	int err = find_change(call, &told);
	bool stopped = was_stopped(call) || is_copied(call);
	JSON_FIELDS(f, told, type, content, unified_diff);
	if (json_is(f.type, SPAN("add")))
		edits_write(t, f.content);
	else if (json_is(f.type, SPAN("update")))
		update(f.unified_diff, t);
	else if (call->act == FILE_WRITE && !stopped)
		add_file(call->body, t);
	else if (stopped || edits_can(t))
		file_text_lose(t, FILE_IS_UNKNOWN);
	return err;
}

/* -- reads */

/* The longest output that is noted as a whole. */
#define OUTPUT_LIMIT 65536

/* Is it "cat FILE", and nothing else? */
static bool is_cat(struct span command)
{
	static const struct span cat = SPAN("cat ");
	static const struct span end = SPAN("-- ");
	static const char special[] = " \t\n|&;<>()$`\\\"'*?[#~=%{}!";
	if (!span_starts(command, cat))
		return false;
	command = text_trim(span_from(command, cat.n));
	if (span_starts(command, end))
		command = text_trim(span_from(command, end.n));
	if (command.n == 0 || command.p[0] == '-')
		return false;
	if (command.n > 2 && command.p[0] == '\'')
		return memchr(command.p + 1, '\'', command.n - 1) ==
		       command.p + command.n - 1;
	for (size_t i = 0; i < command.n; i++) {
		if (strchr(special, command.p[i]))
			return false;
	}
	return true;
}

/* A command that the agent has read as one that shows a file, all of it. */
static bool shows_all(const struct filed *call, struct json item)
{
	JSON_FIELDS(f, item, parsed_cmd, exit_code, status);
	struct json_walk w = json_walk(f.parsed_cmd);
	struct json one;
	struct json more;
	struct buf command BUF_SCOPED = { 0 };
	if (!json_next_element(&w, &one) || json_next_element(&w, &more) ||
	    json_truthy(f.exit_code) || !json_is(f.status, SPAN("completed")) ||
	    json_truthy(json_get(call->arguments, "tty")))
		return false;
	json_decode(&command, json_get(one, "cmd"));
	return is_cat(buf_span(&command));
}

static void read(const struct filed *call, struct file_text *t)
{
	struct json item = note_of(call->note);
	struct json output = json_get(item, "aggregated_output");
	struct buf text BUF_SCOPED = BUF_INTO(&t->text);
	edits_decode(&text, output);
	if (json_is_string(output) && text.len < OUTPUT_LIMIT &&
	    shows_all(call, item))
		edits_see(t, buf_span(&text));
	else
		edits_part(t);
}

static int apply(const struct filed *call, struct file_text *t)
{
	if (call->act != FILE_READ)
		return change(call, t);
	read(call, t);
	return 0;
}

/* A patch that failed in the middle has written what is before that. */
static bool half_done(const struct filed *call)
{
	struct json item = note_of(call->note);
	return json_has_members(json_get(item, "changes")) &&
	       json_is(json_get(item, "status"), SPAN("failed"));
}

const struct dialect_filing codex_filing = { .apply = apply,
					     .half_done = half_done };
