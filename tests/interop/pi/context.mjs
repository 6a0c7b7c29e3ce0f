// Mount random sessions, and compare every context, label and link with Pi's.
// TREES=n SEED=s choose them; tree i has the seed s + i.

import fs from "node:fs";
import path from "node:path";
import { compareFile } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed, namesOfAgents } from "../seeds.mjs";
import { versions } from "./agent.mjs";
import { generate } from "./gen.mjs";

await withScratch(async (scratch) => {
	const file = path.join(scratch, "session.jsonl");
	let contexts = 0;
	const run = async (seed) => {
		const { bytes, linear } = generate(seed);
		fs.writeFileSync(file, bytes);
		contexts += await compareFile(file, scratch, linear, versions);
	};
	await forEachSeed(300, run, (n) => `${n} trees, ${contexts} contexts compared with ${namesOfAgents(versions)}`);
});
