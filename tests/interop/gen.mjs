// Random Pi sessions: every entry type and role, and every oddity that Pi
// reads. A seed gives the same bytes each time.
//
// What Pi itself can't stand is left out, because then there is nothing to
// compare with: a cycle on a path (it hangs), a message that is null, an edit
// without a replacement, null or scalars among content blocks, an assistant's
// content as a string, a tool call without arguments, a custom message (role)
// without content, non-objects in a version 1 file (it throws, or loses them).
// Left out, too, is where sessfs is meant to differ (FORMATS.md, section 9):
// an entry without an id as the last one, a label without an id, a version 1
// file whose first entry has an id.

import { Random } from "./random.mjs";

/** JSON text that stands in the file as it is. */
class Raw {
	constructor(text) {
		this.text = text;
	}
}

/** An object's members in this order, which may repeat keys. */
class Members {
	constructor(list) {
		this.list = list;
	}
}

const SNIPPETS = [
	"word ", "two words ", "a\nb\n", "\n", "\t", " ", "\r\n", '"quoted"', "back\\slash", "/", "é", "日本語", "😀",
	"e\u0301", "\ud83d", "\ude00", "\u0000", "\u0001", "\u001b[1m", "\u007f", "\u0085", "\u00a0", "\u2028", "\ufeff",
	"\ufffd", "%41", "</summary>", "```", "[User]: ", "$&", "{}", "null",
];
const NUMBERS = [
	"0", "-0", "1", "-1", "42", "1.0", "0.1", "1e21", "1e20", "1E400", "-1e400", "1e-7", "0.000001", "1.5e-10", "5e-324",
	"1.7976931348623157e308", "12345678901234567890", "9007199254740993", "123456789.125", "100000000000000000000",
];
const KEYS = [
	"path", "command", "10", "2", "0", "-1", "01", "4294967294", "4294967295", "1.5", "", "ключ", "a=b", "__proto__",
	"\u0000", "\ud83d", "constructor", "x,y",
];
const ODD_TIMES = [
	undefined, null, true, false, 0, 1772359201000, 1772359201000.75, -1.5, new Raw("8.64e15"), new Raw("8640000000000001"),
	"", "garbage", "2026", "2026-03", "2026-03-01", "2026-03-01T10:00Z", "2026-03-01T10:00:00+02:00",
	"2026-03-01T10:00:00.5-11:30", "2026-03-01T10:00:00.123456Z", "2026-03-01T24:00:00.000Z", "2026-03-01T10:00:00",
	"2026-13-01T00:00:00Z", "2026-03-32", "2026-03-01T25:00:00Z", "+012026-01-01T00:00:00.000Z", "-000001-01-01T00:00:00Z",
];
const LABELS = ["tested", "two words", "Ünïcode 😀", "a/b", ".hidden", "%41", "new\nline", "\ud83d", "x".repeat(300), "  "];
const NAMES = ["a name", "  padded\t", "\ufeff\u2028", "   ", "", "in\nlines\u0001", "名前 😀", undefined, null];
const ODD_IDS = [
	"a/b", ".dot", "..", "with space", "content", "label", "1.png", "%41", "%", "%-", "nul\u0000", "tab\t", "ü", "😀",
	"half\ud83d", "q\"uote", "back\\slash", "__proto__", "x".repeat(255), "y".repeat(256), "ö".repeat(200), "undefined",
];
const BAD_LINES = [
	"not json", "{", '{"type":"message"', '{"a":}', '{"a":1,}', "{'a':1}", '"open', "[1,2", '{"a":"\t"}', '{"a":"\\x"}',
	'{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":NaN}', "}{", '{"a":1}{"b":2}', '\u0000\u0000{"type":"custom","id":"bad"}',
	'\u00a0{"type":"custom","id":"bad"}', '{"type":"custom","id":"bad"} // comment', "//",
];
const BLANK_LINES = ["", " ", "\t\t", "\u00a0", "\ufeff", " \u2028 "];
const FALSY_LINES = ["null", "false", "0", '""', " null "];
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

const ENTRY_TYPES = {
	message: 60, custom_message: 6, branch_summary: 6, compaction: 6, context_edit: 11, model_change: 4,
	thinking_level_change: 4, usage: 2, custom: 3, head: 2, label: 8, session_info: 4, unknown: 3,
};
const ROLES = {
	system: 6, user: 22, assistant: 24, toolResult: 18, bashExecution: 12, custom: 6, hookMessage: 4, branchSummary: 1,
	compactionSummary: 1, unknown: 3,
};

