// What the lines of a session file say, as far as it matters to what is written
// next: who is whose parent, where the leaf is, what is labelled how.

import { Session } from "./session.mjs";

export class Model extends Session {
	constructor() {
		super(new Map(), []);
		/** The bytes of each entry's line, without the newline, by id. */
		this.lines = new Map();
		this.labelTexts = new Map();
	}

	/** Take in the next line of the file; returns its entry. */
	add(line) {
		const entry = JSON.parse(line.toString());
		this.entries.push(entry);
		this.ids.push(entry.id);
		this.byId.set(entry.id, entry);
		this.lines.set(entry.id, line);
		if (entry.type === "label")
			this.labelTexts.set(entry.targetId, entry.label || undefined);
		return entry;
	}

	leaf() {
		return this.ids.at(-1) ?? null;
	}

	path(id) {
		const path = [];
		for (let at = id; at !== null; at = this.parent(at))
			path.push(at);
		return path.reverse();
	}

	label(id) {
		return this.labelTexts.get(id);
	}
}
