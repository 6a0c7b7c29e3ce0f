#include "core/dialects/claude/sidecar.h"

#include <errno.h>

#include "core/dialects/claude/ingest.h"
#include "core/dialects/kit/line.h"
#include "core/json/timestamp.h"

static int set_labels(struct session *s, struct json labels)
{
	struct json_walk w = json_walk(labels);
	struct json id;
	struct json text;
	struct line_place at = { 0 };
	int err = 0;
	while (json_type(labels) == JSON_OBJECT && !err &&
	       json_next_member(&w, &id, &text)) {
		at.number++;
		if (json_type(text) == JSON_STRING)
			err = ingest_label(s, id, text, TIMESTAMP_NONE, &at);
	}
	return err;
}

int claude_ingest_sidecar(struct session *s, struct span bytes, bool there)
{
	static const char *const names[] = { "head", "leaf", "labels" };
	struct claude *own = s->now.state;
	struct claude_sidecar *c = &own->sidecar;
	buf_free(&c->bytes);
	*c = (struct claude_sidecar){ .damaged = there };
	s->now.sidecar_fault = there ? "damaged and can't be changed" : NULL;
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

/* Write the labels, with a new one for `entry` unless that is INDEX_NONE. */
static void add_labels(struct json_writer *w, const struct session *s,
		       uint32_t entry, struct span text)
{
	const struct claude *c = s->now.state;
	struct json_walk labels = json_walk(c->sidecar.labels);
	struct json id;
	struct json label;
	struct span key = SPAN("");
	if (entry != INDEX_NONE)
		key = index_id(&s->now.index, entry);
	json_begin_object(w, "labels");
	while (json_type(c->sidecar.labels) == JSON_OBJECT &&
	       json_next_member(&labels, &id, &label)) {
		if (entry == INDEX_NONE || !json_is(id, key))
			json_write_member(w, id, label);
	}
	if (entry != INDEX_NONE && text.n > 0) {
		json_write_key(w, key);
		json_write_string(w, NULL, text);
	}
	json_end_object(w);
}

/* Write the members that are not sessfs's. */
static void add_others(struct json_writer *w, const struct claude_sidecar *c)
{
	struct json key;
	struct json value;
	struct json_walk members = json_walk(c->object);
	while (json_next_member(&members, &key, &value)) {
		if (!json_is(key, SPAN("head")) &&
		    !json_is(key, SPAN("leaf")) &&
		    !json_is(key, SPAN("labels")))
			json_write_member(w, key, value);
	}
}

/* Write the labels and the other members, and end the sidecar. */
static int finish(struct json_writer *w, const struct session *s,
		  uint32_t entry, struct span text)
{
	const struct claude *c = s->now.state;
	add_labels(w, s, entry, text);
	add_others(w, &c->sidecar);
	json_end_object(w);
	buf_addc(w->out, '\n');
	/* A larger sidecar is not read. */
	if (w->out->len > (size_t)SIDECAR_LIMIT)
		return -EFBIG;
	return buf_error(w->out);
}

int claude_sidecar_move_head(const struct session *s, uint32_t target,
			     struct change *c)
{
	const struct claude *own = s->now.state;
	struct json_writer w = { .out = &c->sidecar };
	if (!own || own->sidecar.damaged)
		return -EIO;
	json_begin_object(&w, NULL);
	/* At the transcript's own leaf, HEAD follows that leaf again. */
	if (target != own->leaf.own) {
		line_add_id(&w, "head", s, target);
		line_add_id(&w, "leaf", s, own->leaf.own);
	}
	return finish(&w, s, INDEX_NONE, SPAN(""));
}

int claude_sidecar_drop_head(const struct session *s, struct change *c)
{
	const struct claude *own = s->now.state;
	struct json_writer w = { .out = &c->sidecar };
	if (own->sidecar.damaged || json_type(own->sidecar.head) == JSON_ABSENT)
		return 0;
	json_begin_object(&w, NULL);
	return finish(&w, s, INDEX_NONE, SPAN(""));
}

int claude_set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c)
{
	const struct claude *own = s->now.state;
	struct json_writer w = { .out = &c->sidecar };
	if (!own || own->sidecar.damaged)
		return -EIO;
	json_begin_object(&w, NULL);
	json_write_value(&w, "head", own->sidecar.head);
	json_write_value(&w, "leaf", own->sidecar.leaf);
	return finish(&w, s, entry, text);
}