class Generator {
	constructor(seed) {
		const r = new Random(seed);
		this.random = r;
		this.version = r.weighted({ v3: 70, v2: 10, v1: 12, string: 4, later: 4 });
		this.linear = this.version === "v1";
		this.crlf = r.chance(0.1);
		this.spaces = r.chance(0.15);
		this.escapes = r.chance(0.15);
		this.shuffled = r.chance(0.25);
		this.decoys = r.chance(0.15);
		this.oddIds = r.chance(0.15);
		this.badBytes = r.chance(0.1);
		this.branchy = r.pick([0.03, 0.15, 0.4]);
		this.time = Date.UTC(2026, 2, 1, 10);
		this.ids = []; // in the order of making
		this.parents = new Map(); // by id
		this.types = new Map(); // by id
	}

	// Values

	text() {
		const r = this.random;
		if (r.chance(0.03))
			return "long é😀 ".repeat(250 + r.int(250));
		return r.some(4, () => r.pick(SNIPPETS)).join("");
	}

	word() {
		return this.random.pick(["alpha", "beta", "Gamma", "delta-4", "προ"]);
	}

	value(depth = 0) {
		const r = this.random;
		const kinds = depth > 3 ? 5 : 7;
		switch (r.int(kinds)) {
		case 0:
			return r.pick([null, true, false]);
		case 1:
		case 2:
			return new Raw(r.pick(NUMBERS));
		case 3:
		case 4:
			return this.text();
		case 5:
			return r.some(3, () => this.value(depth + 1));
		default:
			return this.members(3, depth + 1);
		}
	}

	/** An object whose keys may repeat and may look like numbers. */
	members(most, depth = 0) {
		const r = this.random;
		return new Members(r.some(most, () => [r.pick(KEYS), this.value(depth)]));
	}

	textBlock() {
		const r = this.random;
		if (r.chance(0.04))
			return { type: "text", text: r.pick([undefined, null, 5, true]) };
		return { type: "text", text: this.text(), textSignature: r.chance(0.1) ? "sig" : undefined };
	}

