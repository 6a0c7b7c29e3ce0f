/*
 * What the tests of single dialects share: sessions read as a dialect, and what
 * they say, as text.
 */
#ifndef SESSFS_DIALECT_TEST_H
#define SESSFS_DIALECT_TEST_H

#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/session/writer.h"
#include "core/show/check.h"
#include "core/show/content.h"
#include "core/show/info.h"
#include "core/show/meta.h"
#include "core/show/outline.h"
#include "core/show/page.h"
#include "tests/unit/test.h"
#include "tests/unit/unlisted.h"

/* Open and enter a file of the folder, as that dialect (NULL: find out). */
static inline struct session *dialect_open(const char *file, const char *name)
{
	const struct dialect *d = name ? dialect_named(span_of(name)) : NULL;
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = d };
	const char *reason = NULL;
	struct session *s = NULL;
	test_need(!name || d, name);
	errno = -session_open(&s, test_path(file), &how, &reason);
	test_need(s != NULL, reason ? reason : file);
	CHECK_INT(session_enter(s), 0);
	return s;
}

/* Write s.jsonl, and so on. */
static inline struct session *dialect_session(const char *name,
					      const char *lines)
{
	test_file("s.jsonl", lines);
	return dialect_open("s.jsonl", name);
}

/* Move the head of a session that is entered; "-": to before the first. */
static inline int dialect_move(struct session *s, const char *id)
{
	struct writer w;
	session_leave(s);
	int err = writer_begin(&w, s);
	if (!err) {
		err = writer_set_head(&w, test_find(s, id));
		writer_end(&w);
	}
	CHECK_INT(session_enter(s), 0);
	return err;
}

static inline int dialect_label(struct session *s, const char *id,
				const char *text)
{
	struct writer w;
	session_leave(s);
	int err = writer_begin(&w, s);
	if (!err) {
		err = writer_set_label(&w, test_find(s, id), span_of(text));
		writer_end(&w);
	}
	CHECK_INT(session_enter(s), 0);
	return err;
}

/* "a<- b<a": the entries in their order, each with its parent. */
static inline void dialect_add_tree(const struct session *s, struct buf *out)
{
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		buf_adds(out, i > 0 ? " " : "");
		buf_add(out, test_id(s, i));
		buf_addc(out, '<');
		buf_add(out, test_id(s, session_entry(s, i)->parent));
	}
}

static inline void dialect_check_tree(const struct session *s, const char *want)
{
	struct buf tree = { 0 };
	dialect_add_tree(s, &tree);
	CHECK_BUF(&tree, want);
	buf_free(&tree);
}

/* The context at an entry, "|" for the empty line between blocks. */
static inline void dialect_add_text(const struct session *s, uint32_t entry,
				    struct buf *out)
{
	struct buf text = { 0 };
	CHECK_INT(context_add(s, entry, MESSAGE_FORM_TEXT, &text), 0);
	for (size_t i = 0; i + 1 < text.len; i++) {
		bool gap = text.data[i] == '\n' && text.data[i + 1] == '\n';
		buf_addc(out, gap ? '|' : text.data[i]);
		i += gap;
	}
	buf_free(&text);
}

static inline void dialect_check_text(const struct session *s, const char *id,
				      const char *want)
{
	struct buf text = { 0 };
	dialect_add_text(s, test_find(s, id), &text);
	CHECK_BUF(&text, want);
	buf_free(&text);
}

/* A search for any word of the content looks at the entry's line. */
static inline void dialect_check_listed(const struct session *s, uint32_t entry,
					struct span content)
{
	struct buf line = { 0 };
	struct json json;
	CHECK_INT(session_read(s, entry, &line, &json), 0);
	CHECK_SPAN(unlisted_run(s->dialect, buf_span(&line), content),
		   SPAN(""));
	buf_free(&line);
}

/* What info says is wrong with the file. */
static inline void dialect_check_problems(const struct session *s,
					  const char *want)
{
	struct buf text = { 0 };
	check_add_info(s, &text);
	CHECK_BUF(&text, want);
	buf_free(&text);
}

/* What can be asked of a session can be asked of this one, without a fault. */
static inline void dialect_ask_all(const struct session *s)
{
	struct buf out = { 0 };
	CHECK_INT(info_add(s, &out), 0);
	CHECK_INT(outline_add(s, false, 0, &out), 0);
	CHECK_INT(page_add(s, &out), 0);
	for (uint32_t i = 0; i < s->now.index.n && i < 200; i++) {
		uint64_t size;
		CHECK_INT(test_content_size(s, i, &size), 0);
		CHECK_INT(meta_add(s, i, &out), 0);
		CHECK_INT(context_add(s, i, MESSAGE_FORM_TEXT, &out), 0);
		CHECK_INT(context_add(s, i, MESSAGE_FORM_JSON, &out), 0);
		CHECK_INT(s->dialect->sending->branch(s, i, 1, &out), 0);
	}
	buf_free(&out);
}

#endif
