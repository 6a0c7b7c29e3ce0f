/*
 * Pictures that Qwen Code names in place of posting them. In a history with 20
 * or more these are all but those of the user's last contents, to which the
 * next prompt is added. Of those that it names the last three, each counted
 * where it comes first, are posted behind that prompt.
 */
#include "core/dialects/qwen/qwen.h"

#include <ctype.h>
#include <errno.h>
#include <sha2.h>

#include "core/base/idset.h"

#define NAMED_FROM 20
#define AGAIN_TEXT                                                      \
	"Images read earlier in this session (may be OUTDATED, do not " \
	"treat as current UI state): "

/* Of a picture's hash, so many digits are its id. */
#define ID_SIZE 12

struct picture {
	struct buf mime;
	struct buf data;
	char hash[SHA256_DIGEST_STRING_LENGTH];
};

/* Is there one in the part? */
static bool is_picture(struct json part)
{
	JSON_FIELDS(f, json_get(part, "inlineData"), mimeType, data);
	return span_starts(f.mimeType.raw, SPAN("\"image/")) &&
	       json_has_text(f.data);
}

/* 0 or -ENOMEM. The caller drops it. */
static int read_picture(struct json part, struct picture *p)
{
	SHA2_CTX sha;
	JSON_FIELDS(f, json_get(part, "inlineData"), mimeType, data);
	*p = (struct picture){ 0 };
	json_decode(&p->mime, f.mimeType);
	json_decode(&p->data, f.data);
	const char *mime = buf_cstr(&p->mime);
	if (!mime || p->data.failed)
		return -ENOMEM;
	SHA256Init(&sha);
	/* With the NUL that ends it. */
	SHA256Update(&sha, (const uint8_t *)mime, p->mime.len + 1);
	SHA256Update(&sha, (const uint8_t *)p->data.data, p->data.len);
	SHA256End(&sha, p->hash);
	return 0;
}

static void drop_picture(struct picture *p)
{
	buf_free(&p->mime);
	buf_free(&p->data);
}

/* As the agent counts the bytes behind base64. */
static size_t decoded_size(struct span data)
{
	const char *comma = span_starts(data, SPAN("data:"))
				    ? memchr(data.p, ',', data.n)
				    : NULL;
	size_t padding = span_ends(data, SPAN("=="))  ? 2
			 : span_ends(data, SPAN("=")) ? 1
						      : 0;
	size_t n = comma ? (size_t)(data.p + data.n - comma - 1) : data.n;
	return n > 0 ? n * 3 / 4 - padding : 0;
}

static bool is_plain_type(struct span mime)
{
	const struct span kind = SPAN("image/");
	bool is = mime.n > kind.n && mime.n <= kind.n + 64;
	for (size_t i = kind.n; i < mime.n && is; i++) {
		unsigned char c = (unsigned char)mime.p[i];
		is = c < 0x80 && (isalnum(c) || strchr(".+-", c));
	}
	return is;
}

bool qwen_is_named(const struct qwen_pictures *all, uint32_t part,
		   struct json picture)
{
	return part < all->end && is_picture(picture);
}

bool qwen_add_name(const struct qwen_pictures *all, uint32_t part,
		   struct json picture, struct buf *out)
{
	struct picture p = { 0 };
	if (!qwen_is_named(all, part, picture))
		return false;
	if (read_picture(picture, &p) < 0)
		out->failed = true;
	struct span mime = buf_span(&p.mime);
	buf_addf(out, "[Image #%.*s: ", ID_SIZE, p.hash);
	for (size_t i = 0; is_plain_type(mime) && i < mime.n; i++)
		buf_addc(out, span_lower(mime.p[i]));
	buf_adds(out, is_plain_type(mime) ? "" : "image/unknown");
	buf_addf(out, ", %zu bytes]", decoded_size(buf_span(&p.data)));
	drop_picture(&p);
	return true;
}

