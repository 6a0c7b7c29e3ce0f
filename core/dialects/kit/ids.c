#include "core/dialects/kit/ids.h"

#include <uuid/uuid.h>

#include "core/json/writer.h"

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

struct id_space ids_space_of(struct span name)
{
	struct id_space space = { .failed = false };
	uuid_t none;
	_Static_assert(sizeof(space.uuid) == sizeof(uuid_t), "a UUID");
	uuid_clear(none);
	uuid_generate_sha1(space.uuid, none, name.p, name.n);
	return space;
}

/* An id that is no UUID is hashed to one. */
struct id_space ids_space(const struct session *s)
{
	struct id_space space;
	struct buf id BUF_SCOPED = { 0 };
	session_id(s, &id);
	struct span text = { "", 0 };
	if (buf_cstr(&id))
		text = buf_span(&id);
	space = ids_space_of(text);
	if (text.n == UUID_STR_LEN - 1) {
		uuid_t own;
		if (uuid_parse(text.p, own) == 0)
			memcpy(space.uuid, own, sizeof(own));
	}
	space.failed = id.failed;
	return space;
}

void ids_derive(const struct session *s, const struct id_space *space,
		struct buf *out, struct span name)
{
	uuid_t id = { 0 };
	uuid_generate_sha1(id, space->uuid, name.p, name.n);
	if (space->failed)
		buf_fail(out);
	add_free(s, out, id);
}

void ids_derive_uuid(const struct id_space *space, struct buf *out,
		     struct span name)
{
	uuid_t id = { 0 };
	char text[UUID_STR_LEN];
	uuid_generate_sha1(id, space->uuid, name.p, name.n);
	if (space->failed)
		buf_fail(out);
	uuid_unparse_lower(id, text);
	buf_adds(out, text);
}

void ids_name_branch(struct buf *out, const struct session *s, uint32_t entry,
		     unsigned nth)
{
	buf_adds(out, "branch ");
	if (nth > 1)
		buf_addf(out, "%u of ", nth);
	buf_add(out, index_id(&s->now.index, entry));
}

void ids_quote_derived(const struct id_space *space, struct buf *out,
		       const char *agent, const char *what, uint32_t n)
{
	struct buf name BUF_SCOPED = BUF_INTO(out);
	struct buf id BUF_SCOPED = BUF_INTO(out);
	buf_addf(&name, "%s %s %u", agent, what, n);
	ids_derive_uuid(space, &id, buf_span(&name));
	json_quote(out, buf_span(&id));
}

void ids_derive_branch(struct buf *out, const struct session *s, uint32_t entry,
		       unsigned nth)
{
	const struct id_space space = ids_space(s);
	struct buf name BUF_SCOPED = BUF_INTO(out);
	ids_name_branch(&name, s, entry, nth);
	ids_derive_uuid(&space, out, buf_span(&name));
}
