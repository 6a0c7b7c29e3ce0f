// Codex goes on from branches of all other agents (judge.mjs).
//
// What is allowed:
//
//   - Its API does not say whether a call has failed, and takes names of tools of 64
//     letters, digits, _ and -: other characters are _.
//   - Pictures of other kinds than PNG, JPEG, GIF and WebP, and of URLs, are texts.
//   - An empty result is "(no output)" for Anthropic's API.

import fs from "node:fs";
import path from "node:path";
import { JOBS, VERSION, says, withHomes } from "../codex/agent.mjs";
import { Difference } from "../compare.mjs";
import { Mount } from "../mount.mjs";
import { prompt, stepsIn } from "../server.mjs";
import { canon, difference, withoutPrompt } from "./canon.mjs";
import { judgeAll } from "./judge.mjs";
import { inFile, joined } from "./pictures.mjs";

const TIME = "2026-03-01T10:00:00.000Z";

function allow({ failed, ...item }) {
	if (item.kind === "picture")
		return inFile(item);
	return item.name === undefined ? item : { ...item, name: item.name.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, 64) };
}

/** Texts that stand side by side now are one again. */
const allowed = (items) => joined(items.map(allow).filter(({ role, text }) => role !== "result" || text !== "(no output)"));

class Codex {
	constructor(scratch, lend) {
		Object.assign(this, { scratch, lend, name: "codex", version: `Codex ${VERSION}`, jobs: JOBS, n: 0, allowed });
		this.call = { name: "exec_command", input: { cmd: "echo said" } };
	}

	said({ input }) {
		return canon("codex", input);
	}

	/** The provider is the test's, and its answers are in the prompt. */
	go(bytes, said) {
		return this.lend(async (home) => {
			const { id } = JSON.parse(bytes.toString().split("\n", 1)[0]).payload;
			const steps = stepsIn(said);
			const requests = [];
			home.answer = (body) => {
				requests.push(body);
				return [steps[requests.length - 1] ?? "ok"].flat().map((step) => (typeof step === "string" ? says(step)
					: { type: "function_call", name: step.name, arguments: JSON.stringify(step.input), call_id: `call_${requests.length}` }));
			};
			const { file } = home.put(id, bytes.toString().replace('"model_provider":"openai"', '"model_provider":"fake"'));
			const told = await home.resumeByServer(id, said);
			if (requests.length !== steps.length)
				throw new Error(`${requests.length} requests: ${told}`);
			const kept = path.join(this.scratch, `as-${this.n++}.jsonl`);
			fs.copyFileSync(file, kept);
			return { file: kept, requests };
		});
	}
}

/** Results that the agent would cut, with others before and behind them, are whole. */
async function judgeLong(codex) {
	const entry = (n, message) => ({ type: "message", id: `0000000${n}`, parentId: n > 1 ? `0000000${n - 1}` : null, timestamp: TIME, message });
	const call = (id) => ({ role: "assistant", content: [{ type: "toolCall", id, name: "read", arguments: { path: id } }] });
	const result = (id, ...texts) => ({ role: "toolResult", toolCallId: id, toolName: "read", content: texts.map((text) => ({ type: "text", text })) });
	const messages = [
		{ role: "user", content: "read" }, call("a"), result("a", "short"), call("b"), result("b", "long\n".repeat(60_000), "end"),
		call("c"), result("c", "x".repeat(10_000)), { role: "user", content: "and then" },
	];
	const lines = [{ type: "session", version: 3, id: "0198f000-0000-7000-8000-000000000001", timestamp: TIME, cwd: "/w" }, ...messages.map((message, i) => entry(i + 1, message))];
	const file = path.join(codex.scratch, "long.jsonl");
	fs.writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	const { bytes, context } = await Mount.with(file, path.join(codex.scratch, "mnt"), (mount) => ({
		bytes: mount.read("as/codex.jsonl"), context: JSON.parse(mount.read("context.json")),
	}));
	const { requests } = await codex.go(bytes, prompt("PROMPT", ["ok"]));
	const found = difference(allowed(canon("pi", context)), withoutPrompt(codex.said(requests[0]), prompt("PROMPT", ["ok"])));
	if (found)
		throw new Difference(`long results: ${found}`);
	console.log("interop: long results were posted as they are");
}

await judgeAll("codex", (scratch, use) => withHomes(async (lend) => {
	const codex = new Codex(scratch, lend);
	await judgeLong(codex);
	await use(codex);
}));
