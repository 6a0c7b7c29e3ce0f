#include "core/places/places.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/xattr.h>

#include "core/base/array.h"
#include "core/file/nofollow.h"
#include "core/session/dialect.h"

#define PLACE_LIMIT ((uint32_t)1 << PLACE_BITS)

/* The functions from here to drop() are called under places.lock. */

static int number_new(struct places *p, struct place *at, uint32_t *number)
{
	if (p->used_numbers == PLACE_LIMIT)
		return -ENFILE;
	while (p->next < p->n_numbers && p->numbers[p->next])
		p->next = (p->next + 1) % PLACE_LIMIT;
	if (p->next >= p->n_numbers) {
		size_t n = p->n_numbers;
		if (array_reserve(&p->numbers, &p->n_numbers, n, 1) < 0)
			return -ENOMEM;
		for (; n < p->n_numbers; n++)
			p->numbers[n] = NULL;
	}
	p->numbers[p->next] = at;
	p->used_numbers++;
	*number = p->next;
	p->next = (p->next + 1) % PLACE_LIMIT;
	return 0;
}

static void number_free(struct places *p, uint32_t number)
{
	p->numbers[number] = NULL;
	p->used_numbers--;
}

/* Where in its folder's names that one is, or belongs. */
static size_t name_from(const struct place *folder, const char *name)
{
	size_t low = 0;
	size_t high = folder->n_children;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (strcmp(folder->by_name[mid]->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct place *find(const struct place *folder, const char *name)
{
	size_t i = name_from(folder, name);
	if (i < folder->n_children &&
	    strcmp(folder->by_name[i]->name, name) == 0)
		return folder->by_name[i];
	return NULL;
}

/* Under either side of the lock. */
static void pin(struct place *at)
{
	struct places *p = at->all;
	uint64_t now = __atomic_load_n(&p->clock, __ATOMIC_RELAXED);
	__atomic_add_fetch(&at->users, 1, __ATOMIC_RELAXED);
	/* Who is the last one already touches nothing that others read. */
	if (__atomic_load_n(&at->used, __ATOMIC_RELAXED) == now)
		return;
	now = __atomic_add_fetch(&p->clock, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&at->used, now, __ATOMIC_RELAXED);
}

static struct place *numbered(struct places *p, uint32_t number)
{
	return number < p->n_numbers ? p->numbers[number] : NULL;
}

static void free_place(struct place *at)
{
	struct session *s = at->session;
	at->session = NULL;
	if (at->all->closed)
		at->all->closed(at->all->closed_data, at);
	session_free(s);
	if (at->attached && at->all->attachment.release)
		at->all->attachment.release(at->attached);
	free(at->attached);
	bits_free(&at->told.shown);
	bits_free(&at->told.pictured);
	pthread_mutex_destroy(&at->lock);
	free(at->children);
	free(at->by_name);
	free(at->path);
	free(at->shown);
	free(at);
}

/* Its folder's list, in the order of serial numbers. */
static size_t child_from(const struct place *folder, uint64_t from)
{
	size_t low = 0;
	size_t high = folder->n_children;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (folder->children[mid]->serial < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void insert(struct place **list, size_t n, size_t i, struct place *at)
{
	memmove(list + i + 1, list + i, (n - i) * sizeof(struct place *));
	list[i] = at;
}

static void take_out(struct place **list, size_t n, size_t i)
{
	memmove(list + i, list + i + 1, (n - i - 1) * sizeof(struct place *));
}

static int add_child(struct place *folder, struct place *at)
{
	size_t n = folder->n_children;
	if (array_reserve(&folder->children, &folder->cap_children, n, 1) < 0 ||
	    array_reserve(&folder->by_name, &folder->cap_by_name, n, 1) < 0)
		return -ENOMEM;
	insert(folder->by_name, n, name_from(folder, at->name), at);
	folder->children[folder->n_children++] = at;
	return 0;
}

static void remove_child(struct place *folder, const struct place *at)
{
	size_t n = folder->n_children;
	take_out(folder->children, n, child_from(folder, at->serial));
	take_out(folder->by_name, n, name_from(folder, at->name));
	folder->n_children--;
}

static int list_add(struct place_list *list, struct place *at)
{
	if (array_reserve(&list->items, &list->cap, list->n, 1) < 0)
		return -ENOMEM;
	list->items[list->n++] = at;
	return 0;
}

static void list_remove(struct place_list *list, const struct place *at)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i] == at) {
			list->items[i] = list->items[--list->n];
			return;
		}
	}
}

/* The one that was used longest ago and is not pinned, or NULL. */
static struct place *list_oldest(const struct place_list *list)
{
	struct place *oldest = NULL;
	for (size_t i = 0; i < list->n; i++) {
		struct place *at = list->items[i];
		if (at->users == 0 && (!oldest || at->used < oldest->used))
			oldest = at;
	}
	return oldest;
}

static bool is_awake(const struct place *at)
{
	return __atomic_load_n(&at->awake, __ATOMIC_ACQUIRE);
}

static int add_awake(struct places *p, struct place *at)
{
	int err = list_add(&p->awake, at);
	if (!err)
		__atomic_store_n(&at->awake, true, __ATOMIC_RELEASE);
	return err;
}

static void remove_awake(struct places *p, struct place *at)
{
	list_remove(&p->awake, at);
	__atomic_store_n(&at->awake, false, __ATOMIC_RELEASE);
}

/* One place without children: it is in no table any more. */
static void detach(struct places *p, struct place *at)
{
	remove_child(at->folder, at);
	if (at->home != 0)
		number_free(p, at->home);
	if (at->number != 0)
		number_free(p, at->number);
	list_remove(&p->open, at);
	remove_awake(p, at);
	at->gone = true;
	if (at->users == 0) {
		at->next_dropped = p->dropped;
		p->dropped = at;
	}
}

/* A place and all below it. */
static void drop(struct places *p, struct place *top)
{
	struct place *at = top;
	for (;;) {
		while (at->n_children > 0)
			at = at->children[at->n_children - 1];
		struct place *folder = at->folder;
		bool done = at == top;
		detach(p, at);
		if (done)
			return;
		at = folder;
	}
}

/* Unlock, and free what was dropped meanwhile: it may be large. */
static void unlock(struct places *p)
{
	struct place *at = p->dropped;
	p->dropped = NULL;
	brlock_unwrite(&p->lock);
	while (at) {
		struct place *next = at->next_dropped;
		free_place(at);
		at = next;
	}
}

static char *path_in(const struct place *folder, const char *file)
{
	struct buf path = { 0 };
	buf_addf(&path, "%s/%s", folder->path, file);
	if (!buf_cstr(&path))
		buf_free(&path);
	return path.data;
}

static struct place *alloc_place(struct places *p)
{
	struct place *at = calloc(1, sizeof(*at));
	if (!at)
		return NULL;
	at->all = p;
	if (p->attachment.size > 0)
		at->attached = calloc(1, p->attachment.size);
	if ((p->attachment.size == 0 || at->attached) &&
	    pthread_mutex_init(&at->lock, NULL) == 0)
		return at;
	free(at->attached);
	free(at);
	return NULL;
}

/* A place for a file; it is the caller's to put into the tables. */
static struct place *new_place(struct places *p, struct place *folder,
			       const char *file, const char *name,
			       bool is_folder)
{
	struct place *at = alloc_place(p);
	if (!at)
		return NULL;
	struct buf shown = { 0 };
	if (folder)
		buf_addf(&shown, "%s%s", folder->shown,
			 folder->shown[0] ? "/" : "");
	size_t before = shown.len;
	buf_adds(&shown, name);
	bool ok = buf_cstr(&shown) != NULL;
	at->folder = folder;
	at->is_folder = is_folder;
	at->path = folder ? path_in(folder, file) : strdup(file);
	at->shown = shown.data;
	if (!ok || !at->path) {
		free_place(at);
		return NULL;
	}
	at->name = at->shown + before;
	return at;
}

/* A new place in its folder, or NULL without memory. */
static struct place *add_place(struct places *p, struct place *folder,
			       const struct folder_item *item)
{
	struct place *at = new_place(p, folder, item->file, item->name,
				     S_ISDIR(item->st.st_mode));
	if (!at)
		return NULL;
	at->serial = ++p->serials;
	if (add_child(folder, at) == 0)
		return at;
	free_place(at);
	return NULL;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static struct file_mark mark_of(const struct stat *st)
{
	return (struct file_mark){ st->st_dev, st->st_ino, st->st_size,
				   st->st_mtim, st->st_ctim };
}

/* Is a place still what it was judged to be? */
static bool is_known(const struct place *at, const struct folder_item *item)
{
	const struct file_mark *a = &at->judged;
	const struct file_mark b = mark_of(&item->st);
	if (at->is_folder || S_ISDIR(item->st.st_mode))
		/* It fits, unless there was no number for it then. */
		return at->is_folder && S_ISDIR(item->st.st_mode) && at->fits;
	return a->dev == b.dev && a->ino == b.ino && a->size == b.size &&
	       same_time(a->mtime, b.mtime) && same_time(a->ctime, b.ctime);
}

/* Is an item shown? 1 or 0; -errno if that can't be told now. */
static int judge(const struct place *folder, const struct folder_item *item)
{
	if (S_ISDIR(item->st.st_mode))
		return 1;
	char *path = path_in(folder, item->file);
	if (!path)
		return -ENOMEM;
	int fits;
	do
		fits = folder_has_session(path, folder->all->how.dialects,
					  folder->all->how.forced);
	while (places_make_room(folder->all, fits));
	free(path);
	return fits;
}

/* Under the lock: put in the tables what an item was judged to be. */
static int enter_item(struct place *folder, const struct folder_item *item,
		      bool fits, struct place **out)
{
	struct places *p = folder->all;
	struct place *at = find(folder, item->name);
	*out = NULL;
	if (folder->gone)
		return -ESTALE;
	if (at && at->is_folder != (bool)S_ISDIR(item->st.st_mode)) {
		drop(p, at);
		at = NULL;
	}
	if (!at)
		at = add_place(p, folder, item);
	if (!at)
		return -ENOMEM;
	int err = fits && at->home == 0 ? number_new(p, at, &at->home) : 0;
	if (err)
		return err;
	at->judged = mark_of(&item->st);
	at->fits = fits;
	*out = at;
	return 0;
}

/*
 * The place of an item: it may be new, and its lines may have to be looked at.
 * Pinned if it was found by name, that is by no scan (0).
 */
static int place_of(struct place *folder, const struct folder_item *item,
		    uint64_t scan, struct place **out)
{
	struct places *p = folder->all;
	int err = 0;
	brlock_write(&p->lock);
	struct place *at = find(folder, item->name);
	if (!at || !is_known(at, item)) {
		brlock_unwrite(&p->lock);
		int fits = judge(folder, item);
		brlock_write(&p->lock);
		err = fits < 0 ? fits : enter_item(folder, item, fits, &at);
		/* What can't be judged now stays what it was. */
		if (fits < 0)
			at = find(folder, item->name);
	}
	if (!err && scan == 0)
		pin(at);
	else if (at && at->scanned < scan)
		at->scanned = scan;
	unlock(p);
	*out = at;
	return err;
}

static void drop_named(struct place *folder, struct span name)
{
	struct places *p = folder->all;
	struct buf text = { 0 };
	buf_add(&text, name);
	const char *file_name = buf_cstr(&text);
	brlock_write(&p->lock);
	struct place *at = file_name ? find(folder, file_name) : NULL;
	if (at)
		drop(p, at);
	unlock(p);
	buf_free(&text);
}

int place_find(struct place *folder, struct span name, struct place **found)
{
	struct places *p = folder->all;
	struct folder_item item;
	int err;
	do
		err = folder_find(folder->path, name, &item);
	while (places_make_room(p, err));
	if (err == -ENOENT)
		drop_named(folder, name);
	if (err)
		return err;
	struct place *at;
	err = place_of(folder, &item, 0, &at);
	folder_item_free(&item);
	if (err)
		return err;
	brlock_read(&p->lock);
	bool fits = at->fits;
	brlock_unread(&p->lock);
	if (!fits) {
		place_put(at);
		return -ENOENT;
	}
	*found = at;
	return 0;
}

/* Under the lock: what a scan has not found is gone. */
static void sweep(struct places *p, struct place *folder, uint64_t scan)
{
	for (size_t i = folder->n_children; i-- > 0;) {
		struct place *at = folder->children[i];
		if (at->scanned < scan && at->serial <= scan)
			drop(p, at);
	}
}

int place_scan(struct place *folder)
{
	struct places *p = folder->all;
	struct folder_list list;
	brlock_write(&p->lock);
	/* Places that are made from here on are no older than the scan. */
	uint64_t scan = ++p->serials;
	brlock_unwrite(&p->lock);
	__atomic_fetch_add(&folder->scans, 1, __ATOMIC_RELAXED);
	int err = folder_read(folder->path, &list);
	while (places_make_room(p, err)) {
		folder_list_free(&list);
		err = folder_read(folder->path, &list);
	}
	for (size_t i = 0; i < list.n && !err; i++) {
		struct place *at;
		err = place_of(folder, &list.items[i], scan, &at);
		/* What can't be told of one file does not hide the others. */
		if (err != -ENOMEM && err != -ESTALE)
			err = 0;
	}
	folder_list_free(&list);
	if (err)
		return err == -ENOENT ? -ESTALE : err;
	brlock_write(&p->lock);
	sweep(p, folder, scan);
	unlock(p);
	return 0;
}

struct place *place_next(struct place *folder, uint64_t from)
{
	struct places *p = folder->all;
	struct place *at = NULL;
	brlock_read(&p->lock);
	size_t i = child_from(folder, from);
	while (i < folder->n_children && !folder->children[i]->fits)
		i++;
	if (i < folder->n_children) {
		at = folder->children[i];
		pin(at);
	}
	brlock_unread(&p->lock);
	return at;
}

struct place *place_get(struct places *p, uint32_t number)
{
	struct place *at = NULL;
	brlock_read(&p->lock);
	at = numbered(p, number);
	if (at)
		pin(at);
	brlock_unread(&p->lock);
	return at;
}

struct place *place_peek(struct places *p, uint32_t number)
{
	brlock_read(&p->lock);
	struct place *at = numbered(p, number);
	if (at)
		__atomic_add_fetch(&at->users, 1, __ATOMIC_RELAXED);
	brlock_unread(&p->lock);
	return at;
}

bool place_is_open(struct place *at)
{
	return __atomic_load_n(&at->session, __ATOMIC_ACQUIRE) != NULL;
}

struct place *place_above(struct place *at)
{
	struct place *folder = NULL;
	brlock_read(&at->all->lock);
	if (!at->gone)
		folder = at->folder;
	if (folder)
		pin(folder);
	brlock_unread(&at->all->lock);
	return folder;
}

void place_put(struct place *at)
{
	struct places *p = at->all;
	brlock_read(&p->lock);
	bool last = __atomic_sub_fetch(&at->users, 1, __ATOMIC_ACQ_REL) == 0 &&
		    at->gone;
	brlock_unread(&p->lock);
	if (last)
		free_place(at);
}

/*
 * Under the lock: the place whose session was used longest ago, pinned, if
 * there are too many and nobody is in it. It has forgotten the session, which
 * is for the caller to free, but for what makes it the same when it comes back.
 */
static struct place *take_oldest(struct places *p, struct session **s)
{
	struct place *oldest =
		p->open.n > p->keep ? list_oldest(&p->open) : NULL;
	if (!oldest)
		return NULL;
	*s = oldest->session;
	session_remember(*s, &oldest->memory);
	oldest->session = NULL;
	oldest->users++;
	list_remove(&p->open, oldest);
	remove_awake(p, oldest);
	return oldest;
}

static void close_oldest(struct places *p)
{
	struct session *s;
	for (;;) {
		brlock_write(&p->lock);
		struct place *at = take_oldest(p, &s);
		brlock_unwrite(&p->lock);
		if (!at)
			return;
		session_free(s);
		if (p->closed)
			p->closed(p->closed_data, at);
		place_put(at);
	}
}

/*
 * Close the file of the session that was used longest ago and that nobody is
 * in, if more than `most` are open. Returns false if there is none.
 */
static bool park_oldest(struct places *p, size_t most)
{
	struct place *at = NULL;
	brlock_write(&p->lock);
	if (p->awake.n > most)
		at = list_oldest(&p->awake);
	if (at) {
		at->users++;
		remove_awake(p, at);
	}
	brlock_unwrite(&p->lock);
	if (!at)
		return false;
	/* A thread that enters it from here on takes this lock in wake(). */
	pthread_mutex_lock(&at->lock);
	if (!is_awake(at))
		session_park(at->session);
	pthread_mutex_unlock(&at->lock);
	place_put(at);
	return true;
}

bool places_make_room(struct places *p, int err)
{
	return nofollow_is_shortage(err) && park_oldest(p, 0);
}

/* Under at->lock: session_enter() may open the file again. That is a use. */
static int wake(struct place *at)
{
	struct places *p = at->all;
	int err = 0;
	brlock_write(&p->lock);
	if (at->gone)
		err = -ESTALE;
	else if (!is_awake(at))
		err = add_awake(p, at);
	at->used = ++p->clock;
	brlock_unwrite(&p->lock);
	return err;
}

/* Under the lock. */
static int note_open(struct places *p, struct place *at)
{
	int err = list_add(&p->open, at);
	if (!err) {
		err = add_awake(p, at);
		if (err)
			list_remove(&p->open, at);
	}
	return err;
}

/* Under at->lock: read the session, and let go of others. */
static int open_session(struct place *at, const char **why)
{
	struct places *p = at->all;
	struct session *s;
	struct session_opening how = p->how;
	how.memory = &at->memory;
	int err = session_open(&s, at->path, &how, why);
	if (err)
		return err;
	brlock_write(&p->lock);
	err = at->gone ? -ESTALE : note_open(p, at);
	if (!err)
		__atomic_store_n(&at->session, s, __ATOMIC_RELEASE);
	brlock_unwrite(&p->lock);
	if (err)
		session_free(s);
	return err;
}

static int have_session(struct place *at)
{
	const char *why;
	int err = 0;
	if (place_is_open(at) && is_awake(at))
		return 0;
	pthread_mutex_lock(&at->lock);
	if (!at->session)
		err = open_session(at, &why);
	else
		err = wake(at);
	pthread_mutex_unlock(&at->lock);
	/* Not under that lock: what is told of another takes that one's. */
	close_oldest(at->all);
	while (park_oldest(at->all, at->all->files))
		;
	/* Gone, or no session any more. */
	return err == -ENOENT || err == -EPROTO ? -ESTALE : err;
}

int place_enter(struct place *at)
{
	int err;
	do {
		err = have_session(at);
		if (!err)
			err = session_enter(at->session);
	} while (places_make_room(at->all, err));
	if (err)
		return err;
	if (at->folder && !at->session->log.there) {
		session_leave(at->session);
		err = -ESTALE;
	}
	return err;
}

void place_leave(struct place *at)
{
	session_leave(at->session);
}

int place_begin_write(struct place *at, struct writer *w)
{
	int err;
	do
		err = writer_begin(w, at->session);
	while (places_make_room(at->all, err));
	return err;
}

/* Under at->lock. */
static int renumber(struct place *at, uint32_t epoch)
{
	struct places *p = at->all;
	uint32_t number = 0;
	brlock_write(&p->lock);
	if (at->number != 0 && !at->gone)
		number_free(p, at->number);
	int err = at->gone ? -ESTALE : number_new(p, at, &number);
	__atomic_store_n(&at->number, number, __ATOMIC_RELEASE);
	brlock_unwrite(&p->lock);
	/* Last: who sees this epoch has its number. */
	if (!err)
		__atomic_store_n(&at->epoch, epoch, __ATOMIC_RELEASE);
	return err;
}

static bool is_settled(const struct place *at, uint32_t epoch)
{
	return __atomic_load_n(&at->epoch, __ATOMIC_ACQUIRE) == epoch &&
	       __atomic_load_n(&at->number, __ATOMIC_ACQUIRE) != 0;
}

int place_settle(struct place *at)
{
	uint32_t epoch = at->session->epoch;
	int err = 0;
	if (is_settled(at, epoch))
		return 0;
	pthread_mutex_lock(&at->lock);
	if (!is_settled(at, epoch))
		err = renumber(at, epoch);
	pthread_mutex_unlock(&at->lock);
	return err;
}

/* There is nothing of that kind at the path any more. */
static bool is_absence(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP;
}

int place_stat(struct place *at, struct stat *st)
{
	struct places *p = at->all;
	int err;
	do
		err = nofollow_stat(at->path, st);
	while (places_make_room(p, err));
	if (!err &&
	    (at->is_folder ? !S_ISDIR(st->st_mode) : !S_ISREG(st->st_mode)))
		err = -ENOENT;
	if (!err && lgetxattr(at->path, "system.posix_acl_access", NULL, 0) > 0)
		st->st_mode &= ~(mode_t)S_IRWXG;
	if (at == p->source) {
		brlock_write(&p->lock);
		if (err)
			*st = p->last;
		else
			p->last = *st;
		brlock_unwrite(&p->lock);
		return 0;
	}
	return is_absence(err) ? -ESTALE : err;
}

struct place *place_next_open(struct places *p, uint32_t *number)
{
	struct place *at = NULL;
	brlock_read(&p->lock);
	while (!at && ++*number < p->n_numbers) {
		struct place *here = p->numbers[*number];
		if (here && here->number == *number && here->session)
			at = here;
	}
	if (at)
		__atomic_add_fetch(&at->users, 1, __ATOMIC_RELAXED);
	brlock_unread(&p->lock);
	return at;
}

/*
 * An eighth of the descriptors that the process may have: the others are for
 * the threads, each of which may have some open while it walks to a file, locks
 * it or makes one.
 */
static size_t most_files(void)
{
	struct rlimit l;
	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur / 8 > PLACES_FILES)
		return PLACES_FILES;
	return l.rlim_cur / 8;
}

int places_init(struct places *p, const char *path,
		const struct session_opening *how, unsigned keep,
		const struct places_attachment *attachment, const char **why)
{
	struct stat st;
	*why = NULL;
	*p = (struct places){ .how = *how,
			      .keep = keep,
			      .files = most_files(),
			      .clock = 1,
			      .serials = 1 };
	if (attachment)
		p->attachment = *attachment;
	if (lstat(path, &st) < 0)
		return -errno;
	int err = brlock_init(&p->lock);
	if (err)
		return err;
	p->source = new_place(p, NULL, path, "", S_ISDIR(st.st_mode));
	if (!p->source)
		return -ENOMEM;
	p->last = st;
	p->source->users = 1;
	err = number_new(p, p->source, &p->source->home);
	if (!err && !p->source->is_folder)
		err = open_session(p->source, why);
	return err;
}

void places_free(struct places *p)
{
	if (!p->source)
		return;
	brlock_write(&p->lock);
	while (p->source->n_children > 0)
		drop(p, p->source->children[p->source->n_children - 1]);
	unlock(p);
	free_place(p->source);
	free(p->numbers);
	free(p->open.items);
	free(p->awake.items);
	brlock_free(&p->lock);
	*p = (struct places){ 0 };
}
