// Lines for `append`, of every kind and in all the ways in which they can come.

import fs from "node:fs";
import { Difference, same } from "./compare.mjs";
import { cut, feed, feedPieces, openToAppend, writePiece } from "./feed.mjs";
import { Followed } from "./followed.mjs";
import { replaceMembers } from "./json.mjs";
import { Random } from "./random.mjs";
import { beginsWell, parsed, refusedLines } from "./refused.mjs";
import { EITHER, isObject, REFUSED, TAKEN } from "./verdict.mjs";

const GENERATORS = 4;
const LINE_MAX = 256 << 20;
const PAGE = 4096;
const ODD_VALUES = [undefined, null, true, 5, "text", "", [], {}, [null], [5], [{}]];
const ODD_DEPTH = 5;
const PRIVATE = ["meta", "details", "preserveData", "providerPayload"];
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const BLANKS = ["", "", "", "\n", " \n", "\r\n", "\t\t\n \n"];

/** The objects and arrays in a value, itself first, that have something in them: not what is a tool's or a provider's own. */
function placesIn(value, depth) {
	if (typeof value !== "object" || value === null || depth === 0)
		return [];
	const inner = Object.entries(value).filter(([key]) => !PRIVATE.includes(key));
	const places = inner.flatMap(([, member]) => placesIn(member, depth - 1));
	return Object.keys(value).length > 0 ? [value, ...places] : places;
}

/**
 * Each agent's class adds:
 *
 *   generator(seed)      one whose fields() say what entries say
 *   verdicts             (verdict.mjs)
 *   refused()            lines that only this agent could not load
 *
 * and perhaps what else is its own.
 */
export class Lines extends Followed {
	constructor(seed, ...args) {
		super(seed, ...args);
		this.generators = Array.from({ length: GENERATORS }, (_, i) => this.generator(seed * GENERATORS + i));
		this.reasons = new Set();
	}

	/** The generators refer to what is there. */
	turnToModel() {
		super.turnToModel();
		const types = new Map(this.model.entries.map(({ id, type }) => [id, type]));
		for (const g of this.generators)
			Object.assign(g, { ids: this.model.ids, types });
	}

	/** What a branch_summary gets that has none. */
	fromId(leaf, parent) {
		return parent ?? "root";
	}

	// Making them

	/** A line for below this path. */
	line(path, isPlain = false) {
		const r = this.random;
		const g = r.pick(this.generators);
		const parentId = !isPlain && r.chance(0.08) ? r.pick([...this.names, null]) : undefined;
		const way = parentId === undefined ? path : this.model.path(parentId);
		const fields = this.strip(g.fields(r.weighted(g.kinds), undefined, [...way].reverse()));
		const isBare = typeof fields.message?.role === "string" && r.chance(0.7);
		const timestamp = r.chance(0.2) ? g.timestamp() : undefined;
		const text = this.print(g, isBare ? { ...fields.message, parentId } : { ...fields, parentId, timestamp });
		return { ...this.judged(text, way, isBare), path: this.pathBelow(fields, way) };
	}

	/** What is chosen for an id's letters, which are others each time, must not change later choices. */
	print(g, value) {
		g.printer.random = new Random(this.random.int(2 ** 31));
		return g.printer.line(value);
	}

	/** A line that is in nothing but its size beyond others. */
	bigLine(path) {
		const data = "big é😀 ".repeat(10_000 + this.random.int(20_000));
		return { ...this.judged(JSON.stringify({ type: "custom", customType: "big", data }), path, false), path };
	}

	/** Entries without what is filled in for them. */
	strip(fields) {
		const r = this.random;
		if (fields.type === "branch_summary" && r.chance(0.6))
			delete fields.fromId;
		if (fields.message?.timestamp && r.chance(0.3))
			delete fields.message.timestamp;
		return fields;
	}

	judged(text, path, isBare) {
		const said = JSON.parse(text);
		return { text, said, isBare, verdict: this.verdicts.of(isBare ? { type: "message", message: said } : said, path, this.names) };
	}

	/** The path that an entry leaves to the next, as far as it has names yet. */
	pathBelow(fields, path) {
		return path;
	}

	// Are they taken?

	/** They may have to be, or must not. */
	isTaken(verdict, act) {
		try {
			act();
		} catch (e) {
			if (e.code !== "EINVAL" || verdict === TAKEN)
				throw e;
			return false;
		}
		if (verdict === REFUSED)
			throw new Difference("it was taken");
		return true;
	}

	/** Nothing has changed, and `info` says why. */
	checkRefused() {
		if (!fs.readFileSync(this.file).equals(this.bytes))
			throw new Difference("a refused write has changed the file");
		const reason = this.mount.info()["last-refused"];
		if (!reason)
			throw new Difference("info does not say why it was refused");
		this.reasons.add(reason);
	}

