#include "tests/mounts/mounts.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>

enum { TEST_SECONDS = 60 };

const char *mounts_session;
const char *mounts_at;
const char *mounts_second;
struct buf mounts_output;
struct buf mounts_errors;
struct buf mounts_kept;

static const char *root;    /* of the repository */
static const char *program; /* that is tested */
static const char *logs;    /* the sanitizers' */
static const char *mount_point;
static struct buf text; /* what was read last */
extern char **environ;

/* Mounting. */

const char *sessfs_program(void)
{
	return program;
}

const char *fixture(const char *name)
{
	static char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/tests/fixtures/%s", root, name);
	return path;
}

const char *in_second(const char *path)
{
	char name[512];
	snprintf(name, sizeof(name), "second/%s", path);
	return test_path(name);
}

static void mount_at(const char *source, const char *at, const char *options)
{
	int status = options ? RUN(program, "-o", options, source, at)
			     : RUN(program, source, at);
	test_need(status == 0, "mounting failed");
}

void mount_source(const char *source)
{
	mount_at(source, mounts_at, NULL);
	test_need(chdir(mounts_at) == 0, mounts_at);
}

/* The library comes before the sanitizer's, which would refuse that. env(1)
 * has it preloaded for sessfs alone. */
const char *const *intercepted(const char *const settings[],
			       const char *const argv[])
{
	static char preload[PATH_MAX + 32], options[PATH_MAX + 128];
	static const char *words[32];
	size_t n = 3;
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s/build/intercept.so",
		 root);
	test_need(access(strchr(preload, '/'), R_OK) == 0, preload);
	snprintf(options, sizeof(options),
		 "ASAN_OPTIONS=%s:verify_asan_link_order=0",
		 getenv("ASAN_OPTIONS"));
	words[0] = "env";
	words[1] = preload;
	words[2] = options;
	for (size_t i = 0; settings[i]; i++)
		words[n++] = settings[i];
	for (size_t i = 0; argv[i] && n < COUNT(words) - 1; i++)
		words[n++] = argv[i];
	words[n] = NULL;
	return words;
}

void mount_intercepted(const char *source, const char *const settings[])
{
	test_need(run_program(intercepted(settings,
					  COMMAND(source, mounts_at))) == 0,
		  "mounting failed");
	test_need(chdir(mounts_at) == 0, mounts_at);
}

const char *const *meeting(const char *what, const char *kinds,
			   const char *const argv[])
{
	return intercepted(PIECES("CALL_NTH=1", filled("CALL_DO=%s", what),
				  filled("CALL_KINDS=%s", kinds),
				  filled("CALL_WHILE=%s", test_path("while")),
				  filled("CALL_REPORT=%s", test_path("met"))),
			   argv);
}

void mount_meeting(const char *what, const char *kinds)
{
	test_need(run_program(meeting(what, kinds,
				      COMMAND(mounts_session, mounts_at))) == 0,
		  "mounting failed");
	test_need(chdir(mounts_at) == 0, mounts_at);
}

/* Mount the folder of the session beside it. */
static void mount_around(const char *options)
{
	static char at[300], session[340];
	const char *name = strrchr(mounts_session, '/') + 1;
	snprintf(at, sizeof(at), "%s.around", test_folder);
	snprintf(session, sizeof(session), "%s/%.*s", at,
		 (int)strcspn(name, "."), name);
	mkdir(at, 0755);
	mount_at(test_folder, at, options);
	mounts_at = session;
	test_need(chdir(session) == 0, session);
}

void mount_with(const char *options)
{
	if (getenv("IN_FOLDER")) {
		mount_around(options);
		return;
	}
	mount_at(mounts_session, mounts_at, options);
	test_need(chdir(mounts_at) == 0, mounts_at);
}

void mount_session(void)
{
	mount_with(NULL);
}

void mount_lines(const char *lines)
{
	test_file("session.jsonl", lines);
	mount_session();
}

void test_copy(const char *from, const char *to)
{
	struct buf b = { 0 };
	test_put(to, O_TRUNC, buf_span(test_read(from, &b)));
	buf_free(&b);
}

size_t copy_fixtures(const char *folder, const char *words)
{
	size_t n = 0;
	const struct dirent *d;
	DIR *dir = opendir(fixture(""));
	test_need(dir != NULL && mkdir(test_path(folder), 0755) == 0, folder);
	while ((d = readdir(dir))) {
		char to[512];
		if (!strstr(d->d_name, words))
			continue;
		snprintf(to, sizeof(to), "%s/%s", folder, d->d_name);
		test_copy(fixture(d->d_name), test_path(to));
		n++;
	}
	closedir(dir);
	return n;
}

