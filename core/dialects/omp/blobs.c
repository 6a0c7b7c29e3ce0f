/*
 * The blobs of oh-my-pi: pictures that it keeps outside of a session. In place
 * of their base64 a session has blob:sha256:HASH. The bytes are in a file HASH
 * in the folder `blobs` of the agent's data (blob-store.ts; 18.3.4).
 */
#include "core/dialects/omp/omp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/base64.h"
#include "core/base/text.h"
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
	struct buf text BUF_SCOPED = { 0 };
	size_t n = OMP_BLOB_PREFIX.n * ESCAPED;
	if (!json_is_string(v))
		return false;
	const struct span raw = { v.raw.p + 1, v.raw.n - 2 };
	if (!memchr(raw.p, '\\', raw.n < n ? raw.n : n))
		return span_starts(raw, OMP_BLOB_PREFIX);
	json_decode(&text, v);
	return span_starts(buf_span(&text), OMP_BLOB_PREFIX);
}

/* Append the hash in a reference. -ENOENT: v is not a reference. */
static int add_hash(struct buf *out, struct json v)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	size_t n = OMP_BLOB_PREFIX.n + HASH_LENGTH;
	if (json_is_string(v) && v.raw.n <= n * ESCAPED + 2)
		json_decode(&text, v);
	if (out->failed)
		return -ENOMEM;
	if (text.len != n || !span_starts(buf_span(&text), OMP_BLOB_PREFIX))
		return -ENOENT;
	struct span hash = span_from(buf_span(&text), OMP_BLOB_PREFIX.n);
	for (size_t i = 0; i < hash.n; i++) {
		if (!memchr("0123456789abcdef", hash.p[i], 16))
			return -ENOENT;
	}
	buf_add(out, hash);
	return 0;
}

/*
 * Open the file that a reference names. Returns its descriptor, or -errno:
 * -ENOENT if v is not a reference. Links are followed, as the agent does: the
 * folder is the user's own, and a session can only name a hash in it.
 */
static int open_blob(struct json v, size_t *size)
{
	struct buf path BUF_SCOPED = { 0 };
	struct stat st;
	omp_blobs_folder(&path);
	buf_addc(&path, '/');
	int err = add_hash(&path, v);
	if (err)
		return err;
	const char *name = buf_cstr(&path);
	if (!name)
		return -ENOMEM;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		err = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_size > OMP_BLOB_LIMIT)
		err = -ENOENT;
	if (err) {
		close(fd);
		return err;
	}
	*size = (size_t)st.st_size;
	return fd;
}

int omp_blob_read(struct buf *out, struct json v)
{
	size_t size = 0;
	int fd = open_blob(v, &size);
	if (fd == -ENOMEM)
		buf_fail(out);
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

/* A reference, and whether its blob is the text of a data URL. */
struct reference {
	struct json value;
	bool is_text;
};

/* The name of the member that a value is in, at any depth. */
enum position { AT_OTHER, AT_CONTENT, AT_IMAGES };

/* An open container. */
struct level {
	struct json value;
	struct json_walk walk;
	bool object;
	enum position position;
	size_t references; /* how many came before it */
};

struct search {
	struct level *levels;
	size_t n_levels;
	size_t levels_cap;
	struct reference *references;
	size_t n_references;
	size_t references_cap;
	struct scan_ends ends;
	int err;
};

static void push(struct search *r, struct json v, enum position position)
{
	r->err = array_reserve(&r->levels, &r->levels_cap, r->n_levels, 1);
	if (r->err)
		return;
	v.ends = &r->ends;
	r->levels[r->n_levels++] = (struct level){
		.value = v,
		.walk = json_walk(v),
		.object = json_type(v) == JSON_OBJECT,
		.position = position,
		.references = r->n_references,
	};
}

static void add_reference(struct search *r, struct json v, bool is_text)
{
	if (r->err || !omp_blob_is_named(v))
		return;
	r->err = array_reserve(&r->references, &r->references_cap,
			       r->n_references, 1);
	if (!r->err)
		r->references[r->n_references++] =
			(struct reference){ v, is_text };
}

static bool is_image_type(struct json mime)
{
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, mime);
	return text.len >= 6 && strncasecmp(text.data, "image/", 6) == 0;
}

