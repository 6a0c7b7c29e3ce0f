/*
 * Mount points where sessfs itself looks for files: no request waits for the
 * mount that answers it, and what the mount hides is read. Where one waits, the
 * test takes longer than a minute.
 */
#include "tests/mounts/mounts.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/xattr.h>

/* Lists, with all that ls -l asks for, and reads. */
static int look(const char *path, const struct stat *st, int type,
		struct FTW *ftw)
{
	char names[4096];
	(void)st;
	(void)ftw;
	test_row = path;
	CHECK(llistxattr(path, names, sizeof(names)) >= 0 || errno == ENOTSUP);
	if (type == FTW_SL) {
		CHECK(readlink(path, names, sizeof(names)) > 0);
	} else if (type == FTW_F) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : 1;
		while (n > 0)
			n = read(fd, names, sizeof(names));
		CHECK_INT(n, 0);
		if (fd >= 0)
			close(fd);
	} else {
		CHECK_INT(type, FTW_D);
	}
	test_row = NULL;
	return 0;
}

/* Everything in a folder can be listed and read, and nothing fails. */
static void check_walk(const char *path)
{
	CHECK_INT(nftw(path, look, 16, FTW_PHYS), 0);
}

/* The mount's, and what is not listed. */
static void check_all(void)
{
	check_walk(".");
	CHECK_HAS("lines.txt", "\n");
	CHECK(span_starts(text_of("context.json"), SPAN("[")));
}

/* HEAD and the label of an entry can be written. */
static void check_moves(const char *id)
{
	char entry[128], label[160];
	snprintf(entry, sizeof(entry), "by-id/%s", id);
	snprintf(label, sizeof(label), "%s/label", entry);
	CHECK_INT(move_head(entry), 0);
	CHECK_HEAD(entry);
	CHECK_INT(put(label, "tested\n"), 0);
	CHECK_FILE("by-label/tested/label", "tested\n");
}

/* Make a folder below the test's, with those that it is in. */
static void make(const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s", name);
	for (char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(test_path(path), 0755);
		*p = '/';
	}
	mkdir(test_path(path), 0755);
}

/* Mount a session on a folder, which is made; both are below the test's. */
static void mount_on(const char *session, const char *at)
{
	static char there[PATH_MAX];
	make(at);
	snprintf(there, sizeof(there), "%s", test_path(at));
	mounts_at = there;
	mount_source(test_path(session));
}

/* Mount a session or a folder without entering the mount. */
static void mount_too(const char *source, const char *at)
{
	make(at);
	CHECK_INT(RUN(sessfs_program(), test_path(source), test_path(at)), 0);
}

/* Claude Code's sessions. */

#define UUID "c1a0de00-0000-4000-8000-%012d"
#define SESSION_ID "5e55f500-0000-4000-8000-000000000001"

/* The id of an entry; good for the next seven calls. */
static const char *uuid(int n)
{
	static char ids[8][64];
	static unsigned next;
	char *id = ids[next++ % COUNT(ids)];
	snprintf(id, sizeof(ids[0]), UUID, n);
	return id;
}

/* A path in an entry's folder; good for the next seven calls. */
static const char *in_entry(int n, const char *name)
{
	static char paths[8][128];
	static unsigned next;
	char *path = paths[next++ % COUNT(paths)];
	snprintf(path, sizeof(paths[0]), "by-id/%s%s", uuid(n), name);
	return path;
}

/* Lines of a file, which are put into it in the end. */
struct lines {
	struct buf text;
	bool are_sidechains;
};

__attribute__((format(printf, 2, 3))) static void add(struct lines *l,
						      const char *shape, ...)
{
	char line[4096];
	va_list args;
	va_start(args, shape);
	vsnprintf(line, sizeof(line), shape, args);
	va_end(args);
	buf_add(&l->text, span_of(line));
}

static void write_to(const char *name, struct lines *l)
{
	buf_addc(&l->text, '\0');
	test_file(name, l->text.data);
	buf_free(&l->text);
}

