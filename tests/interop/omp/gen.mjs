// Random oh-my-pi sessions: every entry type and role, and every oddity that omp
// reads. A seed gives the same bytes each time.
//
// What omp itself can't stand is left out, because then there is nothing to
// compare with: a line that is null, a message that is no object, an assistant's content that is
// no array, null or scalars among content blocks, text or thinking that is no
// string, a steering message without content, rules of a ttsr_injection that are
// no array, usage without cost, non-objects in a version 1 file (it throws).
// Left out is what its parser reads otherwise than by lines, and not the same in
// each version of bun: text behind a value on its line, a value over lines.
// Left out, too, is where sessfs is meant to differ:
// an entry without an id as the last one, a label without an id, a version 1
// file whose first entry has an id, and a second header in such a file, which
// omp does not chain.

import { BAD_LINES, BLANK_LINES } from "../generator.mjs";
import { serializeTitleSlot } from "./agent.mjs";
import { OmpMessages } from "./messages.mjs";

const VERSIONS = { v3: 72, v2: 10, v1: 10, string: 4, later: 4 };
const ENTRY_TYPES = {
	message: 62, custom_message: 8, branch_summary: 6, compaction: 7, reset_boundary: 1.5, notes: 3, custom: 3, head: 2, label: 8,
	model_change: 4, thinking_level_change: 3, settings: 4, other: 2, session: 0.4, unknown: 3,
};
const NOT_SKIPPED = ["}{", '{"a":1}{"b":2}', '{"type":"custom","id":"bad"} // comment'];
const SKIPPED_LINES = [...BLANK_LINES, ...BAD_LINES.filter((line) => !NOT_SKIPPED.includes(line))];
const TITLES = ["A title", "Über title 😀", "", "in\nlines\t\u0001", "\ud83d half", "long ".repeat(60), "  padded "];
const NOTES = ["line one\nline two", "", "  \n\n", "x".repeat(16384), "x".repeat(16385), "é".repeat(8193), "\ud83d".repeat(5462)];
const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0 } };
const BOM = Buffer.from("efbbbf", "hex");

export class OmpGenerator extends OmpMessages {
	constructor(seed, readOnly) {
		super(seed, VERSIONS, ENTRY_TYPES);
		this.readOnly = readOnly;
		this.replays = true;
		this.slot = this.random.chance(0.6);
	}

	// Entries

	remoteHistory() {
		const r = this.random;
		return {
			provider: r.chance(0.9) ? "openai" : r.pick(["", undefined]),
			replacementHistory: r.chance(0.9) ? this.historyItems() : r.pick([undefined, [null], {}, ["x"]]), usedTokens: 5,
		};
	}

	nativeSummary() {
		const r = this.random;
		return {
			provider: r.chance(0.9) ? "anthropic" : r.pick(["", 5]), content: r.chance(0.9) ? this.text() : r.pick(["", undefined]),
			...this.subset(0.4, { encryptedContent: () => r.pick(["opaque", "", 5]), filesText: () => r.pick(["<files>", "", null]), model: () => "m" }),
		};
	}

	preserved() {
		const r = this.random;
		if (r.chance(0.5))
			return this.nothing();
		return this.subset(0.4, {
			...(this.replays && { openaiRemoteCompaction: () => this.remoteHistory() }),
			anthropicCompaction: () => this.nativeSummary(),
			snapcompact: () => this.archive(),
			extension: () => this.value(),
		});
	}

	/** An entry that a provider's history may end with: never a label. */
	replayed(path) {
		const entries = path.filter((id) => this.types.get(id) !== "label");
		return entries.length > 0 ? this.random.pick(entries) : undefined;
	}

