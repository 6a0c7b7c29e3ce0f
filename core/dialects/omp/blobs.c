#include "core/dialects/omp/blobs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/file/whole.h"
#include "core/json/writer.h"

#define PREFIX SPAN("blob:sha256:")
#define HASH_LENGTH 64
/* The most that JSON takes to spell a character of it. */
#define ESCAPED 6

/* The folder. */

static const char *environment(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

static void add_home(struct buf *out)
{
	char names[4096];
	struct passwd entry;
	struct passwd *found = NULL;
	const char *home = environment("HOME");
	if (!home &&
	    getpwuid_r(getuid(), &entry, names, sizeof(names), &found) == 0 &&
	    found)
		home = found->pw_dir;
	struct span path = span_of(home ? home : "");
	/* omp joins paths, and a lock's name depends on how one is written. */
	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	buf_add(out, path);
}

/* A device's name on Windows, which the agent takes for no profile anywhere. */
static bool is_device(struct span s)
{
	static const char *const devices[] = { "con", "prn", "aux", "nul" };
	const char *dot = memchr(s.p, '.', s.n);
	size_t n = dot ? (size_t)(dot - s.p) : s.n;
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		if (n == 3 && strncmp(s.p, devices[i], 3) == 0)
			return true;
	}
	return n == 4 && isdigit((unsigned char)s.p[3]) &&
	       (strncmp(s.p, "com", 3) == 0 || strncmp(s.p, "lpt", 3) == 0);
}

/* The profile that a value of the environment names; empty for the default. */
static struct span profile_of(const char *value)
{
	const struct span none = { "", 0 };
	struct span s = text_trim(value ? span_of(value) : none);
	if (s.n == 0 || s.n > 64 || span_eq(s, SPAN("default")) ||
	    s.p[s.n - 1] == '.' || is_device(s))
		return none;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool inner = i > 0 && memchr("._-", c, 3);
		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && !inner)
			return none;
	}
	return s;
}

static struct span active_profile(void)
{
	const char *omp = getenv("OMP_PROFILE");
	return profile_of(omp ? omp : getenv("PI_PROFILE"));
}

static void add_root(struct buf *out, struct span profile)
{
	const char *name = environment("PI_CONFIG_DIR");
	add_home(out);
	buf_addc(out, '/');
	buf_adds(out, name ? name : ".omp");
	if (profile.n > 0) {
		buf_adds(out, "/profiles/");
		buf_add(out, profile);
	}
}

void omp_add_config_root(struct buf *out)
{
	add_root(out, (struct span){ "", 0 });
}

/* $XDG_DATA_HOME/omp, if it is there. */
static bool add_xdg(struct buf *out, struct span profile)
{
	const char *data = environment("XDG_DATA_HOME");
	size_t from = out->len;
	if (!data)
		return false;
	buf_adds(out, data);
	buf_adds(out, "/omp");
	if (profile.n > 0) {
		buf_adds(out, "/profiles/");
		buf_add(out, profile);
	}
	const char *path = buf_cstr(out);
	if (path && access(path + from, F_OK) == 0)
		return true;
	if (!out->failed)
		out->len = from;
	return false;
}

/*
 * PI_CODING_AGENT_DIR, where it counts: not with a profile, nor when it is what
 * an agent with the other profile variable has left there.
 */
static bool add_override(struct buf *out, struct span profile)
{
	const char *folder = environment("PI_CODING_AGENT_DIR");
	const char *from = getenv("PWD"); /* the daemon has left it */
	struct buf derived = { 0 };
	if (!folder || profile.n > 0)
		return false;
	struct span inherited = profile_of(getenv("PI_PROFILE"));
	if (inherited.n > 0) {
		add_root(&derived, inherited);
		buf_adds(&derived, "/agent");
	}
	bool is_derived = span_eq(buf_span(&derived), span_of(folder));
	buf_free(&derived);
	if (is_derived)
		return false;
	if (*folder != '/' && from) {
		buf_adds(out, from);
		buf_addc(out, '/');
	}
	buf_adds(out, folder);
	return true;
}

void omp_blobs_folder(struct buf *out)
{
	struct span profile = active_profile();
	if (!add_override(out, profile) && !add_xdg(out, profile)) {
		add_root(out, profile);
		buf_adds(out, "/agent");
	}
	buf_adds(out, "/blobs");
}

/* A blob. */

