#include "tests/mounts/mounts.h"

#include <signal.h>
#include <spawn.h>
#include <stdarg.h>

extern char **environ;
struct buf mounts_output;

/* With stdout and stderr there, unless that is -1. */
static pid_t start_to(const char *const argv[], int said)
{
	pid_t pid;
	posix_spawn_file_actions_t files;
	test_need(posix_spawn_file_actions_init(&files) == 0, "posix_spawn");
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO && said >= 0; fd++)
		test_need(posix_spawn_file_actions_adddup2(&files, said, fd) ==
				  0,
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

static int run_to(const char *const argv[], int said)
{
	pid_t pid = start_to(argv, said);
	return pid < 0 ? -1 : wait_program(pid);
}

int run_program(const char *const argv[])
{
	return run_to(argv, -1);
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
	pid_t pid = start_to(argv, fd);
	test_need(pid > 0, argv[0]);
	close(fd);
	return pid;
}

int hear_program(const char *const argv[])
{
	const char *said = test_path("said");
	int fd = open_said(said), status = run_to(argv, fd);
	close(fd);
	test_read(said, &mounts_output);
	unlink(said);
	return status;
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
