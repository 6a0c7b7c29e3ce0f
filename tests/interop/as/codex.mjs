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
import { canon } from "./canon.mjs";
import { judgeAll } from "./judge.mjs";

const PICTURE = /^(iVBORw0KGg|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/]*=*$/;
const STEPS = /@@(\[[^]*?\])@@/;

/** A picture as it is in the file. */
function put({ kind, mime, data, url, ...item }) {
	if (url !== undefined)
		return { ...item, kind: "text", text: `[picture ${url}]` };
	if (!PICTURE.test(data))
		return { ...item, kind: "text", text: `[picture${mime ? ` ${mime}` : ""} ${Buffer.from(data, "base64").length} bytes]` };
	return { ...item, kind, data };
}

function allow({ failed, ...item }) {
	if (item.kind === "picture")
		return put(item);
	return item.name === undefined ? item : { ...item, name: item.name.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, 64) };
}

/** Texts that stand side by side now are one again. */
function allowed(items) {
	const list = [];
	for (const item of items.map(allow).filter(({ role, text }) => role !== "result" || text !== "(no output)")) {
		const last = list.at(-1);
		if (item.kind === "text" && last?.kind === "text" && last.role === item.role && last.n === item.n)
			last.text += `\n${item.text}`;
		else
			list.push({ ...item });
	}
	return list;
}

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
			const steps = JSON.parse(said.match(STEPS)[1]);
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

await judgeAll("codex", (scratch, use) => withHomes((lend) => use(new Codex(scratch, lend))));
