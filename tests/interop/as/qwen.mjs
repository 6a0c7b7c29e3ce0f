// Qwen Code goes on from branches of all other agents (judge.mjs).
//
// What is allowed: its API does not say whether a call has failed, calls are behind the texts
// of an answer, and pictures of results follow the last of them; those of other kinds and of
// URLs are texts. An empty result is "(no output)" for Anthropic's API.

import { randomUUID } from "node:crypto";
import { history, JOBS, VERSION, withAgents } from "../qwen/agent.mjs";
import { stepsIn } from "../server.mjs";
import { canon } from "./canon.mjs";
import { json, judgeAll } from "./judge.mjs";
import { callsLast, inFile, joined } from "./pictures.mjs";

const MEDIA = ["(attached media from previous tool call)", "[media attached in following user message]"];

/** Pictures of results, with those of the user behind them, at the end of these. */
function allowed(items) {
	const list = joined(callsLast(items).map(({ failed, ...item }) => (item.kind === "picture" ? inFile(item) : item)))
		.filter(({ role, text }) => !MEDIA.includes(text) && (role !== "result" || text !== "(no output)"));
	const pictures = list.filter(({ kind }) => kind === "picture").map(({ data }) => data).sort();
	return [...joined(list.filter(({ kind }) => kind !== "picture")), ...pictures.map((data) => ({ kind: "picture", data }))];
}

class Qwen {
	constructor(lend) {
		Object.assign(this, { lend, name: "qwen", version: `Qwen Code ${VERSION}`, jobs: JOBS, allowed });
		this.call = { name: "run_shell_command", input: { command: "echo said", is_background: false } };
	}

	/** In the form that it posts: names are as they are. */
	added(mount) {
		return canon("qwen", json(mount, "context.json"));
	}

	said({ messages }) {
		return canon("qwen", history(messages));
	}

	/** The model's answers are in the prompt. */
	go(bytes, said) {
		return this.lend(async (agent) => {
			const id = randomUUID();
			const steps = stepsIn(said);
			agent.answer = () => [steps.shift() ?? "ok"].flat()[0];
			agent.put(id, bytes);
			const requests = [...await agent.say(id, said)];
			return { file: agent.file(id), requests };
		});
	}
}

await judgeAll("qwen", (scratch, use) => withAgents(JOBS, scratch, (lend) => use(new Qwen(lend))));
