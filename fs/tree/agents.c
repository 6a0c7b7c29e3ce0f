#include "fs/tree/agents.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "core/base/pathname.h"
#include "core/file/nofollow.h"
#include "core/places/bases.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "fs/tree/ino.h"

const char *agents_folder(const struct session *s)
{
	return s->dialect->subagents ? s->dialect->subagents->folder : NULL;
}

int agents_find_folder(const struct node *root, struct span name,
		       struct node *n)
{
	const char *folder = agents_folder(root->place->session);
	struct place *found;
	if (!folder || !span_eq(name, span_of(folder)))
		return -ENOENT;
	int err = place_find_below(root->place, folder, &found);
	if (!err)
		*n = (struct node){ .kind = KIND_FOLDER, .place = found };
	return err;
}

int agents_next_folder(const struct node *root, struct buf *name,
		       struct node *n)
{
	const char *folder = agents_folder(root->place->session);
	int err =
		folder ? agents_find_folder(root, span_of(folder), n) : -ENOENT;
	if (!err)
		buf_adds(name, folder);
	return err;
}

/* Is there a file of this type in a place's own folder? */
static bool has_file(const struct place *at, const char *name, mode_t type)
{
	struct stat st;
	char *path = place_path(at, name);
	bool has = path &&
		   nofollow_stat(at->places->opening.gate, path, &st) == 0 &&
		   (st.st_mode & S_IFMT) == type;
	free(path);
	return has;
}

bool agents_has_folder(const struct place *at, const char *name)
{
	return name && has_file(at, name, S_IFDIR);
}

static bool has_agent(const struct session *s, uint32_t entry, uint32_t n,
		      struct buf *name)
{
	return started_add_name(&s->now.started, entry, n, name);
}

bool agents_has_any(const struct node *dir)
{
	struct buf name BUF_SCOPED = { 0 };
	return has_agent(dir->place->session, dir->entry, 0, &name);
}

/* The link to the n-th subagent, from 0, of an entry. -ENOENT if none. */
static int find_link(const struct node *dir, uint32_t nth, struct node *n)
{
	const struct place *at = dir->place;
	const char *folder = agents_folder(at->session);
	struct buf file BUF_SCOPED = { 0 };
	*n = (struct node){ .entry = dir->entry,
			    .nth = nth + 1,
			    .place = dir->place };
	if (!folder)
		return -ENOENT;
	buf_addf(&file, "%s/", folder);
	size_t name = file.len;
	bool started = has_agent(at->session, dir->entry, nth, &file);
	buf_adds(&file, ".jsonl");
	const char *path = buf_cstr(&file);
	bool shows_others = at->parent && at->parent->is_folder;
	if (started && path && has_file(at, path, S_IFREG))
		n->kind = KIND_AGENT_LINK;
	else if (started && path && shows_others &&
		 has_file(at->parent, path + name, S_IFREG))
		n->kind = KIND_BESIDE_LINK;
	return !path ? -ENOMEM : n->kind == KIND_NONE ? -ENOENT : 0;
}

uint64_t agents_version(const struct node *dir)
{
	uint64_t version = 0;
	uint32_t at = 0;
	struct buf name BUF_SCOPED = { 0 };
	struct node n;
	while (agents_next(dir, &at, &name, &n) > 0) {
		version ^= hash_number((uint64_t)n.nth << 8 | n.kind);
		buf_clear(&name);
	}
	return version;
}

static void add_name(struct buf *out, uint32_t nth)
{
	buf_adds(out, FILE_NAME_AGENT);
	if (nth > 0)
		buf_addf(out, "-%u", nth + 1);
}

int agents_find(const struct node *dir, struct span name, struct node *n)
{
	struct span first = SPAN(FILE_NAME_AGENT);
	struct buf real BUF_SCOPED = { 0 };
	uint32_t nth = 0;
	if (dir->kind != KIND_ID_ENTRY || !span_starts(name, first))
		return -ENOENT;
	for (size_t i = first.n + 1; i < name.n && nth < 1u << 16; i++)
		nth = nth * 10 + (uint32_t)(name.p[i] - '0') % 10;
	nth -= nth > 0;
	add_name(&real, nth);
	int err = real.failed ? -ENOMEM : -ENOENT;
	if (span_eq(name, buf_span(&real)))
		err = find_link(dir, nth, n);
	return err;
}

int agents_next(const struct node *dir, uint32_t *at, struct buf *name,
		struct node *n)
{
	if (dir->kind != KIND_ID_ENTRY)
		return 0;
	struct buf real BUF_SCOPED = { 0 };
	int err = -ENOENT;
	while (err == -ENOENT &&
	       has_agent(dir->place->session, dir->entry, *at, &real)) {
		buf_clear(&real);
		err = find_link(dir, (*at)++, n);
	}
	if (!err)
		add_name(name, n->nth - 1);
	return err == -ENOENT ? 0 : err ? err : 1;
}

int agents_render(const struct session *s, const struct node *n,
		  struct buf *out)
{
	buf_adds(out, "../../");
	if (n->kind == KIND_AGENT_LINK)
		buf_addf(out, "%s/", agents_folder(s));
	else
		buf_adds(out, "../");
	if (!has_agent(s, n->entry, n->nth - 1, out))
		return -ENOENT;
	return buf_error(out);
}

/* -- the one that it goes on from */

int base_link_find(const struct node *root, struct node *n)
{
	struct place *at = root->place;
	struct place *base;
	struct buf path BUF_SCOPED = { 0 };
	int err = bases_path(at, &path);
	*n = (struct node){ .kind = KIND_PARENT_SESSION, .place = at };
	if (!err && bases_place_at(at->places, path.data, &base) == 0) {
		n->entry = base->home;
		place_put(base);
	} else if (!err) {
		n->nth = (uint32_t)hash_line(buf_span(&path), 0) &
			 ((1u << INO_NTH_BITS) - 1);
	}
	return err;
}

int base_link_render(const struct session *s, const struct node *n,
		     struct buf *out)
{
	(void)s;
	if (n->entry == 0)
		return bases_path(n->place, out);
	struct place *to = places_peek(n->place->places, n->entry);
	if (!to)
		return -ENOENT;
	pathname_add_way(out, span_of(n->place->mount_path),
			 span_of(to->mount_path));
	place_put(to);
	return buf_error(out);
}
