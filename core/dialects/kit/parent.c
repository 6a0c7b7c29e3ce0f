#include "core/dialects/kit/parent.h"

#include <errno.h>

#include "core/file/fault.h"
#include "core/file/feed.h"
#include "core/places/agents.h"

/* Most sessions tell in their first line, and that is short. */
#define STEP ((size_t)4 << 10)

struct span parent_file_id(struct span path)
{
	struct span name = span_last_part(path);
	struct span none = { path.p, 0 };
	return span_ends(name, SPAN(".jsonl")) ? agent_id_in_name(name) : none;
}

struct reading {
	parent_line_fn *read;
	struct buf *out;
};

static int read_line(void *data, struct span line, uint64_t offset)
{
	const struct reading *r = data;
	struct json v;
	int err = json_check(offset == 0 ? log_skip_bom(line) : line, &v);
	if (err)
		return err == -ENOMEM ? err : 0;
	return r->read(v, r->out);
}

int parent_read(const struct log *log, parent_line_fn *read, struct buf *out)
{
	struct feed feed = { .step = STEP };
	struct reading r = { read, out };
	uint64_t size = (uint64_t)log->st.st_size;
	if (size > PARENT_LIMIT)
		size = PARENT_LIMIT;
	int err = feed_file(log, &feed, size, read_line, &r);
	buf_free(&feed.chunk);
	return err < 0 ? err : buf_error(out);
}

int parent_find_in(struct span folder, name_key *key, struct span id,
		   const struct finding *how, struct buf *out)
{
	struct buf path BUF_SCOPED = { 0 };
	struct buf name BUF_SCOPED = { 0 };
	buf_add(&path, (struct span){ folder.p, folder.n - (folder.n > 1) });
	const char *text = buf_cstr(&path);
	int found =
		text ? versions_add(how->searched, how->gate, text) : -ENOMEM;
	if (!found)
		found = folder_index_find(how->names, how->gate, text, key, id,
					  &name);
	if (found < 0 && !fault_tells_nothing(found))
		found = 0;
	if (found > 0) {
		buf_add(out, folder);
		buf_add(out, buf_span(&name));
	}
	return out->failed ? -ENOMEM : found;
}

int parent_find_beside(const char *path, struct span id,
		       const struct finding *how, struct buf *out)
{
	return parent_find_in(span_folder(span_of(path)), parent_file_id, id,
			      how, out);
}
