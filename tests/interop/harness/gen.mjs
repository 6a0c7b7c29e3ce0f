// Random sessions of Pi's harness library: every entry type and role, and every
// oddity that its strict loader reads. A seed gives the same bytes each time.
//
// What the library can't stand is left out, because then there is nothing to
// compare with: lines that its loader refuses, a last leaf entry whose target is
// unknown, a parent that is missing (unless a compaction hides it) or a cycle on
// a path, labels that are no text, retained tails that are no list or text, null
// or scalars among content blocks, an assistant's content as a string, a tool
// call without arguments.

import { BLANK_LINES, Generator, LABELS, NAMES, PICTURE } from "../generator.mjs";
import { Raw } from "../json.mjs";

const ENTRY_TYPES = {
	message: 60, custom_message: 6, branch_summary: 6, compaction: 11, leaf: 14, active_tools_change: 3, model_change: 4,
	thinking_level_change: 4, custom: 3, head: 2, label: 9, session_info: 4, unknown: 4,
};
const ROLES = {
	system: 4, user: 24, assistant: 24, toolResult: 18, bashExecution: 12, custom: 8, hookMessage: 2, branchSummary: 2,
	compactionSummary: 2, unknown: 3,
};
/** Entries that other members of the family have: nothing to this library. */
const UNKNOWN_TYPES = ["future_type", "", "context_edit", "usage", "session"];

export class HarnessGenerator extends Generator {
	constructor(seed) {
		super(seed, { v3: 1 }, ENTRY_TYPES);
		this.leaf = null;
	}

	// Values

	/** A label that has to be trimmed, at times. */
	labelText() {
		const r = this.random;
		const pad = () => r.pick(["", "", " ", "\t", "\u00a0", "\ufeff", "\u2028"]);
		return r.chance(0.8) ? pad() + r.pick(LABELS) + pad() : r.pick(["", " ", "\u3000", undefined, null]);
	}

	/** The loader takes any text for a time, but only text. */
	timestamp() {
		const time = super.timestamp();
		return typeof time === "string" && time ? time : new Date(this.time).toISOString();
	}

	block(role) {
		const r = this.random;
		const assistant = role === "assistant";
		switch (r.weighted({ text: 10, image: 2, odd: 0.5, thinking: assistant ? 3 : 0.2, call: assistant ? 6 : 0 })) {
		case "image":
			return { type: "image", data: PICTURE, mimeType: r.pick(["image/png", "image/gif", "x"]) };
		case "odd":
			return r.pick([{}, { type: "future", text: "no text" }, { type: null }]);
		case "thinking":
			return { type: "thinking", thinking: this.text(), thinkingSignature: "sig" };
		case "call":
			return { type: "toolCall", id: `call_${r.hex(4)}`, name: this.word(), arguments: this.members(5) };
		default:
			return { type: "text", text: r.chance(0.96) ? this.text() : r.pick([undefined, null, 5, true]) };
		}
	}

	/** Also none: the library leaves it at that. */
	content(role) {
		const r = this.random;
		if (r.chance(0.06))
			return this.nothing();
		if (role !== "assistant" && r.chance(0.5))
			return this.text();
		return r.chance(0.04) ? this.splitBlocks() : r.some(4, () => this.block(role));
	}

	/** The members of a message that are its role's. */
	said(role) {
		const r = this.random;
		switch (role) {
		case "assistant":
			return {
				provider: r.chance(0.97) ? this.word() : undefined, model: this.word(), api: "x-api",
				usage: { input: 1, output: 2, totalTokens: 3, cost: { total: new Raw("0.25") } },
				stopReason: r.pick(["stop", "toolUse", "error", "aborted"]),
			};
		case "toolResult":
			return { toolCallId: `call_${r.hex(4)}`, toolName: this.word(), isError: r.chance(0.2) };
		case "bashExecution":
			return {
				command: r.chance(0.97) ? this.text() : undefined,
				output: r.chance(0.2) ? r.pick(["", undefined, null]) : this.text(),
				exitCode: r.pick([0, 1, 137, -1, 1.5, null, undefined, "1"]), cancelled: r.pick([true, false, undefined]),
				truncated: r.chance(0.5), fullOutputPath: r.pick([undefined, "", "out/full.log"]),
				excludeFromContext: r.pick([undefined, undefined, false, true]),
			};
		case "branchSummary":
		case "compactionSummary":
			return { summary: this.summary(), fromId: "x", tokensBefore: 5 };
		default:
			return { customType: this.word(), display: r.chance(0.7), details: this.value() };
		}
	}

	message() {
		const r = this.random;
		const role = r.weighted(ROLES);
		if (role === "unknown")
			return r.pick([{ role: "future", content: "?" }, { content: "no role" }, { role: 5 }, "text", 5, []]);
		const timestamp = r.chance(0.95) ? this.time : this.nothing();
		return { role, content: this.content(role), ...this.said(role), timestamp };
	}

	summary() {
		const r = this.random;
		return r.chance(0.85) ? this.text() : r.pick(["", undefined, null, 5]);
	}

	// Entries