	compaction(id, path) {
		const r = this.random;
		const preserveData = this.preserved();
		// Anthropic's own compactions name what is replayed, and no entry that is kept.
		const snapshot = preserveData?.anthropicCompaction !== undefined && r.chance(0.6);
		return {
			type: "compaction", summary: r.chance(0.95) ? this.markdown() : this.nothing(), shortSummary: r.chance(0.3) ? "short" : undefined,
			tokensBefore: r.int(1e6), tokensAfter: r.chance(0.5) ? r.int(1e5) : undefined, fromExtension: r.pick([undefined, undefined, true]),
			firstKeptEntryId: this.linear ? undefined : snapshot ? "" : this.anchor(path, id),
			firstKeptEntryIndex: this.linear ? this.index() : undefined,
			method: r.pick([undefined, "remote", "snapcompact", "handoff", "handoff", "soft"]), preserveData,
			providerReplayThroughEntryId: r.chance(snapshot ? 0.8 : 0.5) ? this.replayed(path) : r.pick([undefined, "", id]),
			details: r.chance(0.3) ? { kind: "experimental-context-rollover" } : r.pick([undefined, null, { readFiles: [] }, "text"]),
			warning: r.chance(0.1) ? "freed too little" : undefined,
		};
	}

	branchSummary() {
		const r = this.random;
		return {
			type: "branch_summary", fromId: r.pick([...this.ids, "root"]), summary: r.chance(0.9) ? this.markdown() : this.nothing(),
			details: r.chance(0.1) ? { kind: "discarded-entry-branch" } : undefined, fromExtension: r.pick([undefined, undefined, true]),
		};
	}

	notes() {
		const r = this.random;
		const data = { version: 1, text: r.chance(0.6) ? this.markdown() : r.pick(NOTES) };
		const odd = [undefined, null, [], { ...data, more: 1 }, { ...data, version: 2 }, { version: 1, text: 5 }, { text: "x" }];
		return { type: "custom", customType: "experimental_context_notes", data: r.chance(0.85) ? data : r.pick(odd) };
	}

	/** What a session_init may have besides. */
	ofSubagents = {
		agent: () => "task", modelRole: () => "smol", resolvedModel: () => "prov/m", readOnly: () => true, outputSchema: () => ({ type: "object" }),
		outputSchemaMode: () => "strict", restrictToolNames: () => true, spawns: () => "*", readSummarize: () => false, advisor: () => "on",
		compactionThreshold: () => ({ thresholdPercent: 80, thresholdTokens: -1 }), isolated: () => true,
	};

	/** Types that keep books of what is not in the conversation. */
	settings() {
		const r = this.random;
		return r.pick([
			{ type: "mode_change", mode: r.pick(["plan", "none"]), data: { planFile: "x" } },
			{ type: "service_tier_change", serviceTier: r.pick([null, { openai: "priority" }]) },
			{ type: "ttsr_injection", injectedRules: ["rule"] },
			{ type: "session_init", systemPrompt: "You are", task: "do", tools: ["read"], ...this.subset(0.3, this.ofSubagents) },
			{ type: "credential_pin", provider: "prov", hash: "00" },
			{ type: "model_usage", purpose: "title", role: r.pick([undefined, "smol"]), api: "x", provider: "prov", model: "m", usage: USAGE, stopReason: "stop" },
			{ type: "title_change", title: r.pick(TITLES), previousTitle: "old", source: "user", trigger: r.pick([undefined, "rename"]) },
			{ type: "custom", customType: r.pick(["session_exit", "tool_execution_start"]), data: { reason: "sighup", toolCallId: "call_1" } },
		]);
	}

	/** Types of Pi's that omp does not know. A leaf is of its library alone: sessfs migrates none. */
	other() {
		const r = this.random;
		return r.pick([
			{ type: "session_info", name: "not its title" }, { type: "usage", usage: { input: 1 } },
			{ type: "context_edit", targetId: r.pick([...this.ids, "x"]), replacement: null },
			...(this.known ? [] : [{ type: "leaf", targetId: r.pick([...this.ids, null]) }]),
		]);
	}

	modelChange() {
		const r = this.random;
		if (r.chance(0.1))
			return { type: "model_change", provider: "pi", modelId: "of-pi" };
		return {
			type: "model_change", model: r.pick(["prov/model-a", "prov/a/b", "x", "", undefined]),
			role: r.pick([undefined, undefined, null, "default", "smol", "fallback", ""]), resolvedModelIsFallback: r.pick([undefined, false, true]),
		};
	}

