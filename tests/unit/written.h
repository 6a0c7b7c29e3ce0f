/*
 * The file `written` of a case of the corpus: what sessfs writes to the
 * session, and what comes of it. A line with "$ " is a change of the session as
 * it is, one with "& " goes on with what is there:
 *
 *   append LINE       as an entry
 *   head ID           "-": to before the first entry
 *   label ID TEXT
 *   name TEXT
 *   agent LINE        the agent appends this line
 *   put SUFFIX TEXT   a file beside the session, of its name with this suffix
 *
 * Behind it is what was appended, all lines if others have changed ("written
 * over:", or "rewritten:" if it is another file), the other files that are
 * different ("SUFFIX: TEXT"), HEAD unless it is the last line's or where it
 * was, the name if it is another one, and "! ERROR: REASON". NEW, NEW2 ... are
 * the ids of entries that were added, NOW and MS times of this minute.
 */
#ifndef SESSFS_WRITTEN_H
#define SESSFS_WRITTEN_H

#include "tests/unit/dialect_test.h"

struct written {
	const char *folder; /* the case's */
	const struct session_opening *how;
	struct session *s; /* entered */
	uint32_t n;	   /* entries that it had at first */
	struct buf *out;
};

/* Files that may be beside it, as they are before a change. */
static const char *const written_beside[] = { ".sessfs.json", ".head.json",
					      ".jsonl.v1.bak",
					      ".jsonl.v1.bak.2" };

static inline const char *written_file(const char *suffix)
{
	static char name[NAME_MAX];
	snprintf(name, sizeof(name), "s%s", suffix);
	return test_path(name);
}

/* The bytes of a file; false if there is none. */
static inline bool written_read(const char *suffix, struct buf *b)
{
	const char *path = written_file(suffix);
	buf_clear(b);
	if (access(path, F_OK) != 0)
		return false;
	test_read(path, b);
	return true;
}

static inline void written_open(struct written *w)
{
	const char *why = NULL;
	errno = -session_open(&w->s, written_file(".jsonl"), w->how, &why);
	test_need(w->s != NULL, why ? why : w->folder);
	CHECK_INT(session_enter(w->s), 0);
}

