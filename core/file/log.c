#include "core/file/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/regular.h"
#include "core/file/version.h"

mode_t log_mode(const struct log *log)
{
	return log->acl ? gate_mode_beside_acl(log->st.st_mode)
			: log->st.st_mode;
}

int log_open(struct log *log, struct gate *gate, const char *path)
{
	*log = (struct log){ .gate = gate, .path = strdup(path) };
	if (log->path)
		log->file = regular_new(gate, log->path);
	int err = log->file ? regular_renew(log->file, &log->st) : -ENOMEM;
	if (err) {
		log_close(log);
		return err;
	}
	log->exists = true;
	return 0;
}

void log_look_for_acl(struct log *log)
{
	/* It only matters for what the group may do. */
	log->acl = (log->st.st_mode & S_IRWXG) &&
		   gate_has_acl(log->gate, log->path);
}

const char *log_file_at(const struct log *log, uint64_t offset, uint64_t *start)
{
	const struct lineage *l = &log->before;
	*start = 0;
	for (size_t i = l->n; i-- > 0;) {
		if (offset < *start + l->list[i].size)
			return l->list[i].path;
		*start += l->list[i].size;
	}
	return log->path;
}

void log_close(struct log *log)
{
	regular_free(log->file);
	free(log->path);
	lineage_free(&log->before);
	*log = (struct log){ 0 };
}

/*
 * A stat of the whole path is one call, not one for each folder. The path may
 * lead through a symlink by now, but the result is only compared: files are
 * opened for reading and writing without following symlinks.
 */
bool log_is_stale(const struct log *log)
{
	struct version now;
	if (version_take(log->gate, log->path, &now) < 0 || !S_ISREG(now.mode))
		return log->exists;
	return !log->exists || !version_eq(now, version_of_stat(&log->st)) ||
	       lineage_is_stale(&log->before);
}

enum version_change log_peek(const struct log *log)
{
	if (!log->exists || !lineage_is_whole(&log->before))
		return VERSION_REPLACED;
	return version_look(log->gate, log->path, version_of_stat(&log->st));
}

/* Open the file that the path names, in place of the old one. */
static int reopen(struct log *log)
{
	struct stat now;
	bool existed = log->exists;
	enum version_change change = VERSION_REPLACED;
	bool may_be_same = existed && (log->file->remote || log->reopened);
	int err = regular_renew(log->file, &now);
	if (fault_tells_nothing(err))
		return err;
	log->exists = !err;
	if (err) {
		open_files_keep(gate_files(log->gate), &log->file->held, -1);
		log->st.st_size = 0;
		return existed ? VERSION_DELETED : VERSION_SAME;
	}
	if (may_be_same)
		change = version_change(version_of_stat(&log->st),
					version_of_stat(&now));
	log->st = now;
	log_look_for_acl(log);
	return change;
}

static int refresh_own(struct log *log)
{
	struct stat now;
	int change = VERSION_REPLACED;
	if (log->exists) {
		int err = gate_stat(log->gate, log->path, &now);
		change = err ? err
			     : (int)version_change(version_of_stat(&log->st),
						   version_of_stat(&now));
	}
	/* After the look: until then it was open if it is evicted later. */
	log->reopened =
		open_files_was_evicted(gate_files(log->gate), &log->file->held,
				       change == VERSION_SAME);
	if (change == VERSION_SAME)
		return change;
	/* To open a remote file may connect to its server again. */
	if (fault_tells_nothing(change) && !log->file->remote)
		return change;
	if (change < 0 || change == VERSION_REPLACED || log->file->remote ||
	    log->reopened)
		return reopen(log);
	log->st = now;
	log_look_for_acl(log);
	return change;
}

/* The change of a log of which both parts have been looked at. */
static enum version_change join(enum version_change own,
				enum version_change before)
{
	if (before == VERSION_SAME || own == VERSION_REPLACED)
		return own;
	if (before == VERSION_REPLACED)
		return VERSION_REPLACED;
	return own == VERSION_GREW ? VERSION_GREW_TOUCHED : VERSION_TOUCHED;
}

/* The own file is the last, as its news is forgotten once it is returned. */
int log_refresh(struct log *log)
{
	int err = log->exists ? lineage_refresh(&log->before) : 0;
	if (err)
		return err;
	int own = refresh_own(log);
	if (own < 0 || !log->exists)
		return own;
	enum version_change before = log->before.change;
	log->before.change = VERSION_SAME;
	return join((enum version_change)own, before);
}

int log_read(const struct log *log, uint64_t offset, void *to, size_t n)
{
	const struct lineage *l = &log->before;
	size_t got = 0;
	if (offset <= log->kept.n && n <= log->kept.n - offset) {
		if (n > 0)
			memcpy(to, log->kept.p + offset, n);
		return 0;
	}
	int err = offset < l->size ? lineage_read(l, offset, to, n, &got) : 0;
	if (err || (got == n && n > 0))
		return err;
	ssize_t own = regular_read_at(log->file, (char *)to + got, n - got,
				      (off_t)(offset + got - l->size));
	if (own < 0)
		return (int)own;
	return (size_t)own < n - got ? -ESTALE : 0;
}

struct span log_skip_bom(struct span text)
{
	static const struct span mark = { "\xEF\xBB\xBF", 3 };
	if (span_starts(text, mark))
		text = span_from(text, mark.n);
	return text;
}