	/** Often near: then paths have several compactions that count. */
	anchor(path, own) {
		const r = this.random;
		if (path.length > 0 && r.chance(0.45))
			return r.pick(path.slice(0, 6));
		return r.chance(0.03) ? 5 : super.anchor(path, own);
	}

	retainedTail() {
		const r = this.random;
		if (r.chance(0.6))
			return r.chance(0.8) ? undefined : r.pick([null, "", "text"]);
		return r.some(4, () => this.message());
	}

	/** The fields of an entry that are its type's. */
	fields(kind, id, path) {
		const r = this.random;
		switch (kind) {
		case "message":
			return { type: kind, message: this.message() };
		case "custom_message":
			return { type: kind, content: this.content("custom"), ...this.said("custom") };
		case "branch_summary":
			return { type: kind, fromId: r.pick([...this.ids, "root"]), summary: this.summary() };
		case "compaction":
			return {
				type: kind, summary: this.summary(), tokensBefore: r.int(1e6), firstKeptEntryId: this.anchor(path, id),
				retainedTail: this.retainedTail(),
				systemMessage: r.chance(0.1) ? { role: "system", content: "not the library's" } : undefined,
			};
		case "leaf":
			return { type: kind, targetId: r.chance(0.1) ? null : r.chance(0.05) ? id : this.target(path) };
		case "active_tools_change":
			return { type: kind, activeToolNames: r.some(3, () => this.word()) };
		case "model_change":
			return { type: kind, provider: this.word(), modelId: r.pick(["a/b", "model x", "m-1"]) };
		case "thinking_level_change":
			return { type: kind, thinkingLevel: r.pick(["off", "low", "high"]) };
		case "custom":
			return { type: kind, customType: this.word(), data: r.chance(0.5) ? this.value() : undefined };
		case "head":
			return { type: "custom", customType: "sessfs.head", data: { from: r.pick([...this.ids, ""]) } };
		case "label":
			return { type: kind, targetId: r.chance(0.05) ? id : this.target(path), label: this.labelText() };
		case "session_info":
			return { type: kind, name: r.pick(NAMES) };
		default:
			return { type: r.pick(UNKNOWN_TYPES), targetId: this.target(path), replacement: null, payload: this.value() };
		}
	}

	/** Mostly where the library would append; else a branch, a root or an orphan. */
	parent() {
		const r = this.random;
		if (this.ids.length > 0 && r.chance(0.94))
			return r.chance(this.branchy) ? r.pick(this.ids) : this.leaf;
		return r.chance(0.7) ? r.pick([null, ""]) : this.unknownId();
	}

	entry() {
		const entry = super.entry();
		const known = entry.targetId === null || this.parents.has(entry.targetId);
		if (entry.type !== "leaf")
			this.leaf = entry.id;
		else if (known)
			this.leaf = entry.targetId;
		return entry;
	}

	/** What only the file as a whole can have wrong. */
	entries() {
		const entries = super.entries();
		const ids = new Set(entries.map((entry) => entry.id));
		for (const entry of entries) {
			const hidden = entry.type === "compaction" && entry.retainedTail;
			if (!hidden && !ids.has(entry.parentId))
				entry.parentId = this.random.pick([null, ""]);
		}
		const last = entries[entries.length - 1];
		if (last?.type === "leaf" && !ids.has(last.targetId))
			last.targetId = null;
		return entries;
	}

	// Bytes

	header() {
		const r = this.random;
		return {
			type: "session", version: 3, id: `0198f000-0000-7000-8000-${r.hex(12)}`,
			timestamp: new Date(this.time).toISOString(), cwd: "/work/demo",
			parentSession: r.chance(0.2) ? "/work/other.jsonl" : undefined,
			metadata: r.chance(0.5) ? this.members(3) : undefined,
		};
	}

	/** What tells these files from Pi's is in the header, or in some entry. */
	headerFor(entries) {
		const header = this.header();
		const own = ({ type, retainedTail }) => ["leaf", "active_tools_change"].includes(type) || Array.isArray(retainedTail);
		return entries.some(own) ? header : { ...header, metadata: header.metadata ?? {} };
	}

	bytes() {
		const entries = this.entries();
		const lines = [this.headerFor(entries), ...entries].map((value) => this.printer.line(value));
		this.insertNoise(lines, BLANK_LINES);
		return this.file(lines, ""); // no part of a line: it would be a bad one
	}
}

/** The session of a seed, as of the family's. */
export function generate(seed) {
	return { bytes: new HarnessGenerator(seed).bytes(), linear: false };
}

/** A session that nothing tells from one of Pi's yet. */
export function plain() {
	const timestamp = "2026-03-01T10:00:00.000Z";
	const header = { type: "session", version: 3, id: "0198f000-0000-7000-8000-000000000001", timestamp, cwd: "/work/demo" };
	const ids = ["plain001", "plain002", "plain003"];
	const entries = ids.map((id, i) => ({
		type: "message", id, parentId: ids[i - 1] ?? null, timestamp, message: { role: "user", content: id, timestamp: 5 },
	}));
	return Buffer.from([header, ...entries].map((value) => `${JSON.stringify(value)}\n`).join(""));
}
