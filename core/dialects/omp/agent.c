/*
 * Has a running oh-my-pi a session open?
 *
 * If it has, other programs should not write. An omp from 18.2.3 on that
 * rewrites its file, and finds a size that it has not written, saves nothing
 * more until it ends. From 18.4.9 on it keeps foreign lines as a side branch,
 * and continues from its own leaf.
 *
 * It has if it holds the session's lease, or if a process of it is found in
 * /proc.
 *
 * The lease is a named lock (lock.h). An omp from 18.4.9 on acquires it at its
 * first write to a session, not when it opens it, and holds it until it ends or
 * leaves the session. Its path is DIR/.NAME.owner.lock, or, from 18.5.0 on,
 * ~/.omp/run/session-owners/ID.lock with the header's id. The kernel releases
 * it, so it is never stale.
 *
 * A process is oh-my-pi's if its program is bun or omp. It has a session open
 * if
 *
 *   - it has the session file open for writing. An omp opens it at its first
 *     append, and closes it when it rewrites the file or switches to another.
 *   - or it is the agent itself, its working directory is the session's, and it
 *     has no other session of the same folder open for writing. An omp that has
 *     only resumed a session has no descriptor yet, and looks like one that has
 *     resumed another session of its directory.
 *
 * A process is the agent if its program or its name is omp (18.2.3 sets the
 * name), or if bun runs the agent's script. Workers have an argument
 * __omp_worker_*, and some outlive the agent.
 *
 * Not found: before its first append, an omp that runs elsewhere because the
 * session's directory has been removed; processes in another pid namespace;
 * and, unless sessfs runs as root, processes of other users.
 *
 * Sources: session-storage.ts and session-manager.ts after 18.5.0, which are
 * not on npm; omp 18.2.3 run on bun, which has no lease; cli.ts of 18.2.3 and
 * 18.3.4.
 */
#include "core/dialects/omp/omp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/dialects/omp/lock.h"
#include "core/file/nofollow.h"
#include "core/file/proc.h"
#include "core/file/whole.h"

#define WORKER "__omp_worker_"

/* The script is among the first arguments: `bun [run] [OPTION...] SCRIPT`. */
#define SCRIPT_WITHIN 4

/* The session to find. */
struct search {
	const char *path;
	struct stat file;
	struct stat cwd;
	bool has_file;
	bool has_cwd;
	/* The process has another session of the folder open for writing. */
	bool other;
};

/* Is it the name of the program: omp, omp-linux-x64, bun.exe, "omp (deleted)"?
 */
static bool is_called(const char *program, const char *name)
{
	size_t n = strlen(name);
	return strncmp(program, name, n) == 0 &&
	       strchr("-. ", program[n]) != NULL;
}

/* 1, 0 or -errno. */
static int is_agent(int process, const char *program)
{
	char comm[32];
	char args[4096];
	ssize_t n = proc_read(process, "cmdline", args, sizeof(args));
	bool named = is_called(program, "omp");
	int count = 0;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(args + at) + 1) {
		const char *arg = args + at;
		if (strncmp(arg, WORKER, strlen(WORKER)) == 0)
			return 0;
		if (count > 0 && count <= SCRIPT_WITHIN)
			named = named ||
				strcmp(nofollow_name(arg), "omp") == 0 ||
				strstr(arg, "/pi-coding-agent/");
		count++;
	}
	if (n < 0 || named)
		return n < 0 ? (int)n : 1;
	n = proc_read(process, "comm", comm, sizeof(comm));
	return n < 0 ? (int)n : strcmp(comm, "omp\n") == 0;
}

/*
 * Does a link of /proc lead to the file? Without AT_STATX_DONT_SYNC the daemon
 * of its filesystem would be asked, which may not answer.
 */
static bool leads_to(int at, const char *name, const struct stat *file)
{
	struct statx st;
	return statx(at, name, AT_STATX_DONT_SYNC, STATX_INO, &st) == 0 &&
	       makedev(st.stx_dev_major, st.stx_dev_minor) == file->st_dev &&
	       st.stx_ino == file->st_ino;
}

/* Is it the path of another session in the same folder? */
static bool is_neighbour(const char *path, struct span other)
{
	struct span folder = { path, (size_t)(nofollow_name(path) - path) };
	return span_starts(other, folder) && span_ends(other, SPAN(".jsonl")) &&
	       !memchr(other.p + folder.n, '/', other.n - folder.n);
}

