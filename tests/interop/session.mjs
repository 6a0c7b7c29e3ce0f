// A session that an agent of Pi's family has opened, as the tests ask for it.
//
// Agents rewrite files when they open them (old versions, a missing newline), so
// what they are given is a copy, except where a test lets them append.

import { webcrypto } from "node:crypto";
import fs from "node:fs";

// Agents want it to be there; node 18, which is Debian 12's, has it elsewhere.
globalThis.crypto ??= webcrypto;

/** Types of entries that agents and extensions keep for themselves. */
const NOTES = ["custom", "usage", "mode_change", "service_tier_change", "ttsr_injection", "session_init", "credential_pin", "model_usage"];

/**
 * Each agent's class adds, in the agent's own code where it has some:
 *
 *   leaf()       the id of the leaf, or null
 *   path(id)     the ids from the root to this one; none for null
 *   context(id)  what the model would be sent with this entry as the leaf:
 *                { json, text }, json as it is after a round trip
 *   label(id)    the text of its label, or undefined
 *   info()       { name, model, thinking }, undefined where there is none
 */
export class Session {
	/** What the agent knows by id, and all its entries in file order. */
	constructor(byId, entries) {
		this.byId = byId;
		this.entries = entries;
		/** The ids of the entries that have one, in file order. */
		this.ids = [...byId.keys()].filter((id) => typeof id === "string");
	}

	parent(id) {
		const { parentId } = this.byId.get(id);
		return parentId && this.byId.has(parentId) ? parentId : null;
	}

	/** Does it only keep books? HEAD looks through such entries. */
	isBook(id) {
		const { type, customType } = this.byId.get(id);
		return ["label", "session_info", "title_change"].includes(type) ||
			(type === "custom" && customType === "sessfs.head");
	}

	/** Does a fork have it as it is? */
	isForked(id) {
		return this.byId.get(id).type !== "label";
	}

	/** The nearest entry, from id up, that does more. */
	lookThrough(id) {
		while (id !== null && this.isBook(id))
			id = this.parent(id);
		return id;
	}

	/** Did nobody say or do it? HEAD looks through such entries, if there are others above them. */
	isNote(id) {
		const { type, customType, display, message } = this.byId.get(id);
		return NOTES.includes(type) || display === false || message?.display === false ||
			["system", "developer", "fileMention"].includes(message?.role) || Boolean(message?.synthetic) ||
			[customType, message?.customType].includes("skill-prompt");
	}

	/** What HEAD shows with this leaf. */
	headAt(leaf) {
		const place = this.lookThrough(leaf);
		let shown = place;
		while (shown !== null && this.isNote(shown))
			shown = this.lookThrough(this.parent(shown));
		return shown ?? place;
	}

	head() {
		return this.headAt(this.leaf());
	}

	/** The text of every label on an entry, and which entry got it last. */
	labels() {
		const last = new Map();
		for (const { type, targetId } of this.entries) {
			const text = this.label(targetId);
			if (type === "label" && this.byId.has(targetId) && text) {
				last.delete(text);
				last.set(text, targetId);
			}
		}
		return last;
	}
}

/** A copy of a file, opened by an agent; `beside` names the copy. */
export async function openCopy(agent, file, beside) {
	fs.copyFileSync(file, beside);
	return agent.open(beside);
}
