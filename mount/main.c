/*
 * sessfs: open the session, mount, serve, unmount.
 *
 * Everything that can fail runs before going to the background. An error is one
 * line on stderr, with exit status 1, or 2 for a wrong command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/columns.h"
#include "core/file/gate.h"
#include "core/file/whole.h"
#include "fs/kernel/fs.h"
#include "mount/cli/status.h"
#include "mount/command_line.h"
#include "mount/mountpoint.h"
#include "mount/mounts/mounts.h"
#include "mount/operands/source.h"

#ifndef SESSFS_VERSION
#error "the Makefile defines the version"
#endif

/* Add the options of every mount, and those of this session. */
static int add_fuse_options(struct command_line *line,
			    const struct place *source)
{
	const struct options *o = &line->options;
	char *list = NULL;
	char *fsname = NULL;
	char max_read[32];
	const char *from = !source->set ? source->path
			   : line->all	? "all"
					: "several";
	bool ro = source->session ? source->session->access == SESSION_READ_ONLY
				  : o->read_only;
	snprintf(max_read, sizeof(max_read), "max_read=%u", o->max_read);
	int err =
		asprintf(&fsname, "fsname=%s", from) < 0 ||
		fuse_opt_add_opt(&list, "default_permissions,subtype=sessfs") ||
		fuse_opt_add_opt_escaped(&list, fsname) ||
		(ro && fuse_opt_add_opt(&list, "ro")) ||
		(o->max_read > 0 && fuse_opt_add_opt(&list, max_read)) ||
		/* First, so that the user's own fsname or subtype wins. */
		fuse_opt_insert_arg(&line->fuse, 1, list) ||
		fuse_opt_insert_arg(&line->fuse, 1, "-o") ||
		(line->debug && fuse_opt_add_arg(&line->fuse, "-d"));
	free(fsname);
	free(list);
	return err ? status_fail(line->mountpoint, "out of memory") : STATUS_OK;
}

/* The first line of the file fd, without the program's name before ": ". */
static void first_line(int fd, char *line, size_t size)
{
	ssize_t n = whole_read_at(fd, line, size - 1, 0);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	char *reason = strstr(line, ": ");
	if (reason)
		memmove(line, reason + 2, strlen(reason + 2) + 1);
}

/*
 * Mount. libfuse and fusermount3 write several lines to stderr on failure. They
 * are captured, and reported as one line with the mount point in it.
 */
static int mount_session(struct fuse_session *se, const char *mountpoint)
{
	int captured = memfd_create("sessfs-stderr", MFD_CLOEXEC);
	int stderr_was = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (captured < 0 || stderr_was < 0) {
		int err = errno;
		if (captured >= 0)
			close(captured);
		return status_fail(mountpoint, strerror(err));
	}
	fflush(stderr);
	dup2(captured, STDERR_FILENO);
	int err = fuse_session_mount(se, mountpoint);
	fflush(stderr);
	dup2(stderr_was, STDERR_FILENO);
	close(stderr_was);

	char reason[256];
	first_line(captured, reason, sizeof(reason));
	close(captured);
	if (err == 0)
		return STATUS_OK;
	status_report(mountpoint, reason[0] ? reason : "can't be mounted on");
	/* As in many containers. */
	return access("/dev/fuse", R_OK | W_OK) == 0
		       ? STATUS_FAILED
		       : status_fail("/dev/fuse",
				     "without it there are sessfs grep, list, "
				     "log and export, which mount nothing");
}

static int serve(struct fuse_session *se, const struct command_line *line)
{
	if (line->single_thread)
		return fuse_session_loop(se);
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	if (!config)
		return -ENOMEM;
	fuse_loop_cfg_set_max_threads(config, FS_REQUESTS);
	fuse_loop_cfg_set_idle_threads(config, FS_IDLE_THREADS);
	int err = fuse_session_loop_mt(se, config);
	fuse_loop_cfg_destroy(config);
	return err;
}

/*
 * Returns the parent's exit status. A child that fails closes fd before it has
 * written both bytes (fs/kernel/fs.h). The first request is the parent's own,
 * unless it may not make one.
 */
static int wait_ready(int fd, const char *mountpoint)
{
	char byte;
	struct stat st;
	/* The child handles signals. Here they end the wait. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	/* A copy of /dev/fuse here would have the kernel wait for a daemon that
	   has died. */
	if (dup2(fd, STDERR_FILENO + 1) < 0)
		return 1;
	fd = STDERR_FILENO + 1;
	close_range((unsigned)fd + 1, ~0U, 0);
	if (whole_read(fd, &byte, 1) == 1 &&
	    ((stat(mountpoint, &st) < 0 && errno == EACCES) ||
	     whole_read(fd, &byte, 1) == 1))
		return 0;
	fputs("sessfs: the daemon ended before the mount answered\n", stderr);
	return 1;
}

static int detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return -errno;
	if (setsid() < 0 || chdir("/") < 0 || dup2(null, 0) < 0 ||
	    dup2(null, 1) < 0 || dup2(null, 2) < 0)
		return -errno;
	if (null > 2)
		close(null);
	return 0;
}

