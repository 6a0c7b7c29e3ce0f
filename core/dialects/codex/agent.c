/*
 * What Codex (0.171.0) does with the file of a thread: which it opens, and
 * which one that runs has open.
 *
 * It refuses a rollout
 *
 *   - whose first line is no session_meta that it can decode, or follows a byte
 *     order mark, or has the id of another thread than the name of its file;
 *   - that goes on from a rollout which it does not find or can't use;
 *   - of a legacy thread, if any byte of it is not UTF-8;
 *   - of a paginated thread, if the last line that it can decode has no
 *     ordinal.
 *
 * Other lines that it can't decode it skips (line.c).
 *
 * It holds flock(2) on $CODEX_HOME/thread-writer-locks/ID.lock while it has the
 * thread with that id open. With the background server that a terminal starts
 * unless `daemon_auto_start` is off, that is a minute longer than the terminal.
 * /proc/locks lists such locks. To try to take the lock instead could keep an
 * agent from starting.
 *
 * Not found: an agent in another pid namespace, or on another machine.
 */
#include "core/dialects/codex/codex.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/dialects/kit/ingest.h"
#include "core/file/nofollow.h"
#include "core/file/proc.h"
#include "core/json/js.h"

/*
 * Is that descriptor of a process the file at a path? The link is only read:
 * whoever follows it may ask the mount that is asking, and would wait forever.
 */
static int is_open_at(int fds, const char *name, void *file)
{
	char to[PATH_MAX];
	return proc_link(fds, name, to) > 0 && strcmp(to, file) == 0;
}

static bool has_open(const char *proc, int pid, char *file)
{
	struct buf path BUF_SCOPED = { 0 };
	buf_addf(&path, "%s/%d", proc, pid);
	const char *name = buf_cstr(&path);
	int process = name ? open(name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (process < 0)
		return false;
	bool has = proc_descriptors(process, is_open_at, file) > 0;
	close(process);
	return has;
}

/*
 * The process that holds a lock on a file by flock(2), in /proc/locks. Some
 * filesystems (btrfs) have another device there than stat(2) tells.
 */
static pid_t find_holder(const char *proc, char *file, const struct stat *st)
{
	struct buf path BUF_SCOPED = { 0 };
	char *line = NULL;
	size_t cap = 0;
	pid_t found = 0;
	buf_addf(&path, "%s/locks", proc);
	const char *name = buf_cstr(&path);
	FILE *locks = name ? fopen(name, "re") : NULL;
	while (locks && found == 0 && getline(&line, &cap, locks) > 0) {
		int pid;
		unsigned device[2];
		uintmax_t ino;
		if (sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%" SCNuMAX,
			   &pid, &device[0], &device[1], &ino) == 4 &&
		    ino == st->st_ino &&
		    ((device[0] == major(st->st_dev) &&
		      device[1] == minor(st->st_dev)) ||
		     has_open(proc, pid, file)))
			found = pid;
	}
	if (locks)
		fclose(locks);
	free(line);
	return found;
}

pid_t codex_process_with(struct gate *g, const char *proc, const char *path)
{
	struct buf lock BUF_SCOPED = { 0 };
	struct stat st;
	struct span home = codex_home_of(span_of(path));
	struct span id = codex_thread_id(span_of(path));
	buf_add(&lock, home);
	buf_adds(&lock, "thread-writer-locks/");
	buf_add(&lock, id);
	buf_adds(&lock, ".lock");
	bool locked = home.n > 0 && id.n > 0 && buf_cstr(&lock) &&
		      nofollow_stat(g, lock.data, &st) == 0;
	return locked ? find_holder(proc, lock.data, &st) : 0;
}

/* An incomplete last line that is longer counts as text. */
#define TAIL_LIMIT ((uint64_t)1 << 20)

/* A word, or an object that names one. */
static bool is_source(struct json v)
{
	return json_is_string(v) ||
	       (json_type(v) == JSON_OBJECT && json_has_members(v));
}

const char *codex_meta_fault(struct json payload)
{
	JSON_FIELDS(f, payload, id, cwd, originator, cli_version, session_id,
		    source, model_provider, history_mode);
	if (!json_is_string(f.id) ||
	    !text_is_uuid((struct span){ f.id.raw.p + 1, f.id.raw.n - 2 }))
		return "a session_meta whose id is no UUID";
	if (!json_is_string(f.cwd))
		return "a session_meta without cwd";
	if (!json_is_string(f.originator))
		return "a session_meta without originator";
	if (!json_is_string(f.cli_version))
		return "a session_meta without cli_version";
	if (json_type(f.session_id) != JSON_ABSENT &&
	    !json_is_string(f.session_id))
		return "a session_meta whose session_id is no text";
	if (json_type(f.source) != JSON_ABSENT && !is_source(f.source))
		return "a session_meta whose source is unknown";
	if (!js_is_nullish(f.model_provider) &&
	    !json_is_string(f.model_provider))
		return "a session_meta whose model_provider is no text";
	if (json_type(f.history_mode) != JSON_ABSENT &&
	    !JSON_IS(f.history_mode, "legacy", "paginated"))
		return "a session_meta whose history_mode is unknown";
	return NULL;
}

/* The number of an incomplete last line that is not UTF-8; 0: it is. */
static uint32_t unended_no_text(const struct session *s)
{
	uint64_t n = log_size(&s->log) - s->now.indexed;
	struct buf tail BUF_SCOPED = { 0 };
	bool text = true;
	if (n == 0 || n > TAIL_LIMIT)
		return 0;
	char *to = buf_reserve(&tail, (size_t)n);
	if (to && log_read(&s->log, s->now.indexed, to, (size_t)n) == 0)
		text = text_is_utf8((struct span){ to, (size_t)n });
	return text ? 0 : s->now.lines + 1;
}

static struct unopened unopened(const struct session *s)
{
	const struct codex *c = s->now.state;
	const struct lineage *before = &s->log.before;
	struct span id = codex_thread_id(span_of(s->log.path));
	struct unopened u = ingest_lacks_header(s);
	if (u.why)
		return u;
	if (s->now.bom)
		u.why = "a byte order mark";
	else if (c->meta_fault)
		u.why = c->meta_fault;
	else if (id.n > 0 && !json_is(session_header(s, "id"), id))
		u.why = "the session_meta of another thread";
	if (!u.why && before->fault && !before->agent_reads) {
		u.why = before->fault;
		u.base = buf_span(&before->fault_name);
	}
	if (u.why)
		return u;
	u.line = c->paginated	  ? c->unnumbered
		 : c->no_text > 0 ? c->no_text
				  : unended_no_text(s);
	if (u.line > 0)
		u.why = c->paginated ? "no ordinal in the last line"
				     : "bytes that are not UTF-8";
	return u;
}

static pid_t process(struct gate *g, const char *path)
{
	return codex_process_with(g, "/proc", path);
}

const struct dialect_agent codex_agent = {
	.unopened = unopened,
	.process = process,
};
