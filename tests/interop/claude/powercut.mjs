// Cut the power while sessfs writes to transcripts, and have Claude Code resume what is
// left. SAMPLE=n or all, and SEED=s, choose the states.

import fs from "node:fs";
import { same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachState, hasZerosBehind, powerCuts } from "../powercut.mjs";
import { Home, linesOf, NEWEST } from "./agent.mjs";
import { mounted, sameContext, sessfs } from "./compare.mjs";
import { ask, modelOf, sessionOf } from "./oracle.mjs";

const PROMPT = "the next prompt";

/** The agent reads a line up to zeros behind it, and sessfs does not. */
function isKnown(file) {
	return fs.readFileSync(file, "utf8").split("\n").some(hasZerosBehind);
}

/** What is shown of each entry, by its name. */
function entriesIn(mount) {
	return new Map(mount.list("by-id").map((name) => [name, mount.read(`by-id/${name}/content`).toString()]));
}

/** It sends what sessfs shows, and what it writes then is shown behind that, up to HEAD. */
async function resumes(file) {
	const bytes = fs.readFileSync(file);
	const lines = linesOf(bytes);
	const id = sessionOf(lines);
	const before = await mounted(bytes, entriesIn);
	await Home.with(async (home) => {
		fs.writeFileSync(home.transcript(id), bytes);
		const asked = await ask(home, ["--resume", id, ...modelOf(lines), "--bare"], { prompt: PROMPT });
		sameContext(await sessfs(bytes), asked);
		await mounted(fs.readFileSync(home.transcript(id)), (mount) => {
			const after = entriesIn(mount);
			for (const [name, content] of before)
				same(`content of ${name}`, after.get(name), content);
			same("the prompt is in the context", mount.read("context.txt").toString().includes(PROMPT), true);
			same("HEAD is at a new entry", before.has(mount.readlink("HEAD").replace("by-id/", "")), false);
		});
	});
}

await withScratch(async (scratch) => {
	const states = powerCuts(["[!r]*/claude"], "1", scratch);
	await forEachState(states, async ({ cut, next }) => {
		await Promise.all([cut, next].filter((file) => !isKnown(file)).map(resumes));
	}, `${states.length} states that power cuts left, resumed by Claude Code ${NEWEST}`);
});
