// What is the own of Pi's harness library in a session that is written wholly through its
// mount.

import { Model } from "../model.mjs";
import { Sequence } from "../sequence.mjs";
import { all, isText, must, sharedTypes, should, Verdicts } from "../verdict.mjs";
import { HarnessGenerator } from "./gen.mjs";

const ROLES = ["user", "assistant", "toolResult", "bashExecution", "custom"];

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

export class HarnessSequence extends Sequence {
	verdicts = VERDICTS;

	static header(seed) {
		return super.header(seed, { metadata: {} });
	}

	newModel() {
		return new HarnessModel();
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
}
