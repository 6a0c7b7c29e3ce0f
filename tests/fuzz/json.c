/* JSON texts: what is accepted, what is in it, and how it is printed. */
#include <errno.h>
#include <cjson/cJSON.h>

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/json/writer.h"
#include "tests/fuzz/fuzz.h"

static struct json parsed(struct span text)
{
	struct json v;
	FUZZ_CHECK(json_check(text, &v) == 0);
	return v;
}

/* What a string says, printed again, says the same. */
static void check_string(struct json v)
{
	struct buf text = { 0 };
	struct buf quoted = { 0 };
	struct buf again = { 0 };
	json_decode(&text, v);
	json_quote(&quoted, buf_span(&text));
	json_decode(&again, parsed(buf_span(&quoted)));
	fuzz_check_same("a string and it printed", buf_span(&text),
			buf_span(&again));
	FUZZ_CHECK(json_is(v, buf_span(&text)));
	FUZZ_CHECK(json_truthy(v) == (text.len > 0));
	text_finish(&text, 0);
	fuzz_check_text(&text);
	buf_free(&text);
	buf_free(&quoted);
	buf_free(&again);
}

static void check_number(struct json v)
{
	struct buf text = { 0 };
	double d = json_number(v);
	js_to_string(&text, v);
	if (d - d == 0)
		FUZZ_CHECK(json_number(parsed(buf_span(&text))) == d);
	buf_free(&text);
}

/* A time that is understood is understood as it is printed. */
static void check_time(struct json v)
{
	struct buf text = { 0 };
	int64_t time = timestamp_parse(v);
	buf_addc(&text, '"');
	timestamp_add(&text, time);
	buf_addc(&text, '"');
	FUZZ_CHECK(timestamp_parse(parsed(buf_span(&text))) == time);
	buf_free(&text);
}

/* An object as JavaScript has it: no key twice, the last value for each. */
static void check_members(struct json v)
{
	struct js_members m = { 0 };
	if (json_type(v) != JSON_OBJECT)
		return;
	FUZZ_CHECK(js_members_load(&m, v) == 0);
	for (size_t i = 0; i < m.n && i < 64; i++) {
		struct json last = { 0 };
		JSON_EACH_MEMBER(key, value, v) {
			if (json_is(key, m.list[i].key))
				last = value;
		}
		FUZZ_CHECK(last.raw.p == m.list[i].value.raw.p);
		for (size_t k = 0; k < i; k++)
			FUZZ_CHECK(!span_eq(m.list[i].key, m.list[k].key));
		if (memchr(m.list[i].key.p, '\0', m.list[i].key.n))
			continue;
		struct buf name = { 0 };
		buf_add(&name, m.list[i].key);
		const char *names[] = { buf_cstr(&name), "type" };
		struct json found[2];
		bool is_type = strcmp(names[0], names[1]) == 0;
		json_get_all(v, is_type ? 1 : 2, names, found);
		FUZZ_CHECK(found[0].raw.p == last.raw.p);
		FUZZ_CHECK(json_get(v, names[0]).raw.p == last.raw.p);
		FUZZ_CHECK(is_type ||
			   found[1].raw.p == json_get(v, "type").raw.p);
		buf_free(&name);
	}
	js_members_free(&m);
}

/* The value inside of which the next walk is made: one for each level. */
static struct json check_elements(struct json v, const struct scan_ends *ends)
{
	struct json inner = { 0 };
	struct json value = { 0 };
	struct json quick = { 0 };
	struct json key;
	struct json_walk w = json_walk(v);
	struct json_walk fast = json_walk(v);
	bool object = json_type(v) == JSON_OBJECT;
	fast.ends = ends;
	while (object ? json_next_member(&w, &key, &value)
		      : json_next_element(&w, &value)) {
		FUZZ_CHECK(object ? json_next_member(&fast, &key, &quick)
				  : json_next_element(&fast, &quick));
		FUZZ_CHECK(value.raw.p == quick.raw.p);
		FUZZ_CHECK(value.raw.n == quick.raw.n);
		parsed(value.raw);
		if (object)
			check_string(key);
		if (json_type(value) == JSON_STRING)
			check_string(value);
		if (json_type(value) == JSON_NUMBER)
			check_number(value);
		if (json_type(value) >= JSON_ARRAY)
			inner = value;
		check_time(value);
	}
	return inner;
}

/* As JSON.stringify has it, it is JSON, and stays what it is. */
static void check_print(struct json v, unsigned indent)
{
	struct buf one = { 0 };
	struct buf two = { 0 };
	js_stringify(&one, v, indent);
	const char *text = buf_cstr(&one);
	FUZZ_CHECK(text);
	struct json again = parsed(buf_span(&one));
	js_stringify(&two, again, indent);
	fuzz_check_same("printed, and printed again", buf_span(&one),
			buf_span(&two));
	buf_free(&two);
	js_to_string(&two, v);
	FUZZ_CHECK(buf_error(&two) == 0);
	buf_free(&two);
	/* What others read too: cJSON knows no lone halves and no depth. */
	bool plain = !strstr(text, "\\ud");
	cJSON *theirs = cJSON_Parse(text);
	struct scan_ends ends = { 0 };
	FUZZ_CHECK(json_ends_load(&ends, again) == 0);
	FUZZ_CHECK(theirs || !plain || ends.n > 0);
	json_ends_free(&ends);
	cJSON_Delete(theirs);
	buf_free(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json v;
	struct scan_ends ends = { 0 };
	int err = json_check(fuzz_input(data, size), &v);
	FUZZ_CHECK(err == 0 || err == -EBADMSG);
	if (err)
		return 0;
	FUZZ_CHECK(json_type(v) != JSON_ABSENT);
	check_print(v, 0);
	check_print(v, 2);
	check_time(v);
	FUZZ_CHECK(json_ends_load(&ends, v) == 0);
	for (int level = 0; level < 32 && v.raw.n > 0; level++) {
		check_members(v);
		v = check_elements(v, &ends);
	}
	json_ends_free(&ends);
	return 0;
}
