#include "core/file/sidecar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/newfile.h"
#include "core/file/nofollow.h"
#include "core/file/whole.h"

void sidecar_add_path(struct buf *out, const char *session, const char *suffix)
{
	struct span ending = SPAN(".jsonl");
	struct span name = span_of(session);
	if (name.n > ending.n && span_ends(name, ending))
		name.n -= ending.n;
	buf_add(out, name);
	buf_adds(out, suffix);
}

int sidecar_init(struct sidecar *c, struct gate *g, struct buf *path)
{
	*c = (struct sidecar){ .gate = g };
	if (path->len > 0)
		buf_cstr(path);
	int err = buf_error(path);
	if (err || path->len == 0)
		buf_free(path);
	else
		c->path = path->data;
	return err;
}

void sidecar_free(struct sidecar *c)
{
	free(c->path);
	*c = (struct sidecar){ 0 };
}

bool sidecar_is_stale(const struct sidecar *c)
{
	return c->path &&
	       version_look(c->gate, c->path, c->was) != VERSION_SAME;
}

static int read_bytes(struct sidecar *c, struct buf *bytes)
{
	struct stat now;
	int absent = version_take(c->gate, c->path, &c->was);
	if (absent)
		return fault_tells_nothing(absent) ? absent : 0;
	if (!S_ISREG(c->was.mode))
		return 0;
	int fd = nofollow_open(c->gate, c->path,
			       O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fault_tells_nothing(fd) ? fd : 0;
	int err = fstat(fd, &now) < 0 ? -errno : 0;
	/* If it is another file than c->was, it is stale at once. */
	if (!err && S_ISREG(now.st_mode) && now.st_size <= SIDECAR_LIMIT)
		err = whole_read_file(fd, (size_t)now.st_size, bytes);
	close(fd);
	return err;
}

int sidecar_read(struct sidecar *c, struct buf *bytes)
{
	int err = read_bytes(c, bytes);
	if (err)
		c->was = VERSION_UNKNOWN;
	return err;
}

int sidecar_replace(struct gate *g, const char *path, struct span bytes,
		    const struct stat *like)
{
	struct newfile f;
	int err = newfile_write(&f, g, path, bytes, like, false);
	return err ? err : newfile_commit(&f);
}
