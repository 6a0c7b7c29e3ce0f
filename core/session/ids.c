#include "core/session/ids.h"

#include <uuid/uuid.h>

#define SHORT_ID 8

/* Append the short form if that is free, else the long one. */
static void add_free(const struct session *s, struct buf *out, const uuid_t id)
{
	char text[UUID_STR_LEN];
	uuid_unparse_lower(id, text);
	struct span brief = { text, SHORT_ID };
	if (index_find(&s->now.index, brief) == INDEX_NONE)
		buf_add(out, brief);
	else
		buf_adds(out, text);
}

void ids_new(const struct session *s, struct buf *out)
{
	uuid_t id;
	for (int tries = 0; tries < 100; tries++) {
		char text[UUID_STR_LEN];
		uuid_generate_random(id);
		uuid_unparse_lower(id, text);
		text[SHORT_ID] = '\0';
		if (index_find(&s->now.index, span_of(text)) == INDEX_NONE)
			break;
	}
	add_free(s, out, id);
}

void ids_new_uuid(const struct session *s, struct buf *out)
{
	char text[UUID_STR_LEN];
	do {
		uuid_t id;
		uuid_generate_random(id);
		uuid_unparse_lower(id, text);
	} while (index_find(&s->now.index, span_of(text)) != INDEX_NONE);
	buf_adds(out, text);
}

/* The session's id as a name space; one that is no UUID is made one. */
static void name_space(const struct session *s, uuid_t space)
{
	struct buf id = { 0 };
	session_id(s, &id);
	struct span text = { "", 0 };
	if (buf_cstr(&id))
		text = buf_span(&id);
	if (text.n != UUID_STR_LEN - 1 || uuid_parse(text.p, space) < 0) {
		uuid_t none;
		uuid_clear(none);
		uuid_generate_sha1(space, none, text.p, text.n);
	}
	buf_free(&id);
}

void ids_note_header(struct session *s)
{
	_Static_assert(sizeof(s->now.id_space) == sizeof(uuid_t), "a UUID");
	name_space(s, s->now.id_space);
	s->now.has_id_space = true;
}

static void derive(const struct session *s, struct span name, uuid_t id)
{
	uuid_t space = { 0 };
	if (s->now.has_id_space)
		uuid_copy(space, s->now.id_space);
	else
		name_space(s, space);
	uuid_generate_sha1(id, space, name.p, name.n);
}

void ids_derive(const struct session *s, struct buf *out, struct span name)
{
	uuid_t id = { 0 };
	derive(s, name, id);
	add_free(s, out, id);
}

void ids_derive_uuid(const struct session *s, struct buf *out, struct span name)
{
	uuid_t id = { 0 };
	char text[UUID_STR_LEN];
	derive(s, name, id);
	uuid_unparse_lower(id, text);
	buf_adds(out, text);
}
