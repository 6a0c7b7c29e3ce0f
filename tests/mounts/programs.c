#include "tests/mounts/mounts.h"

#include <signal.h>
#include <spawn.h>
#include <stdarg.h>

extern char **environ;
struct buf mounts_output;
struct buf mounts_errors;

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

/* The library comes before the sanitizer's, which would refuse that. env(1)
 * has it preloaded for sessfs alone. */
const char *const *intercepted(const char *const settings[],
			       const char *const argv[])
{
	static const char *words[32] = { "env" };
	const char *library = filled("%s/build/intercept.so", mounts_root);
	size_t n = 1;
	test_need(access(library, R_OK) == 0, library);
	words[n++] = filled("LD_PRELOAD=%s", library);
	words[n++] = filled("ASAN_OPTIONS=%s:verify_asan_link_order=0",
			    getenv("ASAN_OPTIONS"));
	for (size_t i = 0; settings[i]; i++)
		words[n++] = settings[i];
	for (size_t i = 0; argv[i] && n < COUNT(words) - 1; i++)
		words[n++] = argv[i];
	words[n] = NULL;
	return words;
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

void make_folder_of(const char *path)
{
	make_folder(filled("%.*s", (int)(strrchr(path, '/') - path), path));
}

void put_lines(const char *path, const char *lines)
{
	struct buf b = test_quoted(lines);
	make_folder_of(path);
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
					     "QWEN_HOME",
					     "QWEN_RUNTIME_DIR",
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
