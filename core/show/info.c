#include "core/show/info.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/session/dialect.h"
#include "core/session/process.h"
#include "core/session/writer.h"
#include "core/show/check.h"
#include "core/show/meta.h"
#include "core/show/usage.h"

static void add_line(struct buf *out, const char *key, struct span value)
{
	if (value.n == 0)
		return;
	buf_addf(out, "%s: ", key);
	text_add_one_line(out, value);
	buf_addc(out, '\n');
}

static void add_header_line(const struct session *s, struct buf *out,
			    const char *key, const char *member)
{
	struct buf value BUF_SCOPED = BUF_INTO(out);
	meta_add_value(&value, session_header(s, member));
	add_line(out, key, buf_span(&value));
}

static void add_entry_line(const struct session *s, struct buf *out,
			   const char *key, uint32_t entry)
{
	if (entry != INDEX_NONE)
		add_line(out, key, index_id(&s->now.index, entry));
	else
		buf_addf(out, "%s: none\n", key);
}

static int add_shape(const struct session *s, struct buf *out)
{
	const struct index *x = &s->now.index;
	uint32_t *depth = calloc(x->n + 1, sizeof(*depth));
	uint32_t tips = 0;
	uint32_t roots = 0;
	uint32_t deepest = 0;
	if (!depth)
		return -ENOMEM;
	for (uint32_t i = x->first_root; i != INDEX_NONE;
	     i = index_next_below(x, INDEX_NONE, i, true)) {
		uint32_t parent = x->entries[i].parent;
		tips += bookkeeping_is_tip(x, i);
		roots += parent == INDEX_NONE;
		depth[i] = 1 + (parent == INDEX_NONE ? 0 : depth[parent]);
		if (depth[i] > deepest)
			deepest = depth[i];
	}
	free(depth);
	buf_addf(out, "entries: %u\nbranches: %u\nroots: %u\ndepth: %u\n", x->n,
		 tips, roots, deepest);
	return 0;
}

/* Of the path to the leaf, and of all lines. */
static int add_usage(const struct session *s, struct buf *out)
{
	struct usage path;
	struct usage all;
	int err = usage_to(s, s->now.leaf, (struct json){ 0 }, &path);
	if (!err)
		err = usage_total(s, &all);
	if (!err) {
		usage_add_lines(out, "path", &path);
		usage_add_lines(out, "session", &all);
	}
	return err;
}

pid_t info_process(const struct session *s)
{
	const struct dialect_agent *agent = s->dialect->agent;
	return agent ? process_of(agent, s->log.gate, s->log.path) : 0;
}

const char *info_writable(const struct session *s)
{
	const struct dialect_writing *d = s->dialect->writing;
	if (s->access == SESSION_READ_ONLY)
		return "no, the file or its mount is read-only";
	if (s->access == SESSION_NO_FOLDER)
		return "no, no file can be made beside it";
	if (session_writable(s))
		return "no";
	if (d->head_is_fixed && d->head_is_fixed(s))
		return "labels";
	return writer_can_add_entries(s) ? "HEAD and labels" : "yes";
}

void info_add_refusal(const struct session *s, struct buf *out)
{
	buf_adds(out, s->refused.reason);
	if (s->refused.pid > 0)
		buf_addf(out, " (pid %d)", (int)s->refused.pid);
}

/* Who has it open, what can be written, and why a write was refused. */
static void add_writing(const struct session *s, struct buf *out)
{
	const struct dialect_telling *telling = s->dialect->telling;
	const char *unseen = NULL;
	pid_t pid = info_process(s);
	if (telling && telling->unseen_moves && s->now.state)
		unseen = telling->unseen_moves(s);
	if (pid > 0)
		buf_addf(out, "running: yes (pid %d)\n", (int)pid);
	buf_addf(out, "writable: %s\n", info_writable(s));
	if (unseen)
		buf_addf(out, "unseen-moves: %s\n", unseen);
	if (!s->refused.reason)
		return;
	buf_adds(out, "last-refused: ");
	info_add_refusal(s, out);
	buf_addc(out, '\n');
}

/* The files of which the session continues a part, the oldest first. */
static void add_lineage(const struct session *s, struct buf *out)
{
	const struct lineage *l = &s->log.before;
	if (l->fault) {
		buf_addf(out, "missing-base: %s", l->fault);
		if (l->fault_name.len > 0)
			buf_adds(out, ": ");
		text_add_one_line(out, buf_span(&l->fault_name));
		buf_addc(out, '\n');
	}
	for (size_t i = l->n; i-- > 0;) {
		buf_addf(out, "base: %llu bytes of ",
			 (unsigned long long)l->list[i].size);
		text_add_one_line(out, span_of(l->list[i].path));
		buf_addc(out, '\n');
	}
}

int info_add(const struct session *s, struct buf *out)
{
	size_t from = out->len;
	struct buf model BUF_SCOPED = BUF_INTO(out);
	struct buf thinking BUF_SCOPED = BUF_INTO(out);
	add_header_line(s, out, "session", "id");
	add_line(out, "name", buf_span(&s->now.name));
	buf_addf(out, "dialect: %s\ndialect-why: %s", s->dialect->name,
		 s->reason);
	if (s->reason_line > 0)
		buf_addf(out, " (line %u)", s->reason_line);
	buf_addc(out, '\n');
	if (s->dialect->reading->has_version && s->now.header.len > 0)
		buf_addf(out, "version: %g\n", s->now.version);
	add_line(out, "file", span_of(s->log.path));
	add_lineage(s, out);
	add_header_line(s, out, "cwd", "cwd");
	add_header_line(s, out, "parent-session", "parentSession");
	add_header_line(s, out, "created", "timestamp");
	add_entry_line(s, out, "head", session_head(s));
	add_entry_line(s, out, "leaf", s->now.leaf);
	int err = settings_at(s, s->now.leaf, &model, &thinking);
	if (!err) {
		add_line(out, "model", buf_span(&model));
		add_line(out, "thinking", buf_span(&thinking));
		err = add_shape(s, out);
	}
	if (!err)
		err = add_usage(s, out);
	buf_addf(out, "labels: %u\n", s->now.labels.n_set);
	buf_addf(out, "bytes: %llu\nlines: %u\n",
		 (unsigned long long)log_size(&s->log), s->now.lines);
	if (s->now.sidecar_fault)
		buf_addf(out, "sidecar: %s\n", s->now.sidecar_fault);
	add_writing(s, out);
	check_add_info(s, out);
	text_finish(out, from);
	return err ? err : buf_error(out);
}
