#include "core/dialects/omp/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/file/nofollow.h"
#include "core/file/version.h"
#include "core/file/whole.h"
#include "core/json/timestamp.h"

#define HIGH_SEED 0x4f4d502d4c4f434b
#define LOW_SEED 0x50492d46494c454c
#define WAIT_MS 500
#define POLL_MS 2

/* JavaScript's Number.MAX_SAFE_INTEGER. */
#define MAX_SAFE_INTEGER 9007199254740991

socklen_t omp_named_lock_address(struct sockaddr_un *address, const char *path)
{
	size_t length = strlen(path);
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* Abstract: a NUL, and the name without one at its end. */
	int n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
			 "omp-file-lock-%016" PRIx64 "%016" PRIx64,
			 (uint64_t)XXH64(path, length, HIGH_SEED),
			 (uint64_t)XXH64(path, length, LOW_SEED));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

int omp_named_lock_is_held(const char *path)
{
	struct sockaddr_un address;
	socklen_t n = omp_named_lock_address(&address, path);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int held = connect(fd, (struct sockaddr *)&address, n) == 0;
	close(fd);
	return held;
}

/* The start of a lock file, and the identity of the file. */
struct record {
	char text[64];
	size_t n;
	struct stat st;
};

/* Set the names and open the folder. No file has the path that is hashed. */
static int find_place(struct omp_lock *l, const char *path)
{
	char gate[PATH_MAX + sizeof(".os")];
	const char *slash = strrchr(path, '/');
	if (path[0] != '/' || slash[1] == '\0')
		return -EINVAL;
	if (strlen(slash + 1) + strlen("..lock") > NAME_MAX ||
	    strlen(path) + strlen("..lock") >= PATH_MAX)
		return -ENAMETOOLONG;

	snprintf(l->name, sizeof(l->name), ".%s.lock", slash + 1);
	snprintf(gate, sizeof(gate), "%.*s%s.os", (int)(slash + 1 - path), path,
		 l->name);
	l->address_length = omp_named_lock_address(&l->address, gate);

	l->folder = nofollow_open_folder(NULL, path);
	return l->folder < 0 ? l->folder : 0;
}

static int try_gate(struct omp_lock *l)
{
	if (l->gate < 0)
		l->gate = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (l->gate < 0)
		return -errno;
	if (bind(l->gate, (struct sockaddr *)&l->address, l->address_length) <
	    0)
		return errno == EADDRINUSE ? -EBUSY : -errno;
	return 0;
}

/* Is the file of that name still the one that we created? */
static bool is_ours(const struct omp_lock *l)
{
	struct version mine;
	struct version named;
	return version_take_open(l->file, &mine) == 0 &&
	       version_take_in(l->folder, l->name, &named) == 0 &&
	       version_same_file(mine, named);
}

/*
 * A file that can't be removed is emptied. Our pid in it would lock out other
 * writers as long as this process lives. If stat(2) fails, the name may be
 * another writer's by now, so the file is emptied, too: an empty one is stale
 * once it is old.
 */
static void drop_file(struct omp_lock *l)
{
	if (l->file < 0)
		return;
	static const struct timespec long_ago[2];
	bool freed = (is_ours(l) && unlinkat(l->folder, l->name, 0) == 0) ||
		     (ftruncate(l->file, 0) == 0 &&
		      futimens(l->file, long_ago) == 0);
	(void)freed; /* there is nothing else to try */
	close(l->file);
	l->file = -1;
}

static int write_record(int fd)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%d:%" PRId64 "\n", (int)getpid(),
			 timestamp_now());
	ssize_t done = whole_write_once(fd, (struct span){ text, (size_t)n });
	if (done < 0)
		return (int)done;
	return done == n ? 0 : -ENOSPC;
}

/*
 * Create the file; -EBUSY if it exists. Until the record is written, another
 * process may find the file stale and remove it, so it is checked afterwards.
 * Every user may read it, to find the owner if that is root.
 */
static int make_file(struct omp_lock *l)
{
	l->file = whole_open(l->folder, l->name, O_WRONLY | O_CREAT | O_EXCL,
			     0644);
	if (l->file < 0)
		return l->file == -EEXIST ? -EBUSY : l->file;
	int err = write_record(l->file);
	if (!err && !is_ours(l))
		err = -EBUSY;
	if (err)
		drop_file(l);
	return err;
}