	checkTaken({ text, said, isBare }, { entry, line, leaf }) {
		const { parentId = leaf } = said;
		same("parent", entry.parentId, parentId);
		if (said.timestamp === undefined || isBare)
			same(`${entry.timestamp} is a timestamp`, ISO.test(entry.timestamp), true);
		const own = { id: entry.id, parentId, timestamp: entry.timestamp };
		if (isBare) {
			const { parentId: _, timestamp = entry.message.timestamp, ...message } = said;
			same("entry", entry, { type: "message", ...own, message: { ...message, timestamp } });
			if (said.timestamp === undefined)
				same("the message's timestamp", typeof timestamp, "number");
		} else {
			if (entry.type === "branch_summary")
				own.fromId = said.fromId === undefined ? this.fromId(leaf, parentId) : said.fromId;
			if (entry.type === "compaction")
				own.firstKeptEntryId = said.firstKeptEntryId ?? entry.id;
			same("entry", entry, { ...said, ...own, timestamp: said.timestamp ?? entry.timestamp });
		}
		// What is between the braces is there byte for byte, but a parent moves out of its message.
		if (!(isBare && "parentId" in said) && !line.includes(text.trim().slice(1, -1)))
			throw new Difference(`other bytes than were written: ${line}`);
	}

	// Writing them

	/** Lines with their ends, at times without the last one, and blank ones. */
	joined(lines) {
		const r = this.random;
		const ends = lines.map(() => r.pick(["\n", "\n", "\n", "\r\n"]) + r.pick(BLANKS));
		if (r.chance(0.35))
			ends.splice(-1, 1, "");
		return Buffer.from(r.pick(BLANKS) + lines.map(({ text }, i) => text + ends[i]).join(""));
	}

	appendLines() {
		const r = this.random;
		const count = r.chance(0.75) ? 1 : 2 + r.int(4);
		const lines = [];
		let path = this.model.path(this.model.leaf());
		while (lines.length < count) {
			const line = r.chance(0.005) ? this.bigLine(path) : this.line(path);
			if (count > 1 && line.verdict !== TAKEN)
				continue;
			lines.push(line);
			path = line.path;
		}
		const { verdict } = lines[0];
		this.what = lines.map(({ text }) => text);
		const by = verdict === TAKEN ? feed : feedPieces;
		if (this.isTaken(verdict, () => by(r, this.mount.path("append"), this.joined(lines))))
			this.settle(lines.map((line) => (added) => this.checkTaken(line, added)));
		else
			this.checkRefused();
	}

	/** A line that lacks a member, or has an odd one: if it is taken, the agent has to live with it. */
	async appendOdd() {
		const r = this.random;
		const path = this.model.path(this.model.leaf());
		const said = JSON.parse(this.line(path).text);
		const object = r.pick(placesIn(said, ODD_DEPTH));
		object[r.pick(Object.keys(object))] = r.pick(ODD_VALUES);
		// For agents there is a level that is empty text; `info` has none then.
		if (said.thinkingLevel === "")
			return;
		const odd = this.judged(JSON.stringify(said), path, said.type === undefined);
		this.what = [odd.text];
		if (!this.isTaken(EITHER, () => feedPieces(r, this.mount.path("append"), Buffer.from(odd.text)))) {
			this.checkRefused();
			return;
		}
		this.settle([(added) => this.checkTaken(odd, added)]);
		await this.look();
	}

	/** Two or three writers, whose pieces come in any order: an entry is made when its object is closed. */
	interleave() {
		const r = this.random;
		const path = this.model.path(this.model.leaf());
		const writers = Array.from({ length: 2 + r.int(2) }, () => this.writer(path));
		const order = [];
		try {
			for (let left = writers; left.length > 0; left = left.filter(({ pieces }) => pieces.length > 0)) {
				const writer = r.pick(left);
				const piece = writer.pieces.shift();
				writePiece(writer.fd, piece);
				writer.at += piece.length;
				while (writer.closed.length > 0 && writer.closed[0] <= writer.at) {
					writer.closed.shift();
					order.push(writer.lines.shift());
				}
			}
		} finally {
			for (const { fd } of writers)
				fs.closeSync(fd);
		}
		this.what = order.map(({ text }) => text);
		this.settle(order.map((line) => (added) => this.checkTaken(line, added)));
	}

	/** An open file, the pieces to write to it, and where in them each of its lines is closed. */
	writer(path) {
		const r = this.random;
		const lines = [];
		while (lines.length < 1 + r.int(3)) {
			const line = this.line(path, true);
			if (line.verdict === TAKEN && line.path === path)
				lines.push(line);
		}
		const texts = lines.map(({ text }) => `${text}\n`);
		const before = texts.map((_, i) => Buffer.byteLength(texts.slice(0, i).join("")));
		const closed = lines.map(({ text }, i) => before[i] + Buffer.byteLength(text.trimEnd()));
		const pieces = cut(r, Buffer.from(texts.join("")));
		return { fd: openToAppend(r, this.mount.path("append")), lines, closed, pieces, at: 0 };
	}

	// Copies

	/** Any entry again, onto the leaf: a cherry-pick. */
	copy() {
		const name = this.random.pick(this.names);
		const raw = this.mount.read(`by-id/${name}/raw.json`);
		same(`raw.json of ${name}`, raw.toString().trimEnd(), this.model.lines.get(name).toString().trimEnd());
		this.appendCopy(raw);
	}