void mount_fixture(const char *name)
{
	test_copy(fixture(name), mounts_session);
	char sidecar[NAME_MAX];
	snprintf(sidecar, sizeof(sidecar), "%.*s.head.json",
		 (int)(strlen(name) - 6), name);
	if (access(fixture(sidecar), F_OK) == 0)
		test_copy(fixture(sidecar), test_path("session.head.json"));
	mount_session();
}

void mount_second(void)
{
	mkdir(mounts_second, 0755);
	mount_at(mounts_session, mounts_second, NULL);
}

/* Add a path as mountinfo has it, with blanks and such as \040. */
static void add_mount(struct buf *b, struct span at)
{
	while (at.n > 0) {
		struct span part = span_next(&at, '\\');
		bool escaped = part.p + part.n < at.p && at.n >= 3;
		char digits[] = "000";
		buf_add(b, part);
		if (!escaped)
			continue;
		memcpy(digits, at.p, 3);
		buf_addc(b, (char)strtol(digits, NULL, 8));
		at.p += 3;
		at.n -= 3;
	}
}

/* Unmount everything in the test's folder and beside it, the last mount first.
 * With `force` those that are busy, too; for root what waits for them fails. */
static bool unmount_all(bool force)
{
	static const char lazily[] = "-uz";
	struct buf table = { 0 }, found = { 0 };
	bool done = true;
	buf_add(&table, text_of("/proc/self/mountinfo"));
	for (struct span rest = buf_span(&table); rest.n > 0;) {
		struct span line = span_next(&rest, '\n'), at = line;
		for (int i = 0; i < 5; i++)
			at = span_next(&line, ' ');
		if (!span_starts(at, span_of(test_folder)))
			continue;
		add_mount(&found, at);
		buf_addc(&found, '\0');
	}
	while (found.len > 0) {
		found.len--;
		while (found.len > 0 && found.data[found.len - 1] != '\0')
			found.len--;
		const char *at = found.data + found.len;
		done &= geteuid() == 0
				? umount2(at, force ? MNT_FORCE | MNT_DETACH
						    : 0) == 0
				: RUN("fusermount3", force ? lazily : "-u",
				      at) == 0;
	}
	buf_free(&table);
	buf_free(&found);
	return done;
}

/* A daemon that a sanitizer ends has written a report. One of libfuse's leaks
 * is excused. */
static void check_ended(int status)
{
	if (status == 0)
		return;
	CHECK(WIFEXITED(status));
	char command[2 * PATH_MAX];
	snprintf(command, sizeof(command), "%s/tests/lib/reports %s >&2", root,
		 logs);
	CHECK_INT(getenv("SAN") && RUN("sh", "-c", command) == 0 ? 0 : status,
		  0);
}

void unmount(void)
{
	int status;
	test_need(chdir("/") == 0, "/");
	mounts_at = mount_point;
	CHECK(unmount_all(false));
	while (waitpid(-1, &status, 0) > 0)
		check_ended(status);
	rmdir(mounts_second);
}

void unmount_at(const char *at)
{
	int status;
	CHECK_INT(RUN("fusermount3", "-u", at), 0);
	test_need(waitpid(-1, &status, 0) > 0, at);
	check_ended(status);
}

pid_t daemon_pid(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	struct span s = text_of(path), first = span_next(&s, ' ');
	test_need(first.n > 0, "there is no daemon");
	return (pid_t)strtol(first.p, NULL, 10);
}

/* Programs. */

/* With stdout and stderr there, unless they are -1. */
static pid_t start_to(const char *const argv[], int output, int errors)
{
	const int to[] = { output, errors };
	pid_t pid;
	posix_spawn_file_actions_t files;
	test_need(posix_spawn_file_actions_init(&files) == 0, "posix_spawn");
	for (int i = 0; i < 2; i++)
		test_need(to[i] < 0 || posix_spawn_file_actions_adddup2(
					       &files, to[i], i + 1) == 0,
			  "dup2");
	int err = posix_spawnp(&pid, argv[0], &files, NULL, (char **)argv,
			       environ);
	posix_spawn_file_actions_destroy(&files);
	return err ? -1 : pid;
}

