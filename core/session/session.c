#include "core/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/file/newfile.h"
#include "core/file/nofollow.h"
#include "core/json/timestamp.h"
#include "core/session/ahead.h"
#include "core/session/detect.h"
#include "core/session/pictures.h"

/* How much is remembered of what was read first and last. */
#define TAIL_SIZE 256

/* How many bytes are read between two tellings of how far it is. */
#define PROGRESS_STEP ((uint64_t)256 << 10)

/* How long a file may still be changing after it was last written to. */
#define SETTLING_MS 100

/* The same where times are in whole seconds, as sshfs has them. */
#define SETTLING_COARSE_MS 1100

static void contents_init(struct contents *c)
{
	*c = (struct contents){ .leaf = INDEX_NONE,
				.head = INDEX_NONE,
				.version = 1 };
	index_init(&c->index);
	labels_init(&c->labels);
	heads_init(&c->heads);
}

static void contents_free(struct contents *c)
{
	index_free(&c->index);
	labels_free(&c->labels);
	heads_free(&c->heads);
	buf_free(&c->header);
	buf_free(&c->name);
	buf_free(&c->start);
	buf_free(&c->tail);
	free(c->skipped.list);
	if (c->own)
		c->free_own(c->own);
}

/* One line that the agent would parse. */
static int take_line(struct session *s, const struct scanned *line)
{
	struct problems *problems = &s->now.problems;
	const struct dialect *d = s->dialect;
	const struct line_place at = { line->offset, line->text.n,
				       ++s->now.lines, (uint32_t)line->digest };
	if (text_trim(line->text).n == 0)
		return 0;
	int err = line->err;
	if (!err && (d->any_value || json_truthy(line->json)))
		return d->ingest(s, line->json, &at);
	if (err && err != -EBADMSG)
		return err;
	problems_note(problems, err ? PROBLEM_JSON : PROBLEM_NO_ENTRY,
		      at.number);
	return d->ingest_invalid ? d->ingest_invalid(s, &at) : 0;
}

/* The first line of a file, which may begin with a byte order mark. */
static int take_first(struct session *s, const struct scanned *line)
{
	struct span text = log_text_start(line->text);
	struct scanned first;
	if (text.n == line->text.n)
		return take_line(s, line);
	ahead_scan(text, line->text.n - text.n, &first);
	return take_line(s, &first);
}

/* Not for every line: when the next so many bytes have begun. */
static void tell_progress(const struct session *s, uint64_t from)
{
	const struct session_opening *how = s->opening;
	if (how && how->progress &&
	    from / PROGRESS_STEP != s->now.indexed / PROGRESS_STEP)
		how->progress(how->progress_data, s->now.indexed,
			      (uint64_t)s->log.seen.st_size);
}

static int take_whole_line(void *data, const struct scanned *line)
{
	struct session *s = data;
	bool first = line->offset == 0;
	int err = first ? take_first(s, line) : take_line(s, line);
	if (first)
		s->now.first_digest = line->digest;
	s->now.digest += line->digest;
	s->now.indexed = line->offset + line->text.n + 1;
	tell_progress(s, line->offset);
	return err;
}

