/*
 * The session that one of the Pi family was forked from: `parentSession` in its
 * header, the path of the file, or for oh-my-pi an id. A file that was moved is
 * found beside its fork.
 */
#include <errno.h>

#include "core/base/text.h"
#include "core/dialects/kit/parent.h"
#include "core/dialects/pi/pi.h"
#include "core/file/nofollow.h"

/* Only oh-my-pi's title comes before the header. */
static int read_header(struct json line, struct buf *out)
{
	JSON_FIELDS(f, line, type, parentSession);
	if (json_is(f.type, SPAN("title")))
		return 0;
	if (json_is(f.type, SPAN("session")) && json_is_string(f.parentSession))
		json_decode(out, f.parentSession);
	text_finish(out, 0);
	return 1;
}

static int base_id(const struct log *log, struct buf *out)
{
	struct buf parent BUF_SCOPED = BUF_INTO(out);
	int err = parent_read(log, read_header, &parent);
	struct span name = buf_span(&parent);
	struct span id = parent_file_id(name);
	if (id.n == 0 && !memchr(name.p ? name.p : "", '/', name.n))
		id = name;
	if (!err)
		buf_add(out, id);
	return err ? err : out->failed ? -ENOMEM : out->len > 0;
}

/* The file that the header names: 1, 0 if it is not there, or -errno. */
static int find_named(const char *path, const struct finding *how,
		      struct buf *out)
{
	struct buf parent BUF_SCOPED = { 0 };
	struct stat st;
	struct log log;
	int err = log_open(&log, how->gate, path);
	if (!err)
		err = parent_read(&log, read_header, &parent);
	log_close(&log);
	const char *named = buf_cstr(&parent);
	int found = 0;
	if (!err && named && named[0] == '/') {
		err = versions_add(how->searched, how->gate, named);
		found = !err && nofollow_stat(how->gate, named, &st) == 0 &&
			S_ISREG(st.st_mode);
	}
	if (found)
		buf_add(out, buf_span(&parent));
	return err == -ENOMEM || out->failed ? -ENOMEM : found;
}

static int find_file(const char *path, struct span id,
		     const struct finding *how, struct buf *out)
{
	int found = find_named(path, how, out);
	return found ? found : parent_find_beside(path, id, how, out);
}

const struct dialect_bases pi_bases = {
	.file_id = parent_file_id,
	.base_id = base_id,
	.find_file = find_file,
};
