/*
 * What tests of mounts in C use, besides tests/unit/check.h. Each test_*.c is a
 * program: its tests mount a session with sessfs and make system calls, so no
 * process runs but the daemon. Tests that run other people's programs are bats
 * files.
 *
 * The daemon is a process of its own, because a mount refuses requests of its
 * own process. It is a child of the test program (a subreaper), so unmount()
 * sees its exit status.
 *
 * A test begins with an empty mount point. Its working directory is the mount,
 * while there is one, so paths in a mount are written as a user says them:
 * "by-id/aa000004/label". All other paths come from test_path(). When a test
 * ends, everything that it has mounted is unmounted, and a daemon that ends
 * with another status than 0 fails it.
 *
 * The tests run in a child of main(). The parent waits for it, for a signal, or
 * for a test that takes longer than a minute; then it unmounts and removes what
 * is left.
 *
 * programs.c, reading.c and writing.c have the parts below that are called so.
 *
 * A test may set mounts_at to mount elsewhere; the next test has the old one.
 *
 * Environment: SESSFS is the program (build/sessfs), ROOT the repository (the
 * working directory), FULL runs the tests marked MOUNTS_FULL, too. With
 * IN_FOLDER the session is mounted by the folder that it is in, and the tests
 * see the same.
 */
#ifndef SESSFS_MOUNTS_H
#define SESSFS_MOUNTS_H

#include <cjson/cJSON.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/check.h"

enum mounts_flags {
	/* It takes long, and runs only with FULL. */
	MOUNTS_FULL = 1,
	/* Only root can run it; it is skipped for other users. */
	MOUNTS_ROOT = 2,
};

struct mounts_test {
	const char *title;
	void (*run)(void);
	unsigned flags;
};

/* A row of the table. */
#define TEST(title, run)      \
	{                     \
		title, run, 0 \
	}
#define FULL_TEST(title, run)           \
	{                               \
		title, run, MOUNTS_FULL \
	}
#define ROOT_TEST(title, run)           \
	{                               \
		title, run, MOUNTS_ROOT \
	}

/* Define main(): run the tests in order. With ONLY=TEXT in the environment
 * those with it in their titles. */
#define RUN_TESTS(tests)                                          \
	int main(void)                                            \
	{                                                         \
		return mounts_run(__FILE__, tests, COUNT(tests)); \
	}
/* Prints a line for each test, as bats does. */
int mounts_run(const char *file, const struct mounts_test *tests, size_t n);

/* Absolute paths in the test's folder: the session, its mount, and a second
 * mount. */
extern const char *mounts_session;
extern const char *mounts_at;
extern const char *mounts_second;
/* The repository. */
extern const char *mounts_root;
/* Is the variable of the environment there, and not empty? */
bool is_set(const char *variable);

/* Mounting. What can't be mounted ends the program. */

/* Mount the session file as it is, and enter the mount. */
void mount_session(void);
/* The same with options of -o, such as "ro". */
void mount_with(const char *options);
/* Write the session first: lines with ' for ", or a copy of
 * tests/fixtures/NAME. */
void mount_lines(const char *lines);
void mount_fixture(const char *name);
/* Mount a SOURCE, which is a file or a folder, in the session's place. */
void mount_source(const char *source);
/* The same with tests/lib/intercept.c preloaded; its settings are NAME=VALUE.
 */
void mount_intercepted(const char *source, const char *const settings[]);
/* Mount the session so, and do WHAT (CALL_DO) at the first call of these kinds
 * while the test's folder has the file "while". Then its file "met" has "met
 * CALL". */
void mount_meeting(const char *what, const char *kinds);
/* A path in the second mount; good for the next seven calls of test_path(). */
const char *in_second(const char *path);
/* Leave the mount, unmount everything, and wait for each daemon to end. */
void unmount(void);
/* Unmount one of several, and wait for its daemon to end. */
void unmount_at(const char *at);
/* How often is something mounted there, in this mount namespace? */
size_t times_mounted(const char *at);
bool is_mounted(const char *at);
/* The process of the only daemon. */
pid_t daemon_pid(void);
/* The path of a fixture; good until the next call. */
const char *fixture(const char *name);
/* Copy a file's bytes. */
void test_copy(const char *from, const char *to);

/* Programs: they get the environment, and are looked for in PATH. */

/* Run a program: its exit status, or -1 if it can't be started or a signal ends
 * it. */
int run_program(const char *const argv[]);
#define RUN(...) run_program((const char *const[]){ __VA_ARGS__, NULL })
/* The same, and what it prints to stdout and stderr is in mounts_output. */
int hear_program(const char *const argv[]);
#define HEAR(...) hear_program((const char *const[]){ __VA_ARGS__, NULL })
extern struct buf mounts_output;
/* Start a program, and let it print into a file. */
pid_t start_program(const char *const argv[], const char *said);
/* Wait for it: its exit status, or -1 if a signal ends it. */
int wait_program(pid_t pid);
/* The words of a command of sessfs, for the functions above and below. */
#define COMMAND(...) \
	((const char *const[]){ sessfs_program(), __VA_ARGS__, NULL })
/* Start a program, in whose process prepare(number) is called first, unless it
 * is NULL. */
pid_t start_prepared(void (*prepare)(int number), int number,
		     const char *const argv[]);
/* The command with tests/lib/intercept.c preloaded, and its settings, which are
 * NAME=VALUE. Good until the next. */
const char *const *intercepted(const char *const settings[],
			       const char *const argv[]);
