// Mount random sessions, and compare every context, label and link with
// oh-my-pi's. TREES=n SEED=s choose them; tree i has the seed s + i.

import fs from "node:fs";
import path from "node:path";
import { compareFile } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed } from "../seeds.mjs";
import { omp, storeBlobs } from "./agent.mjs";
import { generate } from "./gen.mjs";
import { BLOBS } from "./values.mjs";

storeBlobs(BLOBS);
await withScratch(async (scratch) => {
	const file = path.join(scratch, "session.jsonl");
	let contexts = 0;
	const run = async (seed) => {
		const { bytes, linear } = generate(seed, { readOnly: true });
		fs.writeFileSync(file, bytes);
		contexts += await compareFile(file, scratch, linear, [omp]);
	};
	await forEachSeed(400, run, (n) => `${n} trees, ${contexts} contexts compared with ${omp.name}`);
});
