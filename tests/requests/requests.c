#include "tests/requests/requests.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/idset.h"
#include "core/base/text.h"
#include "core/dialects/kit/ingest.h"
#include "core/file/feed.h"
#include "tests/requests/sent_form.h"

/* What is quoted of a difference, in bytes. */
#define QUOTED 60

/* How many lines of a turn, at most, are tried as one message. */
#define JOINED 64

struct part {
	size_t at;
	size_t n;
};

/* The lines of a message. */
struct lines {
	struct part blocks;
	struct part notes;
};

/* A message that is in the file as it was sent. */
struct blob {
	bool is_there;
	struct lines lines; /* in recorded.sent */
};

/* A context: its messages, and the lines of each in its form. */
struct message_here {
	char hash[SENT_HASH_SIZE];
	struct lines lines;
};

struct context_here {
	struct buf text;
	struct sent_form form;
	struct json *messages; /* of the text */
	struct message_here *list;
	size_t n;
	size_t cap_messages;
	size_t cap;
};

struct request {
	uint32_t model; /* in recorded.texts */
	uint32_t line;
	uint32_t base; /* an earlier request, or IDSET_NONE */
	size_t keep;   /* messages of it */
	struct part tail;
	uint32_t entry;	  /* that the answer hangs on; INDEX_NONE: no answer */
	bool has_no_base; /* the file lacks what it keeps */
};

/* All that the file says was sent. */
struct recorded {
	const struct session *s;
	struct idset texts; /* hashes of messages, and models */
	struct blob *blobs; /* by hash */
	size_t n_blobs;
	size_t cap_blobs;
	struct sent_form sent;
	struct idset ids;
	struct request *requests; /* by id */
	size_t cap_requests;
	uint32_t *tails; /* of all requests: hashes */
	size_t n_tails;
	size_t cap_tails;
	uint32_t line;
};

static struct span part_of(const struct buf *b, struct part part)
{
	return (struct span){ b->data + part.at, part.n };
}

/* The number of a string in JSON, which is added if it is new. */
static int number_of(struct idset *set, struct json text, uint32_t *number)
{
	struct buf key = { 0 };
	json_decode(&key, text);
	int err = buf_error(&key);
	if (!err)
		err = idset_add(set, buf_span(&key), number);
	buf_free(&key);
	return err;
}

/* The request with an id, or IDSET_NONE. */
static int find_request(const struct recorded *r, struct json id,
			uint32_t *request)
{
	struct buf key = { 0 };
	json_decode(&key, id);
	int err = buf_error(&key);
	*request =
		key.len > 0 ? idset_find(&r->ids, buf_span(&key)) : IDSET_NONE;
	buf_free(&key);
	return err;
}

static struct lines add_message(struct sent_form *f, struct json message)
{
	struct lines l = { { f->blocks.len, 0 }, { f->notes.len, 0 } };
	sent_form_add(f, message);
	l.blocks.n = f->blocks.len - l.blocks.at;
	l.notes.n = f->notes.len - l.notes.at;
	return l;
}

static int add_blob(struct recorded *r, struct json line)
{
	JSON_FIELDS(f, line, hash, message);
	uint32_t hash;
	int err = number_of(&r->texts, f.hash, &hash);
	if (!err && hash >= r->n_blobs &&
	    array_extend(&r->blobs, &r->cap_blobs, &r->n_blobs, hash + 1) < 0)
		err = -ENOMEM;
	if (err || r->blobs[hash].is_there)
		return err;
	r->blobs[hash].is_there = true;
	r->blobs[hash].lines = add_message(&r->sent, f.message);
	return sent_form_error(&r->sent);
}

/* How many messages a request has. */
static size_t length_of(const struct request *q)
{
	return q->keep + q->tail.n;
}

static int add_tail(struct recorded *r, struct request *q, struct json tail)
{
	int err = 0;
	q->tail.at = r->n_tails;
	JSON_EACH_WHILE(!err, hash, tail) {
		if (array_reserve(&r->tails, &r->cap_tails, r->n_tails, 1) < 0)
			return -ENOMEM;
		err = number_of(&r->texts, hash, &r->tails[r->n_tails++]);
	}
	q->tail.n = r->n_tails - q->tail.at;
	return err;
}

static int add_request(struct recorded *r, struct json line)
{
	JSON_FIELDS(f, line, id, base, keep, tail, params);
	struct request q = { .line = r->line, .entry = INDEX_NONE };
	uint32_t n = r->ids.n;
	uint32_t i = 0;
	int err = find_request(r, f.base, &q.base);
	double keep = json_number(f.keep);
	if (keep > 0) {
		const struct request *base =
			q.base == IDSET_NONE ? NULL : &r->requests[q.base];
		q.has_no_base = !base || base->has_no_base ||
				keep > (double)length_of(base);
		q.keep = q.has_no_base ? 0 : (size_t)keep;
	}
	if (!err)
		err = add_tail(r, &q, f.tail);
	if (!err)
		err = number_of(&r->texts, json_get(f.params, "model"),
				&q.model);
	if (!err && array_reserve(&r->requests, &r->cap_requests, n, 1) < 0)
		err = -ENOMEM;
	if (!err)
		err = number_of(&r->ids, f.id, &i);
	/* Of those with one id the first counts. */
	if (!err && i == n)
		r->requests[i] = q;
	return err;
}