int wait_program(pid_t pid)
{
	int status;
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_to(const char *const argv[], int output, int errors)
{
	pid_t pid = start_to(argv, output, errors);
	return pid < 0 ? -1 : wait_program(pid);
}

int run_program(const char *const argv[])
{
	return run_to(argv, -1, -1);
}

/* A file for what is printed, since a daemon would hold a pipe open. */
static int open_said(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	test_need(fd >= 0, path);
	return fd;
}

pid_t start_program(const char *const argv[], const char *said)
{
	int fd = open_said(said);
	pid_t pid = start_to(argv, fd, fd);
	test_need(pid > 0, argv[0]);
	close(fd);
	return pid;
}

/* Close and remove the file that was printed to, and take what it has. */
static void take_said(int fd, const char *path, struct buf *b)
{
	close(fd);
	test_read(path, b);
	unlink(path);
}

int hear_program(const char *const argv[])
{
	const char *said = test_path("said");
	int fd = open_said(said), status = run_to(argv, fd, fd);
	take_said(fd, said, &mounts_output);
	return status;
}

int hear_apart(const char *const argv[])
{
	const char *said = test_path("said"), *errors = test_path("errors");
	int to = open_said(said), errors_to = open_said(errors),
	    status = run_to(argv, to, errors_to);
	take_said(to, said, &mounts_output);
	take_said(errors_to, errors, &mounts_errors);
	return status;
}

/* Print what a program has done if it is not as wanted. */
static bool told(bool is, int status)
{
	if (is)
		return true;
	fprintf(stderr, "    status %d\n", status);
	test_print("stdout", buf_span(&mounts_output));
	test_print("stderr", buf_span(&mounts_errors));
	return false;
}

static bool is_heard(const struct buf *said, const char *want)
{
	return !want || span_eq(buf_span(said), span_of(want));
}

bool program_says(int status, const char *output, const char *errors,
		  const char *const argv[])
{
	int got = hear_apart(argv);
	return told(got == status && is_heard(&mounts_output, output) &&
			    is_heard(&mounts_errors, errors),
		    got);
}

bool prints(const char *want, const char *const argv[])
{
	return program_says(0, want, "", argv);
}

bool refuses(int status, const char *line, const char *const argv[])
{
	return program_says(status, "", filled("%s\n", line), argv);
}

bool fails_in_a_line(int status, const char *words, const char *const argv[])
{
	int got = hear_apart(argv);
	struct span said = buf_span(&mounts_errors), rest = said;
	span_next_line(&rest);
	return told(got == status && mounts_output.len == 0 && rest.n == 0 &&
			    span_ends(said, SPAN("\n")) &&
			    memmem(said.p, said.n, words, strlen(words)),
		    got);
}

pid_t start_prepared(void (*prepare)(int number), int number,
		     const char *const argv[])
{
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid > 0)
		return pid;
	if (prepare)
		prepare(number);
	execvp(argv[0], (char **)argv);
	_exit(127);
}

void give_input(const char *bytes)
{
	const char *path = test_path("given");
	test_put(path, O_TRUNC, span_of(bytes));
	int fd = open(path, O_RDONLY);
	test_need(fd >= 0 && (fd == 0 || dup2(fd, 0) == 0), path);
	if (fd > 0)
		close(fd);
	unlink(path);
}

const char *const *as_nobody(const char *const argv[])
{
	static const char *words[32] = { "setpriv", "--reuid=65534",
					 "--regid=65534", "--clear-groups" };
	size_t n = 4;
	for (size_t i = 0; argv[i] && n < COUNT(words) - 1; i++)
		words[n++] = argv[i];
	words[n] = NULL;
	return words;
}

const char *filled(const char *form, ...)
{
	static char *texts[64];
	static unsigned next;
	char **text_at = &texts[next++ % COUNT(texts)];
	va_list values;
	free(*text_at);
	va_start(values, form);
	test_need(vasprintf(text_at, form, values) >= 0, form);
	va_end(values);
	return *text_at;
}

void make_folder(const char *path)
{
	char at[PATH_MAX];
	snprintf(at, sizeof(at), "%s", path);
	for (char *p = strchr(at + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(at, 0755);
		*p = '/';
	}
	test_need(mkdir(at, 0755) == 0 || errno == EEXIST, path);
}

void put_lines(const char *path, const char *lines)
{
	struct buf b = test_quoted(lines);
	make_folder(filled("%.*s", (int)(strrchr(path, '/') - path), path));
	test_put(path, O_TRUNC, buf_span(&b));
	buf_free(&b);
}

bool is_copy(const char *path, const char *other)
{
	struct buf b = { 0 };
	buf_add(&b, text_of(path));
	bool is = exists(path) && exists(other) &&
		  span_eq(text_of(other), buf_span(&b));
	buf_free(&b);
	return is;
}

void make_home(void)
{
	static const char *const unset[] = { "PI_CODING_AGENT_DIR",
					     "PI_CODING_AGENT_SESSION_DIR",
					     "PI_CONFIG_DIR",
					     "CLAUDE_CONFIG_DIR",
					     "XDG_DATA_HOME",
					     "XDG_CACHE_HOME",
					     "TMPDIR",
					     "TMP",
					     "TEMP",
					     "NO_COLOR",
					     "LESS",
					     "PAGER",
					     "FZF_DEFAULT_OPTS",
					     "FZF_DEFAULT_COMMAND" };
	const char *home = test_path("home"), *run = test_path("run");
	test_need(mkdir(home, 0755) == 0 && mkdir(run, 0700) == 0, home);
	for (size_t i = 0; i < COUNT(unset); i++)
		unsetenv(unset[i]);
	setenv("HOME", home, 1);
	setenv("XDG_RUNTIME_DIR", run, 1);
	setenv("TERM", "xterm", 1);
}

const char *join(const char *folder, const char *name)
{
	return filled("%s/%s", folder, name);
}

void check_as_nobody(void (*checks)(void))
{
	enum { NOBODY = 65534 };
	const char *const theirs[] = { test_folder, mounts_session, mounts_at };
	int status;
	for (size_t i = 0; i < COUNT(theirs); i++)
		test_need(chown(theirs[i], NOBODY, NOBODY) == 0, theirs[i]);
	fflush(stdout);
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		test_need(setgroups(0, NULL) == 0 &&
				  setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
				  setresuid(NOBODY, NOBODY, NOBODY) == 0,
			  "nobody");
		mount_session();
		test_failures = 0;
		checks();
		_exit(test_failures > 0);
	}
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	CHECK_INT(status, 0);
}

