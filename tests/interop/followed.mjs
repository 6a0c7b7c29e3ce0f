// A session of which every byte is followed while it is written through its mount:
// what is there by its lines is compared with what the mount shows, and from time
// to time with what the agents make of it.

import fs from "node:fs";
import { Difference, same } from "./compare.mjs";
import { Model } from "./model.mjs";
import { Trial } from "./trial.mjs";

const LOOKED_AT = 10;

export class Followed extends Trial {
	constructor(seed, ...args) {
		super(seed, ...args);
		this.model = this.newModel();
	}

	get canRun() {
		return true;
	}

	newModel() {
		return new Model();
	}

	nameOf(id) {
		return id;
	}

	label(name) {
		const text = this.model.label(name);
		return text ? Buffer.from(`${text}\n`).toString() : "";
	}

	/** From here on, what is asked of the session is asked of the model. */
	turnToModel() {
		this.session = this.model;
		this.names = this.model.ids;
		this.head = this.model.head();
	}

	/** Compare the mount with what each agent sees, at some entries or at all. */
	async look(isEvery = false) {
		this.bytes = fs.readFileSync(this.file);
		for (const agent of this.agents) {
			await this.take(agent, this.file);
			this.compared.whole();
			same("entries", this.session.ids, this.model.ids);
			same("leaf", this.session.leaf(), this.model.leaf());
			const some = Array.from({ length: LOOKED_AT }, () => this.random.pick(this.names)).filter((id) => id);
			for (const id of isEvery ? this.names : some)
				this.compared.entry(id);
			this.checks++;
		}
		this.turnToModel();
	}

	/** What has been appended, the bytes before being as they were. */
	appended(bytes) {
		if (!bytes.subarray(0, this.bytes.length).equals(this.bytes))
			throw new Difference("earlier bytes of the file have changed");
		return bytes.subarray(this.bytes.length);
	}

	/** The lines of bytes, without their newlines. */
	linesOf(bytes) {
		if (bytes.length > 0 && bytes.at(-1) !== 0x0a)
			throw new Difference("the last line has no end");
		const lines = [];
		for (let at = 0, end; at < bytes.length; at = end + 1) {
			end = bytes.indexOf(0x0a, at);
			lines.push(bytes.subarray(at, end));
		}
		return lines;
	}

	/** Take in what is new in the file: a line for each of these checks, or some last ones missing. */
	settle(checks, least = checks.length) {
		// A truncation is in the file once something in the mount was looked at.
		this.mount.read("name");
		const bytes = fs.readFileSync(this.file);
		const lines = this.linesOf(this.appended(bytes));
		if (lines.length < least || lines.length > checks.length)
			throw new Difference(`${lines.length} lines appended, not ${checks.length}: ${lines.join("\n").slice(0, 500)}`);
		for (const [i, line] of lines.entries()) {
			const { model } = this;
			const leaf = model.leaf();
			const { id } = JSON.parse(line.toString());
			if (typeof id !== "string" || model.byId.has(id))
				throw new Difference(`the id ${JSON.stringify(id)} is not a new one`);
			const entry = model.add(line);
			checks[i]({ entry, line, leaf });
			this.checkShown(entry, line);
		}
		this.bytes = bytes;
		this.turnToModel();
		same("HEAD", this.mount.readlink("HEAD"), this.head === null ? "tree" : `by-id/${this.head}`);
	}

	/** by-id/ has an entry at once. */
	checkShown({ id, parentId, type }, line) {
		const raw = this.mount.read(`by-id/${id}/raw.json`);
		if (!raw.subarray(0, line.length).equals(line))
			throw new Difference(`raw.json of ${id} is not its line`);
		if (parentId !== null)
			same(`parent of ${id}`, this.mount.readlink(`by-id/${id}/parent`), `../${parentId}`);
		if (/^[a-z_]+$/.test(type) && !this.mount.read(`by-id/${id}/meta`).includes(`\ntype: ${type}\n`))
			throw new Difference(`meta of ${id} does not say that it is a ${type}`);
	}

	/** All lines anew, of which those that there were are still there. */
	readAgain() {
		const old = this.model;
		this.model = this.newModel();
		for (const line of this.linesOf(this.entryBytes(fs.readFileSync(this.file))))
			this.model.add(line);
		const brief = ({ id, parentId, type }) => ({ id, parentId, type });
		same("entries that were there", this.model.entries.slice(0, old.entries.length).map(brief), old.entries.map(brief));
	}

	/** What follows the header. */
	entryBytes(bytes) {
		return bytes.subarray(bytes.indexOf(0x0a) + 1);
	}

	/** At most two entries tell of any: a shell truncates, and then writes or takes that back. */
	async write(what, wanted, act) {
		act();
		const types = ["custom", "label", "leaf"];
		const check = ({ entry }) => same(`${entry.type} is one of ${types}`, types.includes(entry.type), true);
		this.settle([check, check], 0);
		const { head, labelled } = wanted;
		same(`HEAD after ${what}`, this.head, head);
		same(`label after ${what}`, this.mount.read(`by-id/${labelled}/label`).toString(), wanted.label);
	}
}
