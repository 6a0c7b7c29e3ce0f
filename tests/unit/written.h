/*
 * The file `written` of a case of the corpus: what sessfs writes to the
 * session, and what comes of it. A line with "$ " is a change of the session as
 * it is, one with "& " goes on with what is there:
 *
 *   append LINE       as an entry
 *   head ID           "-": to before the first entry. It may be a JSON string
 *   label ID TEXT
 *   name TEXT
 *   agent LINE        the agent appends this line
 *   put SUFFIX TEXT   a file beside the session, of its name with this suffix
 *   remove SUFFIX
 *
 * Behind it is what was appended, all lines if others have changed ("written
 * over:", or "rewritten:" if it is another file), the other files that are
 * different ("SUFFIX: TEXT"), what is another one than before of: HEAD (unless
 * it is the last line's), the name, labels, named heads and the fault of a
 * sidecar; and "! ERROR: REASON". NEW, NEW2 ... are the ids of entries that
 * were added, NOW and MS times of this minute.
 */
#ifndef SESSFS_WRITTEN_H
#define SESSFS_WRITTEN_H

#include "core/base/text.h"
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

/* Is it an id of sessfs's: Pi's, a UUID, or a ULID? */
static inline bool written_is_made(struct span id)
{
	static const char ulid[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	bool is_ulid = id.n == 26 && *id.p == '0';
	bool ok = is_ulid || id.n == 8 || text_is_uuid(id);
	for (size_t i = 0; ok && i < id.n; i++)
		ok = memchr(is_ulid ? ulid : "0123456789abcdef-", id.p[i],
			    is_ulid ? 32 : 17) != NULL;
	return ok;
}

static inline void written_hide(const struct written *w, struct buf *b)
{
	char name[16] = "NEW";
	const struct index *x = &w->s->now.index;
	written_hide_times(b);
	for (uint32_t i = w->n; i < x->n; i++) {
		if (i > w->n)
			snprintf(name, sizeof(name), "NEW%u", i - w->n + 1);
		if (written_is_made(index_id(x, i)))
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

enum {
	WRITTEN_HEAD,
	WRITTEN_NAME,
	WRITTEN_LABELS,
	WRITTEN_HEADS,
	WRITTEN_FAULT,
	WRITTEN_STATES
};

/* What the session is. */
struct written_state {
	struct buf lines;
	struct buf files[COUNT(written_beside)];
	bool there[COUNT(written_beside)];
	struct buf says[WRITTEN_STATES];
	ino_t ino;
	uint32_t epoch;
	uint32_t leaf;
	struct buf context; /* at the leaf */
};

/* "NAME=ID" for each head. */
static inline void written_add_heads(const struct session *s, struct buf *out)
{
	const struct heads *h = &s->now.heads;
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t at = session_entry(s, h->list[i].entry)->parent;
		buf_addc(out, ' ');
		buf_add(out, heads_name(h, &h->list[i]));
		buf_addc(out, '=');
		buf_add(out, test_id(s, at));
	}
}

static inline void written_note(const struct written *w,
				struct written_state *now)
{
	const struct session *s = w->s;
	struct buf *says = now->says;
	test_read(s->log.path, &now->lines);
	for (size_t i = 0; i < COUNT(written_beside); i++)
		now->there[i] = written_read(written_beside[i], &now->files[i]);
	now->ino = s->log.st.st_ino;
	now->leaf = session_at_leaf(s);
	now->epoch = s->epoch;
	CHECK_INT(context_add(s, now->leaf, MESSAGE_FORM_TEXT, &now->context),
		  0);
	buf_adds(&says[WRITTEN_HEAD], "HEAD ");
	buf_add(&says[WRITTEN_HEAD], test_id(s, session_head(s)));
	buf_adds(&says[WRITTEN_NAME], "name:");
	if (s->now.name.len > 0)
		buf_addc(&says[WRITTEN_NAME], ' ');
	buf_add(&says[WRITTEN_NAME], buf_span(&s->now.name));
	buf_adds(&says[WRITTEN_LABELS], "labels:");
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		if (session_label(s, i).n == 0)
			continue;
		buf_addc(&says[WRITTEN_LABELS], ' ');
		buf_add(&says[WRITTEN_LABELS], test_id(s, i));
		buf_addc(&says[WRITTEN_LABELS], '=');
		buf_add(&says[WRITTEN_LABELS], session_label(s, i));
	}
	buf_adds(&says[WRITTEN_HEADS], "heads:");
	written_add_heads(s, &says[WRITTEN_HEADS]);
	buf_adds(&says[WRITTEN_FAULT], "sidecar:");
	if (s->now.sidecar_fault)
		buf_addf(&says[WRITTEN_FAULT], " %s", s->now.sidecar_fault);
	for (size_t i = 0; i < WRITTEN_STATES; i++)
		written_hide(w, &says[i]);
}

static inline void written_state_free(struct written_state *s)
{
	for (size_t i = 0; i < COUNT(s->files); i++)
		buf_free(&s->files[i]);
	for (size_t i = 0; i < COUNT(s->says); i++)
		buf_free(&s->says[i]);
	buf_free(&s->lines);
	buf_free(&s->context);
}

/* Entries of lines that are written anew are the same, and say the same. */
static inline void written_check_context(const struct written *w,
					 const struct written_state *old)
{
	struct buf context = { 0 };
	CHECK_INT(w->s->epoch, old->epoch);
	CHECK_INT(context_add(w->s, old->leaf, MESSAGE_FORM_TEXT, &context), 0);
	CHECK_SPAN(buf_span(&context), buf_span(&old->context));
	buf_free(&context);
}

/* What a change has come to. */
static inline void written_add_changes(struct written *w,
				       const struct written_state *old,
				       const struct written_state *now)
{
	struct buf text = { 0 };
	struct span was = buf_span(&old->lines);
	bool goes_on = span_starts(buf_span(&now->lines), was);
	size_t from = goes_on ? was.n : 0;
	if (!goes_on) {
		written_check_context(w, old);
		buf_adds(w->out, now->ino == old->ino ? "written over:\n"
						      : "rewritten:\n");
	}
	buf_add(&text,
		(struct span){ now->lines.data + from, now->lines.len - from });
	written_hide(w, &text);
	written_add_lines(w, buf_span(&text));
	for (size_t i = 0; i < COUNT(written_beside); i++) {
		struct span file = buf_span(&now->files[i]);
		if (now->there[i] == old->there[i] &&
		    span_eq(file, buf_span(&old->files[i])))
			continue;
		buf_addf(w->out, "%s: ", written_beside[i]);
		buf_clear(&text);
		buf_add(&text, span_eq(file, was)
				       ? SPAN("the session as it was\n")
			       : now->there[i] ? file
					       : SPAN("(none)\n"));
		written_hide(w, &text);
		written_add_lines(w, buf_span(&text));
	}
	buf_free(&text);
}

/* What is another one than before. */
static inline void written_add_state(struct written *w,
				     const struct written_state *old,
				     const struct written_state *now)
{
	const struct session *s = w->s;
	bool is_longer = now->lines.len > old->lines.len;
	for (size_t i = 0; i < WRITTEN_STATES; i++) {
		if (span_eq(buf_span(&now->says[i]), buf_span(&old->says[i])) ||
		    (i == WRITTEN_HEAD && is_longer &&
		     session_head(s) == s->now.index.n - 1))
			continue;
		struct buf text = { 0 };
		text_add_utf8(&text, buf_span(&now->says[i]));
		text_add_one_line(w->out, buf_span(&text));
		buf_free(&text);
		buf_addc(w->out, '\n');
	}
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
	struct json quoted = { .raw = is_label ? span_next(&text, ' ') : rest };
	if (quoted.raw.n > 0 && *quoted.raw.p == '"')
		json_decode(&id, quoted);
	else
		buf_add(&id, quoted.raw);
	uint32_t entry = index_find(&w->s->now.index, buf_span(&id));
	if (is_label || span_eq(verb, SPAN("head")))
		CHECK(entry != INDEX_NONE || span_eq(buf_span(&id), SPAN("-")));
	session_leave(w->s);
	int err = writer_begin(&writer, w->s);
	if (!err) {
		err = is_label ? writer_set_label(&writer, entry, text)
		      : span_eq(verb, SPAN("head"))
			      ? writer_set_head(&writer, entry)
		      : span_eq(verb, SPAN("name"))
			      ? writer_set_name(&writer, rest)
		      : span_eq(verb, SPAN("append"))
			      ? writer_add_entry(&writer, rest)
			      : -ENOSYS;
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
	struct written_state old = { 0 };
	struct written_state now = { 0 };
	struct span rest = line;
	struct span verb = span_next(&rest, ' ');
	struct buf text = { 0 };
	bool is_ours = false;
	int err = 0;
	written_note(w, &old);
	if (span_eq(verb, SPAN("agent"))) {
		buf_add(&text, rest);
		buf_addc(&text, '\n');
		written_outside(w, ".jsonl", O_APPEND, buf_span(&text));
	} else if (span_eq(verb, SPAN("put"))) {
		buf_add(&text, span_next(&rest, ' '));
		written_outside(w, buf_cstr(&text), O_TRUNC, rest);
	} else if (span_eq(verb, SPAN("remove"))) {
		buf_add(&text, rest);
		unlink(written_file(buf_cstr(&text)));
		session_leave(w->s);
		CHECK_INT(session_enter(w->s), 0);
	} else {
		err = written_change(w, verb, rest);
		is_ours = true;
	}
	written_note(w, &now);
	if (is_ours)
		written_add_changes(w, &old, &now);
	written_add_state(w, &old, &now);
	if (err)
		buf_addf(w->out, "! %s%s%s\n", strerrorname_np(-err),
			 w->s->refused.reason ? ": " : "",
			 w->s->refused.reason ? w->s->refused.reason : "");
	else
		written_check_fresh(w);
	written_state_free(&old);
	written_state_free(&now);
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
