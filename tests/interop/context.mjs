// Mount random sessions, and compare every context, label and link with the agent's.

import fs from "node:fs";
import path from "node:path";
import { compareFile } from "./compare.mjs";
import { forEachSeed, namesOfAgents } from "./seeds.mjs";

export async function run({ generate, versions }, scratch) {
	const file = path.join(scratch, "session.jsonl");
	let contexts = 0;
	await forEachSeed(async (seed) => {
		const { bytes, linear } = generate(seed, { readOnly: true });
		fs.writeFileSync(file, bytes);
		contexts += await compareFile(file, scratch, linear, versions);
	}, (n) => `${n} trees, ${contexts} contexts compared with ${namesOfAgents(versions)}`);
}
