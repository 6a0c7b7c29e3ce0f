// The whole command line of oh-my-pi in RPC mode.

import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { Difference, same } from "../compare.mjs";
import { Rpc } from "../rpc.mjs";

const PACKAGE = fileURLToPath(new URL("node_modules/@oh-my-pi/pi-coding-agent", import.meta.url));
export const CLI = `${PACKAGE}/dist/cli.js`;
/** With its version. */
export const NAME = `oh-my-pi ${JSON.parse(fs.readFileSync(`${PACKAGE}/package.json`, "utf8")).version}`;
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

const RPC = [process.execPath, CLI, "--mode", "rpc"];
/** The agent in RPC mode, in a network of its own, but for the session. */
export const COMMAND = ["unshare", ...(process.getuid() === 0 ? [] : ["--map-root-user"]), "--net", ...RPC];
/** With a model of ours. */
export const PLAYED = [...RPC, "--model", "anthropic/claude-opus-4-5"];
/** What that is told: where the model is. */
export const envOf = (home, port) => ({ PATH: process.env.PATH, HOME: home, SHELL: "/bin/sh", LC_ALL: "C.UTF-8", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` });

/** The agent with a session open. */
export class Agent extends Rpc {
	ends = "agent_end";

	constructor(command, { cwd, env = process.env }) {
		super(command, { cwd, env: { ...env, ...KEY } });
	}

	/** Run with it, resumed in a directory. */
	static resumed(file, cwd, run) {
		return Agent.with([...COMMAND, "--resume", file], { cwd }, async (agent) => {
			same("the session that omp has open", await agent.file(), file);
			await run(agent);
		});
	}

	/** Have something said in the session, so that omp appends to it. */
	async append(file) {
		const { size } = fs.statSync(file);
		await this.ask("bash", { command: "echo said" });
		if (fs.statSync(file).size <= size)
			throw new Difference("omp has appended nothing");
	}
}
