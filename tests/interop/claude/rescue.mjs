// Damage random transcripts, rescue them, and have Claude Code resume what comes of it.

import fs from "node:fs";
import { withScratch } from "../mount.mjs";
import { isWhole, rescueAll } from "../rescue.mjs";
import { linesOf, NAME } from "./agent.mjs";
import { compareBytes, mounted } from "./compare.mjs";
import { generate } from "./gen.mjs";

/** By id, of the entries of a transcript. */
function parentsIn(bytes) {
	return new Map(linesOf(bytes).filter(({ uuid }) => uuid).map(({ uuid, parentUuid }) => [uuid, parentUuid]));
}

const all = { dialect: "claude", generate: (seed) => ({ bytes: generate(seed) }), keys: { id: "uuid", parent: "parentUuid" } };
await withScratch((scratch) => rescueAll(all, scratch, async (out, ids) => {
	const bytes = fs.readFileSync(out);
	isWhole(parentsIn(bytes), ids);
	await mounted(bytes, (mount) => compareBytes(bytes, mount));
}, () => `resumed by ${NAME}`, 40));
