/*
 * Names of ids and labels. A line of the input is an id, as a JSON string has
 * it: two that differ must not share a name.
 */
#include "core/base/text.h"
#include "core/json/json.h"
#include "core/session/file_name.h"
#include "tests/fuzz/fuzz.h"

#define IDS 8
#define FOLDERS (FILE_NAME_IN_FILES + 1)

static bool is_reserved(struct span name)
{
	static const struct span names[] = {
		SPAN("content"),      SPAN("label"),	   SPAN("meta"),
		SPAN("parent"),	      SPAN("context.txt"), SPAN("context.json"),
		SPAN("branch.jsonl"), SPAN("raw.json"),	   SPAN("words"),
		SPAN("as"),	      SPAN("1.png"),	   SPAN("32767.jpeg"),
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (span_eq(name, names[i]))
			return true;
	}
	return false;
}

static void check_name(struct span id, enum file_name_in in, struct buf *out)
{
	file_name_add(out, id, in);
	fuzz_check_text(out);
	struct span name = buf_span(out);
	FUZZ_CHECK(name.n > 0 && name.n <= FILE_NAME_LIMIT && name.p[0] != '.');
	for (size_t i = 0; i < name.n; i++)
		FUZZ_CHECK((unsigned char)name.p[i] >= 0x20 &&
			   name.p[i] != '/' && name.p[i] != 0x7F);
	FUZZ_CHECK(in != FILE_NAME_IN_ENTRY || !is_reserved(name));
	FUZZ_CHECK(in != FILE_NAME_IN_FILES ||
		   file_name_touch_number(name) == 0);
	FUZZ_CHECK(file_name_is_plain(id, in) == span_eq(id, name));
}

static size_t take_ids(struct span rest, struct buf ids[IDS])
{
	size_t n = 0;
	struct span line;
	while (n < IDS && rest.n > 0) {
		struct buf json = { 0 };
		struct json v;
		if (!fuzz_split(&rest, '\n', &line)) {
			line = rest;
			rest.n = 0;
		}
		buf_addc(&json, '"');
		buf_add(&json, line);
		buf_addc(&json, '"');
		if (json_check(buf_span(&json), &v) == 0)
			json_decode(&ids[n++], v);
		buf_free(&json);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf ids[IDS] = { 0 };
	struct buf names[IDS][FOLDERS] = { 0 };
	size_t n = take_ids(fuzz_input(data, size), ids);
	for (size_t i = 0; i < n; i++) {
		struct span id = buf_span(&ids[i]);
		for (int in = 0; in < FOLDERS; in++)
			check_name(id, (enum file_name_in)in, &names[i][in]);
		for (size_t k = 0; k < i; k++) {
			bool same = span_eq(id, buf_span(&ids[k]));
			for (int in = 0; in < FOLDERS; in++)
				FUZZ_CHECK(span_eq(buf_span(&names[i][in]),
						   buf_span(&names[k][in])) ==
					   same);
		}
	}
	for (size_t i = 0; i < IDS; i++) {
		buf_free(&ids[i]);
		for (int in = 0; in < FOLDERS; in++)
			buf_free(&names[i][in]);
	}
	return 0;
}
