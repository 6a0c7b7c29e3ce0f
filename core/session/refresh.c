#include "core/session/private.h"

#include <errno.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/newfile.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"

/* How long a file may still be changing after it was last written to. */
#define SETTLING_MS 100

/* The same where times are in whole seconds, as sshfs has them. */
#define SETTLING_COARSE_MS 1100

#define TRIES 4

/* -- reading a file whose dialect has yet to be found out */

static void clear(struct session *s)
{
	contents_free(&s->now);
	contents_init(&s->now);
	s->private->generation++;
}

static void set_access(struct session *s)
{
	char room[GATE_PATH_SIZE];
	const char *path = gate_path(s->log.gate, s->log.path, room);
	const struct dialect_writing *writing = s->dialect->writing;
	s->access = SESSION_MAY_WRITE;
	/* If access(2) can't tell, a write will. */
	if (s->private->how.read_only ||
	    (access(path, W_OK) < 0 && !fault_tells_nothing(-errno)))
		s->access = SESSION_READ_ONLY;
	else if (writing && writing->needs_folder &&
		 !newfile_is_possible(s->log.gate, s->log.path))
		s->access = SESSION_NO_FOLDER;
}

static int set_dialect(struct session *s, const struct verdict *v)
{
	s->dialect = v->dialect;
	s->reason = v->reason;
	s->reason_line = v->line;
	set_access(s);
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

/*
 * A file that no line decides on stays of its dialect, or is the fallback's.
 * What was read of it is left in *first.
 */
static int detect(struct session *s, struct feed *first)
{
	const struct dialect_registry *dialects = s->private->how.dialects;
	struct verdict v = { 0 };
	if (s->private->how.forced)
		return 0;
	int err = s->log.exists ? dialect_detect(dialects, &s->log, first, &v)
				: 0;
	if (err)
		return err;
	s->private->verdict = v;
	if (!v.dialect) {
		v.dialect = s->dialect ? s->dialect : dialects->fallback;
		v.reason = "the file does not say";
	}
	return set_dialect(s, &v);
}

static int read_from_start(struct session *s)
{
	const struct session_opening *how = &s->private->how;
	struct feed first = { .step = contents_step(s) };
	lineage_free(&s->log.before);
	if (how->bytes.n > 0 &&
	    version_eq(how->version, version_of_stat(&s->log.st)))
		s->log.kept = how->bytes;
	int err = detect(s, &first);
	/* The dialect of a file is that of its own lines, which are read. */
	if (s->log.kept.n == 0)
		s->log.kept = buf_span(&first.chunk);
	if (!err && s->dialect->bases && s->dialect->bases->find_lineage &&
	    s->log.exists)
		err = s->dialect->bases->find_lineage(&s->log, &s->log.before,
						      how->names);
	s->log.kept = (struct span){ 0 };
	if (!err)
		err = contents_read(s, &first);
	buf_free(&first.chunk);
	/* Relatives have none themselves, so this happens once. */
	if (err == SESSION_TURNED) {
		const struct verdict v = { .dialect = s->dialect,
					   .reason = s->reason,
					   .line = s->reason_line };
		clear(s);
		err = set_dialect(s, &v);
		if (!err)
			err = contents_read(s, NULL);
	}
	if (err)
		clear(s);
	return err;
}

/* -- what has changed */

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
	*m = (struct session_memory){ .version = s->version,
				      .stamp = s->stamp,
				      .refused = s->refused,
				      .unsynced = __atomic_load_n(
					      &s->private->unsynced,
					      __ATOMIC_RELAXED) };
	reading_take(s, &m->read);
}

/*
 * Go on with the epoch of the last complete reading, or begin one. `turned`:
 * the agent opens the file now, or does not any more.
 */
static void find_epoch(struct session *s, const struct contents *old,
		       bool turned)
{
	const struct session_reading *was = &s->private->complete;
	struct session_reading now;
	reading_take(s, &now);
	bool may_go_on =
		was->dialect == now.dialect && reading_same_owner(was, &now);
	bool numbered =
		!s->private->incomplete &&
		(s->private->keep_epoch || epoch_same_lines(s, old, turned)) &&
		same_numbers(&old->index, &s->now.index);
	bool same = was->entries == now.entries && was->bytes == now.bytes &&
		    was->digest == now.digest;
	if (!may_go_on || (!same && !numbered)) {
		epoch_begin(s);
		return;
	}
	epoch_continue(s, was);
	/* What the entries have may be other bytes. */
	if (!same)
		s->since = s->stamp;
}

/*
 * Until the file has settled, compare these bytes with those that were read
 * (session_private.unsettled_until). An mtime in the future counts for nothing.
 */