/* An entry: its number and its parent's, 0 for none; type, other members. */
static void add_entry(struct lines *l, int n, int parent, const char *type,
		      const char *rest)
{
	char up[64] = "null";
	if (parent > 0)
		snprintf(up, sizeof(up), "'" UUID "'", parent);
	add(l,
	    "{'parentUuid':%s,'isSidechain':%s,'userType':'external',"
	    "'cwd':'/work/demo','sessionId':'" SESSION_ID "',"
	    "'version':'2.1.330','gitBranch':'main','type':'%s',%s,"
	    "'uuid':'%s','timestamp':'2026-03-01T10:00:%02d.000Z'}\n",
	    up, l->are_sidechains ? "true" : "false", type, rest, uuid(n), n);
}

static void add_user(struct lines *l, int n, int parent, const char *text)
{
	char rest[1024];
	snprintf(rest, sizeof(rest), "'message':{'role':'user','content':'%s'}",
		 text);
	add_entry(l, n, parent, "user", rest);
}

/* A part of the response with this number. */
static void add_block(struct lines *l, int n, int parent, int response,
		      const char *block)
{
	char rest[1024];
	snprintf(rest, sizeof(rest),
		 "'message':{'id':'msg_%d','type':'message',"
		 "'role':'assistant','model':'m-x','content':[%s],"
		 "'stop_reason':null,"
		 "'usage':{'input_tokens':1,'output_tokens':1}}",
		 response, block);
	add_entry(l, n, parent, "assistant", rest);
}

static void add_answer(struct lines *l, int n, int parent, const char *text)
{
	char block[256];
	snprintf(block, sizeof(block), "{'type':'text','text':'%s'}", text);
	add_block(l, n, parent, n, block);
}

/* A call of the tool Agent. */
static void add_call(struct lines *l, int n, int parent, int response,
		     const char *call)
{
	char block[256];
	snprintf(block, sizeof(block),
		 "{'type':'tool_use','id':'%s','name':'Agent',"
		 "'input':{'prompt':'look'}}",
		 call);
	add_block(l, n, parent, response, block);
}

/* The result of a call, and more members. */
static void add_result(struct lines *l, int n, int parent, const char *call,
		       const char *text, const char *more)
{
	char rest[1024];
	snprintf(rest, sizeof(rest),
		 "'message':{'role':'user','content':[{'tool_use_id':'%s',"
		 "'type':'tool_result','content':'%s'}]}%s",
		 call, text, more);
	add_entry(l, n, parent, "user", rest);
}

/* A result that stands for a file. */
static void add_w_txt(struct lines *l, int n, int parent)
{
	char call[16];
	snprintf(call, sizeof(call), "t%d", n);
	add_result(l, n, parent, call,
		   "<persisted-output>\\nOutput too large (106.3KB). Full "
		   "output saved to: /home/x/.claude/projects/p/s/tool-results/"
		   "w.txt\\n\\nPreview (first 2KB):\\n1\\n2\\n...\\n"
		   "</persisted-output>",
		   "");
}

/* The transcript of a subagent in a folder: what it was told, and says. */
static void write_agent(const char *folder, const char *name, int n,
			const char *told, const char *says)
{
	char path[256];
	struct lines l = { .are_sidechains = true };
	bool calls = n == 40; /* another one */
	add_user(&l, n, 0, told);
	if (calls) {
		add_call(&l, n + 1, n, n + 1, "t3");
		add_result(&l, n + 2, n + 1, "t3",
			   "seen\\nagentId: cc33 (to go on with it)\\nmore: no",
			   "");
	}
	add_answer(&l, n + 9, calls ? n + 2 : n, says);
	make(folder);
	snprintf(path, sizeof(path), "%s/agent-%s.jsonl", folder, name);
	write_to(path, &l);
}

/* NAME.jsonl: 1, then 2 calls two subagents in two lines, whose results are 4
 * and 5; 6 says so; 7 is in a file. The second subagent has started a third. */
