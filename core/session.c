#include "core/session.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/dialect.h"
#include "core/hash.h"
#include "core/text.h"

/* How much is read at a time, and remembered of what was read last. */
#define READ_CHUNK ((size_t)1 << 20)
#define TAIL_SIZE 256

static void contents_init(struct contents *c)
{
	*c = (struct contents){ .leaf = INDEX_NONE,
				.head = INDEX_NONE,
				.version = 1 };
	index_init(&c->index);
	labels_init(&c->labels);
}

static void contents_free(struct contents *c)
{
	index_free(&c->index);
	labels_free(&c->labels);
	buf_free(&c->header);
	buf_free(&c->name);
	buf_free(&c->start);
	buf_free(&c->tail);
	free(c->skipped.list);
}

/* One line that the agent would parse. */
static int take_line(struct session *s, struct span text, uint64_t offset)
{
	struct contents *c = &s->now;
	struct json line;

	/* A byte order mark is no part of the first line. */
	if (offset == 0 && span_starts(text, SPAN("\xEF\xBB\xBF"))) {
		text.p += 3;
		text.n -= 3;
		offset += 3;
	}
	const struct line_place at = { offset, text.n, ++c->lines };
	if (text_trim(text).n == 0)
		return 0;
	int err = json_check(text, &line);
	if (err == -EBADMSG) {
		problems_note(&c->problems, PROBLEM_JSON, at.number);
		return 0;
	}
	if (err)
		return err;
	if (!json_truthy(line)) {
		problems_note(&c->problems, PROBLEM_NO_ENTRY, at.number);
		return 0;
	}
	if (!s->dialect) {
		s->dialect = dialect_of(line);
		if (!s->dialect)
			return -EPROTO;
	}
	err = s->dialect->take(s, line, &at);
	c->values++;
	return err;
}

/* What a line adds to the digest: sums do not depend on how it was read. */
static uint64_t digest_of(struct span line, uint64_t offset)
{
	/* A CR may come after the line has been taken without its end. */
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return hash_bytes(offset, line);
}

/* A last line without its newline counts if it is whole (DESIGN.md, rule 4). */
static int take_open_end(struct session *s, struct span text, uint64_t offset)
{
	struct json line;
	int err = json_check(text, &line);
	if (err == -EBADMSG || (!err && json_type(line) != JSON_OBJECT))
		return 0;
	if (err)
		return err;
	err = take_line(s, text, offset);
	s->now.digest += digest_of(text, offset);
	s->now.indexed = offset + text.n;
	s->now.open_end = true;
	return err;
}

/* The newline of a line that was taken without it, if that is what came. */
static int close_open_end(struct session *s, uint64_t size)
{
	char c[2];
	size_t n = size - s->now.indexed < 2 ? 1 : 2;
	int err = log_read(&s->log, s->now.indexed, c, n);
	if (err)
		return err;
	if (c[0] == '\n')
		s->now.indexed++;
	else if (n == 2 && c[0] == '\r' && c[1] == '\n')
		s->now.indexed += 2;
	else
		return -ESTALE;
	s->now.open_end = false;
	return 0;
}

/* Up to TAIL_SIZE bytes of the file into *b. */
static int remember(const struct session *s, struct buf *b, uint64_t offset,
		    size_t n)
{
	buf_clear(b);
	char *to = buf_reserve(b, n);
	int err = to ? log_read(&s->log, offset, to, n) : -ENOMEM;
	if (!err)
		b->len = n;
	return err;
}

/* Remember the first and the last bytes read, to know the file again. */
static int remember_ends(struct session *s)
{
	struct contents *c = &s->now;
	size_t n = c->indexed < TAIL_SIZE ? c->indexed : TAIL_SIZE;
	int err = remember(s, &c->start, 0, n);
	return err ? err : remember(s, &c->tail, c->indexed - n, n);
}

static bool is_there(const struct session *s, struct span bytes,
		     uint64_t offset)
{
	char now[TAIL_SIZE];
	return log_read(&s->log, offset, now, bytes.n) == 0 &&
	       span_eq(bytes, (struct span){ now, bytes.n });
}

/* Are the first and the last bytes that were read still where they were? */
static bool ends_are_there(const struct session *s)
{
	struct span tail = buf_span(&s->now.tail);
	return is_there(s, buf_span(&s->now.start), 0) &&
	       is_there(s, tail, s->now.indexed - tail.n);
}

/* What to do with a line (without its LF) at an offset. */
typedef int line_taker(struct session *s, struct span line, uint64_t offset,
		       void *data);

/* Bytes on their way: *chunk holds those of `rest`, which is at `offset`. */
struct feed {
	struct buf chunk;
	struct span rest;
	uint64_t offset;
};

