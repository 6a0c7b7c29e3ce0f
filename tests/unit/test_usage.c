/* How it is summed; what agents count is in tests/corpus, usage-*. */
#include "core/show/usage.h"

#include "tests/unit/test.h"

#define USED(in, cost)                                                      \
	",'usage':{'input':" in ",'output':2,'cacheRead':3,'cacheWrite':4," \
	"'totalTokens':99,'cost':{'input':7,'total':" cost "}}"
#define ANSWER(id, parent, in, cost) \
	MESSAGE(id, parent, "assistant", ",'content':[]" USED(in, cost))

static struct session *open_summed(void)
{
	const struct session_opening how = { .dialects = &dialect_registry,
					     .ingested = usage_ingest };
	struct session *s = NULL;
	const char *reason = NULL;
	int err = session_open(&s, test_path("s.jsonl"), &how, &reason);
	test_need(err == 0, "s.jsonl");
	CHECK_INT(session_enter(s), 0);
	return s;
}

static void check_known(const struct session *s, const char *want)
{
	struct usage sum;
	struct buf got = { 0 };
	for (int again = 0; again < 2; again++) {
		CHECK_INT(usage_total(s, &sum), 0);
		usage_add_lines(&got, "t", &sum);
		CHECK_BUF(&got, want);
	}
	buf_free(&got);
}

/* Summed from the file, and while it is opened. */
static void check_total(const struct session *s, const char *want)
{
	struct session *summed = open_summed();
	check_known(s, want);
	check_known(summed, want);
	test_close(summed);
}

static void check_path(const struct session *s, const char *id,
		       const char *want)
{
	struct usage sum;
	struct buf got = { 0 };
	test_row = id;
	for (int again = 0; again < 2; again++) {
		CHECK_INT(
			usage_to(s, test_find(s, id), (struct json){ 0 }, &sum),
			0);
		usage_add_lines(&got, "p", &sum);
		CHECK_BUF(&got, want);
	}
	buf_free(&got);
	test_row = NULL;
}

static void append(struct session *s, const char *lines)
{
	session_leave(s);
	test_append("s.jsonl", lines);
	CHECK_INT(session_enter(s), 0);
}

/* A last line without its newline counts once. */
TEST(check_unended)
{
	struct buf line = test_quoted(ANSWER("a", "null", "1", "1"));
	line.len--;
	struct session *s = test_session(HEADER);
	session_leave(s);
	test_append("s.jsonl", buf_cstr(&line));
	CHECK_INT(session_enter(s), 0);
	check_total(s, "t-tokens: 10\nt-cost: 1\n");
	append(s, "\n" ANSWER("b", "'a'", "1", "1"));
	check_total(s, "t-tokens: 20\nt-cost: 2\n");
	check_path(s, "b", "p-tokens: 20\np-cost: 2\n");
	test_close(s);
	buf_free(&line);
}

/* Older entries get another place or value, or the file another content. */
TEST(check_changed)
{
	struct session *s = test_session(HEADER ANSWER(
		"a", "null", "1", "1") ANSWER("b", "'late'", "1", "1"));
	check_path(s, "b", "p-tokens: 10\np-cost: 1\n");
	append(s, ANSWER("late", "'a'", "11", "1"));
	check_path(s, "b", "p-tokens: 40\np-cost: 3\n");
	append(s, ANSWER("a", "null", "101", "1"));
	check_path(s, "b", "p-tokens: 140\np-cost: 3\n");
	/* Pi counts both lines with one id. */
	check_total(s, "t-tokens: 150\nt-cost: 4\n");
	session_leave(s);
	test_file("s.jsonl", HEADER ANSWER("c", "null", "1", "1"));
	CHECK_INT(session_enter(s), 0);
	check_path(s, "c", "p-tokens: 10\np-cost: 1\n");
	check_total(s, "t-tokens: 10\nt-cost: 1\n");
	test_close(s);
}

/* Sums that were made while the session was opened read nothing. */
TEST(check_summed)
{
	test_file("s.jsonl", HEADER ANSWER("a", "null", "1", "1"));
	struct session *s = open_summed();
	append(s, ANSWER("b", "'a'", "1", "1"));
	check_known(s, "t-tokens: 20\nt-cost: 2\n");
	test_close(s);
	s = open_summed();
	test_file("s.jsonl", "");
	check_known(s, "t-tokens: 20\nt-cost: 2\n");
	session_leave(s);
	CHECK_INT(session_enter(s), 0);
	check_known(s, "");
	test_close(s);
}

/* A late line makes it another dialect, and all lines are read again. */
TEST(check_turned)
{
	struct buf text = { 0 };
	buf_adds(&text, HEADER);
	for (unsigned i = 0; i < 3000; i++)
		buf_addf(&text, ANSWER("a%u", "null", "1", "1"), i);
	buf_adds(&text, ENTRY("model_usage", "b", "null", USED("1", "1")));
	struct session *s = test_session(buf_cstr(&text));
	CHECK_SPAN(span_of(s->dialect->name), SPAN("omp"));
	CHECK(s->reason_line > 3000);
	check_total(s, "t-tokens: 297099\nt-cost: 3001\n");
	test_close(s);
	buf_free(&text);
}

