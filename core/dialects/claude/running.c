#include "core/dialects/claude/running.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file/nofollow.h"
#include "core/file/whole.h"

#define JSON_SUFFIX ".json"
#define JSONL ".jsonl"
/* Those of the agent have about 600 bytes. */
#define RECORD_LIMIT 65536
/* In /proc/PID/stat, counted from the one after the program's name. */
#define START_FIELD 19

/* The pid in the name of a record, PID.json; or 0. */
static pid_t pid_of(const char *name)
{
	char *end;
	if (name[0] < '1' || name[0] > '9')
		return 0;
	long pid = strtol(name, &end, 10);
	bool is = strcmp(end, JSON_SUFFIX) == 0 && (pid_t)pid == pid;
	return is ? (pid_t)pid : 0;
}

/* Append a small regular file. False if there is none that can be read. */
static bool read_small(int at, const char *name, struct buf *out)
{
	struct stat st;
	int fd = openat(at, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				O_CLOEXEC);
	if (fd < 0)
		return false;
	bool is = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		  whole_read_file(fd, RECORD_LIMIT, out) == 0;
	close(fd);
	return is;
}

/* Append when the process was started; nothing if none runs with that pid. */
static void add_start(struct buf *out, const char *proc, pid_t pid)
{
	struct buf path = { 0 };
	struct buf text = { 0 };
	buf_addf(&path, "%s/%d/stat", proc, (int)pid);
	const char *name = buf_cstr(&path);
	bool is = name && read_small(AT_FDCWD, name, &text);
	const char *line = is ? buf_cstr(&text) : NULL;
	/* After the program's name, which may have spaces and brackets. */
	const char *at = line ? strrchr(line, ')') : NULL;
	if (at && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
		at = NULL; /* it has ended */
	for (int i = 0; at && i <= START_FIELD; i++)
		at = strchr(at + 1, ' ');
	if (at)
		buf_add(out, (struct span){ at + 1, strcspn(at + 1, " \n") });
	buf_free(&path);
	buf_free(&text);
}

/* Does the process live that has written the record? */
static bool is_alive(const char *proc, pid_t pid, struct json record)
{
	struct json noted = json_get(record, "procStart");
	struct buf start = { 0 };
	add_start(&start, proc, pid);
	bool alive = start.len > 0;
	if (json_type(noted) == JSON_STRING)
		alive = alive && json_is(noted, buf_span(&start));
	buf_free(&start);
	return alive;
}

/* Is it the record of a running agent with the session of this id? */
static bool has_session(const char *proc, int folder, const char *name,
			pid_t pid, struct span id)
{
	struct buf text = { 0 };
	struct json record;
	bool has = read_small(folder, name, &text) &&
		   json_check(buf_span(&text), &record) == 0 &&
		   json_is(json_get(record, "sessionId"), id) &&
		   is_alive(proc, pid, record);
	buf_free(&text);
	return has;
}

/* Open the folder of records, by the path of a transcript. */
static DIR *open_records(const char *path)
{
	struct buf folder = { 0 };
	size_t n = (size_t)(nofollow_name(path) - path);
	buf_add(&folder, (struct span){ path, n });
	buf_adds(&folder, "../../sessions");
	const char *name = buf_cstr(&folder);
	DIR *records = name ? opendir(name) : NULL;
	buf_free(&folder);
	return records;
}

pid_t claude_process_with(const char *proc, const char *path)
{
	struct span id = span_of(nofollow_name(path));
	DIR *records = open_records(path);
	if (!records)
		return 0;
	if (id.n > strlen(JSONL))
		id.n -= strlen(JSONL);
	pid_t found = 0;
	const struct dirent *e;
	while (found == 0 && (e = readdir(records)) != NULL) {
		pid_t pid = pid_of(e->d_name);
		if (pid > 0 &&
		    has_session(proc, dirfd(records), e->d_name, pid, id))
			found = pid;
	}
	closedir(records);
	return found;
}

bool claude_in_use(const char *path, struct json header,
		   struct refusal *refusal)
{
	(void)header;
	*refusal = (struct refusal){
		.reason = "Claude Code has this session open and would go on "
			  "from its own place: quit it, or mount with -o force",
		.pid = claude_process_with("/proc", path),
	};
	return refusal->pid > 0;
}
