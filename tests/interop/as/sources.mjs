// Random sessions of each agent, as the generators of its own tests make them. Those of
// omp need bun.

import fs from "node:fs";
import path from "node:path";

const one = (generate, options) => (seed) => {
	const made = generate(seed, options);
	return [{ name: "session", bytes: made.bytes ?? made }];
};

/** Codex finds the rollouts that a thread is based on by their names. */
const rollouts = (generate, options) => (seed) => generate(seed, options).map(({ thread, rollout, bytes }) => ({
	name: `rollout-2026-11-25T10-00-00-${rollout === thread ? thread : `${thread}_${rollout}`}`, bytes,
}));

const GENERATORS = {
	pi: async () => one((await import("../pi/gen.mjs")).generate, { readOnly: true }),
	// Other agents get the messages in the place of what its context has of these.
	omp: async () => one((await import("../omp/gen.mjs")).generate, { readOnly: true, replays: false }),
	claude: async () => one((await import("../claude/gen.mjs")).generate),
	// Lists that only their maker can read are none for other agents.
	codex: async () => rollouts((await import("../codex/gen.mjs")).generate, { sealed: false }),
	// Its messages do not say which results failed, nor which have pictures.
	qwen: async () => one((await import("../qwen/gen.mjs")).generate, { plainResults: true }),
};
export const SOURCES = Object.keys(GENERATORS);

/** What writes the files of a seed's session into a folder: the path of the one that counts. */
export async function maker(source) {
	const make = await GENERATORS[source]();
	return (seed, dir) => {
		const files = make(seed).map(({ name, bytes }) => {
			const file = path.join(dir, `${name}.jsonl`);
			fs.writeFileSync(file, bytes);
			return file;
		});
		return files.at(-1);
	};
}
