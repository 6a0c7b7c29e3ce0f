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
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/idset.h"

#define NAMED_FROM 20
#define AGAIN_TEXT                                                      \
	"Images read earlier in this session (may be OUTDATED, do not " \
	"treat as current UI state): "

/* Of a picture's hash, so many digits are its id. */
#define ID_SIZE 12

/* The type and the data, as strings, and the hash of both. */
struct picture {
	struct buf text; /* the type, a NUL, and the data */
	struct span mime;
	struct span data;
	char hash[SHA256_DIGEST_STRING_LENGTH];
};

/* Is there one in the part? */
static bool is_picture(struct json part)
{
	JSON_FIELDS(f, json_get(part, "inlineData"), mimeType, data);
	return span_starts(f.mimeType.raw, SPAN("\"image/")) &&
	       json_has_text(f.data);
}

/* 0 or -ENOMEM. The caller frees its text. */
static int read_picture(struct json part, struct picture *p)
{
	JSON_FIELDS(f, json_get(part, "inlineData"), mimeType, data);
	*p = (struct picture){ .hash = "" };
	json_decode(&p->text, f.mimeType);
	size_t n = p->text.len;
	buf_addc(&p->text, '\0');
	json_decode(&p->text, f.data);
	if (p->text.failed)
		return -ENOMEM;
	p->mime = (struct span){ p->text.data, n };
	p->data = span_from(buf_span(&p->text), n + 1);
	SHA256Data((const uint8_t *)p->text.data, p->text.len, p->hash);
	return 0;
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
	struct picture p;
	if (!qwen_is_named(all, part, picture))
		return false;
	if (read_picture(picture, &p) < 0)
		buf_fail(out);
	bool plain = is_plain_type(p.mime);
	buf_addf(out, "[Image #%.*s: ", ID_SIZE, p.hash);
	for (size_t i = 0; plain && i < p.mime.n; i++)
		buf_addc(out, span_lower(p.mime.p[i]));
	buf_adds(out, plain ? "" : "image/unknown");
	buf_addf(out, ", %zu bytes]", decoded_size(p.data));
	buf_free(&p.text);
	return true;
}

/* -- which */

/* All pictures of a history, in their order. */
struct list {
	const struct qwen_history *h;
	struct found {
		struct json picture;
		uint32_t content;
	} * found;
	size_t n;
	size_t cap;
};

static int add_found(struct list *l, uint32_t content, struct json picture)
{
	if (!is_picture(picture))
		return 0;
	return array_add(&l->found, &l->cap, &l->n,
			 (struct found){ picture, content });
}

static int find_in_part(struct list *l, uint32_t content, uint32_t i)
{
	uint8_t kind = l->h->parts->list[i].kind;
	struct json part = qwen_part_json(l->h, i);
	int err = 0;
	if (kind == QWEN_MEDIUM)
		return add_found(l, content, part);
	if (kind != QWEN_RESULT)
		return 0;
	JSON_EACH_WHILE(!err, one, qwen_showing.read_block(part).more)
		err = add_found(l, content, one);
	return err;
}

/* Note a picture's id. `again`, unless NULL, gets one that was not there. */
static int note(struct idset *ids, struct json part,
		struct qwen_pictures *again)
{
	struct picture p;
	uint32_t had = ids->n;
	uint32_t number;
	int err = read_picture(part, &p);
	if (!err)
		err = idset_add(ids, (struct span){ p.hash, ID_SIZE }, &number);
	buf_free(&p.text);
	if (err || ids->n == had || !again)
		return err;
	if (again->n == QWEN_AGAIN)
		memmove(again->again, again->again + 1,
			--again->n * sizeof(*again->again));
	again->again[again->n++] = part;
	return 0;
}

/* Those of the user's last contents are posted, and need not be again. */
static int choose(const struct list *l, struct qwen_pictures *p)
{
	const struct qwen_content *c = l->h->contents;
	struct idset ids = { 0 };
	uint32_t last = l->h->n;
	size_t named = l->n;
	int err = 0;
	while (last > 0 && (!c[last - 1].model || c[last - 1].dropped))
		last--;
	p->end = c[last].first;
	while (named > 0 && l->found[named - 1].content >= last)
		named--;
	for (size_t i = named; i < l->n && !err; i++)
		err = note(&ids, l->found[i].picture, NULL);
	for (size_t i = 0; i < named && !err; i++)
		err = note(&ids, l->found[i].picture, p);
	idset_free(&ids);
	return err;
}

int qwen_find_pictures(const struct qwen_history *h, struct qwen_pictures *p)
{
	const struct qwen_content *c = h->contents;
	struct list l = { .h = h };
	int err = 0;
	for (uint32_t k = 0; k < h->n && !err; k++) {
		for (uint32_t i = c[k].first;
		     i < c[k + 1].first && !c[k].dropped && !err; i++)
			err = find_in_part(&l, k, i);
	}
	if (!err && l.n >= NAMED_FROM)
		err = choose(&l, p);
	free(l.found);
	return err;
}

void qwen_add_again(struct qwen_draft *d, const struct qwen_pictures *p)
{
	struct buf text BUF_SCOPED = BUF_INTO(d->w.out);
	buf_adds(&text, AGAIN_TEXT);
	for (uint32_t i = 0; i < p->n; i++) {
		struct picture picture;
		if (read_picture(p->again[i], &picture) < 0)
			buf_fail(&text);
		buf_addf(&text, "%sImage #%.*s", i > 0 ? ", " : "", ID_SIZE,
			 picture.hash);
		buf_free(&picture.text);
	}
	block_write_text(&d->w, buf_span(&text));
	block_write_text(&d->list, buf_span(&text));
	for (uint32_t i = 0; i < p->n; i++) {
		qwen_write_medium(&d->w, p->again[i]);
		json_write_value(&d->list, NULL, p->again[i]);
	}
}
