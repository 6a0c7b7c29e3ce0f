#include "core/session/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/file/whole.h"

#define CHUNK ((size_t)64 << 10)

void kept_add_folder(struct buf *out)
{
	pathname_add_xdg(out, "XDG_DATA_HOME", ".local/share", "/sessfs/kept");
}

/* Append the folder of an agent's, or nothing. */
static void add_agent_folder(const struct dialect *d, struct buf *kept)
{
	kept_add_folder(kept);
	if (kept->len > 0)
		buf_addf(kept, "/%s/", d->name);
}

bool kept_has(const struct dialect *d, const char *path)
{
	struct buf kept BUF_SCOPED = { 0 };
	add_agent_folder(d, &kept);
	return kept.len > 0 && span_starts(span_of(path), buf_span(&kept));
}

/* The path of the same file on the other side, or nothing. */
static void add_other_side(const struct dialect *d, const char *path,
			   struct buf *out)
{
	struct span of = span_of(path);
	struct buf kept BUF_SCOPED = BUF_INTO(out);
	add_agent_folder(d, &kept);
	if (kept.len > 0 && span_starts(of, buf_span(&kept))) {
		/* From the slash on. */
		buf_adds(out, path + kept.len - 1);
	} else if (kept.len > 0 && of.n > 0 && of.p[0] == '/') {
		buf_add(out, buf_span(&kept));
		buf_adds(out, path + 1);
	}
}

int kept_find_other(const struct dialect *d, const char *path, struct span id,
		    const struct finding *how, struct buf *out)
{
	struct buf other BUF_SCOPED = { 0 };
	add_other_side(d, path, &other);
	const char *text = buf_cstr(&other);
	return !text   ? -ENOMEM
	       : *text ? d->bases->find_file(text, id, how, out)
		       : 0;
}

int kept_find_base(const struct dialect *d, const char *path, struct span id,
		   const struct finding *how, struct buf *out)
{
	int found = d->bases->find_file(path, id, how, out);
	return found ? found : kept_find_other(d, path, id, how, out);
}

/* Does a file begin with all bytes of another one? 1, 0 or -errno. */
static int begins_with(int fd, int start)
{
	char *a = malloc(2 * CHUNK);
	ssize_t n = a ? 1 : -ENOMEM;
	int same = 1;
	while (n > 0 && same) {
		n = whole_read(start, a, CHUNK);
		ssize_t m = n > 0 ? whole_read(fd, a + CHUNK, (size_t)n) : n;
		same = m == n &&
		       (n <= 0 || memcmp(a, a + CHUNK, (size_t)n) == 0);
	}
	free(a);
	return n < 0 ? (int)n : same;
}

bool kept_begins(const char *path, const char *kept)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int start = open(kept, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool begins = fd >= 0 && start >= 0 && begins_with(fd, start) == 1;
	if (fd >= 0)
		close(fd);
	if (start >= 0)
		close(start);
	return begins;
}
