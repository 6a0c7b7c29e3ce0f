#include "core/session/private.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/session/dialect.h"
#include "core/session/read_ahead.h"

/* How many bytes are read between two calls of session_opening.progress. */
#define PROGRESS_STEP ((uint64_t)256 << 10)

/* The lines of a larger file are not kept. */
#define KEPT_BYTES ((uint64_t)1 << 20)

void contents_init(struct contents *c)
{
	*c = (struct contents){ .leaf = INDEX_NONE,
				.head = INDEX_NONE,
				.version = 1 };
	index_init(&c->index);
	labels_init(&c->labels);
}

void contents_free(struct contents *c)
{
	index_free(&c->index);
	labels_free(&c->labels);
	heads_free(&c->heads);
	buf_free(&c->header);
	buf_free(&c->name);
	ahead_batch_free(c->kept);
	record_free(&c->records);
	if (c->state && c->clear_state)
		c->clear_state(c->state);
	free(c->state);
	free(c->notes.list);
	started_free(&c->started);
	buf_free(&c->own.bytes);
}

/*
 * Ingest the value that a line begins with, if its agent does. *found is set to
 * it.
 */
static int ingest_record(struct session *s, const struct scanned *line,
			 uint32_t number, struct json *found)
{
	struct contents *c = &s->now;
	struct line_place at = { .number = number };
	struct span value;
	int err = record_find(&c->records, &s->log, log_size(&s->log),
			      line->text, line->offset, &value, &at.offset);
	at.length = value.n;
	if (err)
		return err;
	if (!record_has(&c->records, line->offset))
		problems_note(&c->problems, PROBLEM_JSON, number);
	if (value.n == 0 || value.p[0] != '{')
		return 0;
	err = json_check(value, found);
	if (err || !s->dialect->reading->takes_record(s, *found))
		return err;
	at.digest = (uint32_t)hash_line(value, at.offset);
	return s->dialect->reading->ingest(s, *found, &at);
}

/* *found: the value that counts, if the line is not JSON. */
static int ingest_line(struct session *s, const struct scanned *line,
		       struct json *found)
{
	const struct dialect_reading *d = s->dialect->reading;
	const struct line_place at = { line->offset, line->text.n,
				       ++s->now.lines, (uint32_t)line->digest };
	if (record_has(&s->now.records, line->offset) ||
	    text_trim(line->text).n == 0)
		return 0;
	int err = line->err;
	if (!err && json_type(line->json) == JSON_NULL && s->now.null_line == 0)
		s->now.null_line = at.number;
	if (!err)
		return d->ingest(s, line->json, &at);
	if (err != -EBADMSG)
		return err;
	err = 0;
	if (d->takes_record)
		err = ingest_record(s, line, at.number, found);
	else
		problems_note(&s->now.problems, PROBLEM_JSON, at.number);
	return err ? err : d->ingest(s, (struct json){ 0 }, &at);
}

static int ingest_whole_line(void *data, const struct scanned *line)
{
	struct session *s = data;
	const struct scanned *ingested = line;
	struct scanned after_bom;
	struct json found = { 0 };
	if (!line->err)
		found = line->json;
	/* The first line of a file may begin with a byte order mark. */
	struct span text = line->text;
	if (line->offset == 0)
		text = log_skip_bom(text);
	if (text.n < line->text.n) {
		s->now.bom = text_trim(text).n > 0;
		ahead_scan(text, line->text.n - text.n, &after_bom);
		ingested = &after_bom;
	}
	int err = ingest_line(s, ingested, &found);
	/* Its newline follows it. */
	fingerprint_add(&s->now.fingerprint,
			(struct span){ line->text.p, line->text.n + 1 },
			line->digest);
	s->now.indexed = line->offset + line->text.n + 1;
	const struct session_opening *how = &s->private->how;
	if (how->progress &&
	    line->offset / PROGRESS_STEP != s->now.indexed / PROGRESS_STEP)
		how->progress(how->progress_data, s->now.indexed,
			      log_size(&s->log));
	return !err && how->ingested ? how->ingested(s, found) : err;
}

/*
 * A last line without its newline. Agents load one that is a whole object, and
 * some one that begins with such; any other may be the beginning of a line that
 * is still being written. It may also be the end of a value.
 */
static int ingest_unended(struct session *s, struct span text, uint64_t offset)
{
	struct scanned line;
	struct json found = { 0 };
	ahead_scan(text, offset, &line);
	struct span value;
	/* Does the dialect's agent read the value that it begins with? */
	bool record =
		record_has(&s->now.records, offset) ||
		(line.err == -EBADMSG && s->dialect->reading->takes_record &&
		 scan_first(text, &value) == 0);
	if (!record && (line.err == -EBADMSG ||
			(!line.err && json_type(line.json) != JSON_OBJECT)))
		return 0;
	if (!line.err)
		found = line.json;
	int err =
		line.err && !record ? line.err : ingest_line(s, &line, &found);
	fingerprint_add(&s->now.fingerprint, text, line.digest);
	s->now.fingerprint.lacks_newline = true;
	s->now.indexed = offset + text.n;
	const struct session_opening *how = &s->private->how;
	return !err && how->ingested ? how->ingested(s, found) : err;
}

/* Skip the newline of a line that was ingested without it; -ESTALE if other
 * bytes follow the line. */
