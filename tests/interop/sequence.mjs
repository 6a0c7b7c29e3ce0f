// A session that is written wholly through its mount, from its header on: lines to
// `append`, links at HEAD, labels, names; forks are opened, and the agent appends
// in between. After each operation the file has what was wanted and nothing else,
// and from time to time the agents read what the mount shows.

import fs from "node:fs";
import { append } from "./append.mjs";
import { same } from "./compare.mjs";
import { checkFork } from "./fork.mjs";
import { Lines } from "./lines.mjs";
import { forEachSeed, namesOfAgents } from "./seeds.mjs";
import { BAD_LABELS, LABELS, overwrite, withTrial } from "./trial.mjs";
import { REFUSED } from "./verdict.mjs";

const OPERATIONS = {
	appendLines: 52, copy: 8, copyForeign: 2, refuse: 9, refuseRest: 3, appendOdd: 4, interleave: 4, moveHead: 6, setLabel: 4, clearLabel: 1, setBadLabel: 1,
	setName: 3, clearName: 1, setBadName: 1, fork: 2, letAgentAppend: 3,
};
/** Those that need an entry to be there. */
const NEEDY = ["copy", "moveHead", "setLabel", "clearLabel", "setBadLabel", "fork", "letAgentAppend"];
const SEQUENCES = 1;
const OPS = 1000;
const LOOK_EVERY = 50;
const APPENDS = 4;

/** Some classes of agents change more than what their lines need. */
export class Sequence extends Lines {
	/** The bytes of a session that has no entries yet. */
	static header(seed, more = {}) {
		const header = { type: "session", version: 3, id: "0198f000-0000-7000-8000-000000000001", timestamp: "2026-03-01T10:00:00.000Z", cwd: "/work/demo", ...more };
		return Buffer.from(`${JSON.stringify(header)}\n`);
	}

	/** The name, where it is known; entries may have changed it. */
	name = "";

	settle(...args) {
		const n = this.model.entries.length;
		super.settle(...args);
		if (this.model.entries.slice(n).some(({ type }) => ["session_info", "title_change"].includes(type)))
			this.name = undefined;
	}

	// Names

	/** May what says the name have changed? */
	get isNaming() {
		return ["setName", "clearName", "setBadName"].includes(this.how);
	}

	/** Members of the entry that says that this is the name. */
	nameEntry(text) {
		return text ? { type: "session_info", name: text.trim() } : { type: "session_info" };
	}

	/** An entry says so, if that is not the name already; one before it may have cleared the old name. */
	settleName(text) {
		const isSame = [text, undefined].includes(this.name);
		const added = [];
		const check = ({ entry, leaf }) => {
			same("parent", entry.parentId, leaf);
			added.push(entry);
		};
		this.settle([check, check], text === "" || isSame ? 0 : 1);
		for (const [i, entry] of added.entries())
			same("entry", entry, { ...entry, ...this.nameEntry(i === added.length - 1 ? text : "") });
		this.name = text;
		const shown = this.mount.read("name").toString();
		same("end of the name", shown.slice(-1), shown && "\n");
		this.checkNamed(text, shown.slice(0, -1), added);
	}

	checkNamed(text, shown) {
		same("name", shown, text.trim());
	}

	setName() {
		const text = this.random.pick(LABELS);
		this.what = [text];
		overwrite(this.mount.path("name"), text + this.random.pick(["\n", ""]));
		this.settleName(text);
	}

	clearName() {
		fs.truncateSync(this.mount.path("name"));
		this.settleName("");
	}

	setBadName() {
		const text = this.random.pick(BAD_LABELS);
		const before = this.mount.read("name").toString();
		this.what = [text.toString()];
		// As for labels, a text that only the agent could have set can't be put back.
		if (before !== "" && !LABELS.includes(this.name))
			return;
		this.isTaken(REFUSED, () => overwrite(this.mount.path("name"), text));
		const check = ({ entry }) => same("type", entry.type, this.nameEntry("").type);
		this.settle([check, check], 0);
		this.name = before.trimEnd();
		same("name", this.mount.read("name").toString(), before);
	}

	// The agent

	async fork() {
		const r = this.random;
		const compactions = this.names.filter((id) => this.model.byId.get(id).type === "compaction");
		const name = r.pick(compactions.length > 0 && r.chance(0.3) ? compactions : this.names);
		this.what = [`by-id/${name}/branch.jsonl`];
		const agent = r.pick(this.agents);
		await this.take(agent, this.file);
		this.compared.entry(name);
		await checkFork(this, agent, name);
		this.turnToModel();
		this.checks++;
	}

	manager(agent) {
		return this.adapter.manager(agent, this.file);
	}

	/** It is the agent's own file now, with whatever it rewrites. */
	async letAgentAppend() {
		const { random, adapter } = this;
		const agent = random.pick(this.agents);
		this.what = [agent.name];
		const manager = await this.manager(agent);
		const before = this.model.ids.length;
		for (let count = 1 + random.int(APPENDS); count > 0; count--) {
			const { leaf } = await append(adapter, manager, { random, labels: LABELS, n: `${before}.${count}` });
			this.what.push(leaf);
		}
		await adapter.close?.(manager);
		this.readAgain();
		await this.look();
		this.name = undefined;
	}

	async run(count) {
		const longAt = this.random.int(count);
		for (let n = 0; n < count; n++) {
			const chosen = n === longAt ? "refuseLong" : this.random.weighted(OPERATIONS);
			this.how = this.names.length === 0 && NEEDY.includes(chosen) ? "appendLines" : chosen;
			this.what = [];
			try {
				await this[this.how]();
				if (n % LOOK_EVERY === LOOK_EVERY - 1)
					await this.look();
			} catch (e) {
				const what = this.what.map((text) => text.slice(0, 500)).join("\n  ");
				e.message = `operation ${n} (${this.how}): ${e.message}\n  ${what}`;
				throw e;
			}
		}
		await this.look(true);
	}
}

/** Run SEQUENCES=n of them, of OPS=n operations each, and tell. */
export async function run(adapter, scratch) {
	const { Sequence: SequenceOf, versions } = adapter;
	const count = Number(process.env.OPS ?? OPS);
	const reasons = new Set();
	let checks = 0;
	let entries = 0;
	const runOne = async (seed) => {
		const session = { seed, bytes: SequenceOf.header(seed), linear: false, adapter };
		checks += await withTrial(SequenceOf, session, scratch, async (sequence) => {
			await sequence.run(count);
			entries += sequence.names.length;
			sequence.reasons.forEach((reason) => reasons.add(reason));
		});
	};
	const summary = (n) => `${n} sequences of ${count} operations, ${entries} entries made, lines refused for ${reasons.size} reasons, `
		+ `read ${checks} times by ${namesOfAgents(versions)}`;
	await forEachSeed(runOne, summary, { variable: "SEQUENCES", count: SEQUENCES });
}
