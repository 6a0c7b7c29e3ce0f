#include "core/dialects/kit/copy.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/session/file_name.h"

/* Of YYYY-MM-DDTHH:MM:SS.sssZ. */
#define TIME_SIZE 24

struct json copy_line_with(struct span branch, const char *member)
{
	struct json none = { 0 };
	while (branch.n > 0) {
		struct json line;
		struct span text = span_next_line(&branch);
		if (json_check(text, &line) == 0 &&
		    json_type(json_get(line, member)) == JSON_STRING)
			return line;
	}
	return none;
}

void copy_add_time(struct buf *out, struct json time, size_t n)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
	struct buf text BUF_SCOPED = BUF_INTO(out);
	json_decode(&text, time);
	bool fits = text.len >= n && n < sizeof(form);
	for (size_t i = 0; i < n && fits; i++) {
		fits = form[i] == 'd' ? isdigit((unsigned char)text.data[i])
				      : text.data[i] == form[i];
	}
	const char *from = fits ? text.data : "1970-01-01T00:00:00.000Z";
	for (size_t i = 0; i < n; i++)
		buf_addc(out, from[i] == ':' || from[i] == '.' ? '-' : from[i]);
}

void copy_add_literal(struct buf *out, struct span path)
{
	for (size_t i = 0; i < path.n; i++) {
		if (memchr("\\*?[", path.p[i], 4))
			buf_addc(out, '\\');
		buf_addc(out, path.p[i]);
	}
}

bool copy_is_same(const char *a, const char *b)
{
	struct stat at;
	struct stat other;
	return stat(a, &at) == 0 && stat(b, &other) == 0 &&
	       at.st_dev == other.st_dev && at.st_ino == other.st_ino;
}

bool copy_is_in_one(const char *path, const char *const *folders)
{
	struct buf folder BUF_SCOPED = { 0 };
	buf_add(&folder, span_folder(span_of(path)));
	const char *at = buf_cstr(&folder);
	bool found = false;
	for (; at && *folders && !found; folders++)
		found = copy_is_same(at, *folders);
	return found;
}

int copy_find_by_id(const struct session *s, struct resuming_copy *c)
{
	struct json line = copy_line_with(c->branch, "sessionId");
	(void)s;
	if (json_type(line) == JSON_ABSENT)
		return -EBADMSG;
	json_decode(&c->name, json_get(line, "sessionId"));
	buf_addf(&c->path, "%s/", c->folders[0]);
	buf_add(&c->path, buf_span(&c->name));
	buf_adds(&c->path, ".jsonl");
	buf_inherit(&c->path, &c->name);
	return buf_error(&c->path);
}

int copy_find_by_time(const struct session *s, struct resuming_copy *c)
{
	struct json header = copy_line_with(c->branch, "id");
	struct buf id BUF_SCOPED = BUF_INTO(&c->path);
	(void)s;
	if (json_type(header) == JSON_ABSENT)
		return -EBADMSG;
	json_decode(&id, json_get(header, "id"));
	buf_addf(&c->path, "%s/", c->folders[0]);
	copy_add_time(&c->path, json_get(header, "timestamp"), TIME_SIZE);
	buf_addc(&c->path, '_');
	file_name_add(&c->path, buf_span(&id), FILE_NAME_ALONE);
	buf_adds(&c->path, ".jsonl");
	return buf_error(&c->path);
}
