// Sessions that the real agent writes: a recipe gives the prompts and what else
// happens, and the fake API the answers.

import fs from "node:fs";
import path from "node:path";
import { linesOf, run } from "./agent.mjs";
import { MORE } from "./recipes-more.mjs";
import { bash, call, PNG, say, STREAM, text, thinking, typed } from "./steps.mjs";
import { KEYS, Terminal } from "./tui.mjs";

const TOOLS = "Bash Read Write Edit Task Agent Glob Grep";
const WAIT = "python3 -c 'import time; time.sleep(25)'";

/** A session in a home that a version of the agent writes, turn by turn. */
export class Session {
	constructor(home, version) {
		this.home = home;
		this.version = version;
		/** What the agent has sent, in order. */
		this.requests = [];
	}

	/** The transcript: of the session that the last turn was in. */
	get file() {
		return this.home.transcripts().find((file) => !path.basename(file).startsWith("agent-"));
	}

	get lines() {
		return linesOf(fs.readFileSync(this.file));
	}

	write(name, content) {
		const file = path.join(this.home.cwd, name);
		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, content);
		return file;
	}

	async turn(words, { args = [], ...options } = {}) {
		const resume = this.file ? ["--resume", path.basename(this.file, ".jsonl")] : [];
		const ran = await run(this.home, this.version, ["-p", ...(words === null ? [] : [words]), ...resume, ...args, "--allowedTools", TOOLS], options);
		this.requests.push(...ran.requests);
	}

	/** Go on in a terminal, which is closed afterwards. */
	async inTerminal(run) {
		const resume = this.file ? ["--resume", path.basename(this.file, ".jsonl")] : [];
		await Terminal.with(this.home, this.version, resume, async (terminal) => {
			await run(terminal);
			this.requests.push(...terminal.requests);
		});
	}

	async turns(...prompts) {
		for (const words of prompts)
			await this.turn(words);
	}
}

export const RECIPES = {
	...MORE,
	turns: (session) => session.turns("one", "two", "three"),
	tools(session) {
		const file = session.write("a.txt", "alpha\nbeta\n");
		return session.turns(say([[thinking("hm"), text("I look."), bash("echo hi; ls")], [call("Read", { file_path: file })], "All seen."]), "and now?");
	},
	parallel(session) {
		const file = session.write("a.txt", "alpha\n");
		const three = [thinking("hm"), text("Three at once."), bash("echo 1"), call("Read", { file_path: file }), bash("echo 3")];
		return session.turns(say([three, [bash("echo 4"), bash("sleep 0.3; echo 5")], "Done."]), "more");
	},
	errors: (session) => session.turns(say([[bash("exit 3"), call("Read", { file_path: "/nonexistent" })], [call("NoSuchTool", { x: 1 })], "Sad."]), "more"),
	apierror: (session) => session.turns("one", say([{ error: 400, message: "prompt is odd" }]), "three"),
	maxtokens: (session) => session.turns(say([{ blocks: [text("half of")], stop: "max_tokens" }, "the rest"]), "two"),
	subagent(session) {
		const task = { description: "look", prompt: say([[bash("echo sub")], "sub says hi"]), subagent_type: "general-purpose" };
		return session.turns(say([[call("Agent", task)], "Back."]), "more");
	},
	async picture(session) {
		const source = { type: "base64", media_type: "image/png", data: PNG };
		const file = session.write("p.png", Buffer.from(PNG, "base64"));
		await session.turn(null, { args: STREAM, input: typed([text("see"), { type: "image", source }]) });
		await session.turn(say([[call("Read", { file_path: file })], "A dot."]));
	},
	mention(session) {
		session.write("a.txt", "alpha\nbeta\n");
		return session.turns("what is in @a.txt ?", "and again");
	},
	async queued(session) {
		await session.turn(null, { args: STREAM, input: typed(say([[bash("sleep 1; echo slow")], "first done"])) + typed("second, typed meanwhile") });
		await session.turn("third");
	},
	compact: (session) => session.turns(say([[bash("echo old")], "old answer"]), "old two", "/compact", "new question"),
	compact_twice: (session) => session.turns("old", "/compact keep it short", "middle", "/compact", "new question"),
	autocompact: (session) => session.turns("old", say([{ blocks: [text("huge")], usage: { input_tokens: 195000, output_tokens: 100 } }]), "three", "four"),
	autocompact_tools(session) {
		const full = { blocks: [text("huge"), bash("echo mid")], usage: { input_tokens: 195000, output_tokens: 100 } };
		return session.turns("old", say([full, "after"]), "three");
	},
	async interrupted(session) {
		await session.turn("one");
		await session.turn(say([[bash("echo a")], { blocks: [text("partly"), text("never")], delay_ms: 20000 }]), { interruptAfter: 5000 });
		await session.turn("three");
	},
	async killed_in_tool(session) {
		await session.turn("one");
		await session.turn(say([[text("I wait."), bash("echo fast"), bash(WAIT)], "never"]), { interruptAfter: 5000, signal: "SIGKILL" });
	},
	async interrupted_in_tool(session) {
		await session.turn("one");
		await session.turn(say([[text("I wait."), bash("echo fast"), bash(WAIT)], "never"]), { interruptAfter: 5000 });
	},
	async fork(session) {
		await session.turns("one", say([[bash("echo x")], "two"]));
		await session.turn("three, in the fork", { args: ["--fork-session"] });
	},
	async rewind(session) {
		await session.turn("one");
		const at = session.lines.findLast(({ type }) => type === "assistant").uuid;
		await session.turn("two, left behind");
		await session.turn("two, again", { args: ["--resume-session-at", at] });
		await session.turn("three");
	},
	terminal: (session) => session.inTerminal(async (terminal) => {
		await terminal.say("one");
		await terminal.say("two");
	}),
	terminal_rewind: (session) => session.inTerminal(async (terminal) => {
		await terminal.say("one");
		await terminal.say("two, left behind");
		await terminal.press("/rewind", KEYS.enter, KEYS.up, KEYS.enter, KEYS.enter, KEYS.clear);
		await terminal.say("two, again");
	}),
	async terminal_resumed(session) {
		await session.turns("one", "two");
		await session.inTerminal((terminal) => terminal.say("three"));
		await session.turn("four");
	},
	slash: (session) => session.turns("one", "/cost", "/context", "two"),
	hooks(session) {
		const hook = (command) => [{ hooks: [{ type: "command", command }] }];
		session.write(".claude/settings.json", JSON.stringify({ hooks: {
			UserPromptSubmit: hook("echo told by the prompt hook"),
			PostToolUse: [{ matcher: "Bash", ...hook("echo bad >&2; exit 2")[0] }],
			SessionStart: hook("echo told at the start"),
		} }));
		return session.turns(say([[bash("echo x")], "done"]), "two");
	},
};
