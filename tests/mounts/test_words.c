/* The rows of tree.txt: the kind and the words of entries (core/show/words.h).
 */
#include "tests/mounts/mounts.h"

/* The message with these blocks. */
#define CALLS(id, parent, blocks) \
	MESSAGE(id, parent, "assistant", ",'content':[" blocks "]")
#define RESULT(id, parent, call, tool, failed, text)         \
	MESSAGE(id, parent, "toolResult",                    \
		",'toolCallId':'" call "','toolName':'" tool \
		"','isError':" failed                        \
		",'content':[{'type':'text','text':'" text "'}]")

/* The entries of a small session of Pi, which all tools of the family have. */
static const char *const pi_entries[] = {
	MESSAGE("a0000001", "null", "system",
		",'content':'You are an agent.\\nBe brief.'"),
	USER("a0000002", "'a0000001'", "Write a word counter in C"),
	CALLS("a0000003", "'a0000002'",
	      "{'type':'thinking','thinking':'C, then.'}"),
	CALLS("a0000004", "'a0000003'",
	      "{'type':'text','text':'I will compile it.'},"
	      "{'type':'toolCall','id':'c1','name':'bash',"
	      "'arguments':{'command':'cc -o wc wc.c'}},"
	      "{'type':'toolCall','id':'c2','name':'read','arguments':"
	      "{'path':'/work/demo/wc.c','offset':1,'limit':40}},"
	      "{'type':'toolCall','id':'c3','name':'deploy',"
	      "'arguments':{'n':1,'where':'staging'}},"
	      "{'type':'toolCall','id':'c4','name':'status','arguments':{}}"),
	RESULT("a0000005", "'a0000004'", "c1", "bash", "true",
	       "wc.c:3: error\\nstopped"),
	RESULT("a0000006", "'a0000005'", "c2", "read", "false", "int main"),
	RESULT("a0000007", "'a0000006'", "c3", "deploy", "false", ""),
	RESULT("a0000008", "'a0000007'", "c9", "deploy", "false",
	       "not asked for"),
	MESSAGE("a0000009", "'a0000008'", "bashExecution",
		",'command':'make','output':'x','exitCode':2"),
	MESSAGE("a000000a", "'a0000009'", "assistant",
		",'content':[],'stopReason':'aborted'"),
	ENTRY("compaction", "a000000b", "'a000000a'",
	      ",'summary':'The counter is done.','tokensBefore':12345,"
	      "'firstKeptEntryId':'a000000a'"),
	ENTRY("thinking_level_change", "a000000c", "'a000000b'",
	      ",'thinkingLevel':'high'"),
	NULL,
};

#define WORDS_OF_CALLS                              \
	"I will compile it. [bash: cc -o wc wc.c] " \
	"[read: wc.c:1-40] [deploy: staging] [status]"
#define WORDS_OF_FAILED "[bash: cc -o wc wc.c] error: wc.c:3: error stopped"

static void write_pi_entries(void)
{
	ADD_LINES(HEADER);
	add_lines(pi_entries);
}

/* How many lines of what was heard have this text? Those of the session's
 * head do not count. */
static unsigned heard_with(const char *words)
{
	unsigned n = 0;
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		n += !span_starts(line, SPAN("session")) &&
		     memmem(line.p, line.n, words, strlen(words)) != NULL;
	}
	return n;
}

/* Is this a line of what was heard? */
static bool heard(const char *want)
{
	for (struct span rest = buf_span(&mounts_output); rest.n > 0;)
		if (span_eq(span_next_line(&rest), span_of(want)))
			return true;
	return false;
}

