// Claude Code in a terminal, as a user has it.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { start } from "../server.mjs";
import { Terminal as Plain, until } from "../terminal.mjs";
import { linesOf, PROGRAM, VERSION } from "./agent.mjs";

/** As tmux names them. */
const KEYS = ["Enter", "Escape", "Up", "Down", "BTab", "C-u"];
/** How long the screen has to be still before the next key, in milliseconds. */
const STILL = 800;

/** A user that has seen all that is shown to new ones. */
export function settle(home, env) {
	fs.writeFileSync(path.join(home.home, ".claude.json"), JSON.stringify({
		hasCompletedOnboarding: true, lastOnboardingVersion: VERSION, theme: "dark", numStartups: 5,
		customApiKeyResponses: { approved: [env.ANTHROPIC_API_KEY.slice(-20)], rejected: [] },
		projects: { [home.cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
	}));
}

export class Terminal extends Plain {
	/** Run with the agent in a terminal, which then ends. Its requests are in `requests`. */
	static async with(home, args, run) {
		const requests = [];
		const server = await start((request) => requests.push(request));
		const env = home.env(server.port);
		settle(home, env);
		try {
			await super.with({ ...home, env, run: home.dir }, [PROGRAM, ...args], async (terminal) => {
				Object.assign(terminal, { agent: home, requests });
				await terminal.still();
				await run(terminal);
			}, { columns: 140, rows: 50 });
		} finally {
			server.close();
		}
	}

	/** Wait until something was shown and then nothing more. */
	async still() {
		let before, since;
		await until("a still screen", () => {
			const { screen } = this;
			if (screen !== before || screen.trim() === "")
				[before, since] = [screen, Date.now()];
			return Date.now() - since >= STILL;
		});
	}

	/** Keys, and texts that are typed. */
	async enter(...keys) {
		for (const key of keys) {
			KEYS.includes(key) ? this.press(key) : this.type(key);
			await sleep(STILL / 2);
			await this.still();
		}
	}

	/** How many answers the transcripts have. */
	answers() {
		const lines = this.agent.transcripts().flatMap((file) => linesOf(fs.readFileSync(file)));
		return lines.filter(({ type, message }) => type === "assistant" && message.stop_reason !== null).length;
	}

	/**
	 * Type a prompt and wait for the end of the turn. On a busy machine the agent may take
	 * the prompt and Enter for one paste, which sends nothing: then Enter is pressed again.
	 */
	async say(words) {
		const before = this.answers();
		const asked = this.requests.length;
		await this.enter(words, "Enter");
		let tries = 0;
		await until(`an answer to ${words}`, async () => {
			if (++tries % 50 === 0 && this.requests.length === asked)
				this.press("Enter");
			await sleep(80);
			return this.answers() > before;
		});
		await this.still();
	}
}
