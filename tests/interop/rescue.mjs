// Damaged sessions, and what sessfs rescue makes of them: the agent opens that, sees
// in it what sessfs shows of it, and has every line that can be read.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { compareFile, Difference, same } from "./compare.mjs";
import { SESSFS } from "./mount.mjs";
import { Random } from "./random.mjs";
import { forEachSeed, namesOfAgents } from "./seeds.mjs";
import { openCopy } from "./session.mjs";

const LF = Buffer.from("\n");

function linesOf(bytes) {
	const lines = [];
	for (let at = 0; at < bytes.length;) {
		const end = bytes.indexOf(10, at);
		lines.push(bytes.subarray(at, end < 0 ? bytes.length : end));
		at = end < 0 ? bytes.length : end + 1;
	}
	return lines;
}

/** The object that a line is, or null. */
function valueOf(line) {
	try {
		const value = JSON.parse(line.toString());
		return value && typeof value === "object" && !Array.isArray(value) ? value : null;
	} catch {
		return null;
	}
}

/**
 * The ways in which sessions are damaged. Each changes the pieces of the file: a
 * piece is { bytes, end }, and `lost` if its line can't be read any more.
 */
const DAMAGE = {
	nuls(pieces, i, r) {
		pieces[i].bytes = Buffer.concat([Buffer.alloc(1 + r.int(5000)), pieces[i].bytes]);
	},
	glue(pieces, i) {
		pieces[i].end = Buffer.alloc(0);
	},
	tear(pieces, i, r) {
		pieces[i].bytes = pieces[i].bytes.subarray(0, r.int(pieces[i].bytes.length));
		pieces[i].lost = true;
	},
	tearAndGlue(pieces, i, r) {
		DAMAGE.tear(pieces, i, r);
		DAMAGE.glue(pieces, i);
	},
	remove(pieces, i) {
		pieces[i] = { bytes: Buffer.alloc(0), end: Buffer.alloc(0), lost: true };
	},
	repeat(pieces, i) {
		pieces.splice(i, 0, { ...pieces[i] });
	},
	insertNull(pieces, i) {
		pieces.splice(i, 0, { bytes: Buffer.from("null"), end: LF });
	},
	mark(pieces) {
		pieces[0].bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), pieces[0].bytes]);
	},
	/** Another parent: an unknown one, or that of a cycle. */
	hang(pieces, i, r, { id, parent }) {
		const value = valueOf(pieces[i].bytes);
		const others = pieces.map(({ bytes }) => valueOf(bytes)?.[id]).filter((other) => typeof other === "string");
		if (pieces[i].lost || typeof value?.[id] !== "string" || !(parent in value) || value.type === "session")
			return;
		value[parent] = r.chance(0.4) ? "never-written" : r.pick(others);
		pieces[i].bytes = Buffer.from(JSON.stringify(value));
	},
};

/** Damage a file some times. `keys` are the members of an entry: { id, parent }. */
function damage(bytes, seed, keys) {
	const r = new Random(seed);
	const pieces = linesOf(bytes).map((line) => ({ bytes: line, end: LF, value: valueOf(line) }));
	for (let n = 1 + r.int(5); n > 0; n--) {
		const i = r.chance(0.15) ? r.int(Math.min(2, pieces.length)) : r.int(pieces.length);
		DAMAGE[r.pick(Object.keys(DAMAGE))](pieces, i, r, keys);
	}
	const read = pieces.filter(({ lost, value }) => !lost && value && value.type !== "session");
	const ids = read.map(({ value }) => value[keys.id]);
	return {
		bytes: Buffer.concat(pieces.flatMap((piece) => [piece.bytes, piece.end])),
		readable: read.length,
		/** The ids of the lines that can be read. */
		ids: new Set(ids.filter((id) => typeof id === "string" && id !== "")),
	};
}

/** Rescue a file of that dialect: the new one's path, or null if it needs no rescue. */
function rescue(file, dialect) {
	const out = path.join(path.dirname(file), "rescued.jsonl");
	const before = fs.readFileSync(file);
	fs.rmSync(out, { force: true });
	const { status, stderr } = spawnSync(SESSFS, ["rescue", "-o", `dialect=${dialect}`, out, file], { encoding: "utf8", maxBuffer: 1 << 28 });
	same("the damaged file", fs.readFileSync(file).equals(before), true);
	if (![0, 1].includes(status) || stderr)
		throw new Difference(`rescue: status ${status}: ${stderr}`);
	same("the rescued file is there", fs.existsSync(out), status === 0);
	return status === 0 ? out : null;
}

/**
 * Fails unless a session has all these ids, and every parent, and no cycle. `parents` has
 * the id of each entry's parent, or null, by its own.
 */
export function isWhole(parents, ids) {
	same("entries that can be read and are not there", [...ids].filter((id) => !parents.has(id)), []);
	for (const [id, parent] of parents) {
		same(`the parent of ${id} is missing`, parent !== null && !parents.has(parent), false);
		const seen = new Set();
		for (let at = id; parents.has(at); at = parents.get(at)) {
			same(`a cycle at ${id}`, seen.has(at), false);
			seen.add(at);
		}
	}
}

/** Has the first entry of a version 1 file an id? Then sessfs differs from the agents. */
function hasOddStart(file) {
	const first = linesOf(fs.readFileSync(file)).map(valueOf).find((value) => !["session", "title"].includes(value?.type));
	return typeof first?.id === "string";
}

/** By id, of a session that an agent has opened. */
function parentsIn({ ids, byId }) {
	const parentOf = ({ parentId }) => (typeof parentId === "string" && parentId !== "" ? parentId : null);
	return new Map(ids.map((id) => [id, parentOf(byId.get(id))]));
}

/**
 * Damage COUNT files, rescue them, and have compare({ seed, out, linear, ids }) open what comes
 * of that. generate(seed) makes the files, whose entries have the members `keys`.
 */
export async function rescueAll({ dialect, generate, keys }, scratch, compare, summary, count) {
	const file = path.join(scratch, "session.jsonl");
	let rescued = 0;
	await forEachSeed(async (seed) => {
		const { bytes, linear } = generate(seed);
		const damaged = damage(bytes, seed, keys);
		fs.writeFileSync(file, damaged.bytes);
		const out = damaged.readable > 0 && rescue(file, dialect);
		if (!out || (linear && hasOddStart(out)))
			return;
		rescued++;
		await compare(out, damaged.ids, linear);
	}, (n) => `${n} damaged sessions, ${rescued} rescued, ${summary()}`, { count });
}

/** The test of an agent of Pi's family. */
export async function run({ dialect, generate, versions }, scratch) {
	let contexts = 0;
	const all = { dialect, generate: (seed) => generate(seed, { readOnly: true }), keys: { id: "id", parent: "parentId" } };
	await rescueAll(all, scratch, async (out, ids, linear) => {
		for (const agent of linear ? [] : versions)
			isWhole(parentsIn(await openCopy(agent, out, path.join(scratch, "copy.jsonl"))), ids);
		contexts += await compareFile(out, scratch, linear, versions, ["-o", `dialect=${dialect}`]);
	}, () => `${contexts} contexts compared with ${namesOfAgents(versions)}`);
}