	/** One of another session, whose ids mean nothing here. */
	copyForeign() {
		const r = this.random;
		const g = r.pick(this.generators);
		const path = this.model.path(this.model.leaf());
		const parentId = r.pick([g.unknownId(), null, ...this.names.slice(-1)]);
		const timestamp = "2026-03-01T10:00:00.000Z";
		const fields = g.fields(r.weighted(g.kinds), undefined, [...path].reverse());
		this.appendCopy(Buffer.from(`${this.print(g, { ...fields, id: r.hex(8), parentId, timestamp })}\n`));
	}

	appendCopy(raw) {
		this.what = [raw.toString()];
		const { verdict } = this.judged(raw.toString(), this.model.path(this.model.leaf()), false);
		const by = verdict === TAKEN ? feed : feedPieces;
		if (!this.isTaken(verdict, () => by(this.random, this.mount.path("append"), raw))) {
			this.checkRefused();
			return;
		}
		this.settle([({ entry, line, leaf }) => {
			same("parent of the copy", entry.parentId, leaf);
			// Whatever the bytes are in UTF-8.
			const copied = replaceMembers(raw.toString("latin1").trim(), { id: entry.id, parentId: leaf });
			same("bytes of the copy", line.toString("latin1").trim(), copied);
		}]);
	}

	// Refusals

	/** Lines that can't come after an entry with this path. */
	refusedLines(path) {
		const isOn = new Set(path);
		return refusedLines(this.names, this.names.filter((id) => !isOn.has(id)), this.refused());
	}

	/** A blank line, after which so many bytes are left of a page: there, the kernel cuts writes. */
	blankUpTo(left) {
		return Buffer.from(`${" ".repeat(PAGE - 1 - (left % PAGE))}\n`);
	}

	refuse() {
		const r = this.random;
		const text = r.pick(this.refusedLines(this.model.path(this.model.leaf())));
		const mayBeCut = !beginsWell(text);
		const bytes = Buffer.from(isObject(parsed(text)) && r.chance(0.3) ? text : `${text}\n`);
		const pieces = mayBeCut && r.chance(0.3) ? cut(r, bytes) : [bytes];
		const blanks = mayBeCut && r.chance(0.3) ? this.blankUpTo(1 + r.int(bytes.length)) : "\n";
		this.what = [`${blanks.length} blanks`, ...pieces.map(String)];
		const fd = openToAppend(r, this.mount.path("append"));
		try {
			writePiece(fd, Buffer.from(blanks));
			this.isTaken(REFUSED, () => pieces.forEach((piece) => writePiece(fd, piece)));
			this.checkRefused();
		} finally {
			fs.closeSync(fd);
		}
	}

	/** Of several lines in one write those before the bad one are taken; so is what comes after the refusal. */
	refuseRest() {
		const r = this.random;
		const good = [];
		for (let path = this.model.path(this.model.leaf()); good.length < 2; ) {
			const line = this.line(path);
			if (line.verdict !== TAKEN)
				continue;
			good.push(line);
			({ path } = line);
		}
		const [first, last] = good.map(({ text }) => Buffer.from(`${text}\n`));
		const bad = Buffer.from(`${r.pick(this.refusedLines(good[0].path).filter((text) => !beginsWell(text)))}\n`);
		const blanks = r.chance(0.5) ? Buffer.from("\n") : this.blankUpTo(first.length + 1 + r.int(bad.length));
		const all = Buffer.concat([blanks, first, bad, last]);
		this.what = [`${blanks.length} blanks`, first, bad, last].map(String);
		const fd = openToAppend(r, this.mount.path("append"));
		try {
			const taken = fs.writeSync(fd, all);
			const whole = blanks.length + first.length;
			if (taken < whole || taken >= whole + bad.length)
				throw new Difference(`${taken} bytes were taken, not the ${whole} up to the bad line`);
			this.settle([(added) => this.checkTaken(good[0], added)]);
			this.isTaken(REFUSED, () => writePiece(fd, all.subarray(taken)));
			this.checkRefused();
			writePiece(fd, last);
			this.settle([(added) => this.checkTaken(good[1], added)]);
		} finally {
			fs.closeSync(fd);
		}
	}

	/** A line that never ends is refused before memory does, for a reason of its own. */
	refuseLong() {
		const before = this.mount.info()["last-refused"];
		const fd = openToAppend(this.random, this.mount.path("append"));
		const piece = Buffer.alloc(1 << 20, "x");
		try {
			writePiece(fd, Buffer.from('{"type":"custom","customType":"long","data":"'));
			for (let n = 0; n <= LINE_MAX; n += piece.length)
				writePiece(fd, piece);
		} catch (e) {
			if (e.code !== "EFBIG")
				throw e;
			this.checkRefused();
			if (this.mount.info()["last-refused"] === before)
				throw new Difference(`the reason is another one's: ${before}`);
			return;
		} finally {
			fs.closeSync(fd);
		}
		throw new Difference("it was taken");
	}
}
