// Mount random sessions of Pi's harness library, and compare every context, label
// and link with the library's. TREES=n SEED=s choose them; tree i has the seed s + i.

import fs from "node:fs";
import path from "node:path";
import { compareFile } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed } from "../seeds.mjs";
import { harness } from "./agent.mjs";
import { generate } from "./gen.mjs";

await withScratch(async (scratch) => {
	const file = path.join(scratch, "session.jsonl");
	let contexts = 0;
	const run = async (seed) => {
		fs.writeFileSync(file, generate(seed));
		contexts += await compareFile(file, scratch, false, [harness]);
	};
	await forEachSeed(300, run, (n) => `${n} trees, ${contexts} contexts compared with ${harness.name}`);
});