static void write_agents(const char *name)
{
	char folder[64], path[128];
	struct lines l = { .are_sidechains = false };
	add_user(&l, 1, 0, "look at both");
	add_call(&l, 2, 1, 2, "t1");
	add_call(&l, 3, 2, 2, "t2");
	add_result(&l, 4, 2, "t1", "seen",
		   ",'toolUseResult':{'status':'completed','agentId':'aa11'}");
	add_result(&l, 5, 3, "t2", "seen",
		   ",'toolUseResult':{'status':'completed','agentId':'bb22'}");
	add_answer(&l, 6, 5, "Both seen.");
	add_w_txt(&l, 7, 6);
	snprintf(path, sizeof(path), "%s.jsonl", name);
	write_to(path, &l);
	snprintf(folder, sizeof(folder), "%s/subagents", name);
	write_agent(folder, "aa11", 20, "look at the walrus", "A walrus.");
	write_agent(folder, "bb22", 40, "look at the narwhal", "A narwhal.");
	write_agent(folder, "cc33", 50, "look at the orca", "An orca.");
	snprintf(path, sizeof(path), "%s/agent-aa11.meta.json", folder);
	test_file(path, "{'agentType':'general-purpose'}\n");
	snprintf(folder, sizeof(folder), "%s/tool-results", name);
	make(folder);
	snprintf(path, sizeof(path), "%s/w.txt", folder);
	test_file(path, "a whole walrus\n");
}

