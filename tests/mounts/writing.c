#include "tests/mounts/mounts.h"

struct buf mounts_kept;

int write_with(int flags, const char *path, struct span bytes)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666), err = 0;
	if (fd < 0)
		return errno;
	if (bytes.n > 0 && write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
		err = errno;
	if (close(fd) != 0 && !err)
		err = errno;
	return err;
}

int put(const char *path, const char *bytes)
{
	return write_with(O_CREAT | O_TRUNC, path, span_of(bytes));
}

int append(const char *line)
{
	return write_with(0, "append", span_of(line));
}

int say(const char *lines)
{
	struct buf b = test_quoted(lines);
	if (!span_ends(buf_span(&b), SPAN("\n")))
		buf_addc(&b, '\n');
	int err = write_with(O_TRUNC, "append", buf_span(&b));
	buf_free(&b);
	return err;
}

bool is_refused(const char *line, const char *why)
{
	struct buf before = { 0 };
	size_t reasons = 0;
	bool is;
	test_read(mounts_session, &before);
	is = say(line) == EINVAL &&
	     span_eq(text_of(mounts_session), buf_span(&before));
	buf_free(&before);
	for (struct span rest = text_of("info"); rest.n > 0;)
		reasons += span_starts(span_next(&rest, '\n'),
				       SPAN("last-refused: "));
	struct span s = value_in("info", "last-refused");
	if (is && reasons == 1 && s.n > 0 && memmem(s.p, s.n, why, strlen(why)))
		return true;
	test_print("line  ", span_of(line));
	test_print("reason", s);
	return false;
}

int move_head(const char *target)
{
	static const char staged[] = "CuXXXXXX";
	if (symlink(target, "HEAD") == 0)
		return 0;
	if (errno != EEXIST || symlink(target, staged) != 0)
		return errno;
	int err = ERRNO(rename(staged, "HEAD"));
	if (err)
		unlink(staged);
	return err;
}

/* The session's file. */

size_t session_lines(void)
{
	return lines_in(text_of(mounts_session));
}

struct span last_bytes(void)
{
	struct span s = text_of(mounts_session);
	size_t from = s.n > 0 ? s.n - 1 : 0;
	while (from > 0 && s.p[from - 1] != '\n')
		from--;
	return (struct span){ s.p + from, s.n - from };
}

cJSON *last_line(void)
{
	struct span s = last_bytes();
	cJSON *line = cJSON_ParseWithLength(s.p, s.n);
	test_need(line != NULL, "the last line is no JSON");
	return line;
}

static const cJSON *member_of(const cJSON *object, const char *name)
{
	const cJSON *member, *found = NULL;
	for (member = children_of(object); member; member = member->next)
		if (member->string && strcmp(member->string, name) == 0)
			found = member;
	return found;
}

struct span last(const char *name)
{
	static struct buf value;
	cJSON *line = last_line();
	const cJSON *member = member_of(line, name);
	char *json = member && !cJSON_IsString(member)
			     ? cJSON_PrintUnformatted(member)
			     : NULL;
	buf_clear(&value);
	buf_add(&value, span_of(!member ? "-"
				: json	? json
					: member->valuestring));
	free(json);
	cJSON_Delete(line);
	return buf_span(&value);
}

cJSON *session_values(void)
{
	cJSON *values = cJSON_CreateArray();
	test_need(values != NULL, "memory");
	for (struct span rest = text_of(mounts_session); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		cJSON *value = cJSON_ParseWithLength(line.p, line.n);
		if (value)
			cJSON_AddItemToArray(values, value);
	}
	return values;
}

/* The number of a value that may be counted from the end. */
static int number_of(const cJSON *values, int n)
{
	return n < 0 ? cJSON_GetArraySize(values) + n : n;
}

struct span member(int n, const char *path)
{
	static struct buf texts[8];
	static unsigned next;
	struct buf *b = &texts[next++ % COUNT(texts)];
	cJSON *values = session_values(),
	      *at = cJSON_GetArrayItem(values, number_of(values, n));
	for (struct span rest = span_of(path); at && rest.n > 0;) {
		char name[64];
		struct span s = span_next(&rest, '.');
		snprintf(name, sizeof(name), "%.*s", (int)s.n, s.p);
		at = cJSON_GetObjectItemCaseSensitive(at, name);
	}
	char *json =
		at && !cJSON_IsString(at) ? cJSON_PrintUnformatted(at) : NULL;
	buf_clear(b);
	buf_add(b, span_of(!at ? "-" : json ? json : at->valuestring));
	free(json);
	cJSON_Delete(values);
	return buf_span(b);
}

void keep_session(void)
{
	test_read(mounts_session, &mounts_kept);
}

bool have_come(size_t lines)
{
	struct span now = text_of(mounts_session),
		    kept = buf_span(&mounts_kept);
	bool have = span_starts(now, kept) && span_ends(now, SPAN("\n")) &&
		    lines_in((struct span){ now.p + kept.n, now.n - kept.n }) ==
			    lines;
	if (!have)
		test_print("the session is", now);
	return have;
}

bool came(size_t lines, const char *fixture_name)
{
	test_read(fixture(fixture_name), &mounts_kept);
	return have_come(lines);
}

void append_user(const char *id, const char *parent, const char *says)
{
	char line[4096], up[300];
	snprintf(up, sizeof(up), parent ? "'%s'" : "null", parent);
	snprintf(line, sizeof(line), USER("%s", "%s", "%s"), id, up, says);
	test_append("session.jsonl", line);
}

void write_many(const char *shape, unsigned n)
{
	bool is_chain = strcmp(shape, "chain") == 0;
	FILE *f = fopen(test_file("session.jsonl", HEADER), "a");
	test_need(f != NULL, shape);
	for (unsigned i = 0; i < n; i++) {
		char line[512], up[16] = "null";
		if (is_chain && i > 0)
			snprintf(up, sizeof(up), "'%08x'", i - 1);
		snprintf(line, sizeof(line), USER("%08x", "%s", "entry %u"), i,
			 up, i);
		for (char *p = line; (p = strchr(p, '\'')); p++)
			*p = '"';
		fputs(line, f);
	}
	test_need(!ferror(f) && fclose(f) == 0, shape);
}