static void start_settling(struct session *s, enum reading_compare compare)
{
	const struct timespec *t = &s->log.st.st_mtim;
	int64_t age = timestamp_now() -
		      ((int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000);
	int64_t settling = t->tv_nsec == 0 ? SETTLING_COARSE_MS : SETTLING_MS;
	bool settled = age < 0 || age >= settling;
	s->private->unsettled = compare;
	s->private->unsettled_until =
		settled ? 0 : timestamp_monotonic() + settling - age;
}

static int read_again(struct session *s)
{
	bool unopened = s->dialect && session_unopened(s).why != NULL;
	struct contents old = s->now;
	contents_init(&s->now);
	s->private->generation++;
	start_settling(s, COMPARE_ALL);
	int err = read_from_start(s);
	if (!err)
		find_epoch(s, &old,
			   unopened != (session_unopened(s).why != NULL));
	s->private->incomplete = err != 0;
	contents_free(&old);
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

/* Does the file still have the bytes that were read? */
static bool has_bytes(const struct session *s, enum reading_compare compare)
{
	const struct fingerprint *read = &s->now.fingerprint;
	uint64_t n = s->now.indexed;
	switch (compare) {
	case COMPARE_ENDS:
		return fingerprint_ends_match(read, &s->log, n);
	case COMPARE_ALL:
		return fingerprint_matches(read, &s->log, n);
	default:
		return true;
	}
}

/*
 * Is a file that has grown still of the dialect that had claimed it? On an
 * error it has to be read from its start.
 */
static bool is_still_claimed(struct session *s)
{
	struct session_private *p = s->private;
	struct feed f = { .step = DETECT_STEP };
	struct verdict v;
	const struct dialect_bases *bases = s->dialect->bases;
	/* A header that comes late may name the file that is to be before. */
	if (p->how.forced)
		return s->now.header.len > 0 || !bases || !bases->find_lineage;
	if (p->verdict.final)
		return true;
	if (!p->verdict.dialect)
		return false;
	int err = dialect_detect(p->how.dialects, &s->log, &f, &v);
	buf_free(&f.chunk);
	if (err || v.dialect != p->verdict.dialect)
		return false;
	p->verdict = v;
	return true;
}

/*
 * What is compared of a file that has not changed, because it may still be
 * settling. Once more when that time is over.
 */
static enum reading_compare unsettled(struct session *s)
{
	struct session_private *p = s->private;
	if (p->unsettled_until == 0)
		return COMPARE_NOTHING;
	if (timestamp_monotonic() >= p->unsettled_until)
		p->unsettled_until = 0;
	return p->unsettled;
}

/*
 * Ingest the appended lines, and the files beside it that have changed.
 * Anything but 0 means that the file has to be read from its start.
 */
static int grow(struct session *s)
{
	const struct session_private *p = s->private;
	uint32_t relinks = s->now.index.relinks;
	uint32_t redefined = s->now.redefined_ids;
	size_t header = s->now.header.len;
	bool had_entries = s->now.index.n > 0;
	const char *unopened = session_unopened(s).why;
	int err = contents_grow(s, NULL);
	/* Older entries may have changed; to a relative they may differ. */
	bool changed = relinks != s->now.index.relinks ||
		       redefined != s->now.redefined_ids;
	/* The kernel may keep the write bits of entries for an epoch. */
	bool opens_else =
		had_entries && !err && !unopened != !session_unopened(s).why;
	bool older = err == SESSION_TURNED || changed || opens_else;
	/* The header has the directory that paths are seen from. */
	bool told_late = header != s->now.header.len;
	if (older || (told_late && had_entries))
		epoch_begin(s);
	if (older || told_late)
		s->private->generation++;
	for (int i = 0; i < BESIDE_COUNT && !err; i++)
		if (sidecar_is_stale(&s->beside[i]))
			err = contents_read_beside(s, i);
	/*
	 * An agent that appends may write over the first line right after that,
	 * within one clock tick: oh-my-pi does when a session is renamed.
	 */
	if (!err && (p->unsettled_until == 0 || p->unsettled == COMPARE_ENDS))
		start_settling(s, COMPARE_ENDS);
	return err;
}

static bool is_beside_stale(const struct session *s)
{
	for (int i = 0; i < BESIDE_COUNT; i++)
		if (sidecar_is_stale(&s->beside[i]))
			return true;
	return false;
}

static int refresh_beside(struct session *s)
{
	struct buf name BUF_SCOPED = { 0 };
	int err = 0;
	if (!is_beside_stale(s))
		return 0;
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
	return err;
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
						  s->private->how.names);
	if (!err && found.n != l->n)
		*news = VERSION_REPLACED;
	if (!err && found.fault != l->fault)
		refresh_stamp(s);
	if (!err)
		lineage_take_fault(l, &found);
	lineage_free(&found);
	return err;
}

/* Look at the file, and say what there is to do. 0 or -errno. */
static int look(struct session *s, struct reading_plan *plan)
{
	struct session_private *p = s->private;
	struct session_reading was;
	struct session_reading now;
	reading_take(s, &was);
	int change = log_refresh(&s->log);
	if (change < 0)
		return change;
	struct reading_news news = { .reopened = s->log.reopened };
	news.doubted =
		__atomic_exchange_n(&p->doubted, false, __ATOMIC_RELAXED);
	reading_take(s, &now);
	/* Mode and owner are an epoch's. */
	if (!reading_same_owner(&was, &now)) {
		refresh_stamp(s);
		epoch_begin(s);
		set_access(s);
	}
	if (!p->incomplete)
		reading_take(s, &p->complete);
	int err = p->incomplete ? 0 : search_again(s, &change);
	if (err)
		p->incomplete = true;
	news.change = (enum version_change)change;
	if (change == VERSION_TOUCHED)
		start_settling(s, COMPARE_ALL);
	if (change == VERSION_SAME)
		news.unsettled = unsettled(s);
	*plan = reading_plan(&news);
	return err;
}

static int refresh_once(struct session *s)
{
	struct session_private *p = s->private;
	struct reading_plan plan;
	int err = look(s, &plan);
	if (err)
		return err;
	bool holds = !p->incomplete && plan.then != THEN_READ &&
		     has_bytes(s, plan.compare);
	if (holds && plan.then == THEN_KEEP)
		return refresh_beside(s);
	/* Labels keep the version with which they were read: count it first. */
	refresh_stamp(s);
	if (p->incomplete) {
		/*
		 * As many bytes as the last complete reading has, so that they
		 * can be compared with those. The rest of the file is growth.
		 */
		uint64_t own = p->complete.bytes - p->complete.before;
		if ((uint64_t)s->log.st.st_size > own)
			s->log.st.st_size = (off_t)own;
		err = read_again(s);
		return err ? err : refresh_once(s);
	}
	if (holds && is_still_claimed(s)) {
		err = grow(s);
		p->incomplete = fault_tells_nothing(err);
		if (!err || p->incomplete)
			return err;
	}
	return read_again(s);
}

/* What was read in one go with an epoch's beginning is no growth of it. */
static void set_epoch_entries(struct session *s, uint32_t epoch)
{
	if (s->epoch != epoch)
		s->epoch_entries = s->now.index.n;
}

int refresh(struct session *s)
{
	uint32_t epoch = s->epoch;
	int err = -ESTALE;
	for (int tries = 0; err == -ESTALE && tries < TRIES; tries++)
		err = refresh_once(s);
	set_epoch_entries(s, epoch);
	return err;
}

bool refresh_is_fresh(const struct session *s, bool compares)
{
	const struct session_private *p = s->private;
	bool settled = p->unsettled_until == 0;
	if (p->incomplete || (!settled && !compares) ||
	    __atomic_load_n(&p->doubted, __ATOMIC_RELAXED) ||
	    log_is_stale(&s->log) || is_beside_stale(s))
		return false;
	/* When that time is over, refresh() compares once more. */
	return settled || (timestamp_monotonic() < p->unsettled_until &&
			   has_bytes(s, p->unsettled));
}

int refresh_first(struct session *s, const char **reason)
{
	const struct session_opening *how = &s->private->how;
	const struct session_memory *m = how->memory;
	const struct verdict forced = { .dialect = how->forced,
					.reason = "-o dialect" };
	bool known = m && m->read.dialect;
	int err = how->forced ? set_dialect(s, &forced) : 0;
	uint32_t epoch = s->epoch;
	s->stamp = s->log.st.st_mtim;
	if (!err && known) {
		/* It has yet to be read. */
		s->private->complete = m->read;
		s->private->incomplete = true;
		epoch_continue(s, &m->read);
		s->version = m->version;
		s->stamp = m->stamp;
		s->refused = m->refused;
		s->private->unsynced = m->unsynced;
		err = refresh(s);
	} else if (!err) {
		err = read_again(s);
		set_epoch_entries(s, epoch);
	}
	/* An empty file is a session that has not begun. */
	*reason = err ? NULL : verdict_refusal(&s->private->verdict);
	return *reason ? -EPROTO : err;
}
