// Write to random sessions of Pi's harness library through the mount, and see
// after each write that the library reads what the mount shows; then let the
// library append, and see the mount follow; then open branch.jsonl with the
// library. TREES=n SEED=s choose the sessions.

import fs from "node:fs";
import { Difference, same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed } from "../seeds.mjs";
import { LABELS, Trial, withTrial } from "../trial.mjs";
import { harness } from "./agent.mjs";
import { append } from "./append.mjs";
import { checkBranch } from "./branch.mjs";
import { generate, plain } from "./gen.mjs";

const WRITES = 10;
const APPENDS = 5;
const BRANCHES = 5;
const TURN_EVERY = 5;

/** What the library appends and Pi does not know. */
const OWN = ["move", "summary", "tools"];

class HarnessTrial extends Trial {
	/** The library trims labels when it reads them. */
	write(what, wanted, act) {
		const label = wanted.label.trim();
		return super.write(what, { ...wanted, label: label ? `${label}\n` : "" }, act);
	}

	/** Where `leaf` is not known, as in Pi, a session goes on at the parent. */
	async moveHead() {
		const before = this.session.entries.length;
		await super.moveHead();
		for (const { type, parentId, targetId } of this.session.entries.slice(before))
			same("entry that moved HEAD", { type, parentId }, { type: "leaf", parentId: targetId });
	}

	async appendAll(first) {
		// The library would glue its line to one that has no end.
		if (this.bytes[this.bytes.length - 1] !== 0x0a)
			fs.appendFileSync(this.file, "\n");
		const session = await harness.session(this.file);
		for (let n = 0; n < APPENDS; n++) {
			const text = await append(session, this.random, this.session.ids, LABELS, n, n === 0 ? first : undefined);
			const leaf = await session.getLeafId();
			await this.look();
			same("leaf after the library has appended", this.session.leaf(), leaf);
			if (!this.mount.read("context.txt").includes(text))
				throw new Difference(`context.txt lacks what the library has appended: ${text}`);
		}
	}

	async branches() {
		for (let n = 0; n < BRANCHES; n++) {
			const name = this.random.pick(this.names);
			try {
				await checkBranch(this, name);
				this.checks++;
			} catch (e) {
				e.message = `by-id/${name}/branch.jsonl: ${e.message}`;
				throw e;
			}
		}
	}
}

function writeTree(seed, scratch) {
	const session = { seed, bytes: generate(seed), linear: false, agents: [harness] };
	return withTrial(HarnessTrial, session, scratch, async (trial) => {
		await trial.branches();
		for (let n = 0; n < WRITES; n++)
			await trial.change();
		await trial.appendAll();
		trial.compared.everyEntry();
		await trial.branches();
	});
}

/** One that is mounted as Pi's, until the library appends what is its own. */
function turnTree(seed, scratch) {
	const session = { seed, bytes: plain(), linear: false, agents: [harness] };
	return withTrial(HarnessTrial, session, scratch, async (trial) => {
		await trial.appendAll(trial.random.pick(OWN));
		trial.compared.everyEntry();
	});
}

await withScratch(async (scratch) => {
	let checks = 0;
	const run = async (seed) => {
		checks += await writeTree(seed, scratch);
		if (seed % TURN_EVERY === 0)
			checks += await turnTree(seed, scratch);
	};
	await forEachSeed(60, run, (n) => `${n} trees written to, ${checks} times, read by ${harness.name}`);
});
