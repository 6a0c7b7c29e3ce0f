// Pi goes on from branches of all other agents (judge.mjs).
//
// What is allowed: halves of surrogate pairs are left out, where others have U+FFFD.
// Pictures that no API takes are in words (pictures.mjs).

import fs from "node:fs";
import path from "node:path";
import { NAME } from "../pi/agent.mjs";
import { Home, Rpc } from "../pi/program.mjs";
import { canon } from "./canon.mjs";
import { json, judgeAll } from "./judge.mjs";
import { asTaken } from "./pictures.mjs";

const BLANK = ["(see attached image)", "(image attached after the tool results)"];
const CAPTION = /^Images from the error result of tool call (\S+) /;

const asBlocks = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

/** Pictures of results that failed are posted behind all results: to their places again. */
function putBack(content) {
	const moved = new Map();
	const rest = [];
	let of;
	for (const block of content) {
		const [, id] = block.type === "text" ? block.text.match(CAPTION) ?? [] : [];
		of = id ?? (block.type === "image" ? of : undefined);
		if (id !== undefined)
			moved.set(id, []);
		else if (of !== undefined)
			moved.get(of).push(block);
		else
			rest.push(block);
	}
	return rest.map((block) => (moved.has(block.tool_use_id) ? { ...block, content: [...asBlocks(block.content), ...moved.get(block.tool_use_id)] } : block));
}

class Pi {
	constructor(home, rpc) {
		Object.assign(this, { home, rpc, name: "pi", version: NAME, n: 0 });
		this.blank = BLANK;
		this.call = { name: "bash", input: { command: "echo said" } };
	}

	async go(bytes, said) {
		const file = path.join(this.home.home, `as-${this.n++}.jsonl`);
		fs.writeFileSync(file, bytes.toString().replace(/"cwd":"[^\n]*?"/, `"cwd":${JSON.stringify(this.home.cwd)}`));
		await this.rpc.ask("switch_session", { sessionPath: file });
		const from = this.home.requests.length;
		await this.rpc.say(said);
		return { file, requests: this.home.requests.slice(from).map(({ body }) => body) };
	}

	posted(messages) {
		return messages.map(({ role, content }) => ({ role, content: role === "user" ? putBack(asBlocks(content)) : content }));
	}

	added(mount) {
		return canon(this.name, json(mount, "context.json"), { failures: true });
	}

	allowed(items) {
		const without = ({ text, ...item }) => (text === undefined ? item : { ...item, text: text.replaceAll("\ufffd", "") });
		return asTaken(items).map(without);
	}
}

/** It takes pictures, and whatever there is. */
const MODEL = { input: ["text", "image"], contextWindow: 100_000_000 };

await judgeAll("pi", (scratch, use) => Home.with(scratch, (home) => Rpc.with(home, [], (rpc) => use(new Pi(home, rpc))), undefined, MODEL));
