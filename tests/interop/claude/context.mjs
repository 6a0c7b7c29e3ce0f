// Resume random transcripts, and compare what is sent with context.json and HEAD.
// COUNT=n SEED=s choose them; transcript i has the seed s + i. The branch.jsonl of an
// entry of each is compared, too; with BRANCHES=all that of every entry.

import { linesOf, NEWEST } from "./agent.mjs";
import { compareBranch, contextIn, headOf, JOBS, mounted, sameContext } from "./compare.mjs";
import { generate } from "./gen.mjs";
import { resume } from "./oracle.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";

let branches = 0;

async function compareBranches(mount, seed) {
	const names = mount.list("by-id");
	for (const name of process.env.BRANCHES === "all" ? names : [new Random(seed).pick(names)]) {
		await compareBranch(mount, name, NEWEST);
		branches++;
	}
}

const run = (seed) => {
	const bytes = generate(seed);
	return mounted(bytes, async (mount) => {
		const leaf = headOf(mount);
		const branch = leaf === null ? [] : linesOf(mount.read(`by-id/${leaf}/branch.jsonl`));
		sameContext({ ...contextIn(mount), leaf }, await resume(bytes, { branch }));
		await compareBranches(mount, seed);
	});
};
await forEachSeed(run, (n) => `${n} transcripts and ${branches} branches compared with Claude Code ${NEWEST}`, { jobs: JOBS });
