// Runs of the real Claude Code, in a home of its own, against the fake API.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "../server.mjs";

export const VERSION = "2.1.332";
/** With its version. */
export const NAME = `Claude Code ${VERSION}`;
/** How many agents run at a time: they wait for half of the time. */
export const JOBS = 2 * os.cpus().length;

const PACKAGES = fileURLToPath(new URL("node_modules", import.meta.url));
const KEY = "sk-ant-fake-0000-0000-0000-0000-0000";

/** The agent: a native program in a package of its own. */
export const PROGRAM = path.join(PACKAGES, `claude-${VERSION}/node_modules/@anthropic-ai/claude-code-linux-${os.arch()}/claude`);

/** Where the object or array ends that begins at a place, or -1. */
function endOfValue(text, from) {
	let depth = 0, inString = false;
	for (let i = from; i < text.length; i++) {
		const c = text[i];
		if (inString) {
			if (c === "\\")
				i++;
			else if (c === "\n")
				return -1;
			inString = c !== '"';
		} else if (c === '"') {
			inString = true;
		} else if (c === "{" || c === "[") {
			depth++;
		} else if ((c === "}" || c === "]") && --depth === 0) {
			return i + 1;
		}
	}
	return -1;
}

/**
 * The JSON objects of a transcript, as the agent reads them: each begins a line, may go
 * over several, and what stands behind it is nothing.
 */
export function linesOf(bytes) {
	const text = bytes.toString().replace(/^\ufeff/, "");
	const values = [];
	for (let at = 0; at < text.length;) {
		const start = at + text.slice(at).search(/[^ \t\r\n]|$/);
		const end = text[start] === "{" ? endOfValue(text, start) : -1;
		let next = text.indexOf("\n", start);
		try {
			if (end >= 0) {
				values.push(JSON.parse(text.slice(start, end)));
				next = text.indexOf("\n", end);
			}
		} catch {
			// The next line may be whole.
		}
		at = next < 0 ? text.length : next + 1;
	}
	return values;
}

/** A user's directories, and in them the one that the agent runs in. */
export class Home {
	constructor() {
		this.dir = fs.mkdtempSync(path.join(os.tmpdir(), "claude-"));
		this.home = path.join(this.dir, "h");
		this.cwd = path.join(this.dir, "w");
		this.project = path.join(this.home, ".claude/projects", this.cwd.replace(/[^a-zA-Z0-9]/g, "-"));
		fs.mkdirSync(this.cwd);
		fs.mkdirSync(this.project, { recursive: true });
	}

	/** Run with a home that is removed afterwards. */
	static async with(run) {
		const home = new Home();
		try {
			return await run(home);
		} finally {
			home.remove();
		}
	}

	/** Where the transcript of a session is. */
	transcript(id) {
		return path.join(this.project, `${id}.jsonl`);
	}

	/** All of them, the newest first. */
	transcripts() {
		const files = fs.readdirSync(this.project).filter((name) => name.endsWith(".jsonl")).map((name) => path.join(this.project, name));
		const age = new Map(files.map((file) => [file, fs.statSync(file).mtimeMs]));
		return files.sort((a, b) => age.get(b) - age.get(a));
	}

	remove() {
		fs.rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
	}

	/** The environment of an agent whose API is at that port. */
	env(port) {
		return {
			PATH: process.env.PATH, TERM: "xterm-256color", LANG: "C.UTF-8", HOME: this.home, SHELL: "/bin/bash",
			TMPDIR: this.dir, CLAUDE_CODE_TMPDIR: this.dir, IS_SANDBOX: "1",
			DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1", DISABLE_ERROR_REPORTING: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
		};
	}
}

/**
 * Run the agent once, without a terminal. Gives its exit status or signal, what it
 * printed, and each request that it made: { status, out, err, requests }. It is
 * interrupted by `signal` when `interruptAfter` milliseconds have gone by. `shell` is
 * a command that starts it.
 */
export async function run(home, args, { timeout = 180_000, interruptAfter, signal = "SIGINT", env = {}, input = "", shell = [PROGRAM] } = {}) {
	const requests = [];
	const server = await start((request) => requests.push(request));
	const [command, ...first] = shell;
	const child = spawn(command, [...first, ...args], { cwd: home.cwd, env: { ...home.env(server.port), ...env } });
	const said = { out: "", err: "" };
	child.stdout.on("data", (data) => { said.out += data; });
	child.stderr.on("data", (data) => { said.err += data; });
	child.stdin.on("error", () => {});
	child.stdin.end(input);
	const timers = [setTimeout(() => child.kill("SIGKILL"), timeout)];
	if (interruptAfter)
		timers.push(setTimeout(() => child.kill(signal), interruptAfter));
	const [code, killedBy] = await once(child, "close");
	timers.forEach(clearTimeout);
	server.close();
	return { status: code ?? killedBy, ...said, requests };
}
