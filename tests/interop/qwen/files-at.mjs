// The real Qwen Code at work with its file tools: each entry's files/ are what its folder
// was. It is rewound by its own means, with its files or without, and loaded again where
// HEAD was moved.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Judge, Shelf } from "../files-at.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { checkRestored, withCalls } from "../worked.mjs";
import { Working } from "../working.mjs";
import { Agent, JOBS, VERSION } from "./agent.mjs";

/** Of longer texts, the result of an edit has only parts. */
const MOST_KEPT = 16_000;
const NOTEBOOK = "n.ipynb";
const ODD = ["it's \"plain\"", "$& $1 $$", "a - b", "a\rb", "---", "... [truncated]", "\u0001\u007f", "nul \0 byte", "half \ud83d", "tab\t", "\u3000wide\u3000"];

/** How a result begins if its call has done something. */
const DONE = { write_file: /^Successfully (created|overwrote)/, edit: /^(The file: |Created new file: )/, read_file: /^(?!Could not read|\[File |Showing lines )/, notebook_edit: /^Notebook / };

/** What a model makes of a text that it has seen. */
const MISSPELT = [
	(text) => text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, "\"").replaceAll("–", "-").replaceAll("\u00a0", " "),
	(text) => text.replaceAll(/[ \t]+$/gm, ""),
	(text) => text.replaceAll(/$/gm, "  "),
	(text) => `${text}\n`,
	(text) => `${text}\n\n`,
	() => "not there",
];

const MARK = Buffer.from("\ufeff");
const isMarked = (bytes) => bytes.subarray(0, 3).equals(MARK);

/** Are they no other bytes than a result has? */
const isText = (bytes) => !bytes.toString().includes("\ufffd");

/** Does a read tell all bytes of a file? */
const isToldByRead = (bytes) => !/[^\S\n]$|[^\S\n]\n/.test(bytes) && !isMarked(bytes) && isText(bytes);

class QwenWorking extends Working {
	kinds = { write: 5, edit: 7, create: 0.5, read: 6, readPart: 1, outside: 1, long: 0.3, notebook: 0.7, shell: 0.7, fails: 1 };

	/** The requests of prompts on the way. */
	way = [];

	/** What it has read or written: others it does not change. */
	seen = new Set();

	call(name, input, after) {
		return {
			name, input, after: ({ text }) => {
				if (!(DONE[name] ?? /^Command: /).test(text))
					return;
				this.seen.add(input.file_path);
				after?.();
			},
		};
	}

	full(name) {
		return path.join(this.cwd, name);
	}

