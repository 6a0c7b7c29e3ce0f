// What an agent of Pi's family makes of the cases of the corpus: corpus.mjs.

import fs from "node:fs";
import path from "node:path";
import { compareCorpus } from "./corpus.mjs";
import { namesOfAgents } from "./seeds.mjs";
import { openCopy } from "./session.mjs";

export async function run({ dialect, versions }, scratch) {
	await compareCorpus(dialect, namesOfAgents(versions), 1, async ({ file }, place) => {
		const session = await openCopy(versions[0], file, path.join(scratch, "copy.jsonl"));
		const leaf = session.leaf();
		// A file without ids gets new ones each time.
		const isWritten = leaf === null || fs.readFileSync(file).includes(leaf);
		return { messages: session.context(place === "tip" ? leaf : place).json, leaf: isWritten ? leaf : undefined };
	});
}
