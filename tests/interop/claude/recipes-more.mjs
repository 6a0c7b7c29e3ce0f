// More recipes: the ways in which people use the agent day by day, each of which has
// made lines of its own in transcripts.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bash, call, PNG, say, STREAM, text, thinking, typed } from "./steps.mjs";
import { KEYS } from "./tui.mjs";

const skill = (s, name, body = "Do it well.") =>
	s.write(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: the ${name} skill\n---\n${body}\n`);
const hook = (command, matcher) => [{ ...(matcher ? { matcher } : {}), hooks: [{ type: "command", command }] }];
const json = (o) => `echo '${JSON.stringify(o)}'`;

export const MORE = {
	async tui_queued(s) {
		await s.inTerminal(async (t) => {
			const n = t.answers();
			await t.press(say([[bash("sleep 3; echo slow")], "first done"]), KEYS.enter);
			await t.press("typed while it works", KEYS.enter);
			for (let i = 0; i < 150 && t.answers() < n + 2; i++) await sleep(100);
			await t.still();
			await t.say("third");
		});
		await s.turn("fourth");
	},
	async tui_bg(s) {
		await s.inTerminal(async (t) => {
			await t.say(say([[bash("sleep 1; echo bg", { run_in_background: true })], "started"]));
			await sleep(4000);
			await t.still();
			await t.say("and now?");
		});
		await s.turn("after");
	},
	async tui_cmds(s) {
		await s.inTerminal(async (t) => {
			await t.say("one");
			for (const c of ["/rename my title", "/color red", "/effort low", "/context", "/cost", "/btw what is this"]) {
				await t.press(c, KEYS.enter);
				await sleep(700);
				await t.press(KEYS.escape);
			}
			await t.say("two");
		});
		await s.turn("three");
	},
	async tui_branch(s) {
		await s.inTerminal(async (t) => {
			await t.say("one");
			await t.say("two");
			await t.press("/branch", KEYS.enter);
			await sleep(1000);
			await t.say("three, in the branch");
		});
		await s.turn("four");
	},
	async tui_bang(s) {
		await s.inTerminal(async (t) => {
			await t.say("one");
			await t.press("!", "echo banged", KEYS.enter);
			await sleep(1500);
			await t.still();
			await t.say("two");
		});
		await s.turn("three");
	},
	async tui_clear(s) {
		await s.inTerminal(async (t) => {
			await t.say("one");
			await t.press("/clear", KEYS.enter);
			await sleep(800);
			await t.say("two, after the clearing");
		});
		await s.turn("three");
	},
	async tui_goal(s) {
		await s.inTerminal(async (t) => {
			await t.say("one");
			await t.press("/goal finish it", KEYS.enter);
			await sleep(3000);
			await t.press(KEYS.escape);
			await t.still();
			await t.press("/goal clear", KEYS.enter);
			await sleep(800);
			await t.say("two");
		});
		await s.turn("three");
	},
	async tui_plan(s) {
		await s.inTerminal(async (t) => {
			await t.press("\x1b[Z");
			await t.press("\x1b[Z");
			await t.say("one");
			await t.press("\x1b[Z");
			await t.say("two");
		});
		await s.turn("three");
	},
	async tui_summarize(s) {
		await s.inTerminal(async (t) => {
			await t.say("one");
			await t.say("two");
			await t.say("three");
			await t.press("/rewind", KEYS.enter, KEYS.up, KEYS.up, KEYS.enter, KEYS.down, KEYS.down, KEYS.enter);
			await sleep(2000);
			await t.still();
			await t.press(KEYS.clear);
			await t.say("four");
		});
		await s.turn("five");
	},
	tasks: (s) =>
		s.turns(
			say([
				[call("TaskCreate", { subject: "a", description: "b", activeForm: "c" })],
				[call("TaskUpdate", { taskId: "1", status: "in_progress" })],
				"ok",
			]),
			"two",
			"three",
			"four",
		),
	todo: (s) =>
		s.turns(say([[call("TodoWrite", { todos: [{ content: "a", status: "pending", activeForm: "A" }] })], "ok"]), "two"),
	async plan(s) {
		await s.turn(say([[call("ExitPlanMode", { plan: "the plan" })], "ok"]), { args: ["--permission-mode", "plan"] });
		await s.turn("two");
		await s.turn("three", { args: ["--permission-mode", "acceptEdits"] });
	},
	async claudemd(s) {
		s.write("CLAUDE.md", "Rule one. See @more.md\n");
		s.write("more.md", "More rules.\n");
		s.write("sub/CLAUDE.md", "Rules of sub.\n");
		const f = s.write("sub/a.txt", "x\n");
		s.write(".claude/rules/ts.md", "---\npaths: sub/**\n---\nrule of path\n");
		await s.turns(say([[call("Read", { file_path: f })], "seen"]), "two");
		s.write("CLAUDE.md", "Rule changed.\n");
		await s.turn("three");
	},
	async skill(s) {
		skill(s, "foo");
		await s.turns(say([[call("Skill", { skill: "foo", args: "a b" })], "done"]), "/foo with words", "two");
		skill(s, "bar");
		await s.turn("three");
	},
	async command(s) {
		s.write(".claude/commands/cmd.md", "Do $ARGUMENTS now. !`echo hi` @a.txt");
		s.write("a.txt", "alpha\n");
		await s.turns("/cmd it", "two");
	},
	async agentdef(s) {
		s.write(".claude/agents/ex.md", "---\nname: ex\ndescription: an expert\ntools: Bash\n---\nYou are ex.\n");
		await s.turns(
			say([
				[call("Agent", { description: "look", prompt: say([[bash("echo sub")], "sub says hi"]), subagent_type: "ex" })],
				"Back.",
			]),
			"two",
		);
	},
	async agent_bg(s) {
		await s.turn(null, {
			args: STREAM,
			input: typed(
				say([
					[
						call("Agent", {
							description: "look",
							prompt: say(["bg says hi"]),
							subagent_type: "general-purpose",
							run_in_background: true,
						}),
					],
					"started",
				]),
			),
		});
		await s.turn("two");
	},
	hooks_json(s) {
		s.write(
			".claude/settings.json",
			JSON.stringify({
				hooks: {
					UserPromptSubmit: hook(
						json({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "ctx of the prompt" } }),
					),
					PreToolUse: hook(
						json({
							hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no ls" },
						}),
						"Bash",
					),
					PostToolUse: hook(
						json({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "ctx after the tool" } }),
						"Read",
					),
					SessionStart: hook(
						json({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "ctx at the start" } }),
					),
				},
			}),
		);
		const f = s.write("a.txt", "alpha\n");
		return s.turns(say([[bash("ls")], [call("Read", { file_path: f })], "done"]), "two");
	},
	hook_stop(s) {
		s.write("stop.sh", `test -e stopped && exit 0; touch stopped; echo 'not yet' >&2; exit 2\n`);
		s.write(".claude/settings.json", JSON.stringify({ hooks: { Stop: hook("sh stop.sh") } }));
		return s.turns(say(["one try", "second try"]), "two");
	},
	hook_block(s) {
		s.write(
			".claude/settings.json",
			JSON.stringify({
				hooks: { UserPromptSubmit: hook(`grep -q BLOCK && ${json({ decision: "block", reason: "blocked word" })} || true`) },
			}),
		);
		return s.turns("one", "please BLOCK this", "three");
	},
	hook_output(s) {
		s.write(
			".claude/settings.json",
			JSON.stringify({
				hooks: {
					PostToolUse: hook(
						json({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "replaced output" } }),
						"Bash",
					),
					PreToolUse: hook(
						json({
							hookSpecificOutput: {
								hookEventName: "PreToolUse",
								permissionDecision: "allow",
								updatedInput: { command: "echo other" },
								additionalContext: "ctx before",
							},
						}),
						"Bash",
					),
				},
			}),
		);
		return s.turns(say([[bash("echo real")], "done"]), "two");
	},
	bigout: (s) => s.turns(say([[bash("seq 1 60000")], "big"]), "two"),
	async read_kinds(s) {
		const nb = s.write(
			"n.ipynb",
			JSON.stringify({
				cells: [
					{
						cell_type: "code",
						id: "c1",
						source: ["print(1)"],
						outputs: [{ output_type: "stream", name: "stdout", text: ["1\n"] }],
						metadata: {},
						execution_count: 1,
					},
				],
				metadata: { language_info: { name: "python" } },
				nbformat: 4,
				nbformat_minor: 5,
			}),
		);
		const p = s.write("p.png", Buffer.from(PNG, "base64"));
		const big = s.write("big.txt", Array.from({ length: 5000 }, (_, i) => `line ${i}`).join("\n"));
		const e = s.write("empty.txt", "");
		await s.turns(
			say([
				[call("Read", { file_path: nb })],
				[call("Read", { file_path: p })],
				[call("Read", { file_path: big })],
				[call("Read", { file_path: big, offset: 10, limit: 3 })],
				[call("Read", { file_path: e })],
				"seen",
			]),
			"two",
		);
	},
	async changed(s) {
		const f = s.write("a.txt", "alpha\nbeta\n");
		await s.turn(
			say([
				[call("Read", { file_path: f })],
				[call("Edit", { file_path: f, old_string: "beta", new_string: "gamma" })],
				[call("Write", { file_path: path.join(s.home.cwd, "b.txt"), content: "new\n" })],
				"edited",
			]),
		);
		s.write("a.txt", "alpha\ndelta\n");
		await s.turn("two");
		fs.rmSync(f);
		await s.turn("three");
	},
	async models(s) {
		await s.turn(
			say([
				[thinking("hm"), text("a"), bash("echo 1")],
				[thinking("hm2"), text("b")],
			]),
			{ args: ["--model", "claude-sonnet-4-6"] },
		);
		await s.turn("two", { args: ["--model", "claude-opus-5-5"] });
		await s.turn("three", { args: ["--model", "claude-haiku-4-5-20251001"] });
		await s.turn("four", { args: ["--model", "claude-opus-5-5"] });
	},
	refusal: (s) => s.turns("one", say([{ blocks: [text("I can")], stop: "refusal" }]), "three"),
	pause: (s) => s.turns("one", say([{ blocks: [text("pausing")], stop: "pause_turn" }, "resumed"]), "three"),
	empty: (s) => s.turns("one", say([{ blocks: [] }]), "three"),
	blank: (s) => s.turns("one", say([[text("  \n")]]), "three"),
	redacted: (s) => s.turns(say([[{ type: "redacted_thinking", data: "AAAA" }, text("a")]]), "two"),
	server_tool: (s) =>
		s.turns(
			say([
				[
					text("I search"),
					{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
					{
						type: "web_search_tool_result",
						tool_use_id: "srvtoolu_1",
						content: [{ type: "web_search_result", url: "http://x", title: "t", encrypted_content: "e", page_age: null }],
					},
					text("found"),
				],
			]),
			"two",
		),
	toolsearch: (s) => s.turns(say([[call("ToolSearch", { query: "select:CronCreate,CronList" })], "loaded"]), "two"),
	ask: (s) =>
		s.turns(
			say([
				[
					call("AskUserQuestion", {
						questions: [
							{
								question: "Which?",
								header: "H",
								options: [
									{ label: "a", description: "x" },
									{ label: "b", description: "y" },
								],
								multiSelect: false,
							},
						],
					}),
				],
				"ok",
			]),
			"two",
		),
	async bare_args(s) {
		await s.turn("one", { args: ["--append-system-prompt", "Be brief."] });
		const d = path.join(s.home.dir, "other");
		fs.mkdirSync(d, { recursive: true });
		await s.turn("two", { args: ["--add-dir", d] });
	},
	async git(s) {
		const { execSync } = await import("node:child_process");
		execSync("git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first", { cwd: s.home.cwd });
		s.write("a.txt", "x\n");
		await s.turns(
			"one",
			say([[call("EnterWorktree", { name: "wt" })], [bash("pwd")], [call("ExitWorktree", { action: "keep" })], "back"]),
			"three",
		);
	},
	async cd(s) {
		s.write("sub/x", "x");
		await s.turns(say([[bash("cd sub && pwd")], "moved"]), "two");
	},
	mention_dir(s) {
		s.write("d/a.txt", "alpha\n");
		s.write("p.png", Buffer.from(PNG, "base64"));
		return s.turns("what is in @d and @p.png and @nothing.txt", "two");
	},
	async compact_tools(s) {
		const f = s.write("a.txt", "alpha\n");
		await s.turns(
			say([[call("Read", { file_path: f })], [bash("echo 1"), bash("echo 2")], "done"]),
			"two",
			"/compact keep numbers",
			"three",
			"/compact",
			"four",
		);
	},
	async stream_many(s) {
		await s.turn(null, {
			args: STREAM,
			input:
				typed("one") +
				typed([
					{ type: "text", text: "two a" },
					{ type: "text", text: "two b" },
				]) +
				typed("three"),
		});
		await s.turn("four");
	},
	async ultra(s) {
		await s.turns("ultrathink about it", "ultracode do it", "two");
	},
	async monitor(s) {
		await s.turn(null, {
			args: STREAM,
			input: typed(
				say([
					[call("ToolSearch", { query: "select:Monitor" })],
					[call("Monitor", { command: "echo ev1; sleep 0.3; echo ev2", description: "watch" })],
					"watching",
				]),
			),
		});
		await s.turn("two");
	},
	async mcp(s) {
		const server = s.write(
			"mcp.py",
			`import sys,json\nfor l in sys.stdin:\n  r=json.loads(l)\n  if 'id' not in r: continue\n  m=r['method']\n  res={}\n  if m=='initialize': res={'protocolVersion':r['params']['protocolVersion'],'capabilities':{'tools':{}},'serverInfo':{'name':'probe','version':'1'},'instructions':'Use probe well.'}\n  elif m=='tools/list': res={'tools':[{'name':'hello','description':'says hello','inputSchema':{'type':'object','properties':{}}}]}\n  elif m=='tools/call': res={'content':[{'type':'text','text':'hello from mcp'},{'type':'image','data':'${PNG}','mimeType':'image/png'}],'structuredContent':{'a':1}}\n  print(json.dumps({'jsonrpc':'2.0','id':r['id'],'result':res}),flush=True)\n`,
		);
		const cfg = s.write("mcp.json", JSON.stringify({ mcpServers: { probe: { command: "python3", args: [server] } } }));
		const args = ["--mcp-config", cfg, "--allowedTools", "mcp__probe__hello"];
		await s.turn(say([[call("ToolSearch", { query: "select:mcp__probe__hello" })], [call("mcp__probe__hello", {})], "called"]), {
			args,
		});
		await s.turn("two", { args });
		await s.turn("three");
	},
};
