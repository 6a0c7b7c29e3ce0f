// Resume random transcripts, and large ones, and compare what is sent with context.json and
// HEAD. COUNT=n SEED=s choose the random ones; transcript i has the seed s + i. The
// branch.jsonl of an entry of each is compared, too. CASES=REGEX chooses large ones.

import { JOBS, linesOf, NAME } from "./agent.mjs";
import { compareBranch, compareBytes, forEach, headOf, judge, mounted } from "./compare.mjs";
import { generate } from "./gen.mjs";
import { LARGE, LARGE_KNOWN } from "./large.mjs";
import { Random } from "../random.mjs";
import { forEachSeed, isChosen } from "../seeds.mjs";

await forEachSeed((seed) => {
	const bytes = generate(seed);
	return mounted(bytes, async (mount) => {
		const leaf = headOf(mount);
		const branch = leaf === null ? [] : linesOf(mount.read(`by-id/${leaf}/branch.jsonl`));
		await compareBytes(bytes, mount, { branch });
		await compareBranch(mount, new Random(seed).pick(mount.list("by-id")));
	});
}, (n) => `${n} transcripts and their branches compared with ${NAME}`, { jobs: JOBS });

const names = Object.keys(LARGE).filter(isChosen);
await forEach(names, (name) => judge(name, () => mounted(LARGE[name], (mount) => compareBytes(LARGE[name], mount)), LARGE_KNOWN[name]));
console.log(`interop: ${names.length} large transcripts compared`);