/* Begin with the files of the case. */
static inline void written_begin(struct written *w)
{
	char path[PATH_MAX];
	struct buf bytes = { 0 };
	const struct dirent *d;
	if (w->s)
		test_close(w->s);
	for (size_t i = 0; i < COUNT(written_beside); i++)
		unlink(written_file(written_beside[i]));
	DIR *dir = opendir(w->folder);
	test_need(dir != NULL, w->folder);
	while ((d = readdir(dir))) {
		if (strncmp(d->d_name, "in.", 3) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", w->folder, d->d_name);
		test_put(written_file(d->d_name + 2), O_TRUNC,
			 buf_span(test_read(path, &bytes)));
	}
	closedir(dir);
	buf_free(&bytes);
	written_open(w);
	w->n = w->s->now.index.n;
}

static inline void written_replace(struct buf *b, struct span old,
				   const char *with)
{
	struct buf out = { 0 };
	struct span rest = buf_span(b);
	const char *at;
	while (old.n > 0 && (at = memmem(rest.p, rest.n, old.p, old.n))) {
		size_t n = (size_t)(at - rest.p);
		buf_add(&out, (struct span){ rest.p, n });
		buf_adds(&out, with);
		rest = (struct span){ at + old.n, rest.n - n - old.n };
	}
	buf_add(&out, rest);
	buf_free(b);
	*b = out;
}

static inline bool written_is_now(int64_t time)
{
	int64_t age = timestamp_now() - time;
	return age >= 0 && age < 60000;
}

/* Times of this minute, in text and in milliseconds. */
static inline void written_hide_times(struct buf *b)
{
	static const char digits[] = "0123456789";
	struct buf out = { 0 };
	struct span rest = buf_span(b);
	while (rest.n > 0) {
		struct span iso = { rest.p, 26 };
		size_t n = 1;
		char ms[14] = "";
		snprintf(ms, sizeof(ms), "%.*s", (int)(rest.n < 13 ? 0 : 13),
			 rest.p);
		if (rest.n >= iso.n && *rest.p == '"' && rest.p[25] == '"' &&
		    rest.p[24] == 'Z' &&
		    written_is_now(
			    timestamp_parse((struct json){ .raw = iso }))) {
			buf_adds(&out, "\"NOW\"");
			n = iso.n;
		} else if (strspn(ms, digits) == 13 &&
			   written_is_now(strtoll(ms, NULL, 10))) {
			buf_adds(&out, "MS");
			n = 13;
		} else {
			buf_addc(&out, *rest.p);
		}
		rest = (struct span){ rest.p + n, rest.n - n };
	}
	buf_free(b);
	*b = out;
}

/* Positions and what the agent has written are short. */
static inline void written_hide(const struct written *w, struct buf *b)
{
	char name[16] = "NEW";
	const struct index *x = &w->s->now.index;
	written_hide_times(b);
	for (uint32_t i = w->n; i < x->n; i++) {
		if (i > w->n)
			snprintf(name, sizeof(name), "NEW%u", i - w->n + 1);
		if (index_id(x, i).n >= 8)
			written_replace(b, index_id(x, i), name);
	}
}

/* Text as a line or more. */
static inline void written_add_lines(struct written *w, struct span text)
{
	buf_add(w->out, text);
	if (text.n > 0 && text.p[text.n - 1] != '\n')
		buf_adds(w->out, " (no newline)\n");
}

/* What the session was before a change. */
struct written_before {
	struct buf files[COUNT(written_beside) + 1];
	bool there[COUNT(written_beside)];
	struct buf name;
	struct buf head;
	ino_t ino;
};

static inline void written_note(const struct written *w,
				struct written_before *b)
{
	test_read(w->s->log.path, &b->files[COUNT(written_beside)]);
	for (size_t i = 0; i < COUNT(written_beside); i++)
		b->there[i] = written_read(written_beside[i], &b->files[i]);
	b->ino = w->s->log.st.st_ino;
	buf_add(&b->name, buf_span(&w->s->now.name));
	buf_add(&b->head, test_id(w->s, session_head(w->s)));
}

static inline void written_before_free(struct written_before *b)
{
	for (size_t i = 0; i < COUNT(b->files); i++)
		buf_free(&b->files[i]);
	buf_free(&b->name);
	buf_free(&b->head);
}

static inline void written_add_beside(struct written *w, size_t i,
				      struct written_before *before)
{
	struct buf text = { 0 };
	struct span old = buf_span(&before->files[i]);
	bool is_there = written_read(written_beside[i], &text);
	if (is_there == before->there[i] && span_eq(buf_span(&text), old)) {
		buf_free(&text);
		return;
	}
	buf_addf(w->out, "%s: ", written_beside[i]);
	struct span all = buf_span(&before->files[COUNT(written_beside)]);
	written_hide(w, &text);
	if (!is_there)
		buf_adds(w->out, "(none)\n");
	else if (span_eq(buf_span(&text), all))
		buf_adds(w->out, "the session as it was\n");
	else
		written_add_lines(w, buf_span(&text));
	buf_free(&text);
}

/* What a change has come to. */
static inline void written_add_changes(struct written *w,
				       struct written_before *before)
{
	struct session *s = w->s;
	struct buf text = { 0 };
	struct span old = buf_span(&before->files[COUNT(written_beside)]);
	test_read(s->log.path, &text);
	bool goes_on = span_starts(buf_span(&text), old);
	struct buf came = { 0 };
	if (!goes_on)
		buf_adds(w->out, w->s->log.st.st_ino == before->ino
					 ? "written over:\n"
					 : "rewritten:\n");
	buf_add(&came, (struct span){ text.data + (goes_on ? old.n : 0),
				      text.len - (goes_on ? old.n : 0) });
	written_hide(w, &came);
	written_add_lines(w, buf_span(&came));
	for (size_t i = 0; i < COUNT(written_beside); i++)
		written_add_beside(w, i, before);
	uint32_t head = session_head(s);
	bool is_last = came.len > 0 && head == s->now.index.n - 1;
	if (!is_last && !span_eq(test_id(s, head), buf_span(&before->head))) {
		buf_clear(&came);
		buf_add(&came, test_id(s, head));
		written_hide(w, &came);
		buf_addf(w->out, "HEAD %s\n", buf_cstr(&came));
	}
	if (!span_eq(buf_span(&s->now.name), buf_span(&before->name))) {
		buf_adds(w->out, "name: ");
		buf_add(w->out, buf_span(&s->now.name));
		buf_addc(w->out, '\n');
	}
	buf_free(&text);
	buf_free(&came);
}

/* Who opens the file now sees what this session has. */
static inline void written_check_fresh(struct written *w)
{
	struct written fresh = { .folder = w->folder, .how = w->how };
	struct buf ours = { 0 };
	struct buf theirs = { 0 };
	written_open(&fresh);
	dialect_add_tree(w->s, &ours);
	dialect_add_tree(fresh.s, &theirs);
	CHECK_SPAN(buf_span(&ours), buf_span(&theirs));
	CHECK_SPAN(test_id(w->s, session_head(w->s)),
		   test_id(fresh.s, session_head(fresh.s)));
	CHECK_SPAN(buf_span(&w->s->now.name), buf_span(&fresh.s->now.name));
	test_close(fresh.s);
	buf_free(&ours);
	buf_free(&theirs);
}

/* 0 or -errno. */
static inline int written_change(struct written *w, struct span verb,
				 struct span rest)
{
	struct writer writer;
	struct span text = rest;
	struct buf id = { 0 };
	bool is_label = span_eq(verb, SPAN("label"));
	buf_add(&id, is_label ? span_next(&text, ' ') : rest);
	uint32_t entry = test_find(w->s, buf_cstr(&id));
	session_leave(w->s);
	int err = writer_begin(&writer, w->s);
	if (!err) {
		err = is_label ? writer_set_label(&writer, entry, text)
		      : span_eq(verb, SPAN("head"))
			      ? writer_set_head(&writer, entry)
		      : span_eq(verb, SPAN("name"))
			      ? writer_set_name(&writer, rest)
			      : writer_add_entry(&writer, rest);
		err = err ? err : writer_sync(&writer);
		writer_end(&writer);
	}
	CHECK_INT(session_enter(w->s), 0);
	buf_free(&id);
	return err;
}

/* What another program does. */
static inline void written_outside(struct written *w, const char *suffix,
				   int flags, struct span text)
{
	session_leave(w->s);
	test_put(written_file(suffix), flags, text);
	CHECK_INT(session_enter(w->s), 0);
}

/* One line of `written`, without "$ ". */
static inline void written_do(struct written *w, struct span line)
{
	struct written_before before = { 0 };
	struct span rest = line;
	struct span verb = span_next(&rest, ' ');
	struct buf text = { 0 };
	int err = 0;
	uint32_t epoch = w->s->epoch;
	written_note(w, &before);
	if (span_eq(verb, SPAN("agent"))) {
		buf_add(&text, rest);
		buf_addc(&text, '\n');
		written_outside(w, ".jsonl", O_APPEND, buf_span(&text));
	} else if (span_eq(verb, SPAN("put"))) {
		buf_add(&text, span_next(&rest, ' '));
		written_outside(w, buf_cstr(&text), O_TRUNC, rest);
	} else {
		err = written_change(w, verb, rest);
		written_add_changes(w, &before);
		CHECK_INT(w->s->epoch, epoch);
	}
	if (err)
		buf_addf(w->out, "! %s%s%s\n", strerrorname_np(-err),
			 w->s->refused.reason ? ": " : "",
			 w->s->refused.reason ? w->s->refused.reason : "");
	else
		written_check_fresh(w);
	written_before_free(&before);
	buf_free(&text);
}

/* Do all that a file says, and add it with what comes of it. */
static inline void written_add(const char *folder,
			       const struct session_opening *how,
			       struct span said, struct buf *out)
{
	struct written w = { .folder = folder, .how = how, .out = out };
	while (said.n > 0) {
		struct span line = span_next_line(&said);
		if (line.n < 2 || !strchr("$&", *line.p) || line.p[1] != ' ')
			continue;
		buf_add(out, line);
		buf_addc(out, '\n');
		if (*line.p == '$')
			written_begin(&w);
		written_do(&w, (struct span){ line.p + 2, line.n - 2 });
	}
	if (w.s)
		test_close(w.s);
}

#endif