static void claude_own(void)
{
	struct stat st;
	write_agents("session");
	int walrus = open(test_path("session/subagents/agent-aa11.jsonl"),
			  O_WRONLY | O_APPEND | O_CLOEXEC),
	    own = open(test_path("session"), O_RDONLY | O_CLOEXEC);
	test_need(walrus >= 0 && own >= 0, "session");
	mount_on("session.jsonl", "session");
	check_all();
	CHECK_HAS(in_entry(7, "/content"), "a whole walrus");
	CHECK_HAS("lines.txt", "a whole walrus");
	CHECK_NAMES("subagents", "agent-aa11 agent-bb22 agent-cc33 ");
	CHECK_LINK(in_entry(2, "/agent"), "../../subagents/agent-aa11");
	CHECK_HAS(in_entry(2, "/agent/HEAD/content"), "A walrus.");
	check_moves(uuid(1));
	/* What is written there meanwhile shows at once. */
	struct lines l = { .are_sidechains = true };
	add_answer(&l, 30, 29, "Another walrus.");
	buf_addc(&l.text, '\0');
	struct buf line = test_quoted(l.text.data);
	CHECK_INT(write(walrus, line.data, line.len), line.len);
	CHECK_LINK("subagents/agent-aa11/HEAD", in_entry(30, ""));
	CHECK_HAS("subagents/agent-aa11/HEAD/content", "Another walrus.");
	buf_free(&line);
	buf_free(&l.text);
	/* So does what is written beside the session of a subagent. */
	char label[256];
	snprintf(label, sizeof(label), "subagents/agent-aa11/%s",
		 in_entry(20, "/label"));
	CHECK_INT(put(label, "tested\n"), 0);
	CHECK_FILE("subagents/agent-aa11/by-label/tested/label", "tested\n");
	CHECK_INT(
		ERRNO(fstatat(own, "subagents/agent-aa11.sessfs.json", &st, 0)),
		0);
	CHECK(st.st_size > 0);
	int whale = openat(own, "tool-results/w.txt",
			   O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK_INT(write(whale, "a whole whale\n", 14), 14);
	WAIT_UNTIL(has(in_entry(7, "/content"), "a whole whale"));
	close(whale);
	close(walrus);
	close(own);
}

static void claude_parts(void)
{
	write_agents("session");
	mount_on("session.jsonl", "session/subagents");
	check_all();
	CHECK_NAMES("subagents", "agent-aa11 agent-bb22 agent-cc33 ");
	CHECK_HAS("subagents/agent-bb22/HEAD/content", "A narwhal.");
	unmount();
	write_agent("session/subagents/more", "dd44", 60, "look at the seal",
		    "A seal.");
	mount_on("session.jsonl", "session/subagents/more");
	check_all();
	CHECK_NAMES("subagents", "agent-aa11 agent-bb22 agent-cc33 more ");
	CHECK_HAS("subagents/more/agent-dd44/HEAD/content", "A seal.");
	unmount();
	mount_on("session.jsonl", "session/tool-results");
	check_all();
	CHECK_HAS(in_entry(7, "/content"), "a whole walrus");
}

static void claude_beside(void)
{
	static const char session[] = "home/projects/w/" SESSION_ID ".jsonl";
	char record[64];
	struct lines l = { .are_sidechains = false };
	make("home/projects/w");
	make("home/sessions");
	add_user(&l, 1, 0, "question");
	add_answer(&l, 2, 1, "first");
	add_user(&l, 3, 2, "thanks");
	add_answer(&l, 4, 1, "second");
	add_user(&l, 5, 4, "thanks again");
	write_to(session, &l);
	mount_on(session, "home/projects/w/" SESSION_ID ".sessfs.json");
	check_all();
	CHECK_INT(move_head(in_entry(3, "")), 0);
	CHECK_HEAD(in_entry(3, ""));
	unmount();
	snprintf(record, sizeof(record), "home/sessions/%d.json",
		 (int)getpid());
	add(&l, "{'pid':%d,'sessionId':'" SESSION_ID "','version':'2.1.330'}",
	    (int)getpid());
	write_to(record, &l);
	mount_on(session, "home/sessions");
	check_all();
	CHECK_INT(move_head(in_entry(5, "")), EBUSY);
}

/* Codex. */

#define ROLLOUT_1                                                          \
	"rollout-2026-03-01T10-00-00-019ca8f0-0000-7000-8000-000000000001" \
	".jsonl"
#define ROLLOUT_2 \
	"rollout-2026-03-02T10-00-00-019ca8f0-0000-7000-8000-000000000002"

/* The first line of a thread, and a message of the user's. */
static void write_thread(const char *name, int n, int ordinal,
			 const char *based_on, const char *text)
{
	struct lines l = { .are_sidechains = false };
	add(&l,
	    "{'timestamp':'2026-03-01T10:00:00.000Z','ordinal':0,"
	    "'type':'session_meta','payload':{"
	    "'id':'019ca8f0-0000-7000-8000-%012d',"
	    "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/work/demo',"
	    "'originator':'x','cli_version':'0.171.0',"
	    "'history_mode':'paginated'%s}}\n",
	    n, based_on);
	add(&l,
	    "{'timestamp':'2026-03-01T10:00:01.000Z','ordinal':%d,"
	    "'type':'response_item','payload':{'type':'message',"
	    "'id':'msg_%d','role':'user',"
	    "'content':[{'type':'input_text','text':'%s'}]}}\n",
	    ordinal, n, text);
	write_to(name, &l);
}

static void codex(void)
{
	static const char days[] = "codex/sessions/2026/03",
			  base[] = "codex/sessions/2026/03/01/" ROLLOUT_1,
			  own[] = "codex/sessions/2026/03/02/" ROLLOUT_2,
			  session[] = "codex/sessions/2026/03/02/" ROLLOUT_2
				      ".jsonl",
			  archived[] = "codex/archived_sessions";
	static const char *const places[] = {
		own,
		"codex/sessions/2026/03/01",
		archived,
		"codex/session_index.jsonl",
		"codex/thread-writer-locks",
	};
	char based_on[256];
	make(days);
	make("codex/sessions/2026/03/01");
	make("codex/sessions/2026/03/02");
	make(archived);
	write_thread(base, 1, 1, "", "one");
	snprintf(based_on, sizeof(based_on),
		 ",'history_base':{'thread_id':"
		 "'019ca8f0-0000-7000-8000-000000000001',"
		 "'end_ordinal_exclusive':5,'end_byte_offset':%lld}",
		 (long long)stat_of(test_path(base)).st_size);
	write_thread(session, 2, 6, based_on, "two");
	for (size_t i = 0; i < COUNT(places); i++) {
		mount_on(session, places[i]);
		check_all();
		CHECK_NAMES("by-id", "msg_1 msg_2 ");
		check_moves("msg_1");
		CHECK_LINK("parent-session", test_path(base));
		unmount();
	}
	/* The base is archived, and that folder is hidden. */
	CHECK_INT(
		ERRNO(rename(test_path(base),
			     test_path("codex/archived_sessions/" ROLLOUT_1))),
		0);
	mount_on(session, archived);
	check_all();
	CHECK_HAS("by-id/msg_1/content", "one");
}

/* Pi and oh-my-pi. */

/* SHA-256 of "a picture". */
#define PICTURE_HASH                       \
	"92b2fa58028958317e408bd84ecfa70f" \
	"5ee35b121991dbc232c49d166353708b"

/* omp.jsonl, in this directory; the rest are lines. */
static void write_omp(const char *cwd, const char *rest)
{
	struct lines l = { .are_sidechains = false };
	char slot[257];
	int n = snprintf(slot, sizeof(slot),
			 "{'type':'title','v':1,'title':'The title',"
			 "'source':'user',"
			 "'updatedAt':'2026-03-01T10:00:30.000Z','pad':'");
	add(&l, "%s%*s'}\n", slot, 253 - n, "");
	add(&l,
	    "{'type':'session','version':3,"
	    "'id':'0198f000-0000-7000-8000-000000000001',"
	    "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'%s',"
	    "'title':'old'}\n",
	    cwd);
	add(&l, "%s", rest);
	write_to("omp.jsonl", &l);
}

#define BLOBS ".omp/agent/blobs"

/* A session of oh-my-pi, whose second entry has a picture in a blob. */
static void write_with_blob(void)
{
	make(BLOBS);
	test_file(BLOBS "/" PICTURE_HASH, "a picture");
	write_omp("/work/demo",
		  USER("00000001", "null", "one") MESSAGE(
			  "00000002", "'00000001'", "user",
			  ",'content':[{'type':'text','text':'see'},"
			  "{'type':'image','data':'blob:sha256:" PICTURE_HASH
			  "','mimeType':'image/png'}]"));
}

/* The folder of oh-my-pi's blobs is the test's; until go_home(). */
static char *leave_home(void)
{
	char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
	setenv("HOME", test_folder, 1);
	return home;
}

static void go_home(char *home)
{
	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
	free(home);
}

static void write_two(void)
{
	test_file("session.jsonl", HEADER USER("00000001", "null", "one") USER(
					   "00000002", "'00000001'", "two"));
}

static void pi_and_omp(void)
{
	write_two();
	mount_on("session.jsonl", "session");
	check_all();
	check_moves("00000001");
	CHECK_INT(say("{'role':'user','content':'three'}\n"), 0);
	CHECK_FILE("HEAD/content", "three\n");
	unmount();
	char *home = leave_home();
	write_with_blob();
	mount_on("omp.jsonl", "omp");
	check_all();
	CHECK_HAS("by-id/00000002/content", "1.png");
	check_moves("00000001");
	go_home(home);
}

/* Several mounts. */

static void write_one_and_two(void)
{
	make("a/x");
	make("b/y");
	test_file("a/one.jsonl", HEADER USER("00000001", "null", "one"));
	test_file("b/two.jsonl", HEADER USER("00000001", "null", "two"));
}

/* Is there one session in a sessions.txt, which has this path? */
static bool is_only(const char *path, const char *session)
{
	struct span rest = text_of(path), line = span_next(&rest, '\n');
	span_next(&line, '\t');
	return rest.n == 0 && span_eq(span_next(&line, '\t'), span_of(session));
}

static void in_each_other(void)
{
	write_one_and_two();
	mount_too("a", "b/y");
	mount_too("b", "a/x");
	CHECK(is_only(test_path("a/x/sessions.txt"), "two"));
	CHECK(is_only(test_path("b/y/sessions.txt"), "one"));
	/* Neither shows what the other one mounts. */
	CHECK_NAMES(test_path("a/x"), "two ");
	CHECK_NAMES(test_path("b/y"), "one ");
	CHECK_INT(ERRNO(access(test_path("a/x/y"), F_OK)), ENOENT);
	check_walk(test_path("b/y"));
	CHECK_FILE(test_path("b/y/one/HEAD/content"), "one\n");
	/* A folder that was mounted on is there again after that. */
	unmount_at(test_path("a/x"));
	CHECK_NAMES(test_path("b/y"), "one x ");
}

static void on_each_others_folder(void)
{
	static const char *const places[] = { "other", "session" };
	write_agents("session");
	write_agents("other");
	mount_too("session.jsonl", "other");
	mount_too("other.jsonl", "session");
	for (size_t i = 0; i < COUNT(places); i++) {
		CHECK_INT(ERRNO(chdir(test_path(places[i]))), 0);
		check_all();
		CHECK_INT(move_head(in_entry(1, "")), 0);
		CHECK_HEAD(in_entry(1, ""));
	}
}

static void in_a_mount(void)
{
	write_two();
	mount_session();
	mount_too("mnt/by-id/00000001/branch.jsonl", "branch");
	CHECK_LINK(test_path("branch/HEAD"), "by-id/00000001");
	check_walk(test_path("branch"));
	unmount_at(test_path("branch"));
}

/* Call a function in a process of its own while a daemon is stopped. Does it
 * give 0 within twenty seconds? */
static bool does_meanwhile(pid_t stopped, int (*run)(void))
{
	int status = -1;
	pid_t ended = 0;
	CHECK_INT(ERRNO(kill(stopped, SIGSTOP)), 0);
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0)
		_exit(run());
	WAIT_UNTIL(ended == pid ||
		   (ended = waitpid(pid, &status, WNOHANG)) == pid);
	CHECK_INT(ERRNO(kill(stopped, SIGCONT)), 0);
	if (ended == pid)
		return status == 0;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return false;
}

