// Write sessions wholly through the mount, by OPS=n random operations each, and
// see that Pi's harness library reads what the mount shows, with the library
// appending in between. SEQUENCES=n SEED=s choose them.

import { Model } from "../model.mjs";
import { withScratch } from "../mount.mjs";
import { runSequences, Sequence } from "../sequence.mjs";
import { LABELS } from "../trial.mjs";
import { all, isText, must, sharedTypes, should, Verdicts } from "../verdict.mjs";
import { harness } from "./agent.mjs";
import { append } from "./append.mjs";
import { checkBranch } from "./branch.mjs";
import { HarnessGenerator } from "./gen.mjs";

const ROLES = ["user", "assistant", "toolResult", "bashExecution", "custom"];
const APPENDS = 4;

const VERDICTS = new Verdicts(ROLES, {
	leaf: ({ targetId }, { ids }) => must(targetId === null || ids.includes(targetId)),
	active_tools_change: ({ activeToolNames }) => should(Array.isArray(activeToolNames)),
	compaction: (entry, place) => all(sharedTypes.compaction(entry, place), should(entry.retainedTail === undefined)),
	session_info: ({ name }) => (name === null ? should(false) : must(name === undefined || isText(name))),
});

/** Labels are trimmed, and a leaf entry names the leaf. */
class HarnessModel extends Model {
	leaf() {
		const last = this.entries.at(-1);
		return last?.type === "leaf" ? last.targetId : super.leaf();
	}

	isBook(id) {
		return this.byId.get(id).type === "leaf" || super.isBook(id);
	}

	label(id) {
		return super.label(id)?.trim() || undefined;
	}
}

class HarnessSequence extends Sequence {
	verdicts = VERDICTS;

	static header() {
		const id = "0198f000-0000-7000-8000-000000000001";
		const header = { type: "session", version: 3, id, timestamp: "2026-03-01T10:00:00.000Z", cwd: "/work/demo", metadata: {} };
		return Buffer.from(`${JSON.stringify(header)}\n`);
	}

	newModel() {
		return new HarnessModel();
	}

	write(what, wanted, act) {
		const label = wanted.label.trim();
		return super.write(what, { ...wanted, label: label ? `${label}\n` : "" }, act);
	}

	generator(seed) {
		return new HarnessGenerator(seed);
	}

	/** The next entry goes where a leaf entry points. */
	pathBelow({ type, targetId }, path) {
		if (type !== "leaf")
			return path;
		return this.model.byId.has(targetId) ? this.model.path(targetId) : [];
	}

	refused() {
		return [
			...[undefined, "no such entry", 5].map((targetId) => ({ type: "leaf", targetId })),
			{ type: "session_info", name: 5 },
		];
	}

	fromId(leaf, parent) {
		return parent ?? "root";
	}

	nameEntry(text) {
		return text ? { type: "session_info", name: text.trim() } : { type: "session_info" };
	}

	branch(_, name) {
		return checkBranch(this, name);
	}

	async appendBy(_, n) {
		const r = this.random;
		const session = await harness.session(this.file);
		const made = [];
		for (let count = 1 + r.int(APPENDS); count > 0; count--) {
			await append(session, r, this.names, LABELS, `${n}.${count}`);
			made.push(await session.getLeafId());
		}
		return made.join(" ");
	}
}

await withScratch((scratch) => runSequences(HarnessSequence, [harness], scratch));
