// What Qwen Code posts of the cases of the corpus: ../corpus.mjs.

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { compareCorpus } from "../corpus.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { JOBS, VERSION, withAgents } from "./agent.mjs";

await withScratch((scratch) => withAgents(JOBS, scratch, (lend) => compareCorpus("qwen", `Qwen Code ${VERSION}`, JOBS, ({ rule, folder, file }, place) => lend(async (agent) => {
	const id = randomUUID();
	let text = fs.readFileSync(file, "utf8");
	if (place !== "tip")
		text = (await Mount.with(file, path.join(agent.home, "mnt"), (mount) => mount.read(`by-id/${place}/branch.jsonl`))).toString();
	// Where the file's name is what the case is about.
	const named = rule === "file-name-is-not-session-id" ? randomUUID() : id;
	agent.put(named, text, id);
	const { messages, error } = await agent.goOn(named);
	fs.rmSync(agent.file(named), { force: true });
	return error ? { error: error.replaceAll(named, "ID") } : { messages };
}))));
