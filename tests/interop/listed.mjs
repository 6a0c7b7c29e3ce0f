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

export function isSame(ours, theirs) {
	const isCut = ours.endsWith("…") && bare(theirs).startsWith(bare(ours.slice(0, -1)));
	return isCut || bare(ours) === bare(theirs);
}

/** Of one session. */
export function sameTitle(what, ours, theirs) {
	if (!isSame(ours, theirs))
		same(`the title of ${what}`, ours, theirs);
}

/** COUNT=n random sessions, from SEED=s on: [random, number] of each. */
export function* randoms(most) {
	const count = Number(process.env.COUNT ?? most);
	for (let i = 0; i < count; i++)
		yield [new Random(SEED + i), i];
}

/** Tell all sessions whose check fails. */
export function checkAll(sessions, check) {
	for (const session of sessions) {
		try {
			check(session);
		} catch (e) {
			if (!(e instanceof Difference))
				throw e;
			console.error(`interop: ${e.message}`);
			process.exitCode = 1;
		}
	}
}
