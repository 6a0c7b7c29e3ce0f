// The last column of `sessfs list` against what an agent's own list has of a session.
//
// The same title is the same but for white space and control characters, and ours may be
// cut. What a test's agent does otherwise, its titles.mjs says, each a rule.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { Difference, same } from "./compare.mjs";
import { SESSFS } from "./mount.mjs";
import { Random } from "./random.mjs";
import { SEED } from "./seeds.mjs";

const WORDS = ["fix", "the", "parser", "of", "dates", "why", "is", "it", "blue", "naïve", "日本", "😀", "a<b", "<T>", "x > y", "\"q\"", "C:\\w", "/etc", "&amp;"];

/** What somebody types, of one line or several. */
export function words(random, most = 8) {
	const one = () => random.pick(WORDS);
	const text = [one(), ...random.some(most, one)].map((word) => word + random.pick([" ", " ", " ", "\n", "  ", "\t"])).join("").trim();
	return text.startsWith("<") || text.startsWith("/") ? `so ${text}` : text;
}

/** A text that is longer than any list has room for. */
export function longWords(random) {
	return `${words(random)} ${"and on and on ".repeat(20 + random.int(100))}`.trim();
}

/** The titles of the sessions in a folder by the names of their files, the newest first. */
export function listed(folder, options = []) {
	const { status, stdout, stderr } = spawnSync(SESSFS, ["list", ...options, folder], { encoding: "utf8", maxBuffer: 1 << 30 });
	if (status !== 0)
		throw new Error(`sessfs list: ${stderr}`);
	return new Map(stdout.split("\n").filter((line) => line).map((line) => {
		const columns = line.split("\t");
		return [path.basename(columns[1], ".jsonl"), columns[8].replace(/^ *└ /, "")];
	}));
}

const bare = (title) => title.replace(/[\s\p{Cc}\ufeff]+/gu, "");

function isSame(ours, theirs) {
	const isCut = ours.endsWith("…") && bare(theirs).startsWith(bare(ours.slice(0, -1)));
	return isCut || bare(ours) === bare(theirs);
}

/** Of one session. */
export function sameTitle(what, ours, theirs) {
	if (!isSame(ours, theirs))
		same(`the title of ${what}`, ours, theirs);
}

/**
 * Hold the titles of COUNT random sessions, from SEED on, against those that an agent lists,
 * and their order. make(random, number) writes a session, as it is and as the agent is given it,
 * and gives its `id` and more; ours() gives our titles by ids, and list() what the agent has, by
 * ids, both the newest first. check(what, title, theirs, made) holds a title against it.
 */
export async function compareTitles(name, most, { make, ours, list, check }) {
	const made = new Map();
	for (let i = 0; i < Number(process.env.COUNT ?? most); i++) {
		const one = make(new Random(SEED + i), i);
		made.set(one.id, { ...one, what: `COUNT=1 SEED=${SEED + i}` });
	}
	const theirs = new Map(await list(made));
	const titles = new Map(ours());
	for (const [id, title] of titles) {
		try {
			const { what } = made.get(id);
			check(what, title, theirs.get(id), made.get(id));
		} catch (e) {
			if (!(e instanceof Difference))
				throw e;
			console.error(`interop: ${e.message}`);
			process.exitCode = 1;
		}
	}
	same("the number of sessions", titles.size, made.size);
	same("their order", [...titles.keys()].filter((id) => theirs.has(id)), [...theirs.keys()]);
	console.log(`interop: ${theirs.size} titles, of ${titles.size} sessions, as ${name} lists them`);
}