static int skip_newline(struct session *s, uint64_t size)
{
	char c[2];
	size_t n = size - s->now.indexed < 2 ? 1 : 2;
	int err = log_read(&s->log, s->now.indexed, c, n);
	if (err)
		return err;
	if (c[0] == '\n')
		n = 1;
	else if (n < 2 || c[0] != '\r' || c[1] != '\n')
		return -ESTALE;
	s->now.indexed += n;
	fingerprint_end_line(&s->now.fingerprint, (struct span){ c, n });
	return 0;
}

static bool keeps_lines(const struct session *s)
{
	return s->private->how.keeps_lines && log_size(&s->log) <= KEPT_BYTES;
}

size_t contents_step(const struct session *s)
{
	return keeps_lines(s) ? (size_t)log_size(&s->log) : 0;
}

/*
 * HEAD, for people: what the leaf stands for, looked through.
 *
 * The agent goes on from session_at_leaf(): the leaf, or the entry that it is
 * bookkeeping of. Agents also end a turn or a session with notes that nobody
 * said or did (dialect_showing.is_said): attachments, reminders, marks of an
 * exit. session_head() is the nearest ancestor that is no such note, or
 * session_at_leaf() itself if all are notes, or if the dialect does not tell.
 * Contexts, forms and writes follow the leaf; only what HEAD shows differs.
 *
 * Lines are read from the leaf up to the first that is no note. Notes that an
 * earlier call has read are not read again, so a session of nothing but notes
 * costs one line an append.
 */

static int find_shown_head(struct session *s)
{
	struct contents *c = &s->now;
	const struct shown_head was = c->shown_head;
	uint32_t from = session_at_leaf(s);
	uint32_t at = from;
	struct buf line BUF_SCOPED = { 0 };
	int note = s->dialect->showing->is_said != NULL;
	/* Are entries and their parents what they were at the last answer? */
	bool same = was.known && was.redefined_ids == c->redefined_ids &&
		    was.relinks == c->index.relinks;
	while (note > 0 && at != INDEX_NONE && !(same && at == was.from)) {
		struct json json;
		/* One that can't be read is none. */
		note = session_peek(s, at, &line, NULL, &json);
		if (note)
			note = note == -ENOMEM ? note : 0;
		else
			note = !s->dialect->showing->is_said(json);
		if (note > 0)
			at = bookkeeping_shown_parent(&c->index, at);
	}
	if (note < 0)
		return note;
	/* It has met the entry that the earlier answer began from. */
	if (note && at != INDEX_NONE)
		at = was.found;
	c->head = at == INDEX_NONE ? from : at;
	c->shown_head = (struct shown_head){ .known = true,
					     .from = from,
					     .found = at,
					     .redefined_ids = c->redefined_ids,
					     .relinks = c->index.relinks };
	return 0;
}

/* The dialect's leaf, HEAD, and what by-label/ shows. */
static int find_shown(struct session *s)
{
	const struct dialect_reading *d = s->dialect->reading;
	int err = d->find_leaf ? d->find_leaf(s) : 0;
	if (!err)
		err = find_shown_head(s);
	return err ? err : labels_link(&s->now.labels, &s->now.index);
}

int contents_grow(struct session *s, struct feed *first)
{
	uint64_t size = log_size(&s->log);
	struct record_reader *records = &s->now.records;
	int err = 0;
	if (records->opens && size > s->now.indexed) {
		err = record_stays_open(records, &s->log, size);
		if (err <= 0)
			return err ? err : -ESTALE;
		err = 0;
	}
	if (s->now.fingerprint.lacks_newline && size > s->now.indexed)
		err = skip_newline(s, size);
	struct feed f = { .offset = s->now.indexed };
	bool keeps = f.offset == 0 && keeps_lines(s);
	if (f.offset == 0)
		f.step = contents_step(s);
	/* Those of its ancestors come before them. */
	if (first && f.offset == 0 && s->log.before.size == 0) {
		f = *first;
		*first = (struct feed){ 0 };
	}
	if (!err)
		err = ahead_file(&s->log, &f, size, ingest_whole_line, s,
				 keeps ? &s->now.kept : NULL,
				 !s->private->how.once ||
					 s->private->unsettled_until != 0);
	if (!err && f.rest.n > 0)
		err = ingest_unended(s, f.rest, f.offset);
	buf_free(&f.chunk);
	if (!err)
		err = index_link(&s->now.index);
	return err ? err : find_shown(s);
}

int contents_read_beside(struct session *s, enum beside_file i)
{
	struct buf bytes BUF_SCOPED = { 0 };
	if (!s->beside[i].path)
		return 0;
	int err = sidecar_read(&s->beside[i], &bytes);
	bool ignored = i == BESIDE_NAMES && err && err != -ENOMEM;
	if (!err)
		err = s->dialect->reading->beside[i].ingest(
			s, buf_span(&bytes), s->beside[i].was.mode != 0);
	if (!err)
		err = find_shown(s);
	return ignored ? 0 : err;
}

int contents_read(struct session *s, struct feed *first)
{
	const struct dialect_reading *d = s->dialect->reading;
	int err = 0;
	if (d->state_size > 0) {
		s->now.clear_state = d->clear_state;
		s->now.state = calloc(1, d->state_size);
		err = s->now.state ? 0 : -ENOMEM;
	}
	if (!err && d->begin_state)
		d->begin_state(s->now.state);
	if (!err && s->log.exists)
		err = contents_grow(s, first);
	for (int i = 0; i < BESIDE_COUNT && !err; i++)
		err = contents_read_beside(s, i);
	return err;
}
