#include "core/show/info.h"

#include "tests/unit/test.h"

/* The value of a line, or an empty span if there is none. */
static struct span value_of(const struct buf *info, const char *key)
{
	struct span rest = buf_span(info);
	size_t n = strlen(key);
	while (rest.n > 0) {
		const char *lf = memchr(rest.p, '\n', rest.n);
		size_t line = lf ? (size_t)(lf - rest.p) : rest.n;
		if (line >= n + 2 && memcmp(rest.p, key, n) == 0 &&
		    memcmp(rest.p + n, ": ", 2) == 0)
			return (struct span){ rest.p + n + 2, line - n - 2 };
		rest.p += line + (lf != NULL);
		rest.n -= line + (lf != NULL);
	}
	return SPAN("");
}

struct line {
	const char *key;
	const char *value; /* "" for no such line */
};

static const struct {
	const char *lines;
	struct line want[24];
} rows[] = {
	{ HEADER,
	  { { "session", "0198f000-0000-7000-8000-000000000001" },
	    { "name", "" },
	    { "dialect", "pi" },
	    { "version", "3" },
	    { "cwd", "/work/demo" },
	    { "created", "2026-03-01T10:00:00.000Z" },
	    { "head", "none" },
	    { "leaf", "none" },
	    { "thinking", "off" },
	    { "model", "" },
	    { "entries", "0" },
	    { "branches", "0" },
	    { "roots", "0" },
	    { "depth", "0" },
	    { "labels", "0" },
	    { "lines", "1" },
	    { "bytes", "133" },
	    { "writable", "yes" },
	    { "not-opened", "" },
	    { "bad-lines", "" },
	    { "torn-last-line", "" } } },
	{ HEADER ENTRY("model_change", "a", "null",
		       ",'provider':'p','modelId':'m'")
		  ENTRY("thinking_level_change", "b", "'a'",
			",'thinkingLevel':'high'") USER("c", "'b'", "1")
			  ASSISTANT("side", "'b'", "2")
				  ENTRY("session_info", "d", "'c'",
					",'name':' A\\nB '")
					  ENTRY("label", "e", "'d'",
						",'targetId':'c','label':'x'"),
	  { { "name", "A\\nB" },
	    { "head", "c" },
	    { "leaf", "e" },
	    { "model", "p/m" },
	    { "thinking", "high" },
	    { "entries", "6" },
	    { "branches", "2" },
	    { "roots", "1" },
	    { "depth", "5" },
	    { "labels", "1" },
	    { "lines", "7" } } },
	/* A later message sets the model; compaction does not cut it. */
	{ HEADER ENTRY("model_change", "a", "null",
		       ",'provider':'p','modelId':'m'")
		  ASSISTANT("b", "'a'", "1")
			  ENTRY("compaction", "c", "'b'", ",'summary':''"),
	  { { "model", "prov/m" }, { "depth", "3" } } },
	/* What is wrong, by line. */
	{ "\n" HEADER "bad\nbad\n" USER(
		  "a", "'zz'", "1") "null\n5\n{}\n" HEADER USER("b", "'a'", "2")
		  USER("c", "'b'", "3") USER("a", "'zz'", "4") "{'torn':",
	  { { "bad-lines", "2 (lines 3-4)" },
	    { "lines-without-id", "3 (lines 6-8)" },
	    { "extra-headers", "1 (line 9)" },
	    { "duplicate-ids", "1 (line 12)" },
	    { "missing-parents", "1 (line 12)" },
	    { "torn-last-line", "1 (line 13)" },
	    { "entries", "3" },
	    { "roots", "1" },
	    { "depth", "3" },
	    { "head", "a" } } },
	{ USER("a", "null", "1"),
	  { { "not-opened", "no header" },
	    { "session", "" },
	    { "version", "" },
	    { "writable", "no" } } },
	{ USER("a", "null", "1") HEADER,
	  { { "not-opened", "late header" }, { "writable", "no" } } },
	{ "{'type':'session','version':1,'id':'x',"
	  "'parentSession':'/p'}\n"
	  "{'type':'message','message':{}}\n",
	  { { "version", "1" }, { "parent-session", "/p" }, { "cwd", "" } } },
};

int main(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct session *s = test_session(rows[i].lines);
		CHECK_INT(info_add(s, &b), 0);
		CHECK(b.len > 0 && b.data[b.len - 1] == '\n');
		CHECK_SPAN(value_of(&b, "file"), span_of(s->log.path));
		for (const struct line *l = rows[i].want; l->key; l++) {
			test_row = l->key;
			CHECK_SPAN(value_of(&b, l->key), span_of(l->value));
		}
		test_row = NULL;
		test_close(s);
		buf_clear(&b);
	}
	buf_free(&b);
	return test_done("info");
}