/* Paths asked for in any order have the sums that the parents make. */
TEST(check_random)
{
	struct session *s = test_session(HEADER);
	double own[400];
	unsigned wrong = 0;
	for (unsigned n = 0; n < 400; n++) {
		struct buf line = { 0 };
		char parent[16] = "null";
		own[n] = test_random() % 2 ? test_random() % 1000 : 0;
		if (n > 0 && test_random() % 20 != 0)
			snprintf(parent, sizeof(parent), "\"e%u\"",
				 test_random() % 3 ? n - 1 : test_random() % n);
		buf_addf(&line,
			 "{\"type\":\"message\",\"id\":\"e%u\",\"parentId\":%s,"
			 "\"message\":{\"role\":\"assistant\",\"usage\":{"
			 "\"output\":%.0f}}}\n",
			 n, parent, own[n]);
		append(s, buf_cstr(&line));
		buf_free(&line);
		uint32_t at = test_random() % (n + 1);
		struct usage sum;
		wrong += usage_to(s, at, (struct json){ 0 }, &sum) != 0;
		for (; at != INDEX_NONE; at = session_entry(s, at)->parent)
			sum.tokens -= own[at];
		wrong += sum.tokens != 0;
	}
	CHECK_INT(wrong, 0);
	test_close(s);
}

#define REPEATED 300
#define RESPONSES 40

/* On each path, and in all, a response counts once, wherever its lines are. */
TEST(check_repeated)
{
	struct session *s = test_session("");
	unsigned response[REPEATED];
	double out[REPEATED];
	double of_all[RESPONSES] = { 0 };
	double total = 0;
	char want[32];
	unsigned wrong = 0;
	for (unsigned n = 0; n < REPEATED; n++) {
		struct buf line = { 0 };
		double most[RESPONSES] = { 0 };
		char parent[16] = "null";
		response[n] = test_random() % RESPONSES;
		out[n] = test_random() % 1000 + 1;
		if (n > 0)
			snprintf(parent, sizeof(parent), "\"e%u\"",
				 test_random() % 9 ? n - 1 : test_random() % n);
		buf_addf(&line,
			 "{\"type\":\"assistant\",\"uuid\":\"e%u\","
			 "\"parentUuid\""
			 ":%s,\"isSidechain\":false,\"sessionId\":\"5e55f500-"
			 "0000-"
			 "4000-8000-000000000001\",\"timestamp\":\"2026-03-"
			 "01T10:"
			 "00:01.000Z\",\"message\":{\"id\":\"m%u\",\"role\":"
			 "\"assistant\",\"content\":[],\"usage\":{"
			 "\"output_tokens\":%.0f}}}\n",
			 n, parent, response[n], out[n]);
		append(s, buf_cstr(&line));
		buf_free(&line);
		struct usage sum;
		wrong += usage_to(s, n, (struct json){ 0 }, &sum) != 0;
		for (uint32_t i = n; i != INDEX_NONE;
		     i = session_entry(s, i)->parent) {
			if (out[i] > most[response[i]])
				most[response[i]] = out[i];
		}
		for (unsigned i = 0; i < RESPONSES; i++)
			sum.tokens -= most[i];
		wrong += sum.tokens != 0;
		if (out[n] > of_all[response[n]])
			of_all[response[n]] = out[n];
	}
	CHECK_INT(wrong, 0);
	for (unsigned i = 0; i < RESPONSES; i++)
		total += of_all[i];
	snprintf(want, sizeof(want), "t-tokens: %.0f\n", total);
	check_total(s, want);
	test_close(s);
}

#define COUNT_OF(last, total)                                                \
	"{'timestamp':'2026-03-01T10:00:01.000Z','type':'event_msg',"        \
	"'payload':{'type':'token_count','info':{'total_token_usage':{"      \
	"'total_tokens':" total "},'last_token_usage':{'total_tokens':" last \
	"}}}}\n"

/* A response's event may be there several times, and two may use the same. */
TEST(check_codex)
{
	struct session *s = test_session(
		"{'timestamp':'2026-03-01T10:00:00.000Z','type':"
		"'session_meta','payload':{'id':'x','timestamp':"
		"'2026-03-01T10:00:00.000Z'}}\n" COUNT_OF("5", "5")
			COUNT_OF("5", "5") COUNT_OF("5", "10")
				COUNT_OF("5", "10") COUNT_OF("7", "17"));
	check_total(s, "t-tokens: 17\n");
	append(s, COUNT_OF("7", "17") COUNT_OF("3", "20"));
	check_total(s, "t-tokens: 20\n");
	test_close(s);
}

RUN_TESTS("usage")
