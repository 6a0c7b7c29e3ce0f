// The branch.jsonl of a random entry of a random thread is one that the agent
// resumes with the entry's context; so is one of that, to which the agent has added a
// turn, and so on. COUNT=n SEED=s choose the threads.

import { same } from "../compare.mjs";
import { Mount } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { JOBS, VERSION, withHomes } from "./agent.mjs";
import { contextOf, putBranch, sameResumed } from "./compare.mjs";
import { generate } from "./gen.mjs";

const DEPTH = 3;
let forks = 0;

/** A branch of the thread; null if it has no entries. */
function fork(home, file, random) {
	return Mount.with(file, home.mnt, (mount) => {
		const names = mount.list("by-id");
		return names.length === 0 ? null : putBranch(home, mount, random.pick(names));
	});
}

await withHomes(async (lend) => {
	const run = (seed) => lend(async (home) => {
		const random = new Random(seed);
		let at = home.putAll(generate(seed));
		for (let depth = 1; depth <= DEPTH; depth++) {
			at = await fork(home, at.file, random);
			if (!at)
				return;
			const what = `fork ${depth}, of ${at.name}`;
			same(`${what}: its own context`, await Mount.with(at.file, home.mnt, (mount) => contextOf(mount)), at.context);
			await sameResumed(what, home, at, `codex-forks-${seed}`);
			forks++;
		}
	});
	await forEachSeed(run, (n) => `${forks} forks of ${n} threads compared with Codex ${VERSION}`, { jobs: JOBS });
});
