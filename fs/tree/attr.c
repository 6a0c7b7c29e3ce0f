#include "fs/tree/attr.h"

#include "core/base/hash.h"
#include "core/show/content.h"
#include "fs/tree/fresh.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"

static int size_of(struct tree *t, const struct node *n, off_t *size)
{
	const struct session *s = n->place->session;
	uint64_t bytes = 0;
	uint32_t lines;
	int err;
	if (n->kind == KIND_PICTURE) {
		err = content_picture_size(s, n->entry, n->nth, &bytes);
		*size = (off_t)bytes;
		return err;
	}
	if (n->kind == KIND_CONTENT &&
	    content_knows_size(s, n->entry, &bytes, &lines)) {
		*size = (off_t)bytes;
		return 0;
	}
	if (n->kind == KIND_RAW) {
		*size = (off_t)session_entry(s, n->entry)->length + 1;
		return 0;
	}
	if (node_kinds[n->kind].parts) {
		err = render_size(n, &bytes);
		*size = (off_t)bytes;
		return err;
	}
	if (node_kinds[n->kind].from_index) {
		struct buf made = { 0 };
		err = node_kinds[n->kind].render(s, n, &made);
		*size = (off_t)made.len;
		buf_free(&made);
		return err;
	}
	struct rendering *r;
	err = render_file(t, n, &r);
	if (err)
		return err;
	*size = (off_t)r->bytes.len;
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
	if (!k->write_only)
		mode |= source & 0444;
	if (written || k->copies_write_bits)
		mode |= source & 0222;
	if (k->type == S_IFDIR)
		mode |= (source & 0444) >> 2;
	return mode;
}

/*
 * Of a file in a folder of sessions. The time is the folder's to the second;
 * the rest of it is made of the bytes, because the kernel keeps pages as long
 * as it stays.
 */
static int file_attr(struct tree *t, const struct node *n,
		     const struct stat *folder, struct stat *st)
{
	struct rendering *r;
	int err = render_file(t, n, &r);
	if (err)
		return err;
	struct timespec time = {
		.tv_sec = folder->st_mtim.tv_sec,
		.tv_nsec =
			(long)(hash_line(buf_span(&r->bytes), 0) % 1000000000),
	};
	*st = (struct stat){ .st_ino = ino_of(n),
			     .st_mode = S_IFREG | (folder->st_mode & 0444),
			     .st_nlink = 1,
			     .st_uid = folder->st_uid,
			     .st_gid = folder->st_gid,
			     .st_size = (off_t)r->bytes.len,
			     .st_mtim = time,
			     .st_ctim = time,
			     .st_atim = time,
			     .st_blksize = 4096 };
	st->st_blocks = (st->st_size + 511) / 512;
	cache_put(r);
	return 0;
}

/*
 * From the folder or session file on disk, which is not read. Which files of a
 * folder are listed depends on their lines, too. A look at it changes nothing:
 * tar compares the times from before and after it.
 */
static int outside_attr(struct tree *t, const struct node *n, struct stat *st)
{
	struct stat file;
	int err = place_stat(n->place, &file);
	if (err)
		return err;
	if (node_kinds[n->kind].type == S_IFREG)
		return file_attr(t, n, &file, st);
	fresh_mix(t, n, &file.st_mtim);
	mode_t mode = file.st_mode & 0444;
	if (n->kind == KIND_FOLDER) {
		mode |= file.st_mode & 0111;
	} else {
		mode |= (file.st_mode & 0444) >> 2;
		if (!n->place->places->opening.read_only)
			mode |= file.st_mode & 0222;
	}
	*st = (struct stat){ .st_ino = ino_of(n),
			     .st_mode = S_IFDIR | mode,
			     .st_nlink = 1,
			     .st_uid = file.st_uid,
			     .st_gid = file.st_gid,
			     .st_mtim = file.st_mtim,
			     .st_ctim = file.st_mtim,
			     .st_atim = file.st_mtim,
			     .st_blksize = 4096 };
	return 0;
}

static int overlaid_size(struct tree *t, const struct node *n, off_t *size)
{
	struct buf target = { 0 };
	int err = render_link(t, n, &target);
	*size = (off_t)target.len;
	buf_free(&target);
	return err;
}

int attr_fill(struct tree *t, const struct node *n, struct stat *st)
{
	if (node_is_outside(n))
		return outside_attr(t, n, st);
	const struct session *s = n->place->session;
	bool dir = node_kinds[n->kind].type == S_IFDIR;
	struct timespec time = fresh_time(t, n);
	*st = (struct stat){ .st_ino = ino_shown(n),
			     .st_mode = mode_of(n),
			     .st_uid = s->log.st.st_uid,
			     .st_gid = s->log.st.st_gid,
			     .st_mtim = time,
			     .st_ctim = time,
			     .st_atim = time,
			     .st_blksize = 4096 };
	/* 1 for a folder means "not counted"; files are in both views. */
	st->st_nlink = !dir && n->kind >= KIND_CONTENT ? 2 : 1;
	if (dir)
		return 0;
	if (n->kind == KIND_STAGED)
		return overlaid_size(t, n, &st->st_size);
	int err = size_of(t, n, &st->st_size);
	st->st_blocks = (st->st_size + 511) / 512;
	return err;
}
