// Values as JSON text with the freedoms that JSON leaves, chosen at random.

/** JSON text that stands in the file as it is. */
export class Raw {
	constructor(text) {
		this.text = text;
	}
}

/** An object's members in this order, which may repeat keys. */
export class Members {
	constructor(list) {
		this.list = list;
	}
}

export class Printer {
	/**
	 * The freedoms: `spaces` between tokens, `escapes` that need not be,
	 * members `shuffled`, `decoys` before a member that have its key.
	 */
	constructor(random, freedoms) {
		this.random = random;
		this.freedoms = freedoms;
	}

	quote(s) {
		const text = JSON.stringify(s);
		if (!this.freedoms.escapes)
			return text;
		return text.replace(/\\u.{4}|\\.|[a-z/]/g, (c) => {
			if (c.length > 1 || !this.random.chance(0.05))
				return c;
			return c === "/" ? "\\/" : `\\u00${c.charCodeAt(0).toString(16)}`;
		});
	}

	gap() {
		return this.freedoms.spaces && this.random.chance(0.2) ? this.random.pick([" ", "\t", "  ", "\r"]) : "";
	}

	members(value) {
		if (value instanceof Members)
			return value.list;
		const r = this.random;
		const list = Object.entries(value).filter(([, v]) => v !== undefined);
		if (this.freedoms.shuffled)
			r.shuffle(list);
		if (this.freedoms.decoys && list.length > 0 && r.chance(0.2)) {
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
		const members = this.members(value).map(([k, v]) => `${gap()}${this.quote(k)}${gap()}:${gap()}${this.json(v)}`);
		return `{${members.join(`${gap()},`)}${gap()}}`;
	}

	line(value) {
		return `${this.gap()}${this.json(value)}${this.gap()}`;
	}
}
