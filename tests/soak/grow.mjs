// Let the code of a real agent append to sessions.
//
// usage: node grow.mjs pi, or with bun: grow.mjs omp
//
// Each line of stdin is a JSON object: { file, seed }. When the agent has appended
// and closed the session, the number of entries is printed.

import readline from "node:readline";
import { append } from "../interop/append.mjs";
import { Random } from "../interop/random.mjs";

const MOST = 8;
const LABELS = ["the agent's", "the agent's other"];

const { adapter } = await import(`../interop/${process.argv[2]}/adapter.mjs`);

for await (const line of readline.createInterface({ input: process.stdin })) {
	const { file, seed } = JSON.parse(line);
	const random = new Random(seed);
	const count = 1 + random.int(MOST);
	const manager = await adapter.manager(adapter.versions.at(-1), file);
	for (let n = 0; n < count; n++)
		await append(adapter, manager, { random, labels: LABELS, n });
	await adapter.close?.(manager);
	console.log(count);
}
