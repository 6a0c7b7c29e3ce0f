// Random Pi sessions: every entry type and role, and every oddity that Pi
// reads. A seed gives the same bytes each time.
//
// What Pi itself can't stand is left out, because then there is nothing to
// compare with: a cycle on a path (it hangs), a message that is null, an edit
// without a replacement, null or scalars among content blocks, an assistant's
// content as a string, a tool call without arguments, a custom message (role)
// without content, non-objects in a version 1 file (it throws, or loses them).
// Left out, too, is where sessfs is meant to differ:
// an entry without an id as the last one, a label without an id, a version 1
// file whose first entry has an id.

import { BAD_LINES, BLANK_LINES, Generator, NAMES, PICTURE } from "../generator.mjs";
import { Raw } from "../json.mjs";

const SKIPPED_LINES = [...BLANK_LINES, ...BAD_LINES, "null", "false", "0", '""', " null "];

const VERSIONS = { v3: 70, v2: 10, v1: 12, string: 4, later: 4 };
const ENTRY_TYPES = {
	message: 60, custom_message: 6, branch_summary: 6, compaction: 6, context_edit: 11, model_change: 4,
	thinking_level_change: 4, usage: 2, custom: 3, head: 2, label: 8, session_info: 4, unknown: 3,
};
const ROLES = {
	system: 6, user: 22, assistant: 24, toolResult: 18, bashExecution: 12, custom: 6, hookMessage: 4, branchSummary: 1,
	compactionSummary: 1, unknown: 3,
};

export class PiGenerator extends Generator {
	constructor(seed) {
		super(seed, VERSIONS, ENTRY_TYPES);
	}

	// Values

	textBlock() {
		const r = this.random;
		if (r.chance(0.04))
			return { type: "text", text: r.pick([undefined, null, 5, true]) };
		return { type: "text", text: this.text(), textSignature: r.chance(0.1) ? "sig" : undefined };
	}

	block(call) {
		const r = this.random;
		const kind = r.weighted({ text: 10, image: 2, odd: 0.5, thinking: call ? 3 : 0.2, call: call ? 6 : 0 });
		switch (kind) {
		case "image":
			return { type: "image", data: PICTURE, mimeType: r.pick(["image/png", "image/jpeg", "x"]) };
		case "odd":
			return r.pick([{}, { type: "future", text: "no text" }, { type: null }]);
		case "thinking":
			return { type: "thinking", thinking: this.text(), thinkingSignature: "sig" };
		case "call":
			return {
				type: "toolCall", id: `call_${r.hex(4)}`, name: r.chance(0.03) ? undefined : this.word(),
				arguments: r.chance(0.05) ? r.some(3, () => this.value()) : this.members(5),
			};
		default:
			return this.textBlock();
		}
	}

	blocks(call = false) {
		const r = this.random;
		return r.chance(0.04) ? this.splitBlocks() : r.some(4, () => this.block(call));
	}

	/** A message's content, as its role has it. */
	content(role) {
		const r = this.random;
		if (role !== "custom" && r.chance(0.06))
			return this.nothing();
		if (role === "assistant")
			return this.blocks(true);
		return r.chance(0.5) ? this.text() : this.blocks();
	}

	// Entries

	message() {
		const r = this.random;
		const role = r.weighted(ROLES);
		const timestamp = r.chance(0.95) ? this.time : this.nothing();
		const summary = this.text();
		switch (role) {
		case "assistant":
			return {
				role, content: this.content(role), api: "x-api", provider: r.chance(0.97) ? this.word() : undefined,
				model: this.word(), usage: { input: 1, output: 2, totalTokens: 3, cost: { total: new Raw("0.25") } },
				stopReason: r.pick(["stop", "toolUse", "error", "aborted"]), timestamp, diagnostics: this.diagnostics(),
				...r.chance(0.05) ? { content: [], stopReason: "aborted", errorMessage: "Request was aborted." } : {},
			};
		case "toolResult":
			if (r.chance(0.1))
				return this.stoppedOrUnseen(timestamp);
			return {
				role, toolCallId: `call_${r.hex(4)}`, toolName: this.word(), content: this.content(role),
				details: r.chance(0.2) ? this.value() : undefined, isError: r.chance(0.2), timestamp,
			};
		case "bashExecution":
			return {
				role, command: r.chance(0.97) ? this.text() : undefined, fullOutputPath: r.pick([undefined, "", "out/full.log"]), ...this.execution(timestamp),
			};
		case "custom":
		case "hookMessage":
			return {
				role, customType: this.word(), content: this.content("custom"), display: r.chance(0.7),
				details: r.chance(0.3) ? this.value() : undefined, timestamp,
			};
		case "branchSummary":
			return { role, summary, fromId: "x", timestamp };
		case "compactionSummary":
			return { role, summary, tokensBefore: 5, timestamp };
		case "unknown":
			return r.pick([{ role: "future", content: "?" }, { content: "no role" }, { role: 5 }, "text", 5, []]);
		default:
			return { role, content: this.content(role), timestamp };
		}
	}

