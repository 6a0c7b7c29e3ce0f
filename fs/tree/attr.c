#include "fs/tree/tree.h"

#include "core/base/hash.h"
#include "core/files/files_at.h"
#include "core/show/content.h"
#include "fs/tree/fresh.h"
#include "fs/tree/groups.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"
#include "fs/tree/views.h"

static int size_of(struct tree *t, const struct node *n, uint64_t *size)
{
	const struct session *s = n->place->session;
	const struct node_kind_row *k = &node_kinds[n->kind];
	bool is_link = k->type == S_IFLNK;
	struct rendering *r;
	uint32_t lines;
	if (n->kind == KIND_PICTURE)
		return content_picture_size(s, n->entry, n->nth, size);
	if (n->kind == KIND_CONTENT &&
	    content_knows_size(s, n->entry, size, &lines))
		return 0;
	if (k->parts)
		return render_size(n, size);
	if (files_is_file(n)) {
		struct file_at f = { 0 };
		int err = files_describe(n, &f);
		*size = f.size;
		return err;
	}
	if (n->kind == KIND_RAW) {
		*size = session_entry(s, n->entry)->length + 1;
		return 0;
	}
	if (is_link || k->traits & NODE_FROM_INDEX) {
		struct buf made BUF_SCOPED = { 0 };
		int err = is_link ? render_link(t, n, &made)
				  : node_render(n, &made);
		*size = made.len;
		return err;
	}
	int err = render_file(t, n, &r);
	if (err)
		return err;
	*size = r->bytes.len;
	cache_put(r);
	return 0;
}

/* The session file's read bits; write bits where something can be written. */
static mode_t mode_of(const struct node *n)
{
	const struct session *s = n->place->session;
	const struct node_kind_row *k = &node_kinds[n->kind];
	mode_t source = log_mode(&s->log);
	if (k->type == S_IFLNK)
		return S_IFLNK | 0777;
	mode_t mode = k->type;
	bool written = k->writable
			       ? !k->writable(s)
			       : node_is_head_folder(n) && !session_writable(s);
	if (!(k->traits & NODE_WRITE_ONLY))
		mode |= source & 0444;
	if (written || k->traits & NODE_COPIES_WRITE_BITS)
		mode |= source & 0222;
	if (k->type == S_IFDIR)
		mode |= (source & 0444) >> 2;
	struct file_at f;
	if (files_is_file(n) && !files_describe(n, &f) && f.executable)
		mode |= (source & 0444) >> 2;
	return mode;
}

/* All but the size. A look changes nothing: tar compares the times around it.
 */
static struct stat make_stat(uint64_t ino, mode_t mode,
			     const struct stat *source, struct timespec time)
{
	return (struct stat){ .st_ino = ino,
			      .st_mode = mode,
			      .st_nlink = 1,
			      .st_uid = source->st_uid,
			      .st_gid = source->st_gid,
			      .st_mtim = time,
			      .st_ctim = time,
			      .st_atim = time,
			      .st_blksize = 4096 };
}

static void set_size(struct stat *st, uint64_t size)
{
	st->st_size = (off_t)size;
	st->st_blocks = (st->st_size + 511) / 512;
}

/*
 * From the folder or session file on disk, which is not read. Which files of a
 * folder are listed depends on their lines, too. The time of a file in a folder
 * is the folder's to the second; the rest of it is made of the bytes, because
 * the kernel keeps pages as long as it stays.
 */
static int outside_attr(struct tree *t, const struct node *n, struct stat *st)
{
	struct stat source;
	struct rendering *r = NULL;
	mode_t type = node_kinds[n->kind].type;
	int err = 0;
	if (!groups_stat(t, n, &source))
		err = place_stat(n->place, &source);
	if (!err && type == S_IFREG)
		err = render_file(t, n, &r);
	if (err)
		return err;
	if (r)
		source.st_mtim.tv_nsec =
			(long)(hash_line(buf_span(&r->bytes), 0) % 1000000000);
	else
		fresh_mix(t, n, &source.st_mtim);
	mode_t mode = type | (source.st_mode & 0444);
	if (type == S_IFLNK) {
		mode |= 0777;
	} else if (type == S_IFDIR) {
		mode |= n->place->is_folder ? source.st_mode & 0111
					    : (source.st_mode & 0444) >> 2;
		if (n->kind == KIND_ROOT &&
		    !n->place->places->opening.read_only)
			mode |= source.st_mode & 0222;
	}
	*st = make_stat(ino_of(n), mode, &source, source.st_mtim);
	if (r) {
		set_size(st, r->bytes.len);
		cache_put(r);
	}
	uint64_t size = 0;
	if (type == S_IFLNK) {
		err = size_of(t, n, &size);
		set_size(st, size);
	}
	return err;
}

int attr_fill(struct tree *t, const struct node *n, struct stat *st)
{
	uint64_t size = 0;
	if (node_is_outside(n))
		return outside_attr(t, n, st);
	bool dir = node_kinds[n->kind].type == S_IFDIR;
	*st = make_stat(ino_shown(n), mode_of(n), &n->place->session->log.st,
			fresh_time(t, n));
	/* 1 for a folder means "not counted"; files are in both views. */
	st->st_nlink = !dir && n->kind >= KIND_CONTENT ? 2 : 1;
	int err = dir ? 0 : size_of(t, n, &size);
	set_size(st, size);
	return err;
}
