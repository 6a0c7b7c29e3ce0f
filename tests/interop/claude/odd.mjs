// Resume odd transcripts, one rule each, and compare what is sent with context.json.
// CASES=REGEX chooses some, VERSIONS="V ..." the agents.

import { CASES } from "./cases.mjs";
import { compareBytes, differenceIn, forEach } from "./compare.mjs";
import { KNOWN } from "./known.mjs";
import { file, VERSION } from "./transcript.mjs";

/** The bytes of a case, written by a version: that decides between its rules. */
function bytesOf(lines, version) {
	const bytes = Buffer.isBuffer(lines) ? lines : file(lines);
	return Buffer.from(bytes.toString("latin1").replaceAll(`"version":"${VERSION}"`, `"version":"${version}"`), "latin1");
}

const chosen = new RegExp(process.env.CASES ?? "");
for (const version of process.env.VERSIONS?.split(" ") ?? Object.keys(KNOWN)) {
	const names = Object.keys(CASES).filter((name) => chosen.test(name));
	let failed = 0, known = 0;
	await forEach(names, async (name) => {
		const difference = await differenceIn(() => compareBytes(bytesOf(CASES[name], version), version));
		const reason = KNOWN[version]?.[name];
		known += Boolean(reason);
		if (Boolean(difference) === Boolean(reason))
			return;
		failed++;
		process.exitCode = 1;
		console.error(`interop: VERSIONS=${version} CASES=${name}: ${difference ?? `no longer differs: ${reason}`}`);
	});
	console.log(`interop: ${names.length} odd transcripts compared with Claude Code ${version}; ${known} differ as known, ${failed} not`);
}
