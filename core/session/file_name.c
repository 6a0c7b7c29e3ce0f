#include "core/session/file_name.h"

#include <ctype.h>
#include <uuid/uuid.h>

static bool looks_like_picture(struct span s)
{
	size_t i = 0;
	while (i < s.n && isdigit((unsigned char)s.p[i]))
		i++;
	return i > 0 && i + 1 < s.n && s.p[0] != '0' && s.p[i] == '.' &&
	       !memchr(s.p + i + 1, '.', s.n - i - 1);
}

static bool looks_like_agent(struct span s)
{
	struct span first = SPAN(FILE_NAME_AGENT);
	size_t i = first.n + 1;
	if (!span_starts(s, first) || (s.n > first.n && s.p[first.n] != '-'))
		return false;
	while (i < s.n && isdigit((unsigned char)s.p[i]))
		i++;
	return i >= s.n;
}

void file_name_add_touch(struct buf *out, uint32_t number, enum file_act act,
			 bool failed)
{
	buf_addf(out, "%04u-", number);
	file_act_add(out, act, failed);
}

uint32_t file_name_touch_number(struct span name)
{
	static const struct span failed = SPAN(FILE_ACT_FAILED);
	uint64_t number = 0;
	size_t i = 0;
	for (; i < name.n && i < 10 && isdigit((unsigned char)name.p[i]); i++)
		number = number * 10 + (uint64_t)(name.p[i] - '0');
	if (i < 4 || i >= name.n || name.p[i] != '-' || number > UINT32_MAX ||
	    (i > 4 && name.p[0] == '0'))
		return 0;
	struct span act = { name.p + i + 1, name.n - i - 1 };
	if (span_ends(act, failed))
		act.n -= failed.n;
	for (int k = FILE_TOUCH; k < FILE_ACTS; k++) {
		if (span_eq(act, span_of(file_act_name((enum file_act)k))))
			return (uint32_t)number;
	}
	return 0;
}

static bool is_reserved_in(struct span s, enum file_name_in in)
{
	static const struct span files[] = { FILE_NAME_ENTRY_FILES };
	if (in == FILE_NAME_IN_FILES)
		return span_eq(s, SPAN("@")) || span_eq(s, SPAN("~")) ||
		       file_name_touch_number(s) > 0;
	if (in != FILE_NAME_IN_ENTRY)
		return false;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (span_eq(s, files[i]))
			return true;
	}
	return looks_like_picture(s) || looks_like_agent(s);
}

static bool is_special(struct span s, size_t i)
{
	unsigned char c = (unsigned char)s.p[i];
	if (c < 0x20 || c == '/' || c == 0x7F)
		return true;
	if (c == '%')
		return (i + 1 < s.n && s.p[i + 1] == '-') ||
		       (i + 2 < s.n && isxdigit((unsigned char)s.p[i + 1]) &&
			isxdigit((unsigned char)s.p[i + 2]));
	return c == 0xED && i + 1 < s.n && (unsigned char)s.p[i + 1] >= 0xA0;
}

bool file_name_is_plain(struct span text, enum file_name_in in)
{
	if (text.n == 0 || text.n > FILE_NAME_LIMIT || text.p[0] == '.' ||
	    is_reserved_in(text, in))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (is_special(text, i))
			return false;
	}
	return true;
}

/* A name that is being made: `n` is its length, and goes on after the limit. */
struct making {
	char *out;
	size_t n;
};

static void put(struct making *m, char c)
{
	if (m->n < FILE_NAME_LIMIT)
		m->out[m->n] = c;
	m->n++;
}

static void put_hex(struct making *m, const char digits[16], unsigned char byte)
{
	put(m, digits[byte >> 4]);
	put(m, digits[byte & 15]);
}

static void put_escaped(struct making *m, struct span text, bool first)
{
	for (size_t i = 0; i < text.n && m->n <= FILE_NAME_LIMIT; i++) {
		bool half =
			(unsigned char)text.p[i] == 0xED && is_special(text, i);
		if (!half && !(first && i == 0) && !is_special(text, i)) {
			put(m, text.p[i]);
			continue;
		}
		size_t n = half && i + 2 < text.n ? 3 : 1;
		for (size_t k = 0; k < n; k++) {
			put(m, '%');
			put_hex(m, "0123456789ABCDEF",
				(unsigned char)text.p[i + k]);
		}
		i += n - 1;
	}
}

/* The longest start of at most n bytes that splits no character or escape. */
static size_t whole_characters(const char *name, size_t n)
{
	while (n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80)
		n--;
	for (size_t back = 1; back <= 2 && back <= n; back++) {
		if (name[n - back] == '%')
			return n - back;
	}
	return n;
}

size_t file_name_cut(char *name, size_t most, struct span text)
{
	struct making m = { name, whole_characters(name, most - 34) };
	uuid_t space;
	uuid_t digest;
	uuid_clear(space);
	uuid_generate_sha1(digest, space, text.p, text.n);
	put(&m, '%');
	put(&m, '-');
	for (size_t i = 0; i < sizeof(digest); i++)
		put_hex(&m, "0123456789abcdef", digest[i]);
	return m.n;
}

size_t file_name_make(char out[FILE_NAME_LIMIT], struct span text,
		      enum file_name_in in)
{
	struct making m = { out, 0 };
	if (text.n == 0) {
		put(&m, '%');
		put(&m, '-');
		return m.n;
	}
	bool first = text.p[0] == '.' || is_reserved_in(text, in);
	put_escaped(&m, text, first);
	return m.n > FILE_NAME_LIMIT ? file_name_cut(out, FILE_NAME_LIMIT, text)
				     : m.n;
}

void file_name_add(struct buf *out, struct span text, enum file_name_in in)
{
	char name[FILE_NAME_LIMIT];
	size_t n = file_name_make(name, text, in);
	buf_add(out, (struct span){ name, n });
}
