#include "core/dialects/omp/blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/dialects/omp/home.h"
#include "core/file/whole.h"

#define HASH_LENGTH 64
/* The longest spelling of a character in JSON. */
#define ESCAPED 6

void omp_blobs_folder(struct buf *out)
{
	omp_add_data_folder(out);
	buf_adds(out, "/blobs");
}

bool omp_blob_is_named(struct json v)
{
	struct span raw = v.raw;
	bool is;
	if (json_type(v) != JSON_STRING)
		return false;
	raw.p++;
	raw.n -= 2;
	if (raw.n < OMP_BLOB_PREFIX.n ||
	    !memchr(raw.p, '\\',
		    raw.n < OMP_BLOB_PREFIX.n * ESCAPED
			    ? raw.n
			    : OMP_BLOB_PREFIX.n * ESCAPED)) {
		is = span_starts(raw, OMP_BLOB_PREFIX);
	} else {
		struct buf text = { 0 };
		json_decode(&text, v);
		is = span_starts(buf_span(&text), OMP_BLOB_PREFIX);
		buf_free(&text);
	}
	return is;
}

/* Append the hash in a reference. -ENOENT: v is not a reference. */
static int add_hash(struct buf *out, struct json v)
{
	struct buf text = { 0 };
	size_t n = OMP_BLOB_PREFIX.n + HASH_LENGTH;
	if (json_type(v) == JSON_STRING && v.raw.n <= n * ESCAPED + 2)
		json_decode(&text, v);
	struct span s = buf_span(&text);
	int err = s.n == n && span_starts(s, OMP_BLOB_PREFIX) ? 0 : -ENOENT;
	for (size_t i = OMP_BLOB_PREFIX.n; i < n && !err; i++) {
		if (!memchr("0123456789abcdef", s.p[i], 16))
			err = -ENOENT;
	}
	if (!err)
		buf_add(out,
			(struct span){ s.p + OMP_BLOB_PREFIX.n, HASH_LENGTH });
	if (text.failed)
		err = -ENOMEM;
	buf_free(&text);
	return err;
}

/*
 * Open the file that a reference names. Returns its descriptor, or -errno:
 * -ENOENT if v is not a reference. Links are followed, as the agent does: the
 * folder is the user's own, and a session can only name a hash in it.
 */
static int open_blob(struct json v, size_t *size)
{
	struct buf path = { 0 };
	struct stat st = { 0 };
	omp_blobs_folder(&path);
	buf_addc(&path, '/');
	int err = add_hash(&path, v);
	const char *name = err ? NULL : buf_cstr(&path);
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
		      : -1;
	if (!err)
		err = !name ? -ENOMEM : fd < 0 ? -errno : 0;
	buf_free(&path);
	if (!err && fstat(fd, &st) < 0)
		err = -errno;
	if (!err && (!S_ISREG(st.st_mode) || st.st_size > OMP_BLOB_LIMIT))
		err = -ENOENT;
	if (err && fd >= 0)
		close(fd);
	*size = (size_t)st.st_size;
	return err ? err : fd;
}

int omp_blob_read(struct buf *out, struct json v)
{
	size_t size;
	int fd = open_blob(v, &size);
	if (fd < 0)
		return fd;
	int err = whole_read_file(fd, size, out);
	close(fd);
	return err;
}

int omp_blob_size(struct json v, uint64_t *size)
{
	size_t n;
	int fd = open_blob(v, &n);
	if (fd < 0)
		return fd;
	close(fd);
	*size = n;
	return 0;
}

bool omp_blob_exists(struct json v)
{
	uint64_t size;
	return omp_blob_size(v, &size) == 0;
}