/* The end of an object: note which of its members refer to blobs. */
static void end_object(struct search *r, const struct level *l)
{
	JSON_FIELDS(f, l->value, type, data, mimeType, result, image_url);
	bool block = json_is(f.type, SPAN("image"));
	bool picture = l->position == AT_CONTENT
			       ? block
			       : l->position != AT_OTHER &&
					 (block || is_image_type(f.mimeType));
	if (picture && omp_blob_is_named(f.data)) {
		/* The agent does not look further into it. */
		r->n_references = l->references;
		add_reference(r, f.data, false);
		return;
	}
	if (json_is(f.type, SPAN("image_generation_call")))
		add_reference(r, f.result, false);
	add_reference(r, f.image_url, true);
}

/* Enter the next value, or leave the innermost container at its end. */
static void step(struct search *r)
{
	struct level *l = &r->levels[r->n_levels - 1];
	enum position position = l->position;
	struct json key = { 0 };
	struct json v;
	bool more = l->object ? json_next_member(&l->walk, &key, &v)
			      : json_next_element(&l->walk, &v);
	if (!more) {
		if (l->object)
			end_object(r, l);
		r->n_levels--;
		return;
	}
	if (l->object)
		position = json_is(key, SPAN("content"))  ? AT_CONTENT
			   : json_is(key, SPAN("images")) ? AT_IMAGES
							  : AT_OTHER;
	enum json_type type = json_type(v);
	if (type == JSON_OBJECT || type == JSON_ARRAY)
		push(r, v, position);
}

static int by_place(const void *a, const void *b)
{
	const struct reference *x = a;
	const struct reference *y = b;
	return x->value.raw.p < y->value.raw.p	 ? -1
	       : x->value.raw.p > y->value.raw.p ? 1
						 : 0;
}

/* Append the blob as a JSON string, or the reference if it has none. */
static int add_blob(struct buf *out, const struct reference *ref,
		    uint64_t *room)
{
	struct buf bytes BUF_SCOPED = BUF_INTO(out);
	struct buf text BUF_SCOPED = BUF_INTO(out);
	int err = omp_blob_read(&bytes, ref->value);
	bool fits = bytes.len <= *room;
	if (err) {
		buf_add(out, ref->value.raw);
	} else if (fits && ref->is_text) {
		text_add_utf8(&text, buf_span(&bytes));
		json_quote(out, buf_span(&text));
	} else if (fits) {
		buf_addc(out, '"');
		base64_encode(out, buf_span(&bytes));
		buf_addc(out, '"');
	}
	*room -= fits ? bytes.len : 0;
	return fits ? buf_error(out) : -EFBIG;
}

static int add_resolved(struct buf *out, struct json entry, struct search *r,
			uint64_t *room)
{
	struct reference *list = r->references;
	const char *from = entry.raw.p;
	const char *end = from + entry.raw.n;
	int err = 0;
	qsort(list, r->n_references, sizeof(*list), by_place);
	for (size_t i = 0; i < r->n_references && !err; i++) {
		struct span raw = list[i].value.raw;
		buf_add(out, (struct span){ from, (size_t)(raw.p - from) });
		err = add_blob(out, &list[i], room);
		from = raw.p + raw.n;
	}
	buf_add(out, (struct span){ from, (size_t)(end - from) });
	return err ? err : buf_error(out);
}

int omp_resolve_blobs(struct buf *out, struct json entry, uint64_t *room)
{
	const struct span prefix = OMP_BLOB_PREFIX;
	struct search r = { 0 };
	struct span s = entry.raw;
	/* Its letters may be spelled as escapes. */
	if (!memmem(s.p, s.n, prefix.p, prefix.n) &&
	    !memmem(s.p, s.n, "\\u", 2))
		return 0;
	r.err = json_ends_load(&r.ends, entry);
	if (!r.err)
		push(&r, entry, AT_OTHER);
	while (!r.err && r.n_levels > 0)
		step(&r);
	bool any = r.n_references > 0;
	if (!r.err && any)
		r.err = add_resolved(out, entry, &r, room);
	json_ends_free(&r.ends);
	free(r.levels);
	free(r.references);
	return r.err ? r.err : any;
}
