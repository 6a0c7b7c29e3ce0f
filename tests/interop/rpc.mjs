// An agent of Pi's family in RPC mode: a message a line.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { Difference } from "./compare.mjs";
import { eachLine } from "./said.mjs";
import { until } from "./terminal.mjs";

export class Rpc {
	/** What it says when a run is over. */
	ends = "agent_settled";

	/** Run with an agent that a command starts, once it answers. */
	static async with(command, place, run) {
		const agent = new this(command, place);
		try {
			await agent.ask("get_state");
			return await run(agent);
		} finally {
			await agent.end();
		}
	}

	constructor([command, ...args], { cwd, env }) {
		this.child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
		this.child.stdin.on("error", () => {});
		this.gone = once(this.child, "exit");
		/** All that it has printed. */
		this.said = [];
		eachLine(this.child.stdout, (line) => this.said.push(JSON.parse(line)));
	}

	/** Wait for something that it prints after the first `from` things. */
	heard(what, is, from) {
		return until(what, () => {
			if (this.child.exitCode !== null || this.child.signalCode !== null)
				throw new Difference(`the agent has ended while we waited for ${what}`);
			return this.said.slice(from).find(is);
		});
	}

	send(type, more = {}) {
		const id = `${type} ${this.said.length} ${Math.random()}`;
		this.child.stdin.write(`${JSON.stringify({ id, type, ...more })}\n`);
		return id;
	}

	async ask(type, more) {
		const from = this.said.length;
		const id = this.send(type, more);
		const { success, data, error } = await this.heard(`an answer to ${type}`, (said) => said.id === id && said.type === "response", from);
		if (!success)
			throw new Difference(`${type}: ${error}`);
		return data;
	}

	/** Wait for the end of a run that begins after the first `from` things. */
	settled(from) {
		return this.heard("the end of a run", ({ type }) => type === this.ends, from);
	}

	/** Say something, and wait until it has been answered. */
	async say(message) {
		const from = this.said.length;
		await this.ask("prompt", { message });
		await this.settled(from);
	}

	async end() {
		this.child.kill();
		await this.gone;
	}

	/** As a shell does that waits for it. */
	async leave() {
		this.child.stdin.end();
		await this.gone;
	}

	get notices() {
		return this.said.filter(({ method }) => method === "notify").map(({ message }) => message);
	}

	/** Do something, and wait for the notice with these words, which is returned. */
	async noticed(words, act) {
		const from = this.said.length;
		await act();
		return (await this.heard(`"${words}" in a notice`, ({ method, message }) => method === "notify" && message.includes(words), from)).message;
	}

	/** To be asked is to have written all. */
	async file() {
		return (await this.ask("get_state")).sessionFile;
	}
}