/* The first line of an answer hangs on the entry that it was asked at. */
static int note_answer(struct recorded *r, struct json line)
{
	JSON_FIELDS(f, line, requestRef, uuid, isSidechain);
	uint32_t i;
	int err = find_request(r, f.requestRef, &i);
	if (err || i == IDSET_NONE || json_truthy(f.isSidechain) ||
	    r->requests[i].entry != INDEX_NONE)
		return err;
	uint32_t entry = ingest_find_id(r->s, f.uuid);
	if (entry != INDEX_NONE)
		r->requests[i].entry = session_entry(r->s, entry)->parent;
	return 0;
}

static int read_line(void *data, struct span text, uint64_t offset)
{
	struct recorded *r = data;
	struct json line;
	(void)offset;
	r->line++;
	int err = json_check(text, &line);
	if (err)
		return err == -EBADMSG ? 0 : err;
	struct json type = json_get(line, "type");
	if (json_is(type, SPAN("api-request-blob")))
		return add_blob(r, line);
	if (json_is(type, SPAN("api-request")))
		return add_request(r, line);
	if (json_is(type, SPAN("assistant")))
		return note_answer(r, line);
	return 0;
}

static bool are_of_one_role(const struct context_here *c, size_t i, size_t k)
{
	return span_eq(json_get(c->messages[i], "role").raw,
		       json_get(c->messages[k], "role").raw);
}

/*
 * Find the messages here that were sent as the one with this hash. The agent
 * sends lines of a turn as one message as long as it runs, and as several once
 * it has resumed. 1, 0 if there are none, or -ENOMEM.
 */
static int find_here(const struct context_here *c, struct span wanted,
		     size_t *from, size_t *to)
{
	char hash[SENT_HASH_SIZE];
	for (*from = 0; *from < c->n; ++*from) {
		*to = *from + 1;
		if (span_eq(span_of(c->list[*from].hash), wanted))
			return 1;
	}
	for (*from = 0; *from < c->n; ++*from) {
		for (*to = *from + 2; *to <= c->n && *to - *from <= JOINED &&
				      are_of_one_role(c, *from, *to - 1);
		     ++*to) {
			int err = sent_form_hash(c->messages + *from,
						 *to - *from, hash);
			if (err || span_eq(span_of(hash), wanted))
				return err ? err : 1;
		}
	}
	return 0;
}

static void add_lines(struct sent_form *to, const struct sent_form *from,
		      const struct lines *l)
{
	buf_add(&to->blocks, part_of(&from->blocks, l->blocks));
	buf_add(&to->notes, part_of(&from->notes, l->notes));
}

/*
 * Of a message that is made of entries alone, the file has only the hash. It is
 * what has this hash here, or another one.
 */
static int add_sent(const struct recorded *r, uint32_t hash,
		    const struct context_here *c, struct sent_form *to)
{
	size_t i;
	size_t end;
	if (hash < r->n_blobs && r->blobs[hash].is_there) {
		add_lines(to, &r->sent, &r->blobs[hash].lines);
		return 0;
	}
	int found = find_here(c, idset_get(&r->texts, hash), &i, &end);
	if (found > 0) {
		for (; i < end; i++)
			add_lines(to, &c->form, &c->list[i].lines);
	} else {
		buf_adds(&to->blocks, "a message with the hash ");
		buf_add(&to->blocks, idset_get(&r->texts, hash));
		buf_addc(&to->blocks, '\n');
	}
	return found < 0 ? found : 0;
}

/* Its messages: those of the requests below it, then its own. */
static int load_sent(const struct recorded *r, const struct request *q,
		     const struct context_here *c, struct sent_form *to)
{
	size_t n = length_of(q);
	uint32_t *list = calloc(n + 1, sizeof(*list));
	int err = list ? 0 : -ENOMEM;
	size_t end = err ? 0 : n;
	while (end > 0) {
		/* Of its own messages, those that the later ones keep. */
		for (size_t i = q->keep; i < end; i++)
			list[i] = r->tails[q->tail.at + i - q->keep];
		end = end < q->keep ? end : q->keep;
		if (end > 0)
			q = &r->requests[q->base];
	}
	for (size_t i = 0; i < n && !err; i++)
		err = add_sent(r, list[i], c, to);
	free(list);
	return err ? err : sent_form_error(to);
}

