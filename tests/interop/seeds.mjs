// The loop over seeds that every test has.

import { Difference } from "./compare.mjs";

/**
 * Run for TREES seeds from SEED on, or what says how many, up to the first that
 * fails; then tell, by the sentence that summary() makes of their number.
 */
export async function forEachSeed(trees, run, summary, variable = "TREES") {
	const first = Number(process.env.SEED ?? 1);
	const count = Number(process.env[variable] ?? trees);
	for (let seed = first; seed < first + count; seed++) {
		try {
			await run(seed);
		} catch (e) {
			// Of a difference, where it was found is of no interest.
			console.error(`interop: ${variable}=1 SEED=${seed}: ${e instanceof Difference ? e.message : e.stack}`);
			process.exitCode = 1;
			if (!process.env.KEEP_GOING)
				return;
		}
	}
	console.log(`interop: ${summary(count)}`);
}

/** As a summary tells them. */
export function namesOfAgents(agents) {
	return agents.map((agent) => agent.name).join(" and ");
}