/*
 * Go to the background. Returns 0 in the child, which writes to *ready_fd when
 * the mount answers. It has a session of its own, "/" as its
 * working directory, and /dev/null as its standard files. The parent waits for
 * that and exits with the child's status, so errors that the user can
 * correct are reported before. libfuse's own fuse_daemonize() ends the parent
 * before the kernel has its first answer. -errno if the fork fails.
 */
static int go_to_background(int *ready_fd, const char *mountpoint)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid_t child = fork();
	if (child < 0) {
		int err = -errno;
		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (child > 0) {
		close(fds[1]);
		/* Exit handlers would undo the child's mount. */
		_exit(wait_ready(fds[0], mountpoint));
	}
	close(fds[0]);
	*ready_fd = fds[1];
	return detach();
}

/* -- privileges */

/*
 * After mounting, the daemon keeps only the privileges that it needs.
 *
 * Root's daemon drops all capabilities, in every set, except these. For each
 * there is a test in tests/commands/privileges.md or tests/commands/omp.md that
 * fails without it:
 *
 *   CAP_DAC_OVERRIDE  read and write sessions of others, as root may
 *   CAP_CHOWN         keep the owner of a file that is replaced
 *   CAP_FOWNER        keep its mode, and replace it in a sticky folder
 *   CAP_SYS_ADMIN     umount2(2) after a signal
 *   CAP_SYS_PTRACE    see in /proc which sessions the agents of other users,
 *                     and root's own with their privileges, have open
 *
 * An ordinary user's daemon has none. fusermount3, which unmounts for it, is
 * setuid: PR_SET_NO_NEW_PRIVS or a smaller bounding set would break it.
 */
#define BIT(cap) (UINT64_C(1) << (cap))
#define KEPT                                                        \
	(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_CHOWN) | BIT(CAP_FOWNER) | \
	 BIT(CAP_SYS_ADMIN) | BIT(CAP_SYS_PTRACE))

/*
 * Limit the bounding set too, or a program that root starts would regain the
 * dropped capabilities. Without CAP_SETPCAP, as in some containers, it can't be
 * changed: that is no error.
 */
static int drop_bounds(void)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (!(KEPT & BIT(cap)) && prctl(PR_CAPBSET_DROP, cap) < 0)
			return errno == EPERM ? 0 : -errno;
	return 0;
}

/*
 * Drop the others. Each thread has its own capabilities, so this comes before a
 * second one. Returns 0 or -errno.
 */
static int drop_privileges(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct set[_LINUX_CAPABILITY_U32S_3];

	if (geteuid() == 0) {
		int err = drop_bounds();
		if (err)
			return err;
	}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
	    syscall(SYS_capget, &header, set) < 0)
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		set[i].permitted &= (uint32_t)(KEPT >> (32 * i));
		set[i].effective = set[i].permitted;
		set[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, set) < 0 ? -errno : 0;
}

/* -- serving */

/* Go to the background if wanted, and serve until unmounted. */
static int run(struct fuse_session *se, const struct command_line *line,
	       struct fs *fs)
{
	int err = drop_privileges();
	if (!err && !line->foreground && !line->debug)
		err = go_to_background(&fs->ready_fd, line->mountpoint);
	if (err)
		status_error(line->mountpoint, err);
	else
		err = serve(se, line);
	/* A positive value is the signal that ended the loop: no failure. */
	return err < 0 ? STATUS_FAILED : STATUS_OK;
}

/*
 * Open a second descriptor for /dev/fuse, with a high number. Returns -1 if
 * that fails.
 *
 * When the daemon is killed, the kernel closes the highest descriptor first.
 * With auto_unmount, /dev/fuse must be closed before the socket that
 * fusermount3 waits on, because fusermount3 then checks only once whether the
 * mount is dead.
 */
static int hold_last(struct fuse_session *se)
{
	struct rlimit l;
	int from = 200;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur <= (rlim_t)from)
		from = (int)l.rlim_cur - 1;
	return fcntl(fuse_session_fd(se), F_DUPFD_CLOEXEC, from);
}

/* Serve a mounted session, and unmount it. */
static int serve_mounted(struct fuse_session *se,
			 const struct command_line *line, struct fs *fs)
{
	/*
	 * While serving, the soft limit on open files is the hard one. It is
	 * restored before fusermount3 is started: programs that use select(2)
	 * rely on a low soft limit.
	 */
	struct rlimit was = { 0 };
	bool limited = getrlimit(RLIMIT_NOFILE, &was) == 0;
	const struct rlimit raised = { was.rlim_max, was.rlim_max };
	if (limited)
		setrlimit(RLIMIT_NOFILE, &raised);
	int last = hold_last(se);
	fs->kernel = se;
	/* To the end: another signal would leave a mount without a daemon. */
	bool handled = fuse_set_signal_handlers(se) == 0;
	int status = handled ? run(se, line, fs)
			     : status_fail(line->mountpoint,
					   "can't set signal handlers");
	fs_stop(fs);
	if (last >= 0)
		close(last);
	if (limited)
		setrlimit(RLIMIT_NOFILE, &was);
	fuse_session_unmount(se);
	if (handled)
		fuse_remove_signal_handlers(se);
	return status;
}

