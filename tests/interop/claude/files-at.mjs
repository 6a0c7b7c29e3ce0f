// The real Claude Code at work with its file tools: each entry's files/ are what its folder
// was. It runs with -p, several prompts a process, and goes on from where it was rewound to:
// by its own option, or where HEAD was moved. The files there are put back by the judge, or
// by the agent itself, as its SDK asks for that, and then they are to be the same.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { Judge, Shelf } from "../files-at.mjs";
import { Mount } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { start } from "../server.mjs";
import { checkRestored, withCalls } from "../worked.mjs";
import { stepOf, Working } from "../working.mjs";
import { Home, linesOf, NEWEST, program } from "./agent.mjs";
import { STREAM, typed } from "./steps.mjs";

/** Of longer texts, the result of an edit does not have what was there before. */
const MOST_KEPT = 10_000;
const NOTEBOOK = "n.ipynb";
const ODD = ["it's \"plain\"", "$& $1 $$", "a\\u00e9b", "a\rb", "12\tnumbered", "</system-reminder>", "\u0001\u007f", "nul \0 byte", "half \ud83d", "tab\t"];

/** What a model makes of a text that it has seen. */
const MISSPELT = [
	(text) => text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, "\""),
	(text) => text.replaceAll(/[ \t]+$/gm, ""),
	(text) => text.replaceAll(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
	(text) => `${text}\n`,
	() => "not there",
];

/** Are they no other bytes than a result has? */
const isText = (bytes) => !bytes.toString().includes("\ufffd");

/** Does a read tell all bytes of a file? */
const isToldByRead = (bytes) => !bytes.includes("\r\n") && !bytes.subarray(0, 3).equals(Buffer.from("\ufeff")) && isText(bytes);

class ClaudeWorking extends Working {
	kinds = { write: 5, edit: 7, create: 0.5, read: 5, readPart: 1, outside: 1, long: 0.3, notebook: 0.7, shell: 0.7, fails: 1 };

	call(name, input, after) {
		return { name, input, after: (result) => !result.failed && after?.(result) };
	}

	answer(results) {
		const calls = super.answer(results);
		this.shelf.requests.at(-1).answer = calls;
		return calls;
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

	write(name = this.anyName(), content = this.someText()) {
		const input = this.random.chance(0.95) ? { file_path: this.full(name), content } : { path: this.full(name), file_text: content };
		return this.call("Write", input, () => this.expectation.know(name));
	}

	outside() {
		const file = path.join(this.shelf.others[0], "o.txt");
		return this.call("Write", { file_path: file, content: this.someText() }, () => this.expectation.know(path.join("@", file)));
	}

	long() {
		return this.write("long.txt", `${Array.from({ length: 600 }, (_, i) => `line ${i} é`).join("\n")}\n`);
	}

	read() {
		const name = this.file();
		return name && this.call("Read", { file_path: this.full(name) }, name === NOTEBOOK ? undefined : this.learning(name, isToldByRead));
	}

	readPart() {
		const { random } = this;
		const name = this.file();
		return name && this.call("Read", { file_path: this.full(name), ...random.pick([{ offset: 2 }, { limit: 2 }, { offset: 1, limit: 900 }]) }, name === NOTEBOOK ? undefined : this.learning(name, isToldByRead, true));
	}

	edit() {
		const { random } = this;
		const name = this.file();
		if (!name || this.textOf(name) === "")
			return undefined;
		const text = this.textOf(name).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
		const { before, after } = this.span(text);
		const cut = random.chance(0.3) && before.length > 4 ? [...before].slice(1, -2).join("") : before;
		const old = random.chance(0.2) ? random.pick(MISSPELT)(cut) : cut;
		const all = random.chance(0.3) ? { replace_all: true } : {};
		const strings = random.chance(0.95) ? { old_string: old, new_string: after } : { old_str: old, new_str: after };
		const isTold = (bytes) => bytes.length < MOST_KEPT && !bytes.includes("\r\n") && isText(bytes);
		return this.call("Edit", { file_path: this.full(name), ...strings, ...all }, this.learning(name, isTold));
	}

	/** A file that may be there. */
	create() {
		const name = this.anyName();
		return this.call("Edit", { file_path: this.full(name), old_string: "", new_string: this.someText() }, () => this.expectation.know(name));
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
		return this.call("NotebookEdit", { notebook_path: this.full(NOTEBOOK), ...edit }, () => this.expectation.know(NOTEBOOK));
	}

	/** Nobody sees what it does. */
	shell() {
		const name = this.file() ?? "a.txt";
		const command = this.random.pick([`echo shell >>'${name}'`, `rm -f '${name}'`, `printf 'by shell' >'${name}'`, "true"]);
		return this.call("Bash", { command, description: "d" }, () => command !== "true" && this.expectation.loosen(name));
	}

	fails() {
		return this.random.pick([
			() => this.call("Read", { file_path: this.full("none.txt") }),
			() => this.call("Edit", { file_path: this.full("none.txt"), old_string: "a", new_string: "b" }),
			() => this.call("Edit", { file_path: this.full(this.file() ?? "a.txt"), old_string: "not there", new_string: "b" }),
			() => this.call("Edit", { file_path: this.full(this.file() ?? "a.txt"), old_string: "a", new_string: "a" }),
			() => this.call("Write", { file_path: this.full("src"), content: "x" }, () => this.expectation.know("src")),
			() => this.call("Write", { file_path: this.full(this.anyName()) }),
			() => this.call("NoSuchTool", { file_path: this.full(this.anyName()) }),
		])();
	}
}

/** The agent, in a process for some prompts. */
class Agent {
	constructor(home, port, env) {
		Object.assign(this, { home, port, env, args: [], child: undefined });
	}