/* -- which */

struct looking {
	const struct qwen_history *h;
	struct qwen_pictures *p;
	size_t n;
	struct idset posted; /* ids of those that stay */
	struct idset named;
};

typedef int look_fn(struct looking *l, struct json part);

static int look_at_part(struct looking *l, uint32_t i, look_fn *look)
{
	const struct piece *piece = &l->h->parts->list[i];
	struct json part = qwen_part_json(l->h, i);
	int err = 0;
	if (piece->kind == QWEN_MEDIUM && is_picture(part))
		return look(l, part);
	if (piece->kind != QWEN_RESULT)
		return 0;
	JSON_EACH_WHILE(!err, one, qwen_showing.read_block(part).more) {
		if (is_picture(one))
			err = look(l, one);
	}
	return err;
}

/* At all pictures of the contents [from, end). */
static int look_at(struct looking *l, uint32_t from, uint32_t end,
		   look_fn *look)
{
	const struct qwen_content *c = l->h->contents;
	int err = 0;
	for (uint32_t k = from; k < end && !err; k++) {
		for (uint32_t i = c[k].first;
		     i < c[k + 1].first && !c[k].dropped && !err; i++)
			err = look_at_part(l, i, look);
	}
	return err;
}

static int count(struct looking *l, struct json part)
{
	(void)part;
	l->n++;
	return 0;
}

static int add_id(struct idset *to, struct json part, uint32_t *number,
		  const struct idset *unless)
{
	struct picture p;
	int err = read_picture(part, &p);
	const struct span id = { p.hash, ID_SIZE };
	*number = IDSET_NONE;
	if (!err && (!unless || idset_find(unless, id) == IDSET_NONE))
		err = idset_add(to, id, number);
	drop_picture(&p);
	return err;
}

static int note_posted(struct looking *l, struct json part)
{
	uint32_t number;
	return add_id(&l->posted, part, &number, NULL);
}

static int note_named(struct looking *l, struct json part)
{
	struct qwen_pictures *p = l->p;
	uint32_t had = l->named.n;
	uint32_t number;
	int err = add_id(&l->named, part, &number, &l->posted);
	if (err || l->named.n == had)
		return err;
	if (p->n == QWEN_AGAIN)
		memmove(p->again, p->again + 1, --p->n * sizeof(*p->again));
	p->again[p->n++] = part;
	return 0;
}

int qwen_find_pictures(const struct qwen_history *h, struct qwen_pictures *p)
{
	struct looking l = { .h = h, .p = p };
	uint32_t last = h->n;
	(void)look_at(&l, 0, h->n, count);
	if (l.n < NAMED_FROM)
		return 0;
	while (last > 0 &&
	       (!h->contents[last - 1].model || h->contents[last - 1].dropped))
		last--;
	p->end = h->contents[last].first;
	int err = look_at(&l, last, h->n, note_posted);
	if (!err)
		err = look_at(&l, 0, last, note_named);
	idset_free(&l.posted);
	idset_free(&l.named);
	return err;
}

void qwen_add_again(struct qwen_draft *d, const struct qwen_pictures *p)
{
	struct buf text = { 0 };
	buf_adds(&text, AGAIN_TEXT);
	for (uint32_t i = 0; i < p->n; i++) {
		struct picture picture;
		if (read_picture(p->again[i], &picture) < 0)
			text.failed = true;
		buf_addf(&text, "%sImage #%.*s", i > 0 ? ", " : "", ID_SIZE,
			 picture.hash);
		drop_picture(&picture);
	}
	block_write_text(&d->w, buf_span(&text));
	block_write_text(&d->list, buf_span(&text));
	for (uint32_t i = 0; i < p->n; i++) {
		qwen_write_medium(&d->w, p->again[i]);
		json_write_value(&d->list, NULL, p->again[i]);
	}
	buf_free_into(&text, d->w.out);
}
