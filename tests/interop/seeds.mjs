// What a run is asked for, by seeds or by names, and the loops over these.

import { Difference, NotCompared } from "./compare.mjs";

/** The first one: `run` says which. */
export const SEED = Number(process.env.SEED ?? 1);
const COUNT = 60;

/**
 * Run for COUNT seeds from SEED on, or what says how many, up to the first that
 * fails; then tell, by the sentence that summary() makes of their number. Of those
 * runs, `jobs` may be under way at a time.
 */
export async function forEachSeed(run, summary, { variable = "COUNT", count: most = COUNT, jobs = 1 } = {}) {
	const count = Number(process.env[variable] ?? most);
	let next = SEED, stopped = false, left = 0;
	const work = async () => {
		while (next < SEED + count && !stopped) {
			const seed = next++;
			try {
				await run(seed);
			} catch (e) {
				if (e instanceof NotCompared) {
					left++;
					console.log(`interop: ${variable}=1 SEED=${seed}: not compared: ${e.message}`);
					continue;
				}
				// Of a difference, where it was found is of no interest.
				console.error(`interop: ${variable}=1 SEED=${seed}: ${e instanceof Difference ? e.message : e.stack}`);
				process.exitCode = 1;
				stopped = !process.env.KEEP_GOING;
			}
		}
	};
	await Promise.all(Array.from({ length: jobs }, work));
	if (left === count)
		process.exitCode = 1;
	if (!stopped)
		console.log(`interop: ${summary(count - left)}`);
}

/** Has a name been chosen? */
export function isChosen(name) {
	return new RegExp(process.env.CASES ?? "").test(name);
}

/** Run for each item, `jobs` at a time. */
export async function forEachItem(items, jobs, run) {
	const left = [...items];
	await Promise.all(Array.from({ length: jobs }, async () => {
		while (left.length > 0)
			await run(left.shift());
	}));
}

/** As a summary tells them. */
export function namesOfAgents(agents) {
	return agents.map((agent) => agent.name).join(" and ");
}
