// Resume random transcripts, and compare what is sent with context.json and HEAD.
// TREES=n SEED=s choose them; transcript i has the seed s + i. BRANCHES=all compares the
// branch.jsonl of every entry, too: those cut in a parallel call differ still.

import { linesOf, NEWEST } from "./agent.mjs";
import { compareBranch, contextIn, headOf, JOBS, mounted, sameContext } from "./compare.mjs";
import { generate } from "./gen.mjs";
import { resume } from "./oracle.mjs";
import { Difference } from "../compare.mjs";
import { forEachSeed } from "../seeds.mjs";

let branches = 0;

async function compareBranches(mount) {
	for (const name of process.env.BRANCHES === "all" ? mount.list("by-id") : []) {
		try {
			await compareBranch(mount, name, NEWEST);
		} catch (e) {
			throw e instanceof Difference ? new Difference(`branch.jsonl of ${name}: ${e.message}`) : e;
		}
		branches++;
	}
}

const run = (seed) => {
	const bytes = generate(seed);
	return mounted(bytes, async (mount) => {
		const leaf = headOf(mount);
		const branch = leaf === null ? [] : linesOf(mount.read(`by-id/${leaf}/branch.jsonl`));
		sameContext({ ...contextIn(mount), leaf }, await resume(bytes, { branch }));
		await compareBranches(mount);
	});
};
await forEachSeed(40, run, (n) => `${n} transcripts and ${branches} branches compared with Claude Code ${NEWEST}`, { jobs: JOBS });
