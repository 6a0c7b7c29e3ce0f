#include "core/dialects/claude/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/dialects/claude/state.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "core/file/regular.h"
#include "core/file/version.h"
#include "core/file/whole.h"
#include "core/session/file_name.h"

#define FOLDER "tool-results"

/* Of a file that is not there. */
#define VERSION_NONE 1

void claude_outputs_free(struct claude_outputs *o)
{
	free(o->list);
	buf_free(&o->names);
}

/* The last part of a path, and the one before it in *rest. */
static struct span last_part(struct span path, struct span *rest)
{
	struct span part = { path.p + path.n, 0 };
	while (part.p > path.p && part.p[-1] != '/' && part.p[-1] != '\\') {
		part.p--;
		part.n++;
	}
	*rest = (struct span){ path.p, (size_t)(part.p - path.p) };
	if (rest->n > 0)
		rest->n--;
	return part;
}

static bool is_file_name(struct span name)
{
	return name.n > 0 && name.n <= FILE_NAME_LIMIT &&
	       !span_eq(name, SPAN(".")) && !span_eq(name, SPAN("..")) &&
	       !memchr(name.p, '\0', name.n);
}

/* The name of the file in the text of a result; empty if it has none. */
static struct span name_in(struct span text)
{
	static const struct span begin = SPAN("<persisted-output>\n");
	static const struct span end = SPAN("</persisted-output>");
	static const struct span mark = SPAN("saved to: ");
	const struct span none = { 0 };
	struct span rest;
	if (!span_starts(text, begin) || !span_ends(text_trim(text), end))
		return none;
	struct span line = { text.p + begin.n, text.n - begin.n };
	const char *lf = memchr(line.p, '\n', line.n);
	line.n = lf ? (size_t)(lf - line.p) : 0;
	const char *at = memmem(line.p, line.n, mark.p, mark.n);
	if (!at)
		return none;
	struct span name = last_part(line, &rest);
	if (!is_file_name(name) ||
	    !span_eq(last_part(rest, &line), SPAN(FOLDER)))
		return none;
	return name;
}

/* The text of a result, if it may name a file; *name is in it then. */
static bool find_name(struct buf *text, struct json value, struct span *name)
{
	if (!span_starts(value.raw, SPAN("\"<persisted-output>")))
		return false;
	json_decode(text, value);
	if (text->failed)
		return false;
	*name = name_in(buf_span(text));
	return name->n > 0;
}

static bool is_up_to(const void *list, size_t i, const void *entry)
{
	const struct claude_output *o = list;
	return o[i].entry <= *(const uint32_t *)entry;
}

static bool is_before(const void *list, size_t i, const void *entry)
{
	const struct claude_output *o = list;
	return o[i].entry < *(const uint32_t *)entry;
}

static int add(struct claude_outputs *o, uint32_t entry, struct span name)
{
	if (o->n >= CLAUDE_OUTPUTS_LIMIT)
		return 0;
	if (array_reserve(&o->list, &o->cap, o->n, 1) < 0)
		return -ENOMEM;
	uint32_t at = (uint32_t)o->names.len;
	buf_add(&o->names, name);
	buf_addc(&o->names, '\0');
	if (o->names.failed)
		return -ENOMEM;
	size_t i = array_search(o->list, o->n, is_up_to, &entry);
	memmove(o->list + i + 1, o->list + i, (o->n - i) * sizeof(*o->list));
	o->list[i] = (struct claude_output){ .entry = entry, .name = at };
	o->n++;
	return 0;
}

int claude_ingest_outputs(struct session *s, uint32_t entry,
			  struct json message)
{
	struct claude *c = s->now.state;
	struct block_walk w =
		block_walk(block_read_api, json_get(message, "content"));
	struct block b;
	struct json raw;
	struct buf text = { 0 };
	struct span name;
	int err = 0;
	while (!err && block_next(&w, &b, &raw)) {
		buf_clear(&text);
		if (b.type == BLOCK_TEXT && b.inner &&
		    find_name(&text, b.text, &name))
			err = add(&c->outputs, entry, name);
		if (text.failed)
			err = -ENOMEM;
	}
	buf_free(&text);
	return err;
}

/* The path of the folder; false if the session can have none. */
static bool add_folder(const struct session *s, struct buf *path)
{
	struct span whole = span_of(s->log.path);
	struct span suffix = SPAN(".jsonl");
	if (!span_ends(whole, suffix))
		return false;
	whole.n -= suffix.n;
	if (claude_is_subagent(s)) {
		struct span folder;
		last_part(whole, &folder);
		if (!span_eq(last_part(folder, &whole), SPAN("subagents")))
			return false;
	}
	buf_add(path, whole);
	buf_adds(path, "/" FOLDER);
	return true;
}

