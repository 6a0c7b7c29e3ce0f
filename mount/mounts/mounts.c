#include "mount/mounts/mounts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/catalogue/catalogue.h"
#include "core/catalogue/session_name.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"
#include "mount/mounts/mount_base.h"
#include "mount/mounts/mounted.h"

/* The agent in whose folder it is; NULL: its lines tell. */
static const struct dialect *agent_of(const char *file)
{
	struct agent_folders folders = { 0 };
	const struct dialect *agent = NULL;
	int err = agent_folders_find(&folders, &dialect_registry, NULL, NULL,
				     AGENTS_THERE);
	for (size_t i = 0; i < folders.n && !err && !agent; i++) {
		char *real = realpath(folders.list[i].path, NULL);
		if (real && pathname_is_below(file, real))
			agent = folders.list[i].agent;
		free(real);
	}
	agent_folders_free(&folders);
	return agent;
}

/* What a session file is called, or "session" if it can't be read. */
static void add_name(struct buf *out, const char *file)
{
	const struct dialect *agent = agent_of(file);
	struct catalogue c = { .dialects = &dialect_registry };
	size_t from = out->len;
	if (catalogue_add(&c, file, "") == 0 && catalogue_refresh(&c) == 0 &&
	    c.rows.n > 0)
		session_name_add_mount(out, c.rows.list[0],
				       agent ? agent->name : NULL);
	if (out->len == from)
		buf_adds(out, "session");
	catalogue_free(&c);
}

struct option_word {
	struct span text;
	size_t at;
};

static struct span name_of(struct span option)
{
	return span_next(&option, '=');
}

static int by_name(const void *a, const void *b)
{
	const struct option_word *x = a;
	const struct option_word *y = b;
	int order = span_compare(name_of(x->text), name_of(y->text));
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/*
 * Options of -o in one spelling: sorted by name, without repetition. The last
 * of several values for a name counts, so these keep their order. Options with
 * a backslash, which may hide a comma, stay as they are.
 */
static void add_options(struct buf *out, const char *options)
{
	struct option_word *words = NULL;
	size_t n = 0;
	size_t cap = 0;
	struct span rest = span_of(options);
	size_t from = out->len;
	if (strchr(options, '\\')) {
		buf_adds(out, options);
		return;
	}
	while (rest.n > 0) {
		struct span word = span_next(&rest, ',');
		const struct option_word one = { word, n };
		if (word.n > 0 && array_add(&words, &cap, &n, one) < 0) {
			buf_fail(out);
			break;
		}
	}
	if (n > 0)
		qsort(words, n, sizeof(*words), by_name);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && span_eq(words[i].text, words[i - 1].text))
			continue;
		buf_adds(out, out->len > from ? "," : "");
		buf_add(out, words[i].text);
	}
	free(words);
}

/* Append the name of the mount of a record: the one it has, or a new one. */
static int find_name(const struct mount_base *b, const struct buf *record,
		     const char *file, struct buf *name)
{
	struct mount_records r = { 0 };
	struct buf first BUF_SCOPED = BUF_INTO(name);
	struct buf other BUF_SCOPED = { 0 };
	while (name->len == 0 && mount_records_next(&r, b)) {
		if (span_eq(buf_span(&r.text), buf_span(record)))
			buf_adds(name, r.name);
	}
	mount_records_end(&r);
	if (name->len > 0)
		return buf_cstr(name) ? 0 : -ENOMEM;
	if (strcmp(file, MOUNTS_ALL) == 0)
		buf_adds(&first, "all");
	else
		add_name(&first, file);
	buf_add(name, buf_span(&first));
	for (unsigned i = 2; buf_cstr(name); i++) {
		buf_clear(&other);
		int err = mount_record_read(b, name->data, &other);
		if (err == -ENOENT)
			break;
		if (err)
			return err;
		buf_clear(name);
		buf_add(name, buf_span(&first));
		buf_addf(name, "-%u", i);
	}
	return buf_cstr(name) ? mount_record_write(b, name->data, record)
			      : -ENOMEM;
}

static int mount(const char *file, const char *options, const char *mnt)
{
	struct buf self BUF_SCOPED = { 0 };
	const int fds[3] = { -1, STDERR_FILENO, -1 };
	spawn_add_self(&self);
	if (!buf_cstr(&self))
		return status_fail(file, "out of memory");
	const char *argv[] = { self.data, NULL, NULL, NULL, NULL, NULL };
	size_t n = 1;
	if (*options) {
		argv[n++] = "-o";
		argv[n++] = options;
	}
	argv[n++] = file;
	argv[n++] = mnt;
	int status = spawn_wait(argv, fds);
	if (status < 0)
		return status_error(file, status);
	/* Of a wrong -o: it has been reported. */
	if (status == STATUS_USAGE)
		return STATUS_USAGE;
	return status ? STATUS_FAILED : STATUS_OK;
}

