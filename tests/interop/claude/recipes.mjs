// Sessions that the real agent writes (session.mjs): the ways in which people use it day by
// day, each of which makes lines of its own in transcripts.

import { execSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../terminal.mjs";
import { bash, call, PNG, say, says, STREAM, text, thinking, typed } from "./steps.mjs";

// Steps

const files = (contents) => (session) => Object.entries(contents).forEach(([name, content]) => session.write(name, content));
const terminal = (...steps) => (session) => session.inTerminal(steps);
const stream = (...prompts) => ({ say: null, args: STREAM, input: prompts.map((one) => typed(Array.isArray(one) && Array.isArray(one[0]) ? say(one) : one)).join("") });
const wait = (ms) => () => sleep(ms);
/** In a mount, where HEAD is moved, and the agent goes on: { to, at, words, args } (session.mjs). */
const mounted = (...turns) => (session) => session.mounted(async () => {
	for (const turn of turns)
		await (typeof turn === "function" ? turn(session) : session.goOn(turn));
});

// What the model calls, and the agent's settings

const read = (name, more) => call("Read", { file_path: `CWD/${name}`, ...more });
const search = (names) => call("ToolSearch", { query: `select:${names}` });
const agent = (steps, more) => call("Agent", { description: "look", prompt: say(steps), subagent_type: "general-purpose", ...more });
const WAIT = "python3 -c 'import time; time.sleep(25)'";
const FULL = { input_tokens: 195000, output_tokens: 100 };
const hook = (command, matcher) => [{ ...(matcher ? { matcher } : {}), hooks: [{ type: "command", command }] }];
const hooks = (of) => files({ ".claude/settings.json": JSON.stringify({ hooks: of }) });
const json = (value) => `echo '${JSON.stringify(value)}'`;
const output = (hookEventName, more) => json({ hookSpecificOutput: { hookEventName, ...more } });
const skill = (name) => files({ [`.claude/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: the ${name} skill\n---\nDo it well.\n` });
const NOTEBOOK = {
	cells: [{ cell_type: "code", id: "c1", source: ["print(1)"], outputs: [{ output_type: "stream", name: "stdout", text: ["1\n"] }], metadata: {}, execution_count: 1 }],
	metadata: { language_info: { name: "python" } }, nbformat: 4, nbformat_minor: 5,
};
const PICTURE = Buffer.from(PNG, "base64");
const MCP = `import sys,json
for l in sys.stdin:
  r=json.loads(l)
  if 'id' not in r: continue
  m=r['method']
  res={}
  if m=='initialize': res={'protocolVersion':r['params']['protocolVersion'],'capabilities':{'tools':{}},'serverInfo':{'name':'probe','version':'1'},'instructions':'Use probe well.'}
  elif m=='tools/list': res={'tools':[{'name':'hello','description':'says hello','inputSchema':{'type':'object','properties':{}}}]}
  elif m=='tools/call': res={'content':[{'type':'text','text':'hello from mcp'},{'type':'image','data':'${PNG}','mimeType':'image/png'}],'structuredContent':{'a':1}}
  print(json.dumps({'jsonrpc':'2.0','id':r['id'],'result':res}),flush=True)
`;
const mcp = (words) => (session) => session.turn({ say: words, args: ["--mcp-config", path.join(session.home.cwd, "mcp.json"), "--allowedTools", "mcp__probe__hello"] });

export const RECIPES = {
	turns: ["one", "two", "three"],
	tools: [files({ "a.txt": "alpha\nbeta\n" }), [[thinking("hm"), text("I look."), bash("echo hi; ls")], [read("a.txt")], "All seen."], "and now?"],
	parallel: [
		files({ "a.txt": "alpha\n" }),
		[[thinking("hm"), text("Three at once."), bash("echo 1"), read("a.txt"), bash("echo 3")], [bash("echo 4"), bash("sleep 0.3; echo 5")], "Done."], "more",
	],
	errors: [[[bash("exit 3"), call("Read", { file_path: "/nonexistent" })], [call("NoSuchTool", { x: 1 })], "Sad."], "more"],
	apierror: ["one", [{ error: 400, message: "prompt is odd" }], "three"],
	maxtokens: [[{ blocks: [text("half of")], stop: "max_tokens" }, "the rest"], "two"],
	refusal: ["one", [{ blocks: [text("I can")], stop: "refusal" }], "three"],
	pause: ["one", [{ blocks: [text("pausing")], stop: "pause_turn" }, "resumed"], "three"],
	empty: ["one", [{ blocks: [] }], "three"],
	blank: ["one", [[text("  \n")]], "three"],
	redacted: [[[{ type: "redacted_thinking", data: "AAAA" }, text("a")]], "two"],
	server_tool: [[[
		text("I search"), { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
		{ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result", url: "http://x", title: "t", encrypted_content: "e", page_age: null }] },
		text("found"),
	]], "two"],
	bigout: [[[bash("seq 1 60000")], "big"], "two"],
	read_kinds: [
		files({ "n.ipynb": JSON.stringify(NOTEBOOK), "p.png": PICTURE, "big.txt": Array.from({ length: 5000 }, (_, i) => `line ${i}`).join("\n"), "empty.txt": "" }),
		[[read("n.ipynb")], [read("p.png")], [read("big.txt")], [read("big.txt", { offset: 10, limit: 3 })], [read("empty.txt")], "seen"], "two",
	],
	changed: [
		files({ "a.txt": "alpha\nbeta\n" }),
		[[read("a.txt")], [call("Edit", { file_path: "CWD/a.txt", old_string: "beta", new_string: "gamma" })], [call("Write", { file_path: "CWD/b.txt", content: "new\n" })], "edited"],
		files({ "a.txt": "alpha\ndelta\n" }), "two", (session) => fs.rmSync(path.join(session.home.cwd, "a.txt")), "three",
	],
	mention: [files({ "a.txt": "alpha\nbeta\n" }), "what is in @a.txt ?", "and again"],
	mention_dir: [files({ "d/a.txt": "alpha\n", "p.png": PICTURE }), "what is in @d and @p.png and @nothing.txt", "two"],
	picture: [
		files({ "p.png": PICTURE }), stream([text("see"), { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }]), [[read("p.png")], "A dot."],
	],
	queued: [stream([[bash("sleep 1; echo slow")], "first done"], "second, typed meanwhile"), "third"],
	stream_many: [stream("one", [text("two a"), text("two b")], "three"), "four"],
	models: [
		{ say: [[thinking("hm"), text("a"), bash("echo 1")], [thinking("hm2"), text("b")]], args: ["--model", "claude-sonnet-4-6"] },
		...Object.entries({ two: "claude-opus-5-5", three: "claude-haiku-4-5-20251001", four: "claude-opus-5-5" }).map(([words, model]) => ({ say: words, args: ["--model", model] })),
	],
	bare_args: [{ say: "one", args: ["--append-system-prompt", "Be brief."] }, (session) => fs.mkdirSync(path.join(session.home.dir, "other")), { say: "two", args: ["--add-dir", "../other"] }],
	ultra: ["ultrathink about it", "ultracode do it", "two"],
	slash: ["one", "/cost", "/context", "two"],

	// Compactions
	compact: [[[bash("echo old")], "old answer"], "old two", "/compact", "new question"],
	compact_twice: ["old", "/compact keep it short", "middle", "/compact", "new question"],
	compact_tools: [files({ "a.txt": "alpha\n" }), [[read("a.txt")], [bash("echo 1"), bash("echo 2")], "done"], "two", "/compact keep numbers", "three", "/compact", "four"],
	autocompact: ["old", [{ blocks: [text("huge")], usage: FULL }], "three", "four"],
	autocompact_tools: ["old", [{ blocks: [text("huge"), bash("echo mid")], usage: FULL }, "after"], "three"],

	// Interruptions
	interrupted: ["one", { say: [[bash("echo a")], { blocks: [text("partly"), text("never")], delay_ms: 20000 }], interruptAfter: 5000 }, "three"],
	killed_in_tool: ["one", { say: [[text("I wait."), bash("echo fast"), bash(WAIT)], "never"], interruptAfter: 5000, signal: "SIGKILL" }],
	interrupted_in_tool: ["one", { say: [[text("I wait."), bash("echo fast"), bash(WAIT)], "never"], interruptAfter: 5000 }],

	// Tools of the agent's own
	tasks: [[[call("TaskCreate", { subject: "a", description: "b", activeForm: "c" })], [call("TaskUpdate", { taskId: "1", status: "in_progress" })], "ok"], "two", "three", "four"],
	todo: [[[call("TodoWrite", { todos: [{ content: "a", status: "pending", activeForm: "A" }] })], "ok"], "two"],
	plan: [{ say: [[call("ExitPlanMode", { plan: "the plan" })], "ok"], args: ["--permission-mode", "plan"] }, "two", { say: "three", args: ["--permission-mode", "acceptEdits"] }],
	toolsearch: [[[search("CronCreate,CronList")], "loaded"], "two"],
	ask: [[[call("AskUserQuestion", {
		questions: [{ question: "Which?", header: "H", options: [{ label: "a", description: "x" }, { label: "b", description: "y" }], multiSelect: false }],
	})], "ok"], "two"],
	monitor: [stream([[search("Monitor")], [call("Monitor", { command: "echo ev1; sleep 0.3; echo ev2", description: "watch" })], "watching"]), "two"],
	mcp: [
		files({ "mcp.py": MCP }), (session) => session.write("mcp.json", JSON.stringify({ mcpServers: { probe: { command: "python3", args: [path.join(session.home.cwd, "mcp.py")] } } })),
		mcp([[search("mcp__probe__hello")], [call("mcp__probe__hello", {})], "called"]), mcp("two"), "three",
	],
	subagent: [[[agent([[bash("echo sub")], "sub says hi"])], "Back."], "more"],
	agentdef: [files({ ".claude/agents/ex.md": "---\nname: ex\ndescription: an expert\ntools: Bash\n---\nYou are ex.\n" }), [[agent([[bash("echo sub")], "sub says hi"], { subagent_type: "ex" })], "Back."], "two"],
	agent_bg: [stream([[agent(["bg says hi"], { run_in_background: true })], "started"]), "two"],
	git: [
		(session) => execSync("git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first", { cwd: session.home.cwd }),
		files({ "a.txt": "x\n" }), "one", [[call("EnterWorktree", { name: "wt" })], [bash("pwd")], [call("ExitWorktree", { action: "keep" })], "back"], "three",
	],
	cd: [files({ "sub/x": "x" }), [[bash("cd sub && pwd")], "moved"], "two"],

	// Rules, skills, commands, hooks
	claudemd: [
		files({ "CLAUDE.md": "Rule one. See @more.md\n", "more.md": "More rules.\n", "sub/CLAUDE.md": "Rules of sub.\n", "sub/a.txt": "x\n", ".claude/rules/ts.md": "---\npaths: sub/**\n---\nrule of path\n" }),
		[[read("sub/a.txt")], "seen"], "two", files({ "CLAUDE.md": "Rule changed.\n" }), "three",
	],
	skill: [skill("foo"), [[call("Skill", { skill: "foo", args: "a b" })], "done"], "/foo with words", "two", skill("bar"), "three"],
	command: [files({ ".claude/commands/cmd.md": "Do $ARGUMENTS now. !`echo hi` @a.txt", "a.txt": "alpha\n" }), "/cmd it", "two"],
	hooks: [
		hooks({ UserPromptSubmit: hook("echo told by the prompt hook"), PostToolUse: hook("echo bad >&2; exit 2", "Bash"), SessionStart: hook("echo told at the start") }),
		[[bash("echo x")], "done"], "two",
	],
	hooks_json: [
		hooks({
			UserPromptSubmit: hook(output("UserPromptSubmit", { additionalContext: "ctx of the prompt" })),
			PreToolUse: hook(output("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no ls" }), "Bash"),
			PostToolUse: hook(output("PostToolUse", { additionalContext: "ctx after the tool" }), "Read"),
			SessionStart: hook(output("SessionStart", { additionalContext: "ctx at the start" })),
		}),
		files({ "a.txt": "alpha\n" }), [[bash("ls")], [read("a.txt")], "done"], "two",
	],
	hook_stop: [files({ "stop.sh": "test -e stopped && exit 0; touch stopped; echo 'not yet' >&2; exit 2\n" }), hooks({ Stop: hook("sh stop.sh") }), ["one try", "second try"], "two"],
	hook_block: [hooks({ UserPromptSubmit: hook(`grep -q BLOCK && ${json({ decision: "block", reason: "blocked word" })} || true`) }), "one", "please BLOCK this", "three"],
	hook_output: [
		hooks({
			PostToolUse: hook(output("PostToolUse", { updatedToolOutput: "replaced output" }), "Bash"),
			PreToolUse: hook(output("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "echo other" }, additionalContext: "ctx before" }), "Bash"),
		}),
		[[bash("echo real")], "done"], "two",
	],

	// Other places to go on from
	fork: ["one", [[bash("echo x")], "two"], { say: "three, in the fork", args: ["--fork-session"] }],
	async rewind(session) {
		await session.take(["one"]);
		const at = session.lines.findLast(({ type }) => type === "assistant").uuid;
		await session.take(["two, left behind", { say: "two, again", args: ["--resume-session-at", at] }, "three"]);
	},
	moved: [says("one"), says("two"), says("three"), mounted(
		{ to: "ONE", words: "four" }, { to: "TWO", words: "five" }, { words: "six" }, { words: "seven", args: ["--continue"] },
		{ to: "FOUR", words: "eight", args: ["--continue"] },
		// To a prompt, which is then answered in one turn with the next.
		{ to: "six", words: "nine" },
	)],
	moved_beginning: [says("one"), says("two"), mounted({ to: null, words: "three" }, { words: "four" }, { to: "TWO", words: "five" }, { to: "THREE", words: "six" }, { to: "ONE", words: "seven" })],
	moved_rewound: [says("one"), says("two"), mounted(
		{ at: "ONE", words: "again" }, { to: "TWO", words: "three" }, { to: "AGAIN", words: "four" },
		(session) => session.move("AGAIN"), { at: "ONE", words: "five" },
	)],
	moved_compacted: [says("one"), says("two"), "/compact", says("three"), says("four"), mounted({ to: "THREE", words: "five" }, { words: "six" }, (session) => session.take(["/compact", says("seven")]))],
	async moved_forked(session) {
		await session.take([says("one"), says("two")]);
		await session.mounted(async () => {
			await session.goOn({ to: "ONE", words: "fork", args: [...session.resume, "--fork-session"] });
			await session.goOn({ words: "three" });
		});
	},

	// In a terminal
	terminal: [terminal("one", "two")],
	terminal_rewind: [terminal("one", "two, left behind", ["/rewind", "Enter", "Up", "Enter", "Enter", "C-u"], "two, again")],
	terminal_resumed: ["one", "two", terminal("three"), "four"],
	tui_queued: [terminal(
		[say([[bash("sleep 3; echo slow")], "first done"]), "Enter"], ["typed while it works", "Enter"],
		(t) => until("both answers", () => t.answers() >= 2), (t) => t.still(), "third",
	), "fourth"],
	tui_bg: [terminal(say([[bash("sleep 1; echo bg", { run_in_background: true })], "started"]), wait(4000), (t) => t.still(), "and now?"), "after"],
	tui_cmds: [terminal(
		"one", ...["/rename my title", "/color red", "/effort low", "/context", "/cost", "/btw what is this"].flatMap((words) => [[words, "Enter"], wait(700), ["Escape"]]), "two",
	), "three"],
	tui_branch: [terminal("one", "two", ["/branch", "Enter"], wait(1000), "three, in the branch"), "four"],
	tui_bang: [terminal("one", ["!", "echo banged", "Enter"], wait(1500), (t) => t.still(), "two"), "three"],
	tui_clear: [terminal("one", ["/clear", "Enter"], wait(800), "two, after the clearing"), "three"],
	tui_goal: [terminal("one", ["/goal finish it", "Enter"], wait(3000), ["Escape"], ["/goal clear", "Enter"], wait(800), "two"), "three"],
	tui_plan: [terminal(["BTab", "BTab"], "one", ["BTab"], "two"), "three"],
	tui_summarize: [terminal(
		"one", "two", "three", ["/rewind", "Enter", "Up", "Up", "Enter", "Down", "Down", "Enter"], wait(2000), (t) => t.still(), ["C-u"], "four",
	), "five"],
};