static void in_folders(void)
{
	write_pi_entries();
	mount_session();
	CHECK_FILE("by-id/a0000005/words", "toolResult  " WORDS_OF_FAILED "\n");
	CHECK_FILE("by-id/a0000004/words", "assistant  " WORDS_OF_CALLS "\n");
	CHECK_FILE("HEAD/words", "thinking_level_change  high\n");
	CHECK_INT(stat_of("HEAD/words").st_size, text_of("HEAD/words").n);
	struct span names = names_in("HEAD");
	CHECK(memmem(names.p, names.n, "content ", 8) != NULL);
	CHECK(memmem(names.p, names.n, "words", 5) == NULL);
	CHECK_INT(HEAR(sessfs_program(), "log", "-n", "2", "by-id/a0000005"),
		  0);
	CHECK(heard("Kind:  toolResult"));
	CHECK(heard("Words: " WORDS_OF_FAILED));
	CHECK(heard("Words: " WORDS_OF_CALLS));
	/* Words that the content begins with are not repeated. */
	CHECK_INT(HEAR(sessfs_program(), "log", "-n", "1", "by-id/a0000002"),
		  0);
	CHECK_INT(heard_with("Write a word counter in C"), 1);
	/* An entry of that id is escaped, as those of other files' names are.
	 */
	append_user("words", "a000000c", "last");
	CHECK_HEAD("by-id/%77ords");
	CHECK_FILE("HEAD/words", "user  last\n");
}

static size_t widest(const char *path)
{
	size_t most = 0;
	for (struct span rest = text_of(path); rest.n > 0;) {
		size_t n = characters_in(span_next_line(&rest));
		most = n > most ? n : most;
	}
	return most;
}

/* Is a line as wide, and does it begin so, and name the tool? */
static void check_line(struct span line, size_t columns, const char *begins)
{
	CHECK_INT(characters_in(line), columns);
	CHECK(span_starts(line, span_of(begins)));
	CHECK(memmem(line.p, line.n, "[bash", 5) != NULL);
}

/* The only output is this line, on stderr. */
static void check_refused(const char *columns)
{
	char option[64], want[128];
	const char *printed = test_path("printed");
	snprintf(option, sizeof(option), "columns=%s", columns);
	snprintf(want, sizeof(want),
		 "sessfs: columns=%s: must be a number from 40 to 1000\n",
		 columns);
	test_row = option;
	CHECK_INT(HEAR("sh", "-c",
		       "printed=$1; shift; exec \"$@\" 2>&1 >\"$printed\"", "-",
		       printed, sessfs_program(), "-o", option, mounts_session,
		       mounts_at),
		  2);
	CHECK_SPAN(buf_span(&mounts_output), span_of(want));
	CHECK_FILE(printed, "");
	test_row = NULL;
}

static void columns(void)
{
	static const char *const bad[] = {
		"0", "39", "1001", "x", "-1", "", "99999999999999999999"
	};
	static const unsigned wide[] = { 40, 72, 100, 250, 1000 };
	static char words[2001], lines[8192];
	for (size_t i = 0; i < 400; i++)
		memcpy(words + 5 * i, "word ", 5);
	snprintf(lines, sizeof(lines),
		 CALLS("00000001", "null",
		       "{'type':'text','text':'%s'},"
		       "{'type':'toolCall','id':'c','name':'bash',"
		       "'arguments':{'command':'%s'}}"),
		 words, words);
	ADD_LINES(HEADER, lines);
	snprintf(lines, sizeof(lines),
		 RESULT("00000002", "'00000001'", "c", "bash", "true", "%s"),
		 words);
	ADD_LINES(lines);
	for (size_t i = 0; i < COUNT(wide); i++) {
		char option[32];
		snprintf(option, sizeof(option), "columns=%u", wide[i]);
		test_row = option;
		mount_with(option);
		struct span rest = text_of("tree.txt");
		check_line(span_next_line(&rest), wide[i],
			   "00000001 assistant  ");
		check_line(span_next_line(&rest), wide[i],
			   "00000002 toolResult  ");
		CHECK_INT(rest.n, 0);
		unmount();
	}
	test_row = NULL;
	mount_session();
	CHECK_INT(widest("tree.txt"), 100);
	unmount();
	CHECK_INT(HEAR(sessfs_program(), "export", test_path("out"), "-o",
		       "columns=72", mounts_session),
		  0);
	CHECK_INT(widest(test_path("out/tree.txt")), 72);
	for (size_t i = 0; i < COUNT(bad); i++)
		check_refused(bad[i]);
}

static const struct mounts_test tests[] = {
	TEST("words in an entry's folder is its row, and sessfs log shows it",
	     in_folders),
	TEST("-o columns: lines are as wide, and keep the kind and the tool",
	     columns),
};
RUN_TESTS(tests)
