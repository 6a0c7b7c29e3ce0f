// `codex app-server`: the agent as a process that is asked by JSON-RPC, a message a line.
// `codex app-server generate-json-schema --out DIR` describes the methods.

import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { eachLine } from "../said.mjs";

const SECONDS = 60;

/** The agent has refused. */
export class Refused extends Error {}

export class AppServer {
	static async start(home) {
		const server = new AppServer();
		server.asked = new Map();
		server.waiting = new Set();
		server.count = 0;
		// What it complains of is for those who look for a difference's cause.
		const log = fs.openSync(path.join(home.dir, "app-server.log"), "a");
		server.child = home.spawn(["app-server"], ["pipe", "pipe", log]);
		fs.closeSync(log);
		server.closed = once(server.child, "close");
		server.child.stdin.on("error", () => {});
		server.listen();
		await server.call("initialize", { clientInfo: { name: "sessfs", version: "1" }, capabilities: { experimentalApi: true } });
		server.send({ method: "initialized" });
		return server;
	}

	send(message) {
		this.child.stdin.write(`${JSON.stringify(message)}\n`);
	}

	listen() {
		eachLine(this.child.stdout, (line) => this.take(JSON.parse(line)));
	}

	take(message) {
		const { id, method, params, error, result } = message;
		if (method === undefined) {
			this.asked.get(id)?.({ error, result });
			this.asked.delete(id);
		} else if (id !== undefined) {
			this.send({ id, error: { code: -32601, message: "not here" } });
		} else {
			for (const wait of this.waiting)
				wait(method, params);
		}
	}

	/** A promise with a limit, and what becomes of it. */
	within(what, promise) {
		let timer;
		const late = new Promise((_, reject) => {
			timer = setTimeout(() => reject(new Error(`codex app-server: no ${what}`)), SECONDS * 1000);
		});
		return Promise.race([promise, late, this.closed.then(() => Promise.reject(new Error(`codex app-server: it has ended, without ${what}`)))])
			.finally(() => clearTimeout(timer));
	}

	async call(method, params) {
		const id = ++this.count;
		const answered = new Promise((resolve) => this.asked.set(id, resolve));
		this.send({ id, method, params });
		const { error, result } = await this.within(`answer to ${method}`, answered);
		if (error)
			throw new Refused(`${method}: ${error.message}`);
		return result;
	}

	/** The parameters of the next notification that is the one. */
	next(method, isIt) {
		let wait;
		const got = new Promise((resolve) => {
			wait = (told, params) => told === method && isIt(params) && resolve(params);
			this.waiting.add(wait);
		});
		return this.within(method, got).finally(() => this.waiting.delete(wait));
	}

	/** What begin() starts in a thread is a turn. Gives the turn when it has ended. */
	async turn(threadId, begin) {
		const ended = this.next("turn/completed", (params) => params.threadId === threadId);
		// If it does not begin, it does not end.
		ended.catch(() => {});
		await begin();
		return (await ended).turn;
	}

	say(threadId, input, settings = {}) {
		return this.turn(threadId, () => this.call("turn/start", { threadId, input, ...settings }));
	}

	async stop(signal) {
		if (signal)
			this.child.kill(signal);
		this.child.stdin.end();
		const timer = setTimeout(() => this.child.kill("SIGKILL"), SECONDS * 1000);
		await this.closed;
		clearTimeout(timer);
	}
}
