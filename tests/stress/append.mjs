// Let the real Pi append to a session, in batches between which others get in.
//
// usage: node append.mjs SESSION ENTRIES LIST SEED
//
// The id of each entry goes to LIST as soon as Pi has told it.

import fs from "node:fs";
import { setTimeout } from "node:timers/promises";
import { append } from "../interop/append.mjs";
import { adapter } from "../interop/pi/adapter.mjs";
import { Random } from "../interop/random.mjs";

const LONGEST_BATCH = 20;
const LONGEST_PAUSE_MS = 100;

const [session, entries, list, seed] = process.argv.slice(2);
const random = new Random(Number(seed));
const manager = adapter.manager(adapter.versions.at(-1), session);

for (let n = 0, batch = 0; n < Number(entries); n++, batch--) {
	if (batch === 0) {
		await setTimeout(random.int(LONGEST_PAUSE_MS));
		batch = 1 + random.int(LONGEST_BATCH);
	}
	const { leaf } = await append(adapter, manager, { random, labels: ["pi's", "pi's other"], n });
	fs.appendFileSync(list, `${leaf}\n`);
}