/* The same for one that does WHAT at the first call of these kinds, as
 * mount_meeting(). Good until the next. */
const char *const *meeting(const char *what, const char *kinds,
			   const char *const argv[]);
/* The program that is tested, for RUN and HEAR. */
const char *sessfs_program(void);
/* For commands that look for sessions: a home without sessions, mounts, skills
 * or settings of the real user. It is the environment's from now on. */
void make_home(void);

/* A text as printf(3) writes it; good for the next 63 calls. */
const char *filled(const char *form, ...) __attribute__((format(printf, 1, 2)));
/* Make a folder, and those above it, unless they are there. */
void make_folder(const char *path);

/* FOLDER/NAME, as test_path() gives it. */
const char *join(const char *folder, const char *name);

/* Reading. Spans are good until the next call that returns one from the same
 * buffer: text_of() and names_in() share one. On failure they hold the error's
 * text, as strerror() gives it. */

bool span_has(struct span s, const char *text);
/* How many newlines, and how many characters of UTF-8. */
size_t lines_in(struct span s);
size_t characters_in(struct span s);
/* All bytes of a file. */
struct span text_of(const char *path);
/* The names in a folder in the order of their bytes, a blank after each,
 * without dot files. */
struct span names_in(const char *path);
/* The same in the order in which the folder lists them. */
struct span listed_in(const char *path);
/* Where a link leads; empty if it is none. */
struct span link_at(const char *path);
/* Does the file have this text? */
bool has(const char *path, const char *text);
/* The value of a "key: value" line of a file such as info; empty without one.
 */
struct span value_in(const char *path, const char *key);
/* The same as a number; -1 without one. */
long long number_in(const char *path, const char *key);
/* lstat(2) of what must exist. */
struct stat stat_of(const char *path);
bool exists(const char *path);

/* The first member or element of a value; NULL without any. */
static inline cJSON *children_of(const cJSON *value)
{
	return value ? value->child : NULL;
}

#define CHECK_FILE(path, want) CHECK_SPAN(text_of(path), span_of(want))
#define CHECK_LINK(path, want) CHECK_SPAN(link_at(path), span_of(want))
#define CHECK_NAMES(path, want) CHECK_SPAN(names_in(path), span_of(want))
#define CHECK_HEAD(want) CHECK_LINK("HEAD", want)
#define CHECK_HAS(path, text) \
	test_check(has(path, text), __FILE__, __LINE__, #path " has " #text)
#define CHECK_VALUE(path, key, want) \
	CHECK_SPAN(value_in(path, key), span_of(want))

/* Writing: 0, or the errno of the call that failed first. */

/* For a call that returns -1 on failure. */
#define ERRNO(call) ((call) < 0 ? errno : 0)
/* Open with these flags, write the bytes in one call, and close. */
int write_with(int flags, const char *path, struct span bytes);
/* As echo TEXT >PATH, but for the newline. */
int put(const char *path, const char *text);
/* Strings, for functions that take as many as there are. */
#define PIECES(...) ((const char *const[]){ __VA_ARGS__, NULL })
/* Write one line, with its newline, to append. */
int append(const char *line);
/* The same for lines in which ' stands for "; the last newline is supplied. */
int say(const char *lines);
/* Does append refuse this line, in which ' stands for ", with EINVAL, leave the
 * session as it is, and give a reason in info that has this text? */
bool is_refused(const char *line, const char *why);
/* As ln -sfn TARGET HEAD. */
int move_head(const char *target);

/* The session's file. */

size_t session_lines(void);
/* Its last line, with the newline; and as JSON, which the caller frees. */
struct span last_bytes(void);
cJSON *last_line(void);
/* A member of the last line: a string, or else its JSON; "-" without it. Of two
 * of this name it is the second, as for agents. Good until the next. */
struct span last(const char *name);
#define CHECK_LAST(name, want) CHECK_SPAN(last(name), span_of(want))
/* Remember the bytes of the file. Are they still the same? */
void keep_session(void);
#define CHECK_KEPT() CHECK_SPAN(text_of(mounts_session), buf_span(&mounts_kept))
extern struct buf mounts_kept;
/* Have so many whole lines come since then, and nothing else? */
bool have_come(size_t lines);
/* The same since the session was a copy of this fixture. */
bool came(size_t lines, const char *fixture_name);
/* A user message of Pi's at the end of the file, in one write, as agents do.
 * `parent` is an id, or NULL for none. */
void append_user(const char *id, const char *parent, const char *text);
/* Write N user messages: "chain" or "roots". Ids count from 00000000,
 * "entry 0" is the first text. */
void write_many(const char *shape, unsigned n);

/* The values of the lines, an array, without those that are no JSON. The caller
 * frees it. */
cJSON *session_values(void);
/* A member of the Nth of them, from 0 on, or from -1 backwards; its path, such
 * as "message.content". As last(); good for the next seven calls. */
struct span member(int n, const char *path);

/* Wait until it is so, for twenty seconds at most. */
#define WAIT_UNTIL(cond)                                               \
	do {                                                           \
		bool is_so_ = false;                                   \
		for (int try_ = 0; !is_so_ && try_ < 2000; try_++) {   \
			if (try_ > 0)                                  \
				nanosleep(                             \
					&(struct timespec){            \
						.tv_nsec = 10000000 }, \
					NULL);                         \
			is_so_ = (cond);                               \
		}                                                      \
		test_check(is_so_, __FILE__, __LINE__, #cond);         \
	} while (0)

#endif