static int look_around(void)
{
	check_walk(".");
	return !is_only("sessions.txt", "one") || test_failures > 0;
}

static void stopped_in_source(void)
{
	write_one_and_two();
	mount_too("b", "a/x");
	pid_t pid = daemon_pid();
	mount_source(test_path("a"));
	CHECK(does_meanwhile(pid, look_around));
	CHECK_NAMES(".", "one ");
}

static void deadlock(void)
{
	/* Blobs are looked for by their path alone, which here leads into the
	 * mount. */
	char *home = leave_home();
	write_with_blob();
	mount_on("omp.jsonl", BLOBS);
	check_all();
	CHECK_HAS("by-id/00000002/content", "\"data\": \"blob:sha256:");
	check_moves("00000002");
	unmount();
	/* It is there again. */
	mount_on("omp.jsonl", "elsewhere");
	CHECK_HAS("by-id/00000002/content", "1.png");
	go_home(home);
}

/* A process whose program is called omp, in a folder. */
static pid_t start_agent(const char *folder)
{
	struct stat of_agent, its;
	const char *program = test_path("omp");
	char exe[64];
	CHECK_INT(RUN("sh", "-c", "cp \"$(command -v sleep)\" \"$0\"", program),
		  0);
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		if (chdir(folder) == 0)
			execl(program, program, "60", (char *)NULL);
		_exit(127);
	}
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	of_agent = stat_of(program);
	WAIT_UNTIL(stat(exe, &its) == 0 && its.st_ino == of_agent.st_ino &&
		   its.st_dev == of_agent.st_dev);
	return pid;
}