static int feed_lines(struct session *s, struct feed *f, line_taker *take,
		      void *data)
{
	const char *lf;
	int err = 0;
	while (!err && f->rest.n > 0 &&
	       (lf = memchr(f->rest.p, '\n', f->rest.n))) {
		struct span line = { f->rest.p, (size_t)(lf - f->rest.p) };
		err = take(s, line, f->offset, data);
		f->offset += line.n + 1;
		f->rest.p += line.n + 1;
		f->rest.n -= line.n + 1;
	}
	return err;
}

/*
 * Give the lines from f->offset up to `size` to `take`, reading a chunk at a
 * time. What is behind the last newline stays in f->rest.
 */
static int feed_file(struct session *s, struct feed *f, uint64_t size,
		     line_taker *take, void *data)
{
	uint64_t at = f->offset;
	int err = 0;
	while (!err && at < size) {
		size_t want = size - at < READ_CHUNK ? (size_t)(size - at)
						     : READ_CHUNK;
		char *to = buf_reserve(&f->chunk, want);
		f->rest = buf_span(&f->chunk);
		err = to ? log_read(&s->log, at, to, want) : -ENOMEM;
		if (err)
			break;
		/* Only what is new can hold the newline of a long line. */
		bool ends = memchr(to, '\n', want) != NULL;
		f->chunk.len += want;
		at += want;
		f->rest = buf_span(&f->chunk);
		if (!ends)
			continue;
		err = feed_lines(s, f, take, data);
		memmove(f->chunk.data, f->rest.p, f->rest.n);
		f->chunk.len = f->rest.n;
		f->rest = buf_span(&f->chunk);
	}
	return err;
}

static int take_whole_line(struct session *s, struct span line, uint64_t offset,
			   void *data)
{
	(void)data;
	int err = take_line(s, line, offset);
	s->now.digest += digest_of(line, offset);
	s->now.indexed = offset + line.n + 1;
	return err;
}

/* Read from now.indexed up to `size`. */
static int read_new(struct session *s, uint64_t size)
{
	int err = 0;
	if (s->now.open_end && size > s->now.indexed)
		err = close_open_end(s, size);
	struct feed f = { .offset = s->now.indexed };
	if (!err)
		err = feed_file(s, &f, size, take_whole_line, NULL);
	if (!err && f.rest.n > 0)
		err = take_open_end(s, f.rest, f.offset);
	buf_free(&f.chunk);
	return err;
}

static int digest_line(struct session *s, struct span line, uint64_t offset,
		       void *data)
{
	uint64_t *digest = data;
	(void)s;
	*digest += digest_of(line, offset);
	return 0;
}

/* Are the bytes that were read still the same? Reads them all. */
static bool is_unchanged(struct session *s)
{
	struct feed f = { 0 };
	uint64_t digest = 0;
	int err = feed_file(s, &f, s->now.indexed, digest_line, &digest);
	if (!err && f.rest.n > 0)
		digest += digest_of(f.rest, f.offset);
	buf_free(&f.chunk);
	return !err && digest == s->now.digest;
}

/* Does an entry only keep books, so that HEAD looks through it? */
static bool is_book_entry(const struct session *s, uint32_t i)
{
	enum entry_type type = session_entry(s, i)->type;
	return type == ENTRY_LABEL || type == ENTRY_HEAD;
}

/* Take in what is new: the lines, then the links between entries. */
static int grow(struct session *s)
{
	struct contents *c = &s->now;
	uint32_t before = c->index.n;
	int err = read_new(s, (uint64_t)s->log.seen.st_size);
	if (!err)
		err = index_link(&c->index);
	if (!err)
		err = labels_link(&c->labels, &c->index, c->index.n > before);
	c->head = c->leaf;
	/* This ends: index_link() leaves no cycles. */
	while (!err && c->head != INDEX_NONE && is_book_entry(s, c->head))
		c->head = session_entry(s, c->head)->parent;
	if (!err)
		err = remember_ends(s);
	return err;
}

/* The same entries under the same numbers, as far as the old ones go? */
static bool same_numbers(const struct index *old, const struct index *now)
{
	if (now->n < old->n)
		return false;
	for (uint32_t i = 0; i < old->n; i++) {
		if (!span_eq(index_id(old, i), index_id(now, i)))
			return false;
	}
	return true;
}

/*
 * Read the file from its start, in place of what was known of it. What could be
 * read only in part is not shown: the session is empty then, and read again at
 * the next look.
 */
static int read_again(struct session *s)
{
	struct contents old = s->now;
	contents_init(&s->now);
	int err = s->log.fd < 0 ? 0 : grow(s);
	if (err) {
		contents_free(&s->now);
		contents_init(&s->now);
	}
	s->incomplete = err != 0;
	if (!s->keep_epoch || !same_numbers(&old.index, &s->now.index))
		s->epoch++;
	s->since = s->stamp;
	contents_free(&old);
	return err;
}

