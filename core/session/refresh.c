#include "core/session/refresh.h"

#include <errno.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/newfile.h"
#include "core/json/timestamp.h"
#include "core/session/contents.h"
#include "core/session/detect.h"
#include "core/session/private.h"

/* How long a file may still be changing after it was last written to. */
#define SETTLING_MS 100

/* The same where times are in whole seconds, as sshfs has them. */
#define SETTLING_COARSE_MS 1100

#define TRIES 4

#define UNKNOWN                   \
	"unknown session format " \
	"(-o dialect=lines shows it line by line)"

/* The parts of a session that are replaced when it is read from the start. */
struct former {
	struct contents contents;
	struct fingerprint read;
	const struct dialect *dialect;
};

static void clear(struct session *s)
{
	contents_free(&s->now);
	contents_init(&s->now);
	fingerprint_free(&s->private->read);
	s->private->reading++;
}

/* Move these parts of the session to *f, and leave it empty. */
static void set_aside(struct session *s, struct former *f)
{
	*f = (struct former){ s->now, s->private->read, s->dialect };
	contents_init(&s->now);
	s->private->read = (struct fingerprint){ 0 };
	s->private->reading++;
}

static void former_free(struct former *f)
{
	contents_free(&f->contents);
	fingerprint_free(&f->read);
}

static int find_beside(struct session *s)
{
	int err = 0;
	for (int i = 0; i < BESIDE_COUNT && !err; i++) {
		const struct beside *b = &s->dialect->reading->beside[i];
		struct buf path = { 0 };
		sidecar_free(&s->beside[i]);
		if (b->path)
			b->path(s->log.path, &path);
		err = sidecar_init(&s->beside[i], s->log.gate, &path);
	}
	return err;
}

static int set_dialect(struct session *s, const struct verdict *v)
{
	s->dialect = v->dialect;
	s->reason = v->reason;
	s->reason_line = v->line;
	const struct dialect_writing *writing = s->dialect->writing;
	s->private->no_folder = writing && writing->needs_folder &&
				!newfile_is_possible(s->log.gate, s->log.path);
	return find_beside(s);
}

/* A file that no line decides on stays of its dialect, or is the fallback's. */
static int detect(struct session *s)
{
	struct session_private *p = s->private;
	struct verdict v = { 0 };
	if (p->forced)
		return 0;
	int err = s->log.exists ? dialect_detect(p->dialects, &s->log, &v) : 0;
	if (err)
		return err;
	p->undecided = !v.final;
	p->claimed = v.dialect;
	p->unclaimed = v.dialect || v.lines == 0 ? NULL
		       : v.reason		 ? v.reason
						 : UNKNOWN;
	if (!v.dialect) {
		v.dialect = s->dialect ? s->dialect : p->dialects->fallback;
		v.reason = "the file does not say";
	}
	return set_dialect(s, &v);
}

/* Read as the relative that session_turn() has made it. */
static int read_turned(struct session *s)
{
	const struct verdict v = { .dialect = s->dialect,
				   .reason = s->reason,
				   .line = s->reason_line };
	clear(s);
	int err = set_dialect(s, &v);
	return err ? err : contents_read(s);
}

/* The dialect of a file is that of its own lines. */
static int find_lineage(struct session *s)
{
	if (!s->dialect->bases || !s->log.exists)
		return 0;
	return s->dialect->bases->find_lineage(&s->log, &s->log.before,
					       s->private->names);
}

/* Read an empty session. It stays empty if a part could not be read. */
static int read_file(struct session *s)
{
	lineage_free(&s->log.before);
	int err = detect(s);
	if (!err)
		err = find_lineage(s);
	if (!err)
		err = contents_read(s);
	/* Relatives have none themselves, so this happens once. */
	if (err == SESSION_TURNED)
		err = read_turned(s);
	if (err)
		clear(s);
	s->private->incomplete = err != 0;
	return err;
}

/* Do all entries of the old index have their numbers in the new one, too? */
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

