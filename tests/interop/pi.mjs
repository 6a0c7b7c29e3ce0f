// The real Pi, in two versions: what it makes of a session file.
//
// Pi rewrites files when it opens them (old versions, a missing newline), so
// what it is given here is always a copy, except where a test lets it append.

import fs from "node:fs";

const PLACES = {
	"0.87.1": "@earendil-works/pi-coding-agent",
	"1.5.2": "pi-1.5.2", // see setup
};

async function load(version) {
	const core = new URL(`node_modules/${PLACES[version]}/dist/core/`, import.meta.url);
	const { SessionManager, buildSessionProjection } = await import(new URL("session-manager.js", core));
	const { convertToLlm } = await import(new URL("messages.js", core));
	const { serializeConversation } = await import(new URL("compaction/utils.js", core));
	return { version, SessionManager, buildSessionProjection, convertToLlm, serializeConversation };
}

/** Entries that only keep books: HEAD looks through them (DESIGN.md). */
function isBook(entry) {
	return entry.type === "label" || (entry.type === "custom" && entry.customType === "sessfs.head");
}

/** A message without thinking, which 0.87.1 prints and 1.5.2 does not. */
function withoutThinking(message) {
	if (message.role !== "assistant" || !Array.isArray(message.content))
		return message;
	return { ...message, content: message.content.filter((block) => block.type !== "thinking") };
}

/** A message as text. Tool results are cut by Pi, users' messages are not. */
function messageText(pi, message) {
	if (message.role !== "toolResult")
		return pi.serializeConversation([withoutThinking(message)]);
	return pi.serializeConversation([{ ...message, role: "user" }]).replace("[User]: ", "[Tool result]: ");
}

/** A session that Pi has opened. */
export class PiSession {
	constructor(pi, manager) {
		this.pi = pi;
		this.manager = manager;
		this.entries = manager.getEntries();
		this.byId = manager.byId;
		/** The ids of the entries that have one, in file order. */
		this.ids = [...this.byId.keys()].filter((id) => typeof id === "string");
	}

	static open(pi, file) {
		return new PiSession(pi, pi.SessionManager.open(file));
	}

	parent(id) {
		const { parentId } = this.byId.get(id);
		return parentId && this.byId.has(parentId) ? parentId : null;
	}

	/** The nearest entry, from id up, that does more than keep books. */
	lookThrough(id) {
		while (id !== null && isBook(this.byId.get(id)))
			id = this.parent(id);
		return id;
	}

	head() {
		return this.lookThrough(this.manager.getLeafId());
	}

	/** Root first. */
	path(id) {
		return id === null ? [] : this.manager.getBranch(id).map((entry) => entry.id);
	}

	projection(id) {
		return this.pi.buildSessionProjection(this.entries, id, this.byId);
	}

	/** What the model would be sent with this entry as the leaf. */
	context(id) {
		const messages = this.pi.convertToLlm(this.projection(id).messages);
		const text = messages.map((m) => messageText(this.pi, m)).filter((s) => s).join("\n\n");
		return { json: JSON.parse(JSON.stringify(messages)), text: text ? `${text}\n` : "" };
	}

	/** The text of every label on an entry, and which entry got it last. */
	labels() {
		const last = new Map();
		for (const { type, targetId } of this.entries) {
			const text = this.manager.getLabel(targetId);
			if (type === "label" && this.byId.has(targetId) && text) {
				last.delete(text);
				last.set(text, targetId);
			}
		}
		return last;
	}
}

/** A copy of a file, opened; `beside` names the copy. */
export function openCopy(pi, file, beside) {
	fs.copyFileSync(file, beside);
	return PiSession.open(pi, beside);
}

export const versions = await Promise.all(Object.keys(PLACES).map(load));
