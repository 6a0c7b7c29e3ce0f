// Write to random sessions through the mount, and see after each write that
// oh-my-pi reads what the mount shows; then let it append, and see the mount
// follow; then open branch.jsonl with it. TREES=n SEED=s choose the sessions.

import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed } from "../seeds.mjs";
import { LABELS, Trial, withTrial } from "../trial.mjs";
import { omp, storeBlobs } from "./agent.mjs";
import { generate } from "./gen.mjs";
import { BLOBS } from "./values.mjs";

const WRITES = 10;
const APPENDS = 5;
const BRANCHES = 4;
/** A title slot has room for this much; for more it depends on how its time is written. */
const NAME_KEPT = 150;

/** What omp appends, and how often. */
const APPENDED = {
	user: 4, assistant: 4, developer: 1, custom: 2, compaction: 2, summary: 2, label: 2, title: 2, model: 1, thinking: 1, reset: 1, notes: 1,
};

/** An anchor on a path, or where it was a label, the next entry that is none. */
function keptFrom(way, anchor) {
	const at = way.findIndex((entry) => entry.id === anchor);
	const next = at < 0 ? undefined : way.slice(at).find((entry) => entry.type !== "label");
	return next ? next.id : anchor;
}

class OmpTrial extends Trial {
	/** Let omp append something; gives the id, and a text of the context. */
	async append(manager, n) {
		const r = this.random;
		const text = `appended ${n} 😀`;
		const entry = () => r.pick(this.session.ids);
		switch (r.weighted(APPENDED)) {
		case "assistant": {
			const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
			const content = [{ type: "text", text }];
			return [manager.appendMessage({ role: "assistant", content, provider: "p", model: "m", usage, stopReason: "stop", timestamp: 5 }), text];
		}
		case "developer":
			return [manager.appendMessage({ role: "developer", content: [{ type: "text", text }], timestamp: 5 }), text];
		case "custom":
			return [manager.appendCustomMessageEntry("note", text, true), text];
		case "compaction":
			return [manager.appendCompaction(text, undefined, entry(), 9, { method: r.pick(["soft", "handoff"]) }), text];
		case "summary":
			return [manager.branchWithSummary(entry(), text), text];
		case "label":
			return [manager.appendLabelChange(entry(), r.pick(LABELS)), ""];
		case "title":
			await manager.setSessionName(text, "user");
			return [manager.getLeafId(), ""];
		case "model":
			return [manager.appendModelChange("p/m"), ""];
		case "thinking":
			return [manager.appendThinkingLevelChange("high"), ""];
		case "reset":
			return [manager.appendResetBoundary(), ""];
		case "notes":
			return [manager.appendCustomEntry("experimental_context_notes", { version: 1, text }), text];
		default:
			return [manager.appendMessage({ role: "user", content: text, timestamp: 5 }), text];
		}
	}

	/** omp's own file now; the first append may write all of it anew. */
	async appendAll() {
		const { manager } = await omp.open(this.file);
		for (let n = 0; n < APPENDS; n++) {
			const [id, text] = await this.append(manager, n);
			await manager.flush();
			await this.look();
			same("HEAD after omp has appended", this.head, this.nameOf(this.session.lookThrough(id)));
			if (!this.mount.read("context.txt").includes(text))
				throw new Difference(`context.txt lacks what omp has appended: ${text}`);
		}
		await manager.close();
		await this.look();
	}

	/** The entries up to one as a fork has them: without labels, linked over the gaps. */
	forked(id) {
		const way = this.session.path(id).map((step) => this.session.byId.get(step));
		const name = (step) => (this.linear ? this.nameOf(step) : step) ?? step;
		const kept = way.filter((entry) => entry.type !== "label");
		return JSON.parse(JSON.stringify(kept)).map((entry, i) => {
			const changed = { id: name(entry.id), parentId: i > 0 ? name(kept[i - 1].id) : null };
			if (entry.firstKeptEntryId !== undefined)
				changed.firstKeptEntryId = name(keptFrom(way, entry.firstKeptEntryId));
			if (entry.providerReplayThroughEntryId !== undefined)
				changed.providerReplayThroughEntryId = name(entry.providerReplayThroughEntryId);
			return { ...entry, ...changed };
		});
	}

	/** An entry's branch.jsonl, opened by omp, against the session at that entry. */
	async branch(name) {
		const id = this.idOf(name);
		const file = path.join(this.scratch, "branch.jsonl");
		const bytes = this.mount.read(`by-id/${name}/branch.jsonl`);
		fs.writeFileSync(file, bytes);
		const branch = await omp.open(file);
		if (!fs.readFileSync(file).equals(bytes))
			throw new Difference("omp rewrites branch.jsonl when it opens it");

		const { version, cwd, parentSession } = branch.manager.getHeader();
		same("header of the branch", { version, cwd, parentSession },
			{ version: 3, cwd: this.session.manager.getHeader().cwd, parentSession: this.file });
		const entries = branch.entries.filter((entry) => entry.type !== "label");
		same("entries of the branch", JSON.parse(JSON.stringify(entries)), this.forked(id));
		same("context of the branch", branch.context(branch.leaf()).text, this.session.context(id).text);
		for (const step of this.session.path(id)) {
			const there = this.linear ? this.nameOf(step) : step;
			if (this.session.byId.get(step).type !== "label")
				same(`label of ${step} in the branch`, branch.label(there), this.session.label(step));
		}
		const fork = await omp.open(this.session.manager.createBranchedSession(id));
		same("name of the branch", ...[branch, fork].map((s) => s.info().name?.slice(0, NAME_KEPT)));
		same("folders of the branch", ...[branch, fork].map((s) => s.manager.getAdditionalDirectories()));
		this.checks++;
	}

	/** Some branches; each needs the session opened, since omp moves on to the fork. */
	async branches() {
		for (let n = 0; n < BRANCHES; n++) {
			await this.take(omp, this.file);
			const name = this.random.pick(this.names);
			try {
				await this.branch(name);
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