void session_remember(const struct session *s, struct session_memory *m)
{
	*m = (struct session_memory){ .dialect = s->dialect,
				      .epoch = s->epoch,
				      .epoch_entries = s->epoch_entries,
				      .version = s->version,
				      .stamp = s->stamp,
				      .since = s->since,
				      .entries = s->now.index.n,
				      .indexed = s->now.indexed,
				      .before = s->log.before.size,
				      .digest = s->private->read.digest,
				      .refused = s->refused,
				      .unsynced = __atomic_load_n(
					      &s->private->unsynced,
					      __ATOMIC_RELAXED),
				      .mode = log_mode(&s->log),
				      .uid = s->log.st.st_uid,
				      .gid = s->log.st.st_gid };
}

static bool is_as_remembered(const struct session *s,
			     const struct session_memory *m)
{
	return s->dialect == m->dialect && s->now.index.n == m->entries &&
	       s->now.indexed == m->indexed &&
	       s->private->read.digest == m->digest;
}

/*
 * Are all lines but the first the same, and is that one no entry or header?
 * oh-my-pi writes over it when a session is renamed.
 */
static bool only_first_differs(const struct session *s, const struct former *f)
{
	const struct contents *old = &f->contents;
	const struct contents *now = &s->now;
	const struct fingerprint *read = &s->private->read;
	const struct index *x = &now->index;
	return old->indexed == now->indexed &&
	       f->read.digest - f->read.first_line ==
		       read->digest - read->first_line &&
	       span_eq(buf_span(&old->header), buf_span(&now->header)) &&
	       x->n > 0 && x->entries[0].line > 1;
}

static bool keeps_epoch(const struct session *s, const struct former *f)
{
	/* The bytes could not be compared for a moment, but now be read. */
	if (is_as_remembered(s, &s->private->complete))
		return true;
	return (s->private->keep_epoch || only_first_differs(s, f)) &&
	       s->dialect == f->dialect &&
	       same_numbers(&f->contents.index, &s->now.index);
}

/* See session_private.unsettled_until. An mtime in the future counts for
 * nothing. */
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

/* Wait for the file to settle; until then all its bytes are compared. */
static void start_settling(struct session *s)
{
	s->private->unsettled_until = settling_until(&s->log.st);
	s->private->only_grew = false;
}

static int read_again(struct session *s)
{
	struct former f;
	set_aside(s, &f);
	start_settling(s);
	/* What is derived while it is read is of the new epoch. */
	uint32_t epoch = s->epoch++;
	int err = read_file(s);
	if (err || keeps_epoch(s, &f))
		s->epoch = epoch;
	s->since = s->stamp;
	former_free(&f);
	return err;
}