static int move_to_first(void)
{
	return move_head("by-id/00000001");
}

static void agent_in_a_stopped_mount(void)
{
	int status;
	write_one_and_two();
	mount_too("b", "y");
	pid_t pid = daemon_pid(), agent = start_agent(test_path("y/two"));
	write_omp(test_folder, USER("00000001", "null", "one")
				       USER("00000002", "'00000001'", "two"));
	mount_source(test_path("omp.jsonl"));
	CHECK_HEAD("by-id/00000002");
	CHECK(does_meanwhile(pid, move_to_first));
	CHECK_INT(ERRNO(kill(agent, SIGKILL)), 0);
	test_need(waitpid(agent, &status, 0) == agent, "waitpid");
	CHECK_HEAD("by-id/00000001");
}

static const struct mounts_test tests[] = {
	TEST("Claude Code's session on its own folder: all that is hidden is "
	     "shown",
	     claude_own),
	TEST("Claude Code's session on its subagents/, on a folder in it, and "
	     "on its tool-results/",
	     claude_parts),
	TEST("Claude Code's session where its sidecar would be, or the records "
	     "of running agents",
	     claude_beside),
	TEST("Codex's rollout on its own folder, and where its base and its "
	     "names are",
	     codex),
	TEST("Pi's and oh-my-pi's sessions on their own folders, and where "
	     "their files are",
	     pi_and_omp),
	TEST("two mounts, each in the other's source", in_each_other),
	TEST("two sessions of Claude Code, each on the other's own folder",
	     on_each_others_folder),
	TEST("a session in a mount can be mounted, and does not wait for its "
	     "folder's mount",
	     in_a_mount),
	TEST("a stopped mount of another sessfs in SOURCE holds up nothing",
	     stopped_in_source),
	TEST("a request of sessfs to its own mount fails with EDEADLK, and "
	     "nothing hangs",
	     deadlock),
	TEST("an oh-my-pi whose folder is in a stopped mount holds up no write",
	     agent_in_a_stopped_mount),
};
RUN_TESTS(tests)
