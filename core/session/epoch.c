#include "core/session/epoch.h"

#include "core/session/session.h"

void reading_take(const struct session *s, struct session_reading *r)
{
	*r = (struct session_reading){ .dialect = s->dialect,
				       .entries = s->now.index.n,
				       .bytes = s->now.indexed,
				       .before = s->log.before.size,
				       .digest = s->now.fingerprint.digest,
				       .mode = log_mode(&s->log),
				       .uid = s->log.st.st_uid,
				       .gid = s->log.st.st_gid,
				       .epoch = s->epoch,
				       .epoch_entries = s->epoch_entries,
				       .since = s->since };
}

bool reading_same_owner(const struct session_reading *a,
			const struct session_reading *b)
{
	return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid;
}

void epoch_begin(struct session *s)
{
	s->epoch++;
	s->since = s->stamp;
}

void epoch_continue(struct session *s, const struct session_reading *r)
{
	s->epoch = r->epoch;
	s->epoch_entries = r->epoch_entries;
	s->since = r->since;
}

struct reading_plan reading_plan(const struct reading_news *news)
{
	static const struct reading_plan plans[] = {
		[LOG_SAME] = { COMPARE_NOTHING, THEN_KEEP },
		[LOG_TOUCHED] = { COMPARE_ALL, THEN_KEEP },
		[LOG_GREW] = { COMPARE_ENDS, THEN_GROW },
		[LOG_GREW_TOUCHED] = { COMPARE_ALL, THEN_GROW },
		[LOG_REPLACED] = { COMPARE_NOTHING, THEN_READ },
		[LOG_DELETED] = { COMPARE_NOTHING, THEN_READ },
	};
	struct reading_plan plan = plans[news->change];
	if (news->change == LOG_SAME)
		plan.compare = news->unsettled;
	bool other_file = news->reopened && plan.compare == COMPARE_ENDS;
	if (plan.then != THEN_READ && (news->doubted || other_file))
		plan.compare = COMPARE_ALL;
	return plan;
}
