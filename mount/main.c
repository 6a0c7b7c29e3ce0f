/*
 * sessfs: open the session, mount, serve, unmount.
 *
 * What can fail is tried before going to the background, and said in one line
 * on stderr: exit status 1, or 2 for a wrong command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file/whole.h"
#include "fs/kernel/fs.h"
#include "mount/background.h"
#include "mount/check.h"
#include "mount/export.h"
#include "mount/mountpoint.h"
#include "mount/options.h"
#include "mount/privileges.h"
#include "mount/source.h"
#include "mount/status.h"

#ifndef SESSFS_VERSION
#error "the Makefile says which version this is"
#endif

static int check_mountpoint(struct mountpoint *at, const struct options *o,
			    const struct place *source)
{
	struct stat st;
	const char *why = mountpoint_init(at, o->mountpoint, source->path);
	if (why)
		return status_fail(o->mountpoint, why);
	/* Whether it may be opened is fusermount3's to know: it is setuid. */
	if (stat("/dev/fuse", &st) < 0)
		return status_fail("/dev/fuse", strerror(errno));
	/* Without it fusermount3 mounts for a user, but does not unmount. */
	if (geteuid() != 0 && access("/etc/mtab", R_OK) < 0)
		return status_fail("/etc/mtab",
				   "fusermount3 needs it to unmount, but can't "
				   "read it; if it is missing, run as root: "
				   "ln -s ../proc/self/mounts /etc/mtab");
	return STATUS_OK;
}

/* The options that every mount has, and those that the session asks for. */
static int add_fuse_options(struct options *o, const struct place *source)
{
	char *list = NULL;
	int err = fuse_opt_add_opt(&list, "default_permissions,subtype=sessfs");
	char *fsname = NULL;
	if (!err && asprintf(&fsname, "fsname=%s", source->path) < 0)
		err = -1;
	if (!err)
		err = fuse_opt_add_opt_escaped(&list, fsname);
	bool ro = source->session ? source->session->read_only : o->read_only;
	if (!err && ro)
		err = fuse_opt_add_opt(&list, "ro");
	/* In front, so that the user's own fsname or subtype wins. */
	if (!err)
		err = fuse_opt_insert_arg(&o->fuse, 1, list) ||
		      fuse_opt_insert_arg(&o->fuse, 1, "-o");
	if (!err && o->debug)
		err = fuse_opt_add_arg(&o->fuse, "-d");
	free(fsname);
	free(list);
	return err ? status_fail(o->source, "out of memory") : STATUS_OK;
}

/* The first line of what was written to fd, without the writer's name. */
static void first_line(int fd, char *line, size_t size)
{
	ssize_t n = whole_read_at(fd, line, size - 1, 0);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	char *said = strstr(line, ": ");
	if (said)
		memmove(line, said + 2, strlen(said + 2) + 1);
}

/*
 * Mount. Libfuse and fusermount3 write their reasons to stderr themselves,
 * several lines of them; they are caught, so that one line goes out, with the
 * names in it.
 */
static int mount_session(struct fuse_session *se, const char *mountpoint)
{
	int caught = memfd_create("sessfs-stderr", MFD_CLOEXEC);
	int stderr_was = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (caught < 0 || stderr_was < 0) {
		int err = errno;
		if (caught >= 0)
			close(caught);
		return status_fail(mountpoint, strerror(err));
	}
	fflush(stderr);
	dup2(caught, STDERR_FILENO);
	int err = fuse_session_mount(se, mountpoint);
	fflush(stderr);
	dup2(stderr_was, STDERR_FILENO);
	close(stderr_was);

	char reason[256];
	first_line(caught, reason, sizeof(reason));
	close(caught);
	if (err == 0)
		return STATUS_OK;
	return status_fail(mountpoint,
			   reason[0] ? reason : "can't be mounted on");
}

static int serve(struct fuse_session *se, const struct options *o)
{
	if (o->single_thread)
		return fuse_session_loop(se);
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	if (!config)
		return -ENOMEM;
	int err = fuse_session_loop_mt(se, config);
	fuse_loop_cfg_destroy(config);
	return err;
}

/* Mounted: to the background if wanted, and serve until it is unmounted. */
static int run(struct fuse_session *se, const struct options *o, struct fs *fs)
{
	if (fuse_set_signal_handlers(se) < 0)
		return status_fail(o->mountpoint, "can't set signal handlers");
	int err = privileges_drop();
	if (!err && !o->foreground && !o->debug)
		err = background_start(&fs->ready_fd);
	if (err)
		status_fail(o->mountpoint, strerror(-err));
	else
		err = serve(se, o);
	fuse_remove_signal_handlers(se);
	/* A signal's number is no failure: it asked for the end. */
	return err < 0 ? STATUS_FAILED : STATUS_OK;
}

