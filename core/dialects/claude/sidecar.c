#include "core/dialects/claude/sidecar.h"

#include <errno.h>

#include "core/dialects/claude/ingest.h"
#include "core/dialects/kit/line.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"

static int set_label(struct session *s, struct json id, struct json text,
		     uint32_t number)
{
	const struct label_line line = { .number = number,
					 .time = TIMESTAMP_NONE,
					 .version = s->version };
	struct buf target = { 0 };
	struct buf said = { 0 };
	if (json_type(text) != JSON_STRING)
		return 0;
	json_decode(&target, id);
	json_decode(&said, text);
	int err = buf_error(&target) || buf_error(&said) ? -ENOMEM : 0;
	if (!err)
		err = labels_set(&s->now.labels, &s->now.index,
				 buf_span(&target), buf_span(&said), &line);
	buf_free(&target);
	buf_free(&said);
	return err;
}

static int set_labels(struct session *s, struct json labels)
{
	struct json_walk w = json_walk(labels);
	struct json id;
	struct json text;
	uint32_t number = 0;
	int err = 0;
	while (json_type(labels) == JSON_OBJECT && !err &&
	       json_next_member(&w, &id, &text))
		err = set_label(s, id, text, ++number);
	return err;
}

int claude_ingest_sidecar(struct session *s, struct span bytes, bool there)
{
	static const char *const names[] = { "head", "leaf", "labels" };
	struct claude *own = claude_own(s);
	if (!own)
		return -ENOMEM;
	struct claude_sidecar *c = &own->sidecar;
	buf_free(&c->bytes);
	*c = (struct claude_sidecar){ .damaged = there };
	s->now.sidecar_fault = there ? "damaged; nothing is written" : NULL;
	labels_free(&s->now.labels);
	labels_init(&s->now.labels);
	buf_add(&c->bytes, bytes);

	struct json v;
	struct json f[3];
	int err = buf_error(&c->bytes);
	if (!err)
		err = json_check(buf_span(&c->bytes), &v);
	if (err == -EBADMSG || (!err && json_type(v) != JSON_OBJECT))
		return 0;
	if (err)
		return err;
	json_get_all(v, 3, names, f);
	c->damaged = false;
	s->now.sidecar_fault = NULL;
	c->object = v;
	c->head = f[0];
	c->leaf = f[1];
	c->labels = f[2];
	return set_labels(s, c->labels);
}

/* Begin a member: a comma, unless it is the first. */
static void add_key(struct buf *out, const char *key)
{
	buf_adds(out, out->len > 1 ? "," : "");
	buf_addf(out, "\"%s\":", key);
}

static void add_member(struct buf *out, const char *key, struct json v)
{
	if (json_type(v) == JSON_ABSENT)
		return;
	add_key(out, key);
	buf_add(out, v.raw);
}

/* All the old ones but that of `entry` (INDEX_NONE: all), then its new one. */
static void add_labels(struct buf *out, const struct session *s, uint32_t entry,
		       struct span text)
{
	const struct claude *c = s->now.own;
	struct json_walk w = json_walk(c->sidecar.labels);
	struct json id;
	struct json old;
	const char *between = "";
	add_key(out, "labels");
	buf_addc(out, '{');
	while (json_type(c->sidecar.labels) == JSON_OBJECT &&
	       json_next_member(&w, &id, &old)) {
		if (entry != INDEX_NONE &&
		    json_is(id, index_id(&s->now.index, entry)))
			continue;
		buf_adds(out, between);
		buf_add(out, id.raw);
		buf_addc(out, ':');
		buf_add(out, old.raw);
		between = ",";
	}
	if (entry != INDEX_NONE && text.n > 0) {
		buf_adds(out, between);
		line_quote_id(out, s, entry);
		buf_addc(out, ':');
		js_quote(out, text);
	}
	buf_addc(out, '}');
}

/* What the sidecar has beside what sessfs knows. */
static void add_others(struct buf *out, const struct claude_sidecar *c)
{
	struct json key;
	struct json value;
	struct json_walk w = json_walk(c->object);
	while (json_next_member(&w, &key, &value)) {
		if (json_is(key, SPAN("head")) || json_is(key, SPAN("leaf")) ||
		    json_is(key, SPAN("labels")))
			continue;
		buf_addc(out, ',');
		buf_add(out, key.raw);
		buf_addc(out, ':');
		buf_add(out, value.raw);
	}
}

/* The labels and what else there was, behind the members of the head. */
static int finish(struct buf *out, const struct session *s, uint32_t entry,
		  struct span text)
{
	const struct claude *c = s->now.own;
	add_labels(out, s, entry, text);
	add_others(out, &c->sidecar);
	buf_adds(out, "}\n");
	/* It would not be read again. */
	if (out->len > (size_t)SIDECAR_LIMIT)
		return -EFBIG;
	return buf_error(out);
}

int claude_move_head(const struct session *s, uint32_t target, struct change *c)
{
	const struct claude *own = s->now.own;
	struct buf *out = &c->sidecar;
	if (!own || own->sidecar.damaged)
		return -EIO;
	buf_addc(out, '{');
	/* Back at the transcript's own leaf HEAD goes with it again. */
	if (target != own->leaf.own) {
		add_key(out, "head");
		line_quote_id(out, s, target);
		add_key(out, "leaf");
		line_quote_id(out, s, own->leaf.own);
	}
	return finish(out, s, INDEX_NONE, (struct span){ "", 0 });
}

int claude_set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c)
{
	const struct claude *own = s->now.own;
	struct buf *out = &c->sidecar;
	if (!own || own->sidecar.damaged)
		return -EIO;
	buf_addc(out, '{');
	add_member(out, "head", own->sidecar.head);
	add_member(out, "leaf", own->sidecar.leaf);
	return finish(out, s, entry, text);
}
