/*
 * HEAD targets. The input is the target, the root of the session in the mount
 * (a line each), and a session.
 */
#include "fs/tree/head_target.h"

#include <errno.h>

#include "core/session/dialect.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/no_wait.h"

/* What a path behind the root leads to: that entry. */
static void check_path(const struct session *s, struct span root,
		       const struct buf *path, uint32_t want)
{
	struct buf full = { 0 };
	uint32_t entry = INDEX_NONE;
	FUZZ_CHECK(target_resolve_below(s, buf_span(path), root, &entry) == 0);
	FUZZ_CHECK(entry == want);
	if (root.n > 0 && root.p[0] == '/') {
		buf_add(&full, root);
		buf_addc(&full, '/');
		buf_add(&full, buf_span(path));
		entry = INDEX_NONE;
		FUZZ_CHECK(target_resolve_below(s, buf_span(&full), root,
						&entry) == 0);
		FUZZ_CHECK(entry == want);
	}
	buf_free(&full);
}

/* Every spelling that the mount itself gives leads to its entry. */
static void check_entry(const struct session *s, struct span root, uint32_t i)
{
	const struct entry *e = session_entry(s, i);
	struct buf path = { 0 };
	buf_adds(&path, "by-id/");
	index_add_name(&s->now.index, &path, i);
	check_path(s, root, &path, i);
	buf_adds(&path, "/content");
	check_path(s, root, &path, i);
	if (e->parent != INDEX_NONE) {
		buf_clear(&path);
		buf_adds(&path, "by-id/");
		index_add_name(&s->now.index, &path, i);
		buf_adds(&path, "/parent");
		check_path(s, root, &path, e->parent);
	} else {
		buf_clear(&path);
		buf_adds(&path, "tree/");
		index_add_name(&s->now.index, &path, i);
		check_path(s, root, &path, i);
	}
	if (bookkeeping_is_tip(&s->now.index, i)) {
		buf_clear(&path);
		buf_adds(&path, "branches/");
		index_add_name(&s->now.index, &path, i);
		check_path(s, root, &path, i);
	}
	buf_free(&path);
}

static void check_labels(const struct session *s, struct span root)
{
	const struct labels *l = &s->now.labels;
	uint32_t i = labels_next(l, 0);
	for (; i != INDEX_NONE; i = labels_next(l, i + 1)) {
		struct buf path = { 0 };
		buf_adds(&path, "by-label/");
		label_add_name(l, &path,
			       labels_of(l, index_id(&s->now.index, i)));
		check_path(s, root, &path, i);
		buf_free(&path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest = fuzz_input(data, size);
	struct span target;
	struct span root;
	uint32_t entry = INDEX_NONE;
	if (!fuzz_split(&rest, '\n', &target) ||
	    !fuzz_split(&rest, '\n', &root))
		return 0;
	fuzz_write("s.jsonl", rest);
	struct session *s = fuzz_open("s.jsonl", NULL);
	if (!s)
		return 0;
	int err = target_resolve_below(s, target, root, &entry);
	FUZZ_CHECK(err == 0 || err == -ENOENT || err == -EINVAL);
	FUZZ_CHECK(err || entry == INDEX_NONE || entry < s->now.index.n);
	for (uint32_t i = 0; i < s->now.index.n && i < 16; i++)
		check_entry(s, root, i);
	check_labels(s, root);
	fuzz_close(s);
	return 0;
}