	bytes(name) {
		return fs.readFileSync(this.full(name));
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

	/** Is it still to be read, as most models know? */
	isNew(name) {
		return !this.seen.has(this.full(name)) && this.random.chance(0.9);
	}

	/** A mark of the byte order stays, and another encoding may, and no result has it. */
	write(name = this.anyName(), content = this.someText()) {
		if (this.has(name) && this.isNew(name))
			return this.read(name);
		const keepsMore = this.has(name) && (isMarked(this.bytes(name)) || !isText(this.bytes(name)));
		return this.call("write_file", { file_path: this.full(name), content }, () => {
			if (this.expectation.is(name) !== "known")
				this.expectation[keepsMore ? "loosen" : "know"](name);
		});
	}

	outside() {
		const file = path.join(this.shelf.others[0], "o.txt");
		return this.call("write_file", { file_path: file, content: this.someText() }, () => this.expectation.know(path.join("@", file)));
	}

	long() {
		return this.write("long.txt", `${Array.from({ length: 1800 }, (_, i) => `line ${i} é`).join("\n")}\n`);
	}

	read(name = this.file()) {
		return name && this.call("read_file", { file_path: this.full(name) }, name === NOTEBOOK ? undefined : this.learning(name, isToldByRead));
	}

	readPart() {
		const { random } = this;
		const name = this.file();
		return name && this.call("read_file", { file_path: this.full(name), ...random.pick([{ offset: 2, limit: 3 }, { limit: 2 }, { offset: 0, limit: 900 }]) }, name === NOTEBOOK ? undefined : this.learning(name, isToldByRead, true));
	}

	edit() {
		const { random } = this;
		const name = this.file();
		if (!name || this.textOf(name) === "")
			return undefined;
		if (this.isNew(name))
			return this.read(name);
		const text = this.textOf(name).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
		const { before, after } = this.span(text);
		const cut = random.chance(0.3) && before.length > 4 ? [...before].slice(1, -2).join("") : before;
		const old = random.chance(0.3) ? random.pick(MISSPELT)(cut) : cut;
		const isTold = (bytes) => bytes.length < MOST_KEPT && !bytes.includes("\r\n") && !isMarked(bytes) && isText(bytes);
		const all = random.chance(0.3) ? { replace_all: true } : {};
		return this.call("edit", { file_path: this.full(name), old_string: old, new_string: after, ...all }, this.learning(name, isTold));
	}

	/** A file that may be there. */
	create() {
		const name = this.anyName();
		return this.call("edit", { file_path: this.full(name), old_string: "", new_string: this.someText() }, () => this.expectation.know(name));
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
		return this.call("notebook_edit", { notebook_path: this.full(NOTEBOOK), ...edit }, () => this.expectation.know(NOTEBOOK));
	}

	/** Nobody sees what it does. */
	shell() {
		const name = this.file() ?? "a.txt";
		const command = this.random.pick([`echo shell >>'${name}'`, `rm -f '${name}'`, `printf 'by shell' >'${name}'`, "true"]);
		return this.call("run_shell_command", { command, is_background: false }, () => command !== "true" && this.expectation.loosen(name));
	}

	fails() {
		return this.random.pick([
			() => this.call("read_file", { file_path: this.full("none.txt") }),
			() => this.call("edit", { file_path: this.full("none.txt"), old_string: "a", new_string: "b" }),
			() => this.call("edit", { file_path: this.full(this.file() ?? "a.txt"), old_string: "not there", new_string: "b" }),
			() => this.call("edit", { file_path: this.full(this.file() ?? "a.txt"), old_string: "a", new_string: "a" }),
			() => this.call("write_file", { file_path: "relative.txt", content: "x" }),
			() => this.call("write_file", { file_path: this.full("src"), content: "x" }, () => this.expectation.know("src")),
			() => this.call("write_file", { file_path: this.full(this.anyName()) }),
			() => this.call("no_such_tool", { file_path: this.full(this.anyName()) }),
		])();
	}

	goBack(request) {
		super.goBack(request);
		this.way = [...request.way];
	}

	/** What the model says to a request: others, such as for a title, have no tools. */
	step({ messages, tools }) {
		const isResult = ({ role }) => role === "tool";
		const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join(""));
		const last = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
		const results = new Map(last.filter(isResult).map((message) => [message.tool_call_id, { text: textOf(message.content) }]));
		const mine = this.pending.length > 0 ? this.pending.some(({ id }) => results.has(id)) : last.some(({ content }) => textOf(content).includes(this.prompt));
		if (!mine || !tools?.length)
			return "side";
		const isPrompt = this.pending.length === 0;
		const calls = this.answer(results);
		const request = this.shelf.requests.at(-1);
		Object.assign(request, { way: [...this.way], answer: calls });
		if (isPrompt)
			this.way.push(request);
		return calls.length > 0 ? calls : "done";
	}
}

class Life {
	constructor(folder, random, working) {
		Object.assign(this, { folder, random, working, restored: 0 });
	}

	async begin() {
		this.agent = await Agent.start(this.folder);
		this.agent.answer = (body) => this.working.step(body);
		this.working.seen.clear();
	}

	get file() {
		return this.agent.file(this.id);
	}

	records() {
		return fs.readFileSync(this.file, "utf8").split("\n").filter((line) => line).map((line) => JSON.parse(line));
	}

	async create() {
		({ sessionId: this.id } = await this.agent.ask("session/new", { cwd: this.agent.cwd, mcpServers: [] }));
	}

