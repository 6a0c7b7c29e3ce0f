#include "fs/kernel/ops.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/file/nofollow.h"
#include "fs/kernel/capabilities.h"
#include "fs/kernel/notify.h"
#include "fs/kernel/timeouts.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"
#include "fs/tree/tree.h"
#include "fs/tree/xattr.h"

struct fs *ops_fs(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

void ops_reply_error(fuse_req_t req, int err)
{
	/* The session file is rewritten faster than it can be rendered. */
	if (err == -EAGAIN)
		err = -ESTALE;
	fuse_reply_err(req, err < 0 ? -err : err);
}

bool ops_retry(int err, int *tries)
{
	return err == -EAGAIN && ++*tries < 20;
}

/*
 * For how long the reply lets the kernel cache attributes. Remembers that it
 * may have them, to invalidate them.
 */
static double caching_timeout(struct fs *fs, const struct node *n)
{
	double timeout = timeout_of_attr(fs, n);
	return timeout > 0 && notify_caching(n) < 0 ? 0 : timeout;
}

int ops_fill_entry(struct fs *fs, const struct node *n,
		   struct fuse_entry_param *e)
{
	*e = (struct fuse_entry_param){
		.ino = ino_of(n),
		.attr_timeout = caching_timeout(fs, n),
		.entry_timeout = timeout_of_name(fs, n),
	};
	return attr_fill(&fs->tree, n, &e->attr);
}

static void count_request(struct stats *stats, fuse_ino_t ino,
			  enum stat_count count)
{
	if (!stats->on)
		return;
	const enum node_kind kind = ino_kind(ino);
	stats_count(stats, count);
	if (kind >= KIND_COUNT)
		return;
	if (node_kind_has_entry(kind) ||
	    (count == STAT_LOOKUP && (kind == KIND_BY_ID || kind == KIND_TREE)))
		stats_count(stats, STAT_OF_ENTRIES);
}

static void tell(int fd)
{
	char ready = 0;
	if (write(fd, &ready, 1) < 0)
		perror("sessfs: can't report that the mount is ready");
}

bool ops_begin(fuse_req_t req, fuse_ino_t ino, enum stat_count count)
{
	struct fs *fs = ops_fs(req);
	int fd = __atomic_load_n(&fs->ready_fd, __ATOMIC_RELAXED);
	if (fd >= 0)
		fd = __atomic_exchange_n(&fs->ready_fd, -1, __ATOMIC_ACQ_REL);
	/* The first request: whoever mounts waits for it. */
	if (fd >= 0) {
		tell(fd);
		close(fd);
	}
	count_request(&fs->tree.stats, ino, count);
	/* The kernel gives the calling thread's id, or 0 if we can't see it. */
	pid_t thread = fuse_req_ctx(req)->pid;
	bool own = thread > 0 && tgkill(fs->pid, thread, 0) == 0;
	if (own)
		ops_reply_error(req, -EDEADLK);
	return !own;
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	struct fs *fs = userdata;
	fs->pid = getpid();
	conn->want = capabilities_wanted(conn->want, conn->capable);
	conn->max_background = FS_REQUESTS;
	/* libfuse gives up unless it is what the mount was told. */
	conn->max_read = fs->max_read;
	fs->no_opendir = conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT;
	/* The mount works without the threads: fs/kernel/watch.h. */
	if (watch_start(&fs->watch) < 0)
		fputs("sessfs: can't start the threads that watch files\n",
		      stderr);
	fs->edit.may_defer = fs->watch.chores.running;
	if (fs->ready_fd >= 0)
		tell(fs->ready_fd);
}

/* Fill the reply about a name in a folder, which is entered. */
static int fill_name(struct fs *fs, const struct node *dir, const char *name,
		     struct fuse_entry_param *e)
{
	struct node n;
	int err = dir_lookup(&fs->tree, dir, span_of(name), &n);
	if (err == -ENOENT) {
		/* Perhaps a reply that the kernel may cache. */
		*e = (struct fuse_entry_param){ 0 };
		e->entry_timeout = timeout_of_absence(dir, span_of(name));
		return e->entry_timeout > 0 ? 0 : err;
	}
	if (err)
		return err;
	if (n.kind == KIND_APPEND)
		append_stream_number(&fs->edit.streams, &n);
	if (n.kind == KIND_INFO && fs->tree.stats.on)
		__atomic_fetch_add(&fs->tree.stats.info_lookups, 1,
				   __ATOMIC_RELAXED);
	err = ops_fill_entry(fs, &n, e);
	dir_put(dir, &n);
	return err;
}

static int lookup(struct fs *fs, fuse_ino_t parent, const char *name,
		  struct fuse_entry_param *e)
{
	struct node dir;
	int err = edit_enter(&fs->edit, parent, &dir);
	if (err)
		return err;
	err = fill_name(fs, &dir, name, e);
	tree_leave(&dir);
	if (dir.kind == KIND_ROOT)
		resend_now(fs, true);
	return err;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	if (!ops_begin(req, parent, STAT_LOOKUP))
		return;
	struct fuse_entry_param e;
	int tries = 0;
	int err;
	do
		err = lookup(ops_fs(req), parent, name, &e);
	while (ops_retry(err, &tries));
	if (err)
		ops_reply_error(req, err);
	else
		fuse_reply_entry(req, &e);
}

static int get_attr(struct fs *fs, fuse_ino_t ino, struct stat *st,
		    double *timeout)
{
	struct node n;
	*timeout = 0;
	bool truncated = line_edits_is_pending(&fs->edit.lines, ino);
	int err = edit_reach(&fs->edit, ino, &n);
	if (err)
		return err;
	err = attr_fill(&fs->tree, &n, st);
	*timeout = truncated ? 0 : caching_timeout(fs, &n);
	if (truncated)
		st->st_size = 0;
	edit_release(&n);
	return err;
}

int ops_get_attr(struct fs *fs, fuse_ino_t ino, struct stat *st,
		 double *timeout)
{
	int tries = 0;
	int err;
	do
		err = get_attr(fs, ino, st, timeout);
	while (ops_retry(err, &tries));
	return err;
}

void ops_reply_attr(fuse_req_t req, int err, const struct stat *st,
		    double timeout)
{
	if (err)
		ops_reply_error(req, err);
	else
		fuse_reply_attr(req, st, timeout);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	if (!ops_begin(req, ino, STAT_GETATTR))
		return;
	(void)fi;
	struct stat st;
	double timeout;
	line_edits_end(&ops_fs(req)->edit.lines, ino);
	int err = ops_get_attr(ops_fs(req), ino, &st, &timeout);
	ops_reply_attr(req, err, &st, timeout);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	if (!ops_begin(req, ino, STAT_READLINK))
		return;
	struct fs *fs = ops_fs(req);
	struct buf target BUF_SCOPED = { 0 };
	struct node n;
	int err = edit_enter(&fs->edit, ino, &n);
	if (!err) {
		err = render_link(&fs->tree, &n, &target);
		tree_leave(&n);
	}
	if (!err && !buf_cstr(&target))
		err = -ENOMEM;
	if (err)
		ops_reply_error(req, err);
	else
		fuse_reply_readlink(req, target.data);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	if (!ops_begin(req, ino, STAT_OTHER))
		return;
	ops_reply_error(req, -ENOSYS);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	if (!ops_begin(req, ino, STAT_OTHER))
		return;
	if (ops_fs(req)->no_opendir)
		ops_reply_error(req, -ENOSYS);
	else
		fuse_reply_open(req, fi);
}

static int find_bytes(struct fs *fs, fuse_ino_t ino,
		      const struct render_request *want, struct rendering **r,
		      uint64_t *at)
{
	struct node n;
	edit_apply(&fs->edit, ino);
	int err = edit_enter(&fs->edit, ino, &n);
	if (err)
		return err;
	err = node_kinds[n.kind].type == S_IFREG
		      ? render_read(&fs->tree, &n, want, r, at)
		      : -EISDIR;
	tree_leave(&n);
	return err;
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	if (!ops_begin(req, ino, STAT_READ))
		return;
	struct fs *fs = ops_fs(req);
	struct rendering *r = NULL;
	int tries = 0;
	int err;
	uint64_t at = 0; /* where the rendering begins */
	const struct render_request want = { .offset = (uint64_t)off,
					     .size = size,
					     .direct = fi &&
						       (fi->flags & O_DIRECT) };
	pages_record_read(&fs->pages, ino);
	do
		err = find_bytes(fs, ino, &want, &r, &at);
	while (ops_retry(err, &tries));
	if (err) {
		ops_reply_error(req, err);
		return;
	}
	/* Before the reply: the program reads the next file right after it. */
	if (off == 0)
		pages_read_ahead(fs, ino);
	struct span bytes = buf_span(&r->bytes);
	uint64_t skipped = (uint64_t)off - at;
	size_t from = skipped < bytes.n ? (size_t)skipped : bytes.n;
	size_t n_bytes = bytes.n - from < size ? bytes.n - from : size;
	fuse_reply_buf(req, bytes.p + from, n_bytes);
	cache_put(r);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	(void)nlookup;
	append_stream_forget(&ops_fs(req)->edit.streams, ino);
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count,
			    struct fuse_forget_data *forgets)
{
	for (size_t i = 0; i < count; i++)
		append_stream_forget(&ops_fs(req)->edit.streams,
				     forgets[i].ino);
	fuse_reply_none(req);
}

/* A set is on no disk: the first of its sources stands for it. */
static int open_on_disk(const struct place *at)
{
	struct gate *g = at->places->opening.gate;
	const char *const *paths = at->places->paths;
	if (!at->set)
		return nofollow_open(g, at->path, O_PATH);
	int fd = -ENOENT;
	for (; *paths && fd < 0; paths++)
		fd = nofollow_open(g, *paths, O_PATH);
	return fd;
}

/*
 * Used are the blocks of the session file; free are those of its disk. Files
 * are not counted, as on btrfs: df would take none free for a full disk.
 */
static int stat_disk(const struct place *at, struct statvfs *out)
{
	const struct session *s = at->is_folder ? NULL : at->session;
	struct statvfs disk = { 0 };
	int fd = open_on_disk(at);
	if (fd < 0 && !s)
		return fd;
	int err = fd >= 0 && fstatvfs(fd, &disk) < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (err)
		return err;
	fsblkcnt_t block = disk.f_frsize ? disk.f_frsize : 4096;
	fsblkcnt_t used = disk.f_blocks - disk.f_bfree;
	if (s)
		used = ((fsblkcnt_t)s->log.st.st_size + block - 1) / block;
	*out = (struct statvfs){ .f_bsize = block,
				 .f_frsize = block,
				 .f_blocks = used + disk.f_bfree,
				 .f_bfree = disk.f_bfree,
				 .f_bavail = disk.f_bavail,
				 .f_namemax = 255 };
	return 0;
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	if (!ops_begin(req, ino, STAT_OTHER))
		return;
	struct statvfs out;
	struct node n;
	int err = edit_enter(&ops_fs(req)->edit, ino, &n);
	if (!err) {
		err = stat_disk(n.place, &out);
		tree_leave(&n);
	}
	if (err)
		ops_reply_error(req, err);
	else
		fuse_reply_statfs(req, &out);
}

static int find_xattr(struct fs *fs, fuse_ino_t ino, const char *name,
		      struct buf *out)
{
	struct node n;
	/* A session need not be read: its root has no attributes. */
	int err = edit_reach(&fs->edit, ino, &n);
	if (err)
		return err;
	err = name ? xattr_get(&fs->tree, &n, span_of(name), out)
		   : xattr_list(&fs->tree, &n, out);
	edit_release(&n);
	return err;
}

/*
 * Reply with a value, or with all names if `name` is NULL. Size 0 asks for the
 * length alone.
 */
static void reply_xattr(fuse_req_t req, fuse_ino_t ino, const char *name,
			size_t size)
{
	struct buf out BUF_SCOPED = { 0 };
	int tries = 0;
	int err;
	if (!ops_begin(req, ino, STAT_OTHER))
		return;
	do {
		buf_reset(&out);
		err = find_xattr(ops_fs(req), ino, name, &out);
	} while (ops_retry(err, &tries));
	if (!err && size > 0 && out.len > size)
		err = -ERANGE;
	if (err)
		ops_reply_error(req, err);
	else if (size == 0)
		fuse_reply_xattr(req, out.len);
	else
		fuse_reply_buf(req, out.data, out.len);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
			size_t size)
{
	reply_xattr(req, ino, name, size);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	reply_xattr(req, ino, NULL, size);
}

const struct fuse_lowlevel_ops fs_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.mknod = op_mknod,
	.mkdir = op_mkdir,
	.unlink = op_unlink,
	.rmdir = op_rmdir,
	.symlink = op_symlink,
	.rename = op_rename,
	.link = op_link,
	.open = op_open,
	.opendir = op_opendir,
	.create = op_create,
	.read = op_read,
	.write = op_write,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
};
