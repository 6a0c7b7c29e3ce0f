// Write to random sessions through the mount, and see after each write that
// oh-my-pi reads what the mount shows; then let it append, and see the mount
// follow; then open branch.jsonl with it. TREES=n SEED=s choose the sessions.

import { Difference, same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed } from "../seeds.mjs";
import { LABELS, Trial, withTrial } from "../trial.mjs";
import { omp, storeBlobs } from "./agent.mjs";
import { append } from "./append.mjs";
import { checkBranch } from "./branch.mjs";
import { generate } from "./gen.mjs";
import { BLOBS } from "./values.mjs";

const WRITES = 10;
const APPENDS = 5;
const BRANCHES = 4;

class OmpTrial extends Trial {
	/** omp's own file now; the first append may write all of it anew. */
	async appendAll() {
		const { manager } = await omp.open(this.file);
		for (let n = 0; n < APPENDS; n++) {
			const [id, text] = await append(manager, this.random, this.session.ids, LABELS, n);
			await manager.flush();
			await this.look();
			same("HEAD after omp has appended", this.head, this.nameOf(this.session.lookThrough(id)));
			if (!this.mount.read("context.txt").includes(text))
				throw new Difference(`context.txt lacks what omp has appended: ${text}`);
		}
		await manager.close();
		await this.look();
	}

	/** Some branches; each needs the session opened, since omp moves on to the fork. */
	async branches() {
		for (let n = 0; n < BRANCHES; n++) {
			await this.take(omp, this.file);
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

	/**
	 * omp would give new ids to a file that is still of version 1, and glue what
	 * it appends to a last line without an end.
	 */
	canAppend() {
		return !this.linear && this.bytes.at(-1) === "\n".charCodeAt(0);
	}
}

function writeTree(seed, scratch) {
	const session = { seed, ...generate(seed), agents: [omp] };
	return withTrial(OmpTrial, session, scratch, async (trial) => {
		await trial.branches();
		await trial.look();
		for (let n = 0; n < WRITES; n++)
			await trial.change();
		if (trial.canAppend())
			await trial.appendAll();
		trial.compared.everyEntry();
		await trial.branches();
	});
}

storeBlobs(BLOBS);
await withScratch(async (scratch) => {
	let checks = 0;
	const run = async (seed) => {
		checks += await writeTree(seed, scratch);
	};
	await forEachSeed(200, run, (n) => `${n} trees written to, ${checks} times, read by ${omp.name}`);
});