/* Mount unless it is mounted. A mount whose daemon has died is replaced. */
static int ensure(const char *file, const char *options, const char *mnt)
{
	if (mounted_is_open(mnt))
		return STATUS_OK;
	if (unmount_is_dead(mnt)) {
		int status = unmount(mnt, "its daemon has died", true);
		if (status)
			return status;
	}
	if (mkdir(mnt, 0700) < 0 && errno != EEXIST)
		return status_error(mnt, -errno);
	int status = mount(file, options, mnt);
	if (status)
		(void)rmdir(mnt);
	return status;
}

static int open_in(const struct mount_base *b, const char *file,
		   const char *options, char **mnt)
{
	struct buf record BUF_SCOPED = { 0 };
	struct buf name BUF_SCOPED = { 0 };
	buf_add(&record, (struct span){ options, strlen(options) + 1 });
	buf_adds(&record, file);
	int err = record.failed ? -ENOMEM : find_name(b, &record, file, &name);
	*mnt = err ? NULL : pathname_join(b->path, name.data);
	int status = STATUS_OK;
	if (!*mnt)
		status = status_error(file, err ? err : -ENOMEM);
	else
		status = ensure(file, options, *mnt);
	if (status && *mnt) {
		mount_record_drop(b, name.data);
		free(*mnt);
		*mnt = NULL;
	}
	return status;
}

int mounts_open(const char *file, const char *options, char **mnt)
{
	struct mount_base b = { .lock = -1 };
	struct buf normal BUF_SCOPED = { 0 };
	*mnt = NULL;
	bool all = strcmp(file, MOUNTS_ALL) == 0;
	char *path = all ? strdup(file) : realpath(file, NULL);
	if (!path)
		return status_error(file, -errno);
	add_options(&normal, options);
	int status = buf_cstr(&normal) ? STATUS_OK
				       : status_fail(file, "out of memory");
	if (!status) {
		status = mount_base_begin(&b);
		if (!status)
			status = open_in(&b, path, normal.data, mnt);
		mount_base_end(&b);
	}
	free(path);
	return status;
}

static int close_one(const struct mount_base *b, const char *name)
{
	char *mnt = pathname_join(b->path, name);
	bool dead = mnt && unmount_is_dead(mnt);
	int status = STATUS_OK;
	if (!mnt)
		return status_fail(b->path, "out of memory");
	if (dead || mounted_is_open(mnt)) {
		status = unmount(mnt, NULL, dead);
		if (!status)
			puts(mnt);
	}
	if (!status) {
		(void)rmdir(mnt);
		mount_record_drop(b, name);
	}
	free(mnt);
	return status;
}

/* Links to mounts that there are no more. */
static void drop_links(const struct mount_base *b)
{
	struct dirent **names = NULL;
	int n = scandir(b->path, &names, NULL, NULL);
	for (int i = 0; i < n; i++) {
		char *place = pathname_join(b->path, names[i]->d_name);
		char *link =
			place ? pathname_join(place, MOUNT_BASE_LAST) : NULL;
		struct stat st;
		if (link && names[i]->d_name[0] == '+' &&
		    lstat(link, &st) == 0 && stat(link, &st) < 0 &&
		    errno == ENOENT && unlink(link) == 0)
			(void)rmdir(place);
		free(link);
		free(place);
		free(names[i]);
	}
	free(names);
}

int mounts_close(void)
{
	struct mount_base b = { .lock = -1 };
	struct mount_records r = { 0 };
	int status = mount_base_begin(&b);
	if (!status) {
		while (mount_records_next(&r, &b)) {
			int failed = close_one(&b, r.name);
			status = failed ? failed : status;
		}
		drop_links(&b);
	}
	mount_base_end(&b);
	return status;
}

int mounts_print(void)
{
	struct mount_base b = { .lock = -1 };
	struct mount_records r = { 0 };
	struct buf out = { 0 };
	int status = mount_base_begin(&b);
	while (!status && mount_records_next(&r, &b)) {
		char *mnt = pathname_join(b.path, r.name);
		struct span file = buf_span(&r.text);
		struct span options = span_next(&file, '\0');
		if (mnt && mounted_is_open(mnt) && options.n < r.text.len) {
			buf_addf(&out, "%s\t", mnt);
			text_add_one_line(&out, file);
			buf_addc(&out, '\t');
			text_add_one_line(&out, options);
			buf_addc(&out, '\n');
		}
		if (!mnt)
			buf_fail(&out);
		free(mnt);
	}
	mount_base_end(&b);
	int failed = status_print(&out);
	return status ? status : failed;
}
