#include "core/session/names.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/file/sidecar.h"
#include "core/file/version.h"
#include "core/session/dialect.h"

/* Read a line: 1 with the id and the name, 0 if it has none, or -ENOMEM. */
static int read_line(const struct dialect *d, struct span line, struct json *id,
		     struct json *name)
{
	struct json v;
	int err = json_check(line, &v);
	if (err)
		return err == -ENOMEM ? err : 0;
	return d->reading->read_name(v, id, name);
}

static void set_name(struct buf *to, struct json name)
{
	struct buf text BUF_SCOPED = BUF_INTO(to);
	json_decode(&text, name);
	buf_clear(to);
	buf_add(to, text_trim(buf_span(&text)));
	text_finish(to, 0);
}

int names_find(const struct dialect *d, struct span bytes, struct span id,
	       struct buf *name)
{
	while (id.n > 0 && bytes.n > 0) {
		struct span line = span_next_line(&bytes);
		struct json found;
		struct json value;
		/* Most lines are of other sessions. Ids may have escapes. */
		if (!memmem(line.p, line.n, id.p, id.n) &&
		    !memchr(line.p, '\\', line.n))
			continue;
		int got = read_line(d, line, &found, &value);
		if (got < 0)
			return got;
		if (got && json_is(found, id))
			set_name(name, value);
	}
	return buf_error(name);
}

int names_ingest(struct session *s, struct span bytes, bool there)
{
	(void)there;
	buf_reset(&s->now.name);
	return names_find(s->dialect, bytes,
			  s->dialect->reading->name_id(span_of(s->log.path)),
			  &s->now.name);
}

static int add_row(struct names *n, struct json id, struct json name)
{
	struct buf key = { 0 };
	struct buf text = { 0 };
	uint32_t place;
	uint32_t number;
	json_decode(&key, id);
	set_name(&text, name);
	buf_inherit(&key, &text);
	int err = buf_error(&key);
	if (!err)
		err = array_reserve(&n->names, &n->cap, n->ids.n, 1);
	if (!err)
		err = buf_keep(&n->text, buf_span(&text), &place);
	if (!err)
		err = idset_add(&n->ids, buf_span(&key), &number);
	if (!err)
		n->names[number] = place;
	buf_free(&key);
	buf_free(&text);
	return err;
}

/* Read a file of names, unless it was the last one. Takes over the path. */
static int load(struct names *n, const struct dialect *d, char *file)
{
	struct sidecar at = { .path = file };
	struct buf bytes = { 0 };
	if (n->file && strcmp(n->file, file) == 0) {
		free(file);
		return 0;
	}
	names_free(n);
	n->file = file;
	int err = n->read ? versions_add(n->read, NULL, file) : 0;
	if (!err)
		err = sidecar_read(&at, &bytes);
	struct span rest = buf_span(&bytes);
	while (rest.n > 0 && err >= 0) {
		struct json id;
		struct json name;
		err = read_line(d, span_next_line(&rest), &id, &name);
		if (err > 0)
			err = add_row(n, id, name);
	}
	buf_free(&bytes);
	return err == -ENOMEM ? err : 0;
}

int names_look_up(struct names *n, const struct dialect_registry *dialects,
		  const char *path, struct buf *name)
{
	for (size_t i = 0; i < dialects->n; i++) {
		const struct dialect *d = dialects->rows[i];
		const struct beside *b = &d->reading->beside[BESIDE_NAMES];
		struct buf file = { 0 };
		if (b->path)
			b->path(path, &file);
		if (file.len > 0 && buf_cstr(&file)) {
			int err = load(n, d, file.data);
			uint32_t id = idset_find(
				&n->ids, d->reading->name_id(span_of(path)));
			if (!err && id != IDSET_NONE)
				buf_add(name, buf_kept(&n->text, n->names[id]));
			return err ? err : buf_error(name) ? -ENOMEM : 1;
		}
		bool failed = file.failed;
		buf_free(&file);
		if (failed)
			return -ENOMEM;
	}
	return 0;
}

void names_free(struct names *n)
{
	free(n->file);
	buf_free(&n->text);
	free(n->names);
	idset_free(&n->ids);
	*n = (struct names){ .read = n->read };
}