/* Note what a descriptor has open. 1 if it is the session. */
static int look_at_descriptor(int fds, const char *name, void *data)
{
	struct search *s = data;
	struct stat st;
	char target[PATH_MAX];
	if (fstatat(fds, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return proc_error(-errno);
	/* The mode of the link is the mode of the descriptor. */
	if (!S_ISLNK(st.st_mode) || !(st.st_mode & S_IWUSR))
		return 0;
	int got = proc_link(fds, name, target);
	if (got <= 0)
		return got;
	/* The link of a file that a rename has replaced keeps the name. */
	struct span to = span_of(target);
	if (span_ends(to, SPAN(" (deleted)")))
		to.n -= strlen(" (deleted)");
	if (span_eq(to, span_of(s->path)) ||
	    (s->has_file && leads_to(fds, name, &s->file)))
		return 1;
	s->other = s->other || is_neighbour(s->path, to);
	return 0;
}

/* 1, 0 or -errno. */
static int has_session(int process, struct search *s)
{
	char exe[PATH_MAX];
	int got = proc_link(process, "exe", exe);
	if (got <= 0)
		return got;
	const char *program = nofollow_name(exe);
	if (!is_called(program, "omp") && !is_called(program, "bun"))
		return 0;
	s->other = false;
	got = proc_descriptors(process, look_at_descriptor, s);
	if (got != 0 || s->other || !s->has_cwd ||
	    !leads_to(process, "cwd", &s->cwd))
		return got;
	return is_agent(process, program);
}

/*
 * The pid of an entry of /proc, if the process has the session open; 0 or
 * -errno.
 */
static pid_t look_at(int proc, const char *name, struct search *s)
{
	if (name[0] < '1' || name[0] > '9')
		return 0;
	int process = whole_open(proc, name, O_PATH | O_DIRECTORY, 0);
	if (process < 0)
		return proc_error(process);
	int has = has_session(process, s);
	close(process);
	return has > 0 ? (pid_t)strtol(name, NULL, 10) : has;
}

pid_t omp_process_with(struct gate *g, const char *proc, const char *path,
		       const char *cwd)
{
	char room[GATE_PATH_SIZE];
	struct search s = { .path = path };
	s.has_file = gate_stat(g, path, &s.file) == 0;
	s.has_cwd = *cwd == '/' && stat(gate_path(g, cwd, room), &s.cwd) == 0;
	DIR *all = opendir(proc);
	if (!all)
		return proc_error(-errno);
	pid_t found = 0;
	const struct dirent *e;
	while (found == 0 && (e = readdir(all)) != NULL)
		found = look_at(dirfd(all), e->d_name, &s);
	closedir(all);
	return found;
}

/*
 * Is the lease by path held, or that by id? 1, 0 or -errno. Ids with other
 * characters, which omp hashes, are not found.
 */
static int is_leased(const char *path, struct json id)
{
	struct buf by_path BUF_SCOPED = { 0 };
	struct buf by_id BUF_SCOPED = BUF_INTO(&by_path);
	struct span folder = span_folder(span_of(path));
	int held = 0;
	buf_add(&by_path, folder);
	buf_addf(&by_path, ".%s.owner.lock", path + folder.n);
	omp_add_config_root(&by_id);
	buf_adds(&by_id, "/run/session-owners/");
	json_decode(&by_id, id);
	buf_adds(&by_id, ".lock");
	if (!buf_cstr(&by_path) || !buf_cstr(&by_id))
		return -ENOMEM;
	if (folder.n > 0)
		held = omp_named_lock_is_held(by_path.data);
	if (held == 0 && json_has_text(id))
		held = omp_named_lock_is_held(by_id.data);
	return held;
}

static int in_use(struct gate *g, const char *path, struct json header,
		  pid_t *found)
{
	struct buf cwd BUF_SCOPED = { 0 };
	pid_t pid = 0;
	int leased = is_leased(path, json_get(header, "id"));
	json_decode(&cwd, json_get(header, "cwd"));
	const char *folder = buf_cstr(&cwd);
	if (leased >= 0)
		pid = folder ? omp_process_with(g, "/proc", path, folder)
			     : -ENOMEM;
	*found = pid > 0 ? pid : 0;
	if (leased != 0)
		return leased;
	return pid > 0 ? 1 : pid;
}

/*
 * `info` does not ask for a process: all are looked at, and the session's
 * directory may be in the mount that asks.
 */
const struct dialect_agent omp_agent = {
	.faults = {
		.last_line = "oh-my-pi resumes with an empty history",
	},
	.unopened = omp_unopened,
	.refuses = "oh-my-pi has this session open and would stop saving it: "
		   "quit oh-my-pi, or mount with -o force",
	.in_use = in_use,
	.lock = omp_lock_session,
	.unlock = omp_unlock_session,
};
