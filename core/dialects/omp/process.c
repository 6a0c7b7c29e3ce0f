#include "core/dialects/omp/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "core/file/whole.h"

#define WORKER "__omp_worker_"
#define DELETED " (deleted)"
#define JSONL ".jsonl"

/* The script is among the first arguments: `bun [run] [OPTION...] SCRIPT`. */
#define SCRIPT_WITHIN 4

/* The session to find. */
struct sought {
	const char *path;
	struct stat file;
	struct stat cwd;
	bool has_file;
	bool has_cwd;
};

/* Which sessions a process has open for writing. */
struct held {
	bool ours;
	bool other; /* in the same folder */
};

/*
 * After a call that failed: -errno if there was no descriptor or memory, or 0.
 * Then the process has ended, or may not be inspected.
 */
static int shortage(void)
{
	return fault_is_shortage(-errno) || errno == ENOMEM ? -errno : 0;
}

/* 1, 0 if there is no such link, or -errno. */
static int read_link(int at, const char *name, char to[PATH_MAX])
{
	ssize_t n = readlinkat(at, name, to, PATH_MAX - 1);
	to[n > 0 ? n : 0] = '\0';
	return n < 0 ? shortage() : n > 0;
}

/* Read the start of a file, and add a NUL. Its length, 0 or -errno. */
static ssize_t read_start(int at, const char *name, char *to, size_t size)
{
	to[0] = '\0';
	int fd = openat(at, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return shortage();
	ssize_t n = whole_read(fd, to, size - 1);
	close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n > 0 ? n : 0;
}

/* Is it the name of the program: omp, omp-linux-x64, bun.exe, "omp (deleted)"?
 */
static bool is_called(const char *program, const char *name)
{
	size_t n = strlen(name);
	return strncmp(program, name, n) == 0 &&
	       strchr("-. ", program[n]) != NULL;
}

static bool is_script(const char *arg)
{
	return strcmp(nofollow_name(arg), "omp") == 0 ||
	       strstr(arg, "/pi-coding-agent/") != NULL;
}

/* 1, 0 or -errno. */
static int is_agent(int process, const char *program)
{
	char comm[32];
	char args[4096];
	ssize_t n = read_start(process, "cmdline", args, sizeof(args));
	bool named = is_called(program, "omp");
	int count = 0;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(args + at) + 1) {
		if (strncmp(args + at, WORKER, strlen(WORKER)) == 0)
			return 0;
		if (count > 0 && count <= SCRIPT_WITHIN)
			named = named || is_script(args + at);
		count++;
	}
	if (n < 0 || named)
		return n < 0 ? (int)n : 1;
	n = read_start(process, "comm", comm, sizeof(comm));
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

static bool is_in_cwd(int process, const struct sought *s)
{
	return s->has_cwd && leads_to(process, "cwd", &s->cwd);
}

static bool is_session_beside(const char *path, const char *other)
{
	size_t folder = (size_t)(nofollow_name(path) - path);
	size_t n = strlen(other);
	if (strncmp(path, other, folder) != 0 || strchr(other + folder, '/'))
		return false;
	if (n > strlen(DELETED) &&
	    strcmp(other + n - strlen(DELETED), DELETED) == 0)
		n -= strlen(DELETED);
	return n > strlen(JSONL) &&
	       strncmp(other + n - strlen(JSONL), JSONL, strlen(JSONL)) == 0;
}

/* The link of a file that a rename has replaced keeps the name. */
static bool is_path(const char *path, const char *target)
{
	size_t n = strlen(path);
	return strncmp(path, target, n) == 0 &&
	       (target[n] == '\0' || strcmp(target + n, DELETED) == 0);
}

/* 0 or -errno. */
static int look_at_descriptor(int fds, const char *name, const struct sought *s,
			      struct held *h)
{
	struct stat st;
	char target[PATH_MAX];
	if (fstatat(fds, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return shortage();
	/* The mode of the link is the mode of the descriptor. */
	if (!S_ISLNK(st.st_mode) || !(st.st_mode & S_IWUSR))
		return 0;
	int got = read_link(fds, name, target);
	if (got <= 0)
		return got;
	if (is_path(s->path, target) ||
	    (s->has_file && leads_to(fds, name, &s->file)))
		h->ours = true;
	else if (is_session_beside(s->path, target))
		h->other = true;
	return 0;
}

/* 0 or -errno. */
static int look_at_descriptors(int process, const struct sought *s,
			       struct held *h)
{
	int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *fds = fd < 0 ? NULL : fdopendir(fd);
	if (!fds) {
		int err = shortage();
		if (fd >= 0)
			close(fd);
		return err;
	}
	int err = 0;
	const struct dirent *e;
	while (!err && !h->ours && (e = readdir(fds)) != NULL)
		err = look_at_descriptor(fd, e->d_name, s, h);
	closedir(fds);
	return err;
}

/* 1, 0 or -errno. */
static int has_session(int process, const struct sought *s)
{
	char exe[PATH_MAX];
	struct held h = { 0 };
	int got = read_link(process, "exe", exe);
	if (got <= 0)
		return got;
	const char *program = nofollow_name(exe);
	if (!is_called(program, "omp") && !is_called(program, "bun"))
		return 0;
	int err = look_at_descriptors(process, s, &h);
	if (err || h.ours)
		return err ? err : 1;
	return !h.other && is_in_cwd(process, s) ? is_agent(process, program)
						 : 0;
}

/*
 * The pid of an entry of /proc, if the process has the session open; 0 or
 * -errno.
 */
static pid_t look_at(int proc, const char *name, const struct sought *s)
{
	if (name[0] < '1' || name[0] > '9')
		return 0;
	int process = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return shortage();
	int has = has_session(process, s);
	close(process);
	return has > 0 ? (pid_t)strtol(name, NULL, 10) : has;
}

pid_t omp_process_with(struct gate *g, const char *proc, const char *path,
		       const char *cwd)
{
	char room[GATE_PATH_SIZE];
	struct sought s = { .path = path };
	s.has_file = gate_stat(g, path, &s.file) == 0;
	s.has_cwd = *cwd == '/' && stat(gate_path(g, cwd, room), &s.cwd) == 0;
	DIR *all = opendir(proc);
	if (!all)
		return shortage();
	pid_t found = 0;
	const struct dirent *e;
	while (found == 0 && (e = readdir(all)) != NULL)
		found = look_at(dirfd(all), e->d_name, &s);
	closedir(all);
	return found;
}
