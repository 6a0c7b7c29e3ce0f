// Write to random sessions of Pi's harness library through the mount, and see
// after each write that the library reads what the mount shows; then let the
// library append, and see the mount follow; then open branch.jsonl with the
// library. TREES=n SEED=s choose the sessions.

import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { forEachSeed } from "../seeds.mjs";
import { LABELS, Trial, withTrial } from "../trial.mjs";
import { harness } from "./agent.mjs";
import { generate, plain } from "./gen.mjs";

const WRITES = 10;
const APPENDS = 5;
const BRANCHES = 5;
const TURN_EVERY = 5;

/** What the library appends, and how often. */
const APPENDED = {
	user: 4, assistant: 4, custom: 2, compaction: 2, move: 3, summary: 2, label: 2, tools: 1, name: 1, model: 1, thinking: 1,
};
/** Those of them that Pi does not know. */
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

	// The library appends

	user(text) {
		return { role: "user", content: text, timestamp: 5 };
	}

	/** Let the library append something, at random; returns a text of the context. */
	async append(session, n, how = this.random.weighted(APPENDED)) {
		const r = this.random;
		const text = `appended ${n} 😀`;
		const branch = (await session.getBranch()).map((entry) => entry.id);
		switch (how) {
		case "assistant":
			await session.appendMessage({ role: "assistant", content: [{ type: "text", text }], provider: "p", model: "m", timestamp: 5 });
			return text;
		case "custom":
			await session.appendCustomMessageEntry("note", text, true);
			return text;
		case "compaction": {
			const tail = r.pick([undefined, [], [this.user("kept"), this.user("kept, too")]]);
			await session.appendCompaction(text, r.pick([...branch, undefined]), 9, undefined, false, undefined, tail);
			return text;
		}
		case "move":
			await session.moveTo(r.pick([...this.session.ids, null]));
			return "";
		case "summary":
			await session.moveTo(r.pick([...this.session.ids, null]), { summary: text });
			return text;
		case "label":
			await session.appendLabel(r.pick(this.session.ids), r.pick([...LABELS, undefined]));
			return "";
		case "tools":
			await session.appendActiveToolsChange(["read"]);
			return "";
		case "name":
			await session.appendSessionName(text);
			return "";
		case "model":
			await session.appendModelChange("p", "m");
			return "";
		case "thinking":
			await session.appendThinkingLevelChange("high");
			return "";
		default:
			await session.appendMessage(this.user(text));
			return text;
		}
	}

	async appendAll(first) {
		// The library would glue its line to one that has no end.
		if (this.bytes[this.bytes.length - 1] !== 0x0a)
			fs.appendFileSync(this.file, "\n");
		const session = await harness.session(this.file);
		for (let n = 0; n < APPENDS; n++) {
			const text = await this.append(session, n, n === 0 ? first : undefined);
			const leaf = await session.getLeafId();
			await this.look();
			same("leaf after the library has appended", this.session.leaf(), leaf);
			if (!this.mount.read("context.txt").includes(text))
				throw new Difference(`context.txt lacks what the library has appended: ${text}`);
		}
	}

	// branch.jsonl

	/**
	 * What the entries of a path say, without those that keep books: a fork may
	 * drop them or write them anew, and then others name the next that is kept.
	 */
	said(session, way) {
		const kept = way.filter((id) => !session.isBook(id));
		const isAt = new Map(way.map((id, i) => [id, i]));
		const next = (id) => way.slice(isAt.get(id) ?? way.length).find((step) => !session.isBook(step));
		return kept.map((id, i) => {
			const entry = { ...session.byId.get(id), parentId: kept[i - 1] ?? null };
			// One that is not on the path is none.
			if (entry.type === "compaction")
				entry.firstKeptEntryId = next(entry.firstKeptEntryId);
			return entry;
		});
	}

	settings(session, id) {
		const { model, thinkingLevel, activeToolNames } = session.state(id);
		return { model, thinkingLevel, activeToolNames };
	}

	/** An entry's branch.jsonl, opened, against the path to that entry. */
	async branch(name) {
		const id = this.idOf(name);
		const file = path.join(this.scratch, "branch.jsonl");
		fs.writeFileSync(file, this.mount.read(`by-id/${name}/branch.jsonl`));
		const { session } = this;
		const branch = await harness.open(file);

		const { cwd, metadata } = session.metadata;
		same("header of the branch", { ...branch.metadata, id: 0, createdAt: 0 },
			{ id: 0, createdAt: 0, cwd, path: file, parentSessionPath: this.file, metadata });
		same("context of the branch", branch.context(branch.leaf()), session.context(id));
		same("settings of the branch", this.settings(branch, branch.leaf()), this.settings(session, id));
		same("entries of the branch", this.said(branch, branch.path(branch.leaf())), this.said(session, session.path(id)));
		for (const step of session.path(id)) {
			if (!session.isBook(step))
				same(`label of ${step} in the branch`, branch.label(step), session.label(step));
		}
		this.checks++;
	}

	async branches() {
		for (let n = 0; n < BRANCHES; n++) {
			const name = this.random.pick(this.names);
			try {
				await this.branch(name);
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