/* Strictly later than before, so that caches that compare mtimes notice. */
static void stamp(struct session *s)
{
	struct timespec t = s->log.seen.st_mtim;
	struct timespec last = s->stamp;
	if (t.tv_sec < last.tv_sec ||
	    (t.tv_sec == last.tv_sec && t.tv_nsec <= last.tv_nsec)) {
		t = last;
		if (++t.tv_nsec == 1000000000) {
			t.tv_nsec = 0;
			t.tv_sec++;
		}
	}
	s->stamp = t;
	s->version++;
}

static int refresh_once(struct session *s)
{
	struct stat was = s->log.seen;
	enum log_news news = log_look(&s->log);
	bool other_owner = s->log.seen.st_mode != was.st_mode ||
			   s->log.seen.st_uid != was.st_uid ||
			   s->log.seen.st_gid != was.st_gid;
	/* Attributes that were to stay while the epoch lasts do not. */
	if (other_owner) {
		s->epoch++;
		stamp(s);
	}
	if (!s->incomplete &&
	    (news == LOG_SAME || (news == LOG_TOUCHED && is_unchanged(s))))
		return 0;
	/* The version is that of what is about to be read: labels carry it. */
	stamp(s);
	if (news == LOG_GREW && !s->incomplete && ends_are_there(s)) {
		uint32_t relinks = s->now.index.relinks;
		uint32_t retold = s->now.retold;
		int err = grow(s);
		/* What was said of older entries may have changed. */
		if (relinks != s->now.index.relinks || retold != s->now.retold)
			s->epoch++;
		if (!err)
			return 0;
	}
	return read_again(s);
}

/* Bring up to date, under the write lock; again if the file changes meanwhile.
 */
static int refresh(struct session *s)
{
	int err = refresh_once(s);
	for (int tries = 0; err == -ESTALE && tries < 3; tries++)
		err = refresh_once(s);
	return err;
}

static int open_contents(struct session *s, const char *path, const char **why)
{
	int err = log_open(&s->log, path);
	if (err == -EINVAL)
		*why = "not a regular file";
	if (err)
		return err;
	if (access(s->log.path, W_OK) < 0)
		s->read_only = true;
	s->stamp = s->log.seen.st_mtim;
	s->since = s->stamp;
	err = grow(s);
	if (err == -EPROTO || (!err && !s->dialect && s->log.seen.st_size > 0 &&
			       s->now.lines > 0)) {
		*why = "not a session of a kind that sessfs reads";
		return -EPROTO;
	}
	/* An empty file is a session that has not begun. */
	if (!err && !s->dialect)
		s->dialect = &dialect_pi;
	return err;
}

