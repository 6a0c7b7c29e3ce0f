#include "core/session/session.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "core/file/nofollow.h"
#include "core/session/private.h"
#include "core/session/read_ahead.h"

/* The parts of an empty session. The caller frees it, whatever is returned. */
static int make_parts(struct session *s, const struct session_opening *how)
{
	struct session_private *p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	int err = rwlock_init(&p->lock);
	if (err) {
		free(p);
		return err;
	}
	p->derived_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	s->private = p;
	p->how = *how;
	s->force = how->force;
	return 0;
}

int session_open(struct session **out, const char *path,
		 const struct session_opening *how, const char **reason)
{
	*reason = NULL;
	struct session *s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	contents_init(&s->now);
	int err = make_parts(s, how);
	if (!err)
		err = log_open(&s->log, how->gate, path);
	if (!err && !how->once)
		log_look_for_acl(&s->log);
	if (err == -EINVAL)
		*reason = "not a regular file";
	if (!err)
		err = refresh_first(s, reason);
	if (err) {
		session_free(s);
		return err;
	}
	/* What was asked for only while the session was opened. */
	s->private->how.ingested = NULL;
	s->private->how.keeps_lines = false;
	s->private->how.memory = NULL;
	s->private->how.progress = NULL;
	s->private->how.bytes = (struct span){ 0 };
	s->private->just_opened = how->once && s->private->unsettled_until == 0;
	*out = s;
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	contents_free(&s->now);
	for (int i = 0; i < BESIDE_COUNT; i++)
		sidecar_free(&s->beside[i]);
	log_close(&s->log);
	if (s->private) {
		derived_free(s->private->derived);
		pthread_mutex_destroy(&s->private->derived_lock);
		pthread_rwlock_destroy(&s->private->lock);
	}
	free(s->private);
	free(s);
}

bool session_enter_if_fresh(struct session *s)
{
	pthread_rwlock_rdlock(&s->private->lock);
	if (refresh_is_fresh(s, false))
		return true;
	pthread_rwlock_unlock(&s->private->lock);
	return false;
}

int session_enter(struct session *s)
{
	pthread_rwlock_t *lock = &s->private->lock;
	pthread_rwlock_rdlock(lock);
	if (__atomic_load_n(&s->private->just_opened, __ATOMIC_RELAXED) &&
	    __atomic_exchange_n(&s->private->just_opened, false,
				__ATOMIC_RELAXED))
		return 0;
	if (refresh_is_fresh(s, true))
		return 0;
	pthread_rwlock_unlock(lock);
	pthread_rwlock_wrlock(lock);
	int err = refresh(s);
	pthread_rwlock_unlock(lock);
	if (err)
		return err;
	/* Another thread may have refreshed it since: that is as good. */
	pthread_rwlock_rdlock(lock);
	return 0;
}

void session_leave(struct session *s)
{
	pthread_rwlock_unlock(&s->private->lock);
}

bool session_is_whole(const struct session *s)
{
	if (__atomic_load_n(&s->private->doubted, __ATOMIC_RELAXED))
		return false;
	if (!s->log.exists)
		return !log_is_stale(&s->log);
	enum version_change news = log_peek(&s->log);
	return news == VERSION_SAME ||
	       (news == VERSION_GREW &&
		fingerprint_ends_match(&s->now.fingerprint, &s->log,
				       s->now.indexed));
}

struct span session_label(const struct session *s, uint32_t entry)
{
	const struct label *l =
		labels_of(&s->now.labels, index_id(&s->now.index, entry));
	return l ? label_text(&s->now.labels, l) : (struct span){ "", 0 };
}

/* The ends of a line's values: they follow its bytes in the same buffer. */
struct noted {
	struct scan_ends ends;
	struct scan_end list[24];
};

int session_read_line(const struct session *s, uint64_t offset, uint32_t length,
		      struct buf *line, struct json *json)
{
	const size_t align = _Alignof(struct noted);
	size_t after = ((size_t)length + align - 1) / align * align;
	buf_reset(line);
	char *to = buf_reserve(line, after + sizeof(struct noted));
	if (!to)
		return -ENOMEM;
	int err = log_read(&s->log, offset, to, length);
	if (err)
		return err;
	line->len = length;
	struct noted *noted = (struct noted *)(void *)(to + after);
	noted->ends = (struct scan_ends){
		noted->list, 0, sizeof(noted->list) / sizeof(noted->list[0])
	};
	/* The file was rewritten: the indexed line is gone. */
	err = json_check_ends(buf_span(line), json, &noted->ends);
	return err == -EBADMSG ? -ESTALE : err;
}

/* The line that was kept when the session was read, or NULL. */
static const struct scanned *kept_line(const struct session *s,
				       const struct entry *e)
{
	const struct scanned *kept = NULL;
	if (s->now.kept)
		kept = ahead_batch_line(s->now.kept, e->line - 1);
	bool is = kept && !kept->err && kept->offset == e->offset &&
		  kept->text.n == e->length;
	return is ? kept : NULL;
}

