#include "mount/operands/session_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/columns.h"
#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/file/whole.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/session_title.h"
#include "core/show/words.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/operands/target.h"

#define CHUNK ((size_t)64 << 10)

/* -- pipes */

static int copy_bytes(int from, int to)
{
	char *chunk = malloc(CHUNK);
	ssize_t n = chunk ? 1 : -ENOMEM;
	while (n > 0) {
		n = whole_read(from, chunk, CHUNK);
		if (n > 0) {
			int err = whole_write(
				to, (struct span){ chunk, (size_t)n });
			n = err ? err : n;
		}
	}
	free(chunk);
	return (int)n;
}

/* Copy to a file in a new folder, in that of temporary files. */
static int copy(struct session_file *f, int from)
{
	const char *tmp = getenv("TMPDIR");
	f->at = tmp && *tmp ? tmp : "/tmp";
	char *top = realpath(f->at, NULL);
	char *folder = top ? pathname_join(top, "sessfs-XXXXXX") : NULL;
	free(top);
	if (!folder || !mkdtemp(folder)) {
		int err = -errno;
		free(folder);
		return err;
	}
	f->folder = folder;
	f->path = pathname_join(folder, "session.jsonl");
	if (!f->path)
		return -ENOMEM;
	int to = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	int err = copy_bytes(from, to);
	close(to);
	if (!err)
		f->at = f->name;
	return err;
}

static int copy_pipe(struct session_file *f)
{
	int fd = open(f->name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int err = copy(f, fd);
	close(fd);
	return err;
}

/* -- finding it */

/* The session that a folder in a mount, or a printed name, stands for. */
static int find_other(struct session_file *f)
{
	struct target t;
	int err = target_look_wide(&t, f->name);
	if (!err && t.is_folder)
		err = -EISDIR;
	if (!err && !(f->path = realpath(t.source, NULL)))
		err = -errno;
	if (!err && !f->how.forced)
		f->how.forced = t.file.how.forced;
	target_free(&t);
	return err;
}

/* Of a pipe without a name /proc has a link that leads nowhere. */
int session_file_find(struct session_file *f)
{
	struct stat st;
	f->at = f->name;
	if (stat(f->name, &st) < 0 || S_ISDIR(st.st_mode))
		return find_other(f);
	f->path = realpath(f->name, NULL);
	if (!f->path)
		return errno == ENOENT && S_ISFIFO(st.st_mode) ? copy_pipe(f)
							       : -errno;
	if (S_ISREG(st.st_mode))
		return 0;
	f->reason = "not a regular file";
	return -EINVAL;
}

/* -- opening it */

static int enter(struct session_file *f)
{
	int err = session_enter(f->session);
	if (err) {
		session_free(f->session);
		f->session = NULL;
		return err;
	}
	/* The file can be deleted after session_open(). */
	if (f->session->log.exists)
		return 0;
	session_file_leave(f);
	return -ENOENT;
}

int session_file_open(struct session_file *f)
{
	struct progress progress = { 0 };
	int err = f->path ? 0 : session_file_find(f);
	if (err)
		return err;
	struct session_opening how = f->how;
	how.dialects = &dialect_registry;
	how.progress = progress_at;
	how.progress_data = &progress;
	progress_start(&progress, "reading", f->name, PROGRESS_DELAY);
	err = session_open(&f->session, f->path, &how, &f->reason);
	progress_end(&progress);
	return err ? err : enter(f);
}

int session_file_fail(const struct session_file *f, int err)
{
	const char *name = f->at ? f->at : f->name;
	if (err == -EISDIR)
		return status_trouble(name,
				      "is a folder, not a session (list --here "
				      "has those of a directory)");
	return f->reason ? status_fail(name, f->reason)
			 : status_unread(name, err);
}

void session_file_leave(struct session_file *f)
{
	if (!f->session)
		return;
	session_leave(f->session);
	session_free(f->session);
	f->session = NULL;
}

void session_file_close(struct session_file *f)
{
	session_file_leave(f);
	if (f->folder && f->path)
		unlink(f->path);
	if (f->folder)
		rmdir(f->folder);
	free(f->path);
	free(f->folder);
	*f = (struct session_file){ 0 };
}

/* Of a longer working directory the last folders are kept. */
#define CWD_LENGTH 30

/* The title has so many columns at least. */
#define TITLE_LEAST 20

void session_line_add_directory(struct buf *out, struct span dir,
				const char *home, size_t most)
{
	pathname_begin_home(out, &dir, home);
	if (dir.n > most) {
		const char *end = dir.p + dir.n;
		const char *from = end - most;
		const char *slash = memchr(from, '/', most);
		from = slash ? slash : memrchr(dir.p, '/', dir.n);
		if (from && from > dir.p) {
			buf_adds(out, out->len > 0 ? "/…" : "…");
			dir = (struct span){ from, (size_t)(end - from) };
		}
	}
	words_add_plain(out, dir);
}

static int add_place(const struct session *s, struct buf *out)
{
	struct buf cwd BUF_SCOPED = BUF_INTO(out);
	struct buf shown BUF_SCOPED = BUF_INTO(out);
	json_decode(&cwd, session_header(s, "cwd"));
	text_finish(&cwd, 0);
	session_line_add_directory(&shown, buf_span(&cwd), getenv("HOME"),
				   CWD_LENGTH);
	buf_adds(out, s->dialect->name);
	if (shown.len > 0)
		buf_addc(out, ' ');
	buf_add(out, buf_span(&shown));
	int64_t ms = session_title_time(s);
	if (ms != TIMESTAMP_NONE)
		buf_addc(out, ' ');
	timestamp_add_local(out, ms, TIMESTAMP_DAY);
	return buf_error(out);
}

int session_line_add(const struct session *s, size_t columns, struct buf *out)
{
	struct buf title BUF_SCOPED = BUF_INTO(out);
	size_t from = out->len;
	int err = add_place(s, out);
	if (err)
		return err;
	size_t taken =
		columns_of((struct span){ out->data + from, out->len - from }) +
		3;
	err = session_title_add(s,
				taken + TITLE_LEAST < columns ? columns - taken
							      : TITLE_LEAST,
				&title);
	if (title.len > 0) {
		buf_adds(out, " \"");
		buf_add(out, buf_span(&title));
		buf_addc(out, '"');
	}
	return err ? err : buf_error(out);
}
