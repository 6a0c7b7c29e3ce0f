// What is Pi's own in a session that is written wholly through its mount.

import { Sequence } from "../sequence.mjs";
import { all, content, hasCost, isObject, isText, must, onPath, should, Verdicts } from "../verdict.mjs";
import { PiGenerator } from "./gen.mjs";

const ROLES = ["system", "user", "assistant", "toolResult", "bashExecution", "custom"];
const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0.25 } };

function edit({ targetId, replacement }, { path }) {
	const whole = isObject(replacement) ? content(replacement.content) : must(replacement === null);
	return all(onPath(targetId, path), whole);
}

const VERDICTS = new Verdicts(ROLES, {
	context_edit: edit,
	usage: ({ usage }) => should(hasCost(usage)),
	session_info: ({ name }) => (name === null ? should(false) : must(name === undefined || isText(name))),
});

export class PiSequence extends Sequence {
	verdicts = VERDICTS;

	generator(seed) {
		return Object.assign(new PiGenerator(seed), { linear: false });
	}

	strip(fields) {
		if (fields.type === "usage" && this.random.chance(0.8))
			fields.usage = USAGE;
		return super.strip(fields);
	}

	refused() {
		const target = { type: "context_edit", targetId: this.names.at(-1) };
		const replacements = [undefined, 5, "text", [], {}, { content: null }, { content: [null] }, { content: 5 }];
		return [
			...replacements.map((replacement) => ({ ...target, replacement })),
			...[undefined, null, "no such entry", 5].map((targetId) => ({ type: "context_edit", targetId, replacement: null })),
			...this.names.slice(0, 1).map((targetId) => ({ type: "context_edit", targetId, replacement: null, parentId: null })),
			{ type: "session_info", name: 5 }, { type: "session_info", name: ["x"] },
			// What would make it a session of another agent.
			{ type: "mode_change", mode: "none" }, { type: "model_change", model: "p/m" },
		];
	}

	fromId(leaf) {
		return leaf ?? "root";
	}

	/** One that has just opened the file, or that has had it open for some time and goes on where it was. */
	manager(pi) {
		const { random } = this;
		const kept = this.kept ?? super.manager(pi);
		this.kept = random.chance(0.5) ? kept : undefined;
		return random.chance(0.3) ? kept : super.manager(pi);
	}
}
