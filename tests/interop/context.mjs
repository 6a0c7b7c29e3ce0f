// Mount random sessions, and compare every context, label and link with Pi's.
// TREES=n SEED=s choose them; tree i has the seed s + i.

import fs from "node:fs";
import path from "node:path";
import { Comparison, namesOf } from "./compare.mjs";
import { generate } from "./gen.mjs";
import { Mount, withScratch } from "./mount.mjs";
import { openCopy, versions } from "./pi.mjs";
import { forEachSeed } from "./seeds.mjs";

async function compareTree(seed, scratch) {
	const file = path.join(scratch, "session.jsonl");
	let contexts = 0;
	const { bytes, linear } = generate(seed);
	fs.writeFileSync(file, bytes);
	await Mount.with(file, path.join(scratch, "mnt"), (mount) => {
		for (const pi of versions) {
			const session = openCopy(pi, file, path.join(scratch, "copy.jsonl"));
			const names = namesOf(mount, session.ids, linear);
			const comparison = new Comparison(mount, session, names);
			comparison.session();
			comparison.everyEntry();
			contexts += session.ids.length + 1;
		}
	});
	return contexts;
}

await withScratch(async (scratch) => {
	let contexts = 0;
	const run = async (seed) => {
		contexts += await compareTree(seed, scratch);
	};
	await forEachSeed(300, run, (trees) => `${trees} trees, ${contexts} contexts`);
});
