#include "mount/commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <uuid/uuid.h>

#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/file/newfile.h"
#include "core/file/whole.h"
#include "core/json/splice.h"
#include "core/json/timestamp.h"
#include "core/session/file_name.h"
#include "mount/cli/progress.h"
#include "mount/cli/status.h"
#include "mount/commands/rescue/joins.h"
#include "mount/commands/rescue/salvage.h"
#include "mount/operands/source.h"

struct rescue {
	struct session_opening how;
	const char *file; /* as it was named */
	const char *out_name;
	const char *at;	   /* of these, the one that an error is about */
	struct buf reason; /* of an error; empty: as errno says */
	struct buf shown;  /* the file's name, on one line */
	struct buf path;   /* of the new file; absolute */
	struct log log;
	const struct dialect *dialect;
	struct buf id;	 /* of the new session */
	struct buf leaf; /* of the file as it is */
	struct salvage salvage;
	struct newfile draft; /* the salvaged text, to be read as a session */
	struct session *s;    /* of the draft */
	struct joins joins;
	uint32_t *entries; /* by line of the text: its entry, or INDEX_NONE */
	struct buf last;   /* the line that comes last */
	struct buf out;
	struct rescue_report report;
};

/* The new file */

/* Its path: that of its folder, without symlinks, and its name. */
static int find_path(struct rescue *r)
{
	struct span name = span_last_part(span_of(r->out_name));
	struct stat st;
	if (lstat(r->out_name, &st) == 0)
		return S_ISDIR(st.st_mode) ? -EISDIR : -EEXIST;
	if (errno != ENOENT)
		return -errno;
	if (name.n == 0 || name.p[name.n] == '/')
		return -EISDIR;
	struct buf folder = { 0 };
	buf_add(&folder,
		(struct span){ r->out_name, (size_t)(name.p - r->out_name) });
	buf_adds(&folder, ".");
	char *real = buf_cstr(&folder) ? realpath(folder.data, NULL) : NULL;
	int err = real ? 0 : -errno;
	buf_free(&folder);
	if (!real)
		return err;
	buf_addf(&r->path, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name.p);
	free(real);
	return buf_cstr(&r->path) ? 0 : -ENOMEM;
}

/* The new session's id: the name of the file, if that is one. */
static int choose_id(struct rescue *r)
{
	struct span name = span_last_part(buf_span(&r->path));
	char text[UUID_STR_LEN] = "";
	uuid_t id;
	if (name.n == sizeof(text) - 1 + strlen(".jsonl") &&
	    span_ends(name, SPAN(".jsonl")))
		memcpy(text, name.p, sizeof(text) - 1);
	if (uuid_parse(text, id) < 0) {
		uuid_generate_random(id);
		uuid_unparse_lower(id, text);
	}
	buf_adds(&r->id, text);
	return buf_error(&r->id);
}

/* Files have the mode 0600, and root gives them to the session's owner. */
static int write_file(struct rescue *r, struct newfile *f, struct span bytes)
{
	const struct stat like = { .st_mode = S_IFREG | 0600,
				   .st_uid = r->log.st.st_uid,
				   .st_gid = r->log.st.st_gid };
	return newfile_write(f, NULL, r->path.data, bytes, &like, false);
}

/* The session */

/* Open the file as it is, to find its dialect and leaf. Its lines may be of no
 * dialect. */
static int look_at_file(struct rescue *r, const char *path)
{
	struct progress progress = { 0 };
	struct session_opening how = r->how;
	const char *reason;
	struct session *s;
	how.progress = progress_at;
	how.progress_data = &progress;
	progress_start(&progress, "reading", r->file, PROGRESS_DELAY);
	int err = session_open(&s, path, &how, &reason);
	progress_end(&progress);
	if (err)
		return err == -EPROTO ? 0 : err;
	if (s->reason_line > 0 || how.forced)
		r->dialect = s->dialect;
	if (s->now.leaf != INDEX_NONE)
		buf_add(&r->leaf, index_id(&s->now.index, s->now.leaf));
	session_free(s);
	return buf_error(&r->leaf);
}

