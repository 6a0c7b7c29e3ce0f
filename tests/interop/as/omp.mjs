// oh-my-pi goes on from branches of all other agents (judge.mjs).
//
// What is allowed: pictures of a result that failed are posted behind all results, and
// what an assistant said behind its calls before them. Pictures that no API takes are in
// words (pictures.mjs).

import fs from "node:fs";
import path from "node:path";
import { Agent, envOf, NAME, PLAYED } from "../omp/program.mjs";
import { start } from "../server.mjs";
import { canon } from "./canon.mjs";
import { json, judgeAll } from "./judge.mjs";
import { asTaken, joined } from "./pictures.mjs";

class Omp {
	constructor(agent, home, cwd, requests) {
		Object.assign(this, { agent, home, cwd, requests, name: "omp", version: NAME, n: 0 });
		this.call = { name: "bash", input: { command: "echo said" } };
		this.blank = ["Tool failed with no output.", "(see attached image)"];
	}

	async go(bytes, said) {
		const file = path.join(this.home, `as-${this.n++}.jsonl`);
		fs.writeFileSync(file, bytes.toString().replace(/"cwd":"[^\n]*?"/, `"cwd":${JSON.stringify(this.cwd)}`));
		await this.agent.ask("switch_session", { sessionPath: file });
		const from = this.requests.length;
		await this.agent.say(said);
		await this.agent.file();
		return { file, requests: this.requests.slice(from).map(({ body }) => body).filter((body) => JSON.stringify(body?.messages ?? []).includes("@@")) };
	}

	added(mount) {
		return canon(this.name, json(mount, "context.json"), { failures: true });
	}

	allowed(items) {
		const list = [];
		let late = [], failed = false;
		for (const item of asTaken(items)) {
			const { role, kind, mime, data } = item;
			if (role !== list.at(-1)?.role && role !== late.at(-1)?.of)
				list.push(...late.splice(0).map(({ item: moved }) => moved));
			if (kind === "of")
				failed = item.failed;
			if (role === "assistant" && kind === "call")
				late.push({ of: role, item });
			else if (role === "result" && kind === "picture" && failed)
				late.push({ of: role, item: { role: "user", kind, mime, data } });
			else
				list.push(item);
		}
		return joined([...list, ...late.map(({ item }) => item)]);
	}
}

await judgeAll("omp", async (scratch, use) => {
	const home = fs.mkdtempSync(path.join(scratch, "home-"));
	const cwd = path.join(home, "cwd");
	fs.mkdirSync(cwd);
	const requests = [];
	const server = await start((request) => requests.push(request));
	try {
		await Agent.with(PLAYED, { cwd, env: envOf(home, server.port) }, (agent) => use(new Omp(agent, home, cwd, requests)));
	} finally {
		server.close();
	}
});
