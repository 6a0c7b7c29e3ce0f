#include "core/dialects/omp/omp.h"

#include "core/dialects/omp/lock.h"
#include "tests/unit/tables.h"

/* A process of a /proc that is made up; what is NULL is not there. */
struct fake {
	const char *exe;
	const char *comm;
	const char *args; /* each behind a space, as a NUL is */
	bool in_cwd;
	const char *open, *other; /* names in the session's folder */
};

static const struct fake here = { "/x/omp", "omp", "omp -c", true, NULL, NULL };

static void make_folder(const char *name)
{
	test_need(mkdir(test_path(name), 0755) == 0 || errno == EEXIST, name);
}

static void make_link(const char *target, const char *name)
{
	const char *path = test_path(name);
	unlink(path);
	test_need(symlink(target, path) == 0, path);
}

static void write_args(const char *args)
{
	char text[256] = "";
	size_t n = snprintf(text, sizeof(text), "%s", args) + 1;
	for (size_t i = 0; i < n; i++)
		text[i] = text[i] == ' ' ? '\0' : text[i];
	int fd = open(test_path("proc/77/cmdline"),
		      O_WRONLY | O_CREAT | O_TRUNC, 0644);
	test_need(fd >= 0 && write(fd, text, n) == (ssize_t)n, "cmdline");
	close(fd);
}

static void make_process(const struct fake *f)
{
	static const char *const fds[] = { "proc/77/fd/3", "proc/77/fd/4" };
	char target[PATH_MAX];
	char comm[64];
	snprintf(comm, sizeof(comm), "%s\n", f->comm);
	test_file("proc/77/comm", comm);
	write_args(f->args ? f->args : "");
	unlink(test_path("proc/77/exe"));
	if (f->exe)
		make_link(f->exe, "proc/77/exe");
	make_link(test_path(f->in_cwd ? "work" : "proc"), "proc/77/cwd");
	for (int i = 0; i < 2; i++) {
		const char *name = i ? f->other : f->open;
		unlink(test_path(fds[i]));
		snprintf(target, sizeof(target), "%s",
			 test_path(name ? name : ""));
		if (name)
			make_link(target, fds[i]);
	}
}

static pid_t look(const char *cwd)
{
	char proc[PATH_MAX];
	char path[PATH_MAX];
	snprintf(proc, sizeof(proc), "%s", test_path("proc"));
	snprintf(path, sizeof(path), "%s", test_path("s.jsonl"));
	return omp_process_with(NULL, proc, path, cwd);
}

static const char *or_none(struct row *r, unsigned n)
{
	return row_is(r, n, "-") ? NULL : row_text(r, n);
}

static void check_process(struct row *r, struct buf *made)
{
	char cwd[PATH_MAX];
	const struct fake fake = { or_none(r, 1), row_text(r, 2),
				   or_none(r, 3), row_is(r, 4, "in cwd"),
				   or_none(r, 5), or_none(r, 6) };
	snprintf(cwd, sizeof(cwd), "%s", test_path("work"));
	make_process(&fake);
	buf_adds(made, look(cwd) == 77 ? "has it" : "-");
}

/* A session that names no directory, or one that is gone, matches by file. */
static void check_no_cwd(void)
{
	struct fake fake = here;
	make_process(&fake);
	CHECK_INT(look(""), 0);
	CHECK_INT(look("relative"), 0);
	CHECK_INT(look("/nonexistent/cwd"), 0);
	fake.open = "s.jsonl";
	make_process(&fake);
	CHECK_INT(look(""), 77);
	CHECK_INT(omp_process_with(NULL, "/nonexistent/proc", "/x", ""), 0);
}

/* Hold a lock as omp does; -1 if it is held already. */
static int hold(const char *path)
{
	struct sockaddr_un address;
	socklen_t n = omp_named_lock_address(&address, path);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	test_need(fd >= 0, "socket");
	if (bind(fd, (struct sockaddr *)&address, n) == 0)
		return fd;
	close(fd);
	return -1;
}

static void check_gate(void)
{
	const char *path = test_path("gate.lock");
	CHECK(!omp_named_lock_is_held(path));
	int fd = hold(path);
	CHECK(fd >= 0);
	CHECK(omp_named_lock_is_held(path));
	/* A probe does not take it, nor keep others from it. */
	CHECK_INT(hold(path), -1);
	close(fd);
	CHECK(!omp_named_lock_is_held(path));
	fd = hold(path);
	CHECK(fd >= 0);
	close(fd);
}

static bool is_in_use(const char *header)
{
	char text[256];
	char path[PATH_MAX];
	struct json json;
	pid_t pid;
	snprintf(text, sizeof(text), "%s", header);
	snprintf(path, sizeof(path), "%s", test_path("s.jsonl"));
	CHECK_INT(json_check(span_of(text), &json), 0);
	bool in_use = omp_agent.in_use(NULL, path, json, &pid);
	CHECK(omp_agent.refuses != NULL);
	CHECK_INT(pid, 0);
	return in_use;
}

static void check_lease(const char *lock)
{
	static const char header[] =
		"{\"type\":\"session\",\"id\":\"0198f000-1\"}";
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s", test_path(lock));
	test_row = lock;
	CHECK(!is_in_use(header));
	int fd = hold(path);
	CHECK(fd >= 0);
	CHECK(is_in_use(header));
	close(fd);
	CHECK(!is_in_use(header));
	test_row = NULL;
}

/* Without an id the file is asked for alone. */
static void check_odd_ids(void)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s",
		 test_path(".omp/run/session-owners/.lock"));
	int fd = hold(path);
	CHECK(fd >= 0);
	CHECK(!is_in_use("{\"id\":\"\"}"));
	CHECK(!is_in_use("{\"id\":5}"));
	CHECK(!is_in_use("{}"));
	close(fd);
}

/* Without descriptors nobody can say that no agent runs. */
static void check_shortage(void)
{
	char cwd[PATH_MAX];
	char lock[PATH_MAX];
	snprintf(cwd, sizeof(cwd), "%s", test_path("work"));
	snprintf(lock, sizeof(lock), "%s", test_path("gate.lock"));
	make_process(&here);
	/* The first descriptors that are needed, up to one for each. */
	for (rlim_t n = 3; n < 6; n++) {
		test_limit_files((long)n);
		CHECK_INT(look(cwd), -EMFILE);
	}
	test_limit_files(3);
	CHECK_INT(omp_named_lock_is_held(lock), -EMFILE);
	test_limit_files(-1);
	CHECK_INT(look(cwd), 77);
}

int main(void)
{
	test_file("s.jsonl", "one\n");
	test_file("other.jsonl", "one\n");
	make_folder("work");
	make_folder("proc");
	make_folder("proc/77");
	make_folder("proc/77/fd");
	make_folder("proc/self");
	test_file("proc/uptime", "1\n");
	test_need(setenv("HOME", test_path(""), 1) == 0, "HOME");
	unsetenv("PI_CONFIG_DIR");

	rows_check("omp_agent", check_process);
	check_no_cwd();
	check_gate();
	check_lease(".s.jsonl.owner.lock");
	check_lease(".omp/run/session-owners/0198f000-1.lock");
	check_odd_ids();
	check_shortage();
	return test_done("omp_agent");
}