static int salvage(struct rescue *r, const struct dialect *d)
{
	salvage_free(&r->salvage);
	r->dialect = d;
	return salvage_file(&r->salvage, &r->report, &r->log, d,
			    buf_span(&r->id));
}

/* Of the dialects, that of which objects are found in lines that are not JSON.
 */
static int salvage_any(struct rescue *r)
{
	int err = 0;
	for (size_t i = 0; i < dialect_registry.n && !err; i++) {
		const struct dialect *d = dialect_registry.rows[i];
		if (!d->rescue)
			continue;
		err = salvage(r, d);
		if (r->salvage.recovered > 0)
			return err;
	}
	r->dialect = NULL;
	return err;
}

static void close_draft(struct rescue *r)
{
	if (!r->s)
		return;
	session_leave(r->s);
	session_free(r->s);
	newfile_discard(&r->draft);
	r->s = NULL;
}

/* Write what was salvaged to a file of its own, and enter it as a session. */
static int open_draft(struct rescue *r)
{
	struct buf path = { 0 };
	const char *reason;
	const char *slash = strrchr(r->path.data, '/');
	int err = write_file(r, &r->draft, buf_span(&r->salvage.text));
	if (err)
		return err;
	buf_add(&path, (struct span){ r->path.data,
				      (size_t)(slash + 1 - r->path.data) });
	buf_add(&path, buf_span(&r->draft.name));
	err = buf_cstr(&path) ? session_open(&r->s, path.data, &r->how, &reason)
			      : -ENOMEM;
	buf_free(&path);
	if (!err)
		err = session_enter(r->s);
	if (err) {
		session_free(r->s);
		newfile_discard(&r->draft);
		r->s = NULL;
	}
	return err;
}

/*
 * Salvage the lines and open the draft. Its lines may show that it is of a
 * relative of the dialect, which has other lines.
 */
static int read_session(struct rescue *r)
{
	int err = r->dialect ? salvage(r, r->dialect) : salvage_any(r);
	for (int tries = 0; !err && r->dialect && tries < 2; tries++) {
		if (r->salvage.values == 0)
			return 0;
		close_draft(r);
		err = open_draft(r);
		if (err || r->s->dialect == r->dialect ||
		    !r->s->dialect->rescue)
			return err;
		err = salvage(r, r->s->dialect);
	}
	return err;
}

/* The report */

/* The line of the file that an entry of the draft is from. */
static uint32_t line_of(const struct rescue *r, uint32_t entry)
{
	return r->salvage.lines[session_entry(r->s, entry)->line - 1];
}

static void report_entry(struct rescue *r, uint32_t entry)
{
	index_add_name(&r->s->now.index, &r->report.text, entry);
}

static void report_join(struct rescue *r, uint32_t entry, struct json parent,
			uint32_t to)
{
	struct buf id = { 0 };
	rescue_change(&r->report, line_of(r, entry));
	report_entry(r, entry);
	if (session_entry(r->s, entry)->cut) {
		buf_adds(&r->report.text, ": parents form a cycle");
	} else {
		json_decode(&id, parent);
		buf_adds(&r->report.text, ": the parent ");
		file_name_add(&r->report.text, buf_span(&id),
			      FILE_NAME_IN_ENTRY);
		buf_adds(&r->report.text, " is missing");
		buf_free_into(&id, &r->report.text);
	}
	if (to == INDEX_NONE) {
		buf_adds(&r->report.text, ": nothing is older, made a root\n");
		return;
	}
	buf_adds(&r->report.text, ": joined to ");
	report_entry(r, to);
	buf_addf(&r->report.text, ", line %u\n", line_of(r, to));
}

/* The lines of the new session */

struct changed {
	const char *keys[3];
	struct buf values[3];
	size_t n;
};

