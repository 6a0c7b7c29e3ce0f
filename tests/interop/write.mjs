// Write to random sessions through the mount, and see after each write that the agent
// reads what the mount shows; then let the agent append, and see the mount follow; then
// open branch.jsonl with it.

import fs from "node:fs";
import { append } from "./append.mjs";
import { Difference, same } from "./compare.mjs";
import { checkFork } from "./fork.mjs";
import { forEachSeed, namesOfAgents } from "./seeds.mjs";
import { LABELS, Trial, withTrial } from "./trial.mjs";

const WRITES = 10;
const APPENDS = 5;
const BRANCHES = 5;
const TURN_EVERY = 5;

class Written extends Trial {
	async moveHead() {
		const before = this.session.entries.length;
		await super.moveHead();
		for (const entry of this.session.entries.slice(before))
			this.adapter.checkMove?.(entry);
	}

	/** It is the agent's own file now, with whatever that rewrites when it opens it. */
	async appendAll(agent, first) {
		const { adapter } = this;
		if (adapter.gluesLines && this.bytes.at(-1) !== 0x0a)
			fs.appendFileSync(this.file, "\n");
		const manager = await adapter.manager(agent, this.file);
		for (let n = 0; n < APPENDS; n++) {
			const { leaf, text } = await append(adapter, manager, { random: this.random, labels: LABELS, n }, n === 0 ? first : undefined);
			await this.look();
			same(`leaf after ${agent.name} has appended`, this.session.leaf(), leaf);
			if (!this.mount.read("context.txt").includes(text))
				throw new Difference(`context.txt lacks what ${agent.name} has appended: ${text}`);
		}
		await adapter.close?.(manager);
		await this.look();
	}

	/** Some branches; each needs the session opened, since the agent moves on to the fork. */
	async branches(agent) {
		for (let n = 0; n < BRANCHES; n++) {
			await this.take(agent, this.file);
			const name = this.random.pick(this.names);
			try {
				await checkFork(this, agent, name);
				this.checks++;
			} catch (e) {
				e.message = `by-id/${name}/branch.jsonl: ${e.message}`;
				throw e;
			}
		}
		await this.look();
	}
}

function writeTree(seed, adapter, agent, scratch) {
	return withTrial(Written, { seed, ...adapter.generate(seed), adapter }, scratch, async (trial) => {
		await trial.branches(agent);
		for (let n = 0; n < WRITES; n++)
			await trial.change();
		// An agent gives new ids to a file that is still of version 1.
		if (!trial.linear)
			await trial.appendAll(agent);
		trial.compared.everyEntry();
		await trial.branches(agent);
	});
}

/** One that is mounted as another agent's, until this one appends what is its own. */
function turnTree(seed, adapter, agent, scratch) {
	const { bytes, by } = adapter.turning;
	return withTrial(Written, { seed, bytes, linear: false, adapter }, scratch, async (trial) => {
		await trial.appendAll(agent, trial.random.pick(by));
		trial.compared.everyEntry();
	});
}

export async function run(adapter, scratch) {
	const { versions } = adapter;
	let checks = 0;
	await forEachSeed(async (seed) => {
		const agent = versions[seed % versions.length];
		checks += await writeTree(seed, adapter, agent, scratch);
		if (adapter.turning && seed % TURN_EVERY === 0)
			checks += await turnTree(seed, adapter, agent, scratch);
	}, (n) => `${n} trees written to, ${checks} times, read by ${namesOfAgents(versions)}`);
}
