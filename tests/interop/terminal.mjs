// A program in a terminal, as a user has it.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Difference } from "./compare.mjs";

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

/** A program in a terminal, which tmux draws. */
export class Terminal {
	/** Run with a command in it; of a home there are the directory, the environment, and one for a socket: { cwd, env, run }. */
	static async with(home, command, run, { columns = 100, rows = 40 } = {}) {
		const terminal = new this(home);
		try {
			terminal.tmux("new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, ...command);
			return await run(terminal);
		} finally {
			const { stdout: leader } = terminal.try("display-message", "-p", "#{pane_pid}");
			terminal.try("kill-server");
			fs.rmSync(terminal.settings);
			const isLeft = () => spawnSync("ps", ["-o", "stat=", "-s", leader.trim()], { encoding: "utf8" }).stdout.match(/^[^Z]/m);
			await until("the end of the program", () => leader.trim() === "" || !isLeft());
		}
	}

	constructor(home) {
		this.home = home;
		this.socket = fs.mkdtempSync(path.join(home.run, "t-")) + "/tmux";
		this.settings = `${this.socket}.conf`;
		// As Pi wants it, so that it says nothing about it.
		fs.writeFileSync(this.settings, "set -g status off\nset -g extended-keys on\nset -g default-terminal tmux-256color\nset -g escape-time 20\n");
	}

	try(...args) {
		const { cwd, env } = this.home;
		return spawnSync("tmux", ["-S", this.socket, "-f", this.settings, ...args], { cwd, env, encoding: "utf8" });
	}

	tmux(...args) {
		const { status, stdout, stderr } = this.try(...args);
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

	/** Type the first prompt. An agent takes none as long as it starts. */
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