/*
 * A second descriptor for /dev/fuse, of a high number. When we are killed, the
 * kernel lets go of the highest first. With auto_unmount that has to be this
 * one, and only then the socket whose end fusermount3 waits for: it looks
 * whether the mount is dead, and does not look again. -1 if it can't be had.
 */
static int hold_last(struct fuse_session *se)
{
	struct rlimit l;
	int from = 200;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur <= (rlim_t)from)
		from = (int)l.rlim_cur - 1;
	return fcntl(fuse_session_fd(se), F_DUPFD_CLOEXEC, from);
}

/*
 * While it serves, the daemon may open as many files as the hard limit allows.
 * `was` gets the limits to set again before fusermount3 is started: programs
 * that use select(2) rely on a low soft limit.
 */
static void raise_limit(struct rlimit *was)
{
	if (getrlimit(RLIMIT_NOFILE, was) < 0)
		return;
	const struct rlimit raised = { was->rlim_max, was->rlim_max };
	setrlimit(RLIMIT_NOFILE, &raised);
}

/* Serve a session that is mounted, and unmount it. */
static int serve_mounted(struct fuse_session *se, const struct options *o,
			 struct fs *fs)
{
	struct rlimit was = { 0 };
	raise_limit(&was);
	int last = hold_last(se);
	fs->kernel = se;
	int status = run(se, o, fs);
	fs_stop(fs);
	if (last >= 0)
		close(last);
	if (was.rlim_max > 0)
		setrlimit(RLIMIT_NOFILE, &was);
	fuse_session_unmount(se);
	return status;
}

static int mount_and_run(struct options *o, struct places *places,
			 struct fs *fs)
{
	struct mountpoint at;
	int status = check_mountpoint(&at, o, places->source);
	if (!status && fs_init(fs, places, at.path, at.spelled, o->poll) < 0)
		status = status_fail(at.path, "out of memory");
	else if (!status)
		status = add_fuse_options(o, places->source);
	fs->tree.stats.on = o->stats;
	struct fuse_session *se = NULL;
	if (!status) {
		se = fuse_session_new(&o->fuse, &fs_ops, sizeof(fs_ops), fs);
		if (!se)
			status =
				status_fail(at.path, "libfuse failed to start");
	}
	if (!status)
		status = mount_session(se, at.path);
	if (!status)
		status = serve_mounted(se, o, fs);
	if (se)
		fuse_session_destroy(se);
	mountpoint_free(&at);
	return status;
}

/* Libfuse's messages, in our name. */
__attribute__((format(printf, 2, 0))) static void
log_message(enum fuse_log_level level, const char *fmt, va_list ap)
{
	(void)level;
	static const char theirs[] = "fuse: ";
	if (strncmp(fmt, theirs, sizeof(theirs) - 1) == 0) {
		fputs("sessfs: ", stderr);
		fmt += sizeof(theirs) - 1;
	}
	vfprintf(stderr, fmt, ap);
}

/*
 * Descriptors 0 to 2 belong to somebody, even where the caller has closed them:
 * a session that was opened as one of them would be closed on the way to the
 * background. What else the caller has open is not ours to hold: a pipe that
 * somebody reads to its end, a lock.
 */
static int set_descriptors(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR); /* fusermount3's as well */
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0) {
		status_fail("/dev/null", strerror(errno));
		return fd;
	}
	close(fd);
	/* Before Linux 5.9 they stay. */
	close_range(STDERR_FILENO + 1, ~0U, 0);
	return 0;
}

static int mount_source(struct options *o)
{
	struct places places = { 0 };
	struct fs fs = { .ready_fd = -1 };
	int status = source_open(o, &fs_attachment, &places);
	if (!status)
		status = mount_and_run(o, &places, &fs);
	fs_free(&fs);
	places_free(&places);
	return status;
}

static int write_export(const struct options *o)
{
	struct places places = { 0 };
	int status = source_open(o, NULL, &places);
	if (!status)
		status = export_source(o, &places);
	places_free(&places);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	int status = STATUS_OK;

	if (set_descriptors() < 0)
		return STATUS_FAILED;
	/* Of what we make only oh-my-pi's lock file heeds it: all read that. */
	umask(022);
	/* A file-size limit is an error of write(2), not our end. */
	signal(SIGXFSZ, SIG_IGN);
	fuse_set_log_func(log_message);
	switch (options_parse(&o, argc, argv)) {
	case ACTION_HELP:
		options_print_help();
		break;
	case ACTION_VERSION:
		printf("sessfs %s\n", SESSFS_VERSION);
		break;
	case ACTION_USAGE:
		status = STATUS_USAGE;
		break;
	case ACTION_CHECK:
		status = check_files(&o);
		break;
	case ACTION_EXPORT:
		status = write_export(&o);
		break;
	case ACTION_MOUNT:
		status = mount_source(&o);
		break;
	}
	options_free(&o);
	return status;
}