static int add_here(struct context_here *c, struct json message)
{
	if (array_reserve(&c->messages, &c->cap_messages, c->n, 1) < 0 ||
	    array_reserve(&c->list, &c->cap, c->n, 1) < 0)
		return -ENOMEM;
	struct message_here *m = &c->list[c->n];
	c->messages[c->n++] = message;
	m->lines = add_message(&c->form, message);
	return sent_form_hash(&message, 1, m->hash);
}

static int load_here(const struct session *s, uint32_t entry,
		     struct context_here *c)
{
	struct json list;
	int err = context_add(s, entry, MESSAGE_FORM_JSON, &c->text);
	if (!err)
		err = json_check(buf_span(&c->text), &list);
	if (err)
		return err;
	JSON_EACH_WHILE(!err, message, list)
		err = add_here(c, message);
	return err ? err : sent_form_error(&c->form);
}

struct difference {
	size_t line; /* counted from 1; 0: there is none */
	struct span sent;
	struct span here;
};

static struct difference compare(struct span sent, struct span here,
				 bool skips_thinking)
{
	struct difference d = { 0 };
	do {
		d.line++;
		do
			d.sent = span_next_line(&sent);
		while (skips_thinking && sent_form_is_thinking(d.sent));
		do
			d.here = span_next_line(&here);
		while (skips_thinking && sent_form_is_thinking(d.here));
	} while (d.sent.n > 0 && span_eq(d.sent, d.here));
	if (span_eq(d.sent, d.here))
		d.line = 0;
	return d;
}

static void add_quoted(struct buf *out, struct span text)
{
	if (text.n == 0)
		buf_adds(out, "nothing");
	text_add_one_line(out, text_start(text, QUOTED));
	if (text.n > QUOTED)
		buf_adds(out, "...");
}

static void report(struct request_check *c, const struct recorded *r,
		   const struct request *q, const char *what,
		   const struct difference *d)
{
	buf_addf(c->out, "%s:%u: not the context of ", c->file, q->line);
	index_add_name(&r->s->now.index, c->out, q->entry);
	buf_addf(c->out, ": %s %zu: sent ", what, d->line);
	add_quoted(c->out, d->sent);
	buf_adds(c->out, ", here ");
	add_quoted(c->out, d->here);
	buf_addc(c->out, '\n');
}

/* Is the request for the model that the context is for? */
static int is_same_model(const struct recorded *r, const struct request *q)
{
	struct buf model = { 0 };
	struct buf thinking = { 0 };
	int err = settings_at(r->s, q->entry, &model, &thinking);
	if (!err)
		err = buf_error(&model);
	bool same = model.len == 0 ||
		    span_eq(buf_span(&model), idset_get(&r->texts, q->model));
	buf_free(&model);
	buf_free(&thinking);
	return err ? err : same;
}

static int check_request(const struct recorded *r, const struct request *q,
			 struct request_check *c)
{
	struct sent_form sent = { 0 };
	struct context_here here = { 0 };
	int same = is_same_model(r, q);
	int err = same < 0 ? same : load_here(r->s, q->entry, &here);
	if (!err)
		err = load_sent(r, q, &here, &sent);
	if (!err) {
		const char *what = "block";
		struct difference d =
			compare(buf_span(&sent.blocks),
				buf_span(&here.form.blocks), !same);
		if (d.line == 0) {
			what = "note";
			d = compare(buf_span(&sent.notes),
				    buf_span(&here.form.notes), false);
		}
		if (d.line > 0)
			report(c, r, q, what, &d);
		c->different += d.line > 0;
		c->compared++;
	}
	sent_form_free(&sent);
	buf_free(&here.text);
	sent_form_free(&here.form);
	free(here.messages);
	free(here.list);
	return err;
}

int requests_check(const struct session *s, struct request_check *c)
{
	struct recorded r = { .s = s };
	struct feed f = { 0 };
	int err = feed_file(&s->log, &f, s->now.indexed, read_line, &r);
	buf_free(&f.chunk);
	for (uint32_t i = 0; i < r.ids.n && !err; i++) {
		const struct request *q = &r.requests[i];
		if (q->entry == INDEX_NONE)
			continue;
		if (q->has_no_base)
			c->unknown++;
		else
			err = check_request(&r, q, c);
	}
	idset_free(&r.texts);
	free(r.blobs);
	sent_form_free(&r.sent);
	idset_free(&r.ids);
	free(r.requests);
	free(r.tails);
	return err ? err : buf_error(c->out);
}

void requests_add_count(const struct request_check *c)
{
	if (c->compared + c->unknown == 0) {
		buf_addf(c->out,
			 "%s: the agent has recorded no requests here\n",
			 c->file);
		return;
	}
	buf_addf(c->out, "%s: %zu of %zu recorded requests are the contexts",
		 c->file, c->compared - c->different, c->compared);
	if (c->unknown > 0)
		buf_addf(c->out, "; of %zu more the beginning is missing",
			 c->unknown);
	buf_addc(c->out, '\n');
}
