#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/newfile.h"
#include "core/session/dialect.h"
#include "core/session/private.h"

static void clear(struct session *s)
{
	contents_free(&s->now);
	contents_init(&s->now);
	s->private->generation++;
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

void from_start_set_access(struct session *s)
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

int from_start_set_dialect(struct session *s, const struct verdict *v)
{
	s->dialect = v->dialect;
	s->reason = v->reason;
	s->reason_line = v->line;
	from_start_set_access(s);
	return find_beside(s);
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
	return from_start_set_dialect(s, &v);
}

static struct span bytes_of_opener(const struct session *s)
{
	const struct session_opening *how = &s->private->how;
	bool same = how->bytes.n > 0 &&
		    version_eq(how->version, version_of_stat(&s->log.st));
	return same ? how->bytes : (struct span){ 0 };
}

int from_start_read(struct session *s)
{
	struct feed first = { .step = contents_step(s) };
	lineage_free(&s->log.before);
	s->log.kept = bytes_of_opener(s);
	int err = detect(s, &first);
	/* The dialect of a file is that of its own lines, which are read. */
	if (s->log.kept.n == 0)
		s->log.kept = buf_span(&first.chunk);
	if (!err && s->dialect->bases && s->dialect->bases->find_lineage &&
	    s->log.exists)
		err = s->dialect->bases->find_lineage(&s->log, &s->log.before,
						      s->private->how.names);
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
		err = from_start_set_dialect(s, &v);
		if (!err)
			err = contents_read(s, NULL);
	}
	if (err)
		clear(s);
	return err;
}