static int read_record(const struct omp_lock *l, struct record *r)
{
	*r = (struct record){ 0 };
	int fd = whole_open(l->folder, l->name,
			    O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return fd;
	int err = fstat(fd, &r->st) < 0	   ? -errno
		  : S_ISREG(r->st.st_mode) ? 0
					   : -EINVAL;
	ssize_t n = err ? 0 : whole_read(fd, r->text, sizeof(r->text));
	if (n < 0)
		err = (int)n;
	else
		r->n = (size_t)n;
	close(fd);
	return err;
}

/* Read digits at *at; -1 if there are none. MAX_SAFE_INTEGER + 1 at most. */
static int64_t read_number(const struct record *r, size_t *at)
{
	int64_t value = 0;
	size_t start = *at;
	for (; *at < r->n && r->text[*at] >= '0' && r->text[*at] <= '9'; ++*at)
		if (value <= MAX_SAFE_INTEGER)
			value = value * 10 + (r->text[*at] - '0');
	return *at > start ? value : -1;
}

/* The pid in "pid:ms", after which white space may follow; 0 if invalid. */
static int64_t record_pid(const struct record *r, int64_t *ms)
{
	size_t at = 0;
	int64_t pid = read_number(r, &at);
	if (pid <= 0 || pid > MAX_SAFE_INTEGER || at == r->n ||
	    r->text[at++] != ':' || (*ms = read_number(r, &at)) < 0)
		return 0;
	while (at < r->n && memchr(" \t\n\v\f\r", r->text[at], 6))
		at++;
	return at == r->n ? pid : 0;
}

/* Is there a process with this pid, which may be the owner? */
static bool may_live(int64_t pid, int64_t ms)
{
	struct timespec up;
	if (pid > INT_MAX)
		return true;
	if (kill((pid_t)pid, 0) < 0 && errno == ESRCH)
		return false;
	/* After a power cut another process may have the pid by now. */
	return clock_gettime(CLOCK_BOOTTIME, &up) < 0 ||
	       ms >= timestamp_now() - ((int64_t)up.tv_sec + 1) * 1000;
}

static bool is_left_behind(const struct record *r)
{
	int64_t ms;
	int64_t pid = record_pid(r, &ms);
	if (pid > 0)
		return !may_live(pid, ms);
	const struct timespec *t = &r->st.st_mtim;
	int64_t since = (int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000;
	return timestamp_now() - since > WAIT_MS;
}

/*
 * Remove a stale file. 0 if the name is free then, else -EBUSY. Only processes
 * with another gate can do this at the same time.
 */
static int break_file(const struct omp_lock *l)
{
	struct record before;
	struct record now;
	int err = read_record(l, &before);
	if (!err && !is_left_behind(&before))
		err = -EBUSY;
	if (!err)
		err = read_record(l, &now);
	if (!err &&
	    (!version_same_file(version_of_stat(&before.st),
				version_of_stat(&now.st)) ||
	     before.n != now.n || memcmp(before.text, now.text, now.n) != 0))
		err = -EBUSY;
	if (!err && unlinkat(l->folder, l->name, 0) < 0)
		err = -errno;
	return !err || err == -ENOENT ? 0 : -EBUSY;
}

static int try_file(struct omp_lock *l)
{
	int err = make_file(l);
	if (err == -EBUSY && break_file(l) == 0)
		err = make_file(l);
	return err;
}

static int wait_for(struct omp_lock *l, int (*try)(struct omp_lock *l))
{
	static const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	int64_t deadline = timestamp_monotonic() + WAIT_MS;
	for (;;) {
		int err = try(l);
		if (err != -EBUSY || timestamp_monotonic() >= deadline)
			return err;
		nanosleep(&pause, NULL);
	}
}

int omp_lock_acquire(struct omp_lock *l, const char *session_path)
{
	*l = (struct omp_lock){ .folder = -1, .gate = -1, .file = -1 };
	int err = find_place(l, session_path);
	if (!err)
		err = wait_for(l, try_gate);
	if (!err)
		err = wait_for(l, try_file);
	if (err)
		omp_lock_release(l);
	return err;
}

void omp_lock_release(struct omp_lock *l)
{
	drop_file(l);
	if (l->gate >= 0)
		close(l->gate);
	if (l->folder >= 0)
		close(l->folder);
	l->gate = -1;
	l->folder = -1;
}

int omp_lock_session(const char *path, void **held)
{
	struct omp_lock *lock = malloc(sizeof(*lock));
	if (!lock)
		return -ENOMEM;
	int err = omp_lock_acquire(lock, path);
	if (err)
		free(lock);
	else
		*held = lock;
	return err;
}

void omp_unlock_session(void *held)
{
	omp_lock_release(held);
	free(held);
}