	/** What the API has kept from the model, if an assistant's message tells. */
	diagnostics() {
		const r = this.random;
		if (r.chance(0.8))
			return undefined;
		const transformations = r.some(3, () => ({ type: "reasoning", id: `rs_${r.hex(4)}`, action: "removed", reason: r.pick(["prefix_mismatch", "organization", undefined]) }));
		return r.pick([
			() => [{ type: "openai_input_transformations", timestamp: 5, details: { transformations } }],
			() => [{ type: "anthropic_input_transformations", timestamp: 5, details: { transformations: [{ type: "thinking_dropped", reason: "model_change" }] } }],
			() => [this.value(), { type: "openai_input_transformations", details: r.pick([null, {}, { transformations: this.value() }]) }],
			() => this.value(),
		])();
	}

	/** The result of a call that was stopped, or of a picture for a model that sees none. */
	stoppedOrUnseen(timestamp) {
		const r = this.random;
		const result = { role: "toolResult", toolCallId: `call_${r.hex(4)}`, toolName: "read", timestamp };
		return r.chance(0.5)
			? { ...result, content: [{ type: "text", text: "Operation aborted" }], details: {}, isError: true }
			: {
				...result, content: [{ type: "text", text: "Read image file [image/png]" }, { type: "image", data: PICTURE, mimeType: "image/png" }],
				details: { imageUnsupportedByModel: this.word() }, isError: false,
			};
	}

	systemMessage() {
		const r = this.random;
		return {
			role: "system", content: r.chance(0.5) ? this.text() : [this.textBlock()],
			sections: r.chance(0.3) ? { one: "section" } : undefined, timestamp: this.time,
		};
	}

	summary() {
		const r = this.random;
		return r.chance(0.85) ? this.text() : r.pick(["", undefined, null]);
	}

	/** What an edit puts in the place of its target's content. */
	replacement() {
		const r = this.random;
		if (r.chance(0.35))
			return null;
		return { content: r.chance(0.5) ? this.text() : this.blocks(r.chance(0.3)) };
	}

	/** The fields of an entry that are its type's. */
	fields(kind, id, path) {
		const r = this.random;
		return this.fieldsOf(kind, id, path, {
			message: () => ({ type: kind, message: this.message() }),
			custom_message: () => ({
				type: kind, customType: this.word(),
				content: r.chance(0.1) ? this.nothing() : this.content("custom"), display: r.chance(0.7), details: r.chance(0.3) ? this.value() : undefined,
			}),
			branch_summary: () => ({ type: kind, fromId: r.pick([...this.ids, "root"]), summary: this.summary() }),
			compaction: () => ({
				type: kind, summary: this.summary(), tokensBefore: r.int(1e6),
				firstKeptEntryId: this.linear ? undefined : this.anchor(path, id),
				firstKeptEntryIndex: this.linear ? this.index() : undefined,
				systemMessage: r.chance(0.4) ? this.systemMessage() : r.pick([undefined, undefined, null]),
			}),
			context_edit: () => ({ type: kind, targetId: this.target(path), replacement: this.replacement() }),
			model_change: () => ({ type: kind, provider: this.word(), modelId: r.pick(["a/b", "model x", "m-1"]) }),
			thinking_level_change: () => ({ type: kind, thinkingLevel: r.pick(["off", "low", "high"]) }),
			usage: () => ({ type: kind, kind: "cost", provider: this.word(), model: this.word(), usage: { input: 1 } }),
			session_info: () => ({ type: kind, name: r.pick(NAMES) }),
		});
	}

	// Bytes

	bytes() {
		const r = this.random;
		const more = this.linear ? { provider: "prov", modelId: "model-a" } : {};
		const header = this.printer.line(this.header(more));
		const lines = [header, ...this.entries().map((e) => this.printer.line(e))];
		const last = lines[lines.length - 1];
		if (lines.length > 3 && r.chance(0.15))
			this.insertValue(lines);
		if (r.chance(0.1))
			lines.splice(1 + r.int(lines.length), 0, this.printer.line({ ...this.header(more), id: "second" }));
		this.insertNoise(lines, SKIPPED_LINES);
		return this.file(lines, last);
	}
}

/** The session of a seed: its bytes, and whether it is a version 1 file. */
export function generate(seed, { readOnly = false } = {}) {
	const g = new PiGenerator(seed);
	if (g.linear && !readOnly)
		g.onlyKnown();
	return { bytes: g.bytes(), linear: g.linear };
}
