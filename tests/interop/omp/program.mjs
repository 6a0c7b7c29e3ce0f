// The whole command line of oh-my-pi in RPC mode.

import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { Difference, same } from "../compare.mjs";
import { eachLine } from "../said.mjs";

const PACKAGE = fileURLToPath(new URL("node_modules/@oh-my-pi/pi-coding-agent", import.meta.url));
export const CLI = `${PACKAGE}/dist/cli.js`;
/** With its version. */
export const NAME = `oh-my-pi ${JSON.parse(fs.readFileSync(`${PACKAGE}/package.json`, "utf8")).version}`;
/** To start takes a second or two, and a busy machine longer. */
const PATIENCE_MS = 180_000;
/** As oh-my-pi reads it, and so that it asks for no model when it starts. */
const KEY = { ANTHROPIC_API_KEY: "none" };
export const ID = "0198f000-0000-7000-8000-000000000001";

const timestamp = "2026-03-01T10:00:00.000Z";

/** A session of a directory: a question, its answer, and another question. */
export function session(cwd) {
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
	const answer = { role: "assistant", content: [{ type: "text", text: "a" }], api: "x", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 5 };
	const message = (id, parentId, message) => ({ type: "message", id, parentId, timestamp, message });
	return [
		{ type: "session", version: 3, id: ID, timestamp, cwd, title: "Running" },
		message("aa000001", null, { role: "user", content: "q", timestamp: 5 }),
		message("aa000002", "aa000001", answer),
		message("aa000003", "aa000002", { role: "user", content: "q2", timestamp: 5 }),
	].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The agent in RPC mode, in a network of its own, but for the session. */
export const COMMAND = ["unshare", ...(process.getuid() === 0 ? [] : ["--map-root-user"]), "--net", process.execPath, CLI, "--mode", "rpc"];

/** The agent with a session open, driven over stdin. */
export class Agent {
	/** Started by a command. */
	constructor([command, ...args], cwd, env = process.env) {
		this.child = spawn(command, args, { cwd, env: { ...env, ...KEY }, stdio: ["pipe", "pipe", "inherit"] });
		this.gone = once(this.child, "exit");
		/** Its lines, each as an event. */
		this.said = new EventEmitter();
		eachLine(this.child.stdout, (line) => this.said.emit("line", line));
	}

	static async start(file, cwd) {
		const agent = new Agent([...COMMAND, "--resume", file], cwd);
		const { sessionFile } = await agent.ask("get_state");
		same("the session that omp has open", sessionFile, file);
		return agent;
	}

	get pid() {
		return this.child.pid;
	}

	/** What it answers to a command. */
	async ask(type, more = {}) {
		const id = `${type} ${Date.now()}`;
		const answer = new Promise((resolve, reject) => {
			const late = setTimeout(() => reject(new Difference(`omp does not answer ${type}`)), PATIENCE_MS);
			const look = (line) => {
				const said = JSON.parse(line);
				if (said.id !== id || said.type !== "response")
					return;
				clearTimeout(late);
				this.said.off("line", look);
				resolve(said);
			};
			this.said.on("line", look);
			this.gone.then(() => reject(new Difference("omp has ended")));
		});
		this.child.stdin.write(`${JSON.stringify({ id, type, ...more })}\n`);
		const { success, data, error } = await answer;
		same(`${type}: ${error ?? "done"}`, success, true);
		return data;
	}

	/** Have something said in the session, so that omp appends to it. */
	async append(file) {
		const { size } = fs.statSync(file);
		await this.ask("bash", { command: "echo said" });
		if (fs.statSync(file).size <= size)
			throw new Difference("omp has appended nothing");
	}

	async end() {
		this.child.kill();
		await this.gone;
	}

	static async with(file, cwd, run) {
		const agent = await Agent.start(file, cwd);
		try {
			await run(agent);
		} finally {
			await agent.end();
		}
	}
}
