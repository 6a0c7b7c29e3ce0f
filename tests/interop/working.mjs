// A played model at work on files in a folder, as files-at.mjs judges it.
//
// What it calls is random: of each agent a class that is derived from Working has `kinds`,
// names of methods with their weights. Each gives a call, { name, input, after(result) },
// or undefined if there is no file for it. after() says by `this.expectation` what its
// result ({ failed, text }) makes known.

import fs from "node:fs";
import path from "node:path";
import { Expectation, someText } from "./files-at.mjs";

const FOLDERS = ["", "", "src/", "src/deep er/", "ünï/"];
const NAMES = ["a.txt", "b.txt", "c.md", "d.ts", "Makefile", ".f"];
const MOST_CALLS = 4;
const MOST_ROUNDS = 6;

/** Of a text, the lines with their ends. */
export function linesOf(text) {
	return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export class Working {
	/** In a folder, whose copies are on a shelf, and that has `begun` with so many files, and perhaps one that is no text. */
	constructor(random, name, shelf, { begun = 3, odd = [] } = {}) {
		Object.assign(this, { odd, random, name, shelf, cwd: shelf.cwd, expectation: new Expectation(), pending: [], rounds: 0, prompts: 0, calls: 0 });
		for (let n = begun; n > 0; n--)
			this.put(this.anyName(), this.someText());
		if (odd.length > 0 && random.chance(0.2))
			this.put("bytes.txt", Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a]));
	}

	someText() {
		return someText(this.random, this.odd);
	}

	put(name, text) {
		fs.mkdirSync(path.dirname(path.join(this.cwd, name)), { recursive: true });
		fs.writeFileSync(path.join(this.cwd, name), text);
	}

	// Files

	anyName() {
		return this.random.pick(FOLDERS) + this.random.pick(NAMES);
	}

	/** One that is there. */
	file() {
		const names = fs.readdirSync(this.cwd, { recursive: true }).filter((name) => fs.statSync(path.join(this.cwd, name)).isFile());
		return names.length > 0 ? this.random.pick(names.sort()) : undefined;
	}

	has(name) {
		return fs.existsSync(path.join(this.cwd, name));
	}

	textOf(name) {
		return fs.readFileSync(path.join(this.cwd, name), "utf8");
	}

	/** Can a result have its text, byte by byte? */
	isText(name) {
		return this.has(name) && !this.textOf(name).includes("\ufffd");
	}

	/** A path as a model may write it. */
	spell(name) {
		return this.random.weighted({ plain: 6, dot: 1, around: 1, whole: 2 }) === "plain" ? name
			: this.random.pick([`./${name}`, `src/../${name}`, path.join(this.cwd, name)]);
	}

	/** Neighbouring lines of a text, and what a change makes of them. */
	span(text) {
		const { random } = this;
		const lines = linesOf(text);
		const from = random.int(lines.length), count = 1 + random.int(3);
		const before = lines.slice(from, from + count);
		const after = random.weighted({ other: 5, more: 2, none: 1, part: 1 });
		const made = { other: () => linesOf(this.someText()).slice(0, 3), more: () => [...before, "added\n"], none: () => [], part: () => before.map((line) => line.replace("e", "E")) }[after]();
		return { from, count: before.length, before: before.join(""), after: made.join("") };
	}

	/** Does only one call of this answer speak of it? They may run in any order. */
	alone(name) {
		return this.pending.filter(({ input }) => JSON.stringify(input).includes(path.basename(name))).length === 1;
	}

	// Prompts and answers

	/** Words for the next prompt. */
	ask(rounds = MOST_ROUNDS) {
		this.check();
		this.rounds = 1 + this.random.int(rounds);
		this.prompt = `ask-${this.name}-${++this.prompts}.`;
		return this.prompt;
	}

	/** Has it failed itself? The agent would but ask again. */
	check() {
		if (this.error)
			throw this.error;
	}

	/** The user goes back to a request. */
	goBack(request) {
		this.shelf.restore(request);
		this.expectation = request.expectation.clone();
		this.pending = [];
	}

	/** The calls of the next answer do not end: resolved when they are on their way, for the user to interrupt them. */
	slowly() {
		return new Promise((resolve) => { this.onSlow = resolve; });
	}

	/** The user has interrupted what is pending. */
	doubt() {
		const asked = JSON.stringify(this.pending.map(({ input }) => input));
		this.expectation.all("known").filter((name) => asked.includes(path.basename(name))).forEach((name) => this.interrupted(name));
	}

	/** Nobody knows whether an interrupted call has changed a file. */
	interrupted(name) {
		if (this.expectation.is(name) === "known")
			this.expectation.forget(name);
	}

	/** What the model answers to the results of its calls, or to a prompt: more calls, or none. */
	answer(results, prompted = this.pending.length === 0) {
		try {
			return this.goOn(results, prompted);
		} catch (e) {
			this.error ??= e;
			return [];
		}
	}

	goOn(results, prompted) {
		for (const call of this.pending)
			call.after?.(results.get(call.id) ?? { failed: true, text: "aborted" });
		const calls = prompted ? [] : this.pending.map(({ id }) => id);
		this.shelf.take({ calls, prompt: this.prompt, tools: this.pending.map(({ name }) => name), expectation: this.expectation });
		this.pending = this.rounds-- > 0 ? this.batch() : [];
		if (this.onSlow) {
			this.pending.push({ id: this.newId(), ...this.sleep() });
			this.onSlow();
			this.onSlow = undefined;
		}
		return this.pending;
	}

	newId() {
		return `toolu_${this.name}_${++this.calls}`;
	}

	batch() {
		const most = this.random.chance(0.6) ? 1 : MOST_CALLS;
		const calls = Array.from({ length: 1 + this.random.int(most) }, () => this[this.random.weighted(this.kinds)]());
		return calls.filter((call) => call).map((call) => ({ id: this.newId(), ...call }));
	}
}

function blocksOf({ content }) {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(parts) {
	return typeof parts === "string" ? parts : (parts ?? []).map(({ text }) => text ?? "").join("");
}

/** The results of calls in messages of a request to a Messages API. */
function resultsIn(messages) {
	const results = messages.filter(({ role }) => role === "user").flatMap(blocksOf).filter(({ type }) => type === "tool_result");
	return new Map(results.map(({ tool_use_id: id, is_error: failed, content }) => [id, { failed: Boolean(failed), text: textOf(content) }]));
}

/** As `otherwise` of server.mjs: the next step of a model at work. */
export function stepOf(working, messages) {
	const newest = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
	const prompted = newest.some((message) => textOf(blocksOf(message)).includes(working.prompt));
	const answered = resultsIn(newest);
	if (!prompted && !working.pending.some(({ id }) => answered.has(id)))
		return "ok";
	const calls = working.answer(resultsIn(messages), prompted);
	return calls.length > 0 ? calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })) : "done";
}
