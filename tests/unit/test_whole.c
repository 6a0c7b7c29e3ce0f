#include "core/file/whole.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "tests/unit/test.h"

#define MANY ((size_t)1 << 20)

static void ignore(int number)
{
	(void)number;
}

static int open_file(const char *name, const char *text)
{
	int fd = open(test_file(name, text), O_RDWR | O_CLOEXEC);
	test_need(fd >= 0, name);
	return fd;
}

TEST(check_read)
{
	char to[16];
	int fd = open_file("read", "0123456789");
	CHECK_INT(whole_read_at(fd, to, 4, 3), 4);
	CHECK_SPAN(((struct span){ to, 4 }), SPAN("3456"));
	CHECK_INT(whole_read_at(fd, to, 16, 8), 2);
	CHECK_INT(whole_read_at(fd, to, 16, 20), 0);
	CHECK_INT(whole_read(fd, to, 6), 6);
	CHECK_INT(whole_read(fd, to, 6), 4);
	CHECK_SPAN(((struct span){ to, 4 }), SPAN("6789"));
	CHECK_INT(whole_read(fd, to, 6), 0);
	CHECK_INT(whole_read_at(-1, to, 1, 0), -EBADF);
	close(fd);
}

TEST(check_read_file)
{
	struct buf out = { 0 };
	int fd = open_file("file", "0123456789");
	buf_adds(&out, "<");
	CHECK_INT(whole_read_file(fd, 4, &out), 0);
	CHECK_INT(whole_read_file(fd, 100, &out), 0);
	CHECK_INT(whole_read_file(-1, 100, &out), -EBADF);
	CHECK_BUF(&out, "<01230123456789");
	buf_free(&out);
	close(fd);
}

TEST(check_write)
{
	struct buf out = { 0 };
	int fd = open_file("write", "");
	CHECK_INT(whole_write(fd, SPAN("abc")), 0);
	CHECK_INT(whole_write(fd, SPAN("def")), 0);
	CHECK_INT(whole_write_at(fd, SPAN("XY"), 1), 0);
	CHECK_INT(whole_write_once(fd, SPAN("g")), 1);
	CHECK_INT(whole_read_file(fd, 100, &out), 0);
	CHECK_BUF(&out, "aXYdefg");
	CHECK_INT(whole_write(-1, SPAN("a")), -EBADF);
	CHECK_INT(whole_write(-1, SPAN("")), 0);
	CHECK_INT(whole_write_once(-1, SPAN("a")), -EBADF);
	buf_free(&out);
	close(fd);
}

struct sender {
	pthread_t reader;
	int fd;
};

/* Sends pieces that are short, and a signal before each. */
static void *send_pieces(void *data)
{
	const struct sender *s = data;
	const struct timespec pause = { .tv_nsec = 5000000 };
	for (int i = 0; i < 8; i++) {
		nanosleep(&pause, NULL);
		pthread_kill(s->reader, SIGUSR1);
		nanosleep(&pause, NULL);
		CHECK_INT(write(s->fd, "0123456789", 10), 10);
	}
	close(s->fd);
	return NULL;
}

TEST(check_interrupted_read)
{
	char to[100];
	int fds[2];
	pthread_t thread;
	test_need(pipe(fds) == 0, "pipe");
	struct sender s = { pthread_self(), fds[1] };
	test_need(pthread_create(&thread, NULL, send_pieces, &s) == 0,
		  "pthread_create");
	CHECK_INT(whole_read(fds[0], to, 25), 25);
	CHECK_INT(whole_read(fds[0], to, sizeof(to)), 55);
	pthread_join(thread, NULL);
	close(fds[0]);
}

struct receiver {
	pthread_t writer;
	int fd;
	size_t received;
};

static void *receive_pieces(void *data)
{
	struct receiver *r = data;
	const struct timespec pause = { .tv_nsec = 200000 };
	static char to[1 << 14];
	ssize_t n = 1;
	while (n > 0) {
		nanosleep(&pause, NULL);
		if (r->received < MANY)
			pthread_kill(r->writer, SIGUSR1);
		n = read(r->fd, to, sizeof(to));
		if (n > 0)
			r->received += (size_t)n;
	}
	return NULL;
}

/* The pipe has less room than is written, so writes are short. */
TEST(check_interrupted_write)
{
	struct buf bytes = { 0 };
	int fds[2];
	pthread_t thread;
	buf_fill(&bytes, 'x', MANY);
	test_need(pipe(fds) == 0, "pipe");
	struct receiver r = { pthread_self(), fds[0], 0 };
	test_need(pthread_create(&thread, NULL, receive_pieces, &r) == 0,
		  "pthread_create");
	CHECK_INT(whole_write(fds[1], buf_span(&bytes)), 0);
	close(fds[1]);
	pthread_join(thread, NULL);
	CHECK_INT(r.received, MANY);
	close(fds[0]);
	buf_free(&bytes);
}

SET_UP(set_up)
{
	/* Without SA_RESTART, so that calls fail with EINTR. */
	const struct sigaction action = { .sa_handler = ignore };
	sigaction(SIGUSR1, &action, NULL);
}

RUN_TESTS("whole")
