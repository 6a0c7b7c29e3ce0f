// What Claude Code sends of the cases of the corpus: ../corpus.mjs.

import fs from "node:fs";
import { compareCorpus } from "../corpus.mjs";
import { JOBS, NAME } from "./agent.mjs";
import { mounted } from "./compare.mjs";
import { resume } from "./oracle.mjs";

/** At an entry, it goes on from the entry's branch.jsonl. */
function bytesAt({ file }, place) {
	const bytes = fs.readFileSync(file);
	return place === "tip" ? bytes : mounted(bytes, (mount) => mount.read(`by-id/${place}/branch.jsonl`));
}

await compareCorpus("claude", NAME, JOBS, async (one, place) => {
	const asked = await resume(await bytesAt(one, place));
	if (asked.error !== undefined)
		return { error: asked.error.split("\n")[0] };
	const notes = asked.notes.map((text) => ({ role: "system", content: `<system-reminder>\n${text}\n</system-reminder>` }));
	return { messages: [...asked.messages, ...notes], leaf: asked.leaf, sent: asked.sent };
});
