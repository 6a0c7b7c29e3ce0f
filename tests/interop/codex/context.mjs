// Resume random threads, and compare the posted items with context.json; then the branch.jsonl
// of a random entry of each, and one of that, to which the agent has added a turn, and so on.
// COUNT=n SEED=s choose the threads; thread i has the seed s + i.

import { same } from "../compare.mjs";
import { Mount } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { JOBS, VERSION, withHomes } from "./agent.mjs";
import { branchOf, contextOf, sameResumed } from "./compare.mjs";
import { generate } from "./gen.mjs";

const DEPTH = 3;
let forks = 0;

await withHomes(async (lend) => {
	const run = (seed) => lend(async (home) => {
		const random = new Random(seed);
		let at = home.putAll(generate(seed));
		await sameResumed("context.json", home, at, `codex-context-${seed}`);
		for (let depth = 1; depth <= DEPTH; depth++) {
			at = await branchOf(home, at.file, random);
			if (!at)
				return;
			const what = `fork ${depth}, of ${at.name}`;
			same(`${what}: its own context`, await Mount.with(at.file, home.mnt, (mount) => contextOf(mount)), at.context);
			await sameResumed(what, home, at, `codex-context-${seed}`);
			forks++;
		}
	});
	await forEachSeed(run, (n) => `${n} threads and ${forks} forks compared with Codex ${VERSION}`, { jobs: JOBS });
});
