#include "core/session/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/span.h"
#include "core/file/nofollow.h"
#include "core/file/proc.h"
#include "core/file/whole.h"
#include "core/json/document.h"
#include "core/session/dialect/agent.h"

#define JSON_SUFFIX ".json"
#define JSONL ".jsonl"
/* Those of the agent have about 600 bytes. */
#define RECORD_LIMIT 65536
/* In /proc/PID/stat, counted from the one after the program's name. */
#define START_FIELD 19

/* The pid in the name of a record, PID.json or PID-HEX.json; or 0. */
static pid_t pid_of(const char *name)
{
	char *end;
	if (name[0] < '1' || name[0] > '9')
		return 0;
	long pid = strtol(name, &end, 10);
	bool is = (*end == '.' || *end == '-') &&
		  span_ends(span_of(end), SPAN(JSON_SUFFIX)) &&
		  (pid_t)pid == pid;
	return is ? (pid_t)pid : 0;
}

/* Append a small regular file. 1, 0 if there is none to be read, or -errno. */
static int read_small(int at, const char *name, struct buf *out)
{
	struct stat st;
	int fd = whole_open(at, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return proc_error(fd);
	int err = fstat(fd, &st) < 0 ? -errno : 0;
	bool is = !err && S_ISREG(st.st_mode);
	if (is)
		err = whole_read_file(fd, RECORD_LIMIT, out);
	close(fd);
	return err ? proc_error(err) : is;
}

/* Does the process live that has written the record? 1, 0 or -errno. */
static int is_alive(const char *proc, pid_t pid, const struct document *record)
{
	const char *noted = document_text(record, "procStart");
	const char *booted = noted ? strrchr(noted, ':') : NULL;
	struct buf path BUF_SCOPED = { 0 };
	char line[4096];
	buf_addf(&path, "%s/%d/stat", proc, (int)pid);
	const char *name = buf_cstr(&path);
	ssize_t got =
		name ? proc_read(AT_FDCWD, name, line, sizeof(line)) : -ENOMEM;
	/* After the program's name, which may have spaces and brackets. */
	const char *at = got > 0 ? strrchr(line, ')') : NULL;
	if (at && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
		at = NULL; /* it has ended */
	for (int i = 0; at && i <= START_FIELD; i++)
		at = strchr(at + 1, ' ');
	size_t n = at ? strcspn(at + 1, " \n") : 0;
	bool alive = n > 0;
	if (alive && noted)
		alive = span_eq(span_of(booted ? booted + 1 : noted),
				(struct span){ at + 1, n });
	return got < 0 ? (int)got : alive;
}

/*
 * Is it the record of a running agent with the session of this id? 1, 0 or
 * -errno.
 */
static int has_session(const char *proc, int folder, const char *name,
		       pid_t pid, struct span id)
{
	struct buf text BUF_SCOPED = { 0 };
	struct document record = { 0 };
	int has = read_small(folder, name, &text);
	if (has > 0 && document_parse(&record, buf_span(&text))) {
		const char *of = document_text(&record, "sessionId");
		bool is = of && span_eq(span_of(of), id);
		has = is ? is_alive(proc, pid, &record) : 0;
	} else if (has > 0) {
		has = 0;
	}
	document_free(&record);
	return has;
}

struct span process_agent_folder(struct span path, unsigned depth)
{
	for (unsigned i = 0; i <= depth; i++) {
		path = span_folder(path);
		path.n -= path.n > 0;
	}
	return path;
}

pid_t process_with(struct gate *g, const char *proc, const char *path,
		   unsigned depth)
{
	struct span id = span_of(nofollow_name(path));
	struct buf folder BUF_SCOPED = { 0 };
	char room[GATE_PATH_SIZE];
	/* Of HOME/projects/NAME/ID.jsonl the records are in HOME/sessions. */
	buf_add(&folder, process_agent_folder(span_of(path), depth));
	buf_adds(&folder, "/sessions");
	const char *name = buf_cstr(&folder);
	DIR *records = name ? opendir(gate_path(g, name, room)) : NULL;
	int err = name ? -errno : -ENOMEM;
	if (!records)
		return proc_error(err);
	if (id.n > strlen(JSONL))
		id.n -= strlen(JSONL);
	pid_t found = 0;
	const struct dirent *e;
	while (found == 0 && (e = readdir(records)) != NULL) {
		pid_t pid = pid_of(e->d_name);
		if (pid == 0)
			continue;
		int has = has_session(proc, dirfd(records), e->d_name, pid, id);
		found = has > 0 ? pid : has;
	}
	closedir(records);
	return found;
}

pid_t process_of(const struct dialect_agent *a, struct gate *g,
		 const char *path)
{
	if (a->process)
		return a->process(g, path);
	return a->depth > 0 ? process_with(g, "/proc", path, a->depth) : 0;
}
