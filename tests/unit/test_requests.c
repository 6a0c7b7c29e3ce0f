/* tests/requests: which contexts are what was sent, as the file says. */
#include "tests/requests/requests.h"
#include "tests/unit/dialect_test.h"

/* Lines of Claude Code: members before the others; the number, of one digit,
 * and the parent's. */
#define SESSION_ID "5e55f500-0000-4000-8000-000000000001"
#define UUID "c1a0de00-0000-4000-8000-00000000000"
#define BELOW(n) "'" UUID n "'"
#define CLAUDE(before, n, parent, is_side, type, members)                     \
	"{" before "'parentUuid':" parent ",'isSidechain':" is_side           \
	",'userType':'external','cwd':'/work/demo','sessionId':"              \
	"'" SESSION_ID                                                        \
	"','version':'2.1.330','gitBranch':'main','type':'" type "'," members \
	",'uuid':'" UUID n "','timestamp':'2026-03-01T10:00:0" n ".000Z'}\n"
#define ASKED(n, parent, is_side, text)              \
	CLAUDE("", n, parent, is_side, "user",       \
	       "'message':{'role':'user','content':" \
	       "'" text "'}")
/* The answer to a request. */
#define ANSWERED(request, n, parent, text)                                     \
	CLAUDE("'requestRef':'" request "',", n, parent, "false", "assistant", \
	       "'message':{'id':'msg_" n                                       \
	       "','type':'message','role':'assistant','model':'m-x',"          \
	       "'content':[{'type':'text','text':'" text                       \
	       "'}],'stop_reason':null,'usage':{'input_tokens':1,'output_"     \
	       "tokens':1}}")
/* A request: what it goes on from, how many messages of that are kept, and the
 * hashes of the others. */
#define REQUEST(id, base, keep, hashes)                            \
	"{'type':'api-request','id':'" id "'," base "'keep':" keep \
	",'params':{'model':'m-x'},'tail':[" hashes "]}\n"
#define BASE(id) "'base':'" id "',"
/* A message as it was sent. */
#define BLOB(hash, role, text)                     \
	"{'type':'api-request-blob','hash':'" hash \
	"','message':{'role':'" role               \
	"','content':[{'type':'text','text':'" text "'}]}}\n"

/* What Claude Code names a message by: SHA-256 of its JSON with sorted members,
 * such as {"content":[{"text":"hello","type":"text"}],"role":"user"}. */
#define USER_HELLO \
	"'605b2cd3bceaf2d08e7ba22785ed603b5cce260a16f3215a2b9751da809810e2'"
#define USER_AGAIN \
	"'5c6ffa3eeef741e3dd67733dd79ece48cf2ce6e67d7b6ac8719d7fdf4e66cc42'"
#define ASSISTANT_FIRST \
	"'2aa77db1400d9bd37ef4a6904b31052643c844165dbdd71130febaeac05f6a91'"
#define ASSISTANT_SECOND \
	"'9a62d9b786f70d88115efa6ae5176ac885e0376ecbe78ff9adef2c453ac3d526'"

/* Check a session; what is printed, and how many differ. */
static void check(const char *dialect, const char *lines, const char *want,
		  size_t different)
{
	struct buf out = { 0 };
	struct session *s = dialect_session(dialect, lines);
	struct request_check c = { .file = "s.jsonl", .out = &out };
	CHECK_INT(requests_check(s, &c), 0);
	requests_add_count(&c);
	CHECK_SPAN(buf_span(&out), span_of(want));
	CHECK_INT(c.different, different);
	buf_free(&out);
	test_close(s);
}

static void check_equal(void)
{
	check("claude",
	      ASKED("1", "null", "false", "hello") BLOB(
		      "h1", "user", "hello\\n") REQUEST("r1", "", "0", "'h1'")
		      ANSWERED("r1", "2", BELOW("1"), "first") ASKED(
			      "3", BELOW("2"), "false",
			      "again") REQUEST("r2", BASE("r1"), "1",
					       ASSISTANT_FIRST "," USER_AGAIN)
			      ANSWERED("r2", "4", BELOW("3"), "second") CLAUDE(
				      "", "5", BELOW("4"), "false",
				      "attachment",
				      "'attachment':{'type':'date_change'},'"
				      "rendered':[{"
				      "'content':'<system-reminder>\\nthe "
				      "date\\n</"
				      "system-reminder>'}],'renderedRole':'"
				      "system'") ASKED("6", BELOW("5"), "false",
						       "third") BLOB("h2",
								     "user",
								     "third")
				      BLOB("h3", "system", "the date") REQUEST(
					      "r3", BASE("r2"), "3",
					      ASSISTANT_SECOND ",'h2','h3'")
					      ANSWERED("r3", "7", BELOW("6"),
						       "end"),
	      "s.jsonl: 3 of 3 recorded requests are the contexts\n", 0);
}

/* Other words, another message that is an entry's, another note, and no base.
 */
static void check_different(void)
{
	check("claude",
	      ASKED("1", "null", "false", "hello") BLOB(
		      "h1", "user", "hullo") REQUEST("r1", "", "0", "'h1'")
		      ANSWERED("r1", "2", BELOW("1"), "first") ASKED(
			      "3", BELOW("2"), "false",
			      "again") REQUEST("r2", "", "0",
					       USER_HELLO ",'ffff'," USER_AGAIN)
			      ANSWERED("r2", "4", BELOW("3"), "second") BLOB(
				      "h3", "system",
				      "the date") REQUEST("r3", "", "0",
							  USER_HELLO ",'h3'")
				      ANSWERED("r3", "5", BELOW("1"), "third")
					      REQUEST("r4", BASE("gone"), "2",
						      "'h1'")
						      ANSWERED("r4", "6",
							       BELOW("1"),
							       "fourth"),
	      "s.jsonl:3: not the context of " UUID "1: block 1: "
	      "sent \"user\" \"text\":\"hullo\",\"type\":\"text\",, "
	      "here \"user\" \"text\":\"hello\",\"type\":\"text\",\n"
	      "s.jsonl:6: not the context of " UUID "3: block 2: "
	      "sent a message with the hash ffff, here \"assistant\" "
	      "\"text\":\"first\",\"type\":\"text\",\n"
	      "s.jsonl:9: not the context of " UUID "1: note 1: "
	      "sent \"the date\", here nothing\n"
	      "s.jsonl: 0 of 3 recorded requests are the contexts; "
	      "of 1 more the beginning is missing\n",
	      3);
}

int main(void)
{
	check_equal();
	check_different();
	/* Other agents record none. */
	check("pi", HEADER USER("a", "null", "x"),
	      "s.jsonl: the agent has recorded no requests here\n", 0);
	return test_done("requests");
}
