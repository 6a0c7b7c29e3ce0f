#include "core/show/usage.h"

#include <errno.h>

#include "core/file/fault.h"
#include "core/session/kept.h"

/* How many bases above each other are looked at for one that comes again. */
#define BASES_TRIED 64

/* The path of the file with an id, as seen from one at a path: 1, 0, -errno. */
static int find_base(const struct session *s, const char *path, struct span id,
		     struct buf *out)
{
	const struct session_opening *how = session_opened(s);
	struct versions searched = { 0 };
	const struct finding f = { how->names, &searched, how->gate };
	int found =
		id.n > 0 ? kept_find_base(s->dialect, path, id, &f, out) : 0;
	versions_free(&searched);
	if (found > 0 && !buf_cstr(out))
		found = -ENOMEM;
	return found;
}

/* The same of its base. */
static int find_next(const struct session *s, const char *path, struct buf *out)
{
	struct buf id BUF_SCOPED = { 0 };
	struct log log;
	int err = log_open(&log, session_opened(s)->gate, path);
	if (!err)
		err = s->dialect->bases->base_id(&log, &id);
	log_close(&log);
	if (err > 0)
		err = find_base(s, path, buf_span(&id), out);
	return err;
}

/* Does the way up from a base lead to the session again? 1, 0 or -errno. */
static int is_cycle(const struct session *s, const char *base)
{
	struct buf at BUF_SCOPED = { 0 };
	int found = 1;
	bool is = false;
	buf_adds(&at, base);
	for (int n = 0; found > 0 && !is && n < BASES_TRIED; n++) {
		struct buf next = { 0 };
		const char *path = buf_cstr(&at);
		is = path && strcmp(path, s->log.path) == 0;
		if (path && !is)
			found = find_next(s, path, &next);
		if (!path)
			found = -ENOMEM;
		buf_free(&at);
		at = next;
	}
	return found < 0 ? found : is;
}

/* Without the lines of the session at a path. */
static int sum_without(const struct session *s, const char *path,
		       struct usage *sum)
{
	struct session_opening how = *session_opened(s);
	const char *reason = NULL;
	struct session *base;
	how.read_only = how.once = true;
	int err = session_open(&base, path, &how, &reason);
	if (err)
		return err;
	err = session_enter(base);
	if (!err) {
		err = usage_beyond(s, base, sum);
		session_leave(base);
	}
	session_free(base);
	return err;
}

int own_usage(const struct session *s, struct span base_id, struct usage *sum,
	      struct buf *base, bool *lacks_base)
{
	struct usage own = { 0 };
	struct buf path BUF_SCOPED = { 0 };
	int err = usage_total(s, sum);
	*lacks_base = false;
	/* Most have nothing to leave out. */
	if (err || base_id.n == 0 || (sum->tokens <= 0 && sum->cost <= 0))
		return err;
	int found = find_base(s, s->log.path, base_id, &path);
	*lacks_base = found == 0;
	if (found > 0) {
		found = is_cycle(s, path.data);
		if (!found)
			found = sum_without(s, path.data, &own);
		if (!found &&
		    (own.tokens < sum->tokens || own.cost < sum->cost)) {
			*sum = own;
			buf_add(base, buf_span(&path));
		}
	}
	if (found == -ENOMEM || fault_is_shortage(found))
		return found;
	return buf_error(base);
}
