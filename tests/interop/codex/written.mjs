// Have the real agent write families of threads, and compare what it posts when it resumes
// them with context.json: each thread at its end, each abandoned rollout, random entries,
// and then files that end in the middle of a line.
// COUNT=n SEED=s choose the families; the agent's ids and times differ each time.

import fs from "node:fs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { JOBS, VERSION, withHomes } from "./agent.mjs";
import { branchOf, sameResumed } from "./compare.mjs";
import { Life } from "./life.mjs";

const counts = {};
const lived = {};

async function compare(what, home, at, name, how) {
	await sameResumed(what, home, at, name, how);
	const kind = what.replace(/:.*/, "");
	counts[kind] = (counts[kind] ?? 0) + 1;
}

/** Cut a rollout off behind its first line. */
function cut(file, random) {
	const bytes = fs.readFileSync(file);
	const first = bytes.indexOf(10) + 1;
	fs.writeFileSync(file, bytes.subarray(0, first + random.int(bytes.length - first + 1)));
}

await withHomes(async (lend) => {
	const run = (seed) => lend(async (home) => {
		const random = new Random(seed);
		const name = `codex-written-${seed}`;
		await home.stopAgent();
		const threads = await Life.live(home, random, 5 + random.int(10), lived);
		const files = home.rollouts();
		const paths = new Set(threads.map(({ path }) => path));
		for (const path of files) {
			// An agent that another one started.
			const [, id, revert] = path.match(/([0-9a-f-]{36})(_.*)?\.jsonl$/);
			if (!revert && !threads.some((thread) => thread.id === id)) {
				await compare(`agents: ${path}`, home, { id, file: path }, name);
				paths.add(path);
			}
		}
		// Forks of random entries, and forks of these.
		for (const file of random.shuffle([...files]).slice(0, 4)) {
			let branch = await branchOf(home, file, random);
			if (!branch)
				continue;
			await compare(`entries: ${branch.name} of ${file}`, home, branch, name);
			branch = await branchOf(home, branch.file, random);
			await compare(`entries: ${branch.name} of a fork`, home, branch, name);
		}
		for (const file of files.filter((path) => !paths.has(path))) {
			const branch = await branchOf(home, file);
			if (branch)
				await compare(`abandoned: ${file}`, home, branch, name);
		}
		for (const { id, path } of threads)
			await compare(`threads: ${path}`, home, { id, file: path }, name, random.chance(0.1) ? "exec" : undefined);
		// The agent is to read these again. No other is based on the last.
		const { id, path } = threads.at(-1);
		for (let n = 0; n < 2; n++) {
			await home.stopAgent();
			cut(path, random);
			await compare(`torn: ${path}`, home, { id, file: path }, name);
		}
		await home.stopAgent();
	});
	const told = () => Object.entries(counts).map(([kind, n]) => `${n} ${kind}`).join(", ");
	await forEachSeed(run, (n) => `${n} families of threads that Codex ${VERSION} wrote: ${told()}\ninterop: they had ${Object.entries(lived).map(([kind, n]) => `${n} ${kind}`).join(", ")}`, { count: 20, jobs: JOBS });
});
