#include "core/show/step_name.h"

#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "core/base/text.h"
#include "core/session/file_name.h"
#include "core/show/rows.h"
#include "core/show/words.h"

#define KIND_COLUMNS 22
/* Enough for the letters: runs of other characters are dropped. */
#define WORDS_COLUMNS (4 * STEP_NAME_LETTERS)
#define NUMBER_DIGITS 10

static bool is_letter(uint32_t cp, const char *kept)
{
	if (cp < 0x80)
		return (cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') ||
		       (cp >= 'a' && cp <= 'z') ||
		       (cp > 0 && strchr(kept, (int)cp));
	return iswalnum((wint_t)cp);
}

/* A combining mark, or the vowel or final consonant of a Korean syllable. */
static bool is_mark(uint32_t cp)
{
	if (cp < 0x80)
		return false;
	return iswctype((wint_t)cp, wctype("combining")) ||
	       (wcwidth((wchar_t)cp) == 0 && iswalnum((wint_t)cp));
}

/* The length of a character at the start of the text, with its marks. */
static size_t whole_character(struct span text)
{
	size_t len;
	size_t n;
	text_code_point(text, &n);
	while (n < text.n && is_mark(text_code_point(span_from(text, n), &len)))
		n += len;
	return n;
}

void step_name_squeeze(struct buf *out, struct span text, const char *kept,
		       size_t letters, size_t limit)
{
	bool begun = false;
	bool gap = false;
	while (text.n > 0) {
		size_t len;
		uint32_t cp = text_code_point(text, &len);
		size_t n = whole_character(text);
		gap = begun && gap;
		if (is_letter(cp, kept)) {
			if (letters < 1 + (size_t)gap ||
			    out->len + gap + n > limit)
				return;
			if (gap)
				buf_addc(out, '-');
			buf_add(out, (struct span){ text.p, n });
			letters -= 1 + (size_t)gap;
			begun = true;
			gap = false;
		} else {
			gap = true;
		}
		text = span_from(text, n);
	}
}

int step_name_add(const struct session *s, uint32_t number, uint32_t entry,
		  struct buf *out)
{
	struct words w;
	struct buf line BUF_SCOPED = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(out);
	struct json json;
	size_t limit = out->len + FILE_NAME_LIMIT;
	buf_addf(out, "%04u-", number);
	words_begin(&w, s);
	int err = session_read(s, entry, &line, &json);
	if (!err) {
		size_t at = out->len;
		words_add_kind(&w, &text, json, KIND_COLUMNS);
		step_name_squeeze(out, buf_span(&text), "_", KIND_COLUMNS,
				  limit);
		if (out->len == at)
			buf_adds(out, "unknown");
		buf_clear(&text);
		if (rows_is_said(s->dialect->showing, json))
			err = words_add(&w, &text, entry, json, WORDS_COLUMNS);
		at = out->len;
		buf_addc(out, '-');
		step_name_squeeze(out, buf_span(&text), "", STEP_NAME_LETTERS,
				  limit);
		if (out->len == at + 1)
			out->len = at;
	}
	words_end(&w);
	return err ? err : buf_error(out);
}

uint32_t step_name_number(struct span name, bool *whole)
{
	uint64_t number = 0;
	size_t n = 0;
	while (n < name.n && n < NUMBER_DIGITS && name.p[n] >= '0' &&
	       name.p[n] <= '9')
		number = number * 10 + (uint64_t)(name.p[n++] - '0');
	*whole = n == name.n;
	if (n == 0 || (n < name.n && name.p[n] != '-') || number > INDEX_LIMIT)
		return 0;
	return (uint32_t)number;
}
