#include "core/dialects/kit/backups.h"

#include <errno.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/regular.h"
#include "core/file/whole.h"
#include "core/files/edits.h"
#include "core/json/timestamp.h"
#include "core/session/process.h"

/*
 * When it was saved, the file was written. After the user has gone back, agents
 * write another file over it, while older lines name it still.
 */
static bool is_of_then(const struct stat *st, struct json backup)
{
	int64_t then = timestamp_parse(json_get(backup, "backupTime"));
	int64_t written = (int64_t)st->st_mtim.tv_sec * 1000 +
			  st->st_mtim.tv_nsec / 1000000;
	return then != TIMESTAMP_NONE && written - then <= 1000 &&
	       then - written <= 1000;
}

/* Read a file: 1, 0 if it is not there, or -errno. */
static int read_file(const struct session *s, struct json backup,
		     struct file_text *t)
{
	struct buf path BUF_SCOPED = { 0 };
	struct buf bytes BUF_SCOPED = BUF_INTO(&t->text);
	struct stat st;
	buf_add(&path, process_agent_folder(span_of(s->log.path),
					    s->dialect->agent->depth));
	buf_adds(&path, "/file-history/");
	session_id(s, &path);
	buf_addc(&path, '/');
	size_t from = path.len;
	json_decode(&path, json_get(backup, "backupFileName"));
	const char *at = buf_cstr(&path);
	if (!at)
		return -ENOMEM;
	struct span name = span_from(buf_span(&path), from);
	if (name.n == 0 || memchr(name.p, '/', name.n) ||
	    memchr(name.p, '\0', name.n))
		return 0;
	int fd = regular_open(s->log.gate, at, &st);
	if (fd < 0)
		return fault_tells_nothing(fd) ? fd : 0;
	bool is = is_of_then(&st, backup);
	int err = is ? whole_read_file(fd, (size_t)st.st_size, &bytes) : 0;
	if (is && !err)
		edits_see(t, buf_span(&bytes));
	close(fd);
	return err ? err : is && t->state == FILE_IS_KNOWN;
}

int backups_tell(const struct session *s, struct json path, struct json backup,
		 struct saved_files *to)
{
	enum json_type name = json_type(json_get(backup, "backupFileName"));
	struct file_text t = { 0 };
	int got = name == JSON_NULL;
	if (got)
		file_text_lose(&t, FILE_IS_DELETED);
	else if (name == JSON_STRING)
		got = read_file(s, backup, &t);
	int err = got < 0 ? got : buf_error(&t.text);
	if (!err && got > 0)
		err = to->add(to, path, &t);
	file_text_free(&t);
	return err;
}
