// An agent goes on from random branches of the other agents: what it posts is what the
// branch says, and what it adds to its file is in the file's context as sessfs reads it.
//
// A target, such as pi.mjs:
//
//     name       its dialect
//     version    for people
//     go(bytes, prompt)  opens a session file and says a prompt: { file, requests }, the
//                        bodies of what was posted, each with its `answer`'s texts; null
//                        if it opens no file in which nothing was said
//     call       a call of one of its tools that does no harm: { name, input }
//     jobs       optional: so many branches at a time
//     blank      optional: texts that it posts where there is nothing
//     posted(messages)   optional: what it posts in its own way, as it was in its file
//     added(mount)       optional: what sessfs makes of its file, else by as/anthropic.json
//     said(body)         optional: what it posts to another API than Anthropic's (canon.mjs)
//     allowed(items)     optional: of both sides, without what it may lose
//
// COUNT sessions from SEED on are judged of each source; SOURCES="X ..." chooses those,
// and BRANCHES=n how many of the three branches of each session.

import fs from "node:fs";
import path from "node:path";
import { Difference } from "../compare.mjs";
import { Mount, removeFolder, withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { prompt } from "../server.mjs";
import { canon, difference, renderedOf, withoutPrompt } from "./canon.mjs";
import { maker, SOURCES } from "./sources.mjs";

const COUNT = 20;
const ENTRIES = 3;
const PROMPT = "go on from here";
const ANSWER = "It goes on.";

/** What the prompt asks the model for: an answer, and half of the time a call before. */
const stepsOf = (random, call) => (random.chance(0.5) ? [[{ type: "tool_use", ...call }], ANSWER] : [ANSWER]);

/** HEAD, a tip, and some entries of any branch. */
function chosen(mount, random) {
	const all = mount.list("by-id");
	const tips = mount.list("branches");
	const some = Array.from({ length: ENTRIES - 1 }, () => random.pick(all.length > 0 ? all : [""]));
	const picked = [...some, ...(tips.length > 0 ? [random.pick(tips)] : [])];
	const names = [...new Set(picked.filter((name) => name !== ""))];
	const n = Number(process.env.BRANCHES);
	return n > 0 ? random.shuffle(names).slice(0, n) : names;
}

export const json = (mount, name) => JSON.parse(mount.read(name));

/** What a source says at an entry, and the file that the target is given. */
function branchOf(source, mount, file, entry, target) {
	const rendered = source === "claude" ? renderedOf(file) : undefined;
	return {
		items: canon(source, json(mount, `by-id/${entry}/context.json`), { rendered, failures: true }),
		bytes: mount.read(`by-id/${entry}/as/${target.name}.jsonl`),
	};
}

function check(target, what, items, others) {
	const allowed = target.allowed ?? ((list) => list);
	const found = difference(allowed(items), allowed(others));
	if (found !== undefined)
		throw new Difference(`${what}: ${found}`);
}

/** The answer is the last thing that was said. */
function withAnswer(items) {
	const last = items.at(-1);
	return last?.role === "assistant" && last.kind === "text" ? [...items.slice(0, -1), { ...last, text: `${last.text}\n${ANSWER}` }]
		: [...items, { role: "assistant", kind: "text", text: ANSWER }];
}

/** The API wants the user to begin. */
function withoutBeginning([first, ...rest]) {
	return first?.text === "(continued)" ? rest : [first, ...rest];
}

async function judge(target, random, { items, bytes }, mnt) {
	const said = prompt(PROMPT, stepsOf(random, target.call));
	const gone = await target.go(bytes, said);
	if (gone === null) {
		check(target, "what was there to go on from", items, []);
		return;
	}
	const { file, requests } = gone;
	const read = ({ messages }) => canon("anthropic", target.posted?.(messages) ?? messages, { blank: target.blank, failures: true });
	const posted = requests.map((body) => target.said?.(body) ?? read(body));
	if (posted.length === 0)
		throw new Difference(`nothing was posted for ${bytes.length} bytes`);
	check(target, "what was posted", items, withoutPrompt(posted[0], said));
	await Mount.with(file, mnt, (mount) => {
		const added = target.added?.(mount) ?? withoutBeginning(canon("anthropic", json(mount, "as/anthropic.json"), { failures: true }));
		check(target, "what was added", added, withAnswer(posted.at(-1)));
	}, ["-o", "ro"]);
	fs.rmSync(file);
}

async function judgeSeed(target, source, make, seed, scratch) {
	const dir = fs.mkdtempSync(path.join(scratch, `${source}-`));
	const file = make(seed, dir);
	const random = new Random(seed);
	const branches = await Mount.with(file, path.join(dir, "mnt"), (mount) => chosen(mount, random).map((entry) => {
		try {
			return { entry, ...branchOf(source, mount, file, entry, target) };
		} catch (e) {
			e.message = `${source} at ${entry}: ${e.message}`;
			throw e;
		}
	}), ["-o", "ro"]);
	for (const branch of branches) {
		try {
			await judge(target, random, branch, path.join(dir, "mnt"));
		} catch (e) {
			e.message = `${source} at ${branch.entry}: ${e.message}`;
			throw e;
		}
	}
	removeFolder(dir);
	return branches.length;
}

/** Judge a target with the sessions of all others; run(use) starts and ends it. */
export async function judgeAll(name, run) {
	const sources = (process.env.SOURCES?.split(" ") ?? SOURCES).filter((source) => source !== name);
	await withScratch((scratch) => run(scratch, async (target) => {
		for (const source of sources) {
			const make = await maker(source);
			let branches = 0;
			await forEachSeed(async (seed) => {
				const judged = await judgeSeed(target, source, make, seed, scratch);
				branches += judged;
			}, (n) => `${branches} branches of ${n} sessions of ${source} went on in ${target.version}`, { count: COUNT, jobs: target.jobs });
		}
	}));
}