/* The path of a file; -ENOENT if the session can have none, or -ENOMEM. */
static int make_path(const struct session *s, struct span name,
		     struct buf *path)
{
	if (!add_folder(s, path))
		return -ENOENT;
	buf_addc(path, '/');
	buf_add(path, name);
	return buf_cstr(path) ? 0 : -ENOMEM;
}

static uint64_t version_of(const struct stat *st)
{
	const struct version v = version_of_stat(st);
	if (!S_ISREG(st->st_mode))
		return VERSION_NONE;
	return hash_bytes(0, (struct span){ (const char *)&v, sizeof(v) });
}

/* The files' versions, one after the other; never 0. */
static uint64_t combine(uint64_t a, uint64_t b)
{
	const uint64_t both[] = { a, b };
	uint64_t h = hash_bytes(
		0, (struct span){ (const char *)both, sizeof(both) });
	return h ? h : VERSION_NONE;
}

bool claude_outside(const struct session *s, uint32_t entry, struct outside *o)
{
	const struct claude *c = s->now.state;
	const struct claude_outputs *all = &c->outputs;
	size_t i = array_search(all->list, all->n, is_before, &entry);
	if (i == all->n || all->list[i].entry != entry)
		return false;
	if (!o)
		return true;
	*o = (struct outside){ .seen = &all->list[i].seen };
	for (; i < all->n && all->list[i].entry == entry; i++) {
		struct stat st;
		struct buf path = { 0 };
		struct span name = span_of(all->names.data + all->list[i].name);
		bool is = make_path(s, name, &path) == 0 &&
			  nofollow_stat(s->log.gate, path.data, &st) == 0;
		buf_free(&path);
		o->version = combine(o->version,
				     is ? version_of(&st) : VERSION_NONE);
	}
	return true;
}

uint64_t claude_outside_all(const struct session *s)
{
	const struct claude *c = s->now.state;
	const struct claude_outputs *all = c ? &c->outputs : NULL;
	struct buf path = { 0 };
	uint64_t version = 0;
	if (!all || all->n == 0)
		return 0;
	bool may = add_folder(s, &path) && buf_cstr(&path);
	int folder = may ? nofollow_open(s->log.gate, path.data,
					 O_PATH | O_DIRECTORY)
			 : -1;
	for (size_t i = 0; i < all->n; i++) {
		struct stat st;
		const char *name = all->names.data + all->list[i].name;
		bool is = folder >= 0 &&
			  gate_stat_in(s->log.gate, folder, name, &st) == 0;
		version = combine(version, is ? version_of(&st) : VERSION_NONE);
	}
	if (folder >= 0)
		close(folder);
	buf_free(&path);
	return version;
}

/* A file that is none to us, rather than a failure. */
static bool is_absence(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP ||
	       err == -EACCES || err == -EPERM || err == -ENXIO ||
	       err == -ENAMETOOLONG || err == -EISDIR || err == -EINVAL;
}

/* Open a file: its descriptor, -ENOENT if it is not shown, or -errno. */
static int open_output(const struct session *s, struct span name, off_t *size)
{
	struct stat st;
	struct buf path = { 0 };
	int fd = make_path(s, name, &path);
	if (fd == 0)
		fd = regular_open(s->log.gate, path.data, &st);
	buf_free(&path);
	if (fd < 0)
		return is_absence(fd) ? -ENOENT : fd;
	*size = st.st_size;
	return fd;
}

static int add_file(struct buf *out, int fd, off_t size)
{
	struct buf bytes = { 0 };
	int err = whole_read_file(fd, (size_t)size, &bytes);
	if (!err)
		text_add_utf8(out, buf_span(&bytes));
	buf_free(&bytes);
	return err;
}

int claude_outside_text(const struct session *s, struct buf *out,
			struct json text)
{
	struct buf decoded = { 0 };
	struct span name;
	off_t size = 0;
	int fd = -ENOENT;
	int got = 0;
	if (find_name(&decoded, text, &name))
		fd = open_output(s, name, &size);
	if (fd >= 0 && size <= CLAUDE_OUTPUT_LIMIT) {
		int err = add_file(out, fd, size);
		got = err ? err : 1;
	} else if (fd >= 0) {
		buf_add(out, buf_span(&decoded));
		buf_addf(out, "\n[%lld bytes, too large to be shown: ",
			 (long long)size);
		buf_adds(out, FOLDER "/");
		text_add_utf8(out, name);
		buf_adds(out, "]");
		got = 1;
	} else if (fd != -ENOENT) {
		got = fd;
	}
	if (fd >= 0)
		close(fd);
	if (decoded.failed)
		got = -ENOMEM;
	buf_free(&decoded);
	return got;
}
