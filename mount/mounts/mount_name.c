#include "mount/mounts/mount_name.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/catalogue/catalogue.h"
#include "core/catalogue/session_name.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"

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

void mount_name_add(struct buf *out, const char *file)
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

void mount_name_add_options(struct buf *out, const char *options)
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
		if (word.n == 0)
			continue;
		if (array_reserve(&words, &cap, n, 1) < 0) {
			out->failed = true;
			break;
		}
		words[n] = (struct option_word){ word, n };
		n++;
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
