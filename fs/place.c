#include "fs/place.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialect.h"

#define PLACE_LIMIT ((uint32_t)1 << PLACE_BITS)

/* The functions from here to drop() are called under places.lock. */

static int number_new(struct places *p, struct place *at, uint32_t *number)
{
	uint32_t tried = 0;
	while (p->next < p->n_numbers && p->numbers[p->next]) {
		p->next = (p->next + 1) % PLACE_LIMIT;
		if (++tried == PLACE_LIMIT)
			return -ENFILE;
	}
	if (p->next >= p->n_numbers) {
		uint32_t n = p->n_numbers ? p->n_numbers * 2 : 64;
		struct place **numbers =
			realloc(p->numbers, n * sizeof(struct place *));
		if (!numbers)
			return -ENOMEM;
		for (uint32_t i = p->n_numbers; i < n; i++)
			numbers[i] = NULL;
		p->numbers = numbers;
		p->n_numbers = n;
	}
	p->numbers[p->next] = at;
	*number = p->next;
	p->next = (p->next + 1) % PLACE_LIMIT;
	return 0;
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

static void pin(struct place *at)
{
	at->users++;
	at->used = ++at->all->clock;
}

static void free_place(struct place *at)
{
	session_free(at->session);
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

static int grow_list(struct place ***list, size_t cap)
{
	struct place **grown = realloc(*list, cap * sizeof(struct place *));
	if (!grown)
		return -ENOMEM;
	*list = grown;
	return 0;
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
	if (n == folder->cap_children) {
		size_t cap = n ? n * 2 : 8;
		if (grow_list(&folder->children, cap) < 0 ||
		    grow_list(&folder->by_name, cap) < 0)
			return -ENOMEM;
		folder->cap_children = cap;
	}
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

static void forget_open(struct places *p, const struct place *at)
{
	for (size_t i = 0; i < p->n_open; i++) {
		if (p->open[i] == at) {
			p->open[i] = p->open[--p->n_open];
			return;
		}
	}
}

/* One place without children: it is in no table any more. */
static void detach(struct places *p, struct place *at)
{
	remove_child(at->folder, at);
	p->numbers[at->home] = NULL;
	if (at->has_number)
		p->numbers[at->number] = NULL;
	forget_open(p, at);
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
	pthread_mutex_unlock(&p->lock);
	while (at) {
		struct place *next = at->next_dropped;
		free_place(at);
		at = next;
	}
}

/* A place for a path; *at stays the caller's to put into the tables. */
static struct place *new_place(struct places *p, struct place *folder,
			       const char *file, const char *name,
			       bool is_folder)
{
	struct place *at = calloc(1, sizeof(*at));
	if (!at)
		return NULL;
	if (pthread_mutex_init(&at->lock, NULL) != 0) {
		free(at);
		return NULL;
	}
	struct buf path = { 0 };
	struct buf shown = { 0 };
	if (folder) {
		buf_addf(&path, "%s/", folder->path);
		buf_addf(&shown, "%s%s", folder->shown,
			 folder->shown[0] ? "/" : "");
	}
	size_t before = shown.len;
	buf_adds(&path, file);
	buf_adds(&shown, name);
	bool ok = buf_cstr(&path) && buf_cstr(&shown);
	at->all = p;
	at->folder = folder;
	at->is_folder = is_folder;
	at->path = path.data;
	at->shown = shown.data;
	at->watched.id = -1;
	if (!ok) {
		free_place(at);
		return NULL;
	}
	at->name = at->shown + before;
	return at;
}

/* Under the lock: a new place in its folder, or NULL without room for it. */
static struct place *add_place(struct places *p, struct place *folder,
			       const struct folder_item *item)
{
	struct place *at = new_place(p, folder, item->file, item->name,
				     S_ISDIR(item->st.st_mode));
	if (!at)
		return NULL;
	if (number_new(p, at, &at->home) < 0) {
		free_place(at);
		return NULL;
	}
	at->serial = ++p->serials;
	if (add_child(folder, at) == 0)
		return at;
	p->numbers[at->home] = NULL;
	free_place(at);
	return NULL;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size && same_time(a->st_mtim, b->st_mtim) &&
	       same_time(a->st_ctim, b->st_ctim);
}

/* Is the place still described by what it was described by? */
static bool is_known(const struct place *at, const struct folder_item *item)
{
	const struct stat *a = &at->seen;
	const struct stat *b = &item->st;
	if (at->is_folder || S_ISDIR(b->st_mode))
		return at->is_folder && S_ISDIR(b->st_mode);
	return is_same(a, b);
}

static char *path_in(const struct place *folder, const char *file)
{
	struct buf path = { 0 };
	buf_addf(&path, "%s/%s", folder->path, file);
	if (!buf_cstr(&path))
		buf_free(&path);
	return path.data;
}

/* Under the lock; 0 is no scan. */
static void note_found(struct place *at, uint64_t scan)
{
	if (scan == 0)
		pin(at);
	else if (at->scanned < scan)
		at->scanned = scan;
}

/*
 * The place of an item: it may be new, and its lines may have to be looked at.
 * NULL without memory, or if the folder has gone. Pinned, unless it was found
 * by a scan.
 */
static struct place *place_of(struct place *folder,
			      const struct folder_item *item, uint64_t scan)
{
	struct places *p = folder->all;
	bool fits = true;
	pthread_mutex_lock(&p->lock);
	struct place *at = find(folder, item->name);
	bool known = at && is_known(at, item);
	if (known)
		note_found(at, scan);
	pthread_mutex_unlock(&p->lock);
	if (known)
		return at;

	if (S_ISREG(item->st.st_mode)) {
		char *path = path_in(folder, item->file);
		if (!path)
			return NULL;
		fits = folder_has_session(path, p->forced);
		free(path);
	}
	pthread_mutex_lock(&p->lock);
	at = find(folder, item->name);
	if (at && at->is_folder != (bool)S_ISDIR(item->st.st_mode)) {
		drop(p, at);
		at = NULL;
	}
	if (!at && !folder->gone)
		at = add_place(p, folder, item);
	if (at) {
		at->seen = item->st;
		at->fits = fits;
		note_found(at, scan);
	}
	unlock(p);
	return at;
}

static void drop_named(struct place *folder, struct span name)
{
	struct places *p = folder->all;
	struct buf text = { 0 };
	buf_add(&text, name);
	const char *file_name = buf_cstr(&text);
	pthread_mutex_lock(&p->lock);
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
	int err = folder_find(folder->path, name, &item);
	if (err == -ENOENT)
		drop_named(folder, name);
	if (err)
		return err;
	struct place *at = place_of(folder, &item, 0);
	folder_item_free(&item);
	if (!at)
		return -ENOMEM;
	pthread_mutex_lock(&p->lock);
	bool fits = at->fits;
	pthread_mutex_unlock(&p->lock);
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
	pthread_mutex_lock(&p->lock);
	/* Places that are made from here on are no older than the scan. */
	uint64_t scan = ++p->serials;
	pthread_mutex_unlock(&p->lock);
	__atomic_fetch_add(&folder->listed, 1, __ATOMIC_RELAXED);
	int err = folder_read(folder->path, &list);
	for (size_t i = 0; i < list.n && !err; i++) {
		if (!place_of(folder, &list.items[i], scan))
			err = -ENOMEM;
	}
	folder_list_free(&list);
	if (err)
		return err;
	pthread_mutex_lock(&p->lock);
	sweep(p, folder, scan);
	unlock(p);
	return 0;
}

struct place *place_next(struct place *folder, uint64_t from)
{
	struct places *p = folder->all;
	struct place *at = NULL;
	pthread_mutex_lock(&p->lock);
	size_t i = child_from(folder, from);
	while (i < folder->n_children && !folder->children[i]->fits)
		i++;
	if (i < folder->n_children) {
		at = folder->children[i];
		pin(at);
	}
	pthread_mutex_unlock(&p->lock);
	return at;
}

struct place *place_get(struct places *p, uint32_t number)
{
	struct place *at = NULL;
	pthread_mutex_lock(&p->lock);
	if (number < p->n_numbers)
		at = p->numbers[number];
	if (at)
		pin(at);
	pthread_mutex_unlock(&p->lock);
	return at;
}

struct place *place_above(struct place *at)
{
	struct place *folder = NULL;
	pthread_mutex_lock(&at->all->lock);
	if (!at->gone)
		folder = at->folder;
	if (folder)
		pin(folder);
	pthread_mutex_unlock(&at->all->lock);
	return folder;
}

void place_put(struct place *at)
{
	struct places *p = at->all;
	pthread_mutex_lock(&p->lock);
	bool last = --at->users == 0 && at->gone;
	pthread_mutex_unlock(&p->lock);
	if (last)
		free_place(at);
}

/*
 * Under the lock: the session that was used longest ago, if there are too many
 * and nobody is in it. Its place has forgotten it, but for what makes it the
 * same when it comes back.
 */
static struct session *take_oldest(struct places *p)
{
	struct place *oldest = NULL;
	if (p->n_open <= p->keep)
		return NULL;
	for (size_t i = 0; i < p->n_open; i++) {
		struct place *at = p->open[i];
		if (at->users == 0 && (!oldest || at->used < oldest->used))
			oldest = at;
	}
	if (!oldest)
		return NULL;
	struct session *s = oldest->session;
	session_remember(s, &oldest->memory);
	oldest->session = NULL;
	forget_open(p, oldest);
	return s;
}

/* Under the lock. */
static int note_open(struct places *p, struct place *at)
{
	if (p->n_open == p->cap_open) {
		size_t cap = p->cap_open ? p->cap_open * 2 : 8;
		int err = grow_list(&p->open, cap);
		if (err)
			return err;
		p->cap_open = cap;
	}
	p->open[p->n_open++] = at;
	return 0;
}

/* Under at->lock: read the session, and let go of others. */
static int open_session(struct place *at, const char **why)
{
	struct places *p = at->all;
	struct session *s;
	int err = session_open_again(&s, at->path, p->forced, p->read_only,
				     &at->memory, why);
	if (err)
		return err;
	pthread_mutex_lock(&p->lock);
	err = at->gone ? -ESTALE : note_open(p, at);
	if (!err)
		__atomic_store_n(&at->session, s, __ATOMIC_RELEASE);
	struct session *old = err ? s : take_oldest(p);
	while (old) {
		pthread_mutex_unlock(&p->lock);
		session_free(old);
		pthread_mutex_lock(&p->lock);
		old = err ? NULL : take_oldest(p);
	}
	pthread_mutex_unlock(&p->lock);
	return err;
}

static int have_session(struct place *at)
{
	const char *why;
	int err = 0;
	if (__atomic_load_n(&at->session, __ATOMIC_ACQUIRE))
		return 0;
	pthread_mutex_lock(&at->lock);
	if (!at->session)
		err = open_session(at, &why);
	pthread_mutex_unlock(&at->lock);
	/* Gone, or no session any more. */
	return err == -ENOENT || err == -EPROTO ? -ESTALE : err;
}

int place_enter(struct place *at)
{
	int err = have_session(at);
	if (!err)
		err = session_enter(at->session);
	if (err)
		return err;
	if (at->folder && at->session->log.fd < 0) {
		session_leave(at->session);
		err = -ESTALE;
	}
	return err;
}

void place_leave(struct place *at)
{
	session_leave(at->session);
}

int place_settle(struct place *at)
{
	struct places *p = at->all;
	uint32_t epoch = at->session->epoch;
	int err = 0;
	pthread_mutex_lock(&at->lock);
	if (!at->has_number || at->epoch != epoch) {
		pthread_mutex_lock(&p->lock);
		if (at->has_number && !at->gone)
			p->numbers[at->number] = NULL;
		at->has_number = false;
		err = at->gone ? -ESTALE : number_new(p, at, &at->number);
		if (!err) {
			at->has_number = true;
			at->epoch = epoch;
		}
		pthread_mutex_unlock(&p->lock);
	}
	pthread_mutex_unlock(&at->lock);
	return err;
}

int place_stat(struct place *at, struct stat *st)
{
	struct places *p = at->all;
	bool there =
		lstat(at->path, st) == 0 &&
		(at->is_folder ? S_ISDIR(st->st_mode) : S_ISREG(st->st_mode));
	if (!there && at != p->source)
		return -ESTALE;
	pthread_mutex_lock(&p->lock);
	if (there && at == p->source)
		at->seen = *st;
	else if (!there)
		*st = at->seen;
	pthread_mutex_unlock(&p->lock);
	return 0;
}

bool place_is_stale(struct place *at)
{
	struct stat now;
	bool stale;
	pthread_mutex_lock(&at->lock);
	if (at->session)
		stale = true; /* a look at it costs no more than this */
	else
		stale = lstat(at->path, &now) < 0 ||
			!is_same(&now, &at->memory.seen);
	pthread_mutex_unlock(&at->lock);
	return stale;
}

struct place *place_next_opened(struct places *p, uint32_t number)
{
	struct place *at = NULL;
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = number + 1; i < p->n_numbers && !at; i++) {
		struct place *here = p->numbers[i];
		if (here && here->has_number && here->number == i)
			at = here;
	}
	if (at)
		pin(at);
	pthread_mutex_unlock(&p->lock);
	return at;
}

int places_init(struct places *p, const char *path,
		const struct dialect *forced, bool read_only, unsigned keep,
		const char **why)
{
	struct stat st;
	*why = NULL;
	*p = (struct places){ .forced = forced,
			      .read_only = read_only,
			      .keep = keep,
			      .serials = 1 };
	if (lstat(path, &st) < 0)
		return -errno;
	int err = -pthread_mutex_init(&p->lock, NULL);
	if (err)
		return err;
	p->source = new_place(p, NULL, path, "", S_ISDIR(st.st_mode));
	if (!p->source)
		return -ENOMEM;
	p->source->seen = st;
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
	pthread_mutex_lock(&p->lock);
	while (p->source->n_children > 0)
		drop(p, p->source->children[p->source->n_children - 1]);
	unlock(p);
	free_place(p->source);
	free(p->numbers);
	free(p->open);
	pthread_mutex_destroy(&p->lock);
	*p = (struct places){ 0 };
}
