// Resume random transcripts, and compare what is sent with context.json and HEAD; and
// the branch.jsonl of an entry of some. TREES=n SEED=s choose them; transcript i has
// the seed s + i. BRANCHES=all compares those of every entry of every transcript.

import { NEWEST } from "./agent.mjs";
import { compareBranch, contextIn, headOf, JOBS, mounted, sameContext } from "./compare.mjs";
import { generate } from "./gen.mjs";
import { resume } from "./oracle.mjs";
import { Difference } from "../compare.mjs";
import { forEachSeed } from "../seeds.mjs";

let branches = 0;

/** The entries whose branches are compared: of every fifth transcript, one. */
function chosen(names, seed) {
	if (process.env.BRANCHES === "all")
		return names;
	return seed % 5 === 0 ? [names[seed % names.length]] : [];
}

async function compareBranches(mount, seed) {
	for (const name of chosen(mount.list("by-id"), seed)) {
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
		sameContext({ ...contextIn(mount), leaf: headOf(mount) }, await resume(bytes));
		await compareBranches(mount, seed);
	});
};
await forEachSeed(300, run, (n) => `${n} transcripts and ${branches} branches compared with Claude Code ${NEWEST}`, { jobs: JOBS });
