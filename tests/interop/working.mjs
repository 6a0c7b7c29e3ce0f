// A played model at work on files in a folder, as files-at.mjs judges it.
//
// What it calls is random: of each agent a class that is derived from Working has `kinds`,
// names of methods with their weights. Each gives a call, { name, input, after(result) },
// or undefined if there is no file for it. after() says by `this.expectation` what its
// result ({ failed, text }) makes known. Each class has
//
//   writing(path, content, after), running(command, after)  calls that write and run
//   longest()    how many lines the result of a call does not hold, or so
//
// and FileWorking is that of agents whose tools take a file_path and exact strings.

import fs from "node:fs";
import path from "node:path";
import { Difference } from "./compare.mjs";
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

	full(name) {
		return path.join(this.cwd, name);
	}

	bytes(name) {
		return fs.readFileSync(this.full(name));
	}

	/** Can a result have its text, byte by byte? */
	isText(name) {
		return this.has(name) && isText(this.bytes(name));
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

	// Calls

	write(name = this.anyName(), content = this.someText()) {
		return this.writing(this.spell(name), content, () => this.expectation.know(name));
	}

	/** Beside the folder. */
	outside() {
		const file = path.join(this.shelf.others[0], "o.txt");
		return this.writing(this.spellOutside(file), this.someText(), () => this.expectation.know(path.join("@", file)));
	}

	spellOutside(file) {
		return this.random.pick([file, path.relative(this.cwd, file)]);
	}

	long() {
		return this.write("long.txt", `${Array.from({ length: this.longest() }, (_, i) => `line ${i} é`).join("\n")}\n`);
	}

	/** Nobody sees what it does. */
	shell() {
		const name = this.file() ?? "a.txt";
		const command = this.random.pick([`echo shell >>'${name}'`, `rm -f '${name}'`, `printf 'by shell' >'${name}'`, "true"]);
		return this.running(command, () => command !== "true" && this.expectation.loosen(name));
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

	/** The user changes a file, at times. */
	meddle() {
		const name = this.file();
		if (!name || !this.random.chance(0.1))
			return;
		this.put(name, this.someText());
		this.expectation.loosen(name);
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
			this.pending.push({ id: this.newId(), ...this.running("sleep 60") });
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

const MARK = Buffer.from("\ufeff");
export const isMarked = (bytes) => bytes.subarray(0, 3).equals(MARK);
/** Are they no other bytes than a result has? */
export const isText = (bytes) => !bytes.toString().includes("\ufffd");
const NOTEBOOK = "n.ipynb";

/**
 * Each class adds `tools`, the names of { write, edit, read, notebook }, misspelt, what a model
 * makes of a text that it has seen, and isToldByRead(bytes), isToldByEdit(bytes): does such a
 * call tell all bytes of a file?
 */
export class FileWorking extends Working {
	kinds = { write: 5, edit: 7, create: 0.5, read: 5, readPart: 1, outside: 1, long: 0.3, notebook: 0.7, shell: 0.7, fails: 1 };

	spell(name) {
		return this.full(name);
	}

	spellOutside(file) {
		return file;
	}

	writing(file_path, content, after) {
		return this.call(this.tools.write, { file_path, content }, after);
	}

	/**
	 * For a call that shows the text of a file: what to do when it has. The file's bytes may
	 * not all be told; and another call of that answer may come between, or it is a part.
	 */
	learning(name, isTold, mayBePart = false) {
		const wasTold = isTold(this.bytes(name));
		return () => {
			if (this.expectation.is(name) === "known")
				return;
			if (!wasTold || !this.has(name) || !isTold(this.bytes(name)))
				this.expectation.loosen(name);
			else if (this.alone(name) && !mayBePart)
				this.expectation.know(name);
		};
	}

	read(name = this.file(), part = undefined) {
		return name && this.call(this.tools.read, { file_path: this.full(name), ...part }, name === NOTEBOOK ? undefined : this.learning(name, this.isToldByRead, part !== undefined));
	}

	readPart() {
		return this.read(this.file(), this.random.pick([{ offset: 2, limit: 3 }, { limit: 2 }, { offset: 1, limit: 900 }]));
	}

	edit() {
		const { random } = this;
		const name = this.file();
		if (!name || this.textOf(name) === "")
			return undefined;
		const { before, after } = this.span(this.textOf(name).replace(/^\ufeff/, "").replaceAll("\r\n", "\n"));
		const cut = random.chance(0.3) && before.length > 4 ? [...before].slice(1, -2).join("") : before;
		const old = random.chance(0.25) ? random.pick(this.misspelt)(cut) : cut;
		const all = random.chance(0.3) ? { replace_all: true } : {};
		return this.call(this.tools.edit, { file_path: this.full(name), old_string: old, new_string: after, ...all }, this.learning(name, this.isToldByEdit));
	}

	/** A file that may be there. */
	create() {
		const name = this.anyName();
		return this.call(this.tools.edit, { file_path: this.full(name), old_string: "", new_string: this.someText() }, () => this.expectation.know(name));
	}

	notebook() {
		const { random } = this;
		const mode = random.pick(["replace", "replace", "insert", "delete"]);
		const type = mode === "insert" || random.chance(0.3) ? { cell_type: random.pick(["code", "markdown"]) } : {};
		if (!this.has(NOTEBOOK)) {
			const cell = { cell_type: "code", id: "c1", metadata: {}, source: ["1\n", "2"], outputs: [], execution_count: 3 };
			return this.write(NOTEBOOK, `${JSON.stringify({ cells: [cell, { ...cell, id: "é" }], metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, random.pick([undefined, 1, 4]))}${random.pick(["", "\n"])}`);
		}
		const edit = { cell_id: random.pick(["c1", "é", "none"]), new_source: random.pick(["3", "é\n4\n", ""]), edit_mode: mode, ...type };
		return this.call(this.tools.notebook, { notebook_path: this.full(NOTEBOOK), ...edit }, () => this.expectation.know(NOTEBOOK));
	}

	fails() {
		const { write, edit, read } = this.tools;
		const at = (name) => ({ file_path: this.full(name) });
		return this.random.pick([
			() => this.call(read, at("none.txt")),
			() => this.call(edit, { ...at("none.txt"), old_string: "a", new_string: "b" }),
			() => this.call(edit, { ...at(this.file() ?? "a.txt"), old_string: "not there", new_string: "b" }),
			() => this.call(edit, { ...at(this.file() ?? "a.txt"), old_string: "a", new_string: "a" }),
			() => this.call(write, { file_path: "relative.txt", content: "x" }, () => this.expectation.know("relative.txt")),
			() => this.call(write, { ...at("src"), content: "x" }, () => this.expectation.know("src")),
			() => this.call(write, at(this.anyName())),
			() => this.call("NoSuchTool", at(this.anyName())),
		])();
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

/**
 * Fails unless the files of a model's folder that were known at a request are
 * as its copy has them. An agent leaves those that somebody else has changed since then, and
 * may leave what is not in its folder.
 */
export function checkRestored({ cwd, shelf, expectation }, request) {
	const since = [...shelf.requests.slice(shelf.requests.indexOf(request)).map((one) => one.expectation), expectation];
	const names = request.expectation.all("known").filter((name) => !name.startsWith("@") && since.every((state) => state.is(name) !== "loose"));
	for (const name of names) {
		const [now, then] = [cwd, request.copy].map((dir) => path.join(dir, name)).map((file) => (fs.existsSync(file) ? fs.readFileSync(file, "latin1") : null));
		if (now !== then)
			throw new Difference(`the agent restores ${name} as ${JSON.stringify(now)}, and it was ${JSON.stringify(then)}`);
	}
}

/** The requests, and as such the entries of the first calls of their answers: no result counts there. */
export function withCalls(requests) {
	const calls = requests.filter(({ answer }) => answer.length > 0).map((request) => ({ ...request, calls: [], prompt: JSON.stringify(request.answer[0].id) }));
	return [...requests, ...calls];
}
