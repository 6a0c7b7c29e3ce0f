// What Codex posts of the cases of the corpus: ../corpus.mjs.

import fs from "node:fs";
import path from "node:path";
import { compareCorpus } from "../corpus.mjs";
import { Mount } from "../mount.mjs";
import { JOBS, VERSION, withHomes } from "./agent.mjs";
import { contextOf, putBranch, withoutNews } from "./compare.mjs";

const THREAD = "019ca8f0-0000-7000-8000-000000000001";

/** The rollouts of a case, where the agent finds them; the thread to go on from. */
function putCase(home, folder) {
	for (const name of fs.readdirSync(folder).filter((other) => other.endsWith(".jsonl") && other !== "in.jsonl"))
		fs.copyFileSync(path.join(folder, name), path.join(home.day, name));
	const bytes = fs.readFileSync(path.join(folder, "in.jsonl"));
	// Some of those that are not to be opened have no header.
	const [, id = THREAD] = bytes.toString().match(/"payload":\{"id":"([0-9a-f-]{36})"/) ?? [];
	return home.put(id, bytes);
}

await withHomes((lend) => compareCorpus("codex", `Codex ${VERSION}`, JOBS, ({ folder }, place) => lend(async (home) => {
	let thread = putCase(home, folder);
	const { length } = await Mount.with(thread.file, home.mnt, (mount) => {
		if (place !== "tip")
			thread = putBranch(home, mount, place);
		return thread.context ?? contextOf(mount);
	});
	try {
		return { messages: withoutNews(await home.resume(thread.id), length) };
	} catch (e) {
		return { error: e.message.split("\n")[0].replace(/^.*\.jsonl:? /, "") };
	}
})));