void refresh_stamp(struct session *s)
{
	struct timespec t = s->log.st.st_mtim;
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

static bool is_unchanged(const struct session *s)
{
	return fingerprint_matches(&s->private->read, &s->log, s->now.indexed);
}

static bool ends_match(const struct session *s)
{
	return fingerprint_ends_match(&s->private->read, &s->log,
				      s->now.indexed);
}

/* Does a file that has grown still begin with the bytes that were read? */
static bool has_only_grown(const struct session *s, int news, bool parked)
{
	if (news == LOG_GREW_TOUCHED || (news == LOG_GREW && parked))
		return is_unchanged(s);
	return news == LOG_GREW && ends_match(s);
}

/*
 * Is a file that has grown still of the dialect that had claimed it? On an
 * error it has to be read from its start.
 */
static bool is_still_claimed(struct session *s)
{
	struct session_private *p = s->private;
	struct verdict v;
	if (!p->undecided)
		return true;
	if (!p->claimed || dialect_detect(p->dialects, &s->log, &v) < 0 ||
	    v.dialect != p->claimed)
		return false;
	p->undecided = !v.final;
	return true;
}

/* Does the file, with that news of it, still hold the bytes that were read? */
static bool is_same(struct session *s, enum log_change news)
{
	struct session_private *p = s->private;
	if (news == LOG_TOUCHED) {
		start_settling(s);
		return is_unchanged(s);
	}
	if (news != LOG_SAME || p->unsettled_until == 0)
		return news == LOG_SAME;
	if (timestamp_monotonic() >= p->unsettled_until)
		p->unsettled_until = 0;
	return p->only_grew ? ends_match(s) : is_unchanged(s);
}

/*
 * An agent that appends may write over the first line right after that, within
 * one clock tick: oh-my-pi does when a session is renamed.
 */
static void watch_ends(struct session *s)
{
	struct session_private *p = s->private;
	if (p->unsettled_until != 0 && !p->only_grew)
		return;
	p->unsettled_until = settling_until(&s->log.st);
	p->only_grew = true;
}

static void set_read_only(struct session *s)
{
	char room[GATE_PATH_SIZE];
	const char *path = gate_path(s->log.gate, s->log.path, room);
	/* If access(2) can't tell, a write will. */
	s->read_only = s->private->asked_read_only ||
		       (access(path, W_OK) < 0 && !fault_tells_nothing(-errno));
}

/*
 * Ingest the appended lines, and the files beside it that have changed.
 * Anything but 0 means that the file has to be read from its start.
 */
static int grow(struct session *s)
{
	uint32_t relinks = s->now.index.relinks;
	uint32_t redefined = s->now.redefined_ids;
	bool had_entries = s->now.index.n > 0;
	const char *unopened = session_unopened(s).why;
	int err = contents_grow(s);
	/* Older entries may have changed; to a relative they may differ. */
	if (err == SESSION_TURNED || relinks != s->now.index.relinks ||
	    redefined != s->now.redefined_ids)
		s->epoch++;
	/* The kernel may keep the write bits of entries for an epoch. */
	if (!err && had_entries && !unopened != !session_unopened(s).why)
		s->epoch++;
	for (int i = 0; i < BESIDE_COUNT && !err; i++)
		if (sidecar_is_stale(&s->beside[i]))
			err = contents_read_beside(s, i);
	if (!err)
		watch_ends(s);
	return err;
}

/* The kernel may keep mode and owner for as long as the epoch lasts. */
static void compare_owner(struct session *s, const struct stat *was,
			  mode_t mode)
{
	const struct stat *now = &s->log.st;
	if (log_mode(&s->log) == mode && now->st_uid == was->st_uid &&
	    now->st_gid == was->st_gid)
		return;
	s->epoch++;
	refresh_stamp(s);
	set_read_only(s);
}

static int refresh_beside(struct session *s)
{
	struct buf name = { 0 };
	int err = 0;
	buf_add(&name, buf_span(&s->now.name));
	for (int i = 0; i < BESIDE_COUNT && !err; i++) {
		if (!sidecar_is_stale(&s->beside[i]))
			continue;
		if (i == BESIDE_OWN)
			refresh_stamp(s);
		err = name.failed ? -ENOMEM : contents_read_beside(s, i);
		s->private->incomplete = err != 0;
	}
	/* Its file has the names of other sessions, too. */
	if (!err && !name.failed &&
	    !span_eq(buf_span(&name), buf_span(&s->now.name)))
		refresh_stamp(s);
	buf_free(&name);
	return err;
}

/*
 * Read as many bytes as the last complete reading has. If they are the same as
 * then, the epoch goes on. The rest of the file is growth, for the next
 * refresh_once().
 */
static int read_incomplete(struct session *s)
{
	const struct session_memory *m = &s->private->complete;
	const struct stat now = s->log.st;
	bool may_be = (uint64_t)now.st_size >= m->indexed - m->before &&
		      log_mode(&s->log) == m->mode && now.st_uid == m->uid &&
		      now.st_gid == m->gid;
	if (may_be)
		s->log.st.st_size = (off_t)(m->indexed - m->before);
	int err = read_again(s);
	if (err)
		return err;
	bool same = may_be && is_as_remembered(s, m);
	s->epoch = same ? m->epoch : m->epoch + 1;
	if (same) {
		s->epoch_entries = m->epoch_entries;
		s->since = m->since;
	}
	return 0;
}

/*
 * Look again for the file that the lineage lacks, if it may be found now. The
 * session is to be read again if it is.
 */
static int search_again(struct session *s, int *news)
{
	struct lineage *l = &s->log.before;
	struct lineage found = { 0 };
	struct log own = s->log;
	own.before = (struct lineage){ 0 };
	if (!s->log.exists || !versions_have_changed(&l->searched))
		return 0;
	int err = s->dialect->bases->find_lineage(&own, &found,
						  s->private->names);
	if (!err && found.n != l->n)
		*news = LOG_REPLACED;
	if (!err && found.fault != l->fault)
		refresh_stamp(s);
	if (!err)
		lineage_take_fault(l, &found);
	lineage_free(&found);
	return err;
}

/* The news of a file, some of whose bytes are not those that were read. */
static int doubted_news(int news)
{
	return news == LOG_SAME	  ? LOG_TOUCHED
	       : news == LOG_GREW ? LOG_GREW_TOUCHED
				  : news;
}

static int refresh_once(struct session *s)
{
	struct session_private *p = s->private;
	struct stat was = s->log.st;
	mode_t mode = log_mode(&s->log);
	bool parked = log_is_parked(&s->log);
	if (!p->incomplete)
		session_remember(s, &p->complete);
	int news = log_refresh(&s->log);
	if (news < 0)
		return news;
	/* The ends of another file with the same inode number may match. */
	if (parked)
		p->only_grew = false;
	if (__atomic_exchange_n(&p->doubted, false, __ATOMIC_RELAXED))
		news = doubted_news(news);
	compare_owner(s, &was, mode);
	int failure = p->incomplete ? 0 : search_again(s, &news);
	if (failure) {
		p->incomplete = true;
		return failure;
	}
	if (!p->incomplete && is_same(s, news))
		return refresh_beside(s);
	/* Labels keep the version with which they were read: count it first. */
	refresh_stamp(s);
	if (p->incomplete) {
		int err = read_incomplete(s);
		return err ? err : refresh_once(s);
	}
	if (has_only_grown(s, news, parked) && is_still_claimed(s)) {
		int err = grow(s);
		p->incomplete = fault_tells_nothing(err);
		if (!err || p->incomplete)
			return err;
	}
	return read_again(s);
}

int refresh(struct session *s)
{
	uint32_t epoch = s->epoch;
	int err = -ESTALE;
	for (int tries = 0; err == -ESTALE && tries < TRIES; tries++)
		err = refresh_once(s);
	if (s->epoch != epoch)
		s->epoch_entries = s->now.index.n;
	return err;
}

bool refresh_is_fresh(const struct session *s)
{
	const struct session_private *p = s->private;
	return !p->incomplete && p->unsettled_until == 0 &&
	       !__atomic_load_n(&p->doubted, __ATOMIC_RELAXED) &&
	       !log_is_stale(&s->log) &&
	       !sidecar_is_stale(&s->beside[BESIDE_OWN]) &&
	       !sidecar_is_stale(&s->beside[BESIDE_NAMES]);
}

/* A session that was open before, and has yet to be read. */
static int read_remembered(struct session *s, const struct session_memory *m)
{
	s->private->complete = *m;
	s->private->incomplete = true;
	s->epoch = m->epoch;
	s->epoch_entries = m->epoch_entries;
	s->version = m->version;
	s->stamp = m->stamp;
	s->refused = m->refused;
	s->private->unsynced = m->unsynced;
	return refresh(s);
}

static int read_first(struct session *s)
{
	int err = read_again(s);
	s->epoch_entries = s->now.index.n;
	return err;
}

int refresh_first(struct session *s, const struct session_opening *how,
		  const char **reason)
{
	const struct session_memory *m = how->memory;
	const struct verdict forced = { .dialect = how->forced,
					.reason = "-o dialect" };
	int err = 0;
	set_read_only(s);
	s->stamp = s->log.st.st_mtim;
	s->since = s->stamp;
	s->private->forced = how->forced != NULL;
	if (how->forced)
		err = set_dialect(s, &forced);
	if (!err)
		err = m && m->dialect ? read_remembered(s, m) : read_first(s);
	/* An empty file is a session that has not begun. */
	if (!err && !how->forced && s->private->unclaimed) {
		*reason = s->private->unclaimed;
		return -EPROTO;
	}
	return err;
}
