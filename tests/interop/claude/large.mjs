// Resume large transcripts, and compare what is sent with context.json.
// CASES=REGEX chooses some, VERSIONS="V ..." the agents.

import { isChosen } from "../seeds.mjs";
import { LARGE } from "./cases.mjs";
import { compareBytes, differenceIn, forEach, VERSIONS } from "./compare.mjs";
import { judge } from "./known.mjs";
import { ofVersion } from "./transcript.mjs";

const names = Object.keys(LARGE).filter(isChosen);
for (const version of VERSIONS) {
	let failed = 0, known = 0, left = 0;
	await forEach(names, async (name) => {
		const difference = await differenceIn(() => compareBytes(ofVersion(LARGE[name], version), version));
		if (difference === undefined) {
			left++;
			return;
		}
		const isKnown = judge(version, name, difference);
		known += Number(isKnown === true);
		failed += Number(isKnown === undefined);
	});
	console.log(`interop: ${names.length - left} large transcripts compared with Claude Code ${version}; ${known} differ as known, ${failed} not`);
}
