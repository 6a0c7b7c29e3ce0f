// The agent in a terminal, as a user has it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { linesOf, program } from "./agent.mjs";
import { start } from "../server.mjs";

const ESCAPE = "\x1b";
export const KEYS = { enter: "\r", escape: ESCAPE, up: `${ESCAPE}[A`, down: `${ESCAPE}[B`, clear: "\x15" };

/** How long the screen has to be still before the next key, in milliseconds. */
const STILL = 800;

/** A user that has seen all that is shown to new ones. */
export function settle(home, version, env) {
	fs.writeFileSync(path.join(home.home, ".claude.json"), JSON.stringify({
		hasCompletedOnboarding: true, lastOnboardingVersion: version, theme: "dark", numStartups: 5,
		customApiKeyResponses: { approved: [env.ANTHROPIC_API_KEY.slice(-20)], rejected: [] },
		projects: { [home.cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
	}));
}

export class Terminal {
	/**
	 * Run with the agent in a terminal, which then ends. Its requests are in `requests`.
	 * `shell` is a command that starts it.
	 */
	static async with(home, version, args, run, { shell = ["exec", ...program(version)], env: more = {} } = {}) {
		const requests = [];
		const server = await start((request) => requests.push(request));
		const env = { ...home.env(server.port), ...more };
		settle(home, version, env);
		// script(1) makes the terminal. No argument needs quotes.
		const command = ["stty rows 50 cols 140;", ...shell, ...args].join(" ");
		const child = spawn("script", ["-q", "-c", command, "/dev/null"], { cwd: home.cwd, env });
		const gone = once(child, "close");
		try {
			const terminal = new Terminal(home, child, requests);
			await terminal.still();
			return await run(terminal);
		} finally {
			child.kill("SIGTERM");
			await gone;
			server.close();
		}
	}

	constructor(home, child, requests) {
		this.home = home;
		this.child = child;
		this.requests = requests;
		this.screen = "";
		this.changed = Date.now();
		child.stdout.on("data", (data) => {
			this.screen += data;
			this.changed = Date.now();
		});
		child.stdin.on("error", () => {});
	}

	/** Wait until something was shown and then nothing more. */
	async still() {
		while (this.screen === "" || Date.now() - this.changed < STILL)
			await sleep(50);
	}

	async press(...keys) {
		for (const key of keys) {
			this.child.stdin.write(key);
			await sleep(STILL / 2);
			await this.still();
		}
	}

	/** How many answers the transcripts have. */
	answers() {
		const lines = this.home.transcripts().flatMap((file) => linesOf(fs.readFileSync(file)));
		return lines.filter(({ type, message }) => type === "assistant" && message.stop_reason !== null).length;
	}

	/**
	 * Type a prompt and wait for the end of the turn. On a busy machine the agent may take
	 * the prompt and Enter for one paste, which sends nothing: then Enter is pressed again.
	 */
	async say(words) {
		const before = this.answers();
		const asked = this.requests.length;
		await this.press(words, KEYS.enter);
		for (let left = 599; this.answers() === before; left--) {
			if (left === 0)
				throw new Error(`no answer to ${words}: ${this.screen.slice(-3000)}`);
			if (left % 50 === 0 && this.requests.length === asked)
				this.child.stdin.write(KEYS.enter);
			await sleep(100);
		}
		await this.still();
	}
}
