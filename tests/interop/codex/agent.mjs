// Runs of the real Codex, in a home of its own, against a fake Responses API in this
// process.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder } from "../mount.mjs";
import { serveJson } from "../server.mjs";
import { AppServer } from "./app-server.mjs";

export const VERSION = "0.171.0";
/** So many agents run at a time. */
export const JOBS = 2;

const PACKAGES = fileURLToPath(new URL("node_modules", import.meta.url));
export const PROGRAM = path.join(PACKAGES, "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
const PROMPT = "ORACLE-NEXT-PROMPT";
/** An agent forgets what it has resumed only when it ends. */
const MOST_RESUMED = 50;

const CONFIG = (port, name) => `model = "gpt-5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "${name}"
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`;

export function says(text) {
	return { type: "message", id: `msg_${randomUUID()}`, role: "assistant", content: [{ type: "output_text", text }] };
}

/** Does the agent ask for a summary of what is before this item? */
export function isCompacting({ type, content }) {
	return type === "compaction_trigger" || (type === "message" && content[0]?.text?.startsWith("You are performing a CONTEXT CHECKPOINT COMPACTION"));
}

/**
 * The server passes each request's body to answer(), and sends what that gives: the
 * items of the model's answer, or {items, ends, tokens}. One that ends otherwise "fails"
 * after its items, or "hangs". After enough tokens the agent compacts.
 */
function startServer(answer) {
	let responses = 0;
	return serveJson(async (url, body, response) => {
		if (!body || !url.endsWith("/responses")) {
			response.writeHead(404).end("{}");
			return;
		}
		const answered = await answer(body);
		const { items, ends, tokens = 10 } = Array.isArray(answered) ? { items: answered } : answered;
		const id = `resp_${++responses}`;
		response.writeHead(200, { "content-type": "text/event-stream" });
		const event = (type, rest) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
		event("response.created", { response: { id } });
		for (const [i, item] of items.entries())
			event("response.output_item.done", { output_index: i, item });
		if (ends === "hangs")
			return;
		if (ends === "fails")
			event("response.failed", { response: { id, error: { code: "server_error", message: "failed" } } });
		else
			event("response.completed", { response: { id, usage: { input_tokens: tokens, input_tokens_details: null, output_tokens: 5, output_tokens_details: null, total_tokens: tokens + 5 } } });
		response.end();
	});
}

/** A $CODEX_HOME, and the directory that the agent runs in. */
export class Home {
	/** Run with a home that is removed afterwards. */
	static async with(run) {
		const home = new Home();
		home.resumed = new Set();
		home.dir = fs.mkdtempSync(path.join(os.tmpdir(), "codex-"));
		home.codex = path.join(home.dir, "h");
		home.cwd = path.join(home.dir, "w");
		home.mnt = path.join(home.dir, "mnt");
		home.sessions = path.join(home.codex, "sessions");
		home.day = path.join(home.sessions, "2026/11/25");
		fs.mkdirSync(home.day, { recursive: true });
		fs.mkdirSync(home.cwd);
		home.api = await startServer((body) => home.answer(body));
		home.configure("fake");
		try {
			return await run(home);
		} finally {
			await home.stopAgent();
			home.api.close();
			removeFolder(home.dir);
		}
	}

	/** The model's answer to what is posted. */
	answer() {
		return [says("ok")];
	}

	/** The provider is OpenAI if that is its name: it can compact by itself. */
	configure(provider) {
		fs.writeFileSync(path.join(this.codex, "config.toml"), CONFIG(this.api.port, provider));
	}

	/**
	 * For `codex resume` in a terminal, which goes on with the provider of the thread, and
	 * that is OpenAI: to the user the directory and a key are known.
	 */
	configureTerminal() {
		fs.writeFileSync(path.join(this.codex, "config.toml"), `model = "gpt-5"
openai_base_url = "http://127.0.0.1:${this.api.port}/v1"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
daemon_auto_start = false
[projects."${this.cwd}"]
trust_level = "trusted"
`);
		fs.writeFileSync(path.join(this.codex, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "sk-fake" }));
	}

	/** Write the rollout of a thread where the agent finds it. */
	put(thread, bytes, rollout = thread) {
		const name = rollout === thread ? thread : `${thread}_${rollout}`;
		const file = path.join(this.day, `rollout-2026-11-25T10-00-00-${name}.jsonl`);
		fs.writeFileSync(file, bytes);
		return { id: thread, file };
	}

	/** Write the rollouts of a thread (gen.mjs). Gives the last. */
	putAll(rollouts) {
		return rollouts.map(({ thread, rollout, bytes }) => this.put(thread, bytes, rollout)).at(-1);
	}

	/** Without a rollout. */
	clear() {
		fs.rmSync(this.sessions, { recursive: true });
		fs.mkdirSync(this.day, { recursive: true });
	}

	/** All rollouts, in the order of their names. */
	rollouts() {
		return fs.readdirSync(this.sessions, { recursive: true }).filter((name) => name.endsWith(".jsonl"))
			.sort().map((name) => path.join(this.sessions, name));
	}

	/** Another command may start it. */
	spawn(args, stdio, [command, ...first] = [PROGRAM]) {
		const env = { PATH: process.env.PATH, HOME: this.dir, CODEX_HOME: this.codex };
		return spawn(command, [...first, ...args], { cwd: this.cwd, env, stdio });
	}

	/** The agent as a server, which runs until it is stopped. */
	async agent() {
		this.server ??= await AppServer.start(this);
		return this.server;
	}

	async stopAgent(signal) {
		await this.server?.stop(signal);
		this.server = undefined;
		this.resumed.clear();
	}

	/** Run; gives the first `input` that a thread posts, and what run() gives. */
	async posted(threadId, run) {
		let posted;
		this.answer = ({ input, client_metadata }) => {
			if (client_metadata.thread_id === threadId)
				posted ??= input;
			return [says("ok")];
		};
		const said = await run();
		return { posted, said };
	}

	/**
	 * Resume a thread with a prompt. Gives the `input` that was posted before it, or
	 * before what is posted to compact that first, without the base instructions; or
	 * throws what the agent said.
	 */
	async resume(threadId, how = "app-server") {
		const run = { "app-server": () => this.resumeByServer(threadId, PROMPT), exec: () => this.resumeByExec(threadId) };
		const { posted, said } = await this.posted(threadId, run[how]);
		const isNext = (item) => isCompacting(item) || (item.role === "user" && item.content[0]?.text === PROMPT);
		const at = posted?.findLastIndex(isNext);
		if (!posted || at < 1)
			throw new Error(`codex: ${said.trim().slice(-1500)}`);
		return posted.slice(1, at);
	}

	async resumeByServer(threadId, prompt) {
		if (this.resumed.size >= MOST_RESUMED || this.resumed.has(threadId))
			await this.stopAgent();
		this.resumed.add(threadId);
		const server = await this.agent();
		await server.call("thread/resume", { threadId, excludeTurns: true });
		const { status, error } = await server.say(threadId, [{ type: "text", text: prompt }]);
		await server.call("thread/unsubscribe", { threadId });
		return `${status}: ${error?.message}`;
	}

	async resumeByExec(threadId) {
		const child = this.spawn(["exec", "resume", threadId, PROMPT, "--skip-git-repo-check"], ["ignore", "pipe", "pipe"]);
		let said = "";
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding("utf8").on("data", (data) => { said += data; });
		const timer = setTimeout(() => child.kill("SIGKILL"), 180_000);
		await once(child, "close");
		clearTimeout(timer);
		return said;
	}
}

/** Run with a function that lends one of JOBS homes, for as long as what it is given takes. */
export async function withHomes(run, homes = []) {
	if (homes.length < JOBS)
		return Home.with((home) => withHomes(run, [...homes, home]));
	const free = [...homes];
	return run(async (use) => {
		const home = free.pop();
		try {
			home.clear();
			return await use(home);
		} finally {
			free.push(home);
		}
	});
}
