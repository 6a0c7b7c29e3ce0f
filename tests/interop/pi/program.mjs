// The whole Pi as a user runs it. It has a home of its own, and its model is a fake API in this process (../server.mjs).

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Difference } from "../compare.mjs";
import { eachLine } from "../said.mjs";
import { start } from "../server.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** Pi needs a newer node than Debian's. */
const NODE = here(`node_modules/node-linux-${os.arch()}/bin/node`);
const CLI = here("node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
/** The command that starts it. */
export const COMMAND = [NODE, CLI];
export const EXTENSION = here("../../../mount/share/pi");

/** How long something may take that takes a second on an idle machine. */
const PATIENCE_MS = 180_000;

/** Wait until it holds; what it gives. */
export async function until(what, holds) {
	for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(20)) {
		const value = await holds();
		if (value)
			return value;
	}
	throw new Difference(`waited in vain for ${what}`);
}

/** Messages as lines of text: who says what. */
export function texts(messages) {
	const textOf = (content) => (typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n"));
	return messages.map(({ role, content }) => `${role}: ${textOf(content)}`);
}

/** A user's directories, the API, and what it was asked. */
export class Home {
	/** The model's answer is as its steps say, or as `otherwise` (see ../server.mjs); it may be able to do `more`. */
	static async with(dir, run, otherwise, more) {
		const home = new Home(dir);
		const server = await start((request) => home.requests.push(request), otherwise);
		home.configure(server.port, more);
		try {
			return await run(home);
		} finally {
			server.close();
		}
	}

	constructor(dir) {
		this.home = fs.mkdtempSync(path.join(dir, "h-"));
		this.cwd = path.join(this.home, "work");
		this.run = path.join(this.home, "run");
		this.requests = [];
		fs.mkdirSync(this.cwd);
		fs.mkdirSync(this.run, { mode: 0o700 });
	}

	configure(port, more) {
		const agent = path.join(this.home, ".pi/agent");
		const provider = { baseUrl: `http://127.0.0.1:${port}`, api: "anthropic-messages", apiKey: "none", models: [{ id: "acme-1", ...more }] };
		fs.mkdirSync(agent, { recursive: true });
		fs.writeFileSync(path.join(agent, "models.json"), JSON.stringify({ providers: { acme: provider } }));
		fs.writeFileSync(path.join(agent, "settings.json"), JSON.stringify({ defaultProvider: "acme", defaultModel: "acme-1", quietStartup: true }));
	}

	get env() {
		return {
			PATH: process.env.PATH, HOME: this.home, SHELL: "/bin/sh", LC_ALL: "C.UTF-8", COLORTERM: "truecolor", PI_OFFLINE: "1",
			XDG_RUNTIME_DIR: this.run, SESSFS: process.env.SESSFS,
		};
	}

	/** Run Pi for something that needs no model, such as `install`. */
	pi(...args) {
		const { status, stderr } = spawnSync(NODE, [CLI, ...args], { cwd: this.cwd, env: this.env, encoding: "utf8" });
		if (status !== 0)
			throw new Difference(`pi ${args.join(" ")}: ${stderr}`);
	}

	/** What was said in the last request: role and text of each message. */
	lastAsked() {
		return texts(this.requests.at(-1).body.messages);
	}
}

/** Pi in RPC mode. */
export class Rpc {
	static async with(home, args, run) {
		const pi = new Rpc(home, args);
		try {
			await pi.ask("get_state");
			return await run(pi);
		} finally {
			pi.child.kill();
			await pi.gone;
		}
	}

	constructor(home, args) {
		this.child = spawn(NODE, [CLI, "--mode", "rpc", ...args], { cwd: home.cwd, env: home.env, stdio: ["pipe", "pipe", "inherit"] });
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
				throw new Difference(`Pi has ended while we waited for ${what}`);
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
		return this.heard("the end of a run", ({ type }) => type === "agent_settled", from);
	}

	/** Say something, and wait until it has been answered. */
	async say(message) {
		const from = this.said.length;
		await this.ask("prompt", { message });
		await this.settled(from);
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

	async file() {
		return (await this.ask("get_state")).sessionFile;
	}
}

/** A program in a terminal, which tmux draws. */
export class Terminal {
	static async with(home, command, run, { columns = 100, rows = 40 } = {}) {
		const terminal = new Terminal(home);
		try {
			terminal.tmux("new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, ...command);
			return await run(terminal);
		} finally {
			spawnSync("tmux", ["-S", terminal.socket, "kill-server"]);
			fs.rmSync(terminal.settings);
		}
	}

	/** Pi in it. */
	static pi(home, args, run, size) {
		return Terminal.with(home, [NODE, CLI, ...args], run, size);
	}

	constructor(home) {
		this.home = home;
		this.socket = fs.mkdtempSync(path.join(home.run, "t-")) + "/tmux";
		this.settings = `${this.socket}.conf`;
		// As Pi wants it, so that it says nothing about it.
		fs.writeFileSync(this.settings, "set -g status off\nset -g extended-keys on\nset -g default-terminal tmux-256color\n");
	}

	tmux(...args) {
		const { cwd, env } = this.home;
		const { status, stdout, stderr } = spawnSync("tmux", ["-S", this.socket, "-f", this.settings, ...args], { cwd, env, encoding: "utf8" });
		if (status !== 0)
			throw new Difference(`tmux ${args[0]}: ${stderr}`);
		return stdout;
	}

	get screen() {
		return this.tmux("capture-pane", "-p");
	}

	/** The same, with the colors as escapes. */
	get colored() {
		return this.tmux("capture-pane", "-p", "-e");
	}

	async shows(words) {
		try {
			return await until(`"${words}" on the screen`, () => this.screen.includes(words));
		} catch (error) {
			throw new Difference(`${error.message}:\n${this.screen}`);
		}
	}

	type(text) {
		this.tmux("send-keys", "-l", text);
	}

	press(key) {
		this.tmux("send-keys", key);
	}

	/** Type the first prompt. Pi takes none as long as it starts. */
	async begin(text) {
		this.type(text);
		const asked = this.home.requests.length;
		await until("a request", async () => {
			this.press("Enter");
			await sleep(300);
			return this.home.requests.length > asked;
		});
	}
}