/* A last line without its newline counts if it is whole (DESIGN.md, rule 4). */
static int take_open_end(struct session *s, struct span text, uint64_t offset)
{
	struct scanned line;
	ahead_scan(text, offset, &line);
	if (line.err == -EBADMSG ||
	    (!line.err && json_type(line.json) != JSON_OBJECT))
		return 0;
	int err = line.err ? line.err : take_line(s, &line);
	s->now.digest += line.digest;
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
	/* What was read is what counts, not what is there by now. */
	int err = c->start.len == n ? 0 : remember(s, &c->start, 0, n);
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

/* Read from now.indexed up to `size`: 0, SESSION_TURNED or -errno. */
static int read_new(struct session *s, uint64_t size)
{
	int err = 0;
	if (s->now.open_end && size > s->now.indexed)
		err = close_open_end(s, size);
	struct feed f = { .offset = s->now.indexed };
	if (!err)
		err = ahead_file(&s->log, &f, size, take_whole_line, s);
	if (!err && f.rest.n > 0)
		err = take_open_end(s, f.rest, f.offset);
	buf_free(&f.chunk);
	return err;
}

static int digest_line(void *data, struct span line, uint64_t offset)
{
	uint64_t *digest = data;
	*digest += hash_line(line, offset);
	return 0;
}

/* Are the bytes that were read still the same? Reads them all. */
static bool is_unchanged(struct session *s)
{
	struct feed f = { 0 };
	uint64_t digest = 0;
	int err = feed_file(&s->log, &f, s->now.indexed, digest_line, &digest);
	if (!err && f.rest.n > 0)
		digest += hash_line(f.rest, f.offset);
	buf_free(&f.chunk);
	return !err && digest == s->now.digest;
}

/* The dialect's own leaf, and HEAD: the leaf, or what it keeps books for. */
static int settle(struct session *s)
{
	struct contents *c = &s->now;
	int err = s->dialect->find_leaf ? s->dialect->find_leaf(s) : 0;
	if (err)
		return err;
	c->head = c->leaf == INDEX_NONE ? INDEX_NONE
					: session_entry(s, c->leaf)->stands_for;
	return 0;
}

/* Take in what is new: the lines, then the links between entries. */
static int grow(struct session *s)
{
	struct contents *c = &s->now;
	int err = read_new(s, (uint64_t)s->log.seen.st_size);
	if (!err)
		err = index_link(&c->index);
	if (!err)
		err = settle(s);
	if (!err)
		err = labels_link(&c->labels, &c->index);
	if (!err)
		err = remember_ends(s);
	return err;
}

/* The sidecar's bytes go to the dialect, which forgets what it knew of it. */
static int read_sidecar(struct session *s)
{
	struct buf bytes = { 0 };
	if (!s->sidecar.path)
		return 0;
	int err = sidecar_read(&s->sidecar, &bytes);
	if (!err)
		err = s->dialect->ingest_sidecar(s, buf_span(&bytes),
						 s->sidecar.there);
	if (!err)
		err = settle(s);
	if (!err)
		err = labels_link(&s->now.labels, &s->now.index);
	buf_free(&bytes);
	return err;
}

/* All that the file says, from its start. */
static int read_all(struct session *s)
{
	int err = s->log.there ? grow(s) : 0;
	return err ? err : read_sidecar(s);
}

static int take_dialect(struct session *s, const struct verdict *v)
{
	s->dialect = v->dialect;
	s->reason = v->reason;
	s->reason_line = v->line;
	s->no_folder =
		s->dialect->needs_folder && !newfile_is_possible(s->log.path);
	sidecar_free(&s->sidecar);
	return s->dialect->sidecar ? sidecar_init(&s->sidecar, s->log.path,
						  s->dialect->sidecar)
				   : 0;
}

/*
 * What the file is now. One that does not say so yet stays what it was, or is
 * taken for the default until it does.
 */
static int decide(struct session *s)
{
	struct verdict v = { 0 };
	if (s->forced)
		return 0;
	int err = s->log.there ? dialect_detect(s->dialects, &s->log, &v) : 0;
	if (err)
		return err;
	s->undecided = !v.final;
	s->unclaimed = !v.dialect && v.lines > 0;
	if (!v.dialect) {
		v.dialect = s->dialect ? s->dialect : s->dialects->fallback;
		v.reason = "nothing in the file says";
	}
	return take_dialect(s, &v);
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
 * Does all but the first line say the same, and is that no entry or header?
 * oh-my-pi writes over it when a session is renamed.
 */
static bool only_first_differs(const struct contents *old,
			       const struct contents *now)
{
	const struct index *x = &now->index;
	return old->indexed == now->indexed &&
	       old->digest - old->first_digest ==
		       now->digest - now->first_digest &&
	       span_eq(buf_span(&old->header), buf_span(&now->header)) &&
	       x->n > 0 && x->entries[0].line > 1;
}

/* See session.unsettled_until. A time that is yet to come says nothing. */
static int64_t settling_until(const struct stat *st)
{
	int64_t age = timestamp_now() - ((int64_t)st->st_mtim.tv_sec * 1000 +
					 st->st_mtim.tv_nsec / 1000000);
	int64_t settling =
		st->st_mtim.tv_nsec == 0 ? SETTLING_COARSE_MS : SETTLING_MS;
	if (age < 0 || age >= settling)
		return 0;
	return timestamp_monotonic() + settling - age;
}

/*
 * Read the file from its start, in place of what was known of it. What could be
 * read only in part is not shown: the session is empty then, and read again at
 * the next look.
 */
static int read_again(struct session *s)
{
	struct contents old = s->now;
	const struct dialect *was = s->dialect;
	contents_init(&s->now);
	pictures_forget(s->pictures);
	s->unsettled_until = settling_until(&s->log.seen);
	s->only_grew = false;
	int err = decide(s);
	if (!err)
		err = read_all(s);
	/* Relatives have none themselves, so this happens once. */
	if (err == SESSION_TURNED) {
		contents_free(&s->now);
		contents_init(&s->now);
		const struct verdict v = { .dialect = s->dialect,
					   .reason = s->reason,
					   .line = s->reason_line };
		err = take_dialect(s, &v);
		if (!err)
			err = read_all(s);
	}
	if (err) {
		contents_free(&s->now);
		contents_init(&s->now);
	}
	s->incomplete = err != 0;
	bool keep = s->keep_epoch || only_first_differs(&old, &s->now);
	if (!keep || s->dialect != was ||
	    !same_numbers(&old.index, &s->now.index))
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

/* Does the file, with that news of it, hold what was read? */
static bool is_same(struct session *s, enum log_news news)
{
	if (news == LOG_TOUCHED) {
		s->unsettled_until = settling_until(&s->log.seen);
		s->only_grew = false;
		return is_unchanged(s);
	}
	if (news != LOG_SAME || s->unsettled_until == 0)
		return news == LOG_SAME;
	if (timestamp_monotonic() >= s->unsettled_until)
		s->unsettled_until = 0;
	return s->only_grew ? ends_are_there(s) : is_unchanged(s);
}

/*
 * Who appends may write over the first line as well, at once, under the time
 * that was seen: oh-my-pi does when a session is renamed.
 */
static void watch_ends(struct session *s)
{
	if (s->unsettled_until != 0 && !s->only_grew)
		return;
	s->unsettled_until = settling_until(&s->log.seen);
	s->only_grew = true;
}

static void find_read_only(struct session *s)
{
	s->read_only = s->asked_read_only || access(s->log.path, W_OK) < 0;
}

/*
 * Take in what was appended, and the sidecar if it has changed. Anything but 0
 * means that the file has to be read from its start.
 */
static int take_growth(struct session *s)
{
	uint32_t relinks = s->now.index.relinks;
	uint32_t redefined_ids = s->now.redefined_ids;
	int err = grow(s);
	/* What was said of older entries may have changed. */
	if (relinks != s->now.index.relinks ||
	    redefined_ids != s->now.redefined_ids)
		s->epoch++;
	if (!err && sidecar_is_stale(&s->sidecar))
		err = read_sidecar(s);
	if (!err)
		watch_ends(s);
	return err;
}

/* A new mode or owner ends the epoch, for which both were to stay. */
static void compare_owner(struct session *s, const struct stat *was,
			  mode_t mode)
{
	const struct stat *now = &s->log.seen;
	if (log_mode(&s->log) == mode && now->st_uid == was->st_uid &&
	    now->st_gid == was->st_gid)
		return;
	s->epoch++;
	stamp(s);
	find_read_only(s);
}

static int refresh_once(struct session *s)
{
	struct stat was = s->log.seen;
	mode_t mode = log_mode(&s->log);
	bool parked = log_is_parked(&s->log);
	int news = log_look(&s->log);
	if (news < 0)
		return news;
	/* Its ends do not tell it from another with its inode number. */
	if (parked)
		s->only_grew = false;
	compare_owner(s, &was, mode);
	if (!s->incomplete && is_same(s, news)) {
		if (!sidecar_is_stale(&s->sidecar))
			return 0;
		stamp(s);
		int err = read_sidecar(s);
		s->incomplete = err != 0;
		return err;
	}
	/* The version is that of what is about to be read: labels carry it. */
	stamp(s);
	if (news == LOG_GREW && !s->incomplete && !s->undecided &&
	    (parked ? is_unchanged(s) : ends_are_there(s))) {
		int err = take_growth(s);
		s->incomplete = nofollow_is_shortage(err);
		if (!err || s->incomplete)
			return err;
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

void session_remember(const struct session *s, struct session_memory *m)
{
	*m = (struct session_memory){ .dialect = s->dialect,
				      .epoch = s->epoch,
				      .version = s->version,
				      .stamp = s->stamp,
				      .since = s->since,
				      .entries = s->now.index.n,
				      .indexed = s->now.indexed,
				      .digest = s->now.digest,
				      .refused = s->refused,
				      .mode = log_mode(&s->log),
				      .uid = s->log.seen.st_uid,
				      .gid = s->log.seen.st_gid };
}

/*
 * Read as much as was remembered. If that is the same as it was, what has come
 * since is new, as it is to a session that was open all the time.
 */
static int read_remembered(struct session *s, const struct session_memory *m)
{
	const struct stat now = s->log.seen;
	bool may_be = (uint64_t)now.st_size >= m->indexed &&
		      log_mode(&s->log) == m->mode && now.st_uid == m->uid &&
		      now.st_gid == m->gid;
	s->version = m->version;
	s->refused = m->refused;
	s->stamp = m->stamp;
	stamp(s);
	if (may_be)
		s->log.seen.st_size = (off_t)m->indexed;
	int err = read_again(s);
	if (err)
		return err;
	bool same = may_be && s->dialect == m->dialect &&
		    s->now.index.n == m->entries &&
		    s->now.indexed == m->indexed && s->now.digest == m->digest;
	s->epoch = same ? m->epoch : m->epoch + 1;
	if (same)
		s->since = m->since;
	return may_be ? refresh(s) : 0;
}

static int open_contents(struct session *s, const char *path,
			 const struct session_opening *how, const char **why)
{
	const struct dialect *forced = how->forced;
	const struct session_memory *m = how->memory;
	int err = log_open(&s->log, path);
	if (err == -EINVAL)
		*why = "not a regular file";
	if (err)
		return err;
	find_read_only(s);
	s->stamp = s->log.seen.st_mtim;
	s->since = s->stamp;
	s->forced = forced != NULL;
	const struct verdict asked = { .dialect = forced,
				       .reason = "-o dialect" };
	if (forced)
		err = take_dialect(s, &asked);
	if (!err)
		err = m && m->dialect ? read_remembered(s, m) : read_again(s);
	/* An empty file is a session that has not begun. */
	if (!err && !forced && s->unclaimed) {
		*why = "not a session of a kind that sessfs reads "
		       "(-o dialect=lines shows it line by line)";
		return -EPROTO;
	}
	return err;
}

int session_open(struct session **out, const char *path,
		 const struct session_opening *how, const char **why)
{
	*why = NULL;
	struct session *s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->dialects = how->dialects;
	s->opening = how;
	s->asked_read_only = how->read_only;
	s->force = how->force;
	s->log.fd = -1;
	contents_init(&s->now);
	int err = brlock_init(&s->lock);
	if (err) {
		free(s);
		return err;
	}
	s->pictures = pictures_new();
	err = s->pictures ? open_contents(s, path, how, why) : -ENOMEM;
	s->opening = NULL;
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
	pictures_free(s->pictures);
	sidecar_free(&s->sidecar);
	log_close(&s->log);
	brlock_free(&s->lock);
	free(s);
}

void session_park(struct session *s)
{
	log_park(&s->log);
}

static bool is_fresh(const struct session *s)
{
	return !s->incomplete && s->unsettled_until == 0 &&
	       !log_is_stale(&s->log) && !sidecar_is_stale(&s->sidecar);
}

bool session_enter_if_fresh(struct session *s)
{
	brlock_read(&s->lock);
	if (is_fresh(s))
		return true;
	brlock_unread(&s->lock);
	return false;
}

int session_enter(struct session *s)
{
	brlock_read(&s->lock);
	if (!log_is_parked(&s->log) && is_fresh(s))
		return 0;
	brlock_unread(&s->lock);

	brlock_write(&s->lock);
	int err = refresh(s);
	brlock_unwrite(&s->lock);
	if (err)
		return err;
	/* At least as fresh as when we were called. */
	brlock_read(&s->lock);
	return 0;
}

void session_leave(struct session *s)
{
	brlock_unread(&s->lock);
}

bool session_is_whole(const struct session *s)
{
	struct stat now;
	if (!s->log.there)
		return !log_is_stale(&s->log);
	enum log_news news = log_peek(&s->log, &now);
	return news == LOG_SAME || (news == LOG_GREW && ends_are_there(s));
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

/* What is noted of a line stands behind its bytes, in the same buffer. */
struct noted {
	struct scan_ends ends;
	struct scan_end list[24];
};

int session_read_line(const struct session *s, uint64_t offset, uint32_t length,
		      struct buf *line, struct json *json)
{
	const size_t align = _Alignof(struct noted);
	size_t behind = ((size_t)length + align - 1) / align * align;
	buf_clear(line);
	char *to = buf_reserve(line, behind + sizeof(struct noted));
	if (!to)
		return -ENOMEM;
	int err = log_read(&s->log, offset, to, length);
	if (err)
		return err;
	line->len = length;
	struct noted *noted = (struct noted *)(void *)(to + behind);
	noted->ends = (struct scan_ends){
		noted->list, 0, sizeof(noted->list) / sizeof(noted->list[0])
	};
	/* Rewritten under our eyes: what was indexed is not there any more. */
	err = json_check_ends(buf_span(line), json, &noted->ends);
	return err == -EBADMSG ? -ESTALE : err;
}

int session_read(const struct session *s, uint32_t entry, struct buf *line,
		 struct json *json)
{
	const struct entry *e = session_entry(s, entry);
	int err = session_read_line(s, e->offset, e->length, line, json);
	/* What is made of several lines must not mix those of two files. */
	if (!err && (uint32_t)hash_line(buf_span(line), e->offset) != e->digest)
		err = -ESTALE;
	return err;
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

/* The relative that a line marks, and why; a forced dialect has none. */
static const struct dialect *marked(const struct session *s, struct json line,
				    const char **why)
{
	*why = NULL;
	return s->forced ? NULL
			 : dialect_marked(s->dialects, s->dialect, line, why);
}

const char *session_turns(const struct session *s, struct json line)
{
	const char *why;
	marked(s, line, &why);
	return why;
}

int session_turn(struct session *s, struct json line,
		 const struct line_place *at)
{
	const char *why;
	const struct dialect *d = marked(s, line, &why);
	if (!d)
		return 0;
	s->dialect = d;
	s->reason = why;
	s->reason_line = at->number;
	return SESSION_TURNED;
}

int session_writable(const struct session *s)
{
	const struct dialect *d = s->dialect;
	bool opens =
		(s->now.header_first || !d->needs_header) &&
		(d->only_version == 0 || d->only_version == s->now.version);
	bool can = !s->read_only && !s->no_folder && d->move_head;
	return can && opens ? 0 : -EROFS;
}

int session_refuse(struct session *s, struct refusal refused)
{
	brlock_unread(&s->lock);
	brlock_write(&s->lock);
	s->refused = refused;
	stamp(s);
	brlock_unwrite(&s->lock);
	return session_enter_again(s);
}

void session_leave_to_rewrite(struct session *s)
{
	brlock_unread(&s->lock);
	brlock_write(&s->lock);
	s->keep_epoch = true;
	brlock_unwrite(&s->lock);
}

int session_enter_again(struct session *s)
{
	brlock_write(&s->lock);
	int err = refresh(s);
	s->keep_epoch = false;
	brlock_unwrite(&s->lock);
	brlock_read(&s->lock);
	return err;
}
