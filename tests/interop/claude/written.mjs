// Have the real agent write sessions, and compare what it sent, and sends when it
// resumes them, with context.json. Then it goes on from some of their entries, too: it
// resumes the entry's branch.jsonl where that is, in the mount, as a session of its own.
// CASES=REGEX chooses recipes, VERSIONS="V ..." the agents, and BRANCHES=n from how many
// entries of a session it goes on: "all" from every one. SEED=s chooses these.

import fs from "node:fs";
import { same } from "../compare.mjs";
import { Random } from "../random.mjs";
import { isChosen, SEED } from "../seeds.mjs";
import { Home, linesOf } from "./agent.mjs";
import { contextIn, differenceIn, forEach, headOf, mounted, sameBranch, sameContext, VERSIONS } from "./compare.mjs";
import { judge } from "./known.mjs";
import { ask, modelOf, normalise, resume } from "./oracle.mjs";
import { RECIPES, Session } from "./recipes.mjs";

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

/** Go on from an entry's branch.jsonl in a mount, in a home that has no sessions. */
async function checkBranch(mount, entry, version) {
	const file = mount.path(`by-id/${entry}/branch.jsonl`);
	const outside = linesOf(fs.readFileSync(file));
	const args = ["--resume", file, "--fork-session", ...modelOf(outside)];
	const asked = await Home.with((home) => ask(home, args, { version, outside }));
	sameBranch(mount, entry, asked);
	if (asked.error === undefined)
		same(`the turn after the branch of ${entry} is saved`, true, asked.added.length > 0);
	counts.branches++;
}

/**
 * Is the answer before the last prompt one of the agent's own? It gives another then, and
 * of the two ask() leaves none.
 */
function hasOwnAnswer(mount, entry) {
	const [answer, prompt] = contextIn(mount, `by-id/${entry}/`).messages.slice(-2);
	return prompt?.role === "user" && answer.content.some(({ text }) => text === "No response requested.");
}

/**
 * The entries of a mount, but one of those whose branches and contexts are the same: of
 * calls and their results.
 */
function entriesOf(mount) {
	const byBranch = new Map(mount.list("by-id").map((entry) => {
		const lines = linesOf(mount.read(`by-id/${entry}/branch.jsonl`));
		const context = mount.read(`by-id/${entry}/context.json`);
		return [JSON.stringify([lines.map(({ uuid }) => uuid), context.toString()]), entry];
	}));
	return [...byBranch.values()].filter((entry) => !hasOwnAnswer(mount, entry));
}

function someOf(entries) {
	const { BRANCHES = "1" } = process.env;
	return BRANCHES === "all" ? entries : new Random(SEED).shuffle(entries).slice(0, Number(BRANCHES));
}

async function check(session) {
	const bytes = fs.readFileSync(session.file);
	await mounted(bytes, async (mount) => {
		checkRequests(mount, session);
		sameContext({ ...contextIn(mount), leaf: headOf(mount) }, await resume(bytes, { version: session.version, args: [] }));
		for (const entry of someOf(entriesOf(mount)))
			await checkBranch(mount, entry, session.version);
	});
	counts.sessions++;
}

const names = Object.keys(RECIPES).filter(isChosen);
const pairs = VERSIONS.flatMap((version) => names.map((name) => [name, version]));

await forEach(pairs, ([name, version]) => Home.with(async (home) => {
	const session = new Session(home, version);
	try {
		const difference = await differenceIn(async () => {
			await RECIPES[name](session);
			await check(session);
		});
		if (difference !== undefined)
			judge(version, name, difference);
	} catch (e) {
		// A recipe that fails does not end the others.
		process.exitCode = 1;
		console.error(`interop: VERSIONS=${version} CASES=${name}: ${e.stack}`);
	}
}));
console.log(`interop: ${counts.sessions} sessions that Claude Code wrote compared, ${counts.requests} requests and ${counts.branches} branches of them`);
