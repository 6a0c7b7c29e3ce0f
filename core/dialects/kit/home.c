#include "core/dialects/kit/home.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/buf.h"

const char *home_variable(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

void home_add(struct buf *out)
{
	char names[4096];
	struct passwd entry;
	struct passwd *found = NULL;
	const char *home = home_variable("HOME");
	if (!home &&
	    getpwuid_r(getuid(), &entry, names, sizeof(names), &found) == 0 &&
	    found)
		home = found->pw_dir;
	struct span path = span_of(home ? home : "");
	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	buf_add(out, path);
}

void home_add_path(struct buf *out, struct span path)
{
	if (span_eq(path, SPAN("~")) || span_starts(path, SPAN("~/"))) {
		home_add(out);
		span_take(&path, 1);
	}
	buf_add(out, path);
}

void home_add_variable(struct buf *out, const char *name, const char *otherwise)
{
	const char *value = home_variable(name);
	if (value) {
		home_add_path(out, span_of(value));
		return;
	}
	home_add(out);
	buf_addc(out, '/');
	buf_adds(out, otherwise);
}

void home_add_plain_variable(struct buf *out, const char *name,
			     const char *otherwise)
{
	const char *value = home_variable(name);
	if (value)
		buf_adds(out, value);
	else
		home_add_variable(out, name, otherwise);
}

void home_add_dashed(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		buf_addc(out, memchr("/\\:", text.p[i], 3) ? '-' : text.p[i]);
}

void home_add_letters(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c < 0x80 && isalnum(c))
			buf_addc(out, (char)c);
		else if (c < 0x80 || c >= 0xC0)
			buf_adds(out, c >= 0xF0 ? "--" : "-");
	}
}

void home_add_absolute_name(struct buf *out, const char *dir)
{
	buf_adds(out, "--");
	home_add_dashed(out, span_of(dir + (dir[0] == '/')));
	buf_adds(out, "--");
}

int home_found(const struct home_search *h, const struct buf *folder,
	       struct span name, bool shared)
{
	struct buf path BUF_SCOPED = { 0 };
	buf_inherit(&path, folder);
	buf_add(&path, buf_span(folder));
	buf_addc(&path, '/');
	buf_add(&path, name);
	return path.failed ? -ENOMEM : h->add(h, buf_span(&path), shared);
}

int home_each(const struct buf *folder, struct span start, home_visit_fn *visit,
	      void *data)
{
	struct dirent **names = NULL;
	struct buf path BUF_SCOPED = { 0 };
	int err = 0;
	buf_inherit(&path, folder);
	buf_add(&path, buf_span(folder));
	const char *text = buf_cstr(&path);
	int n = text ? scandir(text, &names, NULL, alphasort) : 0;
	if (!text || (n < 0 && errno == ENOMEM))
		err = -ENOMEM;
	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		path.len = folder->len;
		buf_addf(&path, "/%s/", name);
		text = buf_cstr(&path);
		if (!err && !text)
			err = -ENOMEM;
		/* Only of a folder is there one with a slash behind it. */
		if (!err && name[0] != '.' &&
		    span_starts(span_of(name), start) &&
		    access(text, F_OK) == 0)
			err = visit(data, (struct span){ text, path.len - 1 });
		free(names[i]);
	}
	free(names);
	return err;
}

static int found_cut(void *data, struct span path)
{
	const struct home_search *h = data;
	return h->add(h, path, true);
}

int home_find_projects(const struct home_search *h,
		       void (*add_folder)(struct buf *out), const char *below,
		       size_t limit)
{
	struct home_search copy = *h;
	struct buf projects BUF_SCOPED = { 0 };
	struct buf name BUF_SCOPED = { 0 };
	int err = 0;
	add_folder(&projects);
	buf_adds(&projects, "/projects");
	home_add_letters(&name, span_of(h->dir ? h->dir : ""));
	bool cut = name.len > limit;
	buf_adds(&name, below);
	if (projects.failed || name.failed)
		err = -ENOMEM;
	else if (!h->dir)
		err = h->add(h, buf_span(&projects), false);
	else if (cut)
		err = home_each(&projects, (struct span){ name.data, limit },
				found_cut, &copy);
	else
		err = home_found(h, &projects, buf_span(&name), false);
	return err;
}
