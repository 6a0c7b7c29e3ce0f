#include "mount/mounts/mount_name.h"

#include <ctype.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "core/places/folder.h"
#include "core/session/session.h"

#define PROJECT_LIMIT 24
#define ID_LIMIT 8

/* Append the session's working directory; nothing if it can't be read. */
static void add_cwd(struct buf *out, const char *file)
{
	const struct session_opening how = { .dialects = &dialect_registry,
					     .read_only = true };
	const char *reason;
	struct session *s;
	if (session_open(&s, file, &how, &reason) < 0)
		return;
	if (session_enter(s) == 0) {
		json_decode(out, session_header(s, "cwd"));
		session_leave(s);
	}
	session_free(s);
}

/* Append what a file name may have of a text; other bytes are "_". */
static void add_plain(struct buf *out, struct span text, size_t limit)
{
	size_t from = out->len;
	while (text.n > 0 && !isalnum((unsigned char)text.p[0])) {
		text.p++;
		text.n--;
	}
	for (size_t i = 0; i < text.n && out->len - from < limit; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool is_kept = c < 0x80 && (isalnum(c) || memchr(".-", c, 2));
		bool again = !is_kept && out->len > from && !out->failed &&
			     out->data[out->len - 1] == '_';
		if (!again)
			buf_addc(out, is_kept ? (char)c : '_');
	}
}

static void add_project(struct buf *out, const char *file)
{
	struct buf cwd = { 0 };
	add_cwd(&cwd, file);
	size_t from = out->len;
	add_plain(out, span_last_part(buf_span(&cwd)), PROJECT_LIMIT);
	if (out->len > from)
		buf_addc(out, '-');
	buf_free_into(&cwd, out);
}

/* The start of the id that is in the name of a file. */
static void add_id(struct buf *out, const char *file)
{
	struct span name = agent_id_in_name(span_last_part(span_of(file)));
	size_t from = out->len;
	for (size_t i = 0; i < name.n && out->len - from < ID_LIMIT; i++) {
		unsigned char c = (unsigned char)name.p[i];
		if (c < 0x80 && (isalnum(c) || c == '-'))
			buf_addc(out, (char)c);
	}
	if (out->len == from)
		buf_adds(out, "session");
}

/* The agent in whose folder it is, else by its lines; or NULL. */
static const struct dialect *agent_of(const char *file)
{
	struct agent_folders folders = { 0 };
	const struct dialect *agent = NULL;
	int err = agent_folders_find(&folders, &dialect_registry, NULL, NULL,
				     false);
	for (size_t i = 0; i < folders.n && !err && !agent; i++) {
		char *real = realpath(folders.list[i].path, NULL);
		if (real && pathname_is_below(file, real))
			agent = folders.list[i].agent;
		free(real);
	}
	agent_folders_free(&folders);
	if (!agent)
		(void)folder_has_session(NULL, file, &dialect_registry, NULL,
					 &agent);
	return agent;
}

void mount_name_add(struct buf *out, const char *file)
{
	const struct dialect *agent = agent_of(file);
	add_project(out, file);
	if (agent) {
		buf_adds(out, agent->name);
		buf_addc(out, '-');
	}
	add_id(out, file);
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