/* Reading. */

struct span text_of(const char *path)
{
	buf_clear(&text);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;
	while (n > 0) {
		char *to = buf_reserve(&text, 65536);
		test_need(to != NULL, path);
		n = read(fd, to, 65536);
		text.len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		buf_add(&text, span_of(strerror(errno)));
	if (fd >= 0)
		close(fd);
	return buf_span(&text);
}

static struct span names(const char *path, int (*order)(const struct dirent **,
							const struct dirent **))
{
	struct dirent **found;
	buf_clear(&text);
	int n = scandir(path, &found, NULL, order);
	if (n < 0)
		return span_of(strerror(errno));
	for (int i = 0; i < n; free(found[i++]))
		if (found[i]->d_name[0] != '.') {
			buf_add(&text, span_of(found[i]->d_name));
			buf_addc(&text, ' ');
		}
	free(found);
	return buf_span(&text);
}

struct span names_in(const char *path)
{
	return names(path, alphasort);
}

struct span listed_in(const char *path)
{
	return names(path, NULL);
}

struct span names_in_root(void)
{
	static const char forks[] = " forks ";
	struct span s = names_in(".");
	char *at = getenv("IN_FOLDER") ? memmem(s.p, s.n, forks, strlen(forks))
				       : NULL;
	if (!at)
		return s;
	memmove(at, at + strlen(" forks"),
		(size_t)(s.p + s.n - at) - strlen(" forks"));
	text.len -= strlen(" forks");
	return buf_span(&text);
}

struct span link_at(const char *path)
{
	static char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target));
	return (struct span){ target, n < 0 ? 0 : (size_t)n };
}

bool has(const char *path, const char *want)
{
	struct span s = text_of(path);
	return memmem(s.p, s.n, want, strlen(want)) != NULL;
}

struct span value_in(const char *path, const char *key)
{
	for (struct span rest = text_of(path); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		if (!span_starts(line, span_of(key)) ||
		    line.n < strlen(key) + 2 ||
		    memcmp(line.p + strlen(key), ": ", 2) != 0)
			continue;
		line.p += strlen(key) + 2;
		line.n -= strlen(key) + 2;
		return line;
	}
	return SPAN("");
}

long long number_in(const char *path, const char *key)
{
	struct span s = value_in(path, key);
	return s.n > 0 && isdigit((unsigned char)s.p[0])
		       ? strtoll(s.p, NULL, 10)
		       : -1;
}

struct stat stat_of(const char *path)
{
	struct stat st = { 0 };
	test_check(lstat(path, &st) == 0, __FILE__, __LINE__, path);
	return st;
}

bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

cJSON *parsed(const char *path)
{
	struct span s = text_of(path);
	cJSON *json = cJSON_ParseWithLength(s.p, s.n);
	test_need(json != NULL, path);
	return json;
}

bool is_json(const char *path, const char *want)
{
	struct buf b = test_quoted(want);
	cJSON *got = parsed(path),
	      *wanted = cJSON_ParseWithLength(b.data, b.len);
	test_need(wanted != NULL, want);
	bool is = cJSON_Compare(got, wanted, true);
	if (!is)
		test_print("got ", text_of(path));
	cJSON_Delete(got);
	cJSON_Delete(wanted);
	buf_free(&b);
	return is;
}

/* Trees of files. */

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