/* Is that the line that was indexed? One that is kept may have no digest. */
static bool is_of(const struct session *s, const struct entry *e,
		  struct span text)
{
	const struct scanned *kept = kept_line(s, e);
	return kept ? span_eq(text, kept->text)
		    : (uint32_t)hash_line(text, e->offset) == e->digest;
}

int session_read(const struct session *s, uint32_t entry, struct buf *line,
		 struct json *json)
{
	const struct entry *e = session_entry(s, entry);
	int err = session_read_line(s, e->offset, e->length, line, json);
	/* Callers that read several lines must not get those of two files. */
	if (!err && !is_of(s, e, buf_span(line)))
		err = -ESTALE;
	/* stat(2) may show no change: the next refresh compares all bytes. */
	if (err == -ESTALE)
		__atomic_store_n(&s->private->doubted, true, __ATOMIC_RELAXED);
	return err;
}

struct span session_kept(const struct session *s)
{
	return ahead_batch_bytes(s->now.kept);
}

int session_peek_text(const struct session *s, uint32_t entry, struct buf *line,
		      struct span *text)
{
	const struct entry *e = session_entry(s, entry);
	const struct scanned *kept = kept_line(s, e);
	if (kept) {
		*text = kept->text;
		return 0;
	}
	buf_reset(line);
	char *to = buf_reserve(line, e->length);
	int err = to ? log_read(&s->log, e->offset, to, e->length) : -ENOMEM;
	*text = (struct span){ to, e->length };
	if (!err && !is_of(s, e, *text))
		err = -ESTALE;
	if (err == -ESTALE)
		__atomic_store_n(&s->private->doubted, true, __ATOMIC_RELAXED);
	return err;
}

int session_peek(const struct session *s, uint32_t entry, struct buf *line,
		 struct span *text, struct json *json)
{
	const struct entry *e = session_entry(s, entry);
	const struct scanned *kept = kept_line(s, e);
	int err = kept ? 0 : session_read(s, entry, line, json);
	if (kept)
		*json = kept->json;
	if (text)
		*text = kept ? kept->text : buf_span(line);
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

const struct session_opening *session_opened(const struct session *s)
{
	return &s->private->how;
}

const struct dialect_registry *session_dialects(const struct session *s)
{
	return s->private->how.dialects;
}

/* The relative that a line marks, with the reason; NULL if forced. */
static const struct dialect *marked(const struct session *s, struct json line,
				    const char **reason)
{
	const struct session_opening *how = &s->private->how;
	const struct dialect_registry *all = how->dialects;
	*reason = NULL;
	for (size_t i = 0; i < all->n && !how->forced; i++) {
		const struct dialect *d = all->rows[i];
		if (d->relative_of && d->relative_of == s->dialect)
			*reason = d->marks(line);
		if (*reason)
			return d;
	}
	return NULL;
}

const char *session_turns(const struct session *s, struct json line)
{
	const char *reason;
	marked(s, line, &reason);
	return reason;
}

int session_turn(struct session *s, struct json line,
		 const struct line_place *at)
{
	const char *reason;
	const struct dialect *d = marked(s, line, &reason);
	if (!d)
		return 0;
	s->dialect = d;
	s->reason = reason;
	s->reason_line = at->number;
	return SESSION_TURNED;
}

struct unopened session_unopened(const struct session *s)
{
	const struct dialect *d = s->dialect;
	/* The state is missing while the file could not be read. */
	bool read = d->reading->state_size == 0 || s->now.state;
	struct unopened none = { 0 };
	return d->agent && d->agent->unopened && read ? d->agent->unopened(s)
						      : none;
}

bool session_is_subagent(const struct session *s)
{
	const struct dialect_home *h = s->dialect->home;
	if (h && h->is_subagent)
		return h->is_subagent(s);
	return h && h->subagents &&
	       span_starts(span_of(nofollow_name(s->log.path)),
			   span_of(h->subagents));
}

int session_writable(const struct session *s)
{
	bool can = s->access == SESSION_MAY_WRITE &&
		   !verdict_refusal(&s->private->verdict) &&
		   s->dialect->writing;
	return can && !session_unopened(s).why ? 0 : -EROFS;
}

int session_reenter_refused(struct session *s, struct refusal refused)
{
	pthread_rwlock_unlock(&s->private->lock);
	pthread_rwlock_wrlock(&s->private->lock);
	s->refused = refused;
	refresh_stamp(s);
	pthread_rwlock_unlock(&s->private->lock);
	return session_enter_again(s);
}

int session_enter_again(struct session *s)
{
	pthread_rwlock_wrlock(&s->private->lock);
	int err = refresh(s);
	s->private->keep_epoch = false;
	pthread_rwlock_unlock(&s->private->lock);
	pthread_rwlock_rdlock(&s->private->lock);
	return err;
}
