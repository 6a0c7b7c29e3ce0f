// Cut the power while sessfs writes to sessions of oh-my-pi, and have oh-my-pi go on with
// what is left. SAMPLE=n or all, and SEED=s, choose the states.

import fs from "node:fs";
import { hasZerosBehind, isWhole, testPowerCuts } from "../powercut.mjs";
import { omp } from "./agent.mjs";

function lastLine(file) {
	return fs.readFileSync(file, "utf8").split("\n").at(-1);
}

/** sessfs reads such a line from the next newline on: until then an agent may be writing it. */
function isKnown(file) {
	return hasZerosBehind(lastLine(file));
}

/** omp glues its line to a whole last line without a newline. A damaged session it writes anew. */
async function append(agent, file, text) {
	if (isWhole(lastLine(file)))
		fs.appendFileSync(file, "\n");
	const { manager } = await agent.open(file);
	manager.appendMessage({ role: "user", content: text, timestamp: 5 });
	await manager.close();
}

await testPowerCuts(["[!r]*/omp", "*/omp-untitled"], [omp], append, { sample: "2", isKnown });
