#include "core/dialects/claude/saved.h"

#include <errno.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/dialects/claude/state.h"
#include "core/dialects/kit/line.h"
#include "core/file/regular.h"
#include "core/file/whole.h"
#include "core/files/edits.h"

int claude_keep_saved(struct session *s, struct json type,
		      const struct line_place *at)
{
	struct claude *c = s->now.state;
	if (!JSON_IS(type, "file-history-snapshot", "file-history-delta") ||
	    at->length > UINT32_MAX)
		return 0;
	int err = array_reserve(&c->saved.list, &c->saved.cap, c->saved.n, 1);
	if (!err)
		c->saved.list[c->saved.n++] =
			(struct note_place){ .offset = at->offset,
					     .length = (uint32_t)at->length,
					     .entry = s->now.index.n };
	return err;
}

const struct note_place *claude_saved_note(const struct session *s, uint32_t n)
{
	const struct claude *c = s->now.state;
	return c && n < c->saved.n ? &c->saved.list[n] : NULL;
}

/* Take the last part off a path. */
static struct span around(struct span path)
{
	const char *slash = path.n > 0 ? memrchr(path.p, '/', path.n) : NULL;
	return (struct span){ path.p, slash ? (size_t)(slash - path.p) : 0 };
}

/* The session is in projects/DIRECTORY/, beside which the folder is. */
static void add_path(const struct session *s, struct span name, struct buf *out)
{
	struct span file = span_of(s->log.path);
	buf_add(out, around(around(around(file))));
	buf_adds(out, "/file-history/");
	session_id(s, out);
	buf_addc(out, '/');
	buf_add(out, name);
}

/* Read a file: 1, 0 if it is not there, or -errno. */
static int read_file(const struct session *s, struct json name,
		     struct file_text *t)
{
	struct buf path = { 0 };
	struct buf bytes = { 0 };
	struct buf text = { 0 };
	struct stat st;
	json_decode(&text, name);
	bool is = text.len > 0 && !memchr(text.data, '/', text.len) &&
		  !memchr(text.data, '\0', text.len);
	if (is)
		add_path(s, buf_span(&text), &path);
	const char *at = buf_cstr(&path);
	int err = buf_end(&text);
	int fd = !is  ? -ENOENT
		 : at ? regular_open(s->log.gate, at, &st)
		      : -ENOMEM;
	if (!err && fd >= 0)
		err = whole_read_file(fd, (size_t)st.st_size, &bytes);
	if (!err && fd >= 0)
		edits_see(t, buf_span(&bytes));
	if (fd >= 0)
		close(fd);
	buf_free(&path);
	buf_free_into(&bytes, &t->text);
	return err ? err : fd >= 0 && t->state == FILE_IS_KNOWN;
}

static int add(const struct session *s, struct json path, struct json backup,
	       struct saved_files *to)
{
	struct json name = json_get(backup, "backupFileName");
	struct file_text t = { .state = FILE_IS_DELETED };
	int got = 1;
	if (json_type(name) == JSON_STRING) {
		t.state = FILE_IS_UNTOUCHED;
		got = read_file(s, name, &t);
	} else if (json_type(name) != JSON_NULL) {
		got = 0;
	}
	int err = got < 0 ? got : buf_error(&t.text);
	if (!err && got > 0)
		err = to->add(to, path, &t);
	file_text_free(&t);
	return err;
}

int claude_saved(const struct session *s, struct json line,
		 struct saved_files *to)
{
	JSON_FIELDS(f, line, type, messageId, snapshot, isSnapshotUpdate,
		    trackingPath, backup);
	struct json all = json_get(f.snapshot, "trackedFileBackups");
	struct json_walk w = json_walk(all);
	struct json path;
	struct json backup;
	int err = 0;
	to->about = f.messageId;
	if (json_is(f.type, SPAN("file-history-delta")))
		return add(s, f.trackingPath, f.backup, to);
	if (json_truthy(f.isSnapshotUpdate) || json_type(all) != JSON_OBJECT)
		return 0;
	while (!err && json_next_member(&w, &path, &backup))
		err = add(s, path, backup, to);
	return err;
}
