// Resume random threads, and compare the posted items with context.json. COUNT=n SEED=s
// choose them; thread i has the seed s + i.

import { forEachSeed } from "../seeds.mjs";
import { JOBS, VERSION, withHomes } from "./agent.mjs";
import { sameResumed } from "./compare.mjs";
import { generate } from "./gen.mjs";

await withHomes(async (lend) => {
	const run = (seed) => lend(async (home) => {
		await sameResumed("context.json", home, home.putAll(generate(seed)), `codex-context-${seed}`);
	});
	await forEachSeed(run, (n) => `${n} threads compared with Codex ${VERSION}`, { jobs: JOBS });
});