/* Another member is changed, to the value that is written. */
static struct json_writer change(struct changed *c, const char *key)
{
	c->keys[c->n] = key;
	return (struct json_writer){ .out = &c->values[c->n++] };
}

/*
 * Is the parent that a line names missing? Then the index may still have linked
 * the entry, where the agent links it. In version 1 of Pi lines name none.
 */
static bool is_missing(const struct rescue *r, uint32_t entry, struct json json)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	const struct index *x = &r->s->now.index;
	struct buf id = { 0 };
	if (!json_is(json_get(json, rules->id), index_id(x, entry)))
		return false;
	json_decode(&id, json_get(json, rules->parent));
	bool missing = id.len > 0 && !id.failed &&
		       index_find(x, buf_span(&id)) == INDEX_NONE;
	buf_free(&id);
	return missing;
}

static void change_parent(struct rescue *r, uint32_t entry, struct json json,
			  struct changed *c)
{
	const char *key = r->dialect->rescue->parent;
	struct json parent = json_get(json, key);
	uint32_t to = r->joins.to[entry];
	bool named = json_type(parent) == JSON_STRING && json_truthy(parent);
	if (to == JOINS_NOT && is_missing(r, entry, json))
		to = session_entry(r->s, entry)->parent;
	else if (to == JOINS_NOT || !named)
		return;
	struct json_writer w = change(c, key);
	if (to == INDEX_NONE)
		json_write_null(&w, NULL);
	else
		json_write_string(&w, NULL, index_id(&r->s->now.index, to));
	report_join(r, entry, parent, to);
}

static void change_time(struct rescue *r, uint32_t entry, struct changed *c)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	struct buf time = { 0 };
	if (!rules->needs_time ||
	    session_entry(r->s, entry)->time != TIMESTAMP_NONE ||
	    r->joins.time[entry] == TIMESTAMP_NONE)
		return;
	struct json_writer w = change(c, rules->time);
	timestamp_add(&time, r->joins.time[entry]);
	json_write_string_buf(&w, NULL, &time);
	buf_free(&time);
	rescue_change(&r->report, line_of(r, entry));
	buf_adds(&r->report.text,
		 "no timestamp: given that of the line before\n");
}

/* Append a line of the draft, with an LF. */
static int add_line(struct rescue *r, uint32_t entry, struct span text,
		    struct json json)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	struct changed c = { .n = 0 };
	struct json_change list[3];
	struct buf *to = &r->out;
	if (rules->leaf_is_last && entry != INDEX_NONE &&
	    entry == r->s->now.leaf)
		to = &r->last;
	if (entry != INDEX_NONE) {
		change_parent(r, entry, json, &c);
		change_time(r, entry, &c);
	}
	if (rules->session &&
	    json_type(json_get(json, rules->session)) == JSON_STRING) {
		struct json_writer w = change(&c, rules->session);
		json_write_string(&w, NULL, buf_span(&r->id));
	}
	for (size_t i = 0; i < c.n; i++)
		list[i] = (struct json_change){ c.keys[i],
						buf_span(&c.values[i]) };
	if (c.n > 0)
		json_splice(to, json, list, c.n);
	else
		buf_add(to, text);
	buf_addc(to, '\n');
	for (size_t i = 0; i < c.n; i++)
		buf_free_into(&c.values[i], to);
	return buf_error(to);
}

/*
 * A line that is no entry, but has the id of a later line. Returns whether the
 * later line is the same, so that this one can go.
 */
static bool is_repeated(struct rescue *r, uint32_t line, struct span text,
			struct json json)
{
	struct buf id = { 0 };
	uint32_t entry = INDEX_NONE;
	json_decode(&id, json_get(json, r->dialect->rescue->id));
	if (id.len > 0 && !id.failed)
		entry = index_find(&r->s->now.index, buf_span(&id));
	buf_free(&id);
	if (entry == INDEX_NONE)
		return false;
	const struct entry *e = session_entry(r->s, entry);
	const char *other = r->salvage.text.data + e->offset;
	bool same = span_eq(text, (struct span){ other, e->length });
	if (same)
		rescue_change(&r->report, line);
	else
		rescue_remark(&r->report, line);
	buf_addf(&r->report.text, "%s line %u: %s\n",
		 same ? "repeated by" : "replaced by the same id on",
		 line_of(r, entry), same ? "left out" : "kept");
	return same;
}

