// Write to random sessions through the mount, and see after each write that Pi
// reads what the mount shows; then let Pi append, and see the mount follow; then
// open branch.jsonl with Pi. TREES=n SEED=s choose the sessions.

import { Difference, same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed, namesOfAgents } from "../seeds.mjs";
import { LABELS, Trial, withTrial } from "../trial.mjs";
import { versions } from "./agent.mjs";
import { append } from "./append.mjs";
import { checkBranch } from "./branch.mjs";
import { generate } from "./gen.mjs";

const WRITES = 10;
const APPENDS = 4;
const BRANCHES = 4;

class PiTrial extends Trial {
	async appendAll(pi) {
		// It is Pi's own file now, with whatever Pi rewrites at opening.
		const manager = pi.SessionManager.open(this.file);
		for (let n = 0; n < APPENDS; n++) {
			const { id, text } = append(manager, this.random, this.session.ids, LABELS, n);
			await this.look();
			same("HEAD after Pi has appended", this.head, this.nameOf(this.session.lookThrough(id)));
			if (!this.mount.read("context.txt").includes(text))
				throw new Difference(`context.txt lacks what Pi has appended: ${text}`);
		}
	}

	/** Some branches; each needs the session opened, since Pi moves on to the fork. */
	async branches(pi) {
		for (let n = 0; n < BRANCHES; n++) {
			await this.take(pi, this.file);
			const name = this.random.pick(this.names);
			try {
				checkBranch(this, pi, name);
				this.checks++;
			} catch (e) {
				e.message = `by-id/${name}/branch.jsonl: ${e.message}`;
				throw e;
			}
		}
	}
}

function writeTree(seed, scratch) {
	const session = { seed, ...generate(seed), agents: versions };
	const pi = versions[seed % versions.length];
	return withTrial(PiTrial, session, scratch, async (trial) => {
		await trial.branches(pi);
		await trial.look();
		for (let n = 0; n < WRITES; n++)
			await trial.change();
		// Pi would give new ids to a file that is still of version 1.
		if (!trial.linear)
			await trial.appendAll(pi);
		trial.compared.everyEntry();
		await trial.branches(pi);
	});
}

await withScratch(async (scratch) => {
	let checks = 0;
	const run = async (seed) => {
		checks += await writeTree(seed, scratch);
	};
	await forEachSeed(60, run, (n) => `${n} trees written to, ${checks} times, read by ${namesOfAgents(versions)}`);
});