FTS *walk_tree(const char *folder)
{
	char *paths[] = { (char *)folder, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	test_need(fts != NULL, folder);
	return fts;
}

static bool is_among(const char *name, const char *const names[])
{
	for (size_t i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

const FTSENT *next_in_tree(FTS *fts, int level, const char *const without[])
{
	FTSENT *e;
	while ((e = fts_read(fts))) {
		if (e->fts_info == FTS_DP)
			continue;
		if (e->fts_level == 0 || (level > 0 && e->fts_level != level) ||
		    !is_among(e->fts_name, without))
			return e;
		fts_set(fts, e, FTS_SKIP);
	}
	return NULL;
}

/* Have both the same type, text or target, and on demand the same mode and
 * time? Owners can write to folders of an export. */
static bool is_alike(const FTSENT *a, const FTSENT *b, bool with_attributes)
{
	const struct stat *x = a->fts_statp, *y = b->fts_statp;
	char to[PATH_MAX];
	mode_t mode = S_ISDIR(x->st_mode) ? x->st_mode | S_IWUSR : x->st_mode;
	if ((x->st_mode & S_IFMT) != (y->st_mode & S_IFMT))
		return false;
	if (with_attributes &&
	    (mode != y->st_mode || x->st_mtim.tv_sec != y->st_mtim.tv_sec ||
	     x->st_mtim.tv_nsec != y->st_mtim.tv_nsec))
		return false;
	if (S_ISDIR(x->st_mode))
		return true;
	if (S_ISREG(x->st_mode))
		return x->st_size == y->st_size &&
		       is_copy(a->fts_path, b->fts_path);
	struct span target = link_at(a->fts_path);
	snprintf(to, sizeof(to), "%.*s", (int)target.n, target.p);
	return target.n > 0 && span_eq(link_at(b->fts_path), span_of(to));
}

bool are_trees_alike(const char *one, const char *const not_in_one[],
		     const char *other, const char *const not_in_other[],
		     bool with_attributes)
{
	FTS *a = walk_tree(one), *b = walk_tree(other);
	const FTSENT *x, *y;
	bool are = true;
	size_t n = 0;
	do {
		x = next_in_tree(a, 1, not_in_one);
		y = next_in_tree(b, 1, not_in_other);
		if (!x || !y)
			break;
		are = strcmp(x->fts_path + strlen(one),
			     y->fts_path + strlen(other)) == 0 &&
		      is_alike(x, y, with_attributes && x->fts_level > 0);
		n++;
	} while (are);
	if (!are || x || y)
		fprintf(stderr, "    %s is not as %s\n", y ? y->fts_path : "-",
			x ? x->fts_path : "-");
	are = are && !x && !y && n > 0;
	fts_close(a);
	fts_close(b);
	return are;
}

bool is_same_tree(const char *one, const char *other)
{
	return are_trees_alike(one, PIECES(NULL), other, PIECES(NULL), false);
}

/* Writing. */

int write_with(int flags, const char *path, struct span bytes)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666), err = 0;
	if (fd < 0)
		return errno;
	if (bytes.n > 0 && write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
		err = errno;
	if (close(fd) != 0 && !err)
		err = errno;
	return err;
}

int put(const char *path, const char *bytes)
{
	return write_with(O_CREAT | O_TRUNC, path, span_of(bytes));
}

int put_pieces(int flags, const char *path, const char *const pieces[])
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags), err = 0;
	if (fd < 0)
		return errno;
	for (size_t i = 0; pieces[i] && !err; i++)
		if (write(fd, pieces[i], strlen(pieces[i])) < 0)
			err = errno;
	if (close(fd) != 0 && !err)
		err = errno;
	return err;
}

int append(const char *line)
{
	return write_with(0, "append", span_of(line));
}

int say(const char *lines)
{
	struct buf b = test_quoted(lines);
	if (!span_ends(buf_span(&b), SPAN("\n")))
		buf_addc(&b, '\n');
	int err = write_with(O_TRUNC, "append", buf_span(&b));
	buf_free(&b);
	return err;
}

bool is_refused(const char *line, const char *why)
{
	struct buf before = { 0 };
	size_t reasons = 0;
	bool is;
	test_read(mounts_session, &before);
	is = say(line) == EINVAL &&
	     span_eq(text_of(mounts_session), buf_span(&before));
	buf_free(&before);
	for (struct span rest = text_of("info"); rest.n > 0;)
		reasons += span_starts(span_next(&rest, '\n'),
				       SPAN("last-refused: "));
	struct span s = value_in("info", "last-refused");
	if (is && reasons == 1 && s.n > 0 && memmem(s.p, s.n, why, strlen(why)))
		return true;
	test_print("line  ", span_of(line));
	test_print("reason", s);
	return false;
}

int move_head(const char *target)
{
	static const char staged[] = "CuXXXXXX";
	if (symlink(target, "HEAD") == 0)
		return 0;
	if (errno != EEXIST || symlink(target, staged) != 0)
		return errno;
	int err = ERRNO(rename(staged, "HEAD"));
	if (err)
		unlink(staged);
	return err;
}

/* The session's file. */

