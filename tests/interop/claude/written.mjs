// Have the real agent write sessions, and compare what it sent, and sends when it
// resumes them, with context.json: of some, for every entry's branch.jsonl, too.
// CASES=REGEX chooses recipes, VERSIONS="V ..." the agents.

import fs from "node:fs";
import { Home, NEWEST } from "./agent.mjs";
import { compareBranch, contextIn, differenceIn, forEach, headOf, mounted, sameContext } from "./compare.mjs";
import { normalise, resume } from "./oracle.mjs";
import { KNOWN } from "./known.mjs";
import { RECIPES, Session } from "./recipes.mjs";
import { same } from "../compare.mjs";

/** The recipes of whose sessions every entry's branch is resumed. */
const BRANCHED = /^(parallel|compact|rewind)$/;

const counts = { sessions: 0, requests: 0, branches: 0 };

/** What was sent for an answer is the context of the line that it hangs on. */
function checkRequests(mount, { lines, requests }) {
	for (const { body, answer } of requests) {
		const first = lines.find(({ type, isSidechain, message }) => answer && type === "assistant" && !isSidechain && message.id === answer);
		if (!first)
			continue;
		same(`messages that ${first.uuid} answers`, contextIn(mount, `by-id/${first.parentUuid}/`).messages, normalise(body.messages).messages);
		counts.requests++;
	}
}

async function check(name, session) {
	const bytes = fs.readFileSync(session.file);
	await mounted(bytes, async (mount) => {
		checkRequests(mount, session);
		sameContext({ ...contextIn(mount), leaf: headOf(mount) }, await resume(bytes, { version: session.version, args: [] }));
		for (const entry of BRANCHED.test(name) ? mount.list("by-id") : []) {
			await compareBranch(mount, entry, session.version, { args: [] });
			counts.branches++;
		}
	});
	counts.sessions++;
}

const chosen = new RegExp(process.env.CASES ?? "");
const names = Object.keys(RECIPES).filter((name) => chosen.test(name));
const versions = process.env.VERSIONS?.split(" ") ?? [NEWEST];
const pairs = versions.flatMap((version) => names.map((name) => [name, version]));

await forEach(pairs, ([name, version]) => Home.with(async (home) => {
	const session = new Session(home, version);
	const difference = await differenceIn(async () => {
		await RECIPES[name](session);
		await check(name, session);
	});
	const reason = KNOWN[version]?.[name];
	if (Boolean(difference) === Boolean(reason))
		return;
	console.error(`interop: CASES=${name} VERSIONS=${version}: ${difference ?? `no longer differs: ${reason}`}`);
	process.exitCode = 1;
}));
console.log(`interop: ${counts.sessions} sessions that Claude Code wrote, ${counts.requests} requests and ${counts.branches} branches compared`);
