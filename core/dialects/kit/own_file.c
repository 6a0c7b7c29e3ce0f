#include "core/dialects/kit/own_file.h"

#include <errno.h>

#include "core/dialects/kit/ingest.h"
#include "core/dialects/kit/line.h"
#include "core/json/timestamp.h"

void own_file_path(const char *session, struct buf *out)
{
	sidecar_add_path(out, session, ".sessfs.json");
}

int own_file_ingest(struct session *s, struct span bytes, bool there)
{
	struct own_file *own = &s->now.own;
	buf_free(&own->bytes);
	*own = (struct own_file){ .damaged = there };
	s->now.sidecar_fault = there ? "damaged and can't be changed" : NULL;
	labels_free(&s->now.labels);
	labels_init(&s->now.labels);
	buf_add(&own->bytes, bytes);

	struct line_place at = { 0 };
	struct json v;
	int err = buf_error(&own->bytes);
	if (!err)
		err = json_check(buf_span(&own->bytes), &v);
	if (err == -EBADMSG || (!err && json_type(v) != JSON_OBJECT))
		return 0;
	if (err)
		return err;
	JSON_FIELDS(f, v, head, leaf, labels);
	own->damaged = false;
	s->now.sidecar_fault = NULL;
	own->object = v;
	own->head = f.head;
	own->leaf = f.leaf;
	own->labels = f.labels;
	JSON_EACH_MEMBER_WHILE(!err, id, text, own->labels) {
		at.number++;
		if (json_is_string(text))
			err = ingest_label(s, id, text, TIMESTAMP_NONE, &at);
	}
	return err;
}

/*
 * Write the labels, with a new one for `entry` unless that is INDEX_NONE, and
 * the members that are not sessfs's, and end the file.
 */
static int finish(struct json_writer *w, const struct session *s,
		  uint32_t entry, struct span text)
{
	const struct own_file *own = &s->now.own;
	struct span key = SPAN("");
	if (entry != INDEX_NONE)
		key = index_id(&s->now.index, entry);
	json_begin_object(w, "labels");
	JSON_EACH_MEMBER(id, label, own->labels) {
		if (entry == INDEX_NONE || !json_is(id, key))
			json_write_member(w, id, label);
	}
	if (entry != INDEX_NONE && text.n > 0) {
		json_write_key(w, key);
		json_write_string(w, NULL, text);
	}
	json_end_object(w);
	JSON_EACH_MEMBER(name, value, own->object) {
		if (!JSON_IS(name, "head", "leaf", "labels"))
			json_write_member(w, name, value);
	}
	json_end_object(w);
	buf_addc(w->out, '\n');
	/* A larger file is not read. */
	if (w->out->len > (size_t)SIDECAR_LIMIT)
		return -EFBIG;
	return buf_error(w->out);
}

int own_file_move_head(const struct session *s, uint32_t leaf, uint32_t target,
		       struct change *c)
{
	struct json_writer w = { .out = &c->sidecar };
	if (s->now.own.damaged)
		return -EIO;
	json_begin_object(&w, NULL);
	if (target != leaf) {
		line_add_id(&w, "head", s, target);
		line_add_id(&w, "leaf", s, leaf);
	}
	return finish(&w, s, INDEX_NONE, SPAN(""));
}

int own_file_drop_head(const struct session *s, struct change *c)
{
	if (s->now.own.damaged || !own_file_has_head(s))
		return 0;
	/* At the leaf there is no head. */
	return own_file_move_head(s, INDEX_NONE, INDEX_NONE, c);
}

int own_file_set_label(const struct session *s, uint32_t entry,
		       struct span text, struct change *c)
{
	const struct own_file *own = &s->now.own;
	struct json_writer w = { .out = &c->sidecar };
	if (own->damaged)
		return -EIO;
	json_begin_object(&w, NULL);
	json_write_value(&w, "head", own->head);
	json_write_value(&w, "leaf", own->leaf);
	return finish(&w, s, entry, text);
}

/* Is the session's leaf still the one in the file? */
static bool leaf_has_stayed(const struct session *s, const struct own_file *own,
			    uint32_t leaf)
{
	if (json_type(own->leaf) == JSON_ABSENT)
		return true;
	if (leaf == INDEX_NONE)
		return json_type(own->leaf) == JSON_NULL;
	return json_is(own->leaf, index_id(&s->now.index, leaf));
}

bool own_file_has_head(const struct session *s)
{
	return json_type(s->now.own.head) != JSON_ABSENT;
}

int own_file_apply_head(struct session *s, uint32_t leaf)
{
	const struct own_file *own = &s->now.own;
	struct buf id BUF_SCOPED = { 0 };
	if (!own->damaged)
		s->now.sidecar_fault = NULL;
	if (!leaf_has_stayed(s, own, leaf))
		return 0;
	if (json_type(own->head) == JSON_NULL)
		s->now.leaf = INDEX_NONE;
	uint32_t head =
		index_find(&s->now.index, ingest_string(&id, own->head));
	if (head != INDEX_NONE)
		s->now.leaf = head;
	else if (json_is_string(own->head))
		s->now.sidecar_fault = "its head is not an entry";
	return buf_error(&id);
}