static int mount_and_run(struct command_line *line, struct places *places,
			 struct fs *fs)
{
	struct mountpoint at;
	struct fuse_session *se = NULL;
	int status = mountpoint_init(&at, line->mountpoint, places->paths);
	/* The mount point's folder is opened while it can be. */
	int err = status ? 0
			 : gate_hide(places->opening.gate, at.path,
				     places->paths);
	if (!status && !err)
		err = fs_init(fs, places, at.path, at.spelled,
			      line->options.poll);
	if (err)
		status = err == -ENOMEM ? status_fail(at.path, "out of memory")
					: status_error(at.path, err);
	if (!status)
		status = add_fuse_options(line, places->source);
	fs->tree.stats.on = line->options.stats;
	fs->max_read = line->options.max_read;
	/* What is there goes with the login. */
	if (getenv("XDG_RUNTIME_DIR"))
		fs->edit.head_moved = mounts_remember_head;
	if (!status) {
		se = fuse_session_new(&line->fuse, &fs_ops, sizeof(fs_ops), fs);
		if (!se)
			status =
				status_fail(at.path, "libfuse failed to start");
	}
	/* As far as it was looked at. */
	const struct place *source = places->source;
	if (!status && source->is_folder && !source->set &&
	    folder_look_for_sessions(places->opening.gate, source->path) == 0)
		status_report(line->options.source, "has no sessions yet");
	if (!status)
		status = mount_session(se, at.path);
	if (!status) {
		gate_close(places->opening.gate);
		status = serve_mounted(se, line, fs);
	}
	if (se)
		fuse_session_destroy(se);
	mountpoint_free(&at);
	return status;
}

/* Print libfuse's messages under the name of sessfs. */
__attribute__((format(printf, 2, 0))) static void
log_message(enum fuse_log_level level, const char *fmt, va_list ap)
{
	(void)level;
	static const char prefix[] = "fuse: ";
	if (strncmp(fmt, prefix, sizeof(prefix) - 1) == 0) {
		fputs("sessfs: ", stderr);
		fmt += sizeof(prefix) - 1;
	}
	vfprintf(stderr, fmt, ap);
}

/*
 * Open descriptors 0 to 2 if the caller has closed them: a session opened as
 * one of them would be closed on the way to the background. Returns -1 after
 * reporting an error.
 */
static int set_descriptors(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR); /* fusermount3 inherits it */
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0) {
		status_error("/dev/null", -errno);
		return fd;
	}
	close(fd);
	return 0;
}

static int open_sources(const struct command_line *line, struct places *places)
{
	const struct options *o = &line->options;
	struct source_set set = { 0 };
	if (!line->all && line->n_sources == 1)
		return source_open(o, o->source, &fs_attachment, places);
	int status = line->all ? source_set_agents(&set)
			       : source_set_named(&set, o, line->n_sources);
	if (!status)
		return source_open_set(o, &set, &fs_attachment, places);
	set_free(&set);
	return status;
}

static int mount_source(struct command_line *line)
{
	struct places places = { 0 };
	struct fs fs = { .ready_fd = -1 };
	/*
	 * It affects only oh-my-pi's lock file, which all must read. An agent
	 * that `sessfs resume` starts keeps the user's.
	 */
	umask(022);
	/*
	 * The daemon must not hold the caller's pipes and locks. Linux before
	 * 5.9 leaves them open.
	 */
	close_range(STDERR_FILENO + 1, ~0U, 0);
	int status = open_sources(line, &places);
	if (!status)
		status = mount_and_run(line, &places, &fs);
	fs_free(&fs);
	places_free(&places);
	return status;
}

static int mount_by_line(int argc, char **argv)
{
	struct command_line line;
	int status = command_line_parse(&line, argc, argv);
	if (!status && line.help)
		help_print();
	else if (!status && line.version)
		printf("sessfs %s\n", SESSFS_VERSION);
	else if (!status)
		status = mount_source(&line);
	if (!status && (line.help || line.version))
		status = status_flush();
	command_line_free(&line);
	return status;
}

int main(int argc, char **argv)
{
	if (set_descriptors() < 0)
		return STATUS_FAILED;
	/* Where the caller ignores it, no child could be waited for. */
	signal(SIGCHLD, SIG_DFL);
	/* At a file-size limit write(2) fails instead of ending the daemon. */
	signal(SIGXFSZ, SIG_IGN);
	fuse_set_log_func(log_message);
	columns_set_locale();
	const struct command *c = argc > 1 ? command_named(argv[1]) : NULL;
	return c ? command_run(c, argc - 1, argv + 1)
		 : mount_by_line(argc, argv);
}
