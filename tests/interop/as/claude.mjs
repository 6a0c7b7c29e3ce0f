// Claude Code goes on from branches of all other agents (judge.mjs).
//
// What is allowed, most of it because the API would refuse the request otherwise:
//
//   - Calls are posted behind the texts of their response.
//   - An answer that the agent makes up is posted behind a prompt that has none, and
//     "(continued)" before a conversation that the assistant begins.
//   - The type of a picture is that of its data, whatever its agent says.
//   - Names of tools have other characters than letters, digits, _ and - as _.
//   - Pictures of results that failed follow these. One of another kind than PNG, JPEG,
//     GIF and WebP is a text.
//   - An empty result says "(no output)".
//   - Newlines are added to texts that others follow: one counts as much as several.

import fs from "node:fs";
import path from "node:path";
import { Home, JOBS, NAME, run } from "../claude/agent.mjs";
import { judgeAll } from "./judge.mjs";
import { callsLast, joined, moved, PICTURE } from "./pictures.mjs";

/** Texts that the agent, or sessfs for the API, makes up. */
const MADE_UP = { user: "(continued)", assistant: "No response requested.", result: "(no output)" };
const NO_PICTURE = /^\[picture .*\]$/gm;

const isTaken = ({ kind, url, data }) => kind !== "picture" || /^https:/.test(url ?? "") || PICTURE.test(data ?? "");

function plain({ text, name, mime, ...item }) {
	if (text !== undefined)
		return { ...item, text: text.replace(NO_PICTURE, "").replace(/\n+/g, "\n").replace(/^\n|\n$/g, "") };
	return name === undefined ? item : { ...item, name: name.toWellFormed().replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, 128) };
}

function allowed(items) {
	const failed = new Set(items.filter((item) => item.failed).map(({ n }) => n));
	const kept = items.filter(isTaken).map(plain).filter(({ kind, text, role }) => kind !== "text" || (text.trim() !== "" && text !== MADE_UP[role]));
	const inPlace = moved(callsLast(kept), "result", ({ kind, n }) => kind === "picture" && failed.has(n), ({ n, ...picture }) => ({ ...picture, role: "user" }));
	return joined(inPlace);
}

/** On a busy machine it takes minutes to start. */
const PATIENCE_MS = 600_000;

const sessionOf = (bytes) => JSON.parse(bytes.toString().split("\n", 1)[0]).sessionId;

class Claude {
	constructor(scratch) {
		Object.assign(this, { scratch, name: "claude", version: NAME, jobs: JOBS, n: 0, allowed });
		this.call = { name: "Bash", input: { command: "echo said", description: "Say it" } };
	}

	/** In a home of its own: one that many agents start in is slow. */
	go(bytes, said) {
		const file = path.join(this.scratch, `as-${this.n++}.jsonl`);
		if (!bytes.includes('"uuid":'))
			return null;
		return Home.with(async (home) => {
			const id = sessionOf(bytes);
			fs.writeFileSync(home.transcript(id), bytes);
			const ran = await run(home, ["-p", "--bare", "--dangerously-skip-permissions", "--resume", id, said], { timeout: PATIENCE_MS });
			if (ran.status !== 0)
				throw new Error(`it ends with ${ran.status}: ${(ran.out + ran.err).trim().slice(0, 500)}`);
			fs.copyFileSync(home.transcript(id), file);
			const requests = ran.requests.map(({ body }) => body).filter((body) => JSON.stringify(body?.messages ?? "").includes("@@"));
			return { file, requests };
		});
	}
}

await judgeAll("claude", (scratch, use) => use(new Claude(scratch)));
