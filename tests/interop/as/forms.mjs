// The forms of the APIs at entries of random sessions of all agents: each says what the
// context says (api.mjs). COUNT sessions from SEED on are judged of each source;
// SOURCES="X ..." chooses those.

import fs from "node:fs";
import path from "node:path";
import { Difference } from "../compare.mjs";
import { Mount, removeFolder, withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { forApi } from "./api.mjs";
import { canon, difference, renderedOf } from "./canon.mjs";
import { maker, SOURCES } from "./sources.mjs";

const ENTRIES = 10;
const APIS = ["anthropic", "openai", "responses"];

const json = (mount, name) => JSON.parse(mount.read(name));

function compare(mount, source, entry, rendered) {
	const items = canon(source, json(mount, `by-id/${entry}/context.json`), { rendered, failures: true });
	for (const api of APIS) {
		const said = canon(api, json(mount, `by-id/${entry}/as/${api}.json`), { failures: api === "anthropic" });
		const found = difference(forApi(items, api), said);
		if (found !== undefined)
			throw new Difference(`${source} at ${entry} as ${api}: ${found}`);
	}
}

async function compareSeed(source, make, seed, scratch) {
	const dir = fs.mkdtempSync(path.join(scratch, `${source}-`));
	const file = make(seed, dir);
	const rendered = source === "claude" ? renderedOf(file) : undefined;
	const random = new Random(seed);
	const entries = await Mount.with(file, path.join(dir, "mnt"), (mount) => {
		const some = random.shuffle(mount.list("by-id")).slice(0, ENTRIES);
		for (const entry of some)
			compare(mount, source, entry, rendered);
		return some.length;
	}, ["-o", "ro"]);
	removeFolder(dir);
	return entries;
}

await withScratch(async (scratch) => {
	for (const source of process.env.SOURCES?.split(" ") ?? SOURCES) {
		const make = await maker(source);
		let entries = 0;
		await forEachSeed(async (seed) => {
			entries += await compareSeed(source, make, seed, scratch);
		}, (n) => `${entries} entries of ${n} sessions of ${source} as the APIs take them`);
	}
});