bool omp_blob_is_named(struct json v)
{
	struct span raw = v.raw;
	bool is;
	if (json_type(v) != JSON_STRING)
		return false;
	raw.p++;
	raw.n -= 2;
	if (raw.n < PREFIX.n ||
	    !memchr(raw.p, '\\',
		    raw.n < PREFIX.n * ESCAPED ? raw.n : PREFIX.n * ESCAPED)) {
		is = span_starts(raw, PREFIX);
	} else {
		struct buf text = { 0 };
		json_decode(&text, v);
		is = span_starts(buf_span(&text), PREFIX);
		buf_free(&text);
	}
	return is;
}

/* Append the hash that a reference names: -ENOENT if it names none. */
static int add_hash(struct buf *out, struct json v)
{
	struct buf text = { 0 };
	size_t n = PREFIX.n + HASH_LENGTH;
	if (json_type(v) == JSON_STRING && v.raw.n <= n * ESCAPED + 2)
		json_decode(&text, v);
	struct span s = buf_span(&text);
	int err = s.n == n && span_starts(s, PREFIX) ? 0 : -ENOENT;
	for (size_t i = PREFIX.n; i < n && !err; i++) {
		if (!memchr("0123456789abcdef", s.p[i], 16))
			err = -ENOENT;
	}
	if (!err)
		buf_add(out, (struct span){ s.p + PREFIX.n, HASH_LENGTH });
	if (text.failed)
		err = -ENOMEM;
	buf_free(&text);
	return err;
}

/*
 * Open the file that a reference names: -ENOENT if it names none. Links are
 * followed, as omp does: the folder and what is in it are the user's own, and a
 * session names nothing but a hash there.
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

bool omp_blob_exists(struct json v)
{
	size_t size;
	int fd = open_blob(v, &size);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void add_base64(struct buf *out, struct span bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)bytes.p;
	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
		uint32_t bits = (uint32_t)p[i] << 16;
		bits |= n > 1 ? (uint32_t)p[i + 1] << 8 : 0;
		bits |= n > 2 ? (uint32_t)p[i + 2] : 0;
		buf_addc(out, digits[bits >> 18]);
		buf_addc(out, digits[bits >> 12 & 63]);
		buf_addc(out, n > 1 ? digits[bits >> 6 & 63] : '=');
		buf_addc(out, n > 2 ? digits[bits & 63] : '=');
	}
}

/* Resolving. */

/* A reference, and whether its blob is the text of a data URL. */
struct reference {
	struct json value;
	bool is_text;
};

/* What the member is called that a value is in. */
enum position { AT_OTHER, AT_CONTENT, AT_IMAGES, AT_FRAMES };

/* A container on the way, and what it has turned out to have. */
struct level {
	struct json_walk walk;
	bool object;
	enum position position;
	size_t references; /* that came before it */
	struct json type;
	struct json data;
	struct json mime;
	struct json result;
	struct json image_url;
};

struct resolving {
	struct buf levels;     /* of struct level */
	struct buf references; /* of struct reference */
	struct scan_ends ends;
};

static struct level *top_of(struct resolving *r)
{
	size_t n = r->levels.len / sizeof(struct level);
	return n > 0 ? (struct level *)(void *)r->levels.data + (n - 1) : NULL;
}

static void push(struct resolving *r, struct json v, enum position position)
{
	struct level level = {
		.walk = json_walk(v),
		.object = json_type(v) == JSON_OBJECT,
		.position = position,
		.references = r->references.len,
	};
	level.walk.ends = &r->ends;
	buf_add(&r->levels,
		(struct span){ (const char *)&level, sizeof(level) });
}

static void add_reference(struct resolving *r, struct json v, bool is_text)
{
	const struct reference new = { v, is_text };
	if (omp_blob_is_named(v))
		buf_add(&r->references,
			(struct span){ (const char *)&new, sizeof(new) });
}

static bool is_image_type(struct json mime)
{
	struct buf text = { 0 };
	json_decode(&text, mime);
	bool is = text.len >= 6 && strncasecmp(text.data, "image/", 6) == 0;
	buf_free(&text);
	return is;
}