/* Readers come without end; what is new must not wait for a gap. */
static int lock_init(pthread_rwlock_t *lock)
{
	pthread_rwlockattr_t attr;
	int err = -pthread_rwlockattr_init(&attr);
	if (err)
		return err;
	pthread_rwlockattr_setkind_np(
		&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	err = -pthread_rwlock_init(lock, &attr);
	pthread_rwlockattr_destroy(&attr);
	return err;
}

int session_open(struct session **out, const char *path, bool read_only,
		 const char **why)
{
	*why = NULL;
	struct session *s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->read_only = read_only;
	s->log.fd = -1;
	contents_init(&s->now);
	int err = lock_init(&s->lock);
	if (err) {
		free(s);
		return err;
	}
	err = open_contents(s, path, why);
	if (err) {
		session_free(s);
		return err;
	}
	*out = s;
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	contents_free(&s->now);
	log_close(&s->log);
	pthread_rwlock_destroy(&s->lock);
	free(s);
}

int session_enter(struct session *s)
{
	pthread_rwlock_rdlock(&s->lock);
	if (!s->incomplete && !log_is_stale(&s->log))
		return 0;
	pthread_rwlock_unlock(&s->lock);

	pthread_rwlock_wrlock(&s->lock);
	int err = refresh(s);
	pthread_rwlock_unlock(&s->lock);
	if (err)
		return err;
	/* At least as fresh as when we were called. */
	pthread_rwlock_rdlock(&s->lock);
	return 0;
}

void session_leave(struct session *s)
{
	pthread_rwlock_unlock(&s->lock);
}

uint32_t session_head(const struct session *s)
{
	return s->now.head;
}

struct span session_label(const struct session *s, uint32_t entry)
{
	const struct label *l =
		labels_of(&s->now.labels, index_id(&s->now.index, entry));
	return l ? label_text(&s->now.labels, l) : (struct span){ "", 0 };
}

int session_read_line(const struct session *s, uint64_t offset, uint32_t length,
		      struct buf *line, struct json *json)
{
	buf_clear(line);
	char *to = buf_reserve(line, length);
	if (!to)
		return -ENOMEM;
	int err = log_read(&s->log, offset, to, length);
	if (err)
		return err;
	line->len = length;
	/* Rewritten under our eyes: what was indexed is not there any more. */
	err = json_check(buf_span(line), json);
	return err == -EBADMSG ? -ESTALE : err;
}

int session_read(const struct session *s, uint32_t entry, struct buf *line,
		 struct json *json)
{
	const struct entry *e = session_entry(s, entry);
	return session_read_line(s, e->offset, e->length, line, json);
}

struct json session_header(const struct session *s, const char *name)
{
	struct json header;
	if (s->now.header.len == 0 ||
	    json_check(buf_span(&s->now.header), &header) < 0)
		return (struct json){ 0 };
	return json_get(header, name);
}

void session_id(const struct session *s, struct buf *out)
{
	json_decode(out, session_header(s, "id"));
}

int session_writable(const struct session *s)
{
	return s->read_only || !s->now.header_first ? -EROFS : 0;
}

int write_begin(struct write *w, struct session *s)
{
	w->session = s;
	if (s->read_only)
		return -EROFS;
	w->lock = log_lock(&s->log);
	if (w->lock < 0)
		return w->lock;
	int err = session_enter(s);
	if (!err) {
		err = session_writable(s);
		if (!err)
			return 0;
		session_leave(s);
	}
	log_unlock(w->lock);
	return err;
}

void write_end(struct write *w)
{
	session_leave(w->session);
	log_unlock(w->lock);
}

/* How often a file that grows while it is migrated is migrated anew. */
#define MIGRATIONS 20

/* The migrated file, with the line at its end, in the place of the old one. */
static int migrate(struct write *w, struct span line)
{
	struct session *s = w->session;
	struct buf file = { 0 };
	int err = s->dialect->migrate(s, &file);
	buf_add(&file, line);
	if (!err)
		err = buf_error(&file);
	session_leave(s);
	if (!err)
		err = log_replace(&s->log, w->lock, buf_span(&file),
				  s->dialect->backup_suffix);
	buf_free(&file);
	return err;
}

/* Take in what was written, and enter again. */
static int enter_again(struct session *s, bool keep_epoch)
{
	pthread_rwlock_wrlock(&s->lock);
	s->keep_epoch = keep_epoch;
	int err = refresh(s);
	s->keep_epoch = false;
	pthread_rwlock_unlock(&s->lock);
	pthread_rwlock_rdlock(&s->lock);
	return err;
}

/*
 * Bring a line to the disk, the session left meanwhile, and take it in. A log
 * that must be migrated is rewritten with the line at its end.
 */
static int write_line(struct write *w, struct buf *line)
{
	struct session *s = w->session;
	int err = buf_error(line);
	int fresh = 0;
	if (err)
		return err;
	if (!s->dialect->needs_migration(s)) {
		session_leave(s);
		err = log_append(w->lock, buf_span(line));
		/* Replaced meanwhile: what was written went with the old one.
		 */
		if (!err && !log_is_locked(&s->log, w->lock))
			err = -EAGAIN;
		fresh = enter_again(s, false);
		return err ? err : fresh;
	}
	for (int tries = 0; tries < MIGRATIONS; tries++) {
		err = migrate(w, buf_span(line));
		fresh = enter_again(s, err == 0);
		if (err != -EAGAIN || fresh)
			break;
	}
	return err ? err : fresh;
}

/* Is the path to an entry cut out of a cycle, which the agent would not leave?
 */
static bool is_in_cycle(const struct session *s, uint32_t entry)
{
	for (uint32_t i = entry; i != INDEX_NONE;
	     i = session_entry(s, i)->parent) {
		if (session_entry(s, i)->cut)
			return true;
	}
	return false;
}

int write_head(struct write *w, uint32_t target)
{
	struct session *s = w->session;
	if (target == session_head(s) || target == s->now.leaf)
		return 0;
	if (is_in_cycle(s, target))
		return -ELOOP;
	struct buf line = { 0 };
	int err = s->dialect->head_line(s, target, &line);
	if (!err)
		err = write_line(w, &line);
	buf_free(&line);
	return err;
}

int write_label(struct write *w, uint32_t entry, struct span text)
{
	struct session *s = w->session;
	if (span_eq(text, session_label(s, entry)))
		return 0;
	struct buf line = { 0 };
	int err = s->dialect->label_line(s, entry, text, &line);
	if (!err)
		err = write_line(w, &line);
	buf_free(&line);
	return err;
}