	begin() {
		const [command] = program(NEWEST);
		const env = { ...this.home.env(this.port), ...this.env };
		this.child = spawn(command, ["-p", ...STREAM, "--dangerously-skip-permissions", ...this.args], { cwd: this.home.cwd, env, stdio: ["pipe", "pipe", "inherit"] });
		this.ended = once(this.child, "close");
		let rest = "";
		this.child.stdout.on("data", (data) => {
			const lines = (rest + data).split("\n");
			rest = lines.pop();
			lines.map((line) => JSON.parse(line)).filter(({ type }) => type === this.awaited).forEach((said) => this.hear(said));
		});
		this.child.on("close", () => this.hear?.({ type: "closed" }));
	}

	/** Write a line, and wait for what it says of a type. */
	async ask(line, type) {
		if (!this.child)
			this.begin();
		this.awaited = type;
		const heard = new Promise((done) => { this.hear = done; });
		this.child.stdin.write(line);
		const said = await heard;
		if (said.type !== type)
			throw new Error("the agent ended");
		return said;
	}

	say(words) {
		return this.ask(typed(words), "result");
	}

	/** Has it restored the files that a prompt's turn began with? */
	async restore(prompt) {
		const request = { subtype: "rewind_files", user_message_id: prompt };
		const { response } = await this.ask(`${JSON.stringify({ type: "control_request", request_id: "r", request })}\n`, "control_response");
		return response.subtype === "success";
	}

	async end() {
		this.child?.stdin.end();
		await this.ended;
		this.child = undefined;
	}
}

class Life {
	constructor(home, random, working, agent) {
		Object.assign(this, { home, random, working, agent, restored: 0 });
		this.keepsFiles = Boolean(agent.env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING);
	}

	get file() {
		return this.home.transcripts()[0];
	}

	/** So many prompts, with what a user may do between them. */
	async talk() {
		const { random, working } = this;
		for (let n = 1 + random.int(3); n > 0; n--) {
			await this.agent.say(working.ask());
			const name = working.file();
			if (name && random.chance(0.1)) {
				working.put(name, working.someText());
				working.expectation.loosen(name);
			}
		}
	}