/* An object has been walked: what in it refers to blobs? */
static void end_object(struct resolving *r, const struct level *l)
{
	bool block = json_is(l->type, SPAN("image"));
	bool picture = l->position == AT_CONTENT
			       ? block
			       : l->position != AT_OTHER &&
					 (block || is_image_type(l->mime));
	if (picture && omp_blob_is_named(l->data)) {
		/* The agent does not look further into it. */
		if (!r->references.failed)
			r->references.len = l->references;
		add_reference(r, l->data, false);
		return;
	}
	if (json_is(l->type, SPAN("image_generation_call")))
		add_reference(r, l->result, false);
	add_reference(r, l->image_url, true);
}

/* Note a member that matters; where is what is in it? */
static enum position note_member(struct level *l, struct json key,
				 struct json v)
{
	static const struct {
		struct span name;
		enum position position;
	} positions[] = {
		{ SPAN("content"), AT_CONTENT },
		{ SPAN("images"), AT_IMAGES },
		{ SPAN("frames"), AT_FRAMES },
	};
	for (size_t i = 0; i < 3; i++) {
		if (json_is(key, positions[i].name))
			return positions[i].position;
	}
	if (json_is(key, SPAN("type")))
		l->type = v;
	else if (json_is(key, SPAN("data")))
		l->data = v;
	else if (json_is(key, SPAN("mimeType")))
		l->mime = v;
	else if (json_is(key, SPAN("result")))
		l->result = v;
	else if (json_is(key, SPAN("image_url")))
		l->image_url = v;
	return AT_OTHER;
}

/* One step: into the next value, or out of the container. */
static void step(struct resolving *r)
{
	struct level *l = top_of(r);
	enum position position = l->position;
	struct json key = { 0 };
	struct json v;
	bool more = l->object ? json_next_member(&l->walk, &key, &v)
			      : json_next_element(&l->walk, &v);
	if (!more) {
		if (l->object)
			end_object(r, l);
		r->levels.len -= sizeof(*l);
		return;
	}
	if (l->object)
		position = note_member(l, key, v);
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

/* The blob as a JSON string, or the reference if it is not there. */
static int add_blob(struct buf *out, const struct reference *ref,
		    uint64_t *room)
{
	struct buf bytes = { 0 };
	struct buf text = { 0 };
	int err = omp_blob_read(&bytes, ref->value);
	bool fits = bytes.len <= *room;
	if (err) {
		buf_add(out, ref->value.raw);
	} else if (fits && ref->is_text) {
		text_add_utf8(&text, buf_span(&bytes));
		json_quote(out, buf_span(&text));
	} else if (fits) {
		buf_addc(out, '"');
		add_base64(out, buf_span(&bytes));
		buf_addc(out, '"');
	}
	*room -= fits ? bytes.len : 0;
	out->failed = out->failed || bytes.failed || text.failed;
	buf_free(&bytes);
	buf_free(&text);
	return fits ? buf_error(out) : -EFBIG;
}

static int add_resolved(struct buf *out, struct json entry, struct resolving *r,
			uint64_t *room)
{
	size_t n = r->references.len / sizeof(struct reference);
	struct reference *list = (void *)r->references.data;
	const char *from = entry.raw.p;
	const char *end = from + entry.raw.n;
	int err = 0;
	qsort(list, n, sizeof(*list), by_place);
	for (size_t i = 0; i < n && !err; i++) {
		struct span raw = list[i].value.raw;
		buf_add(out, (struct span){ from, (size_t)(raw.p - from) });
		err = add_blob(out, &list[i], room);
		from = raw.p + raw.n;
	}
	buf_add(out, (struct span){ from, (size_t)(end - from) });
	return err ? err : buf_error(out);
}

int omp_blobs_resolve(struct buf *out, struct json entry, uint64_t *room)
{
	struct resolving r = { 0 };
	struct span s = entry.raw;
	/* Its letters may be spelled as escapes. */
	if (!memmem(s.p, s.n, PREFIX.p, PREFIX.n) &&
	    !memmem(s.p, s.n, "\\u", 2))
		return 0;
	int err = json_ends_load(&r.ends, entry);
	if (!err)
		push(&r, entry, AT_OTHER);
	while (!r.levels.failed && r.levels.len > 0)
		step(&r);
	bool any = r.references.len > 0;
	if (r.levels.failed || r.references.failed)
		err = -ENOMEM;
	else if (!err && any)
		err = add_resolved(out, entry, &r, room);
	json_ends_free(&r.ends);
	buf_free(&r.levels);
	buf_free(&r.references);
	return err ? err : any;
}
