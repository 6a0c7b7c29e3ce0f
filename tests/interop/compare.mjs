// Does the mount show what an agent sees? Each check throws a Difference that
// says where they part.

import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Mount } from "./mount.mjs";
import { openCopy } from "./session.mjs";

export class Difference extends Error {}

/** An agent that a signal has ended, as of a machine without memory or time, says nothing. */
export class NotCompared extends Error {}

/** Around the first place where two texts differ. */
function textDiff(mount, agent) {
	let at = 0;
	while (at < mount.length && mount[at] === agent[at])
		at++;
	const near = (s) => JSON.stringify(s.slice(Math.max(0, at - 60), at + 60));
	return `at ${at} of ${mount.length} and ${agent.length}\n  mount: ${near(mount)}\n  agent: ${near(agent)}`;
}

/** The way to the first place where two JSON values differ. */
function jsonDiff(mount, agent, way = "") {
	const isContainer = (v) => typeof v === "object" && v !== null;
	if (isContainer(mount) && isContainer(agent) && Array.isArray(mount) === Array.isArray(agent)) {
		for (const key of new Set([...Object.keys(mount), ...Object.keys(agent)])) {
			if (!isDeepStrictEqual(mount[key], agent[key]))
				return jsonDiff(mount[key], agent[key], `${way}[${JSON.stringify(key)}]`);
		}
	}
	const brief = (v) => String(JSON.stringify(v)).slice(0, 200);
	return `at ${way || "the top"}\n  mount: ${brief(mount)}\n  agent: ${brief(agent)}`;
}

export function same(what, mount, agent) {
	if (isDeepStrictEqual(mount, agent))
		return;
	const diff = typeof mount === "string" && typeof agent === "string" ? textDiff(mount, agent) : jsonDiff(mount, agent);
	throw new Difference(`${what}: ${diff}`);
}

/** As UTF-8 has it: lone surrogates become U+FFFD. */
function utf8(s) {
	return Buffer.from(s).toString();
}

/** As `info` has it: control characters are spelled. */
function oneLine(s) {
	const escapes = { "\n": "\\n", "\t": "\\t" };
	const escape = (c) => escapes[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
	return utf8(s).replace(/[\0-\x1f\x7f]/g, escape);
}

/** Is an id or a label its own name as a file? Odd ones are escaped. */
function isPlain(s) {
	return /^[A-Za-z0-9][A-Za-z0-9_ -]{0,100}$/.test(s) && !["content", "label", "meta", "parent"].includes(s);
}

/**
 * Names of entries by id: both list them in file order. In a version 1 file the
 * ids are not the same, since the agent makes up new ones each time.
 */
export function namesOf(mount, ids, linear) {
	const names = mount.list("by-id");
	same("number of entries", names.length, ids.length);
	ids.forEach((id, i) => !linear && isPlain(id) && same("name of an entry", names[i], id));
	return new Map(ids.map((id, i) => [id, names[i]]));
}

/** A mount, the agent's session (session.mjs) and the names of its entries. */
export class Comparison {
	constructor(mount, session, names) {
		this.mount = mount;
		this.session = session;
		this.names = names;
	}

	/** A context in a folder against the agent's with that leaf. */
	context(folder, id) {
		const { json, text } = this.session.context(id);
		// The agent's values have been through JSON, where -0 becomes 0.
		const shown = JSON.parse(this.mount.read(`${folder}context.json`));
		same(`${folder}context.json`, JSON.parse(JSON.stringify(shown)), json);
		const bytes = this.mount.read(`${folder}context.txt`);
		if (!bytes.equals(Buffer.from(text)))
			same(`${folder}context.txt`, bytes.toString(), utf8(text));
	}

	entryContext(id) {
		this.context(`by-id/${this.names.get(id)}/`, id);
	}

	/** The session's own: of the last entry, also where HEAD looks through it. */
	rootContext() {
		this.context("", this.session.leaf());
	}

	linkTo(id, folder) {
		return id === null ? null : `${folder}${this.names.get(id)}`;
	}

	parent(id) {
		let link = null;
		try {
			link = this.mount.readlink(`by-id/${this.names.get(id)}/parent`);
		} catch (e) {
			if (e.code !== "ENOENT")
				throw e;
		}
		same(`parent of ${id}`, link, this.linkTo(this.session.parent(id), "../"));
	}

	label(id) {
		const text = this.session.label(id);
		const shown = this.mount.read(`by-id/${this.names.get(id)}/label`).toString();
		same(`label of ${id}`, shown, text ? utf8(`${text}\n`) : "");
	}

	/** The label of every entry, and by-label/. */
	labels() {
		for (const id of this.session.ids)
			this.label(id);
		const last = this.session.labels();
		const links = new Map();
		for (const name of this.mount.list("by-label"))
			links.set(name, this.mount.readlink(`by-label/${name}`));
		const wanted = [...last.values()].map((id) => this.linkTo(id, "../by-id/"));
		same("links in by-label/", [...links.values()].sort(), wanted.sort());
		for (const [text, id] of last) {
			if (isPlain(text))
				same(`by-label/${text}`, links.get(text), this.linkTo(id, "../by-id/"));
		}
	}

	head() {
		same("HEAD", this.mount.readlink("HEAD"), this.linkTo(this.session.head(), "by-id/") ?? "tree");
	}

	/** The path from HEAD up, by the parent links. */
	headPath() {
		const names = [];
		let link = this.mount.readlink("HEAD");
		for (let name = link.replace("by-id/", ""); link !== "tree" && name; name = link.replace("../", "")) {
			names.unshift(name);
			if (names.length > this.names.size)
				throw new Difference("the path from HEAD has no end");
			try {
				link = this.mount.readlink(`by-id/${name}/parent`);
			} catch (e) {
				if (e.code !== "ENOENT")
					throw e;
				break;
			}
		}
		same("path of HEAD", names, this.session.path(this.session.head()).map((id) => this.names.get(id)));
	}

	info() {
		const shown = this.mount.info();
		const { name, model, thinking } = this.session.info();
		same("name", shown.name, name === undefined ? undefined : oneLine(name));
		same("name as a file", this.mount.read("name").toString(), name === undefined ? "" : utf8(`${name}\n`));
		same("model", shown.model, model === undefined ? undefined : oneLine(model));
		same("thinking", shown.thinking, thinking);
	}

	/** The session as a whole. */
	whole() {
		this.head();
		this.headPath();
		this.labels();
		this.info();
		this.rootContext();
	}

	entry(id) {
		this.parent(id);
		this.entryContext(id);
	}

	everyEntry() {
		for (const id of this.session.ids)
			this.entry(id);
	}
}

/** Mount a file and compare all of it with what each agent makes of a copy. */
export async function compareFile(file, scratch, linear, agents, options = []) {
	let contexts = 0;
	await Mount.with(file, path.join(scratch, "mnt"), async (mount) => {
		for (const agent of agents) {
			const session = await openCopy(agent, file, path.join(scratch, "copy.jsonl"));
			const comparison = new Comparison(mount, session, namesOf(mount, session.ids, linear));
			comparison.whole();
			comparison.everyEntry();
			contexts += session.ids.length + 1;
		}
	}, options);
	return contexts;
}
