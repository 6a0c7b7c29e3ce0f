#include "mount/commands/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <uuid/uuid.h>

#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"
#include "mount/commands/rescue/rescue.h"

/* -- the new file */

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
	struct buf folder BUF_SCOPED = { 0 };
	buf_add(&folder,
		(struct span){ r->out_name, (size_t)(name.p - r->out_name) });
	buf_adds(&folder, ".");
	char *real = buf_cstr(&folder) ? realpath(folder.data, NULL) : NULL;
	int err = real ? 0 : -errno;
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

/* -- the session */

/* Open the file as it is, to find its dialect and leaf. Its lines may be of no
 * dialect. */
static int look_at_file(struct rescue *r)
{
	int err = session_file_open(&r->damaged);
	if (err)
		return err == -EPROTO ? 0 : err;
	const struct session *s = r->damaged.session;
	if (s->reason_line > 0 || r->damaged.how.forced)
		r->dialect = s->dialect;
	if (s->now.leaf != INDEX_NONE)
		buf_add(&r->leaf, index_id(&s->now.index, s->now.leaf));
	session_file_leave(&r->damaged);
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
	if (r->made.path)
		newfile_discard(&r->draft);
	session_file_close(&r->made);
	r->s = NULL;
}

/* Write what was salvaged to a file of its own, and enter it as a session. */
static int open_draft(struct rescue *r)
{
	struct buf path = { 0 };
	r->at = r->out_name;
	int err = write_file(r, &r->draft, buf_span(&r->salvage.text));
	if (err)
		return err;
	r->at = r->file;
	buf_add(&path, span_folder(buf_span(&r->path)));
	buf_add(&path, buf_span(&r->draft.name));
	r->made = (struct session_file){ .name = r->file,
					 .how = r->damaged.how,
					 .path = buf_take(&path) };
	if (!r->made.path) {
		newfile_discard(&r->draft);
		return -ENOMEM;
	}
	err = session_file_open(&r->made);
	r->s = r->made.session;
	if (err)
		close_draft(r);
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
		rescue_report_entry(r, leaf);
		buf_addf(out, ", line %u", rescue_line_of(r, leaf));
	}
	buf_adds(out, "\nopen it with: ");
	buf_adds(out, rules->opens);
	text_add_shell_word(out, buf_span(&r->path));
	if (rules->opens_with)
		buf_adds(out, rules->opens_with);
	buf_addc(out, '\n');
}

static int print_report(struct rescue *r)
{
	int err = buf_error(&r->report.text);
	if (err)
		return err;
	r->at = "standard output";
	return whole_write(STDOUT_FILENO, buf_span(&r->report.text));
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
	return print_report(r);
}

/* Why sessions of a dialect can't be, and of which they can. */
static void add_never(struct rescue *r, const struct dialect *d)
{
	const struct dialect_registry *all = &dialect_registry;
	const char *between = "";
	buf_addf(&r->reason,
		 "sessions of the format %s can't be rescued, only "
		 "those of ",
		 d->name);
	for (size_t i = 0; i < all->n; i++) {
		if (!all->rows[i]->rescue)
			continue;
		buf_addf(&r->reason, "%s%s", between, all->rows[i]->name);
		between = ", ";
	}
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
		add_never(r, d);
	else
		return 0;
	return r->reason.failed ? -ENOMEM : -EPROTO;
}

static int rescue_opened(struct rescue *r)
{
	int err = look_at_file(r);
	if (!err)
		err = choose_id(r);
	if (!err && (!r->dialect || r->dialect->rescue))
		err = read_session(r);
	if (!err)
		err = check_dialect(r);
	if (err)
		return err;
	/*
	 * The leaf is as in the file, where HEAD may have been moved beside it,
	 * unless lines were recovered, which may be newer.
	 */
	uint32_t leaf = INDEX_NONE;
	if (r->leaf.len > 0 && r->salvage.recovered == 0)
		leaf = index_find(&r->s->now.index, buf_span(&r->leaf));
	if (leaf == INDEX_NONE)
		leaf = r->s->now.leaf;
	err = rescue_make_session(r, leaf);
	if (err || r->report.changes > 0)
		return err ? err : finish(r, leaf);
	buf_add(&r->report.text, r->report.file);
	buf_adds(&r->report.text, ": nothing to rescue: every line can be "
				  "read, and no link is broken\n");
	return print_report(r);
}

static void free_all(struct rescue *r)
{
	close_draft(r);
	session_file_close(&r->damaged);
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
	struct rescue r = { .damaged = { .name = o->names[1],
					 .how = { .forced = o->dialect,
						  .read_only = true } },
			    .out_name = o->names[0],
			    .file = o->names[1] };
	int err = session_file_find(&r.damaged);
	r.at = r.file;
	text_add_one_line(&r.shown, span_of(r.file));
	if (!err)
		err = buf_cstr(&r.shown)
			      ? log_open(&r.log, NULL, r.damaged.path)
			      : -ENOMEM;
	r.report.file = buf_span(&r.shown);
	if (!err) {
		r.at = r.out_name;
		err = find_path(&r);
	}
	if (!err) {
		r.at = r.file;
		err = rescue_opened(&r);
	}
	int status = r.report.changes > 0 ? STATUS_OK : STATUS_FAILED;
	/* 1 is an answer: there was nothing to rescue. */
	if (err)
		status = STATUS_USAGE;
	const char *reason = r.reason.len > 0 ? buf_cstr(&r.reason) : NULL;
	if (err && r.at == r.file && !reason)
		(void)session_file_fail(&r.damaged, err);
	else if (err)
		(void)status_fail(r.at, reason ? reason : strerror(-err));
	free_all(&r);
	return status;
}

static const struct option_row rows[] = {
	OPTION_ROW_SESSION,
	{ 0 },
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
