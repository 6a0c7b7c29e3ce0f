// The forms of the APIs at entries of random sessions of all agents: each says what the
// context says. Where an API wants calls and pictures, how it names tools, and what it is
// given in the place of nothing, the corpus says (as/ in its cases). COUNT sessions from SEED
// on are judged of each source; SOURCES="X ..." chooses those.

import fs from "node:fs";
import path from "node:path";
import { Difference } from "../compare.mjs";
import { Mount, removeFolder, withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { canon, difference, renderedOf } from "./canon.mjs";
import { asTaken, callsLast, joined } from "./pictures.mjs";
import { maker, SOURCES } from "./sources.mjs";

const ENTRIES = 10;
const APIS = ["anthropic", "openai", "responses"];
const MADE_UP = ["", "(continued)", "(no output)"];

const json = (mount, name) => JSON.parse(mount.read(name));

const said = (text) => text.replaceAll("[picture]", "").replace(/\n+/g, "\n").trim();

/** The items with calls behind texts and pictures behind all, without what is made up. */
function plain(items) {
	const list = asTaken(callsLast(items)).map(({ failed, mime, ...item }) => ({
		...item, ...(item.name ? { name: item.name.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, 64) } : {}), ...(item.kind === "text" ? { text: said(item.text) } : {}),
	}));
	const pictures = list.filter(({ kind }) => kind === "picture").map(({ data }) => data).sort();
	return [...joined(list.filter(({ kind, text }) => kind !== "picture" && !MADE_UP.includes(text))), ...pictures];
}

function compare(mount, source, entry, rendered) {
	const items = plain(canon(source, json(mount, `by-id/${entry}/context.json`), { rendered }));
	for (const api of APIS) {
		const found = difference(items, plain(canon(api, json(mount, `by-id/${entry}/as/${api}.json`))));
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
