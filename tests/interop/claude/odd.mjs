// Resume odd transcripts, one rule each, and compare what is sent with context.json.
// CASES=REGEX chooses some, VERSIONS="V ..." the agents. The old one, which is slow, is
// asked about all only if it is named.

import { NEWEST } from "./agent.mjs";
import { CASES } from "./cases.mjs";
import { compareBytes, differenceIn, forEach, isChosen, VERSIONS } from "./compare.mjs";
import { judge } from "./known.mjs";
import { ofVersion } from "./transcript.mjs";

/**
 * What versions as old as 2.1.112 don't write. A transcript that has it was gone on with
 * by a newer one, and follows the rules of that.
 */
const NEWER = /"explicit":true|"rendered":/;

/** The names of the cases that a version may have written: of an old one each third. */
function casesOf(version) {
	const names = Object.keys(CASES).filter((name) => isChosen(name) && (version === NEWEST || !NEWER.test(CASES[name])));
	return version === NEWEST || process.env.VERSIONS ? names : names.filter((_, i) => i % 3 === 0);
}

for (const version of VERSIONS) {
	const names = casesOf(version);
	let failed = 0, known = 0;
	await forEach(names, async (name) => {
		const difference = await differenceIn(() => compareBytes(ofVersion(CASES[name], version), version));
		const isKnown = judge(version, name, difference);
		known += Number(isKnown === true);
		failed += Number(isKnown === undefined);
	});
	console.log(`interop: ${names.length} odd transcripts compared with Claude Code ${version}; ${known} differ as known, ${failed} not`);
}
