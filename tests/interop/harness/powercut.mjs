// Cut the power while sessfs writes to sessions of Pi's harness library, and have the
// library go on with what is left. SAMPLE=n or all, and SEED=s, choose the states.

import assert from "node:assert";
import fs from "node:fs";
import { isWhole, testPowerCuts } from "../powercut.mjs";
import { harness } from "./agent.mjs";

/**
 * The library opens no session with a damaged line, and walks up to no lost parent: a user
 * has to take such lines out, and to cut such links.
 */
async function mend(file) {
	const lines = fs.readFileSync(file, "utf8").split("\n").filter((line) => line.trim());
	if (!lines.every(isWhole))
		await assert.rejects(harness.open(file), /is not valid JSON/);
	const values = lines.filter(isWhole).map((line) => JSON.parse(line));
	const ids = new Set(values.map(({ id }) => id));
	for (const value of values) {
		if (value.parentId && !ids.has(value.parentId))
			value.parentId = null;
	}
	fs.writeFileSync(file, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

const library = {
	...harness,
	async open(file) {
		await mend(file);
		return harness.open(file);
	},
};

async function append(agent, file, text) {
	await mend(file);
	const session = await agent.session(file);
	await session.appendMessage({ role: "user", content: text, timestamp: 5 });
}

await testPowerCuts(["*/pi-harness"], [library], append, { sample: "5" });
