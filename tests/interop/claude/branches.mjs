// Have the real agent write sessions, and go on from every entry of them: it resumes
// the entry's branch.jsonl where that is, in the mount, as a session of its own, and
// sends what context.json says. CASES=REGEX chooses recipes, VERSIONS="V ..." the
// agents.

import fs from "node:fs";
import { Home, linesOf, NEWEST, OLD } from "./agent.mjs";
import { contextIn, forEach, mounted } from "./compare.mjs";
import { ask, modelOf } from "./oracle.mjs";
import { RECIPES, Session } from "./recipes.mjs";
import { Difference, same } from "../compare.mjs";

let branches = 0;

/** Go on from a branch.jsonl in a mount, in a home that has no sessions. */
function fork(file, version) {
	const model = modelOf(linesOf(fs.readFileSync(file)));
	return Home.with((home) => ask(home, ["--resume", file, "--fork-session", ...model], { version }));
}

async function compareFork(mount, entry, version) {
	const asked = await fork(mount.path(`by-id/${entry}/branch.jsonl`), version);
	const ours = contextIn(mount, `by-id/${entry}/`);
	if (asked.error !== undefined && ours.messages.length > 0)
		throw new Difference(`${entry}: nothing is sent: ${asked.error}`);
	branches++;
	if (asked.error !== undefined)
		return;
	same(`messages of ${entry}`, ours.messages, asked.messages);
	same(`notes of ${entry}`, ours.notes, asked.notes);
	same(`the turn after ${entry} is saved`, true, asked.added.length > 0);
}

/**
 * The entries of a mount, but one of those whose branches are the same lines: of
 * calls and their results.
 */
function entriesOf(mount) {
	const byBranch = new Map(mount.list("by-id").map((entry) => {
		const lines = linesOf(mount.read(`by-id/${entry}/branch.jsonl`));
		const context = mount.read(`by-id/${entry}/context.json`);
		return [JSON.stringify([lines.map(({ uuid }) => uuid), context.toString()]), entry];
	}));
	return [...byBranch.values()];
}

function report(name, version, e) {
	console.error(`interop: CASES=${name} VERSIONS=${version}: ${e instanceof Difference ? e.message : e.stack}`);
	process.exitCode = 1;
}

async function check(name, version) {
	const bytes = await Home.with(async (home) => {
		const session = new Session(home, version);
		await RECIPES[name](session);
		return fs.readFileSync(session.file);
	});
	await mounted(bytes, async (mount) => {
		for (const entry of entriesOf(mount))
			await compareFork(mount, entry, version).catch((e) => report(name, version, e));
	});
}

const chosen = new RegExp(process.env.CASES ?? "");
const names = Object.keys(RECIPES).filter((name) => chosen.test(name));
const versions = process.env.VERSIONS?.split(" ") ?? [NEWEST, OLD];

await forEach(versions.flatMap((version) => names.map((name) => [name, version])), async ([name, version]) => {
	await check(name, version).catch((e) => report(name, version, e));
});
console.log(`interop: ${branches} branches of sessions that Claude Code wrote resumed in a mount`);
