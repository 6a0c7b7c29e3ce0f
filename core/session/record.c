#include "core/session/record.h"

#include <errno.h>

#include "core/json/scan.h"

/* How much is read at once of a value that goes over several lines. */
#define STEP ((uint64_t)16 << 10)

/* How often a log may be read in vain, and a small one at that. */
#define VAIN 4
#define VAIN_BYTES ((uint64_t)1 << 20)

void record_free(struct record_reader *r)
{
	buf_free(&r->bytes);
	*r = (struct record_reader){ 0 };
}

/* Read up to n bytes of the log more, but not past its size. */
static int read_on(struct record_reader *r, const struct log *log,
		   uint64_t size, uint64_t from)
{
	uint64_t at = from + r->bytes.len;
	uint64_t n = r->bytes.len > STEP ? r->bytes.len : STEP;
	if (n > size - at)
		n = size - at;
	char *to = buf_reserve(&r->bytes, (size_t)n);
	int err = to ? log_read(log, at, to, (size_t)n) : -ENOMEM;
	if (!err)
		r->bytes.len += (size_t)n;
	return err;
}

/*
 * The value that begins at an offset. As scan_first(), with -EAGAIN if the log
 * ends in it.
 */
static int read_value(struct record_reader *r, const struct log *log,
		      uint64_t size, uint64_t from, struct span *value)
{
	int err = -EAGAIN;
	buf_reset(&r->bytes);
	while (err == -EAGAIN && from + r->bytes.len < size) {
		err = read_on(r, log, size, from);
		if (err)
			return err;
		err = -EAGAIN;
		if (from + r->bytes.len == size)
			err = scan_first(buf_span(&r->bytes), value);
		/* A last line may end in a token; no token goes over one. */
		struct span lines = buf_span(&r->bytes);
		while (lines.n > 0 && lines.p[lines.n - 1] != '\n')
			lines.n--;
		if (err != 0 && lines.n > 0)
			err = scan_first(lines, value);
	}
	return err;
}

static int read_lines(struct record_reader *r, const struct log *log,
		      uint64_t size, uint64_t from, struct span *value)
{
	int err = read_value(r, log, size, from, value);
	if (!err) {
		r->past = from + value->n;
		return 0;
	}
	*value = (struct span){ 0 };
	r->spent += r->bytes.len;
	if (err == -EAGAIN && !r->opens) {
		r->opens = true;
		r->open = from;
	}
	return err == -EAGAIN || err == -EBADMSG ? 0 : err;
}

int record_find(struct record_reader *r, const struct log *log, uint64_t size,
		struct span line, uint64_t offset, struct span *value,
		uint64_t *at)
{
	const char *end = line.p + line.n;
	const char *start = scan_past_space(line.p, end);
	const struct span text = { start, (size_t)(end - start) };
	*value = (struct span){ 0 };
	*at = offset + (uint64_t)(start - line.p);
	int err = scan_first(text, value);
	if (err == -EBADMSG)
		*value = (struct span){ 0 };
	if (err != -EAGAIN)
		return err == -EBADMSG ? 0 : err;
	*value = (struct span){ 0 };
	bool last = offset + line.n >= size;
	if (last || r->spent > VAIN * size + VAIN_BYTES)
		return 0;
	return read_lines(r, log, size, *at, value);
}

int record_check(struct record_reader *r, const struct log *log, uint64_t size,
		 struct span line, uint64_t offset, struct json *value)
{
	struct span found;
	uint64_t at;
	int err = record_find(r, log, size, line, offset, &found, &at);
	if (!err)
		err = found.n > 0 ? json_check(found, value) : -EBADMSG;
	return err;
}

int record_stays_open(struct record_reader *r, const struct log *log,
		      uint64_t size)
{
	struct span value;
	int err = read_value(r, log, size, r->open, &value);
	if (err == -EAGAIN)
		return 1;
	return err == -EBADMSG ? 0 : err;
}