	/** A code point whose halves two blocks share. */
	splitBlocks() {
		return [{ type: "text", text: "split \ud83d" }, { type: "text", text: "\ude00 here" }];
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

	nothing() {
		return this.random.pick([null, undefined]);
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

	timestamp() {
		this.time += 1000 + this.random.int(60000);
		return this.random.chance(0.1) ? this.random.pick(ODD_TIMES) : new Date(this.time).toISOString();
	}

	unknownId() {
		return `no${this.random.hex(6)}`;
	}

	// Entries

	/** The ids from an entry up to its root, or as far as is known. */
	pathUp(id) {
		const path = [];
		for (let at = id; at && !path.includes(at) && this.parents.has(at); at = this.parents.get(at))
			path.push(at);
		return path;
	}

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
				stopReason: r.pick(["stop", "toolUse", "error", "aborted"]), timestamp,
			};
		case "toolResult":
			return {
				role, toolCallId: `call_${r.hex(4)}`, toolName: this.word(), content: this.content(role),
				details: r.chance(0.2) ? this.value() : undefined, isError: r.chance(0.2), timestamp,
			};
		case "bashExecution":
			return {
				role, command: r.chance(0.97) ? this.text() : undefined,
				output: r.chance(0.2) ? r.pick(["", undefined, null]) : this.text(),
				exitCode: r.pick([0, new Raw("-0"), 1, 137, -1, 1.5, null, undefined, "1"]),
				cancelled: r.pick([true, false, false, undefined]),
				truncated: r.pick([true, false]), fullOutputPath: r.pick([undefined, "", "out/full.log"]),
				excludeFromContext: r.pick([undefined, undefined, false, true]), timestamp,
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

	/** What a compaction names as the first entry that it keeps. */
	anchor(path, own) {
		const r = this.random;
		const labels = path.filter((id) => this.types.get(id) === "label");
		if (labels.length > 0 && r.chance(0.3))
			return r.pick(labels);
		switch (r.weighted({ path: 65, own: 8, unknown: 6, any: 8, none: 4 })) {
		case "own":
			return own;
		case "unknown":
			return this.unknownId();
		case "any":
			return this.ids.length > 0 ? r.pick(this.ids) : own;
		case "none":
			return r.pick([undefined, null, ""]);
		default:
			return path.length > 0 ? r.pick(path) : own;
		}
	}

	/** What an edit puts in the place of its target's content. */
	replacement() {
		const r = this.random;
		if (r.chance(0.35))
			return null;
		return { content: r.chance(0.5) ? this.text() : this.blocks(r.chance(0.3)) };
	}

	target(path) {
		const r = this.random;
		if (path.length > 0 && r.chance(0.85))
			return r.pick(path);
		return this.ids.length > 0 && r.chance(0.8) ? r.pick(this.ids) : this.unknownId();
	}

	/** The fields of an entry that are its type's. */
	fields(kind, id, path) {
		const r = this.random;
		switch (kind) {
		case "message":
			return { type: kind, message: this.message() };
		case "custom_message":
			return {
				type: kind, customType: this.word(),
				content: r.chance(0.1) ? this.nothing() : this.content("custom"), display: r.chance(0.7), details: r.chance(0.3) ? this.value() : undefined,
			};
		case "branch_summary":
			return { type: kind, fromId: r.pick([...this.ids, "root"]), summary: this.summary() };
		case "compaction":
			return {
				type: kind, summary: this.summary(), tokensBefore: r.int(1e6),
				firstKeptEntryId: this.linear ? undefined : this.anchor(path, id),
				firstKeptEntryIndex: this.linear ? this.index() : undefined,
				systemMessage: r.chance(0.4) ? this.systemMessage() : r.pick([undefined, undefined, null]),
			};
		case "context_edit":
			return { type: kind, targetId: this.target(path), replacement: this.replacement() };
		case "model_change":
			return { type: kind, provider: this.word(), modelId: r.pick(["a/b", "model x", "m-1"]) };
		case "thinking_level_change":
			return { type: kind, thinkingLevel: r.pick(["off", "low", "high"]) };
		case "usage":
			return { type: kind, kind: "cost", provider: this.word(), model: this.word(), usage: { input: 1 } };
		case "custom":
			return { type: kind, customType: this.word(), data: r.chance(0.5) ? this.value() : undefined };
		case "head":
			return { type: "custom", customType: "sessfs.head", data: { from: r.pick([...this.ids, ""]) } };
		case "label":
			return {
				type: kind, targetId: r.chance(0.05) ? id : this.target(path),
				label: r.chance(0.75) ? r.pick(LABELS) : r.pick(["", undefined, null]),
			};
		case "session_info":
			return { type: kind, name: r.pick(NAMES) };
		default:
			return { type: r.pick(["future_type", "", 5, null, undefined]), payload: this.value() };
		}
	}

	/** A version 1 compaction counts parsed lines, the header being 0. */
	index() {
		const n = this.ids.length + 2;
		const odd = [0, -1, 1.5, n, n + 1, "1", null, undefined];
		return this.random.chance(0.85) ? this.random.int(n) : this.random.pick(odd);
	}

	newId() {
		const r = this.random;
		const id = this.oddIds && r.chance(0.4) ? r.pick(ODD_IDS) : r.hex(8);
		return this.parents.has(id) ? r.hex(12) : id;
	}

	/** Mostly the entry before; else a branch, a root or an orphan. */
	parent() {
		const r = this.random;
		if (this.ids.length > 0 && r.chance(0.92))
			return r.chance(this.branchy) ? r.pick(this.ids) : this.ids[this.ids.length - 1];
		return r.chance(0.6) ? r.pick([null, null, "", undefined, 5]) : this.unknownId();
	}

	entry() {
		const kind = this.random.weighted(ENTRY_TYPES);
		const id = this.newId();
		const parentId = this.parent();
		const fields = this.fields(kind, id, this.pathUp(parentId));
		this.ids.push(id);
		this.parents.set(id, parentId);
		this.types.set(id, kind);
		return { ...this.envelope(id, parentId), ...fields };
	}

	/** A second copy of an entry, of any type, at its place or further up. */
	retelling() {
		const r = this.random;
		const id = r.pick(this.ids);
		const path = this.pathUp(this.parents.get(id));
		const parentId = r.chance(0.7) ? this.parents.get(id) : r.pick([...path, null]);
		const kind = r.weighted(ENTRY_TYPES);
		return { id, parentId, timestamp: this.timestamp(), ...this.fields(kind, id, path) };
	}

	envelope(id, parentId) {
		const timestamp = this.timestamp();
		if (!this.linear)
			return { id, parentId, timestamp };
		// Ids in a version 1 file don't count, but the first decides that.
		const stray = this.ids.length > 1 && this.random.chance(0.05);
		return stray ? { id: "stray", parentId: "stray", timestamp } : { timestamp };
	}

	header() {
		const r = this.random;
		const version = {
			v3: 3, v2: 2, v1: r.pick([undefined, undefined, null, 1]), string: "3", later: 4,
		}[this.version];
		return {
			type: "session", version, id: `0198f000-0000-7000-8000-${r.hex(12)}`,
			timestamp: new Date(this.time).toISOString(), cwd: "/work/demo",
			...(this.linear ? { provider: "prov", modelId: "model-a" } : {}),
		};
	}

	// Bytes

	quote(s) {
		const text = JSON.stringify(s);
		if (!this.escapes)
			return text;
		return text.replace(/\\u.{4}|\\.|[a-z/]/g, (c) => {
			if (c.length > 1 || !this.random.chance(0.05))
				return c;
			return c === "/" ? "\\/" : `\\u00${c.charCodeAt(0).toString(16)}`;
		});
	}

	gap() {
		return this.spaces && this.random.chance(0.2) ? this.random.pick([" ", "\t", "  ", "\r"]) : "";
	}

	/** An object's members, for some files in disorder and with repeated keys. */
	memberList(value) {
		if (value instanceof Members)
			return value.list;
		const r = this.random;
		const list = Object.entries(value).filter(([, v]) => v !== undefined);
		if (this.shuffled)
			r.shuffle(list);
		if (this.decoys && list.length > 0 && r.chance(0.2)) {
			const at = r.int(list.length);
			list.splice(r.int(at + 1), 0, [list[at][0], r.pick([null, 1, "decoy", {}, [], "message"])]);
		}
		return list;
	}

	json(value) {
		const gap = () => this.gap();
		if (value instanceof Raw)
			return value.text;
		if (typeof value === "string")
			return this.quote(value);
		if (Array.isArray(value))
			return `[${gap()}${value.map((v) => this.json(v ?? null)).join(`${gap()},${gap()}`)}${gap()}]`;
		if (value === null || typeof value !== "object")
			return JSON.stringify(value);
		const members = this.memberList(value).map(([k, v]) => `${gap()}${this.quote(k)}${gap()}:${gap()}${this.json(v)}`);
		return `{${members.join(`${gap()},`)}${gap()}}`;
	}

	line(value) {
		return `${this.gap()}${this.json(value)}${this.gap()}`;
	}

	/** Move some lines down, so that children come before their parents. */
	disorder(entries) {
		const r = this.random;
		for (let n = r.pick([0, 0, 0, 1, 2, 5]); n > 0 && entries.length > 2; n--) {
			const from = r.int(entries.length);
			const [entry] = entries.splice(from, 1);
			entries.splice(Math.min(entries.length, from + r.int(10)), 0, entry);
		}
	}

	entries() {
		const r = this.random;
		const count = r.chance(0.02) ? 0 : 1 + r.int(r.pick([8, 60, 90]));
		const entries = Array.from({ length: count }, () => this.entry());
		if (this.linear)
			return entries;
		const plain = [...entries];
		if (count > 3 && r.chance(0.25)) {
			for (let n = 1 + r.int(3); n > 0; n--)
				entries.splice(1 + r.int(entries.length), 0, this.retelling());
		}
		this.disorder(entries);
		return hasCycle(entries) ? plain : entries;
	}

	/** Values that are no entries: an entry must follow, or Pi has no leaf. */
	insertValue(lines) {
		const objects = ["{}", '{"type":"custom"}'];
		const values = this.linear ? objects : [...objects, "5", "[1]", "true", '"text"'];
		lines.splice(2 + this.random.int(lines.length - 2), 0, this.random.pick(values));
	}

	/** Lines that Pi skips, anywhere. */
	insertNoise(lines) {
		const r = this.random;
		for (let n = r.pick([0, 0, 1, 6]); n > 0; n--)
			lines.splice(r.int(lines.length + 1), 0, r.pick([...BLANK_LINES, ...BAD_LINES, ...FALSY_LINES]));
	}

	bytes() {
		const r = this.random;
		const header = this.line(this.header());
		const lines = [header, ...this.entries().map((e) => this.line(e))];
		const last = lines[lines.length - 1];
		if (lines.length > 3 && r.chance(0.15))
			this.insertValue(lines);
		if (r.chance(0.1))
			lines.splice(1 + r.int(lines.length), 0, this.line({ ...this.header(), id: "second" }));
		this.insertNoise(lines);
		const end = this.crlf ? "\r\n" : "\n";
		let text = lines.join(end) + end;
		if (r.chance(0.12))
			text = text.slice(0, -end.length);
		else if (r.chance(0.08))
			text += last.slice(0, r.int(last.length - 1));
		return this.spoil(Buffer.from(text));
	}

	/** Bytes that are no UTF-8, inside of text. */
	spoil(bytes) {
		if (!this.badBytes)
			return bytes;
		const bad = ["ff", "c3", "e282", "f09f98", "eda0bd", "c080"].map((hex) => Buffer.from(hex, "hex"));
		const parts = bytes.toString("latin1").split("word ");
		const joined = parts.reduce((a, b) => `${a}wo${this.random.pick(bad).toString("latin1")}rd ${b}`);
		return Buffer.from(joined, "latin1");
	}
}

function hasCycle(entries) {
	const parents = new Map(entries.map((e) => [e.id, e.parentId]));
	for (const id of parents.keys()) {
		let steps = 0;
		for (let at = id; at && parents.has(at); at = parents.get(at)) {
			if (++steps > parents.size)
				return true;
		}
	}
	return false;
}

/** The session of a seed: its bytes, and whether it is a version 1 file. */
export function generate(seed) {
	const g = new Generator(seed);
	return { bytes: g.bytes(), linear: g.linear };
}
