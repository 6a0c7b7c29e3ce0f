// The power is cut while sessfs writes (tests/crash/README.md), and the agent opens what
// is left: it sees what sessfs shows of it, and its own next line is shown as well.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { user } from "./append.mjs";
import { compareFile, Difference, same } from "./compare.mjs";
import { Mount, SESSFS } from "./mount.mjs";
import { namesOfAgents, SEED } from "./seeds.mjs";

const POWERCUT = fileURLToPath(new URL("../crash/powercut.py", import.meta.url));
const LIBRARY = fileURLToPath(new URL("../lib", import.meta.url));
const NEXT = "the agent's next message";

/**
 * Cut the power in the scenarios whose names fit a pattern. Gives the files of each state,
 * as the cut left them and after the next write of sessfs: { what, cut, next }. SAMPLE
 * says how many states of each scenario there are, or `all`.
 */
export function powerCuts(patterns, sample, scratch) {
	const folder = path.join(scratch, "scenarios"), kept = path.join(scratch, "kept");
	fs.mkdirSync(folder);
	const env = { ...process.env, SESSFS, PYTHONPATH: LIBRARY, KEEP: kept, SEED: String(SEED), SAMPLE: process.env.SAMPLE ?? sample };
	const { status, stdout, stderr } = spawnSync("python3", [POWERCUT, folder, ...patterns], { env, encoding: "utf8" });
	if (status !== 0)
		throw new Error(`powercut.py: ${stdout}${stderr}`);
	return fs.readdirSync(kept).sort().flatMap((name) => fs.readdirSync(path.join(kept, name)).map((number) => {
		const file = (when) => path.join(kept, name, number, when, "session.jsonl");
		return { what: `${name}, state ${number}`, cut: file("cut"), next: file("next") };
	}));
}

/** Check each state, up to the first that fails; then tell, by the sentence of summary(). */
export async function forEachState(states, check, summary) {
	for (const state of states) {
		try {
			await check(state);
		} catch (e) {
			console.error(`interop: SEED=${SEED} ${state.what}: ${e instanceof Difference ? e.message : e.stack}`);
			process.exitCode = 1;
			if (!process.env.KEEP_GOING)
				return;
		}
	}
	console.log(`interop: ${summary}`);
}

/** Is a line JSON? */
export function isWhole(line) {
	try {
		JSON.parse(line);
		return true;
	} catch {
		return false;
	}
}

/** Is it a whole line with zeros behind it? oh-my-pi and Claude Code read what is before them. */
export function hasZerosBehind(line) {
	return line.endsWith("\0") && isWhole(line.replace(/\0+$/, ""));
}

/** Is it of version 1, whose entries have no ids? The agent makes up new ones. */
function isLinear(file) {
	const [first] = fs.readFileSync(file, "utf8").split("\n", 1);
	const { type, version } = JSON.parse(first);
	return type === "session" && version === undefined;
}

/** The entries that are shown, in file order. */
function entriesIn(mount) {
	return mount.list("by-id").map((name) => ({
		name,
		content: mount.read(`by-id/${name}/content`).toString(),
		label: mount.read(`by-id/${name}/label`).toString(),
	}));
}

/** The agent appends a message to a copy: it is shown behind all that was, and HEAD is at it. */
async function appendNext(file, scratch, agent, adapter) {
	const copy = path.join(scratch, "appended.jsonl"), mnt = path.join(scratch, "mnt");
	fs.copyFileSync(file, copy);
	const before = await Mount.with(copy, mnt, entriesIn);
	const linear = isLinear(file);
	await adapter.powerCuts.mend?.(copy);
	const manager = await adapter.manager(agent, copy);
	await manager.appendMessage(user(NEXT));
	await adapter.close?.(manager);
	await Mount.with(copy, mnt, (mount) => {
		const after = entriesIn(mount);
		const added = after.pop();
		const known = (entries) => entries.map(({ name, ...rest }) => (linear ? rest : { name, ...rest }));
		same(`entries after ${agent.name} has appended`, known(after), known(before));
		same(`content of what ${agent.name} has appended`, added.content, `${NEXT}\n`);
		same(`HEAD after ${agent.name} has appended`, mount.readlink("HEAD"), `by-id/${added.name}`);
	});
	await compareFile(copy, scratch, false, [agent]);
}

/**
 * The test of an agent of Pi's family. Of its powerCuts there are the `patterns` of the
 * scenarios, and how many states of each it takes by default, `sample`. A file that
 * isKnown() is left out, since sessfs and the agent differ there for a reason. What a user
 * has to do before the agent opens a file is mend(file).
 */
export async function run(adapter, scratch) {
	const { patterns, sample, isKnown = () => false, mend = () => {} } = adapter.powerCuts;
	const agents = adapter.versions.map((agent) => ({
		...agent,
		async open(file) {
			await mend(file);
			return agent.open(file);
		},
	}));
	const states = powerCuts(patterns, sample, scratch);
	await forEachState(states, async ({ cut, next }) => {
		for (const file of [cut, next].filter((f) => !isKnown(f))) {
			await compareFile(file, scratch, isLinear(file), agents);
			for (const agent of agents)
				await appendNext(file, scratch, agent, adapter);
		}
	}, `${states.length} states that power cuts left, opened and appended to by ${namesOfAgents(agents)}`);
}
