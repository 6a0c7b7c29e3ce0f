#include "core/session/process.h"

#include <sys/wait.h>

#include "tests/unit/test.h"

#define OURS "{'sessionId':'s1'}"

static pid_t look(void)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s", test_path("projects/p/s1.jsonl"));
	return process_with(NULL, "/proc", path, 2);
}

/* This process plays the agent. */
static void write_record(const char *text)
{
	char name[64];
	snprintf(name, sizeof(name), "sessions/%d.json", (int)getpid());
	test_file(name, text);
}

static void check_records(void)
{
	CHECK_INT(look(), 0);
	test_need(mkdir(test_path("sessions"), 0755) == 0, "sessions");
	CHECK_INT(look(), 0);
	write_record("{'sessionId':'other'}");
	CHECK_INT(look(), 0);
	write_record(OURS);
	CHECK_INT(look(), getpid());
	write_record("{'sessionId':'s1','procStart':'1'}");
	CHECK_INT(look(), 0);
	write_record("{'sessionId':'s1'");
	CHECK_INT(look(), 0);
	/* What is no record of a process that runs. */
	test_file("sessions/x.json", OURS);
	test_file("sessions/1.json.tmp", OURS);
	test_file("sessions/4194305.json", OURS); /* above the kernel's limit */
	test_need(mkdir(test_path("sessions/1.json"), 0755) == 0 &&
			  mkfifo(test_path("sessions/2.json"), 0644) == 0 &&
			  symlink("/dev/zero", test_path("sessions/3.json")) ==
				  0,
		  "sessions");
	CHECK_INT(look(), 0);
}

/* An agent that has ended, and of which its parent has not been told. */
static void check_ended(void)
{
	char name[64];
	siginfo_t info;
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	test_need(child > 0 && waitid(P_PID, (id_t)child, &info,
				      WEXITED | WNOWAIT) == 0,
		  "fork");
	snprintf(name, sizeof(name), "sessions/%d.json", (int)child);
	test_file(name, OURS);
	CHECK_INT(look(), 0);
	waitpid(child, NULL, 0);
}

/* Without descriptors nobody can say that no agent runs. */
static void check_shortage(void)
{
	write_record(OURS);
	for (rlim_t n = 3; n < 5; n++) {
		test_limit_files((long)n);
		CHECK_INT(look(), -EMFILE);
	}
	test_limit_files(-1);
	CHECK_INT(look(), getpid());
}

int main(void)
{
	test_need(mkdir(test_path("projects"), 0755) == 0, "projects");
	test_need(mkdir(test_path("projects/p"), 0755) == 0, "p");
	check_records();
	check_ended();
	check_shortage();
	return test_done("claude_agent");
}