	/** The line that has these words first, or the last with a call. */
	lineOf({ calls, prompt }) {
		const lines = linesOf(fs.readFileSync(this.file)).filter(({ uuid }) => uuid);
		const ids = calls.map((id) => JSON.stringify(id));
		return calls.length > 0 ? lines.findLast((line) => ids.some((id) => JSON.stringify(line).includes(id))) : lines.find((line) => JSON.stringify(line).includes(prompt));
	}

	/** Before a prompt, whose files the agent itself may restore. */
	async rewind() {
		const { random, working, agent } = this;
		const request = random.pick(working.shelf.requests.filter(({ calls }) => calls.length === 0));
		const prompt = this.lineOf(request);
		// It has no snapshots of a branch that it has left.
		if (this.keepsFiles && random.chance(0.6) && await agent.restore(prompt.uuid)) {
			checkRestored(working, request);
			this.restored++;
		}
		await agent.end();
		const answer = this.answerBefore(prompt);
		if (answer && this.isOnWay(answer) && random.chance(0.8))
			agent.args = ["--resume", path.basename(this.file, ".jsonl"), "--resume-session-at", answer.uuid];
		else
			await this.move(answer ? `by-id/${answer.uuid}` : "tree");
		working.goBack(request);
		await this.talk();
	}

	/** The lines before one, the nearest first. */
	*before(line) {
		const byId = new Map(linesOf(fs.readFileSync(this.file)).map((one) => [one.uuid, one]));
		for (let one = byId.get(line.parentUuid); one; one = byId.get(one.parentUuid))
			yield one;
	}

	answerBefore(prompt) {
		for (const line of this.before(prompt)) {
			if (line.type === "assistant")
				return line;
		}
		return undefined;
	}

	/** Does the agent, as it is, find a line to go back to? */
	isOnWay({ uuid }) {
		return [...this.before(this.lineOf(this.working.shelf.requests.at(-1)))].some((line) => line.uuid === uuid);
	}

	/** To where the model was asked, with the results of calls. */
	async jump() {
		const { random, working } = this;
		const request = random.pick(working.shelf.requests.filter(({ calls }) => calls.length > 0));
		if (!request)
			return;
		await this.agent.end();
		await this.move(`by-id/${this.lineOf(request).uuid}`);
		working.goBack(request);
		await this.talk();
	}

	async move(target) {
		await Mount.with(this.file, path.join(this.home.dir, "mnt"), (mount) => {
			fs.symlinkSync(target, mount.path("new-head"));
			fs.renameSync(mount.path("new-head"), mount.path("HEAD"));
		});
		this.agent.args = ["--resume", path.basename(this.file, ".jsonl")];
	}

	/** What the agent keeps, with the session's own place in it. */
	beside() {
		const kept = ["projects", "file-history"].map((name) => [path.join(this.home.home, ".claude", name), `home/.claude/${name}`]);
		return kept.filter(([from]) => fs.existsSync(from));
	}
}

async function live(home, seed, judge) {
	const random = new Random(seed);
	const outside = path.join(home.dir, "out");
	fs.mkdirSync(outside);
	const working = new ClaudeWorking(random, `${seed}`, new Shelf(home.cwd, path.join(home.dir, "copies"), [outside]), { odd: ODD });
	const server = await start(() => {}, (messages) => stepOf(working, messages));
	const agent = new Agent(home, server.port, random.chance(0.6) ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" } : {});
	const life = new Life(home, random, working, agent);
	try {
		await life.talk();
		for (let n = random.int(4); n > 0; n--)
			await life[random.pick(["rewind", "rewind", "jump"])]();
	} finally {
		await agent.end();
		server.close();
	}
	working.check();
	await judge.session(seed, [life.file], withCalls(working.shelf.requests), life.beside());
	return life.restored;
}

const judge = new Judge(`Claude Code ${NEWEST}`);
let restored = 0;
await forEachSeed((seed) => Home.with(async (home) => {
	const n = await live(home, seed, judge);
	restored += n;
}), (n) => `${n} sessions of ${judge.table()}\n  ${restored} restored by the agent itself`);
