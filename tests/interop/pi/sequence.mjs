// Write sessions wholly through the mount, by OPS=n random operations each, and
// see that Pi reads what the mount shows, with Pi appending in between.
// SEQUENCES=n SEED=s choose them.

import { withScratch } from "../mount.mjs";
import { runSequences, Sequence } from "../sequence.mjs";
import { LABELS } from "../trial.mjs";
import { all, content, hasCost, isObject, isText, must, onPath, should, Verdicts } from "../verdict.mjs";
import { versions } from "./agent.mjs";
import { append } from "./append.mjs";
import { checkBranch } from "./branch.mjs";
import { PiGenerator } from "./gen.mjs";

const ROLES = ["system", "user", "assistant", "toolResult", "bashExecution", "custom"];
const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0.25 } };
const APPENDS = 4;

function edit({ targetId, replacement }, { path }) {
	const whole = isObject(replacement) ? content(replacement.content) : must(replacement === null);
	return all(onPath(targetId, path), whole);
}

const VERDICTS = new Verdicts(ROLES, {
	context_edit: edit,
	usage: ({ usage }) => should(hasCost(usage)),
	session_info: ({ name }) => (name === null ? should(false) : must(name === undefined || isText(name))),
});

class PiSequence extends Sequence {
	verdicts = VERDICTS;

	static header() {
		const id = "0198f000-0000-7000-8000-000000000001";
		return Buffer.from(`${JSON.stringify({ type: "session", version: 3, id, timestamp: "2026-03-01T10:00:00.000Z", cwd: "/work/demo" })}\n`);
	}

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
			{ type: "leaf", targetId: null }, { type: "active_tools_change", activeToolNames: [] }, { type: "mode_change", mode: "none" },
			{ type: "compaction", summary: "short", tokensBefore: 5, retainedTail: [] }, { type: "model_change", model: "p/m" },
		];
	}

	fromId(leaf) {
		return leaf ?? "root";
	}

	nameEntry(text) {
		return text ? { type: "session_info", name: text.trim() } : { type: "session_info" };
	}

	branch(pi, name) {
		checkBranch(this, pi, name);
	}

	/** By a Pi that has just opened the file, or one that has had it open for some time and goes on where it was. */
	appendBy(pi, n) {
		const r = this.random;
		this.kept ??= pi.SessionManager.open(this.file);
		const manager = r.chance(0.3) ? this.kept : pi.SessionManager.open(this.file);
		const ids = [...manager.byId.keys()];
		const made = Array.from({ length: 1 + r.int(APPENDS) }, (_, i) => append(manager, r, ids.length > 0 ? ids : [null], LABELS, `${n}.${i}`));
		if (r.chance(0.5))
			this.kept = undefined;
		return made.map(({ id }) => id).join(" ");
	}
}

await withScratch((scratch) => runSequences(PiSequence, versions, scratch));
