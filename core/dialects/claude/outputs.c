/*
 * Outputs that are too large for a transcript.
 *
 * Claude Code writes what a tool printed, if that is long, to a file
 * SESSION/tool-results/NAME beside SESSION.jsonl; subagents use the folder of
 * the session that they belong to. The result in the transcript has the
 * beginning of it:
 *
 *     <persisted-output>
 *     Output too large (106.3KB). Full output saved to: PATH
 *
 *     Preview (first 2KB):
 *     …
 *     </persisted-output>
 *
 * The content of an entry has the file's text instead. What the agent sends is
 * the text of the transcript, so contexts have that.
 *
 * Only the name counts, not the rest of PATH: sessions are moved and copied. A
 * file that is missing, can't be read or is no regular file is as none, and the
 * content is the transcript's text. Symlinks are not followed.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/dialects/claude/state.h"
#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "core/file/regular.h"
#include "core/file/version.h"
#include "core/file/whole.h"
#include "core/session/file_name.h"

#define FOLDER "tool-results"

/* A larger file is not shown; a line says so. */
#define OUTPUT_LIMIT ((off_t)64 << 20)

/* The files that are shown in a session, at most. */
#define OUTPUTS_LIMIT 16000

/* Of a file that is not there. */
#define VERSION_NONE 1

/* The last part of a path, and what is before it in *rest. */
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

/*
 * The text of a result, if it names a file. *name is in it then.
 */
static bool find_name(struct buf *text, struct json value, struct span *name)
{
	static const struct span begin = SPAN("<persisted-output>\n");
	static const struct span mark = SPAN("saved to: ");
	struct span folder;
	if (!span_starts(value.raw, SPAN("\"<persisted-output>")))
		return false;
	json_decode(text, value);
	struct span rest = buf_span(text);
	if (text->failed || !span_starts(rest, begin) ||
	    !span_ends(text_trim(rest), SPAN("</persisted-output>")))
		return false;
	span_next_line(&rest);
	struct span line = span_next_line(&rest);
	if (rest.n == 0 || !memmem(line.p, line.n, mark.p, mark.n))
		return false;
	*name = last_part(line, &folder);
	return name->n > 0 && name->n <= FILE_NAME_LIMIT &&
	       !span_eq(*name, SPAN(".")) && !span_eq(*name, SPAN("..")) &&
	       !memchr(name->p, '\0', name->n) &&
	       span_eq(last_part(folder, &rest), SPAN(FOLDER));
}

static int add(struct claude_outputs *o, uint32_t entry, struct span name)
{
	if (o->n >= OUTPUTS_LIMIT)
		return 0;
	if (array_reserve(&o->list, &o->cap, o->n, 1) < 0)
		return -ENOMEM;
	uint32_t at = (uint32_t)o->names.len;
	buf_add(&o->names, name);
	buf_addc(&o->names, '\0');
	if (o->names.failed)
		return -ENOMEM;
	size_t i = array_search_by(o->list, o->n, entry, entry + 1);
	memmove(o->list + i + 1, o->list + i, (o->n - i) * sizeof(*o->list));
	o->list[i] = (struct claude_output){ .entry = entry, .name = at };
	o->n++;
	return 0;
}

int claude_ingest_outputs(struct session *s, uint32_t entry,
			  struct json message)
{
	struct claude *c = s->now.state;
	struct buf text BUF_SCOPED = { 0 };
	struct span name;
	int err = 0;
	BLOCK_EACH_WHILE(!err, b, block_read_api,
			 json_get(message, "content")) {
		buf_clear(&text);
		if (b.type == BLOCK_TEXT && b.inner &&
		    find_name(&text, b.text, &name))
			err = add(&c->outputs, entry, name);
		if (text.failed)
			err = -ENOMEM;
	}
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
	if (session_is_subagent(s)) {
		struct span folder;
		last_part(whole, &folder);
		if (!span_eq(last_part(folder, &whole), SPAN("subagents")))
			return false;
	}
	buf_add(path, whole);
	buf_adds(path, "/" FOLDER);
	return true;
}

static uint64_t version_of(const struct stat *st)
{
	const struct version v = version_of_stat(st);
	if (!S_ISREG(st->st_mode))
		return VERSION_NONE;
	return hash_bytes(0, (struct span){ (const char *)&v, sizeof(v) });
}

/* A version of the files from one place in the list on; 0: there are none. */
static uint64_t versions(const struct session *s, size_t from, size_t to)
{
	const struct claude *c = s->now.state;
	const struct claude_outputs *all = &c->outputs;
	struct buf path BUF_SCOPED = { 0 };
	uint64_t version = 0;
	bool may = add_folder(s, &path) && buf_cstr(&path);
	int folder = may ? nofollow_open(s->log.gate, path.data,
					 O_PATH | O_DIRECTORY)
			 : -1;
	for (size_t i = from; i < to; i++) {
		struct stat st;
		const char *name = all->names.data + all->list[i].name;
		bool is = folder >= 0 &&
			  gate_stat_in(s->log.gate, folder, name, &st) == 0;
		const uint64_t both[] = { version,
					  is ? version_of(&st) : VERSION_NONE };
		version = hash_bytes(
			0, (struct span){ (const char *)both, sizeof(both) });
		version = version ? version : VERSION_NONE;
	}
	if (folder >= 0)
		close(folder);
	return version;
}

static bool of_entry(const struct session *s, uint32_t entry, struct outside *o)
{
	const struct claude *c = s->now.state;
	const struct claude_outputs *all = &c->outputs;
	size_t i = array_search_by(all->list, all->n, entry, entry);
	size_t end = array_search_by(all->list, all->n, entry, entry + 1);
	if (i < end && o)
		*o = (struct outside){ .version = versions(s, i, end),
				       .seen = &all->list[i].seen };
	return i < end;
}

static uint64_t of_all(const struct session *s)
{
	const struct claude *c = s->now.state;
	return c && c->outputs.n > 0 ? versions(s, 0, c->outputs.n) : 0;
}

/* Open a file: its descriptor, -ENOENT if it is not shown, or -errno. */
static int open_output(const struct session *s, struct span name, off_t *size)
{
	struct stat st;
	struct buf path BUF_SCOPED = { 0 };
	if (!add_folder(s, &path))
		return -ENOENT;
	buf_addc(&path, '/');
	buf_add(&path, name);
	int fd = buf_cstr(&path) ? regular_open(s->log.gate, path.data, &st)
				 : -ENOMEM;
	if (fd < 0)
		return fault_tells_nothing(fd) ? fd : -ENOENT;
	*size = st.st_size;
	return fd;
}

static int add_text(const struct session *s, struct buf *out, struct json text)
{
	struct buf decoded BUF_SCOPED = { 0 };
	struct buf bytes BUF_SCOPED = { 0 };
	struct span name;
	off_t size;
	if (!find_name(&decoded, text, &name))
		return buf_error(&decoded);
	int fd = open_output(s, name, &size);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	int err = 0;
	if (size <= OUTPUT_LIMIT) {
		err = whole_read_file(fd, (size_t)size, &bytes);
		if (!err)
			text_add_utf8(out, buf_span(&bytes));
	} else {
		buf_add(out, buf_span(&decoded));
		buf_addf(out, "\n[%lld bytes, too large to be shown: ",
			 (long long)size);
		buf_adds(out, FOLDER "/");
		text_add_utf8(out, name);
		buf_adds(out, "]");
	}
	close(fd);
	return err ? err : 1;
}

const struct dialect_outside claude_outside = {
	.of_entry = of_entry,
	.of_all = of_all,
	.add_text = add_text,
};
