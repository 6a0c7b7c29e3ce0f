// What random sessions of Pi's family have in common: text, values, ids, a tree
// that has branches, orphans and retold entries, and a file around it. A seed
// gives the same bytes each time. What entries say is the agent's own: see the
// gen.mjs of each.

import { Members, Printer, Raw } from "./json.mjs";
import { Random } from "./random.mjs";

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
export const NAMES = ["a name", "  padded\t", "\ufeff\u2028", "   ", "", "in\nlines\u0001", "名前 😀", undefined, null];
const ODD_IDS = [
	"a/b", ".dot", "..", "with space", "content", "label", "1.png", "%41", "%", "%-", "nul\u0000", "tab\t", "ü", "😀",
	"half\ud83d", "q\"uote", "back\\slash", "__proto__", "x".repeat(255), "y".repeat(256), "ö".repeat(200), "undefined",
];
export const BAD_LINES = [
	"not json", "{", '{"type":"message"', '{"a":}', '{"a":1,}', "{'a':1}", '"open', "[1,2", '{"a":"\t"}', '{"a":"\\x"}',
	'{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":NaN}', "}{", '{"a":1}{"b":2}', '\u0000\u0000{"type":"custom","id":"bad"}',
	'\u00a0{"type":"custom","id":"bad"}', '{"type":"custom","id":"bad"} // comment', "//",
];
export const BLANK_LINES = ["", " ", "\t\t", "\u00a0", "\ufeff", " \u2028 "];
export const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

export class Generator {
	/** The weights of the versions (v1, v2, …), and those of the entry types. */
	constructor(seed, versions, kinds) {
		const r = new Random(seed);
		this.random = r;
		this.kinds = kinds;
		this.version = r.weighted(versions);
		this.linear = this.version === "v1";
		this.crlf = r.chance(0.1);
		this.printer = new Printer(r, {
			spaces: r.chance(0.15),
			escapes: r.chance(0.15),
			shuffled: r.chance(0.25),
			decoys: r.chance(0.15),
		});
		this.oddIds = r.chance(0.15);
		this.badBytes = r.chance(0.1);
		this.branchy = r.pick([0.03, 0.15, 0.4]);
		this.time = Date.UTC(2026, 2, 1, 10);
		this.ids = []; // in the order of making
		this.parents = new Map(); // by id
		this.types = new Map(); // by id
	}

	/** Only what sessfs rewrites when it migrates: lines of known types. */
	onlyKnown() {
		this.kinds = { ...this.kinds, unknown: 0 };
		this.known = true;
	}

	/** The fields of an entry that are its kind's: `makers` are the agent's own. */
	fieldsOf(kind, id, path, makers) {
		const r = this.random;
		return {
			custom: () => ({ type: kind, customType: this.word(), data: r.chance(0.5) ? this.value() : undefined }),
			head: () => ({ type: "custom", customType: "sessfs.head", data: { from: r.pick([...this.ids, ""]) } }),
			label: () => ({ type: kind, targetId: r.chance(0.05) ? id : this.target(path), label: r.chance(0.75) ? r.pick(LABELS) : r.pick(["", undefined, null]) }),
			unknown: () => ({ type: r.pick(["future_type", "", 5, null, undefined]), payload: this.value() }),
			...makers,
		}[kind]();
	}

	/** Of a user's command or program, as the user saw it. */
	execution(timestamp) {
		const r = this.random;
		return {
			output: r.chance(0.2) ? r.pick(["", undefined, null]) : this.text(),
			exitCode: r.pick([0, new Raw("-0"), 1, 137, -1, 1.5, null, undefined, "1"]), cancelled: r.pick([true, false, false, undefined]),
			truncated: r.pick([true, false]), excludeFromContext: r.pick([undefined, undefined, false, true]), timestamp,
		};
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

	/** A code point whose halves two blocks share. */
	splitBlocks() {
		return [{ type: "text", text: "split \ud83d" }, { type: "text", text: "\ude00 here" }];
	}

	nothing() {
		return this.random.pick([null, undefined]);
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

	target(path) {
		const r = this.random;
		if (path.length > 0 && r.chance(0.85))
			return r.pick(path);
		return this.ids.length > 0 && r.chance(0.8) ? r.pick(this.ids) : this.unknownId();
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

	/** An entry after those that were made before. */
	entry() {
		const kind = this.random.weighted(this.kinds);
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
		const kind = r.weighted(this.kinds);
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

	// Bytes

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

	header(more) {
		const r = this.random;
		const version = { v3: 3, v2: 2, v1: r.pick([undefined, undefined, null, 1]), string: "3", later: 4 }[this.version];
		return { type: "session", version, id: `0198f000-0000-7000-8000-${r.hex(12)}`, timestamp: new Date(this.time).toISOString(), cwd: "/work/demo", ...more };
	}

	/** A value that is no entry: an entry must follow, or the agent has no leaf. */
	insertValue(lines, others = []) {
		const objects = this.known ? ['{"type":"custom"}'] : ["{}", '{"type":"custom"}'];
		const values = this.linear ? objects : [...objects, "5", "[1]", "true", '"text"', ...others];
		lines.splice(2 + this.random.int(lines.length - 2), 0, this.random.pick(values));
	}

	/** Lines that the agent skips, anywhere. */
	insertNoise(lines, skipped) {
		const r = this.random;
		for (let n = r.pick([0, 0, 1, 6]); n > 0; n--)
			lines.splice(r.int(lines.length + 1), 0, r.pick(skipped));
	}

	/** The bytes of a file, which may lack its end or have part of one more line. */
	file(lines, torn) {
		const r = this.random;
		const end = this.crlf ? "\r\n" : "\n";
		let text = lines.join(end) + end;
		if (r.chance(0.12))
			text = text.slice(0, -end.length);
		else if (r.chance(0.1))
			text += this.cut(torn);
		return this.spoil(Buffer.from(text));
	}

	/** The part of one more line that a crash or a power cut has left, and zeros where no sector came. */
	cut(line) {
		const r = this.random;
		return line.slice(0, r.int(line.length - 1)) + "\0".repeat(r.chance(0.5) ? 0 : 1 + r.int(600));
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