static int find_entries(struct rescue *r)
{
	uint32_t n = r->salvage.n_lines;
	r->entries = malloc((n ? n : 1) * sizeof(*r->entries));
	if (!r->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		r->entries[i] = INDEX_NONE;
	for (uint32_t i = 0; i < r->s->now.index.n; i++)
		r->entries[session_entry(r->s, i)->line - 1] = i;
	return 0;
}

static int add_lines(struct rescue *r)
{
	struct span rest = buf_span(&r->salvage.text);
	int err = 0;
	for (uint32_t i = 0; i < r->salvage.n_lines && !err; i++) {
		const char *lf = memchr(rest.p, '\n', rest.n);
		struct span text = { rest.p, (size_t)(lf - rest.p) };
		struct json json;
		rest = (struct span){ lf + 1, rest.n - text.n - 1 };
		err = json_check(text, &json);
		if (err)
			break;
		if (r->entries[i] != INDEX_NONE ||
		    !is_repeated(r, r->salvage.lines[i], text, json))
			err = add_line(r, r->entries[i], text, json);
	}
	return err;
}

/* Append the line that comes last, although others follow it. */
static int add_last_line(struct rescue *r)
{
	uint32_t leaf = r->s->now.leaf;
	if (r->last.len > 0 &&
	    session_entry(r->s, leaf)->line < r->salvage.n_lines) {
		rescue_change(&r->report, line_of(r, leaf));
		report_entry(r, leaf);
		buf_adds(&r->report.text,
			 ": moved to the end, as the lines after "
			 "it are no entries\n");
	}
	buf_add(&r->out, buf_span(&r->last));
	return buf_error(&r->out);
}

/*
 * The leaf: as in the file, where HEAD may have been moved beside it, unless
 * lines were recovered, which may be newer.
 */
static uint32_t find_leaf(const struct rescue *r)
{
	uint32_t leaf = INDEX_NONE;
	if (r->leaf.len > 0 && r->salvage.recovered == 0)
		leaf = index_find(&r->s->now.index, buf_span(&r->leaf));
	return leaf == INDEX_NONE ? r->s->now.leaf : leaf;
}

/* Pin the leaf, where lines alone do not make it one. */
static int add_pin(struct rescue *r, uint32_t leaf)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	struct json_writer w = { .out = &r->out };
	if (!rules->pin || leaf == INDEX_NONE ||
	    (leaf == r->s->now.leaf && r->s->now.index.cycles == 0))
		return 0;
	json_begin_object(&w, NULL);
	rules->pin(&w, r->s, leaf);
	json_write_string(&w, rules->session, buf_span(&r->id));
	json_end_object(&w);
	buf_addc(&r->out, '\n');
	return buf_error(&r->out);
}

static int make_session(struct rescue *r, uint32_t leaf)
{
	int err = joins_find(&r->joins, r->s, r->dialect->rescue->side);
	if (!err)
		err = find_entries(r);
	if (!err)
		err = add_lines(r);
	if (!err)
		err = add_last_line(r);
	return err ? err : add_pin(r, leaf);
}

/* The last lines of the report: the leaf, and how to open the session. */
static void report_end(struct rescue *r, uint32_t leaf)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	struct buf *out = &r->report.text;
	uint32_t n = r->s->now.index.n;
	text_add_one_line(out, span_of(r->out_name));
	buf_addf(out, ": %u %s", n, n == 1 ? "entry" : "entries");
	if (leaf != INDEX_NONE) {
		buf_adds(out, "; the agent continues from ");
		report_entry(r, leaf);
		buf_addf(out, ", line %u", line_of(r, leaf));
	}
	buf_adds(out, "\nopen it with: ");
	buf_adds(out, rules->opens);
	text_add_shell_word(out, buf_span(&r->path));
	if (rules->opens_with)
		buf_adds(out, rules->opens_with);
	buf_addc(out, '\n');
}

