#include "core/session/detect.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/session/record.h"

/* How many values, and bytes, are read to find a line that decides. */
#define OPENING_VALUES 64
#define OPENING_BYTES ((uint64_t)1 << 20)

#define UNKNOWN                   \
	"unknown session format " \
	"(sessfs -o dialect=lines shows it line by line)"

struct opening {
	const struct dialect_registry *dialects;
	const struct log *log;
	struct record_reader records;
	bool record; /* the value in hand is one of a line that is not JSON */
	struct verdict verdict;
	struct buf claimed; /* the line, while the claim is tentative */
	bool decided;
	uint32_t lines;
	uint32_t values;
};

/* Claim the file for the first row that claims the line. */
static int claim(struct opening *o, struct json line)
{
	for (size_t i = 0; i < o->dialects->n && !o->verdict.reason; i++) {
		const struct dialect *d = o->dialects->rows[i];
		if (o->record && !d->reading->takes_record)
			continue;
		const char *reason = d->claims(line);
		if (reason)
			o->verdict = (struct verdict){ .dialect = d,
						       .reason = reason,
						       .line = o->lines };
	}
	const struct dialect *claimer = o->verdict.dialect;
	if (!claimer)
		return 0;
	o->decided = !claimer->confirms;
	if (!o->decided)
		buf_add(&o->claimed, line.raw);
	return buf_error(&o->claimed);
}

/* Confirm or refute the claim by a later line. */
static int judge(struct opening *o, struct json line)
{
	struct json claimed;
	int err = json_check(buf_span(&o->claimed), &claimed);
	if (err)
		return err;
	int verdict = o->verdict.dialect->confirms(claimed, line);
	o->decided = verdict != 0;
	if (verdict < 0)
		o->verdict = (struct verdict){ 0 };
	return 0;
}

static int examine_value(struct opening *o, struct json line)
{
	const char *foreign =
		o->dialects->foreign ? o->dialects->foreign(line) : NULL;
	if (foreign) {
		o->verdict =
			(struct verdict){ .reason = foreign, .line = o->lines };
		o->decided = true;
		return 0;
	}
	return o->verdict.dialect ? judge(o, line) : claim(o, line);
}

/* A positive result ends the reading. */
static int examine_line(void *data, struct span text, uint64_t offset)
{
	struct opening *o = data;
	struct json line;
	if (offset == 0) {
		size_t n = text.n;
		text = log_skip_bom(text);
		offset = n - text.n;
	}
	o->lines++;
	if (record_has(&o->records, offset))
		return offset > OPENING_BYTES;
	int err = json_check(text, &line);
	o->record = err == -EBADMSG;
	if (o->record)
		err = record_check(&o->records, o->log,
				   (uint64_t)o->log->st.st_size, text, offset,
				   &line);
	if (err == -EBADMSG)
		return offset > OPENING_BYTES;
	if (!err)
		err = examine_value(o, line);
	if (err)
		return err;
	o->values++;
	return o->decided || o->values == OPENING_VALUES ||
	       offset > OPENING_BYTES;
}

/* Examine the lines of a feed, which stays where it is. *last: the bytes after
 * the last newline, and their offset. */
static int examine_lines(struct opening *o, struct feed *f, struct feed *last)
{
	uint64_t size = (uint64_t)o->log->st.st_size;
	int err = 0;
	do {
		struct span line;
		uint64_t offset;
		if (last->offset + last->rest.n < size)
			err = feed_read(o->log, f, size);
		last->rest = (struct span){ f->rest.p + last->offset,
					    f->rest.n - (size_t)last->offset };
		while (!err && feed_next_line(last, &line, &offset))
			err = examine_line(o, line, offset);
	} while (!err && last->offset + last->rest.n < size);
	return err;
}

int dialect_detect(const struct dialect_registry *dialects,
		   const struct log *log, struct feed *f, struct verdict *v)
{
	struct opening o = { .dialects = dialects, .log = log };
	struct feed last = { 0 };
	int err = examine_lines(&o, f, &last);
	uint32_t values = o.values;
	/* May an incomplete last line be the beginning of an object? */
	struct span rest =
		last.offset == 0 ? log_skip_bom(last.rest) : last.rest;
	struct span text = text_trim(rest);
	bool torn = !err && rest.n > 0 && (text.n == 0 || text.p[0] == '{');
	if (!err && last.rest.n > 0)
		err = examine_line(&o, last.rest, last.offset);
	if (!err && o.verdict.dialect && !o.decided) {
		err = judge(&o, (struct json){ 0 });
		o.decided = false;
	}
	buf_free(&o.claimed);
	record_free(&o.records);
	*v = o.verdict;
	v->lines = o.lines - (torn && o.values == values);
	v->final = err > 0;
	return err > 0 ? 0 : err;
}

const char *verdict_refusal(const struct verdict *v)
{
	if (v->dialect || v->lines == 0)
		return NULL;
	return v->reason ? v->reason : UNKNOWN;
}

const struct dialect *dialect_in(const struct dialect_registry *r,
				 struct span name)
{
	for (size_t i = 0; i < r->n; i++) {
		if (span_eq(name, span_of(r->rows[i]->name)))
			return r->rows[i];
	}
	return NULL;
}
