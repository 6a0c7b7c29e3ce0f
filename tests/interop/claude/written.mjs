// Have the real agent write sessions, and compare what it sent, and sends when it
// resumes them, with context.json. Then it goes on from an entry of each, too: it
// resumes the entry's branch.jsonl where that is, in the mount, as a session of its own.
// CASES=REGEX chooses recipes, and SEED=s the entries.

import fs from "node:fs";
import { same } from "../compare.mjs";
import { Random } from "../random.mjs";
import { isChosen, SEED } from "../seeds.mjs";
import { Home, linesOf, NAME } from "./agent.mjs";
import { contextIn, forEach, judge, mounted, sameBranch, sameContext, sessfs } from "./compare.mjs";
import { ask, modelOf, normalise, resume } from "./oracle.mjs";
import { RECIPES } from "./recipes.mjs";
import { Session } from "./session.mjs";

/** Recipes whose sessions sessfs shows differently from what the agent sends, and why. */
const KNOWN = {
	models: "the last context before another model's turn has the thinking of its own model: the next one can't be known",
	tui_summarize: "before a summary of what follows, the agent had sent what the summary has replaced since",
};

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
async function checkBranch(mount, entry) {
	const file = mount.path(`by-id/${entry}/branch.jsonl`);
	const outside = linesOf(fs.readFileSync(file));
	const args = ["--resume", file, "--fork-session", ...modelOf(outside)];
	const asked = await Home.with((home) => ask(home, args, { outside }));
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

async function check(session) {
	const bytes = fs.readFileSync(session.file);
	await mounted(bytes, async (mount) => {
		checkRequests(mount, session);
		sameContext(sessfs(mount), await resume(bytes, { args: [] }));
		await checkBranch(mount, new Random(SEED).pick(entriesOf(mount)));
	});
	counts.sessions++;
}

const names = Object.keys(RECIPES).filter(isChosen);
await forEach(names, (name) => Home.with((home) => judge(name, async () => {
	const session = new Session(home);
	const recipe = RECIPES[name];
	await session.take(Array.isArray(recipe) ? recipe : [recipe]);
	await check(session);
}, KNOWN[name])));
console.log(`interop: ${counts.sessions} sessions that ${NAME} wrote compared, ${counts.requests} requests and ${counts.branches} branches of them`);