/* Write the new file, then the report. */
static int finish(struct rescue *r, uint32_t leaf)
{
	struct newfile f;
	report_end(r, leaf);
	r->at = r->out_name;
	int err = buf_error(&r->report.text);
	if (!err)
		err = write_file(r, &f, buf_span(&r->out));
	if (!err)
		err = newfile_commit_new(&f);
	if (err)
		return err;
	r->at = "standard output";
	return whole_write(STDOUT_FILENO, buf_span(&r->report.text));
}

/* Is the session, if it could be read, of a dialect that can be rescued? */
static int check_dialect(struct rescue *r)
{
	const struct dialect *d = r->s ? r->s->dialect : r->dialect;
	if (!r->dialect || (!r->s && r->dialect->rescue))
		buf_adds(&r->reason,
			 "no line of it can be read as one of an agent that is "
			 "known (-o dialect=NAME)");
	else if (!r->s || d != r->dialect || !r->dialect->rescue)
		buf_addf(&r->reason,
			 "sessions of the format %s can't be rescued, only "
			 "those of pi, omp and claude",
			 d->name);
	else
		return 0;
	return r->reason.failed ? -ENOMEM : -EPROTO;
}

static int rescue_opened(struct rescue *r, const char *path)
{
	int err = look_at_file(r, path);
	if (!err)
		err = choose_id(r);
	if (!err && (!r->dialect || r->dialect->rescue))
		err = read_session(r);
	if (!err)
		err = check_dialect(r);
	if (err)
		return err;
	uint32_t leaf = find_leaf(r);
	err = make_session(r, leaf);
	if (err || r->report.changes > 0)
		return err ? err : finish(r, leaf);
	printf("%s: nothing to rescue: every line can be read, and no link is "
	       "broken\n",
	       r->shown.data);
	return 0;
}

static void free_all(struct rescue *r)
{
	close_draft(r);
	log_close(&r->log);
	salvage_free(&r->salvage);
	joins_free(&r->joins);
	free(r->entries);
	struct buf *bufs[] = {
		&r->reason, &r->shown, &r->path, &r->id,
		&r->leaf,   &r->last,  &r->out,	 &r->report.text
	};
	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		buf_free(bufs[i]);
}

static int rescue_file(const struct options *o)
{
	struct rescue r = { .how = { .dialects = &dialect_registry,
				     .forced = o->dialect,
				     .read_only = true },
			    .out_name = o->names[0],
			    .file = o->names[1],
			    .at = o->names[1] };
	struct piped file;
	int err = piped_begin(&file, r.file);
	text_add_one_line(&r.shown, span_of(r.file));
	if (!err)
		err = buf_cstr(&r.shown) ? log_open(&r.log, NULL, file.path)
					 : -ENOMEM;
	r.report.file = buf_span(&r.shown);
	if (!err) {
		r.at = r.out_name;
		err = find_path(&r);
	}
	if (!err) {
		r.at = r.file;
		err = rescue_opened(&r, file.path);
	}
	const char *reason = r.reason.len > 0 ? buf_cstr(&r.reason) : NULL;
	int status = r.report.changes > 0 ? STATUS_OK : STATUS_FAILED;
	if (err)
		status = status_trouble(r.at, reason ? reason : strerror(-err));
	free_all(&r);
	piped_end(&file);
	return status;
}

static const struct option_row rows[] = {
	OPTION_ROW_SESSION,
	OPTION_ROW_END,
};

const struct command command_rescue = {
	.name = "rescue",
	.usage = "OUT FILE",
	.help = "Write a damaged session anew, with all that can be read.",
	.options = rows,
	.least = 2,
	.most = 2,
	.run = rescue_file,
};
