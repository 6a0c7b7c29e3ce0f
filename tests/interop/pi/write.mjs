// Write to random sessions through the mount, and see after each write that Pi
// reads what the mount shows; then let Pi append, and see the mount follow; then
// open branch.jsonl with Pi. TREES=n SEED=s choose the sessions.

import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed, namesOfAgents } from "../seeds.mjs";
import { LABELS, Trial, withTrial } from "../trial.mjs";
import { versions } from "./agent.mjs";
import { append } from "./append.mjs";
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

	/** Entries with the ids that the mount shows, labels' ids being new anyway. */
	normal(entries) {
		const ids = new Map(this.linear ? this.compared.names : []);
		entries.filter((e) => e.type === "label").forEach((e, i) => ids.set(e.id, `label ${i}`));
		const rename = (id) => ids.get(id) ?? id;
		return JSON.parse(JSON.stringify(entries)).map((e) => {
			for (const key of ["id", "parentId", "targetId", "firstKeptEntryId"]) {
				if (key in e)
					e[key] = rename(e[key]);
			}
			return e;
		});
	}

	/** An entry's branch.jsonl against the fork that Pi makes there. */
	async branch(pi, name) {
		const id = this.idOf(name);
		const file = path.join(this.scratch, "branch.jsonl");
		const bytes = this.mount.read(`by-id/${name}/branch.jsonl`);
		fs.writeFileSync(file, bytes);
		const branch = pi.open(file);
		if (!fs.readFileSync(file).equals(bytes))
			throw new Difference("Pi repairs branch.jsonl when it opens it");

		// This session has the ids that the names stand for.
		const { manager } = this.session;
		const header = branch.manager.getHeader();
		same("header of the branch", { ...header, id: 0, timestamp: 0 },
			{ type: "session", version: 3, id: 0, timestamp: 0, cwd: manager.getHeader().cwd, parentSession: this.file });
		same("context of the branch", branch.context(branch.leaf()), this.session.context(id));
		for (const step of this.session.path(id)) {
			const there = this.linear ? this.nameOf(step) : step;
			if (this.session.byId.get(step).type !== "label")
				same(`label of ${step} in the branch`, branch.label(there), this.session.label(step));
		}
		manager.createBranchedSession(id);
		same("entries of the branch", this.normal(branch.entries), this.normal(manager.getEntries()));
		this.checks++;
	}

	/** Some branches; each needs the session opened, since Pi moves on to the fork. */
	async branches(pi) {
		for (let n = 0; n < BRANCHES; n++) {
			await this.take(pi, this.file);
			const name = this.random.pick(this.names);
			try {
				await this.branch(pi, name);
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
