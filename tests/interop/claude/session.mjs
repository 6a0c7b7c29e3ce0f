// A session that Claude Code writes in a home of its own, step by step. A step is
//
//   a text              a prompt
//   a list              the steps of the answers to a prompt (../server.mjs)
//   { say, args, ... }  the same, with arguments and options of run(); say may be null
//   a function          of the session
//
// CWD in prompts is the agent's directory.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { linesOf, run } from "./agent.mjs";
import { contextIn, sameContext, sessfs } from "./compare.mjs";
import { ask } from "./oracle.mjs";
import { say, says } from "./steps.mjs";
import { Terminal } from "./tui.mjs";

const TOOLS = "Bash Read Write Edit Task Agent Glob Grep";

/** Move HEAD as ln -sfn does. Returns why it was refused, or null. */
export function move(mount, target) {
	const { status, stderr } = spawnSync("ln", ["-sfn", target, mount.path("HEAD")], { encoding: "utf8" });
	return status === 0 ? null : `${stderr.trim().replace(/.*: /, "")}: ${mount.info()["last-refused"]}`;
}

export class Session {
	/** What the agent has sent, in order. */
	requests = [];

	constructor(home) {
		this.home = home;
	}

	/** The transcript: of the session that the last turn was in, but for one that is mounted. */
	get file() {
		return this.mountedFile ?? this.home.transcripts().find((file) => !path.basename(file).startsWith("agent-"));
	}

	get id() {
		return path.basename(this.file, ".jsonl");
	}

	get lines() {
		return linesOf(fs.readFileSync(this.file));
	}

	/** The options to go on with it. */
	get resume() {
		return this.file ? ["--resume", this.id] : [];
	}

	write(name, content) {
		const file = path.join(this.home.cwd, name);
		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, content);
	}

	async take(steps) {
		for (const step of steps) {
			const isPlain = typeof step === "string" || Array.isArray(step);
			await (typeof step === "function" ? step(this) : this.turn(isPlain ? { say: step } : step));
		}
	}

	async turn({ say: what, args = [], input = "", ...options }) {
		const words = Array.isArray(what) ? say(what) : what;
		const here = (text) => text.replaceAll("CWD", this.home.cwd);
		const ran = await run(this.home, ["-p", ...(words === null ? [] : [here(words)]), ...this.resume, ...args, "--allowedTools", TOOLS], { ...options, input: here(input) });
		this.requests.push(...ran.requests);
	}

	/** Go on in a terminal, which is closed afterwards: texts are said, lists of keys entered, and functions called. */
	inTerminal(steps) {
		return Terminal.with(this.home, this.resume, async (terminal) => {
			for (const step of steps)
				await (typeof step === "string" ? terminal.say(step) : Array.isArray(step) ? terminal.enter(...step) : step(terminal));
			this.requests.push(...terminal.requests);
		});
	}

	/** Run with the session mounted. */
	mounted(run) {
		this.mountedFile = this.file;
		return withScratch((scratch) => Mount.with(this.file, path.join(scratch, "mnt"), (mount) => {
			this.mount = mount;
			return run(this);
		}));
	}

	/** The entry that begins with these words, or null, of which HEAD is "tree". */
	entry(words) {
		return words && this.mount.list("by-id").findLast((name) => this.mount.read(`by-id/${name}/content`).toString().split(/[\s@]/)[0] === words);
	}

	move(words) {
		return move(this.mount, words === null ? "tree" : `by-id/${this.entry(words)}`);
	}

	/**
	 * Move HEAD `to` an entry, if that is given, and let the agent take the next turn: it sends
	 * the context that is shown, or with --resume-session-at that of the entry `at`, and HEAD is at its answer.
	 */
	async goOn({ to, at, words, args = this.resume }) {
		if (to !== undefined)
			same(`moving HEAD to ${to}`, this.move(to), null);
		const entry = at && this.entry(at);
		const ours = entry ? { ...contextIn(this.mount, `by-id/${entry}/`), leaf: entry } : sessfs(this.mount);
		const bytes = fs.readFileSync(this.file);
		const asked = await ask(this.home, entry ? [...this.resume, "--resume-session-at", entry] : args, { prompt: says(words) });
		// Which notes there are, another turn may change.
		sameContext({ ...ours, notes: asked.notes ?? [] }, asked, ` before ${words}`);
		this.requests.push(...asked.ran.requests);
		if (args.includes("--fork-session"))
			same("the session that was forked", fs.readFileSync(this.file).equals(bytes), true);
		else
			same("HEAD's content", this.mount.read("HEAD/content").toString().trim(), words.toUpperCase());
	}
}