	thinkingChange() {
		const r = this.random;
		const thinkingLevel = r.pick(["off", "low", "high", "xhigh", null, undefined]);
		return { type: "thinking_level_change", thinkingLevel, configured: r.pick([undefined, null, "auto"]) };
	}

	/** What omp adds behind a turn whose thinking was interrupted. */
	continuity() {
		const custom = { ...this.custom(), customType: "interrupted-thinking" };
		if (this.random.chance(0.7))
			return { type: "custom_message", ...custom };
		return { type: "message", message: { role: "custom", ...custom, timestamp: this.time } };
	}

	/** The fields of an entry that are its kind's. */
	fields(kind, id, path) {
		const r = this.random;
		if (this.interrupted && r.chance(0.3)) {
			this.interrupted = false;
			return this.continuity();
		}
		return this.fieldsOf(kind, id, path, {
			message: () => ({ type: kind, message: this.message() }),
			custom_message: () => ({ type: kind, ...this.custom() }),
			branch_summary: () => this.branchSummary(),
			compaction: () => this.compaction(id, path),
			reset_boundary: () => ({ type: kind }),
			notes: () => this.notes(),
			model_change: () => this.modelChange(),
			thinking_level_change: () => this.thinkingChange(),
			settings: () => this.settings(),
			other: () => this.other(),
			session: () => (this.linear ? { type: "reset_boundary" } : { type: kind, version: 3, cwd: "/work/second" }),
		});
	}

	// The file

	/** What tells omp's headers from Pi's; one of them at least without a slot. */
	extras() {
		const r = this.random;
		const makers = {
			title: () => r.pick(TITLES), titleSource: () => r.pick(["auto", "user"]), additionalDirectories: () => ["/work/other"],
			previousSessionFiles: () => ["/old/place.jsonl"], providerPromptCacheKey: () => "key",
		};
		const extras = this.subset(0.3, makers);
		if (this.slot || Object.keys(extras).length > 0)
			return extras;
		const key = r.pick(Object.keys(makers));
		return { [key]: makers[key]() };
	}

	/** A first line of 256 bytes, or one of the same kind that is not. */
	slotLine() {
		const r = this.random;
		const title = r.pick(TITLES);
		const source = r.pick([undefined, "auto", "user"]);
		const updatedAt = "2026-03-01T10:00:00.000Z";
		if (r.chance(0.9) || !this.readOnly)
			return serializeTitleSlot({ title, source, updatedAt });
		return `${JSON.stringify({ type: "title", v: 1, title, source, updatedAt, pad: "" })}\n`;
	}

	entries() {
		const r = this.random;
		const entries = super.entries();
		if (r.chance(0.08) && this.readOnly && !this.linear && entries.length > 0)
			r.pick(entries).parentId = r.pick(this.ids);
		return entries;
	}

	bytes() {
		const r = this.random;
		const header = this.printer.line(this.header({ parentSession: r.chance(0.1) ? "/work/before.jsonl" : undefined, ...this.extras() }));
		const lines = [header, ...this.entries().map((e) => this.printer.line(e))];
		const last = lines[lines.length - 1];
		if (lines.length > 3 && r.chance(0.15))
			this.insertValue(lines, ["false", "0", '""']);
		this.insertNoise(lines, SKIPPED_LINES);
		const parts = [this.file(lines, last)];
		if (this.slot)
			parts.unshift(Buffer.from(this.slotLine()));
		if (r.chance(0.03) && this.readOnly)
			parts.unshift(BOM);
		const bytes = Buffer.concat(parts);
		// omp counts others as UTF-8 when it reads, and so rewrites no such file.
		return this.readOnly ? bytes : Buffer.from(bytes.toString());
	}
}

/**
 * The session of a seed: its bytes, and whether it is a version 1 file. One that
 * is only read may have what is not safe to be written to: a cycle of parents,
 * and bytes in the place of a title's 256, which omp would write over. Without
 * `replays` it has no histories that only OpenAI can read.
 */
export function generate(seed, { readOnly = false, replays = true } = {}) {
	const g = Object.assign(new OmpGenerator(seed, readOnly), { replays });
	if (g.linear && !readOnly)
		g.onlyKnown();
	return { bytes: g.bytes(), linear: g.linear };
}
