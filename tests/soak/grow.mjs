// Let the code of a real agent append to sessions.
//
// usage: node grow.mjs pi|harness, or with bun: grow.mjs omp
//
// Each line of stdin is a JSON object: { file, seed }. When the agent has appended
// and closed the session, the number of entries is printed.

import readline from "node:readline";
import { Random } from "../interop/random.mjs";

const MOST = 8;
const LABELS = ["the agent's", "the agent's other"];

const agent = process.argv[2];
const { append } = await import(`../interop/${agent}/append.mjs`);
const agents = await import(`../interop/${agent}/agent.mjs`);

/** By agent: append `count` entries to a file. */
const GROW = {
	pi(file, random, count) {
		const manager = agents.versions.at(-1).SessionManager.open(file);
		const ids = manager.getEntries().map((entry) => entry.id);
		for (let n = 0; n < count; n++)
			ids.push(append(manager, random, ids, LABELS, n).id);
	},
	async harness(file, random, count) {
		const ids = (await agents.harness.open(file)).ids;
		const session = await agents.harness.session(file);
		for (let n = 0; n < count; n++)
			await append(session, random, ids, LABELS, n);
	},
	async omp(file, random, count) {
		const { manager } = await agents.omp.open(file);
		const ids = manager.getEntries().map((entry) => entry.id);
		for (let n = 0; n < count; n++)
			await append(manager, random, ids, LABELS, n);
		await manager.flush();
		await manager.close();
	},
};

for await (const line of readline.createInterface({ input: process.stdin })) {
	const { file, seed } = JSON.parse(line);
	const random = new Random(seed);
	const count = 1 + random.int(MOST);
	await GROW[agent](file, random, count);
	console.log(count);
}