	/** So many prompts, with what a user may do between them. */
	async talk() {
		const { random, working } = this;
		for (let n = 1 + random.int(3); n > 0; n--) {
			await this.agent.ask("session/prompt", { sessionId: this.id, prompt: [{ type: "text", text: working.ask() }] });
			const name = working.file();
			if (name && random.chance(0.1)) {
				working.put(name, working.someText());
				working.expectation.loosen(name);
			}
		}
	}

	/** Before a prompt, whose files the agent itself may restore. */
	async rewind() {
		const { random, working } = this;
		const request = random.pick(working.way);
		const turn = working.way.indexOf(request);
		const rewindFiles = random.chance(0.6);
		const { filesFailed } = await this.agent.ask("rewindSession", { sessionId: this.id, targetTurnIndex: turn, promptId: this.promptId(request), rewindFiles });
		if (rewindFiles && filesFailed.length === 0) {
			checkRestored(working, request);
			this.restored++;
		}
		working.goBack(request);
		await this.talk();
	}

	/** What the agent's snapshot of a prompt's files is called. */
	promptId({ prompt }) {
		const records = this.records();
		const { uuid } = records.find((record) => record.type === "user" && JSON.stringify(record.message).includes(prompt));
		return records.find(({ subtype, parentUuid }) => subtype === "file_history_snapshot" && parentUuid === uuid).systemPayload.snapshots.at(-1).promptId;
	}

	/** To where the model was asked, with the results of calls. */
	async jump() {
		const { random, working } = this;
		const request = random.pick(working.shelf.requests.filter(({ calls }) => calls.length > 0));
		if (!request)
			return;
		await this.end();
		const ids = request.calls.map((id) => JSON.stringify(id));
		const { uuid } = this.records().findLast(({ type, message }) => type === "tool_result" && ids.some((id) => JSON.stringify(message).includes(id)));
		await Mount.with(this.file, path.join(this.folder, "mnt"), (mount) => {
			fs.symlinkSync(`by-id/${uuid}`, mount.path("new-head"));
			return this.whenGone(() => fs.renameSync(mount.path("new-head"), mount.path("HEAD")));
		});
		await this.begin();
		await this.agent.ask("session/load", { sessionId: this.id, cwd: this.agent.cwd, mcpServers: [] });
		working.goBack(request);
		await this.talk();
	}

	/** The agent's own processes end after it, and as long as they run HEAD stays. */
	async whenGone(move) {
		for (let left = 100; ; left--) {
			try {
				return move();
			} catch (e) {
				if (e.code !== "EBUSY" || left === 0)
					throw e;
				await sleep(50);
			}
		}
	}

	/** Its last lines come late. */
	async end() {
		if (this.agent.child.exitCode !== null || this.agent.child.signalCode !== null)
			return;
		for (let size = -1; size !== fs.statSync(this.file).size; await sleep(300))
			({ size } = fs.statSync(this.file));
		await this.agent.stop();
	}

	/** What the agent keeps, with the session's own place in it. */
	beside() {
		const kept = ["projects", "file-history"].map((name) => [path.join(this.agent.home, ".qwen", name), `home/.qwen/${name}`]);
		return kept.filter(([from]) => fs.existsSync(from));
	}
}

async function live(scratch, seed, judge) {
	const random = new Random(seed);
	const [outside, cwd] = ["out", "work"].map((name) => path.join(scratch, name));
	for (const folder of [outside, cwd])
		fs.mkdirSync(folder);
	const working = new QwenWorking(random, `${seed}`, new Shelf(cwd, path.join(scratch, "copies"), [outside]), { odd: ODD });
	const life = new Life(scratch, random, working);
	await life.begin();
	try {
		await life.create();
		await life.talk();
		for (let n = random.int(4); n > 0; n--)
			await life[random.pick(["rewind", "rewind", "jump"])]();
	} finally {
		await life.end();
	}
	working.check();
	await judge.session(seed, [life.file], withCalls(working.shelf.requests), life.beside());
	return life.restored;
}

const judge = new Judge(`Qwen Code ${VERSION}`);
let restored = 0;
await forEachSeed((seed) => withScratch(async (scratch) => {
	const n = await live(scratch, seed, judge);
	restored += n;
}), (n) => `${n} sessions of ${judge.table()}\n  ${restored} restored by the agent itself`, { jobs: JOBS });