size_t session_lines(void)
{
	struct span s = text_of(mounts_session);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

cJSON *last_line(void)
{
	struct span s = text_of(mounts_session);
	size_t from = s.n > 0 ? s.n - 1 : 0;
	while (from > 0 && s.p[from - 1] != '\n')
		from--;
	cJSON *line = cJSON_ParseWithLength(s.p + from, s.n - from);
	test_need(line != NULL, "the last line is no JSON");
	return line;
}

static const cJSON *member_of(const cJSON *object, const char *name)
{
	const cJSON *member, *found = NULL;
	for (member = children_of(object); member; member = member->next)
		if (member->string && strcmp(member->string, name) == 0)
			found = member;
	return found;
}

struct span last(const char *name)
{
	static struct buf value;
	cJSON *line = last_line();
	const cJSON *member = member_of(line, name);
	char *json = member && !cJSON_IsString(member)
			     ? cJSON_PrintUnformatted(member)
			     : NULL;
	buf_clear(&value);
	buf_add(&value, span_of(!member ? "-"
				: json	? json
					: member->valuestring));
	free(json);
	cJSON_Delete(line);
	return buf_span(&value);
}

cJSON *session_values(void)
{
	cJSON *values = cJSON_CreateArray();
	test_need(values != NULL, "memory");
	for (struct span rest = text_of(mounts_session); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		cJSON *value = cJSON_ParseWithLength(line.p, line.n);
		if (value)
			cJSON_AddItemToArray(values, value);
	}
	return values;
}

/* The number of a value that may be counted from the end. */
static int number_of(const cJSON *values, int n)
{
	return n < 0 ? cJSON_GetArraySize(values) + n : n;
}

struct span member(int n, const char *path)
{
	static struct buf texts[8];
	static unsigned next;
	struct buf *b = &texts[next++ % COUNT(texts)];
	cJSON *values = session_values(),
	      *at = cJSON_GetArrayItem(values, number_of(values, n));
	for (struct span rest = span_of(path); at && rest.n > 0;) {
		char name[64];
		struct span s = span_next(&rest, '.');
		snprintf(name, sizeof(name), "%.*s", (int)s.n, s.p);
		at = cJSON_GetObjectItemCaseSensitive(at, name);
	}
	char *json =
		at && !cJSON_IsString(at) ? cJSON_PrintUnformatted(at) : NULL;
	buf_clear(b);
	buf_add(b, span_of(!at ? "-" : json ? json : at->valuestring));
	free(json);
	cJSON_Delete(values);
	return buf_span(b);
}

bool is_shaped(const char *s, const char *shape)
{
	if (!s || strlen(s) != strlen(shape))
		return false;
	for (; *s; s++, shape++)
		if (*shape == '0'   ? !isdigit((unsigned char)*s)
		    : *shape == 'x' ? !strchr("0123456789abcdef", *s)
				    : *s != *shape)
			return false;
	return true;
}

static const char *string_in(const cJSON *value, const char *name)
{
	return cJSON_GetStringValue(member_of(value, name));
}

static bool have_new_ids(int n, bool and_times)
{
	cJSON *values = session_values();
	const cJSON *first = cJSON_GetArrayItem(values, number_of(values, n));
	bool are = first != NULL;
	for (const cJSON *e = first; e; e = e->next) {
		const char *id = string_in(e, "id");
		const cJSON *other;
		size_t same = 0;
		for (other = children_of(values); other; other = other->next) {
			const char *its = string_in(other, "id");
			same += id && its && strcmp(id, its) == 0;
		}
		are = are && same == 1 && is_shaped(id, "xxxxxxxx") &&
		      (!and_times || is_shaped(string_in(e, "timestamp"),
					       "0000-00-00T00:00:00.000Z"));
	}
	cJSON_Delete(values);
	return are;
}

bool are_made(int n)
{
	return have_new_ids(n, true);
}

bool has_new_id(void)
{
	return have_new_ids(-1, false);
}

bool are_chained(int n)
{
	cJSON *values = session_values();
	int from = number_of(values, n);
	const cJSON *above = cJSON_GetArrayItem(values, from - 1);
	bool are = above && above->next;
	for (; above && above->next; above = above->next) {
		const char *id = string_in(above, "id"),
			   *parent = string_in(above->next, "parentId");
		are = are && id && parent && strcmp(id, parent) == 0;
	}
	cJSON_Delete(values);
	return are;
}

int in_processes(int n, int (*run)(int number))
{
	pid_t *children = calloc((size_t)n, sizeof(*children));
	int err = 0;
	test_need(children != NULL, "memory");
	for (int i = 0; i < n; i++) {
		children[i] = fork();
		test_need(children[i] >= 0, "fork");
		if (children[i] == 0)
			_exit(run(i));
	}
	for (int i = 0; i < n; i++) {
		int status;
		test_need(waitpid(children[i], &status, 0) == children[i],
			  "waitpid");
		if (status != 0)
			err = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	}
	free(children);
	return err;
}

void keep_session(void)
{
	test_read(mounts_session, &mounts_kept);
}

bool have_come(size_t lines)
{
	struct span now = text_of(mounts_session),
		    kept = buf_span(&mounts_kept);
	size_t n = 0;
	for (size_t i = kept.n; i < now.n; i++)
		n += now.p[i] == '\n';
	bool have = span_starts(now, kept) && span_ends(now, SPAN("\n")) &&
		    n == lines;
	if (!have)
		test_print("the session is", now);
	return have;
}

bool came(size_t lines, const char *fixture_name)
{
	test_read(fixture(fixture_name), &mounts_kept);
	return have_come(lines);
}

void append_user(const char *id, const char *parent, const char *says)
{
	char line[4096], up[300];
	snprintf(up, sizeof(up), parent ? "'%s'" : "null", parent);
	snprintf(line, sizeof(line), USER("%s", "%s", "%s"), id, up, says);
	test_append("session.jsonl", line);
}

void write_many(const char *shape, unsigned n)
{
	bool is_chain = strcmp(shape, "chain") == 0,
	     is_cycle = strcmp(shape, "cycle") == 0;
	FILE *f = fopen(test_file("session.jsonl", HEADER), "a");
	test_need(f != NULL, shape);
	for (unsigned i = 0; i < n; i++) {
		char line[512], up[16] = "null";
		if ((is_chain && i > 0) || is_cycle)
			snprintf(up, sizeof(up), "'%08x'",
				 i > 0 ? i - 1 : n - 1);
		snprintf(line, sizeof(line), USER("%08x", "%s", "entry %u"), i,
			 up, i);
		for (char *p = line; (p = strchr(p, '\'')); p++)
			*p = '"';
		fputs(line, f);
	}
	test_need(!ferror(f) && fclose(f) == 0, shape);
}

void add_lines(const char *const lines[])
{
	for (size_t i = 0; lines[i]; i++)
		test_append("session.jsonl", lines[i]);
}

#define TEN_TIMES(s) s s s s s s s s s s

/* Ids as JSON has them. */
static const char *const evil[] = {
	"../../etc/passwd",
	"/etc/passwd",
	"..",
	".",
	"/",
	"//",
	"../..",
	"a/../../../x",
	"%2e%2e",
	"%-",
	"..%2f..",
	"%2E%2E%2F",
	"..\\n..",
	"x\\u0000/../y",
	"content",
	"parent",
	"label",
	"meta",
	"context.txt",
	"\\\\..\\\\..",
	TEN_TIMES("../../../../../../../../../") "etc/passwd",
	"HEAD",
	"~root",
	"-rf",
	"\\u001b[2J",
	"1.png",
	"\\ud800",
	TEN_TIMES(TEN_TIMES("aaa")),
	"../HEAD",
	"../../../proc/self/root",
};

/* Add the text between others, which have ' for ". */
static void add_evil(struct buf *b, const char *before, const char *id,
		     const char *after)
{
	struct buf quoted = test_quoted(before);
	buf_add(b, buf_span(&quoted));
	buf_free(&quoted);
	buf_adds(b, id);
	quoted = test_quoted(after);
	buf_add(b, buf_span(&quoted));
	buf_free(&quoted);
}

void write_evil(void)
{
	static const char said[] = "'timestamp':'2026-03-01T10:00:01.000Z',"
				   "'message':{'role':'user','content':'x'}}\n";
	struct buf b = { 0 };
	add_evil(&b, "{'type':'session','version':3,'id':'", "../../id",
		 "','timestamp':'2026-03-01T10:00:00.000Z','cwd':'/'}\n");
	for (size_t i = 0; i < COUNT(evil); i++) {
		add_evil(&b, "{'type':'message','id':'", evil[i], "',");
		if (i > 0)
			add_evil(&b, "'parentId':'", evil[i - 1], "',");
		else
			add_evil(&b, "'parentId':null,", "", "");
		add_evil(&b, said, "", "{'type':'message','id':'");
		buf_adds(&b, evil[i]);
		/* Another one, which ends with an apostrophe. */
		add_evil(&b, "", "'", "','parentId':'../../etc/passwd',");
		add_evil(&b, said, "", "");
	}
	for (size_t i = 0; i < COUNT(evil); i++) {
		char line[64];
		snprintf(line, sizeof(line), "{'type':'label','id':'l%zu',", i);
		add_evil(&b, line, "", "'parentId':'");
		add_evil(&b, "", evil[COUNT(evil) - 1], "','targetId':'");
		add_evil(&b, "", evil[i], "','label':'");
		add_evil(&b, "", evil[i], "'}\n");
	}
	test_put(mounts_session, O_TRUNC, buf_span(&b));
	buf_free(&b);
}

/* Running the tests. */

/* Leave nothing of a test behind for the next one. */
static void clear_folder(void)
{
	unmount();
	test_remove();
	test_need(mkdir(test_folder, 0755) == 0 &&
			  mkdir(mount_point, 0755) == 0 &&
			  mkdir(logs, 01777) == 0,
		  test_folder);
}

/* In the child. Its exit status. */
static int run_all(const char *name, const struct mounts_test *tests, size_t n,
		   const char **title)
{
	const char *chosen = getenv("ONLY");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (size_t i = 0; i < n; i++) {
		if (chosen ? !strstr(tests[i].title, chosen)
			   : (tests[i].flags & MOUNTS_FULL) && !getenv("FULL"))
			continue;
		if ((tests[i].flags & MOUNTS_ROOT) && geteuid() != 0) {
			printf("ok %s: %s # skip this test needs root\n", name,
			       tests[i].title);
			continue;
		}
		unsigned failed = test_failures;
		test_row = NULL;
		*title = tests[i].title;
		alarm(TEST_SECONDS * (getenv("SAN") ? 10 : 1));
		tests[i].run();
		clear_folder();
		printf("%s %s: %s\n", test_failures > failed ? "not ok" : "ok",
		       name, tests[i].title);
		fflush(stdout);
	}
	fflush(stdout);
	return test_failures > 0;
}

/* Wait for the tests, or for a signal that ends them. */
static int wait_for(pid_t child, const sigset_t *signals)
{
	int status, sig;
	for (;;) {
		test_need(sigwait(signals, &sig) == 0, "sigwait");
		if (sig != SIGCHLD)
			kill(child, SIGKILL);
		if (waitpid(child, &status, sig == SIGCHLD ? WNOHANG : 0) ==
		    child)
			return sig == SIGCHLD ? status : sig;
	}
}

static void clear_away(void)
{
	char around[300];
	snprintf(around, sizeof(around), "%s.around", test_folder);
	if (!unmount_all(true))
		fprintf(stderr, "%s has a mount that can't be unmounted\n",
			test_folder);
	rmdir(around);
}

static void settle(void)
{
	static char at[PATH_MAX], of_program[PATH_MAX];
	test_need(getcwd(at, sizeof(at)) != NULL, "getcwd");
	root = getenv("ROOT") ? getenv("ROOT") : at;
	const char *named =
		getenv("SESSFS") ? getenv("SESSFS") : "build/sessfs";
	test_need(realpath(named, of_program) != NULL, named);
	program = of_program;
	setenv("SESSFS", program, 1);
	umask(022);
	/* Nothing is written to the real user's cache. */
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	/* Other processes' copies of the machine's mounts would keep daemons
	 * alive. */
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0)
		mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
	mount_point = strdup(test_path("mnt"));
	mounts_at = mount_point;
	mounts_second = strdup(test_path("second"));
	mounts_session = strdup(test_path("session.jsonl"));
	logs = strdup(test_path("logs"));
	test_need(mounts_at && mounts_second && mounts_session && logs,
		  "memory");
	char options[PATH_MAX + 64];
	snprintf(options, sizeof(options), "log_path=%s/asan", logs);
	setenv("ASAN_OPTIONS", options, 1);
	snprintf(options, sizeof(options),
		 "log_path=%s/ubsan:print_stacktrace=1", logs);
	setenv("UBSAN_OPTIONS", options, 1);
}

