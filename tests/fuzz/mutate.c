/*
 * How libFuzzer makes up inputs: half of the time as it does anyway, else by
 * what makes another session of one. Lines go, come twice or elsewhere, and
 * strings, such as ids, take the place of others.
 */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

/* libFuzzer's own; and what it calls in its place. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned seed);

struct input {
	char *data;
	size_t size;
	size_t max;
	uint64_t state;
};

struct piece {
	size_t at;
	size_t n;
};

static size_t below(struct input *in, size_t n)
{
	in->state ^= in->state << 13;
	in->state ^= in->state >> 7;
	in->state ^= in->state << 17;
	return (size_t)(in->state >> 16) % n;
}

/* From somewhere in the input to where `c` is, or its end. */
static size_t up_to(const struct input *in, size_t from, char c)
{
	const char *at = memchr(in->data + from, c, in->size - from);
	return at ? (size_t)(at - in->data) : in->size;
}

/* A line with its LF. */
static struct piece a_line(struct input *in)
{
	size_t at = below(in, in->size);
	while (at > 0 && in->data[at - 1] != '\n')
		at--;
	size_t end = up_to(in, at, '\n');
	return (struct piece){ at, end + (end < in->size) - at };
}

/* What stands between two quotation marks, mostly a string. */
static struct piece a_string(struct input *in)
{
	size_t at = up_to(in, below(in, in->size), '"');
	if (at == in->size)
		return (struct piece){ at, 0 };
	return (struct piece){ at + 1, up_to(in, at + 1, '"') - at - 1 };
}

/* Put bytes, which may be the input's own, in the place of a piece. */
static void put(struct input *in, struct piece to, struct span bytes)
{
	struct buf copy = { 0 };
	size_t end = to.at + to.n;
	buf_add(&copy, bytes);
	if (!copy.failed && in->size - to.n + bytes.n <= in->max) {
		memmove(in->data + to.at + bytes.n, in->data + end,
			in->size - end);
		if (bytes.n > 0)
			memcpy(in->data + to.at, copy.data, bytes.n);
		in->size += bytes.n - to.n;
	}
	buf_free(&copy);
}

static struct span bytes_of(const struct input *in, struct piece p)
{
	return (struct span){ in->data + p.at, p.n };
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned seed)
{
	struct input in = { (char *)data, size, max_size,
			    seed + 88172645463325252u };
	size_t how = below(&in, 10);
	if (size == 0 || how > 4)
		return LLVMFuzzerMutate(data, size, max_size);
	struct piece line = a_line(&in);
	struct piece string = a_string(&in);
	struct piece here = { a_line(&in).at, 0 };
	switch (how) {
	case 0:
		put(&in, line, (struct span){ "", 0 });
		break;
	case 1:
		put(&in, here, bytes_of(&in, line));
		break;
	case 2:
		/* A mark: see session.c. */
		here.at += below(&in, 2) * below(&in, in.size - here.at);
		put(&in, here, below(&in, 2) ? SPAN("\1") : SPAN("\2"));
		break;
	default:
		put(&in, string, bytes_of(&in, a_string(&in)));
		break;
	}
	return in.size;
}
