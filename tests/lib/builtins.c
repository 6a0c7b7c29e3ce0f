/*
 * Programs that tests call often, as builtins of bash: a process costs more
 * than what it does.
 *
 * BASH_ENV=tests/lib/builtins.bash loads them (tests/run). mkdir, rm, cmp, cat
 * and readlink are done here if they have the usual operands. With others, and
 * for all other names, the program is started as posix_spawn(3) does it, which
 * copies nothing of bash's memory. So is what `start PROGRAM ARGUMENT...`
 * names. A test that is about one of these programs says `env PROGRAM`.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* As <bash/builtins.h> and <bash/command.h> have them, which a package of its
 * own brings. */
struct word {
	char *text;
	int flags;
};
struct words {
	struct words *next;
	struct word *word;
};
struct builtin {
	const char *name;
	int (*run)(struct words *);
	int flags;
	const char *const *long_doc;
	const char *short_doc;
	char *handle;
};
extern char **export_env;
void maybe_make_export_env(void);
char *find_user_command(const char *name);
enum { ENABLED = 0x01, NOT_FOUND = 127 };

/* Start a program and wait for it. bash must not see its end, or it would take
 * the status. */
static int start_at(const char *path, char *const argv[])
{
	pid_t pid;
	int status = 0;
	sigset_t child, before;
	posix_spawnattr_t how;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (posix_spawnattr_init(&how) != 0)
		return NOT_FOUND;
	sigprocmask(SIG_BLOCK, &child, &before);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&how, &before);
	int err = posix_spawn(&pid, path, NULL, &how, argv, export_env);
	while (!err && waitpid(pid, &status, 0) < 0)
		err = errno == EINTR ? 0 : errno;
	posix_spawnattr_destroy(&how);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (err) {
		fprintf(stderr, "%s: %s\n", path, strerror(err));
		return err == ENOENT ? NOT_FOUND : NOT_FOUND - 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int start(const char *name, struct words *words)
{
	size_t n = 1;
	for (struct words *w = words; w; w = w->next)
		n++;
	const char **argv = calloc(n + 1, sizeof(*argv));
	char *path = strchr(name, '/') ? strdup(name) : find_user_command(name);
	int status = NOT_FOUND;
	fflush(stdout);
	if (argv && path) {
		argv[0] = name;
		for (n = 1; words; words = words->next)
			argv[n++] = words->word->text;
		maybe_make_export_env();
		status = start_at(path, (char **)argv);
	} else {
		fprintf(stderr, "%s: command not found\n", name);
	}
	free(path);
	free(argv);
	return status;
}

static int start_it(struct words *words)
{
	return words ? start(words->word->text, words->next) : 2;
}

static int complain(const char *what, const char *path)
{
	fprintf(stderr, "%s '%s': %s\n", what, path, strerror(errno));
	return 1;
}

static int make_dir(struct words *all)
{
	struct words *w = all;
	bool parents = w && strcmp(w->word->text, "-p") == 0;
	if (parents)
		w = w->next;
	int status = 0;
	for (; w; w = w->next) {
		char *path = w->word->text;
		if (path[0] == '-')
			return start("mkdir", all);
		for (char *p = path + 1; parents && (p = strchr(p, '/'));
		     *p++ = '/') {
			*p = '\0';
			mkdir(path, 0777);
		}
		struct stat st;
		if (mkdir(path, 0777) != 0 &&
		    !(parents && errno == EEXIST && stat(path, &st) == 0 &&
		      S_ISDIR(st.st_mode)))
			status = complain("mkdir: cannot create directory",
					  path);
	}
	return status;
}

static int remove_it(const char *path, const struct stat *st, int type,
		     struct FTW *at)
{
	(void)st, (void)at;
	if (type == FTW_DNR || type == FTW_NS)
		return -1;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

static int remove_all(struct words *all)
{
	bool deep = false, force = false;
	struct words *w = all;
	for (; w && w->word->text[0] == '-'; w = w->next) {
		const char *o = w->word->text;
		if (strcmp(o, "-rf") == 0)
			deep = force = true;
		else if (strcmp(o, "-r") == 0)
			deep = true;
		else if (strcmp(o, "-f") == 0)
			force = true;
		else if (strcmp(o, "--") != 0 &&
			 strcmp(o, "--one-file-system") != 0)
			return start("rm", all);
	}
	int status = 0;
	for (; w; w = w->next) {
		const char *path = w->word->text;
		struct stat st;
		if (unlink(path) == 0 || (force && errno == ENOENT))
			continue;
		if (!deep || lstat(path, &st) != 0 || !S_ISDIR(st.st_mode))
			status = complain("rm: cannot remove", path);
		else if (nftw(path, remove_it, 32,
			      FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0)
			return start("rm", all);
	}
	return status;
}

static ssize_t copy(int from, int to)
{
	static char bytes[65536];
	ssize_t n;
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		for (ssize_t at = 0, m; at < n; at += m)
			if ((m = write(to, bytes + at, (size_t)(n - at))) < 0)
				return -1;
	return n;
}

static int cat(struct words *all)
{
	for (struct words *w = all; w; w = w->next)
		if (w->word->text[0] == '-')
			return start("cat", all);
	fflush(stdout);
	int status = 0;
	if (!all && copy(0, 1) < 0)
		status = complain("cat:", "-");
	for (struct words *w = all; w; w = w->next) {
		int fd = open(w->word->text, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || copy(fd, 1) < 0) {
			fprintf(stderr, "cat: %s: %s\n", w->word->text,
				strerror(errno));
			status = 1;
		}
		if (fd >= 0)
			close(fd);
	}
	return status;
}

static int read_link(struct words *all)
{
	char target[4096];
	if (!all || all->next || all->word->text[0] == '-')
		return start("readlink", all);
	ssize_t n = readlink(all->word->text, target, sizeof(target));
	if (n < 0)
		return 1;
	printf("%.*s\n", (int)n, target);
	fflush(stdout);
	return 0;
}

static char *whole(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = NULL;
	bool failed = false;
	*size = 0;
	for (ssize_t n = 1; fd >= 0 && n > 0; *size += (size_t)n) {
		char *more = realloc(bytes, *size + 65536);
		n = more ? read(fd, more + *size, 65536) : -1;
		bytes = more ? more : bytes;
		failed = n < 0;
		if (failed)
			break;
	}
	if (fd >= 0)
		close(fd);
	if (failed) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* Two files that are the same; what differs, the program says. */
static int cmp(struct words *all)
{
	if (!all || all->word->text[0] == '-' || !all->next ||
	    all->next->next || all->next->word->text[0] == '-')
		return start("cmp", all);
	size_t n, m;
	char *a = whole(all->word->text, &n),
	     *b = whole(all->next->word->text, &m);
	bool same = a && b && n == m && memcmp(a, b, n) == 0;
	free(a);
	free(b);
	return same ? 0 : start("cmp", all);
}

static const char *const no_doc[] = { NULL };
#define BUILTIN(called, function)                                      \
	struct builtin called##_struct = { #called, function, ENABLED, \
					   no_doc,  #called,  NULL }
#define STARTED(called)                            \
	static int start_##called(struct words *w) \
	{                                          \
		return start(#called, w);          \
	}                                          \
	BUILTIN(called, start_##called)

BUILTIN(start, start_it);
BUILTIN(mkdir, make_dir);
BUILTIN(rm, remove_all);
BUILTIN(cat, cat);
BUILTIN(readlink, read_link);
BUILTIN(cmp, cmp);
STARTED(ln);
STARTED(ls);
STARTED(cp);
STARTED(mv);
STARTED(install);
STARTED(grep);
STARTED(sed);
STARTED(stat);
STARTED(wc);
STARTED(touch);
STARTED(chmod);
STARTED(env);
STARTED(fusermount3);
STARTED(python3);