/* Why no test can run here; NULL if they can. */
static const char *hindered(void)
{
	char can_mount[PATH_MAX + 32];
	snprintf(can_mount, sizeof(can_mount), "%s/tests/can-mount", root);
	if (HEAR(can_mount) == 0)
		return NULL;
	buf_addc(&mounts_output, '\0');
	return mounts_output.data;
}

int mounts_run(const char *file, const struct mounts_test *tests, size_t n)
{
	char name[64];
	snprintf(name, sizeof(name), "%s",
		 strrchr(file, '/') + 1 + strlen("test_"));
	*strchr(name, '.') = '\0';
	settle();
	const char *why = hindered();
	if (why) {
		printf("%s %s: %s", getenv("MAY_SKIP") ? "skipped" : "not ok",
		       name, why);
		return !getenv("MAY_SKIP");
	}
	/* The title is shared with the child. */
	const char **title = mmap(NULL, sizeof(*title), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_need(title != MAP_FAILED, "mmap");
	sigset_t signals, before;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	pid_t child = fork();
	test_need(child >= 0, "fork");
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		clear_folder();
		_exit(run_all(name, tests, n, title));
	}
	int status = wait_for(child, &signals);
	clear_away();
	if (WIFSIGNALED(status))
		printf("not ok %s: %s (%s)\n", name, *title ? *title : "",
		       WTERMSIG(status) == SIGALRM
			       ? "it hangs"
			       : strsignal(WTERMSIG(status)));
	return status != 0;
}
